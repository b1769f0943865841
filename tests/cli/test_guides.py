"""What the guides show is what the commands print."""

import re
from pathlib import Path

import pytest

from cli.console import good


def test_an_evaluation(run, data_folder):
    guide = (Path(__file__).parents[2] / "docs/decisions.md").read_text()
    block = guide.split("$ mercer fit spoofing ")[1].split("```")[0]
    fit, evaluate, printed = re.split(r"\n\$ mercer |\n(?=model )", block)
    good(run("fit", "spoofing", *fit.split()))
    shown = good(run(*evaluate.split()))
    line = r"^(?:.*DCF|.*cllr|.*misses|.*alarms|.*error) +([\d.]+)(?: %)? +([\d.]+)"
    expected, found = (re.findall(line, text, re.M) for text in (printed, shown))
    assert len(expected) == 11
    for pair, other in zip(expected, found, strict=True):
        # half a sample of the 2,990 that can be missed
        assert [float(x) for x in pair] == pytest.approx(
            [float(x) for x in other], abs=1.6e-4
        )
