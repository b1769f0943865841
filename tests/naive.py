"""Slow, obvious reference implementations: one loop a sample, no tricks."""

import math

import numpy as np


def gaussian(x, y, gamma):
    return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, y)))


def exponential(x, y, gamma):
    return math.exp(-gamma * math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y))))


def polynomial(x, y, degree, offset, scale):
    return (scale * sum(a * b for a, b in zip(x, y)) + offset) ** degree


def cosine(x, y):
    lengths = math.sqrt(sum(a * a for a in x)) * math.sqrt(sum(b * b for b in y))
    return sum(a * b for a, b in zip(x, y)) / lengths if lengths else 0.0


def gram(function, X, Y):
    return np.array([[function(x, y) for y in Y.tolist()] for x in X.tolist()])
