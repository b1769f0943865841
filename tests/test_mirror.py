"""The folder of tests mirrors that of Mercer."""

from pathlib import Path

import pytest

import mercer

SOURCE, TESTS = Path(mercer.__file__).parent, Path(__file__).parent
FOLDERS = sorted(
    path.parent.relative_to(SOURCE)
    for path in SOURCE.rglob("__init__.py")
    if path.parent != SOURCE
)
#: A study is tested as a whole.
STUDIES = Path("studies/published")


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_every_folder_has_its_tests(folder):
    if folder.parent == STUDIES:
        assert (TESTS / STUDIES / f"test_{folder.name}.py").exists()
    else:
        assert list((TESTS / folder).rglob("test_*.py"))


def test_every_folder_of_tests_is_one_of_mercer():
    found = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    of_the_whole = {Path(), Path("browser"), Path("docs"), Path("fuzz")}
    assert found <= {*FOLDERS, *of_the_whole}
