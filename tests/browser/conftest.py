"""A real browser: Debian's Chromium, driven by Playwright."""

import os
import shutil

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    """Chromium; without it or Playwright the test is skipped."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed"
    )
    found = os.environ.get("MERCER_CHROMIUM") or shutil.which("chromium")
    if not found:
        pytest.skip("there is no Chromium; Debian's package chromium brings it")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()
