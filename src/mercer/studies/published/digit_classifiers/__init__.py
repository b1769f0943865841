"""Report 003, part I (`digit-classifiers`): perceptron, kNN and SVM on digits."""
