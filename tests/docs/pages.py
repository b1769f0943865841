"""The pages of the documentation: what their fences and commands say."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: in front of a fence, with the reason
NOT_RUN = "<!-- not run:"
_FENCE = re.compile(r"(?m)^```(\w*)\n(.*?)^```", re.DOTALL)


def fences(page, *languages):
    """What stands between fences of these languages, unless it is marked as not run."""
    text = page.read_text("utf-8")
    for match in _FENCE.finditer(text):
        before = text[: match.start()].rstrip().rpartition("\n")[2]
        if match[1] in languages and not before.startswith(NOT_RUN):
            yield match[2]


def commands(page):
    """Commands of a page, as lists of words without the first, `mercer`."""
    found = [
        line.strip().removeprefix("$ ").partition("  #")[0]
        for text in fences(page, "", "sh", "console")
        for line in text.replace("\\\n", "").splitlines()
    ]
    # in tables a command stands in a column of its own
    found += re.findall(r"\| `(mercer [^`…]+)` \|", page.read_text("utf-8"))
    return [shlex.split(line)[1:] for line in found if line.startswith("mercer ")]
