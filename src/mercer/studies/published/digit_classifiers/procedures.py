"""The report's procedures, a few runs at a time: these share one Gram."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer._threads import parallel_map
from mercer.kernels import Gaussian, Polynomial
from mercer.metrics import confusion
from mercer.model_selection import (
    CrossValidatedRuns,
    ProtocolResult,
    Split,
    basic_procedure,
    cross_validating_procedure,
    rotate,
)
from mercer.studies import Context, Outcome, derive_seed
from mercer.studies.mistakes import note_mistakes
from mercer.studies.published.digit_classifiers.learners import (
    Problem,
    class_numbers,
    perceptron,
    pixels,
    problem_of,
)
from mercer.studies.published.digit_classifiers.settings import (
    COARSE_SHARE,
    COARSE_WIDTHS,
    CONFIGURATIONS,
    DEGREES,
    EPOCHS,
    FOLDS,
    PAIR_READINGS,
    RUNS_AT_ONCE,
    key,
)

_TRAIN_SHARE = 0.8
Found = TypeVar("Found")


@dataclass(frozen=True)
class ProcedureRun:
    """A run of a procedure; it belongs to some that are carried out together."""

    procedure: str
    number: int
    seed: int

    @property
    def place(self) -> int:
        """Its place among those."""
        return self.number % RUNS_AT_ONCE

    def splits(self, n_samples: int) -> list[Split]:
        """The splits of all of them."""
        first = self.number - self.place
        return [
            draw_split(n_samples, derive_seed(self.seed, self.procedure, number))
            for number in range(first, first + RUNS_AT_ONCE)
        ]

    def together(
        self, context: Context, name: str, evaluate: Callable[[], Found]
    ) -> tuple[Found, float]:
        """What all of them find, and the seconds of one."""

        def timed() -> tuple[Found, float]:
            begin = time.perf_counter()
            return evaluate(), (time.perf_counter() - begin) / RUNS_AT_ONCE

        first = self.number - self.place
        return context.shared((self.procedure, name, self.seed, first), timed)


def draw_split(n_samples: int, seed: int) -> Split:
    """Shuffle the samples; four fifths train, the rest is tested.

    >>> [len(part) for part in draw_split(10, 0)]
    [8, 2]
    """
    shuffled = np.random.default_rng(seed).permutation(n_samples)
    cut = int(_TRAIN_SHARE * n_samples)
    return shuffled[:cut], shuffled[cut:]


def basic(context: Context, name: str, run: ProcedureRun) -> Outcome:
    """One split: training and test error for every value."""
    problem, values = problem_of(context, name), CONFIGURATIONS[name].values
    result, seconds = run.together(
        context,
        name,
        lambda: basic_procedure(*problem, splits=run.splits(len(problem.y))),
    )
    found = _errors_by_name(map(key, values), result, run)
    return Outcome(found, {"all values": seconds, "per value": seconds / len(values)})


def cross_validating(context: Context, name: str, run: ProcedureRun) -> Outcome:
    """One split: cross-validation chooses the value, and the model is tested once."""
    problem, values = problem_of(context, name), CONFIGURATIONS[name].values
    y = problem.y
    result, seconds = _validated(context, name, run, problem)
    tested, decided = result.predictions[run.place]
    counts = confusion(y[tested], decided, labels=np.arange(y.max() + 1))
    errors = result.candidate_errors[:, run.place]
    found: dict[str, Any] = {
        "chosen": _chosen(name, result, run),
        "test": result.test_errors[run.place],
        **note_mistakes(tested, y[tested], decided),
        "confusion": counts,
        **{f"cv {key(v)}": error for v, error in zip(values, errors)},
        **_rates(counts),
    }
    samples = [sample for sample, *_ in found["wrong"]]
    return Outcome(found, {"search": seconds}, samples)


def not_trained_again(context: Context, name: str, run: ProcedureRun) -> Outcome:
    """The same split and choice; what is tested is the model of the last fold."""
    problem = problem_of(context, name)
    same = ProcedureRun("cross-validating", run.number, run.seed)
    result, _ = _validated(context, name, same, problem)
    train, test = same.splits(len(problem.y))[same.place]
    rows, _ = rotate(train, FOLDS)[-1]
    model = clone(problem.estimator)
    model.set_params(**clone(result.params[same.place], safe=False))
    decided = model.fit(problem.X[rows], problem.y[rows]).predict(problem.X[test])
    labels = np.arange(problem.y.max() + 1)
    found = {
        "chosen": _chosen(name, result, same),
        "test": float(np.mean(decided != problem.y[test])),
        **_rates(confusion(problem.y[test], decided, labels=labels)),
    }
    return Outcome(found)


def _validated(
    context: Context, name: str, run: ProcedureRun, problem: Problem
) -> tuple[CrossValidatedRuns, float]:
    """What all runs carried out with this one chose, and the seconds of one."""
    splits = run.splits(len(problem.y))
    return run.together(
        context,
        name,
        lambda: cross_validating_procedure(*problem, n_splits=FOLDS, splits=splits),
    )


def _chosen(name: str, result: CrossValidatedRuns, run: ProcedureRun) -> float:
    errors = result.candidate_errors[:, run.place]
    return CONFIGURATIONS[name].values[int(errors.argmin())]


def _rates(counts: NDArray[np.int64]) -> dict[str, float]:
    """Each cell of a confusion by its name, as a share of its row."""
    rates = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {
        f"confusion {i} {j}": rates[i, j] for i, j in np.ndindex(*rates.shape) if i != j
    }


def coarse(context: Context, tenth: str, run: ProcedureRun) -> Outcome:
    """Test errors on a tenth of the data, each width with a split of its own."""
    X, y = pixels(context), class_numbers(context)
    count = max(20, round(COARSE_SHARE * len(y)))

    def test_error(c: float) -> float:
        seed = derive_seed(run.seed, run.procedure, run.number, c)
        rows = np.arange(count)
        if tenth == "random":
            rows = np.random.default_rng([seed, 1]).permutation(len(y))[:count]
        split = draw_split(count, seed)
        grid = {"kernel": [Gaussian(c)]}
        result = basic_procedure(perceptron(), grid, X[rows], y[rows], splits=[split])
        return float(result.test_errors[0, 0])

    errors = parallel_map(test_error, COARSE_WIDTHS)
    return Outcome({f"test {key(c)}": e for c, e in zip(COARSE_WIDTHS, errors)})


def epochs(context: Context, degree: int, run: ProcedureRun) -> Outcome:
    """One split: errors of the first configuration after every epoch."""
    X, y = pixels(context), class_numbers(context)
    kernels = {d: Polynomial(d) for d in DEGREES}
    grid = {"kernel": list(kernels.values()), "epochs": range(1, EPOCHS + 1)}
    result, seconds = run.together(
        context,
        "all degrees",
        lambda: basic_procedure(perceptron(), grid, X, y, splits=run.splits(len(y))),
    )
    # a row for each epoch, in their order
    mine = [p["kernel"] == kernels[degree] for p in result.params]
    found = {
        "train by epoch": result.train_errors[mine, run.place],
        "test by epoch": result.test_errors[mine, run.place],
    }
    return Outcome(found, {"per epoch": seconds / len(result.params)})


def linear_pairs(context: Context, run: ProcedureRun) -> Outcome:
    """One split: what could explain one-vs-one at d = 1, each thing alone and all."""
    X, y = pixels(context), class_numbers(context)
    model = perceptron(kernel=Polynomial(1), multiclass="ovo", random_state=run.seed)
    grid = [{name: [v] for name, v in p.items()} for p in PAIR_READINGS.values()]
    result, _ = run.together(
        context,
        "all readings",
        lambda: basic_procedure(model, grid, X, y, splits=run.splits(len(y))),
    )
    return Outcome(_errors_by_name(PAIR_READINGS, result, run))


def _errors_by_name(
    names: Iterable[str], result: ProtocolResult, run: ProcedureRun
) -> dict[str, float]:
    """Training and test error of each candidate in one of the runs."""
    found = {}
    for name, train, test in zip(names, result.train_errors, result.test_errors):
        found[f"train {name}"] = train[run.place]
        found[f"test {name}"] = test[run.place]
    return found
