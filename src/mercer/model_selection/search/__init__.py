"""Grid search on one Gram: what is shared, how it is scored."""
