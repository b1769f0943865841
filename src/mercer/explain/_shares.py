"""Support vectors that pull a sample towards a class, and away from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelMachine
from mercer.explain.machine import (
    class_index,
    class_weights,
    inner_machine,
    output_names,
    transformed,
)


class Pull(NamedTuple):
    """What one support vector adds to a score.

    >>> Pull(vector=3, sample=17, kernel=0.5, share=1.25).share
    1.25
    """

    vector: int  # its number among the support vectors
    sample: int  # its number among the training samples
    kernel: float
    share: float


@dataclass(frozen=True, eq=False)
class SupportVectorShares:
    """The scores of samples, as sums over support vectors.

    Attributes
    ----------
    classes : array
        The classes.
    outputs : list of str
        What the binary scores are for: a class each, or a pair of classes each.
    scores : array of shape (n_samples, n_outputs)
        The binary scores.
    votes : array of shape (n_samples, n_classes) or None
        The votes of one-vs-one.
    predicted : array of shape (n_samples,)
        The classes that the machine decides for.
    kernel_values : array of shape (n_samples, n_vectors)
        k(x, x') between the samples and the support vectors.
    coefficients : array of shape (n_vectors, n_outputs)
        The coefficient of each support vector in each binary score.
    intercept : array of shape (n_outputs,)
        What every binary score begins with.
    support : array of shape (n_vectors,)
        Where the support vectors stand among the training samples.
    vectors : array of shape (n_vectors, n_features) or None
        The support vectors, as the machine sees them.
    class_weights : array of shape (n_outputs, n_classes)
        How binary scores add up for a class: its own, or for one-vs-one the sum over
        its pairs.

    Examples
    --------
    >>> from mercer import KernelSVC, load_dataset
    >>> iris = load_dataset("iris")
    >>> why = support_vectors(KernelSVC().fit(iris.X, iris.y), iris.X[:1])
    >>> why.outputs
    ['0 against 1', '0 against 2', '1 against 2']
    >>> why.votes[0].astype(int).tolist()
    [2, 1, 0]
    """

    classes: NDArray
    outputs: list[str]
    scores: NDArray[np.float64]
    votes: NDArray[np.float64] | None
    predicted: NDArray
    kernel_values: NDArray
    coefficients: NDArray[np.float64]
    intercept: NDArray[np.float64]
    support: NDArray[np.integer]
    vectors: Any
    class_weights: NDArray[np.float64]

    def shares(self, sample: int) -> NDArray[np.float64]:
        """What each support vector adds to each binary score of a sample.

        With the intercept they add up to the scores: (n_vectors, n_outputs).
        """
        values = self.kernel_values[sample].astype(np.float64)
        return values[:, None] * self.coefficients

    def for_class(self, sample: int, label: Any) -> NDArray[np.float64]:
        """What each support vector adds to the score of a class."""
        weights = self.class_weights[:, class_index(self.classes, label)]
        values = self.kernel_values[sample].astype(np.float64)
        return values * (self.coefficients @ weights)

    def class_scores(self) -> NDArray[np.float64]:
        """The score of every class: (n_samples, n_classes)."""
        return self.scores @ self.class_weights

    def strongest(
        self, sample: int, label: Any, n: int = 5
    ) -> tuple[list[Pull], list[Pull]]:
        """The support vectors that pull hardest for a class, and against it."""
        shares = self.for_class(sample, label)
        order = np.argsort(-shares, kind="stable")
        for_it = [i for i in order[:n] if shares[i] > 0]
        against = [i for i in order[::-1][:n] if shares[i] < 0]
        return self._pulls(sample, shares, for_it), self._pulls(sample, shares, against)

    def _pulls(self, sample: int, shares: Any, chosen: list[int]) -> list[Pull]:
        values = self.kernel_values[sample]
        return [
            Pull(int(i), int(self.support[i]), float(values[i]), float(shares[i]))
            for i in chosen
        ]


def support_vectors(model: Any, X: Any) -> SupportVectorShares:
    """Explain scores by the support vectors that they are sums over.

    Parameters
    ----------
    model : KernelSVC, KernelPerceptron, KernelPegasos or another kernel machine
        Fitted; a pipeline that ends in one, or a `CalibratedClassifier` of one, whose
        scores before calibration are explained.
    X : array of shape (n_samples, n_features)
        The samples, as the model takes them.

    Returns
    -------
    SupportVectorShares
        Shares of every support vector, which add up to the scores.

    Examples
    --------
    >>> from mercer import KernelSVC, load_dataset
    >>> from mercer.explain import support_vectors
    >>> iris = load_dataset("iris")
    >>> model = KernelSVC(multiclass="ovr").fit(iris.X, iris.y)
    >>> why = support_vectors(model, iris.X[:1])
    >>> hardest_for, against = why.strongest(0, why.predicted[0], 1)
    >>> hardest_for[0].sample, round(hardest_for[0].share, 3)
    (23, 0.986)
    >>> bool(abs(why.shares(0).sum(axis=0) + why.intercept - why.scores).max() < 1e-12)
    True
    """
    machine, before = inner_machine(model)
    X = machine.validate_new(transformed(before, X))
    scores = machine.binary_scores(X)
    reduction = machine.reduction_
    votes = reduction.votes(scores) if reduction.kind == "ovo" else None
    return SupportVectorShares(
        classes=machine.classes_,
        outputs=output_names(machine),
        scores=scores,
        votes=votes,
        predicted=machine.classes_[reduction.decide(scores, machine.break_ties)],
        kernel_values=_kernel_values(machine, X),
        coefficients=machine.binary_coefficients(),
        intercept=machine.intercept_,
        support=machine.support_,
        vectors=machine.support_vectors_ if machine.has_kernel else None,
        class_weights=class_weights(machine),
    )


def _kernel_values(machine: KernelMachine, X: Any) -> NDArray:
    if machine.kernel_ is None:
        return machine._values(X)
    return machine.kernel_(X, machine.support_vectors_)
