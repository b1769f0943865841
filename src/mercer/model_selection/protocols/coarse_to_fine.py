"""A search for a scale parameter, from coarse to fine.

Report 003 (`digit-classifiers`) finds its c so: 1e-6 … 0.1 on a tenth of the data, then
.005 … 0.05, then .0070 … 0.0090 in steps of .0002, the latter two on all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from mercer.exceptions import ParameterError
from mercer.model_selection.search.gram_search import GramSearchCV


@dataclass(frozen=True)
class Stage:
    """Values to try, and the share of the samples to try them on."""

    values: tuple[float, ...]
    share: float = 1.0


@dataclass(frozen=True)
class StageResult:
    """What a stage found: a row of the trace for each value."""

    stage: Stage
    n_samples: int
    means: NDArray[np.float64]
    stds: NDArray[np.float64]
    best: float

    def rows(self, number: int) -> list[dict[str, Any]]:
        """The stage as rows."""
        return [
            {
                "stage": number,
                "n_samples": self.n_samples,
                "value": value,
                "mean_score": float(mean),
                "std_score": float(std),
                "best": value == self.best,
            }
            for value, mean, std in zip(self.stage.values, self.means, self.stds)
        ]


@dataclass(frozen=True)
class CoarseToFine:
    """The value that was found, its score, and the way there.

    `search` is the fitted search of the last stage.
    """

    parameter: str
    best_value: float
    best_score: float
    stages: tuple[StageResult, ...]
    search: GramSearchCV

    @property
    def trace(self) -> list[dict[str, Any]]:
        """A row for each value tried: its stage, value, mean and std of the scores."""
        return [
            row
            for number, stage in enumerate(self.stages)
            for row in stage.rows(number)
        ]


#: the stages of report 003 (`digit-classifiers`)
REPORT_003 = (
    Stage(tuple(float(f"1e{k}") for k in range(-6, 0)), share=0.1),
    Stage(tuple(round(0.005 * k, 3) for k in range(1, 11))),
    Stage(tuple(round(0.0070 + 0.0002 * k, 4) for k in range(11))),
)


def coarse_to_fine(
    estimator: Any,
    X: Any,
    y: Any,
    parameter: str = "gamma",
    *,
    low: float = 1e-6,
    high: float = 0.1,
    n_points: Sequence[int] = (6, 10, 11),
    share: float = 0.1,
    stages: Sequence[Stage] | None = None,
    cv: Any = 5,
    scoring: Any = None,
    seed: int = 0,
    **search_options: Any,
) -> CoarseToFine:
    """Find a scale parameter: a logarithmic grid first, then narrower ones.

    Each stage looks between the neighbours of the best value so far; the first one, on
    a subsample, is evenly spaced in the logarithm, and so are those that span more than
    a factor of four.

    Parameters
    ----------
    estimator, X, y : estimator and arrays
        What to tune, and on what.
    parameter : str
        Its name.
    low, high : float
        The ends of the first grid.
    n_points : sequence of int
        Values of each stage.
    share : float
        Share of the samples, drawn class by class, for the first stage.
    stages : sequence of Stage, optional
        The stages themselves, instead of the four arguments above; `REPORT_003` is what
        report 003 did.
    cv, scoring, **search_options
        As in `GramSearchCV`.
    seed : int
        Of the subsample.

    Examples
    --------
    >>> from mercer import KernelPerceptron, load_dataset
    >>> digits = load_dataset("digits")
    >>> model = KernelPerceptron(random_state=0)
    >>> found = coarse_to_fine(model, digits.X, digits.y, n_points=(5, 5), share=0.2)
    >>> round(found.best_value, 6), round(found.best_score, 3), len(found.trace)
    (0.001334, 0.954, 10)
    """
    given = list(stages) if stages is not None else None
    count = len(given) if given is not None else len(n_points)
    if not count or not 0 < low < high:
        raise ParameterError("A search needs stages, and 0 < low < high.")
    done: list[StageResult] = []
    search: GramSearchCV | None = None
    for number in range(count):
        if given is not None:
            stage = given[number]
        else:
            ends = (low, high) if not done else _around_best(done[-1])
            points = _between(*ends, n_points[number], first=not done)
            stage = Stage(points, share if number == 0 and count > 1 else 1.0)
        rows = _subsample(y, stage.share, seed)
        search = GramSearchCV(
            estimator,
            {parameter: list(stage.values)},
            cv=cv,
            scoring=scoring,
            **({"refit": number == count - 1} | search_options),
        )
        search.fit(X[rows] if rows is not None else X, _take(y, rows))
        done.append(_result(stage, search, rows, y))
    assert search is not None
    last = done[-1]
    score = float(last.means[list(last.stage.values).index(last.best)])
    return CoarseToFine(parameter, last.best, score, tuple(done), search)


def _around_best(result: StageResult) -> tuple[float, float]:
    """The neighbours of the best value, or the value itself at an end."""
    values = sorted(result.stage.values)
    at = values.index(result.best)
    return values[max(0, at - 1)], values[min(len(values) - 1, at + 1)]


def _between(low: float, high: float, count: int, first: bool) -> tuple[float, ...]:
    if count < 2 or low == high:
        return (low,)
    if first or high > 4 * low:
        return tuple(float(v) for v in np.geomspace(low, high, count))
    return tuple(float(v) for v in np.linspace(low, high, count))


def _subsample(y: Any, share: float, seed: int) -> NDArray[np.intp] | None:
    if not 0 < share <= 1:
        raise ParameterError(f"share is {share!r}; it must be above 0 and at most 1.")
    if share == 1:
        return None
    split = StratifiedShuffleSplit(1, train_size=share, random_state=seed)
    rows, _ = next(split.split(np.zeros(len(y)), y))
    return np.sort(rows)


def _take(y: Any, rows: NDArray[np.intp] | None) -> Any:
    return y if rows is None else np.asarray(y)[rows]


def _result(stage: Stage, search: Any, rows: Any, y: Any) -> StageResult:
    results: Mapping[str, Any] = search.cv_results_
    name = "score" if "mean_test_score" in results else str(search.refit)
    means = np.asarray(results[f"mean_test_{name}"], float)
    best = stage.values[int(np.nanargmax(means))]
    count = len(y) if rows is None else len(rows)
    stds = np.asarray(results[f"std_test_{name}"], float)
    return StageResult(stage, count, means, stds, best)
