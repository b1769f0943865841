"""Commands of README and docs: Mercer understands them, and the quick ones run."""

import pytest
import typer
from typer.testing import CliRunner

from docs.pages import PAGES, commands
from mercer.cli._app import app

WITH_COMMANDS = [page for page in PAGES if commands(page)]
#: they take long, or want a network; their own tests run them on less
LONG = {"bench", "demo", "fetch", "run"}
#: at hand on every machine, and small
AT_HAND = {"digits", "iris", "flowers.csv", "train.libsvm", "test.libsvm"}


def parse(words):
    """Let the command line read the words, and do nothing."""
    command, parent, words = typer.main.get_command(app), None, list(words)
    name = "mercer"
    while True:
        parent = command.make_context(name, words, parent=parent)
        if not hasattr(command, "commands"):
            return
        words = [*parent._protected_args, *parent.args]
        name, command, words = command.resolve_command(parent, words)


def is_quick(words):
    others = {"usps", "mnist", "zipcombo", "spoofing", "mnist5k"}
    return AT_HAND & {*words} and not (LONG | others) & {*words}


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_commands_are_understood(page):
    for words in commands(page):
        parse(words)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_quick_commands_run(page, folder):
    for words in filter(is_quick, commands(page)):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, (words, done.output, done.exception)
