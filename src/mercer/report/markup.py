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


def markdown(text: str) -> Markup:
    """Markdown as HTML; its headings begin at h3, and its HTML is not obeyed."""
    module = import_extra("markdown_it", "report", "Showing a README in a report")
    parser = module.MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    html = parser.renderer.render(tokens, parser.options, {})
    html = html.replace("<table>", '<div class="wide"><table>')
    return Markup(html.replace("</table>", "</table></div>"))


def download(text: str, kind: str) -> str:
    """A text as an address that a browser can save as a file."""
    content = base64.b64encode(text.encode()).decode("ascii")
    return f"data:{_TYPES[kind]};charset=utf-8;base64,{content}"
