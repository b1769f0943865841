"""A study in a folder, other learners, other columns, and JSON."""

import json
import sys

import pytest

from cli.console import refused
from mercer.studies import registry
from mercer.studies.compare import study
from studies.test_recipe import README, STUDY

FOREST = "sklearn.ensemble.RandomForestClassifier(n_estimators=[5, 9])"


@pytest.fixture
def folder(tmp_path):
    """The study of the guide in a folder of its own, which no package brings."""
    place = tmp_path / "own_degrees"
    place.mkdir()
    (place / "study.py").write_text(STUDY)
    (place / "README.md").write_text(README)
    yield place
    registry._FOLDERS.clear()
    for name in [name for name in sys.modules if name.startswith("own_degrees")]:
        del sys.modules[name]
    if str(tmp_path) in sys.path:
        sys.path.remove(str(tmp_path))


@pytest.fixture
def short(monkeypatch):
    """Two repeats of a first look."""
    monkeypatch.setattr(study, "_QUICK", {**study._QUICK, "repeats": 2})


def plain(done):
    assert done.exit_code == 0, done.stderr or done.exception
    return json.loads(done.stdout)


def test_a_folder_is_a_study(run, folder, tmp_path):
    found = plain(run("study", "run", "./own_degrees", "--quick", "--json"))
    (only,) = found["runs"]
    assert only["study"] == "degrees"
    assert only["done"] == only["cells"] == 6
    assert only["summary"] == ["Three degrees were compared."]
    assert only["command"] == f"mercer study run {folder} --quick".replace(
        " --quick", " --data digits --quick"
    )
    page = (tmp_path / "out/report.html").read_text("utf-8")
    assert found["report"] == str(tmp_path / "out/report.html")
    assert "<em>seven</em>" in page
    # other processes find it by its folder
    registry._FOLDERS.clear()
    refused(run("study", "report", "degrees"), "There is no study 'degrees'")
    done = run("study", "report", "./own_degrees", "-o", "again.html")
    assert done.exit_code == 0, done.stderr
    assert "<em>seven</em>" in (tmp_path / "again.html").read_text("utf-8")


def test_folders_that_are_no_studies(run, folder, tmp_path):
    run_it = ("study", "run", "--no-report")
    refused(run(*run_it, "./none"), "none is no study: it has no file study.py")
    (folder / "study.py").write_text("import no_such_module\n")
    refused(run(*run_it, "./own_degrees"), "cannot be loaded (ModuleNotFoundError")
    (folder / "study.py").write_text("x = 1\n")
    refused(run(*run_it, "./own_degrees"), "0 subclasses of Study")
    folder.rename(tmp_path / "own-degrees")
    refused(run(*run_it, "./own-degrees"), "letters, digits and underscores")


def test_any_estimator_beside_ours(run, tmp_path, short):
    words = ("study", "run", "compare", "--data", "iris", "--quick", "--json")
    found = plain(run(*words, "--learner", FOREST, "--learner", FOREST + " "))
    (only,) = found["runs"]
    assert only["cells"] == 2 * 8
    assert f"--learner '{FOREST}'" in only["command"]
    page = (tmp_path / "out/report.html").read_text("utf-8")
    assert "RandomForestClassifier(n_estimators=[5, 9])" in page
    rows = json.loads(run("study", "export", "--format", "json").stdout)
    forests = [row for row in rows if row["params"]["learner"] == FOREST]
    assert len(forests) == 2
    assert {row["result"]["chosen"]["n_estimators"] for row in forests} <= {5, 9}
    assert all(row["result"]["test_error"] < 0.2 for row in forests)
    # without it, another run: the same rows, but not those of the forest
    plain(run(*words, "--no-report"))
    status = json.loads(run("study", "status", "--json").stdout)
    assert sorted(plan["cells"] for plan in status) == [14, 16]
    assert all(plan["done"] == plan["cells"] for plan in status)


@pytest.mark.parametrize(
    ("learner", "parts"),
    [
        (
            "sklearn.ensemble.Forest",
            ["cannot be imported", "has no attribute 'Forest'"],
        ),
        ("no_such_package.Forest", ["cannot be imported", "No module named"]),
        ("Forest", ["cannot be imported"]),
        ("os.system", ["is no class"]),
        ("sklearn.linear_model.Ridge", ["is no classifier"]),
        ("sklearn.svm.LinearSVC(D=1)", ["cannot be made", "'D'"]),
        ("sklearn.svm.LinearSVC(E=[1])", ["has no parameter 'E'", "C, class_weight"]),
        ("sklearn.svm.LinearSVC(C=[])", ["C has no values to try"]),
        ("sklearn.svm.LinearSVC(3)", ["import path and parameters"]),
        ("sklearn.svm.LinearSVC(C=print())", ["import path and parameters"]),
        ("1 + 1", ["import path and parameters"]),
    ],
)
def test_learners_that_are_refused(run, learner, parts):
    words = ("study", "run", "compare", "--data", "iris", "--no-report")
    refused(run(*words, "--learner", learner), *parts)


def test_other_studies_have_their_own_learners(run):
    words = ("study", "run", "sample-complexity", "--learner", FOREST, "--no-report")
    refused(run(*words), "sample-complexity has learners of its own")


def test_columns_words_and_gaps_in_a_study(run, tmp_path, short):
    table = tmp_path / "t.csv"
    rows = [(i, "" if i % 7 == 3 else i % 5, "ab"[i % 2], i % 2) for i in range(60)]
    lines = [",".join(map(str, row)) for row in [("id", "x", "word", "label"), *rows]]
    table.write_text("\n".join(lines) + "\n")
    words = ("study", "run", "compare", "--data", "t.csv", "--quick", "--no-report")
    refused(run(*words), "has no value")
    options = ("--drop", "id", "--missing", "mean", "--header")
    (first,) = plain(run(*words, *options, "--json"))["runs"]
    assert first["done"] == first["cells"] == 14
    assert first["command"].endswith("--header --drop id --missing mean --quick")
    assert "0.00" in first["summary"][0]
    # with other columns it is other data, whose rows are other rows
    (second,) = plain(run(*words, *options, "--drop", "word", "--json"))["runs"]
    assert second["run"] != first["run"]
    assert "0.00" not in second["summary"][0]
