"""How far from the exact optimum Pegasos ends."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelSVC
from mercer.kernels import Gram
from mercer.studies.cell import Outcome
from mercer.studies.one_vs_rest import OneVsRest, Split
from mercer.studies.published.pegasos_grid.blocks import copy_block
from mercer.studies.published.pegasos_grid.walking import (
    Moment,
    averaged_coefficients,
    draw,
    objectives,
    walk_with_stops,
)


def run_optimum(
    gram: Gram, y: NDArray, split: Split, lam: float, stops: list[int], seed: int
) -> Outcome:
    """Objective and test error while Pegasos walks, and those of the exact SVM.

    All objectives are means over the classes.
    """
    problems = OneVsRest.of(y, [split])
    draws = draw(problems.signs, max(stops), np.random.default_rng(seed))
    lams = [lam] * problems.n_classes
    steps = [
        _look(gram, problems, lam, moment)
        for moment in walk_with_stops(gram, lams, problems.signs, draws, stops)
    ]
    begin = time.perf_counter()
    exact = exact_svm(gram, problems, lam)
    seconds = {"exact SVM": time.perf_counter() - begin}
    return Outcome({"steps": steps, "n_train": len(split[0]), **exact}, seconds)


def _look(
    gram: Gram, problems: OneVsRest, lam: float, moment: Moment
) -> dict[str, float]:
    signs, updates = problems.signs, moment.updates
    scale = 1 / (lam * moment.step)
    last = np.zeros(signs.shape)
    for row, sign, u in zip(last, signs, updates):
        np.add.at(row, u.samples, scale * sign[u.samples])
    mean = averaged_coefficients(signs, updates) / np.float32(lam)
    mean_scores = mean @ gram.matrix
    return {
        "step": moment.step,
        "objective": objectives(lam, signs, last, scale * moment.scores).mean(),
        "error": problems.test_errors(moment.scores)[0],
        "averaged objective": objectives(lam, signs, mean, mean_scores).mean(),
        "averaged error": problems.test_errors(mean_scores)[0],
        "updates": np.mean([len(u.samples) for u in updates]),
    }


def exact_svm(gram: Gram, problems: OneVsRest, lam: float) -> dict[str, Any]:
    """The certified optimum without a bias; C = 1/(λn) makes it the same problem."""
    train, test = problems.splits[0]
    model = KernelSVC(
        C=1 / (lam * len(train)), kernel="precomputed", bias="none", multiclass="ovr"
    )
    model.fit(copy_block(gram, train, train), problems.numbers[train])
    decided = model.predict(copy_block(gram, test, train))
    certificate, scale = model.certificate_, lam / problems.n_classes
    return {
        "optimum": scale * certificate.primal,
        "optimum at least": scale * certificate.dual,
        "converged": certificate.converged,
        "svm error": np.mean(decided != problems.numbers[test]),
        "svm support": len(model.support_),
    }
