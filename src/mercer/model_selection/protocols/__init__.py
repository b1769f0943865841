"""The protocols of the reports: splits, and procedures over them."""
