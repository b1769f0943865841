"""
A study in forty lines
======================

How many samples does a perceptron need, and how many a machine that maximises the
margin? A study declares its cells and what each of them does. The runner runs those
that the store does not have yet, so that an interrupted study goes on where it was,
and a finished one is read without running anything.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelPerceptron, KernelSVC, load_dataset
from mercer.studies import (
    Cell,
    Outcome,
    Store,
    Study,
    derive_seed,
    grid,
    make_plan,
    run_plan,
    spread_of,
)

MACHINES = {
    "perceptron": KernelPerceptron(variant="averaged", random_state=0),
    "svm": KernelSVC(),
}
SIZES = [25, 50, 100, 200, 400, 800]


class LearningCurve(Study):
    name, title = "learning-curve", "Errors against the number of samples"

    def cells(self, dataset, seed, quick):
        points = grid(machine=list(MACHINES), size=SIZES, repeat=list(range(8)))
        return [Cell(point, derive_seed(seed, point["repeat"])) for point in points]

    def run(self, cell, context):
        data = context.dataset
        order = np.random.default_rng(cell.seed).permutation(len(data.y))
        train, test = order[: cell.params["size"]], order[900:]
        machine = MACHINES[cell.params["machine"]].fit(data.X[train], data.y[train])
        return Outcome({"error": 1 - machine.score(data.X[test], data.y[test])})

    def story(self, rows, facts):
        """Where the report would be told; here a figure does."""


with Store(Path(tempfile.mkdtemp()) / "store.sqlite") as store:
    plan = make_plan(LearningCurve(), load_dataset("digits"))
    run_plan(plan, store)
    rows = store.rows(plan.id)

figure, axis = plt.subplots(figsize=(7, 4.4))
for machine, marker in zip(MACHINES, "os"):
    errors = [
        spread_of(rows, "error", 100, machine=machine, size=size) for size in SIZES
    ]
    means, deviations = zip(*((error.mean, error.std) for error in errors))
    axis.errorbar(SIZES, means, deviations, marker=marker, capsize=3, label=machine)
axis.set(xscale="log", yscale="log", xlabel="training samples", ylabel="mistakes (%)")
axis.set_xticks(SIZES, SIZES, minor=False)
axis.minorticks_off()
axis.legend(frameon=False)
figure.tight_layout()
plt.show()
