"""`mercer.evaluate`: the numbers as attributes, and everything it takes."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import mercer
from mercer.calibration import ScoreCalibrator
from mercer.exceptions import DataError, MercerError, ParameterError
from mercer.metrics import actual_dcf, cllr, min_dcf, normalized_bayes_cost


@pytest.fixture(scope="module")
def two():
    """Samples of two classes that overlap: 300 to train on, 300 to test, 300 more."""
    rng = np.random.default_rng(0)
    y = np.arange(900) % 2
    X = rng.normal(size=(900, 3)) + 1.5 * y[:, None]
    names = np.where(y == 1, "sick", "healthy")
    parts = (slice(0, 300), slice(300, 600), slice(600, 900))
    return [(X[part], names[part]) for part in parts]


@pytest.fixture(scope="module")
def digits():
    data = mercer.load_dataset("digits")
    model = mercer.KernelPerceptron(random_state=0).fit(data.X[:500], data.y[:500])
    return model, data


@pytest.mark.parametrize(
    "model",
    [
        mercer.KernelSVC(kernel="linear"),
        SVC(),
        GaussianNB(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_two_classes_in_numbers(two, model):
    (X, y), test, _ = two
    model.fit(X, y)
    found = mercer.evaluate(model, test, prior=0.1, cost_miss=2.0)
    if hasattr(model, "decision_function"):
        scores = model.decision_function(test[0])
    else:
        log_proba = model.predict_log_proba(test[0])
        scores = log_proba[:, 1] - log_proba[:, 0]
    assert found.error == np.mean(model.predict(test[0]) != test[1])
    assert found.confusion.sum() - np.trace(found.confusion) == found.wrong
    assert (found.positive, found.n_positive) == ("sick", 150)
    assert found.min_dcf == pytest.approx(min_dcf(test[1], scores, 0.1, 2.0))
    assert found.actual_dcf == pytest.approx(actual_dcf(test[1], scores, 0.1, 2.0))
    assert found.scores[0].cllr == pytest.approx(cllr(test[1], scores))
    assert [one.prior for one in found.scores[0].applications] == [0.1, 0.5]
    assert found.calibrated is None


def test_calibration_by_folds_and_on_other_data(two):
    (X, y), test, valid = two
    model = mercer.KernelSVC(kernel="linear").fit(X, y)
    raw, held_out = (model.decision_function(part[0]) for part in (test, valid))
    found = mercer.evaluate(model, test, prior=0.2, calibrate_on=valid)
    calibrator = ScoreCalibrator(prior=0.2).fit(held_out, valid[1])
    expected = cllr(test[1], calibrator.transform(raw))
    assert found.calibrated.cllr == pytest.approx(expected)
    found = mercer.evaluate(model, test, calibrate=True, folds=3, method="pav")
    calibrator = ScoreCalibrator("pav", cv=3, random_state=0)
    expected = cllr(test[1], calibrator.fit_transform(raw, test[1]))
    assert found.calibrated.cllr == pytest.approx(expected)
    assert found.calibrated.name == "calibrated, 3 folds"


def test_several_classes(digits):
    model, data = digits
    costs = 1.0 - np.eye(10)
    costs[8] *= 20.0
    predicted = model.predict(data.X)
    found = mercer.evaluate(model, "digits", costs=costs, calibrate=True)
    assert found.wrong == np.sum(predicted != data.y)
    expected = normalized_bayes_cost(data.y, predicted, costs)
    assert found.bayes_cost == pytest.approx(expected)
    assert found.calibrated.bayes_cost < expected
    for k, one in enumerate(found.per_class):
        assert (one.name, one.n_samples) == (str(k), np.sum(data.y == k))
        assert one.wrong == one.n_samples - found.confusion[k, k]
    true, said, n = found.confusions[0]
    assert n == found.confusion[int(true), int(said)]
    off_diagonal = found.confusion - np.diag(np.diag(found.confusion))
    assert n == off_diagonal.max()


def test_data_in_every_form_give_the_same(digits, tmp_path):
    model, data = digits
    expected = mercer.evaluate(model, "digits").to_dict()
    mercer.save(model, tmp_path / "m")
    cases = [
        (model, data),
        (str(tmp_path / "m"), "digits"),
        (tmp_path / "m", (data.X, data.y)),
        (model, (data.X.tolist(), data.y.astype(str).astype(object).tolist())),
        (model, (csr_matrix(data.X), data.y.astype(float))),
    ]
    for form, samples in cases:
        found = mercer.evaluate(form, samples).to_dict()
        for result in (found, expected):
            result["predict_seconds"] = 0.0
        assert found | {"data": "digits"} == expected


def test_data_frames_keep_their_columns(two):
    pandas = pytest.importorskip("pandas")
    (X, y), (X_test, y_test), _ = two
    frame, test = (pandas.DataFrame(part, columns=list("abc")) for part in (X, X_test))
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
    found = mercer.evaluate(model, (test, pandas.Series(y_test)))
    assert found.wrong == np.sum(model.predict(test) != y_test)


def test_kernel_values_from_python(two):
    (X, y), (X_test, y_test), _ = two
    model = mercer.KernelSVC(kernel="precomputed").fit(X @ X.T, y)
    plain = mercer.KernelSVC(kernel="linear").fit(X, y)
    found = mercer.evaluate(model, (X_test @ X.T, y_test))
    assert found.wrong == mercer.evaluate(plain, (X_test, y_test)).wrong


def test_parts_of_an_official_split(data_folder):
    usps = mercer.load_dataset("usps")
    model = mercer.KernelKNN().fit(usps.X[:300], usps.y[:300])
    found = mercer.evaluate(model, usps)
    assert (found.rows, found.n_samples) == ("test", 2007)
    assert found.hardest(1)[0].index >= 7291
    assert mercer.evaluate(model, usps, rows="train").n_samples == 7291


def test_the_hardest_samples_are_the_surest_mistakes(digits):
    model, data = digits
    found = mercer.evaluate(model, "digits").hardest(3)
    scores, predicted = model.decision_function(data.X), model.predict(data.X)
    every = np.arange(len(data.y))
    depth = scores[every, predicted] - scores[every, data.y]
    deepest = np.argsort(-depth, kind="stable")[:3]
    assert [sample.index for sample in found] == deepest.tolist()
    truth = data.y[deepest].astype(str).tolist()
    assert [sample.true_label for sample in found] == truth
    for sample, row in zip(found, deepest):
        np.testing.assert_array_equal(sample.image, data.X[row].reshape(8, 8))


def test_models_without_a_score_for_each_class(digits):
    _, data = digits
    arrays = (data.X[500:], data.y[500:])
    model = SVC(decision_function_shape="ovo").fit(data.X[:100], data.y[:100])
    hardest = mercer.evaluate(model, arrays).hardest(2)
    wrong = np.flatnonzero(model.predict(arrays[0]) != arrays[1])
    assert [sample.index for sample in hardest] == wrong[:2].tolist()
    perfect = mercer.KernelKNN().fit(*arrays)
    assert mercer.evaluate(perfect, arrays).hardest() == []


def test_numbers_and_words_are_the_same_labels(two):
    (X, _), (X_test, _), _ = two
    numbers, words = np.arange(300) % 2 * 8 + 2, np.tile(["2", "10"], 150)
    model = mercer.KernelSVC(kernel="linear").fit(X, numbers)
    expected = mercer.evaluate(model, (X_test, numbers))
    found = mercer.evaluate(model, (X_test, words), positive=10)
    assert (found.wrong, found.positive) == (expected.wrong, "10")
    assert found.actual_dcf == expected.actual_dcf


def test_the_summary_in_full(two):
    (X, y), test, _ = two
    found = mercer.evaluate(mercer.KernelKNN(5).fit(X, y), test, prior=0.1)
    first, second = found.scores[0].applications
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines[:6]] == (
        ["model", "data", "positive", "scores", "error", "time"]
    )
    assert lines[0] == "model     KernelKNN"
    assert lines[1] == "data      (X, y): 300 samples"
    assert lines[2] == "positive  sick (150 of 300 samples)"
    assert lines[3] == "scores    from predict_proba"
    assert (
        lines[4] == f"error     {100 * found.error:.2f} % wrong ({found.wrong} of 300)"
    )
    assert lines[7].split() == ["raw"]
    assert lines[8] == f"π = 0.1      minDCF         {first.min_dcf:.4f}"
    assert lines[11].split()[:2] == ["false", "alarms"]
    assert lines[12] == f"π = 0.5      minDCF         {second.min_dcf:.4f}"
    assert lines[-1].endswith("no log-likelihood ratios: try `calibrate`.")


def test_the_summary_of_many_classes():
    y = np.repeat(np.arange(40), 3)
    X = y[:, None] + np.tile([0.0, 0.1, 3.3], 40)[:, None]
    found = mercer.evaluate(mercer.KernelKNN(3, kernel="rbf").fit(X, y), (X, y))
    text = found.summary()
    assert text.splitlines()[-1] == "the 30 worst of 40 classes"
    header = next(line for line in text.splitlines() if line.startswith("class"))
    assert header.split() == ["class", "samples", "wrong", "error", "taken", "for"]


def test_plain_data_hold_what_the_attributes_hold(two, digits):
    (X, y), test, valid = two
    model = mercer.KernelSVC(kernel="linear").fit(X, y)
    found = mercer.evaluate(model, test, calibrate_on=valid)
    said = json.loads(json.dumps(found.to_dict()))
    assert said["scores"][0]["applications"][0]["min_dcf"] == found.min_dcf
    assert said["scores"][1]["cllr"] == found.calibrated.cllr
    assert said["scores"][1]["scores"] == "calibrated"
    assert "judged" not in said
    found = mercer.evaluate(*digits)
    said = json.loads(json.dumps(found.to_dict()))
    assert said["per_class"][3]["class"] == "3"
    assert said["confusions"][0] == list(found.confusions[0])


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prior": 0}, "`prior` is 0; it must lie strictly between 0 and 1"),
        ({"prior": "half"}, "`prior` is 'half'"),
        ({"cost_miss": -1}, "`cost_miss` is -1; it must be above 0"),
        ({"cost_false_alarm": np.inf}, "`cost_false_alarm` is inf"),
        ({"positive": "ill"}, "`positive` is 'ill', but the classes are healthy"),
        ({"costs": np.eye(2)}, "`costs` is for several classes"),
        ({"folds": 3}, "`folds` goes with `calibrate`"),
        ({"method": "pav"}, "`method` goes with `calibrate`"),
        ({"calibrate": True, "method": "platt"}, "use logistic or pav"),
        ({"calibrate": True, "folds": 1}, "`folds` is 1; there must be 2"),
        ({"calibrate": True, "folds": 2.5}, "`folds` is 2.5; there must be 2"),
        ({"calibrate": True, "folds": 151}, "the smaller class has 150 samples"),
        ({"calibrate_rows": "train"}, "`calibrate_rows` goes with `calibrate_on`"),
        ({"rows": "test"}, r"\(X, y\) has no official split"),
        ({"rows": "some"}, "`rows` is 'some'"),
    ],
)
def test_parameters_that_cannot_be(two, options, words):
    (X, y), test, _ = two
    model = mercer.KernelKNN().fit(X, y)
    with pytest.raises(ParameterError, match=words):
        mercer.evaluate(model, test, **options)


def test_samples_that_are_evaluated_do_not_calibrate(two, digits):
    (X, y), test, _ = two
    model = mercer.KernelKNN().fit(X, y)
    copy = (test[0].copy(), test[1])
    for other in (test, copy):
        with pytest.raises(ParameterError, match="samples that are evaluated"):
            mercer.evaluate(model, test, calibrate_on=other)
    with pytest.raises(ParameterError, match="`calibrate_on` digits would"):
        mercer.evaluate(*digits, calibrate_on="digits")


def test_several_classes_refuse_what_is_for_two(digits):
    with pytest.raises(ParameterError, match="`prior` is for two classes"):
        mercer.evaluate(*digits, prior=0.1)
    with pytest.raises(ParameterError, match="`method` pav is for two classes"):
        mercer.evaluate(*digits, calibrate=True, method="pav")
    with pytest.raises(ParameterError, match="it must be 10 x 10"):
        mercer.evaluate(*digits, costs=np.ones((3, 3)))
    with pytest.raises(ParameterError, match="the smallest class has 174 samples"):
        mercer.evaluate(*digits, calibrate=True, folds=200)


def test_data_that_do_not_go_with_the_model(two):
    (X, y), (X_test, y_test), _ = two
    model = mercer.KernelKNN().fit(X, y)
    cases = {
        "which the model has never seen; it knows": (X_test, y_test + "er"),
        "only the class healthy": (X_test[::2], y_test[::2]),
        "2 features and the model was trained on 3": (X_test[:, :2], y_test),
        "X has 300 rows and y has 299": (X_test, y_test[1:]),
        "y has the shape": (X_test, np.c_[y_test, y_test]),
        r"y has the shape \(0,\)": (X_test[:0], y_test[:0]),
        "a tuple of 3": (X_test, y_test, y_test),
        "digits has 64 features": "digits",
    }
    for words, data in cases.items():
        with pytest.raises(DataError, match=words):
            mercer.evaluate(model, data)


def test_models_that_decide_nothing(two):
    (X, _), test, _ = two
    cases = {
        "The model is a ScoreCalibrator, which takes scores": ScoreCalibrator(),
        "The model is a KernelSVC without classes": mercer.KernelSVC(),
        "The model is a SVR without classes": SVR().fit(X, X[:, 0]),
    }
    for words, model in cases.items():
        with pytest.raises(DataError, match=words):
            mercer.evaluate(model, test)
    with pytest.raises(MercerError, match="there is no such file"):
        mercer.evaluate("nowhere.mercer", test)


def test_a_model_without_any_scores(two):
    class Silent(NearestCentroid):
        decision_function = predict_proba = predict_log_proba = property()

    (X, y), test, _ = two
    with pytest.raises(ParameterError, match="neither decision_function nor"):
        mercer.evaluate(Silent().fit(X, y), test)
