"""Report 003, part I: perceptron, nearest neighbours and SVM side by side."""
