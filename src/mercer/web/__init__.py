"""The page and the API."""
