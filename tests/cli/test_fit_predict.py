"""`mercer fit` and `mercer predict`: what is printed where, and how it ends."""

import csv
import json
import os
import signal

import numpy as np
import pytest

import mercer
from cli.console import good, refused
from mercer.cli._models import MODELS, build_model
from processes import Command


def lines(text):
    """Names and values of the table that is printed."""
    rows = (line.split(maxsplit=1) for line in text.splitlines() if line.strip())
    return {row[0]: row[1].strip() for row in rows if len(row) == 2}


@pytest.fixture
def flowers(tmp_path):
    iris = mercer.load_dataset("iris")
    names = np.array(["setosa", "versicolor", "virginica"])[iris.y]
    path = tmp_path / "flowers.csv"
    rows = (",".join(map(str, [*x, name])) for x, name in zip(iris.X, names))
    path.write_text("\n".join(rows) + "\n")
    return path


def test_fit_says_what_a_person_wants_to_know(run, tmp_path):
    text = good(
        run("fit", "digits", "-m", "perceptron", "--kernel", "poly", "-o", "d.mercer")
    )
    said = lines(text)
    assert said["data"] == "digits: 1,797 samples, 64 features, 10 classes"
    assert said["split"] == "1,437 to train on, 360 to test on (at random, seed 0)"
    assert said["model"] == "KernelPerceptron(kernel='poly', random_state=0)"
    assert said["kernel"].startswith("Polynomial(degree=3")
    assert said["training"].endswith("of 1,437)")
    assert "% wrong (" in said["test"]
    assert said["support"].endswith("% of the training samples)")
    assert said["time"].endswith("s to predict 360")
    assert said["file"].startswith("d.mercer (")
    assert "Not saved" not in text
    assert [p.name for p in tmp_path.iterdir()] == ["d.mercer"]


def test_without_a_file_it_says_how_to_keep_the_model(run, tmp_path):
    text = good(run("fit", "iris", "-m", "knn", "-k", 3))
    assert text.endswith("Not saved: -o FILE keeps the model.\n")
    assert "support" not in lines(text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [name for name in MODELS if name != "winnow"])
def test_every_model_fits_saves_and_predicts_alike(run, name):
    # images are what virtual samples are made of
    data, count = ("digits", 1797) if name == "virtual-svc" else ("iris", 150)
    fitted = json.loads(good(run("fit", data, "-m", name, "-o", "m", "--json")))
    assert fitted["model"] == MODELS[name]
    assert fitted["test_error"] < 0.2
    assert fitted["file"] == "m"
    assert fitted["file_bytes"] == os.path.getsize("m")
    said = json.loads(good(run("predict", "m", data, "--json")))
    assert said["wrong"] == fitted["train_wrong"] + fitted["test_wrong"]
    assert sum(said["predicted"].values()) == count


def test_winnow(run):
    text = good(run("fit", "just-a-little-bit", "-m", "winnow", "--json"))
    assert json.loads(text)["test_error"] < 0.2


KEYS = (
    "data n_samples n_features n_classes split n_train n_test model preparation "
    "parameters kernel train_wrong train_error test_wrong test_error n_support "
    "fit_seconds predict_seconds certificate gap converged file file_bytes"
)


def test_json_has_the_same_keys_whatever_the_model(run):
    for name in ("knn", "pegasos", "svc"):
        result = json.loads(good(run("fit", "iris", "-m", name, "--json")))
        assert list(result) == KEYS.split()
    assert result["converged"] is True


def test_the_same_command_gives_the_same_model(run):
    arguments = ("fit", "digits", "-m", "pegasos", "--epochs", 0.5, "--json")
    first, second = (json.loads(good(run(*arguments))) for _ in range(2))
    other = json.loads(good(run(*arguments, "--seed", 5)))
    for result in (first, second, other):
        for key in ("fit_seconds", "predict_seconds"):
            assert result.pop(key) > 0
    assert first == second != other


