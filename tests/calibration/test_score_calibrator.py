import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit

from mercer.calibration import ScoreCalibrator
from mercer.exceptions import DataError, ParameterError

S, Y = np.array([-1.0, 0.3, 0.2, 1.0, 2.0, -3.0]), np.array([0, 0, 1, 1, 1, 0])


@pytest.mark.parametrize("method", ["logistic", "pav"])
def test_cross_calibration_never_sees_the_score_itself(method):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = rng.normal(size=60) + y
    folds = KFold(4)
    calibrator = ScoreCalibrator(method, cv=folds)
    llr = calibrator.fit_transform(scores, y)
    for train, test in folds.split(scores):
        part = ScoreCalibrator(method).fit(scores[train], y[train])
        np.testing.assert_array_equal(llr[test], part.transform(scores[test]))
    np.testing.assert_array_equal(llr, calibrator.cross_calibrated_)
    whole = ScoreCalibrator(method).fit(scores, y).transform(scores)
    np.testing.assert_array_equal(calibrator.transform(scores), whole)


def test_a_number_of_folds_is_shuffled_and_repeatable():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=60)
    y = np.arange(60) % 2
    first, second = (
        ScoreCalibrator(cv=5, random_state=1).fit_transform(scores, y) for _ in "ab"
    )
    np.testing.assert_array_equal(first, second)


def test_output_has_as_many_dimensions_as_input():
    calibrator = ScoreCalibrator(cv=2, random_state=0)
    assert calibrator.fit_transform(S, Y).shape == (6,)
    assert calibrator.fit_transform(S[:, None], Y).shape == (6, 1)
    assert calibrator.transform(S.tolist()).shape == (6,)
    assert calibrator.transform(S[:, None]).shape == (6, 1)


def test_labels_of_any_kind_and_float32_scores():
    numbers = ScoreCalibrator().fit_transform(S, Y)
    names = np.array(["no", "yes"])[Y]
    single = ScoreCalibrator().fit_transform(S.astype(np.float32), names)
    np.testing.assert_allclose(single, numbers, rtol=1e-5)


@pytest.mark.parametrize("method", ["logistic", "pav"])
def test_input_and_parameters_are_left_alone(method):
    scores, y = S.copy(), Y.copy()
    calibrator = ScoreCalibrator(method, cv=2)
    before = calibrator.get_params()
    calibrator.fit_transform(scores, y)
    np.testing.assert_array_equal(scores, S)
    np.testing.assert_array_equal(y, Y)
    assert calibrator.get_params() == before == clone(calibrator).get_params()


def says(error, text, calibrator, scores=S, y=Y):
    with pytest.raises(error) as caught:
        calibrator.fit(scores, y)
    assert text in str(caught.value), caught.value
    assert str(caught.value).endswith(".")


def test_bad_input_is_told_in_a_sentence():
    plain = ScoreCalibrator()
    says(DataError, "1 class", plain, y=np.ones(6))
    says(DataError, "3 class", plain, y=[0, 1, 2, 0, 1, 2])
    says(DataError, "NaN in row 1", plain, [0, np.nan, 1, 2, 3, 4])
    says(DataError, "infinite value (inf) in row 0", plain, [np.inf, 0, 1, 2, 3, 4])
    says(DataError, "scores has 6 rows and y has 5", plain, y=Y[:5])
    says(ParameterError, "between 0 and 1", ScoreCalibrator(prior=1.0))
    says(ParameterError, "method is 'platt'", ScoreCalibrator("platt"))
    says(ParameterError, "ridge must be", ScoreCalibrator(ridge=0.0))
    says(ParameterError, "at least 2 folds", ScoreCalibrator(cv=1))
    says(DataError, "only 3 samples", ScoreCalibrator(cv=4))
    says(DataError, "one column", ScoreCalibrator("pav"), np.c_[S, S])
    split = ShuffleSplit(1, test_size=2, random_state=0)
    says(DataError, "leave out row", ScoreCalibrator(cv=split))
    with pytest.raises(DataError, match="NaN in row 0"):
        ScoreCalibrator().fit(S, Y).transform([np.nan])
