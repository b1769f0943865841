"""`mercer data`: what is printed where, and how it ends."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from mercer.cli._app import app as whole
from mercer.cli.data import app
from processes import run_command

# A proxy where nothing listens: no name is looked up and nothing is waited for.
NO_NETWORK = dict.fromkeys(
    ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"
)


def _argument(value):
    return value if isinstance(value, bytes) else str(value)


def run(*arguments, **environment):
    """Run the real command in a process of its own."""
    return run_command("data", *map(_argument, arguments), COLUMNS=80, **environment)


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    return lambda *arguments: CliRunner().invoke(app, [*map(str, arguments)])


def test_a_bad_file_ends_with_a_sentence_and_exit_code_2(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(b"1.5,2,0\n1.5,x2,1\n")
    result = run("show", path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == (
        f"mercer: {path}: line 2, column 2, is 'x2', and others in the column are "
        "numbers; mend it, or name the column with categorical= (--categorical).\n"
    )


def test_without_a_network_one_sentence_says_what_to_put_where(tmp_path):
    result = run("fetch", "usps", MERCER_DATA=str(tmp_path), **NO_NETWORK)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("mercer: Fetching usps from OpenML failed (")
    assert result.stderr.endswith(
        "put usps/usps.h5 or usps/zip.train and usps/zip.test (or the same as .gz) "
        f"into the data folder {tmp_path}, which MERCER_DATA can change.\n"
    )
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_listing_loads_neither_numba_nor_scikit_learn():
    code = (
        "import sys; import mercer.cli.data; "
        "assert not {'numpy', 'numba', 'sklearn', 'matplotlib'} & set(sys.modules); "
        "import mercer; mercer.datasets.catalogue(); "
        "assert not {'numba', 'sklearn', 'h5py', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_list(invoke):
    result = invoke("list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[1].split() == (
        ["digits", "digits", "8x8", "1,797", "64", "10", "scikit-learn", "yes"]
    )
    assert lines[4].split()[-3:] == ["data", "folder", "no"]
    rows = json.loads(invoke("list", "--json").stdout)["datasets"]
    assert [row["name"] for row in rows][-1] == "just-a-little-bit"
    assert "mercer data fetch usps" in rows[3]["missing"]


def test_show_prints_counts_images_and_writes_a_picture(invoke, tmp_path):
    result = invoke("show", "digits")
    assert result.exit_code == 0
    for part in ("1,797", "64 (images of 8x8)", "0 to 16 (float64)", "CC BY 4.0"):
        assert part in result.stdout
    assert "Picture: out/digits.png" in result.stdout
    picture = (tmp_path / "out" / "digits.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert any(set(line) & set("░▒▓█.:*#") for line in result.stdout.splitlines())


def test_show_as_json_prints_nothing_else(invoke, tmp_path):
    result = invoke("show", "iris", "--json")
    summary = json.loads(result.stdout)
    assert summary["class_counts"] == {"0": 50, "1": 50, "2": 50}
    assert summary["range"] == [0.1, 7.9]
    assert not (tmp_path / "out").exists()


def test_show_a_file(invoke, tmp_path):
    path = tmp_path / "flowers.csv"
    path.write_bytes(b"1,7,0\n0,8,1\n")
    result = invoke("show", path, "--label", "last", "--no-picture")
    assert result.exit_code == 0
    assert "0 to 8 (float64)" in result.stdout
    assert not (tmp_path / "out").exists()
    svg = tmp_path / "new folder" / "flowers.svg"
    assert invoke("show", path, "--label", "last", "--picture", svg).exit_code == 0
    assert svg.read_bytes().startswith(b"<?xml")


@pytest.fixture
def numbered(tmp_path):
    """A table with a column that only numbers the samples."""
    path = tmp_path / "numbered.csv"
    rows = [f"{i},{i % 3}.5,{i * 7 % 5}.25,{'ab'[i > 9]}" for i in range(20)]
    path.write_text("\n".join(["id,x,z,class", *rows]))
    return path


def test_show_says_how_a_table_was_read(invoke, numbered):
    result = invoke("show", numbered, "--no-picture")
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert "the first row names the columns column 4 (class) holds the labels" in said
    assert "column 1 goes up by one with every sample" in said
    summary = json.loads(invoke("show", numbered, "--json").stdout)
    assert summary["n_features"] == 3
    assert len(summary["notes"]) == 2
    assert "(--drop id)" in summary["warnings"][0]


def test_columns_are_dropped_and_the_header_is_said(invoke, numbered):
    dropped = invoke("show", numbered, "--drop", "id", "--drop", 1, "--json")
    summary = json.loads(dropped.stdout)
    assert (summary["n_features"], summary["warnings"]) == (1, [])
    result = invoke("check", numbered, "--drop", "id", "--header")
    assert result.exit_code == 0
    assert "doubt" not in result.stdout
    result = invoke("check", numbered)
    assert "ok      read: the first row names the columns" in result.stdout
    assert "unknown doubt: column 1 goes up by one" in result.stdout
    assert invoke("show", numbered, "--no-header").exit_code != 0


def test_a_model_is_trained_without_the_column(numbered):
    run = CliRunner().invoke
    result = run(whole, ["fit", str(numbered), "-m", "knn", "--json"])
    assert "note: numbered.csv: column 1 goes up by one" in result.stderr
    result = run(whole, ["fit", str(numbered), "-m", "knn", "--drop", "id", "--json"])
    assert result.stderr == ""
    assert json.loads(result.stdout)["n_features"] == 2


def test_names_that_are_not_utf8(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    path.write_bytes(b"1.5,7,0\n0.5,8,1\n")
    for command in (["show", "--no-picture"], ["show", "--json"], ["check"]):
        result = run(command[0], os.fsencode(path), *command[1:])
        assert result.returncode == 0
        assert "caf" in result.stdout
    path.write_bytes(b"")
    result = run("show", os.fsencode(path))
    assert result.returncode == 2
    assert result.stderr.endswith(
        "caf�.csv: the file is empty; get it again from where it came from.\n"
    )
    result = run("show", "iris", "--picture", os.fsencode(tmp_path) + b"/\xe9.png")
    assert result.returncode == 0
    assert "\\udce9.png" in result.stdout


@pytest.mark.parametrize("path", ["/proc/kmsg", "/dev/zero", "/tmp", "fifo"])
def test_what_is_no_file_is_not_waited_for(tmp_path, path):
    if path == "fifo":
        path = tmp_path / "fifo"
        os.mkfifo(path)
    result = run("show", path)
    assert result.returncode == 2
    assert result.stderr.startswith(f"mercer: {path}: th")
    assert result.stderr.count("\n") == 1


def test_show_sparse_data_and_odd_names(invoke, tmp_path):
    path = tmp_path / "$odd$ [bold]name"
    path.write_bytes(b"1 1:1\n2 40:2\n3 7:1\n")
    result = invoke("show", path)
    assert result.exit_code == 0
    assert "sparse float64" in result.stdout
    assert (tmp_path / "out" / "$odd$ [bold]name.png").is_file()


def test_show_synthetic(invoke):
    result = invoke(
        *("show", "just-a-little-bit", "--n", 5, "--m", 30, "--seed", 2, "--json")
    )
    assert json.loads(result.stdout)["n_samples"] == 30


def test_check(invoke, tmp_path):
    result = invoke("check", "iris")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["ok"] * 4
    path = tmp_path / "zip.train"
    path.write_bytes(
        b"".join(b"%d " % (i % 10) + b"0.5 " * 256 + b"\n" for i in range(20))
    )
    result = invoke("check", path, "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert not answer["ok"]
    assert answer["checks"][0]["what"] == "checksum of zip.train"
    assert answer["checks"][0]["state"] == "failed"


def test_fetch_does_nothing_when_the_data_are_here(invoke, tmp_path):
    np.savez(tmp_path / "usps-openml.npz", X=np.zeros((1, 1)), y=[1])
    result = invoke("fetch", "usps")
    assert result.exit_code == 0
    assert result.stdout == "usps is here already; --force fetches it again.\n"


@pytest.mark.parametrize("command", ["list", "show", "check", "fetch"])
def test_help_has_an_example(invoke, command):
    result = invoke(command, "--help")
    assert result.exit_code == 0
    assert f"mercer data {command}" in " ".join(result.stdout.split())


def test_an_unknown_name_is_no_traceback():
    result = run("show", "no-such-thing")
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
