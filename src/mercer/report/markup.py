"""Pieces of a page: inline SVG, small PNG images, Markdown as HTML, downloads."""

from __future__ import annotations

import base64
import io
import itertools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import Markup
from numpy.typing import NDArray

from mercer._extras import import_extra
from mercer.report.tables import FORMATS
from mercer.studies.story import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TYPES = {"csv": "text/csv", "md": "text/markdown", "tex": "application/x-tex"}
#: Matplotlib would else name itself, the date and a few web addresses.
_SILENT = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_counter = itertools.count()


def svg(draw: Callable[[], Figure]) -> Markup:
    """Draw a figure and turn it into an SVG element that can stand within a page."""
    matplotlib = import_extra("matplotlib", "report", "Drawing figures")
    # images are embedded as they are, and the browser enlarges them without a blur
    settings = {"image.interpolation": "none", "svg.hashsalt": "mercer"}
    buffer = io.StringIO()
    with matplotlib.rc_context(settings):
        draw().savefig(buffer, format="svg", bbox_inches="tight", metadata=_SILENT)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = text[text.index("<svg") :]
    # identifiers must be unique within the page, where several figures stand
    mark = f"f{next(_counter)}-"
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{mark}", text)
    return Markup(text.replace("<svg ", '<svg aria-hidden="true" ', 1))


def png(pixels: NDArray) -> str:
    """An image as a data address; large values are ink."""
    image = import_extra("matplotlib.image", "report", "Drawing images")
    buffer = io.BytesIO()
    image.imsave(buffer, pixels, cmap="gray_r", vmin=0, vmax=255, format="png")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def markdown(text: str, anchor: str = "") -> Markup:
    """Markdown as HTML; its headings begin at h3, and its HTML is not obeyed.

    With an anchor they have the addresses of `heading_addresses`.
    """
    module = import_extra("markdown_it", "report", "Showing a README in a report")
    parser = module.MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for token, inline in zip(tokens, tokens[1:] + tokens[:1]):
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
        if token.type == "heading_open" and anchor:
            token.attrSet("id", f"{anchor}-{slug(inline.content)}")
    html = parser.renderer.render(tokens, parser.options, {})
    html = html.replace("<table>", '<div class="wide"><table>')
    return Markup(html.replace("</table>", "</table></div>"))


def heading_addresses(text: str, anchor: str) -> dict[str, str]:
    """What `markdown` calls the headings of a text within a page."""
    headings = re.findall(r"^#{2,6} +(.+?)[ #]*$", text, flags=re.MULTILINE)
    return {heading: f"{anchor}-{slug(heading)}" for heading in headings}


def slug(text: str) -> str:
    """Words as an address has them.

    >>> slug("Where we differ: d = 1")
    'where-we-differ-d-1'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def file_links(table: Table) -> list[tuple[str, str, str]]:
    """Kind, name and address of each file that a table can be saved as."""
    return [
        (kind, f"{table.name}.{kind}", download(write(table), kind))
        for kind, write in FORMATS.items()
    ]


def download(text: str, kind: str) -> str:
    """A text as an address that a browser can save as a file."""
    content = base64.b64encode(text.encode()).decode("ascii")
    return f"data:{_TYPES[kind]};charset=utf-8;base64,{content}"
