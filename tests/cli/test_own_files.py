"""Files as people have them: words, gaps, other units, no labels."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

import mercer
from cli.console import good, refused
from mercer.cli.serve import load_models
from mercer.exceptions import DataError


def write(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture
def wine(tmp_path):
    data = load_wine()
    names = data.target_names[data.target]
    rows = [[*x, name] for x, name in zip(data.data, names)]
    return write(tmp_path / "wine.csv", [*data.feature_names, "class"], rows)


HEADER = ["name", "age", "sex", "port", "deck", "survived"]


@pytest.fixture
def ship(tmp_path):
    """Women survive but for deck 3, men on deck 3; some ages and ports are missing."""
    random = np.random.default_rng(0)
    rows = []
    for number in range(80):
        sex, deck = random.choice(["male", "female"]), int(random.integers(1, 4))
        age = "" if number % 9 == 4 else round(random.uniform(1, 80), 1)
        port = random.choice(["S", "C", "Q"]) if number % 11 else "NA"
        survived = "yes" if (sex == "female") != (deck == 3) else "no"
        rows.append([f"P{number}", age, sex, port, deck, survived])
    return write(tmp_path / "ship.csv", HEADER, rows)


def result(run, *arguments):
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


# ---------------------------------------------------------------- scaling


def test_features_of_unequal_ranges_are_scaled_and_it_is_said(run, wine, tmp_path):
    scaled = result(run, "fit", wine, "-o", "w.mercer")
    assert scaled["test_error"] < 0.03
    why = "standardised, as the ranges of the features differ by a factor of 2,645"
    assert scaled["preparation"] == why
    assert why in " ".join(good(run("fit", wine)).split())
    plain = result(run, "fit", wine, "--scale", "none")
    assert plain["test_error"] > 0.3
    assert plain["preparation"] is None
    said = result(run, "predict", "w.mercer", wine)
    assert said["model"] == "KernelSVC"
    assert said["wrong"] == scaled["train_wrong"] + scaled["test_wrong"]
    assert said["n_trained_on"] == scaled["n_train"]
    steps = mercer.load(tmp_path / "w.mercer").steps
    assert [type(step).__name__ for _, step in steps] == ["StandardScaler", "KernelSVC"]


def test_features_of_similar_ranges_and_pixels_are_not_scaled(run):
    assert result(run, "fit", "iris", "-m", "knn")["preparation"] is None
    assert result(run, "fit", "digits", "-m", "knn")["preparation"] is None
    forced = result(run, "fit", "iris", "-m", "knn", "--scale", "minmax")
    assert forced["preparation"] == "scaled to 0 to 1"


def test_a_search_scales_within_its_folds(run, wine, tmp_path):
    grid = ("-g", "C=1..10:2", "-g", "gamma=0.01,0.1", "--cv", 3)
    found = result(run, "search", wine, "-m", "svc", *grid, "-o", "best.mercer")
    assert set(found["best_params"]) == {"C", "gamma"}
    assert found["best_score"] > 0.95
    assert "standardised" in found["preparation"]
    assert len(mercer.load(tmp_path / "best.mercer").steps) == 2
    words = ("--per-class takes samples as they are", "--scale none")
    refused(run("search", wine, "-m", "svc", *grid, "--per-class"), *words)


def test_sparse_samples_keep_their_zeros(run, tmp_path):
    path = tmp_path / "s.svm"
    path.write_text("".join(f"{i % 2} {1 + i % 2}:1 9:{1000 * i}\n" for i in range(20)))
    options = ("-m", "knn", "--kernel", "rbf")
    said = result(run, "fit", path, *options)["preparation"]
    assert said.startswith("divided by the largest values, as the ranges")
    refused(
        run("fit", path, *options, "--scale", "minmax"), "--scale minmax would fill"
    )
    refused(run("fit", path, *options, "--scale", "big"), "--scale is 'big'", "minmax")


# ---------------------------------------------------------------- words and gaps


def test_words_and_gaps_are_steps_of_the_model(run, ship, tmp_path):
    options = ("--drop", "name", "--missing", "median", "--categorical", "deck")
    fitted = result(run, "fit", ship, *options, "-o", "s.mercer")
    assert fitted["n_features"] == 4
    start = "missing values: median; 3 features of words as 0 and 1; standardised"
    assert fitted["preparation"].startswith(start)
    assert fitted["test_error"] < 0.1
    said = result(run, "predict", "s.mercer", ship, "--drop", "name")
    assert said["wrong"] == fitted["train_wrong"] + fitted["test_wrong"]
    assert said["n_trained_on"] == fitted["n_train"]
    judged = result(run, "evaluate", "s.mercer", ship, "--drop", "name")
    assert judged["n_samples"] == fitted["n_test"]
    assert judged["model"] == "KernelSVC"


def test_rows_with_gaps_can_be_left_out(run, ship, tmp_path):
    options = ("--drop", "name", "--missing", "drop-rows")
    done = run("fit", ship, *options, "-o", "s.mercer", "--json")
    assert "80 samples lack a value and were left out" in done.stderr
    n_whole = json.loads(done.stdout)["n_samples"]
    assert n_whole == 80 - 9 - 8 + 1  # number 22 lacks both
    refused(run("predict", "s.mercer", ship, "--drop", "name"), "has no value")
    done = run("predict", "s.mercer", ship, *options, "-o", "p.csv")
    assert done.exit_code == 0, done.stderr
    with open("p.csv", newline="") as file:
        rows = [int(row["row"]) for row in csv.DictReader(file)]
    assert len(rows) == n_whole
    assert rows[-1] == 79
    assert not {0, 4, 11, 13, 22} & set(rows)


def test_words_the_model_has_never_seen(run, ship, tmp_path):
    options = ("--drop", "name", "--missing", "mean")
    result(run, "fit", ship, *options, "-m", "knn", "-o", "s.mercer")
    other = tmp_path / "other.csv"
    other.write_text(ship.read_text().replace(",Q,", ",Genua,"))
    done = run("predict", "s.mercer", other, "--drop", "name")
    assert done.exit_code == 0
    assert (
        "Feature 3 holds words that the model has never seen ('Genua')" in done.stderr
    )


def test_what_is_refused_of_words_and_gaps(run, ship, tmp_path):
    refused(run("fit", ship), "has no value", "--missing drop-rows")
    refused(
        run("fit", ship, "--missing", "mean"),
        "column 1 (name) holds 80 different words in 80 rows",
        "--drop name",
        "--categorical name",
    )
    refused(run("fit", ship, "--missing", "guess"), "missing is 'guess'", "median")
    options = ("--drop", "name", "--missing", "mean")
    refused(run("fit", ship, *options, "--categorical", "x"), "no column 'x'")
    refused(
        run("fit", ship, *options, "--categorical", "survived"), "holds the labels or"
    )
    slip = tmp_path / "slip.csv"
    slip.write_text("a,b,class\n1,2,x\n1,two,y\n3,4,x\n")
    refused(run("fit", slip), "line 3, column 2, is 'two', and others", "--categorical")


# -------------------------------------------------- no labels, other units


def test_files_without_labels(run, wine, tmp_path):
    result(run, "fit", wine, "-o", "w.mercer")
    lines = wine.read_text().splitlines()
    new = tmp_path / "new.csv"
    new.write_text("\n".join(line.rpartition(",")[0] for line in lines) + "\n")
    text = good(run("predict", "w.mercer", new, "--label", "none", "-o", "p.csv"))
    assert "error" not in text
    said = (tmp_path / "p.csv").read_text().splitlines()
    assert said[:2] == ["row,prediction", "0,class_0"]
    assert len(said) == 179
    found = result(run, "predict", "w.mercer", new, "--label", "none")
    assert found["n_samples"] == 178
    assert found["wrong"] is None
    hint = "--label none"
    refused(run("predict", "w.mercer", new, "--label", "last"), hint)
    refused(run("fit", new, "--label", "none"), "--label none is for predict")
    refused(run("evaluate", "w.mercer", new, "--label", "none"), "nothing to judge")


def test_one_column_without_labels(run, tmp_path):
    train, new = tmp_path / "train.csv", tmp_path / "new.csv"
    train.write_text("x,label\n" + "1,a\n9,b\n" * 5)
    new.write_text("x\n8\n2\n")
    options = ("--kernel", "rbf", "--train-on", "all")
    good(run("fit", train, "-m", "knn", *options, "-o", "m"))
    good(run("predict", "m", new, "--label", "none", "-o", "p.csv"))
    assert (tmp_path / "p.csv").read_text() == "row,prediction\n0,b\n1,a\n"


@pytest.mark.parametrize("factor", [1 / 16, 16])
def test_samples_in_other_units_are_remarked_upon(run, tmp_path, factor):
    digits = mercer.load_dataset("digits")
    np.savez(tmp_path / "other.npz", X=digits.X[:99] * factor, y=digits.y[:99])
    np.savez(tmp_path / "same.npz", X=digits.X[:99], y=digits.y[:99])
    good(run("fit", "digits", "-m", "knn", "--limit", 300, "-o", "d.mercer"))
    done = run("predict", "d.mercer", "other.npz")
    high = f"{16 * factor:g}"
    remark = (
        f"values from 0 to {high}, and the model was trained on values from 0 to 16"
    )
    assert remark in done.stderr
    good(run("predict", "d.mercer", "same.npz"))
    # a model from Python knows its support vectors
    model = mercer.KernelSVC().fit(digits.X[:300], digits.y[:300])
    with pytest.warns(UserWarning, match="are they in the same units"):
        mercer.evaluate(model, (digits.X[300:400] * factor, digits.y[300:400]))


# ---------------------------------------------------------------- what is easily done


def test_data_with_words_and_gaps_are_shown(run, ship, tmp_path):
    shown = good(run("data", "show", ship, "--missing", "keep", "--drop", "name"))
    assert "Picture: out/ship.csv.png" in shown
    rows = [[1.5, "", "x"], [2, 3, "y"]]
    gaps = write(tmp_path / "gaps.csv", ["a", "b", "kind"], rows)
    assert "Picture:" in good(run("data", "show", gaps, "--missing", "median"))


@pytest.fixture
def sailor(run, ship):
    good(run("fit", ship, "--missing", "median", "--drop", "name", "-o", "s.mercer"))
    return "s.mercer"


def test_a_column_that_was_dropped_is_dropped_again(run, ship, sailor):
    """The number of columns is told before what stands in them."""
    wide = "line 2 has 5 values beside the label where 4 features are expected"
    refused(run("predict", sailor, ship), wide, "leave columns out", "(--drop)")


def test_a_file_without_labels_is_told_by_its_width(run, ship, sailor, tmp_path):
    rows = list(csv.reader(ship.read_text().splitlines()))
    new = write(tmp_path / "new.csv", rows[0][1:4], [row[1:4] for row in rows[1:]])
    refused(run("predict", sailor, new), "2 values beside the label where 4 features")
    deck_first = [[row[4], *row[1:4]] for row in rows]
    new = write(tmp_path / "new.csv", deck_first[0], deck_first[1:])
    refused(run("predict", sailor, new), "without labels", "(--label none)")


def test_a_model_of_words_asked_about_named_data(run, sailor):
    wide = "digits has 64 features and the model was trained on 4"
    refused(run("predict", sailor, "digits"), wide)


def test_words_go_into_onnx_unless_missing_ones_are_filled_in(run, ship, sailor):
    words = "fills in missing words (feature 2, such as 'female')"
    refused(run("export", sailor, "-o", "s.onnx"), words, "--missing drop-rows")
    told = ("--drop", "name", "--missing", "drop-rows", "-o", "w.mercer")
    assert run("fit", ship, *told).exit_code == 0
    full = Path("full.csv")
    rows = [row for row in ship.read_text().splitlines() if ",," not in row]
    full.write_text("\n".join(row for row in rows if ",NA," not in row))
    for kind in ("float32", "float64"):
        told = ("--dtype", kind, "--check", full, "--drop", "name")
        said = result(run, "export", "w.mercer", "-o", "w.onnx", *told)
        assert (said["labels_differing"], said["dtype"]) == (0, kind)
        assert said["n_samples"] == 64
        assert said["scores_differing"] < 1e-5


def test_a_model_of_words_is_served_with_the_names_of_its_columns(sailor):
    (served,) = load_models([Path(sailor)])
    assert served.describe()["feature_names"] == ["age", "sex", "port", "deck"]
    assert served.describe()["words"] == {"1": ["female", "male"], "2": ["C", "Q", "S"]}


def test_nothing_is_written_over_what_is_read(run, ship, sailor):
    before = ship.read_bytes(), Path(sailor).read_bytes()
    told = ["--drop", "name", "--missing", "median", "-o", ship]
    refused(run("fit", ship, *told), "would be written over")
    refused(run("search", ship, "-m", "svc", "-g", "C=1", *told), "another name")
    refused(run("study", "run", "compare", "--data", ship, *told), "another name")
    refused(run("predict", sailor, ship, "--drop", "name", "-o", ship), "another name")
    refused(run("export", sailor, "-o", sailor), "which is read here")
    assert (ship.read_bytes(), Path(sailor).read_bytes()) == before


def test_a_model_of_texts_is_asked_from_python(run, tmp_path):
    texts = ["good film", "fine book", "bad film", "poor book"]
    model = make_pipeline(TfidfVectorizer(), mercer.KernelSVC(kernel="linear"))
    mercer.save(model.fit(texts, ["+", "+", "-", "-"]), tmp_path / "t.mercer")
    for command in ("predict", "evaluate", "explain"):
        refused(run(command, "t.mercer", "digits"), "takes texts", "mercer.load(FILE)")
    refused(run("export", "t.mercer", "-o", "t.onnx"), "takes texts")
    with pytest.raises(DataError, match="takes texts"):
        load_models([tmp_path / "t.mercer"])


def test_gaps_are_not_kept_for_a_learner(run, ship):
    kept = run("fit", ship, "--drop", "name", "--missing", "keep")
    refused(kept, "--missing keep is for looking at data", "median")


def test_a_look_at_data_counts_gaps(run, tmp_path):
    (tmp_path / "own.csv").write_text(
        "colour,size,class\nred,3,a\n,4,b\nblue,,a\nred,1,b\n"
    )
    result = run("data", "show", "own.csv")
    assert result.exit_code == 0
    assert "gaps      1 in colour, 1 in size" in result.output
    assert run("data", "show", "own.csv", "--missing", "error").exit_code == 2
    assert "gaps" not in run("data", "show", "iris", "--no-picture").output


def test_a_model_is_written_over_nothing_but_a_model(run, tmp_path):
    (tmp_path / "notes.txt").write_text("not to be lost")
    for command in (["fit", "iris"], ["search", "iris"]):
        result = run(*command, "--output", "notes.txt")
        assert result.exit_code == 2
        assert "holds no model" in result.output
        assert (tmp_path / "notes.txt").read_text() == "not to be lost"
    assert run("fit", "iris", "-o", "m.mercer").exit_code == 0
    assert run("fit", "iris", "-m", "knn", "-o", "m.mercer").exit_code == 0


def test_a_search_needs_nothing_but_data(run):
    result = run("search", "iris", "--json")
    assert result.exit_code == 0
    assert run("search", "iris", "-m", "knn").exit_code == 0
    assert "--grid NAME=VALUES" in run("search", "iris", "-m", "winnow").output
