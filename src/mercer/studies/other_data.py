"""A story on other data than the published ones: what is left are its own rows.

A sentence, a heading, a column, a line of a table or of a figure that speaks of the
report, of what was published or printed, or of what agrees with it, has nothing to
stand on there, and is left out. Stories need not ask for each of them.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from mercer.studies.story import Block, Lines, Section, Story, Table

_ABOUT = re.compile(
    r"\b(reports?|publish\w*|publications?|printed|agree[sd]?|agreeing)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+")


def on_other_data(story: Story) -> Story:
    """The story without what is about a publication.

    >>> on_other_data(Story(["λ = 1 is best. The report says 2.", "Published: 3."]))
    Story(summary=['λ = 1 is best.'], sections=[], conclusion=[])
    """
    sections = [
        Section(section.title, [*_blocks(section.blocks)])
        for section in story.sections
        if not _is_about(section.title)
    ]
    return Story(
        _texts(story.summary),
        [section for section in sections if section.blocks],
        _texts(story.conclusion),
    )


def _is_about(text: object) -> bool:
    """Whether it speaks of a publication.

    >>> _is_about("test error, published"), _is_about("reported 3 times")
    (True, False)
    """
    return isinstance(text, str) and _ABOUT.search(text) is not None


def _texts(texts: Iterable[str]) -> list[str]:
    return [left for text in texts if (left := _sentences(text))]


def _sentences(text: str) -> str:
    """The sentences of a text that are not about a publication."""
    return " ".join(part for part in _SENTENCES.split(text) if not _is_about(part))


def _blocks(blocks: Iterable[Block]) -> Iterable[Block]:
    for block in blocks:
        if isinstance(block, str):
            yield from _texts([block])
        elif not _is_about(block.title):
            yield _without_lines(replace(block, caption=_sentences(block.caption)))


def _without_lines(block: Block) -> Block:
    """A table without such columns and rows, a figure without such lines."""
    if isinstance(block, Table):
        kept = [
            place
            for place, column in enumerate(block.columns)
            if not column.published and not _is_about(column.name)
        ]
        rows = [row for row in block.rows if not any(map(_is_about, row))]
        return replace(
            block,
            columns=[block.columns[i] for i in kept],
            rows=[[row[i] for i in kept] for row in rows],
        )
    if isinstance(block, Lines):
        ours = [s for s in block.series if not s.published and not _is_about(s.name)]
        return replace(block, series=ours)
    return block