def test_parameters_reach_the_model(run):
    result = json.loads(
        good(
            run(
                *("fit", "iris", "-m", "pegasos", "--kernel", "poly", "--gamma", 0.5),
                *("--degree", 2, "--coef0", 1, "--lam", 0.01, "--epochs", 2),
                *("--multiclass", "ovo", "--set", "average=True", "--seed", 3),
                *("--set", "decision_function_shape=ovo", "--json"),
            )
        )
    )
    expected = {
        "kernel": "poly",
        "gamma": 0.5,
        "degree": 2,
        "coef0": 1.0,
        "lam": 0.01,
        "epochs": 2,
        "multiclass": "ovo",
        "average": True,
        "random_state": 3,
        "decision_function_shape": "ovo",
    }
    assert expected.items() <= result["parameters"].items()
    assert result["kernel"] == "Polynomial(degree=2, offset=1.0, scale=0.5)"


def test_ways_to_split(run):
    def sizes(*options):
        text = good(run("fit", "iris", "-m", "knn", "--json", *options))
        result = json.loads(text)
        return result["n_train"], result["n_test"], result["test_error"] is None

    assert sizes() == (120, 30, False)
    assert sizes("--test-size", 0.5) == (75, 75, False)
    assert sizes("--train-on", "all") == (150, 0, True)
    assert sizes("--test-size", 0) == (150, 0, True)
    assert sizes("--limit", 50) == (50, 30, False)
    assert sizes("--limit", 5000) == (120, 30, False)


def test_the_official_split(run, data_folder, monkeypatch):
    text = good(
        run("fit", "usps", "-m", "knn", "--no-train-error", "-o", "u", "--json")
    )
    result = json.loads(text)
    assert (result["n_train"], result["n_test"]) == (7291, 2007)
    assert result["split"] == "the official split"
    assert result["train_error"] is None
    text = good(run("predict", "u", "usps"))
    assert lines(text)["data"] == "usps: 2,007 samples (test part)"
    assert f"({result['test_wrong']} of 2,007)" in text


