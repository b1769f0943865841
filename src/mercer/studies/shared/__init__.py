"""What several studies ask, since no study imports another."""
