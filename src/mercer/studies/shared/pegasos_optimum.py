"""How far from the certified optimum Pegasos ends, which several studies ask."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelSVC
from mercer.kernels import Gram
from mercer.model_selection import PegasosRun, Split, SplitProblems, walk_pegasos
from mercer.studies.cell import Outcome
from mercer.studies.plain import Plain
from mercer.studies.row import Row
from mercer.studies.story import Block, Column, Field, Lines, Section, Series, Table


def run_optimum(
    gram: Gram, y: NDArray, split: Split, lam: float, stops: Sequence[int], seed: int
) -> Outcome:
    """Objective and test error while Pegasos walks, and those of the exact SVM.

    All objectives are means over the classes.
    """
    problems = SplitProblems.of(y, [split])
    draws = problems.draw(max(stops), np.random.default_rng(seed))
    steps = [
        _look(gram, problems, lam, run)
        for run in walk_pegasos(gram, problems.signs, lam, draws, stops)
    ]
    begin = time.perf_counter()
    exact = _exact_svm(gram, problems, lam)
    seconds = {"exact SVM": time.perf_counter() - begin}
    return Outcome({"steps": steps, "n_train": len(split[0]), **exact}, seconds)


def _look(
    gram: Gram, problems: SplitProblems, lam: float, run: PegasosRun
) -> dict[str, float]:
    scale = 1 / (lam * run.step)
    last = scale * run.coefficients()
    mean = run.averaged_coefficients() / np.float32(lam)
    mean_scores = mean @ gram.matrix
    return {
        "step": run.step,
        "objective": objectives(lam, run.signs, last, scale * run.sums).mean(),
        "error": problems.test_errors(run.sums)[0],
        "averaged objective": objectives(lam, run.signs, mean, mean_scores).mean(),
        "averaged error": problems.test_errors(mean_scores)[0],
        "updates": run.n_updates,
    }


def objectives(
    lam: float,
    signs: NDArray[np.float64],
    coefficients: NDArray[np.floating],
    scores: NDArray[np.floating],
) -> NDArray[np.float64]:
    """λ/2·‖w‖² plus the mean hinge loss, of each problem.

    `coefficients` are those of w, signs included, and `scores` its products with all
    samples.
    """
    norms = np.einsum("ij,ij->i", coefficients, scores, dtype=np.float64)
    losses = np.maximum(0.0, 1.0 - signs * scores)
    members = signs != 0
    return lam / 2 * norms + (losses * members).sum(axis=1) / members.sum(axis=1)


def _exact_svm(gram: Gram, problems: SplitProblems, lam: float) -> dict[str, Any]:
    """The certified optimum without a bias; C = 1/(λn) makes it the same problem."""
    train, test = problems.splits[0]
    model = KernelSVC(
        C=1 / (lam * len(train)), kernel="precomputed", bias="none", multiclass="ovr"
    )
    model.fit(gram.block(train, train), problems.y_encoded[train])
    decided = model.predict(gram.block(test, train))
    certificate, scale = model.certificate_, lam / problems.n_classes
    return {
        "optimum": scale * certificate.primal,
        "optimum at least": scale * certificate.dual,
        "converged": certificate.converged,
        "svm error": np.mean(decided != problems.y_encoded[test]),
        "svm support": len(model.support_),
    }


def times_optimum(
    row: Row, step: Mapping[str, Plain], name: str = "objective"
) -> float:
    """An objective as a multiple of the certified optimum."""
    return float(step[name]) / float(row.values["optimum"])


def step_near(row: Row, number: float) -> Mapping[str, Plain]:
    """What was seen at the step nearest to this one."""
    return min(row.values["steps"], key=lambda step: abs(step["step"] - number))


def optimum_sections(
    rows: Sequence[Row], name_of: Callable[[float], str]
) -> list[Section]:
    """A table, and two figures for each row; `name_of` says how a λ is called."""
    if not rows:
        return []
    names = {row.key: name_of(row.params["lam"]) for row in rows}
    blocks: list[Block] = [_table(rows, names)]
    for row in rows:
        blocks += _figures(row, names[row.key])
    return [Section("How far the optimum is", blocks)]


def _table(rows: Sequence[Row], names: Mapping[str, str]) -> Table:
    lines: list[list[Field]] = []
    for row in rows:
        name, values = names[row.key], row.values
        lines += [
            [
                name,
                f"Pegasos, {step['step']:,} steps",
                float(step["objective"]),
                times_optimum(row, step),
                100 * step["error"],
                times_optimum(row, step, "averaged objective"),
                100 * step["averaged error"],
            ]
            for step in values["steps"]
        ]
        exact = [float(values["optimum"]), 1.0, 100 * values["svm error"], None, None]
        lines.append([name, "exact SVM", *exact])
    certified = [
        f"{names[row.key]}: between {row.values['optimum at least']:.5g} and "
        f"{row.values['optimum']:.5g}"
        for row in rows
    ]
    return Table(
        "optimum",
        "Objective and test error against steps",
        [
            Column("problem"),
            Column("learner"),
            Column("objective", digits=4),
            Column("times the optimum", digits=2),
            Column("test error", "%", 2),
            Column("averaged: times the optimum", digits=2),
            Column("averaged: test error", "%", 2),
        ],
        lines,
        "λ/2·‖w‖² plus the mean hinge loss, mean over the classes, one split. The "
        "exact SVM has no bias and C = 1/(λn); its objective is certified: "
        f"{'; '.join(certified)}.",
    )


def _figures(row: Row, name: str) -> list[Block]:
    return [
        Lines(
            f"Objective against steps, {name}",
            "steps",
            "objective",
            _series(row, "objective", 1.0, "optimum"),
            "The level line is the certified optimum.",
            log_x=True,
            log_y=True,
        ),
        Lines(
            f"Test error against steps, {name}",
            "steps",
            "test error, %",
            _series(row, "error", 100.0, "svm error"),
            "The level line is the exact SVM.",
            log_x=True,
        ),
    ]


def _series(row: Row, name: str, factor: float, line: str) -> list[Series]:
    steps = row.values["steps"]
    xs = [float(step["step"]) for step in steps]
    level = factor * float(row.values[line])
    return [
        Series("last hyperplane", xs, [factor * s[name] for s in steps]),
        Series("average", xs, [factor * s[f"averaged {name}"] for s in steps]),
        Series("exact SVM", [xs[0], xs[-1]], [level, level]),
    ]