def test_a_file_of_words(run, flowers):
    text = good(run("fit", flowers, "--label", "last", "-m", "knn", "-o", "f.mercer"))
    assert lines(text)["data"].endswith("150 samples, 4 features, 3 classes")
    text = good(run("predict", "f.mercer", flowers, "-o", "said.csv"))
    said = lines(text)
    assert said["model"] == "KernelKNN from f.mercer"
    assert said["error"].endswith("of 150)")
    assert said["predicted"].startswith("setosa: 50, versicolor: ")
    assert said["written"] == "said.csv"
    with open("said.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0].values()) == ["0", "setosa", "setosa"]
    wrong = sum(row["prediction"] != row["label"] for row in rows)
    assert said["error"] == f"{wrong / 1.5:.2f} % wrong ({wrong} of 150)"
    assert len(rows) == 150


def test_predictions_are_no_formulas_of_spreadsheets(run, tmp_path):
    path = tmp_path / "formulas.csv"
    path.write_text("x,label\n" + "1,=1+1\n2,@x\n" * 5)
    options = ("--kernel", "rbf", "--train-on", "all", "-o", "m")
    good(run("fit", path, "-m", "knn", *options))
    good(run("predict", "m", path, "-o", "said.csv"))
    assert "0,'=1+1,'=1+1\n1,'@x,'@x\n" in (tmp_path / "said.csv").read_text()


def test_sparse_text_that_ends_before_the_last_feature(run, tmp_path):
    train = tmp_path / "train.svm"
    train.write_text("".join(f"{i % 2} {1 + i % 2}:1 9:{i}\n" for i in range(20)))
    test = tmp_path / "test.svm"
    test.write_text("0 1:1\n1 2:1\n")
    good(run("fit", train, "-m", "knn", "-o", "m"))
    assert "(0 of 2)" in good(run("predict", "m", test))


def test_labels_the_model_has_never_seen(run, flowers, tmp_path):
    good(run("fit", flowers, "-m", "knn", "-o", "m"))
    other = tmp_path / "other.csv"
    text = flowers.read_text().replace("setosa", "rose").replace("virginica", "elm")
    other.write_text(text)
    said = lines(good(run("predict", "m", other)))
    assert said["unknown"] == "the model has never seen the labels elm, rose"
    # iris itself numbers its classes
    assert "(150 of 150)" in good(run("predict", "m", "iris"))


def test_a_memory_budget(run, monkeypatch):
    monkeypatch.delenv("MERCER_MEMORY_BUDGET", raising=False)
    arguments = ("fit", "digits", "-m", "perceptron", "--json")
    plain = json.loads(good(run(*arguments)))
    small = json.loads(good(run(*arguments, "--memory-budget", "1MB")))
    assert small["test_wrong"] == plain["test_wrong"]
    assert "MERCER_MEMORY_BUDGET" not in os.environ
    for budget in ("much", "1", "²", "9" * 20):
        said = f"The --memory-budget '{budget}' is "
        refused(run(*arguments, "--memory-budget", budget), said, "500MB, 2GB or 1.5G")


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["iris", "-m", "percptron"], ["no model 'percptron'", "mean perceptron?"]),
        (["irs", "-m", "knn"], ["no data set 'irs'", "mean iris"]),
        (["none.csv", "-m", "knn"], ["none.csv"]),
        (["iris", "-m", "knn", "--lam", 1], ["KernelKNN has no parameter 'lam'"]),
        (
            ["iris", "-m", "pegasos", "--set", "avrage=True"],
            ["no parameter 'avrage'", "did you mean average?", "n_steps"],
        ),
        (["iris", "-m", "knn", "--set", "kernel"], ["--set takes NAME=VALUE"]),
        (["iris", "-m", "knn", "--kernel", "rbff"], ["kernel is 'rbff'", "'rbf'"]),
        (["iris", "-m", "knn", "-k", 0], ["n_neighbors is 0"]),
        (["iris", "-m", "knn", "-k", 1000], ["n_neighbors is 1000", "only 120"]),
        (["iris", "-m", "pegasos", "--lam", -1], ["lam is -1"]),
        (["iris", "-m", "pegasos", "--epochs", "many"], ["epochs is 'many'"]),
        (["iris", "-m", "svc", "--C", 0], ["C is 0"]),
        (["iris", "-m", "perceptron", "--gamma", "wide"], ["gamma is 'wide'"]),
        (["iris", "-m", "perceptron", "--set", "random_state=x"], ["'x'"]),
        (["iris", "-m", "winnow"], ["Winnow takes features of 0 and 1"]),
        (["iris", "-m", "knn", "--train-on", "none"], ["--train-on is 'none'"]),
        (
            ["iris", "-m", "knn", "--train-on", "all", "--test-size", 0.5],
            ["leaves nothing for --test-size"],
        ),
        (["iris", "-m", "knn", "--test-size", 1], ["leaves nothing to train on"]),
        (["iris", "-m", "knn", "--test-size", 0.99], ["leaves 1 to train on"]),
        (["iris", "-m", "knn", "--test-size", 0.001], ["is 1 of 150 samples"]),
        (["iris", "-m", "knn", "-o", "none/m"], ["cannot be written to none/m"]),
        (["iris", "-m", "knn", "-o", "."], ["cannot be written to ."]),
        (["iris", "-m", "knn", "--kernel", "precomputed"], ["square matrix"]),
    ],
)
def test_fit_refuses_with_a_sentence(run, arguments, parts, tmp_path):
    refused(run("fit", *arguments), *parts)
    assert list(tmp_path.iterdir()) == []


