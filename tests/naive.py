"""Slow, obvious reference implementations: one loop a sample, no tricks."""

import itertools
import math
from fractions import Fraction

import numpy as np


def gaussian(x, y, gamma):
    return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, y)))


def exponential(x, y, gamma):
    return math.exp(-gamma * math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y))))


def polynomial(x, y, degree, offset, scale):
    return (scale * sum(a * b for a, b in zip(x, y)) + offset) ** degree


def sigmoid(x, y, scale, offset):
    return math.tanh(polynomial(x, y, 1, offset, scale))


def cosine(x, y):
    lengths = math.sqrt(sum(a * a for a in x)) * math.sqrt(sum(b * b for b in y))
    return sum(a * b for a, b in zip(x, y)) / lengths if lengths else 0.0


def gram(function, X, Y):
    return np.array([[function(x, y) for y in Y.tolist()] for x in X.tolist()])


def perceptron(K, signs, order, variant, mistake):
    """Report 002's algorithms, to the letter; `order` has a row an epoch."""

    def wrong(y, s):
        return y * s <= 0 if mistake == "margin" else y != (1 if s > 0 else -1)

    members = np.flatnonzero(signs)
    alpha, total = np.zeros(len(K)), np.zeros(len(K))
    best, fewest, steps = None, math.inf, 0
    for number, epoch in enumerate(order):
        for i in epoch:
            if signs[i] == 0:
                continue
            steps += 1
            if wrong(signs[i], (alpha * signs) @ K[i]):
                alpha[i] += 1
                if number == len(order) - 1:
                    scores = K @ (alpha * signs)
                    m = sum(wrong(signs[j], scores[j]) for j in members)
                    if m < fewest:
                        best, fewest = alpha.copy(), m
            total += alpha
    if variant == "averaged":
        return total / steps * signs
    if variant == "best" and best is not None:
        return best * signs
    return alpha * signs


def pegasos(K, signs, draws, lam, average):
    """Report 001's algorithm 2; the average is over the hyperplanes after each step."""
    alpha, total = np.zeros(len(K)), np.zeros(len(K))
    for t, i in enumerate(draws, start=1):
        if signs[i] * (1 / (lam * t)) * ((alpha * signs) @ K[i]) < 1:
            alpha[i] += 1
        total += alpha / (lam * t)
    return (total if average else alpha / lam) / len(draws) * signs


def nearest(K, diagonal, k):
    """Training samples by distance in feature space, the first of equals first."""
    keys = diagonal[None] - 2 * K
    return np.array([sorted(range(len(r)), key=lambda j: (r[j], j))[:k] for r in keys])


def nearest_of_whole_numbers(X, Y, k, by_angle):
    """The nearest by distance or by angle, without any rounding."""
    X, Y = X.astype(int).tolist(), Y.astype(int).tolist()

    def dot(x, y):
        return sum(a * b for a, b in zip(x, y))

    lengths = [dot(y, y) for y in Y]

    def key(x, j):
        if not by_angle:
            return sum((a - b) ** 2 for a, b in zip(x, Y[j]))
        if not any(x):
            return int(lengths[j] > 0)
        if not lengths[j]:  # ‖φ(x) − φ(y)‖² = 1, as at 60 degrees
            return -Fraction(dot(x, x), 4)
        product = dot(x, Y[j])
        return -Fraction(product * abs(product), lengths[j])

    rows = [[(key(x, j), j) for j in range(len(Y))] for x in X]
    return np.array([[j for _, j in sorted(row)[:k]] for row in rows])


def ovo_votes(scores, pairs, n_classes):
    votes = np.zeros((len(scores), n_classes), int)
    for row, values in zip(votes, scores):
        for (i, j), value in zip(pairs, values):
            row[i if value > 0 else j] += 1
    return votes


def walk(K, signs, order, wrong, scores=None, step=0):
    """One problem of an online learner: (sample, step) of its updates, and the scores.

    Scores are summed again for every step; `wrong(y, score, step)` decides.
    """
    updates = []
    scores = np.zeros(len(K)) if scores is None else scores.copy()
    for i in order:
        if i < 0 or signs[i] == 0:
            continue
        step += 1
        score = scores[i] + sum(signs[j] * K[j, i] for j, _ in updates)
        if wrong(signs[i], score, step):
            updates.append((i, step))
    for j, _ in updates:
        scores += signs[j] * K[j]
    return updates, scores


def fewest_mistakes(K, signs, samples, first, wrong):
    """After how many of the updates the fewest samples are wrong."""
    fewest, best = math.inf, len(samples)
    for count in range(first + 1, len(samples) + 1):
        scores = sum(signs[j] * K[j] for j in samples[:count])
        mistakes = sum(wrong(y, s, 0) for y, s in zip(signs, scores) if y != 0)
        if mistakes < fewest:
            fewest, best = mistakes, count
    return best


def shapley(scores, x, background):
    """Shapley values by their definition: all coalitions of features.

    `scores` takes rows of samples; features outside a coalition are those of each
    background row, and the mean over these is the coalition's worth.
    """
    d = len(x)
    worth = {
        members: scores(np.where(np.array(members, bool), x, background)).mean(axis=0)
        for members in itertools.product((0, 1), repeat=d)
    }
    values = np.zeros((d, *worth[(0,) * d].shape))
    for members, without in worth.items():
        size = sum(members)
        weight = 1 / (d * math.comb(d - 1, size)) if size < d else 0.0
        for j in range(d):
            if not members[j]:
                joined = (*members[:j], 1, *members[j + 1 :])
                values[j] += weight * (worth[joined] - without)
    return values
