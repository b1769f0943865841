"""What report 001 varies: cross-validation of one λ, and the test of the best."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Gram
from mercer.model_selection import (
    PegasosRun,
    Split,
    SplitProblems,
    averaged_errors,
    rotate,
    shuffled_split,
    walk_pegasos,
)

LAMBDAS = (0.001, 0.031, 1.0, 31.62, 1000.0)
STEPS = (10, 100, 500, 1000)
#: γ of exp(−‖x−x'‖²/(2γ)): the report's, and others, to see what it does.
WIDTH = 0.25
WIDTHS = (0.0625, WIDTH, 1.0, 4.0, 16.0, 64.0, 256.0)
TEST_SHARE = 0.2
N_FOLDS = 5

Pair = tuple[float, int]


def lambda_name(lam: float) -> str:
    """As tables and figures name it.

    >>> lambda_name(31.62)
    'λ = 31.62'
    """
    return f"λ = {lam:g}"


def make_split(n_samples: int, seed: int) -> Split:
    """Everything shuffled, a fifth for testing."""
    random = np.random.default_rng(seed)
    return shuffled_split(n_samples, TEST_SHARE, seed=random, test_first=True)


def validate(
    gram: Gram, y: NDArray, split: Split, lam: float, seed: int, average: bool
) -> dict[str, Any]:
    """Cross-validate one λ; each class of each fold has draws of its own.

    By the number of steps: accuracies, mean over the folds, of last hyperplanes on
    training and validation samples and, where asked for, of averaged ones; the share of
    steps that updated; the validation errors of each class's own classifier; and the
    share of validation samples that the most popular answer gets.
    """
    problems = SplitProblems.of(y, rotate(split[0], N_FOLDS))
    draws = problems.draw(max(STEPS), np.random.default_rng(seed))
    values: dict[str, Any] = {}
    averages: dict[int, NDArray[np.float32]] = {}
    for run in walk_pegasos(gram, problems.signs, lam, draws, STEPS):
        train, validation = (
            1 - float(np.mean(errors(run.sums)))
            for errors in (problems.train_errors, problems.test_errors)
        )
        values |= {
            f"train at {run.step}": train,
            f"validation at {run.step}": validation,
            f"updates at {run.step}": run.n_updates / run.step,
            f"binary errors at {run.step}": problems.binary_errors(run.sums),
            f"most popular at {run.step}": _most_popular(problems, run.sums),
        }
        if average:
            averages[run.step] = run.averaged_coefficients()
    if average:
        for step, errors in averaged_errors(gram, problems, averages).items():
            values[f"averaged at {step}"] = 1 - float(errors.mean())
    return values


def _most_popular(problems: SplitProblems, scores: NDArray[np.float64]) -> float:
    """The share of the answer that is given most often, mean over the splits."""
    shares = []
    for place, (_, test) in enumerate(problems.splits):
        decided = problems.of_split(scores, place)[:, test].argmax(axis=0)
        shares.append(np.bincount(decided).max() / len(test))
    return float(np.mean(shares))


def run_test(
    gram: Gram,
    y: NDArray,
    split: Split,
    validated: Mapping[float, Mapping[str, Any]],
    seed: int,
) -> dict[str, Any]:
    """Test the best pair of λ and T, and the pairs that are best class by class."""
    problems, test = SplitProblems.of(y, [split]), split[1]
    pairs = [(lam, step) for lam in validated for step in STEPS]
    best = max(pairs, key=lambda pair: validated[pair[0]][f"validation at {pair[1]}"])
    binary = [validated[lam][f"binary errors at {step}"] for lam, step in pairs]
    own = [pairs[chosen] for chosen in np.argmin(binary, axis=0)]
    draws = problems.draw(max(STEPS), np.random.default_rng(seed))
    scores, joint = _train(gram, problems, [best] * problems.n_classes, draws)
    own_scores, single = _train(gram, problems, own, draws)
    own_unit = own_scores / _lengths(own_scores, single, own)
    average = averaged_errors(gram, problems, {"": joint.averaged_coefficients()})[""]
    return {
        "best lam": best[0],
        "best steps": best[1],
        "test accuracy": 1 - problems.test_errors(scores)[0],
        "averaged accuracy": 1 - average[0],
        "own pairs": own,
        "own accuracy, scores as they are": 1 - problems.test_errors(own_scores)[0],
        "own accuracy, unit length": 1 - problems.test_errors(own_unit)[0],
        "decided": scores[:, test].argmax(axis=0)[:10],
        "shown": test[:10],
        "true": problems.y_encoded[test[:10]],
        "class counts": np.bincount(problems.y_encoded[split[0]]),
    }


def _train(
    gram: Gram,
    problems: SplitProblems,
    pairs: Sequence[Pair],
    draws: NDArray[np.int64],
) -> tuple[NDArray[np.float64], PegasosRun]:
    """Scores of all samples, each class with its own λ and T, and the whole run."""
    lams, steps = np.array(pairs).T
    # a problem that is done draws nothing any more
    own = np.where(np.arange(draws.shape[1]) < steps[:, None], draws, -1)
    (run,) = walk_pegasos(gram, problems.signs, lams, own, [draws.shape[1]])
    return (1 / (lams * steps))[:, None] * run.sums, run


def _lengths(
    scores: NDArray[np.float64], run: PegasosRun, pairs: Sequence[Pair]
) -> NDArray[np.float64]:
    """‖w‖ of each hyperplane, one row each."""
    squares = [
        float(sign[u.samples] @ row[u.samples]) / (lam * step)
        for (lam, step), sign, row, u in zip(pairs, run.signs, scores, run.updates)
    ]
    return np.sqrt(squares)[:, None]
