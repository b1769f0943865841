import pytest
from typer.testing import CliRunner

from mercer.cli._app import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder, on a terminal of fixed width."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return lambda *arguments: CliRunner().invoke(app, [*map(str, arguments)])
