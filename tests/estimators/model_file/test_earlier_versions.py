"""Files that Mercer 0.1.0 wrote, of models of every fifth iris."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import mercer

FOLDER = Path(__file__).with_name("earlier")


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.mercer")))
def test_they_answer_as_they_did(name):
    model = mercer.load(FOLDER / f"{name}.mercer")
    X = load_iris().data[2::7].astype(np.float32)
    answer = getattr(model, "decision_function", model.predict)
    with np.load(FOLDER / "answers.npz") as answers:
        expected = answers[name]
    if expected.dtype.kind == "U":
        assert answer(X).tolist() == expected.tolist()
    else:
        np.testing.assert_allclose(answer(X), expected, rtol=1e-6, atol=1e-6)


def test_they_can_be_saved_again(tmp_path):
    model = mercer.load(FOLDER / "svc_ovo.mercer")
    mercer.save(model, tmp_path / "again.mercer")
    again = mercer.load(tmp_path / "again.mercer")
    np.testing.assert_array_equal(again.dual_coef_, model.dual_coef_)
    assert again.dual_coef_.shape == (2, len(model.support_))
