"""Report 004: dual SVMs with certificates, and the cost of their decisions."""
