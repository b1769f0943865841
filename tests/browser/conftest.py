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


@pytest.fixture(scope="module")
def browser():
    """Chromium; without it or Playwright the test is skipped.

    Its event loop runs in this thread until the end: tests of others need their own.
    """
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


class Window:
    """A page of the service, and what there was to complain about."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(120_000)  # machines may be busy
        self.page = self.context.new_page()
        self.address, self.complaints = address, []
        self.page.on("console", lambda message: self._complain(message.text))
        self.page.on("pageerror", lambda error: self._complain(str(error)))
        self.page.on("request", self._check_request)

    def _check_request(self, request):
        if not request.url.startswith((self.address, "data:", "blob:")):
            self._complain(request.url)

    def _complain(self, text):
        # what the service refuses is told on the page, and by the browser too
        if "Failed to load resource" not in text:
            self.complaints.append(text)

    def close(self):
        self.context.close()
        assert self.complaints == []


@pytest.fixture
def open_window(browser):
    """Open a window on a page; at the end nothing may have been complained about."""
    windows = []

    def open_one(address, path="/", ready="body[data-ready]", **options):
        window = Window(browser, address, **options)
        windows.append(window)
        window.page.goto(address + path)
        window.page.wait_for_selector(ready)
        return window.page

    yield open_one
    for window in windows:
        window.close()


@pytest.fixture(scope="session")
def check_access():
    """Complain about what axe-core finds that keeps somebody out."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

    def check(page):
        page.wait_for_load_state()  # a page on its way has no document yet
        found = axe.run(page).response["violations"]
        grave = [one for one in found if one["impact"] in ("serious", "critical")]
        assert [(one["id"], one["nodes"][0]["html"]) for one in grave] == []

    return check
