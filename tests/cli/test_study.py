"""``mercer study`` and ``mercer demo``, as somebody would type them."""

import csv
import io
import json
import os
import signal
import time

import pytest
from typer.testing import CliRunner

from mercer.cli._app import app
from mercer.report.tables import to_csv
from mercer.studies import Row, Store, registry
from mercer.studies.row import Spread
from mercer.studies.story import Column, Table
from processes import Command

POINTS = """[mercer.studies]
tiny = studies.tiny_study:Tiny
endless = studies.tiny_study:Endless
broken = studies.tiny_study:Broken
speechless = studies.tiny_study:Speechless
far = studies.tiny_study:Far
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in, with a package installed that brings studies."""
    info = tmp_path / "site" / "tiny_studies-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-studies\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mercer(*words):
    return CliRunner().invoke(app, words, env={"COLUMNS": "120"})


def start(place, *words):
    return Command(*words, cwd=place, COLUMNS=120)


def test_a_study_that_cannot_tell_its_story_is_reported_all_the_same(place):
    result = mercer("study", "run", "speechless", "tiny", "--quick")
    assert result.exit_code == 0, result.output
    assert "speechless could not tell its story (ZeroDivisionError" in result.output
    assert "• 6 rolls of 3 dice." in result.output
    page = (place / "out" / "report.html").read_text()
    assert "The study speechless could not tell its story" in page
    assert "6 rolls of 3 dice" in page


def test_a_tiny_study_from_end_to_end(place):
    run = start(place, "study", "run", "tiny", "--quick", "--seed", "3")
    out, err = run.communicate(timeout=100)
    assert run.returncode == 0, err
    assert "tiny: 6 of 6 cells, d20: " in err
    assert "• 6 rolls of 3 dice." in out
    report = place / "out" / "report.html"
    assert f"Report: {report}" in out
    assert "mercer study run tiny --quick --seed 3" in report.read_text("utf-8")

    (status,) = json.loads(mercer("study", "status", "--json").stdout)
    assert (status["study"], status["cells"], status["done"]) == ("tiny", 6, 6)
    assert status["command"] == "mercer study run tiny --quick --seed 3"
    assert "tiny (quick)" in mercer("study", "status").stdout

    written = mercer(*("study", "report", "tiny", "-o", "r/p.html", "--tables", "t"))
    assert written.exit_code == 0, written.stderr
    assert (place / "r" / "p.html").exists()
    assert sorted(p.suffix for p in (place / "t").iterdir()) == [".csv", ".md", ".tex"]

    text = mercer("study", "export").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["params.die"] for row in rows] == ["4", "4", "6", "6", "20", "20"]
    assert rows[0]["timing.throw"] == "0.25"
    mercer(*("study", "export", "tiny", "--format", "json", "-o", "rows.json"))
    records = json.loads((place / "rows.json").read_text("utf-8"))
    assert [r["result"]["sides"] for r in records] == [4, 4, 6, 6, 20, 20]
    assert float(rows[0]["result.roll"]) == records[0]["result"]["roll"]


def test_list_shows_studies_of_other_packages(place):
    names = [
        entry["name"] for entry in json.loads(mercer("study", "list", "--json").stdout)
    ]
    assert names[0] == "compare"
    assert set(names) >= {"tiny", "far"}
    assert "A tiny study" in mercer("study", "list").stdout


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(place):
    run = start(place, "study", "run", "endless")
    run.wait_for_line("endless: 0 of 10000 cells")
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "Traceback" not in err
    assert "cells of endless are stored in out/mercer-store.sqlite; the same" in err
    assert out == ""


def test_cells_that_fail_are_told_and_the_rest_is_reported(place):
    done = mercer("study", "run", "broken", "--quick")
    assert done.exit_code == 1
    assert "A cell of broken failed: ZeroDivisionError: a die" in done.stderr
    assert "Not complete: 4 of 6" in (place / "out" / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run"], "Name a study (compare, "),
        (["run", "tny"], "There is no study 'tny'; did you mean tiny?"),
        (
            ["run", "far", "--data", "iris"],
            "The study far runs on nowhere, not on iris",
        ),
        (["run", "far"], "mercer study run far --data digits"),
        (["run", "compare", "--data", "nothing.csv"], "nothing.csv"),
        (["status"], "There is no store out/mercer-store.sqlite yet"),
        (["report"], "There is no store"),
        (["report", "--store", "/dev/null"], "The store /dev/null"),
        (["export", "--format", "xml"], "it must be csv or json"),
    ],
)
def test_what_is_wrong_is_a_sentence(place, words, sentence):
    done = mercer("study", *words)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "wal"])
