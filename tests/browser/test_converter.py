"""The converter of the conventions, as a reader uses it."""

from pathlib import Path

import pytest

CONVERTER = Path(__file__).parents[2] / "docs" / "_static" / "converter.html"
pytestmark = pytest.mark.skipif(not CONVERTER.exists(), reason="no docs here")


@pytest.fixture
def page(browser):
    page = browser.new_page()
    page.goto(CONVERTER.as_uri())
    yield page
    page.close()


def test_what_is_filled_in_gives_the_rest(page):
    for name, value, others in (
        ("sigma", "2", {"gamma": "0.125", "width": "4"}),
        ("width", "25", {"gamma": "0.02", "sigma": "5"}),
        ("n", "500", {"lambda": "0.0002", "c": "10"}),
        ("lambda", "0,001", {"c": "2"}),
        ("xi", "100", {"k": "10"}),
    ):
        page.fill(f"#c-{name}", value)
        assert {other: page.input_value(f"#c-{other}") for other in others} == others
    assert page.text_content("#c-code") == (
        'KernelSVC(C=2, gamma=0.02, bias="regularized", bias_scale=10)'
    )


def test_what_is_no_number_is_said(page):
    page.fill("#c-gamma", "wide")
    assert page.text_content("#c-code") == "Every value is a number above 0."
