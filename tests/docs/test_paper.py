"""The article: what it cites is listed, and what it lists is cited."""

import re

from docs.pages import ROOT

PAPER = ROOT / "docs" / "paper"
TEXT = (PAPER / "paper.md").read_text("utf-8")


def test_citations_and_references_are_the_same():
    listed = re.findall(r"(?m)^@\w+\{(\w+),", (PAPER / "paper.bib").read_text("utf-8"))
    assert sorted(set(re.findall(r"@([a-z]+\d{4})", TEXT))) == sorted(listed)


def test_it_has_the_length_of_an_article():
    body = TEXT.partition("# Summary")[2]
    assert 750 < len(body.split()) < 1750


def test_its_figures_are_there():
    for name in re.findall(r"!\[.*?\]\((\S+)\)", TEXT):
        assert (PAPER / name).is_file(), name


def test_its_benchmarks_are_there():
    from mercer.bench import BENCHMARKS

    named = re.findall(r"`mercer bench ([\w-]+)", TEXT)
    assert named
    assert set(named) <= set(BENCHMARKS)
