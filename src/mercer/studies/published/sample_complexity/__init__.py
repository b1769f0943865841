"""Report 003, part II: how many samples a learner needs for "just a little bit"."""
