"""What ``mercer evaluate`` computes and prints; imported when it runs."""
