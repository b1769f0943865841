"""The search for a scale parameter, from coarse to fine."""

import pytest

from mercer import KernelPerceptron, load_dataset
from mercer.exceptions import ParameterError
from mercer.model_selection import REPORT_003, Stage, coarse_to_fine

digits = load_dataset("digits")
X, y = digits.X[:300] / 16, digits.y[:300]
MODEL = KernelPerceptron(random_state=0, gamma=0.05)


def test_coarse_to_fine():
    found = coarse_to_fine(MODEL, X, y, share=0.5, n_points=(6, 5, 4), cv=3)
    assert [len(stage.stage.values) for stage in found.stages] == [6, 5, 4]
    assert [stage.n_samples for stage in found.stages] == [150, 300, 300]
    coarse, finer, finest = (stage.stage.values for stage in found.stages)
    assert (min(coarse), max(coarse)) == (1e-6, pytest.approx(0.1))
    for wide, stage, narrow in (
        (coarse, found.stages[0], finer),
        (finer, found.stages[1], finest),
    ):
        at = sorted(wide).index(stage.best)
        assert min(narrow) == pytest.approx(sorted(wide)[max(0, at - 1)])
        assert max(narrow) == pytest.approx(sorted(wide)[min(len(wide) - 1, at + 1)])
    assert found.best_value in finest
    assert len(found.trace) == 15
    assert found.trace[0].keys() >= {"stage", "n_samples", "value", "mean_score"}
    assert found.search.predict(X).shape == (300,)
    assert sum(row["best"] for row in found.trace) == 3


def test_the_stages_of_report_003():
    coarse, finer, finest = REPORT_003
    assert coarse.share == 0.1
    assert coarse.values == (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
    assert (finer.values[0], finer.values[-1]) == (0.005, 0.05)
    assert finest.values[:2] == (0.0070, 0.0072)
    assert finest.values[-1] == 0.0090
    found = coarse_to_fine(MODEL, X, y, stages=[Stage((0.01, 0.1), 0.5)], cv=3)
    assert found.best_value in (0.01, 0.1)
    with pytest.raises(ParameterError, match="needs stages"):
        coarse_to_fine(MODEL, X, y, stages=[])
    with pytest.raises(ParameterError, match="share is 2"):
        coarse_to_fine(MODEL, X, y, stages=[Stage((1.0,), 2)])