def test_one_class_only(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("x,label\n1,a\n2,a\n3,a\n")
    refused(run("fit", path, "-m", "knn"), "one class only")


def test_predict_refuses_with_a_sentence(run, tmp_path, flowers):
    good(run("fit", "digits", "-m", "knn", "--limit", 100, "-o", "d.mercer"))
    refused(run("predict", "d.mercer", "iris"), "iris has 4 features", "trained on 64")
    refused(run("predict", "d.mercer", flowers), "64 features are expected")
    refused(run("predict", flowers, "iris"), "not a Mercer model file")
    refused(run("predict", "none.mercer", "iris"), "there is no such file")
    refused(run("predict", "d.mercer", "digits", "--rows", "test"), "no official split")
    refused(run("predict", "d.mercer", "digits", "--rows", "x"), "--rows is 'x'")
    refused(run("predict", "d.mercer", "digits", "-o", "no/p.csv"), "No such file")
    before = sorted(p.name for p in tmp_path.iterdir())
    assert before == ["d.mercer", "flowers.csv"]


def test_models_that_cannot_predict_from_samples(run):
    from mercer.calibration import ScoreCalibrator

    iris = mercer.load_dataset("iris")
    K = iris.X @ iris.X.T
    mercer.save(mercer.KernelKNN(kernel="precomputed").fit(K, iris.y), "k.mercer")
    refused(run("predict", "k.mercer", "iris"), "trained on 150")
    calibrator = ScoreCalibrator().fit(np.arange(10.0), np.arange(10) % 2)
    mercer.save(calibrator, "c.mercer")
    refused(run("predict", "c.mercer", "iris"), "a ScoreCalibrator, which takes scores")


def test_warnings_become_notes(run):
    result = run("fit", "digits", "-m", "svc", "--set", "max_iter=3", "--limit", 200)
    assert result.exit_code == 0
    assert result.stderr.startswith("note: KernelSVC ended before tol=0.001")
    assert result.stderr.count("\n") == 1


def test_help_shows_examples(run):
    for command in ("fit", "predict"):
        assert f"mercer {command} usps" in good(run(command, "--help"))


def test_building_models():
    assert build_model("svc", {"C": 2.0, "gamma": None}).C == 2.0
    assert build_model("knn", {}, ["kernel=(1, 2)"]).kernel == (1, 2)


# ---------------------------------------------------------------- real processes


def test_both_commands_in_processes_of_their_own(tmp_path):
    process = Command("fit", "iris", "-m", "knn", "-o", "i", "--json", cwd=tmp_path)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["file"] == "i"
    process = Command("predict", "i", "iris", "-o", "p.csv", "--json", cwd=tmp_path)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["n_samples"] == 150
    assert (tmp_path / "p.csv").read_text().startswith("row,prediction,label\n0,0,0\n")


def test_an_interrupt_ends_with_130_and_leaves_nothing(tmp_path):
    # linear classes that overlap: the perceptron never comes to rest
    options = ["--kernel", "linear", "--epochs", "1000000", "--set", "verbose=1"]
    command = ["fit", "iris", "-m", "perceptron", "-o", "i.mercer", *options]
    process = Command(*command, cwd=tmp_path)
    process.wait_for_line("KernelPerceptron: epoch 1 of 1000000")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_svm_is_kept_as_far_as_it_came(tmp_path):
    # labels by chance and such a C keep the solver busy for minutes
    random = np.random.default_rng(0)
    np.savez(
        tmp_path / "chance.npz", X=random.normal(size=(2000, 3)), y=np.arange(2000) % 2
    )
    options = ["--C", "1e6", "--gamma", "1", "--train-on", "all"]
    settings = ["--set", "verbose=1"]
    command = ["fit", "chance.npz", "-m", "svc", "-o", "s.mercer", *options, *settings]
    process = Command(*command, cwd=tmp_path)
    process.wait_for_line("KernelSVC: problem 1")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "keeps the best model so far" in err
    assert "stopped after" in " ".join(out.split())
    assert mercer.load(tmp_path / "s.mercer").certificate_.total.status == "stopped"
