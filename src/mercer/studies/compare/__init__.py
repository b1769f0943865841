"""Every learner on one data set, tuned on training data only."""
