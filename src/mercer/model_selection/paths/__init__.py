"""The paths of learners: one run for all parameters that it can serve."""
