"""Report 003, part II (`sample-complexity`): how many samples are enough."""
