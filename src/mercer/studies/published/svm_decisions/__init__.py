"""Report 004 (`svm-decisions`): SVMs with certificates, and the cost of decisions."""
