"""A study's own words within the page; they are about the data that were published."""

import re
from dataclasses import dataclass

from markupsafe import Markup

from mercer.report.markup import heading_addresses, markdown
from mercer.studies.study import Study


@dataclass(frozen=True)
class Readme:
    """The README of a study on a page about some data, complete or not."""

    study: Study
    data: str
    complete: bool
    anchor: str

    @property
    def html(self) -> Markup:
        """Without its title, which the page has already; nothing on other data."""
        return markdown(self._text, self._address)

    @property
    def note(self) -> str:
        """What it is not about, where it is not of the rows that are shown."""
        if not self.study.is_told_of(self.data):
            return "What its README tells is of other data, and is not shown here."
        if self._text and self.study.publication().numbers and not self.complete:
            return "What follows is the study's README, which tells of the full run."
        return ""

    @property
    def addresses(self) -> dict[str, str]:
        """Where each of its headings is on the page."""
        return heading_addresses(self._text, self._address)

    @property
    def _text(self) -> str:
        if not self.study.is_told_of(self.data):
            return ""
        return re.sub(r"\A\s*# .*\n", "", self.study.readme())

    @property
    def _address(self) -> str:
        # apart from the sections of the study, which are numbered
        return f"{self.anchor}-readme"
