import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from sklearn.base import ClassifierMixin
from typer.testing import CliRunner

import mercer
from cli.console import python_path
from mercer._extras import EXTRAS
from mercer.cli._app import app
from mercer.cli._models import MODELS, build_model
from mercer.cli.doctor import examine
from processes import run_command

HEAVY = {"numba", "sklearn", "scipy", "matplotlib", "pandas"}


def modules_after(code):
    """Names of the packages that are loaded after `code` ran in a fresh process."""
    probe = f"{code}\nimport sys; print(*{{m.split('.')[0] for m in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_first_answers_import_nothing_heavy(option):
    code = (
        "from mercer.cli import main\nimport sys\n"
        f"sys.argv = ['mercer', '{option}']\n"
        "try: main()\nexcept SystemExit: pass"
    )
    assert not modules_after(code) & HEAVY


def test_import_mercer_is_light():
    assert not modules_after("import mercer") & (HEAVY | {"numpy"})


def test_importing_commands_is_light():
    files = Path(mercer.cli.__file__).parent.glob("[a-z]*.py")
    names = {path.stem for path in files} - {"serve"}  # which shows arrays
    assert {"fit", "predict", "evaluate"} <= names
    code = f"import {', '.join(f'mercer.cli.{name}' for name in sorted(names))}"
    assert not modules_after(code) & (HEAVY | {"numpy", "skops"})


def test_names_are_lazy_and_complete():
    assert set(mercer.__all__) <= set(dir(mercer))
    for name in mercer.__all__:
        assert getattr(mercer, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'KernelSVM'"):
        _ = mercer.KernelSVM


def test_version():
    result = CliRunner().invoke(app, ["--version"])
    assert result.output == f"mercer {mercer.__version__}\n"


@pytest.mark.parametrize(
    "command", [[], ["data"], ["bench"], ["doctor"], ["demo"], ["study"]]
)
def test_every_command_has_help_with_examples(command):
    result = CliRunner().invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "mercer" in result.output


def test_wrong_calls_exit_with_2():
    for call in (["nonsense"], ["data", "nonsense"], ["bench", "--repeats", "0"]):
        result = run_command(*call)
        assert result.returncode == 2
        assert "Traceback" not in result.stderr


def test_errors_are_sentences_on_stderr():
    result = run_command("bench", "grammar")
    assert result.returncode == 2
    assert result.stdout == ""
    expected = "mercer: There is no benchmark 'grammar'; did you mean gram?\n"
    assert result.stderr == expected


def test_an_impossible_environment_is_a_sentence():
    result = run_command("doctor", MERCER_NUM_THREADS="many")
    assert result.returncode == 2
    assert "MERCER_NUM_THREADS is 'many'" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    report = in_the_way / "demo.html"
    result = run_command(
        *("demo", "--data", "iris", "-o", str(report)),
        *("--store", str(tmp_path / "store.sqlite")),
    )
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert str(in_the_way) in result.stderr


def test_a_reader_that_leaves_is_no_error():
    command = f"{sys.executable} -m mercer.cli data list | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_doctor():
    facts = json.loads(run_command("doctor", "--json").stdout)
    assert facts["mercer"] == mercer.__version__
    assert facts["extras"]["cli"] == "installed"
    assert set(facts["data sets"]) >= {"digits", "iris", "mnist5k", "usps", "mnist"}
    assert facts["threads"] >= 1
    assert any("threads)" in library for library in facts["blas"])
    shown = run_command("doctor")
    assert shown.returncode == 0
    assert "memory budget" in shown.stdout


def test_doctor_says_how_to_get_an_extra(monkeypatch):
    monkeypatch.setitem(EXTRAS, "web", ("fastapi", "no_such_module"))
    said = examine()["extras"]["web"]
    assert said == "missing no_such_module: pip install 'mercer[web]'"


def test_python_runs_the_package():
    done = subprocess.run(
        [sys.executable, "-m", "mercer", "--version"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == (f"mercer {mercer.__version__}\n", "")


def test_bench_lists_what_there_is():
    result = CliRunner().invoke(app, ["bench", "--list"])
    assert result.exit_code == 0
    assert "gram" in result.output


def test_a_missing_extra_is_one_sentence(tmp_path):
    """As on a machine without matplotlib."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.modules['matplotlib'] = None\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "mercer.cli", "demo", "--data", "iris"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": python_path(tmp_path)},
    )
    assert result.returncode == 2
    assert result.stderr == (
        "mercer: This needs matplotlib, which is not installed; get it with: "
        "pip install 'mercer[report]'\n"
    )


def test_every_public_learner_has_a_name_on_the_command_line():
    home = mercer.estimators
    public = (getattr(home, name) for name in home.__all__)
    classes = [one for one in public if isinstance(one, type)]
    learners = {
        one.__name__
        for one in classes
        # bases have no __init__, and what wraps a learner is no learner by itself
        if issubclass(one, ClassifierMixin) and "__init__" in vars(one)
    } - {"MachinesPerClass"}
    assert set(MODELS.values()) == learners
    for name in MODELS:
        assert type(build_model(name, {})).__name__ == MODELS[name]


def test_the_options_of_fit_are_parameters_of_learners():
    known = {key for name in MODELS for key in build_model(name, {}).get_params()}
    fit = typer.main.get_command(app).commands["fit"]
    panel = {
        option.opts[0].removeprefix("--").replace("-", "_")
        for option in fit.params
        if option.rich_help_panel == "The model"
    }
    assert panel - {"set", "seed"} <= known


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "iris", "--output", "--json"],
        ["fit", "iris", "-o", "--json"],
        ["data", "show", "iris", "--label", "--json"],
        ["study", "run", "demo", "--store", "-h"],
        ["search", "iris", "-m", "svc", "--grid", "-o", "m.mercer"],
    ],
)
def test_an_option_is_no_value_of_another(run, words, tmp_path):
    result = run(*words)
    assert result.exit_code == 2
    assert "needs a value" in result.output
    assert not list(tmp_path.iterdir())


def test_what_looks_like_an_option_can_be_a_value(run, tmp_path):
    assert run("fit", "iris", "--output=--json").exit_code == 0
    assert (tmp_path / "--json").exists()
    assert "needs a value" not in run("fit", "--output", "m.mercer", "--", "-o").output
