"""What browsers are shown: the page to draw on, and its files."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

#: Nothing is loaded from elsewhere, and no script stands within a page.
_OWN_ONLY = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
}


def add_pages(app: FastAPI, store: Path | None) -> None:
    """Show the page at ``/``."""
    folder = Path(str(files("mercer.web") / "page"))
    app.mount("/page", StaticFiles(directory=folder), name="page")

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(folder / "index.html", headers=_OWN_ONLY)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> RedirectResponse:
        return RedirectResponse("/page/icon.svg")
