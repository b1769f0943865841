"""What a published study's README must have."""

import re

import pytest

from mercer.studies import get_study, study_names

STUDIES = [name for name in study_names() if get_study(name).published()]


@pytest.mark.parametrize("name", STUDIES)
def test_reasons_are_headings_of_the_readme(name):
    study = get_study(name)
    headings = re.findall(r"^#+ (.*)$", study.readme(), re.MULTILINE)
    missing = {n.why for n in study.published() if n.why} - set(headings)
    assert missing == set()


@pytest.mark.parametrize("name", STUDIES)
def test_a_published_study_says_what_it_asks(name):
    assert get_study(name).question.endswith("?")
