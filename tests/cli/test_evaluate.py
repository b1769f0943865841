"""`mercer evaluate`: the numbers, the table, the figures, and what is refused."""

import json
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

import mercer
from cli.console import good, python_path, refused
from mercer.calibration import CalibratedClassifier, ScoreCalibrator
from mercer.metrics import (
    actual_dcf,
    cllr,
    min_cllr,
    min_dcf,
    normalized_bayes_cost,
)


@pytest.fixture
def run(run):
    return partial(run, "evaluate")


def write(path, X, y):
    rows = (",".join([*map(str, x), str(name)]) for x, name in zip(X, y))
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A model of two classes that overlap, and data to judge and to calibrate it."""
    folder = tmp_path_factory.mktemp("two")
    rng = np.random.default_rng(0)
    y = np.arange(900) % 2
    X = (rng.normal(size=(900, 3)) + 1.5 * y[:, None]).round(3)
    names = np.where(y == 1, "sick", "healthy")
    model = mercer.KernelSVC(kernel="linear").fit(X[:300], names[:300])
    mercer.save(model, folder / "two.mercer")
    mercer.save(mercer.KernelKNN(5).fit(X[:300], names[:300]), folder / "knn.mercer")
    write(folder / "test.csv", X[300:600], names[300:600])
    write(folder / "valid.csv", X[600:], names[600:])
    test, valid = model.decision_function(X[300:600]), model.decision_function(X[600:])
    return folder, (names[300:600], test), (names[600:], valid)


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("digits")
    data = mercer.load_dataset("digits")
    model = mercer.KernelPerceptron(random_state=0).fit(data.X[:500], data.y[:500])
    mercer.save(model, folder / "digits.mercer")
    return folder / "digits.mercer", model, data


def test_two_classes_in_numbers(run, two, tmp_path):
    folder, (y, scores), _ = two
    options = ("--prior", 0.1, "--cost-miss", 2, "--json")
    said = json.loads(good(run(folder / "two.mercer", folder / "test.csv", *options)))
    assert (said["positive"], said["n_positive"], said["n_samples"]) == (
        "sick",
        150,
        300,
    )
    assert said["scores_from"] == "decision_function"
    assert said["error"] == pytest.approx(np.mean((scores > 0) != (y == "sick")))
    (raw,) = said["scores"]
    assert raw["cllr"] == pytest.approx(cllr(y, scores))
    assert raw["min_cllr"] == pytest.approx(min_cllr(y, scores))
    assert raw["error_at_0"] == said["error"]
    first, second = raw["applications"]
    assert first["min_dcf"] == pytest.approx(min_dcf(y, scores, 0.1, 2.0))
    assert first["actual_dcf"] == pytest.approx(actual_dcf(y, scores, 0.1, 2.0))
    assert second["min_dcf"] == pytest.approx(min_dcf(y, scores))
    assert second["actual_dcf"] == pytest.approx(
        second["miss_rate"] + second["false_alarm_rate"]
    )
    # figures come with --json only if a folder is given
    assert said["figures"] == []
    assert list(tmp_path.iterdir()) == []


def test_the_table_and_the_figures(run, two, tmp_path):
    folder, (y, scores), _ = two
    arguments = (folder / "two.mercer", folder / "test.csv", "--prior", 0.1)
    text = good(run(*arguments))
    raw = actual_dcf(y, scores, 0.1)
    rows = [line.split() for line in text.splitlines()]
    assert ["π", "=", "0.1", "minDCF", f"{min_dcf(y, scores, 0.1):.4f}"] in rows
    assert ["actDCF", f"{raw:.4f}"] in rows
    assert ["π", "=", "0.5", "minDCF", f"{min_dcf(y, scores):.4f}"] in rows
    assert "try --calibrate" in text
    assert text.endswith(": bayes_error.png, roc.png, det.png\n")
    figures = sorted(path.name for path in tmp_path.glob("out/*/*"))
    assert figures == ["bayes_error.png", "det.png", "roc.png"]
    text = good(run(*arguments, "--calibrate", "-o", "f", "--format", "svg", "--dark"))
    assert "calibrated, 5 folds" in text
    assert f"Calibration takes the cost at π = 0.1 from {raw:.4f} to 0." in text
    assert "#14181d" in (tmp_path / "f" / "roc.svg").read_text()


def test_one_application_is_shown_once(run, two):
    folder, *_ = two
    text = good(run(folder / "two.mercer", folder / "test.csv"))
    assert text.count("minDCF") == 1


@pytest.mark.parametrize("method", ["logistic", "pav"])
def test_calibration_on_other_data_and_by_folds(run, two, method):
    folder, (y, scores), (y_valid, valid) = two
    model, data = folder / "two.mercer", folder / "test.csv"
    options = ("--prior", 0.2, "--method", method, "--json")
    other = ("--calibrate-on", folder / "valid.csv")
    said = json.loads(good(run(model, data, *options, *other)))
    llr = ScoreCalibrator(method, prior=0.2).fit(valid, y_valid).transform(scores)
    assert said["scores"][1]["cllr"] == pytest.approx(cllr(y, llr))
    cost = said["scores"][1]["applications"][0]["actual_dcf"]
    assert cost == pytest.approx(actual_dcf(y, llr, 0.2))
    said = json.loads(good(run(model, data, *options, "--calibrate", "--folds", 3)))
    folds = ScoreCalibrator(method, prior=0.2, cv=3, random_state=0)
    llr = folds.fit_transform(scores, y)
    assert said["scores"][1]["cllr"] == pytest.approx(cllr(y, llr))


def test_the_other_class_as_positive(run, two):
    folder, (y, scores), _ = two
    options = ("--prior", 0.1, "--positive", "healthy", "--json")
    said = json.loads(good(run(folder / "two.mercer", folder / "test.csv", *options)))
    expected = actual_dcf(y, -scores, 0.1, pos_label="healthy")
    cost = said["scores"][0]["applications"][0]["actual_dcf"]
    assert cost == pytest.approx(expected)


def test_models_that_give_other_scores(run, two):
    folder, *_ = two
    said = json.loads(
        good(run(folder / "knn.mercer", folder / "test.csv", "--calibrate", "--json"))
    )
    assert said["scores_from"] == "predict_proba"
    assert said["scores"][0]["error_at_0"] == said["error"]
    assert said["scores"][1]["cllr"] < said["scores"][0]["cllr"]
    data = mercer.load_dataset(folder / "valid.csv")
    model = mercer.load(folder / "two.mercer")
    calibrated = CalibratedClassifier(model, prior=0.1, cv="prefit")
    mercer.save(calibrated.fit(data.X, data.y), "c.mercer")
    said = json.loads(good(run("c.mercer", folder / "test.csv", "--json")))
    assert said["scores_from"] == "log_likelihood_ratio"
    assert said["scores"][0]["error_at_0"] < said["error"]


def test_several_classes(run, digits, tmp_path):
    path, model, data = digits
    text = good(run(path, "digits"))
    wrong = model.predict(data.X) != data.y
    assert f"({wrong.sum()} of 1,797)" in text
    of_eight = wrong[data.y == 8]
    row = next(line for line in text.splitlines() if line.startswith("8 "))
    expected = [*map(str, (8, 174, of_eight.sum())), f"{100 * of_eight.mean():.2f}"]
    assert row.split()[:4] == expected
    assert text.endswith("out/evaluate-digits-digits: confusion.png, hardest.png\n")
    assert len(list(tmp_path.glob("out/*/*.png"))) == 2


def test_costs_of_several_classes(run, digits, tmp_path):
    path, model, data = digits
    costs = 1.0 - np.eye(10)
    costs[8] *= 20.0
    plain, named = tmp_path / "plain.csv", tmp_path / "named.csv"
    plain.write_text("\n".join(",".join(map(str, row)) for row in costs))
    order = np.arange(10)[::-1]
    lines = [",".join([str(i), *map(str, costs[i, order])]) for i in order]
    named.write_text("\n".join([",".join(["true", *map(str, order)]), *lines]))
    expected = normalized_bayes_cost(data.y, model.predict(data.X), costs)
    for file in (plain, named):
        said = json.loads(good(run(path, "digits", "--costs", file, "--json")))
        assert said["bayes_cost"] == pytest.approx(expected)
        assert said["calibrated"] is None
    options = ("--costs", plain, "--calibrate")
    said = json.loads(good(run(path, "digits", *options, "--json")))
    assert said["calibrated"]["bayes_cost"] < expected
    text = good(run(path, "digits", *options))
    assert f"{expected:.4f} normalised Bayes cost, equal priors" in text
    assert f"normalised Bayes cost {said['calibrated']['bayes_cost']:.4f}" in text


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--prior", 0], ["--prior is 0", "between 0 and 1"]),
        (["--prior", 1.5], ["--prior is 1.5"]),
        (["--prior", "nan"], ["--prior is nan"]),
        (["--cost-miss", -1], ["--cost-miss is -1", "above 0"]),
        (["--cost-false-alarm", "inf"], ["--cost-false-alarm is inf"]),
        (["--positive", "ill"], ["'ill'", "healthy and sick"]),
        (["--costs", "x.csv"], ["--costs is for several classes"]),
        (["--folds", 3], ["--folds goes with --calibrate"]),
        (["--method", "pav"], ["--method goes with --calibrate"]),
        (["--calibrate", "--method", "platt"], ["'platt'", "logistic or pav"]),
        (["--calibrate", "--folds", 1], ["--folds is 1"]),
        (["--calibrate", "--folds", 151], ["--folds is 151", "has 150 samples"]),
        (["--calibrate-rows", "train"], ["goes with --calibrate-on"]),
        (["--calibrate-on", "v", "--folds", 3], ["exclude each other"]),
        (["--calibrate-on", "TEST"], ["samples that are evaluated"]),
        (["--rows", "test"], ["no official split"]),
        (["--format", "gif"], ["--format is 'gif'"]),
        (["-o", "MODEL/x"], ["cannot be written"]),
    ],
)
def test_refusals_are_sentences(run, two, options, parts, tmp_path):
    folder, *_ = two
    model, data = folder / "two.mercer", folder / "test.csv"
    words = {"TEST": data, "MODEL/x": model / "x"}
    options = [words.get(option, option) for option in options]
    refused(run(model, data, *options), *parts)
    assert list(tmp_path.iterdir()) == []


def test_data_that_do_not_go_with_the_model(run, two, digits, tmp_path):
    folder, *_ = two
    model = folder / "two.mercer"
    refused(run(model, "digits"), "digits has 64 features", "trained on 3")
    refused(run("none.mercer", "digits"), "there is no such file")
    other, one = tmp_path / "other.csv", tmp_path / "one.csv"
    text = (folder / "test.csv").read_text()
    other.write_text(text.replace("sick", "dead"))
    refused(run(model, other), "the label dead", "it knows healthy, sick")
    one.write_text("1.5,2.5,3.5,sick\n2.5,2.5,2.5,sick\n")
    refused(run(model, one, "--label", "last"), "only the class sick")
    mercer.save(ScoreCalibrator().fit(np.arange(9.0), np.arange(9) % 2), "c.mercer")
    refused(run("c.mercer", "iris"), "takes scores and not samples")
    path, *_ = digits
    refused(run(path, "digits", "--prior", 0.1), "two classes", "knows 10", "--costs")
    pav = ("--calibrate", "--method", "pav")
    refused(run(path, "digits", *pav), "--method pav is for two classes")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("", ["is empty"]),
        ("1,2\n3,4\n", ["not a table of 3 x 3"]),
        ("0,1,1\n1,0,1\n1,x,0\n", ["'x' where a cost should be"]),
        ("0,1,1\n1,0,1\n1,-1,0\n", ["-1.0 in row 2, column 1"]),
        (",0,1,3\n0,0,1,1\n1,1,0,1\n2,1,1,0\n", ["first line", "names 0, 1, 3"]),
        (",0,1,2\n0,0,1,1\n1,1,0,1\n1,1,1,0\n", ["first column", "names 0, 1"]),
        (",0,1,2\n0,0,1\n1,1,0,1\n2,1,1,0\n", ["not a table of 3 x 3"]),
        (b"\xff\xfe\x00", ["not a text file"]),
    ],
)
def test_files_of_costs_that_are_not_sound(run, content, parts, tmp_path):
    iris = mercer.load_dataset("iris")
    mercer.save(mercer.KernelKNN().fit(iris.X, iris.y), "iris.mercer")
    file = tmp_path / "costs.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(run("iris.mercer", "iris", "--costs", file), "costs.csv", *parts)


def test_a_model_that_is_never_wrong_has_no_hardest_images(run):
    data = mercer.load_dataset("digits")
    mercer.save(mercer.KernelKNN().fit(data.X, data.y), "d.mercer")
    text = good(run("d.mercer", "digits"))
    assert text.endswith("digits: confusion.png\n")


def test_help_shows_examples(run):
    assert "mercer evaluate spoof.mercer spoofing --prior 0.1" in good(run("--help"))


def test_a_process_of_its_own_without_matplotlib(two, tmp_path):
    folder, *_ = two
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.modules['matplotlib'] = None\n"
    )
    command = [sys.executable, "-m", "mercer.cli", "evaluate", folder / "two.mercer"]
    result = subprocess.run(
        [*command, folder / "test.csv"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": python_path(tmp_path), "PATH": ""},
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr.startswith("No figures: Drawing figures needs matplotlib")
    assert "minDCF" in result.stdout
    assert "Figures" not in result.stdout
