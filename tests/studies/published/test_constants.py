"""Published numbers live in ``published.toml`` alone: no program repeats them."""

import ast
import re
from pathlib import Path

import pytest

import mercer.studies.published
from mercer.studies import get_study

HOME = Path(mercer.studies.published.__file__).parent
FOLDERS = sorted(path.parent for path in HOME.glob("*/published.toml"))
NUMBER = re.compile(r"(?<![\w.])\d*\.\d+(?:e[+-]?\d+)?(?![\w.]*\d)")
#: How many samples to draw at once; with another number, others would be drawn.
EXCEPT = {("sample_complexity", "estimators.py", 1.471)}


def digits(number):
    """Its significant digits, which tell it from a setting such as 0.5."""
    mantissa = f"{number:e}".partition("e")[0].rstrip("0")
    return len(mantissa.replace(".", ""))


def printed_in(folder):
    """Fractions of two digits and more, as printed and in per cent or as a share."""
    study = get_study(folder.name.replace("_", "-"))
    values = {
        float(text)
        for number in study.published()
        if number.rule != "exact" or digits(float(number.value)) > 2
        for text in (number.value, number.std)
        if text
    }
    scaled = {round(value * scale, 12) for value in values for scale in (1, 100, 0.01)}
    return {v for v in scaled if digits(v) > 1 and not v.is_integer()}


def numbers_in(path):
    """Every number that a program writes, also within its words."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, float):
                yield node.value
            if isinstance(node.value, str):
                yield from map(float, NUMBER.findall(node.value))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_program_repeats_a_published_number(folder):
    printed = printed_in(folder)
    assert printed
    repeated = {
        (folder.name, path.name, number)
        for path in sorted(folder.glob("*.py"))
        for number in numbers_in(path)
        if round(number, 12) in printed
    }
    assert repeated - EXCEPT == set()
