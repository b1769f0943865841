"""Every snippet of README and docs runs, and shows what the page says."""

import doctest

import pytest

from docs.pages import PAGES, fences

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
# tests/studies/test_recipe.py makes a package of what is on this page
WITH_PYTHON = [
    page
    for page in PAGES
    if page.name != "studies.md" and next(fences(page, "python"), None)
]


# libraries that pages call use what others will outdate one day
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_snippets_run_from_top_to_bottom(page, folder, capsys):
    names, told = {}, []
    for text in fences(page, "python"):
        if ">>>" not in text:
            exec(compile(text, page.name, "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(text, {}, page.name, None, 0)
        test.globs = names
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(test, out=told.append, clear_globs=False)
    assert not told, "".join(told)
