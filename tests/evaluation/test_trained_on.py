"""A model that remembers its training samples is not judged by them in silence."""

import gzip

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file
from typer.testing import CliRunner

import mercer
from mercer.calibration import CalibratedClassifier
from mercer.cli._app import app
from mercer.datasets import Dataset
from mercer.evaluation.trained_on import remember_training, rows_trained_on
from mercer.exceptions import ModelFileError


def run(*arguments):
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, result.stderr
    return result


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A model that `mercer fit` kept: 120 of 150 samples to train on."""
    path = tmp_path_factory.mktemp("kept") / "iris.mercer"
    run("fit", "iris", "-m", "svc", "--seed", 3, "-o", path)
    return path


@pytest.fixture(scope="module")
def held_out(kept):
    """The rows that it was not trained on."""
    found = mercer.evaluate(kept, "iris")
    assert (found.rows, found.n_samples, found.n_trained_on) == ("held-out", 30, 0)
    return found.judged.samples.rows


def test_the_test_error_of_fit_is_found_again(tmp_path):
    for model in ("svc", "knn", "perceptron", "pegasos"):
        path = tmp_path / model
        fitted = run(
            "fit", "digits", "-m", model, "--limit", 1437, "-o", path, "--json"
        )
        said = run("evaluate", path, "digits", "--json")
        assert said.stderr == ""
        for text in ("test_error", "test_wrong"):
            value = fitted.stdout.split(f'"{text}": ')[1].split(",")[0]
            assert f'"{text.removeprefix("test_")}": {value},' in said.stdout


def test_a_random_split_official_rows_and_all(tmp_path, data_folder):
    path = tmp_path / "usps"
    run("fit", "usps", "-m", "knn", "--limit", 500, "--no-train-error", "-o", path)
    usps = mercer.load_dataset("usps")
    found = mercer.evaluate(path, usps)
    assert (found.rows, found.n_samples) == ("test", 2007)
    with pytest.warns(UserWarning, match="on 500 of the 7,291 samples of usps"):
        found = mercer.evaluate(path, usps, rows="train")
    assert found.n_trained_on == 500
    run("fit", "usps", "-m", "knn", "--train-on", "all", "--no-train-error", "-o", path)
    with pytest.warns(UserWarning, match="on 2,007 of the 2,007 samples of usps"):
        mercer.evaluate(path, usps)


def test_the_command_says_it_too(kept):
    result = run("evaluate", kept, "iris", "--rows", "all", "--json")
    assert result.stderr.startswith("note: The model was trained on 120 of the 150 ")
    assert '"n_trained_on": 120' in result.stdout
    result = run("predict", kept, "iris")
    assert result.stderr == ""
    (line,) = (
        line for line in result.stdout.splitlines() if line.startswith("trained")
    )
    found = mercer.evaluate(kept, "iris")
    assert f"120 of these samples; of the others {100 * found.error:.2f} %" in line
    assert "(" + f"{found.wrong} of 30)" in line


def test_all_samples(tmp_path):
    path = tmp_path / "all.mercer"
    run("fit", "iris", "-m", "knn", "--train-on", "all", "-o", path)
    with pytest.warns(UserWarning, match="on 150 of the 150 samples of iris"):
        found = mercer.evaluate(path, "iris")
    assert (found.rows, found.n_samples, found.n_trained_on) == ("all", 150, 150)
    assert "trained on  all 150 of these samples" in run("predict", path, "iris").stdout


def test_what_is_wrapped_around_a_kept_model_knows_it_too(kept, held_out, tmp_path):
    iris, model = mercer.load_dataset("iris"), mercer.load(kept)
    some = held_out[::2]
    calibrated = CalibratedClassifier(model, cv="prefit").fit(
        iris.X[some], iris.y[some]
    )
    mercer.save(calibrated, tmp_path / "calibrated.mercer")
    for wrapped in (calibrated, tmp_path / "calibrated.mercer"):
        found = mercer.evaluate(wrapped, "iris")
        assert (found.rows, found.n_trained_on) == ("held-out", 0)
        assert (found.judged.samples.rows == held_out).all()
        with pytest.warns(UserWarning, match="on 120 of the 150 samples of iris"):
            mercer.evaluate(wrapped, "iris", rows="all")
    again = CalibratedClassifier(model, cv=3).fit(iris.X, iris.y)
    assert not rows_trained_on(again, iris.X).any()


def test_a_search_keeps_it_as_well(tmp_path):
    path = tmp_path / "best.mercer"
    run("search", "iris", "-m", "svc", "-g", "C=1,10", "-o", path)
    assert mercer.evaluate(path, "iris").n_samples == 30


def as_csv(folder, X, y):
    rows = (
        ",".join(map(repr, [*x, label])) for x, label in zip(X.tolist(), y.tolist())
    )
    (folder / "iris.csv").write_text("\n".join(rows) + "\n")
    return folder / "iris.csv"


def as_packed_csv(folder, X, y):
    (folder / "iris.csv.gz").write_bytes(
        gzip.compress(as_csv(folder, X, y).read_bytes())
    )
    return folder / "iris.csv.gz"


def as_svmlight(folder, X, y):
    dump_svmlight_file(X, y, str(folder / "iris.svm"), zero_based=False)
    return folder / "iris.svm"


def as_npz(folder, X, y):
    np.savez(folder / "iris.npz", X=X, y=y)
    return folder / "iris.npz"


def as_data_frame(folder, X, y):
    return pytest.importorskip("pandas").DataFrame(X), y


FORMS = {
    "csv": as_csv,
    "packed": as_packed_csv,
    "svmlight": as_svmlight,
    "npz": as_npz,
    "data frame": as_data_frame,
    "arrays": lambda folder, X, y: (X.copy(), y),
    "Fortran": lambda folder, X, y: (np.asfortranarray(X), y),
    "sparse": lambda folder, X, y: (sparse.csr_matrix(X), y.astype(float)),
    "columns": lambda folder, X, y: (sparse.csc_array(X), y),
    "Dataset": lambda folder, X, y: Dataset.from_arrays(
        X, y, image_shape=None, name="iris", source="", licence=""
    ),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_the_same_samples_in_another_form(kept, held_out, form, tmp_path):
    iris = mercer.load_dataset("iris")
    model = mercer.load(kept)
    data = form(tmp_path, iris.X, iris.y)
    found = mercer.evaluate(model, data)
    assert found.judged.samples.rows.tolist() == held_out.tolist()
    assert found.wrong == np.sum(model.predict(iris.X)[held_out] != iris.y[held_out])
    with pytest.warns(UserWarning, match="on 120 of the 150 samples"):
        mercer.evaluate(model, data, rows="all")


def test_the_training_samples_by_themselves(kept, held_out):
    iris = mercer.load_dataset("iris")
    train = np.setdiff1d(np.arange(150), held_out)
    with pytest.warns(UserWarning, match="on 120 of the 120 samples"):
        mercer.evaluate(kept, (iris.X[train], iris.y[train]))
    # and those that it has not seen, without a word
    mercer.evaluate(kept, (iris.X[held_out], iris.y[held_out]))


def test_other_data_without_a_word(kept):
    iris = mercer.load_dataset("iris")
    for X in (iris.X + 0.01, iris.X[::-1], iris.X[:149], iris.X * 2.0):
        found = mercer.evaluate(kept, (X, iris.y[: len(X)]))
        assert (found.rows, found.n_trained_on) == ("all", 0)


def test_calibration_on_training_samples(kept):
    other = mercer.load_dataset("iris").X + 0.01, mercer.load_dataset("iris").y
    with pytest.warns(UserWarning, match="on 120 of the 150 samples of iris"):
        mercer.evaluate(kept, other, calibrate_on="iris", calibrate_rows="all")
    mercer.evaluate(kept, other, calibrate_on="iris")


def test_a_model_that_is_fitted_again_forgets(kept, held_out):
    iris = mercer.load_dataset("iris")
    for change in (
        lambda model: model.fit(iris.X[held_out], iris.y[held_out]),
        lambda model: model.set_params(C=3.0).fit(iris.X, iris.y),
        lambda model: clone(model).fit(iris.X, iris.y),
    ):
        model = change(mercer.load(kept))
        assert mercer.evaluate(model, "iris").n_samples == 150


def test_it_is_kept_through_files(kept, tmp_path):
    mercer.save(mercer.load(kept), tmp_path / "again")
    assert mercer.evaluate(tmp_path / "again", "iris").n_samples == 30


@pytest.mark.parametrize(
    "record",
    [
        7,
        {},
        {"data": "", "samples": "", "model": "", "rows": None},
        {"data": "", "samples": "", "model": "", "rows": np.zeros(3)},
        {"data": 1, "samples": "", "model": "", "rows": np.zeros(3, np.uint8)},
    ],
)
def test_a_forged_record_is_refused(record, tmp_path):
    iris = mercer.load_dataset("iris")
    model = mercer.KernelKNN().fit(iris.X, iris.y)
    model.trained_on_ = record
    mercer.save(model, tmp_path / "m")
    with pytest.raises(ModelFileError, match="remembers of its training samples is"):
        mercer.evaluate(tmp_path / "m", "iris")


@pytest.mark.parametrize("n_samples", [1, 7, 8, 9, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_any_rows_of_any_number(n_samples, kind):
    rng = np.random.default_rng(n_samples)
    X = kind(rng.integers(0, 3, size=(n_samples, 4)).astype(float))
    rows = rng.choice(n_samples, rng.integers(n_samples + 1), replace=False)
    model = mercer.KernelKNN().fit([[0.0], [1.0]], [0, 1])
    remember_training(model, X, rows)
    seen = rows_trained_on(model, X)
    assert np.flatnonzero(seen).tolist() == sorted(rows.tolist())
