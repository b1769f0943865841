"""What browsers are shown: the page to draw on, and the results of studies."""

from __future__ import annotations

import asyncio
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

from mercer._extras import import_extra
from mercer.exceptions import MercerError
from mercer.web.limits import Refusal

_NOTHING_ELSE = "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
#: Nothing is loaded from elsewhere.
_DRAWING = {
    "Content-Security-Policy": (
        f"default-src 'self'; img-src 'self' data: blob:; {_NOTHING_ELSE}"
    )
}
#: A report has its style, script and images within it.
_REPORT = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        f"img-src data:; {_NOTHING_ELSE}"
    )
}


def add_pages(app: FastAPI, store: Path | None) -> None:
    """Show the page at ``/``, and the results of this store at ``/results``."""
    folder = Path(str(files("mercer.web") / "page"))
    app.mount("/page", StaticFiles(directory=folder), name="page")
    results: list[Any] = []

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(folder / "index.html", headers=_DRAWING)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> RedirectResponse:
        return RedirectResponse("/page/icon.svg")

    async def show(what: str, *arguments: Any) -> HTMLResponse:
        try:
            if not results:
                results.append(await asyncio.to_thread(_open_results, store))
            made = await asyncio.to_thread(getattr(results[0], what), *arguments)
        except Refusal as refusal:
            return _say(str(refusal), refusal.status)
        except MercerError as error:
            return _say(str(error), 503)
        return HTMLResponse(made, headers=_REPORT)

    @app.get("/results", include_in_schema=False)
    async def overview() -> HTMLResponse:
        return await show("overview")

    @app.get("/results/{run}", include_in_schema=False)
    async def run(run: str) -> HTMLResponse:
        return await show("run", run)

    @app.get("/results/{run}/mistakes", include_in_schema=False)
    async def mistakes(
        run: str,
        learner: str,
        label: Annotated[int, Query(ge=0)],
        decided: Annotated[int, Query(ge=0)],
    ) -> HTMLResponse:
        return await show("mistakes", run, learner, label, decided)


def _say(sentence: str, status: int) -> HTMLResponse:
    """A page for people who came here by a link."""
    content = (
        '<!doctype html><html lang="en"><meta name="viewport" content="width=device-'
        'width"><title>Mercer</title><link rel="stylesheet" href="/page/colours.css">'
        f'<main><h1>Nothing to show</h1><p>{escape(sentence)}</p><p><a href="/">Draw'
        "</a></p></main></html>"
    )
    return HTMLResponse(content, status, _DRAWING)


def _open_results(store: Path | None) -> Any:
    """Pages of a report need what writes reports."""
    for module in ("jinja2", "markdown_it", "matplotlib", "markupsafe"):
        import_extra(module, "report", "Showing results")
    from mercer.web.results import ResultPages

    return ResultPages(store or Path("out/mercer-store.sqlite"))
