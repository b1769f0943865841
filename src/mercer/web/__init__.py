"""The service: models behind HTTP, asked for predictions and explanations."""
