"""What a study declares."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from mercer.datasets import Dataset
from mercer.exceptions import ParameterError
from mercer.studies.cell import Cell, Outcome
from mercer.studies.context import Context
from mercer.studies.other_data import on_other_data
from mercer.studies.plain import Plain
from mercer.studies.publication import Publication, read_publication
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Row
from mercer.studies.story import Story


class Study(ABC):
    """A comparison that anyone can run again.

    A subclass stands in the ``study.py`` of a folder, beside ``README.md`` and, where
    there are numbers to compare with, ``published.toml``.

    Attributes
    ----------
    name, title : str
        What it is called on the command line, and in a heading.
    question : str
        What it asks; its page opens with it, and ends with the story's conclusion.
    protocol : str
        How it goes about it, in a few sentences.
    version : int
        Raised when the same cell now means other work; older rows stay, unused.
    data : tuple of str
        The data sets that it can run on; empty: on any.
    default_data : tuple of str
        Those it runs on unless told otherwise; empty: it has no data.
    optional_data : tuple of str
        Those it also runs on where they are on the machine.
    fallback_data : str
        What to offer when these are not on the machine.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str] = ""
    protocol: ClassVar[str] = ""
    version: ClassVar[int] = 1
    data: ClassVar[tuple[str, ...]] = ()
    default_data: ClassVar[tuple[str, ...]] = ()
    optional_data: ClassVar[tuple[str, ...]] = ()
    fallback_data: ClassVar[str] = ""

    #: What this run was asked to do otherwise; part of what names it.
    options: tuple[str, ...] = ()

    def add_learners(self, learners: Sequence[str]) -> None:
        """Compare these too, where a study compares learners of any kind."""
        raise ParameterError(
            f"The study {self.name} has learners of its own; --learner is for compare."
        )

    @abstractmethod
    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """The cells, a smaller set of them for a first look."""

    @abstractmethod
    def run(self, cell: Cell, context: Context) -> Outcome:
        """Do the work of a cell; the outcome follows from its parameters and seed."""

    @abstractmethod
    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Tell what the rows say, be it all of them or only the first few.

        `published_on` has the published numbers to set beside them. On other data
        there are none, and `tell` leaves out what is said of the publication.

        Parameters
        ----------
        rows : sequence of Row
            At least one.
        facts : mapping
            The data set's `Dataset.summary`; empty where there is none.
        """

    def tell(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """The story as it is shown: on other data nothing of what was published."""
        story = self.story(rows, facts)
        if self.publication().numbers and not self.published_on(facts):
            return on_other_data(story)
        return story

    def warm_up(self, context: Context) -> None:
        """Compile what needs compiling, before the clock runs."""
        return

    def describe(self, row: Row) -> str:
        """A finished cell in a few words, for the progress bar."""
        words = ", ".join(f"{name} {value}" for name, value in row.params.items())
        return words or row.key

    def learner_of(self, row: Row) -> str:
        """Whose mistakes a row keeps (``wrong`` and ``confusion``), where it does."""
        return ""

    def folder(self) -> Path:
        """Where the study's own files are."""
        return Path(inspect.getfile(type(self))).parent

    def readme(self) -> str:
        """The study's README, or nothing."""
        path = self.folder() / "README.md"
        return path.read_text("utf-8") if path.is_file() else ""

    def publication(self) -> Publication:
        """What was published, with the rules by which it is judged; may be empty."""
        path = self.folder() / "published.toml"
        return read_publication(path) if path.is_file() else Publication()

    def published(self) -> list[PublishedNumber]:
        """The published numbers, or none."""
        return list(self.publication().numbers)

    def published_on(self, facts: Mapping[str, Plain]) -> list[PublishedNumber]:
        """The published numbers that are about these data: none about any others.

        Parameters
        ----------
        facts : mapping
            The data set's `Dataset.summary`, as `story` gets it.
        """
        return list(self.publication().on(str(facts.get("name", ""))).numbers)

    def is_told_of(self, data: str) -> bool:
        """Whether the README is about a data set: what came out was of the default."""
        default = self.default_data
        return not self.publication().numbers or not default or data in default
