"""Report 002: the kernel perceptron on MNIST, with three ways to end."""