@pytest.mark.parametrize("words", [["status"], ["report"], ["export"], ["run", "tiny"]])
def test_a_store_that_is_no_file_is_a_sentence_at_once(place, kind, words):
    path = "/dev/full" if kind == "device" else "store"
    if kind == "pipe":
        os.mkfifo(place / path)
    elif kind == "folder":
        (place / path).mkdir()
    elif kind == "wal":
        os.mkfifo(place / "store-wal")
    before = sorted(place.rglob("*"))
    done = mercer("study", *words, "--store", path, *["--no-report"] * ("run" in words))
    assert done.exit_code == 2
    assert f"The store {path} cannot be opened, since {path}" in done.stderr
    assert sorted(place.rglob("*")) == before


def test_names_of_files_need_not_be_text(place):
    store, output = os.fsencode("store") + b"\xff", os.fsencode("out") + b"\xff.csv"
    words = [
        ["run", "tiny", "--quick", "--no-report"],
        ["status"],
        ["export", "-o", output],
    ]
    words += [["report", "-o", b"page\xff.html", "--tables", b"tables\xff"]]
    for command in words:
        run = start(place, "study", *command, "--store", store)
        _, err = run.communicate(timeout=100)
        assert run.returncode == 0, err
    found = os.listdir(os.fsencode(place))
    assert {store, output, b"page\xff.html", b"tables\xff"} <= set(found)
    run = start(place, "study", "status", "--store", b"none\xff")
    assert "There is no store none\\udcff yet" in run.communicate(timeout=100)[1]


def test_texts_are_no_formulas_in_a_spreadsheet(place):
    """What stands in names of data sets, labels and warnings is somebody else's."""
    texts = [
        "=1+1",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "＝1",
        "=cmd|' /C calc'!A0",
    ]
    numbers = [-1.5, "-1.5", "+2", "-1e-3", "1", "a=b", ""]
    values = {f"v{i}": text for i, text in enumerate([*texts, *numbers])}
    with Store(place / "store") as store:
        store.add_row(Row("k", "tiny", "d", {"label": "-x"}, 0, values))
    text = mercer("study", "export", "--store", "store").stdout
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    found = [row[f"result.{name}"] for name in values]
    assert found == [f"'{text}" for text in texts] + [str(n) for n in numbers]
    assert row["params.label"] == "'-x"
    columns = [Column("=label"), Column("error")]
    table = Table("t", "T", columns, [["@x", Spread(-1.5, 0.5, 2)], ["-1", None]])
    assert to_csv(table) == "'=label,error,error std\n'@x,-1.5,0.5\n-1,,\n"


def test_all_leaves_out_what_has_no_data_and_runs_the_rest(place, monkeypatch):
    monkeypatch.setattr(registry, "_OWN", {})
    points = "tiny = studies.tiny_study:Tiny\nfar = studies.tiny_study:Far\n"
    info = place / "site" / "tiny_studies-1.0.dist-info"
    (info / "entry_points.txt").write_text(f"[mercer.studies]\n{points}")
    done = mercer("study", "run", "--all", "--quick", "--no-report")
    assert done.exit_code == 0
    assert "far is left out: There is no data set 'nowhere'" in done.stderr
    assert "6 rolls of 3 dice" in done.stdout


def test_demo_ends_with_a_report(place):
    done = mercer("demo", "--data", "iris", "-o", "deep/demo.html")
    assert done.exit_code == 0, done.stderr
    report = place / "deep" / "demo.html"
    assert str(report) in done.stdout
    page = report.read_text("utf-8")
    for part in ("perceptron (averaged)", "SVM", "Certificates", "hardest", "<svg"):
        assert part in page
    assert list(report.parent.iterdir()) == [report]
