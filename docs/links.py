"""Pages that live elsewhere in the repository, and links that must lead to them.

In the repository, links are paths of files. On the site, the same links lead to pages.
"""

import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
STUDIES = ROOT / "src" / "mercer" / "studies"
LINK = re.compile(r"(\]\()([^)#:\s]+)(#[^)\s]*)?(\))")


def pages_from_elsewhere(docs):
    """Files beside the documentation that are pages of the site too."""
    pages = {
        ROOT / "CONTRIBUTING.md": docs / "elsewhere" / "contributing.md",
        ROOT / "CODE_OF_CONDUCT.md": docs / "elsewhere" / "code-of-conduct.md",
        ROOT / "SECURITY.md": docs / "elsewhere" / "security.md",
        ROOT / "CHANGELOG.md": docs / "elsewhere" / "changelog.md",
        ROOT / "README.md": docs / "index.md",
    }
    for readme in sorted(STUDIES.rglob("README.md")):
        name = readme.parent.name.replace("_", "-")
        pages[readme] = docs / "published" / f"{name}.md"
    return pages


def bring_in(docs):
    """Copy pages from elsewhere into folders that git ignores."""
    for origin, page in pages_from_elsewhere(docs).items():
        if page == docs / "index.md":
            continue
        page.parent.mkdir(exist_ok=True)
        text = _relinked(origin.read_text("utf-8"), origin.parent, page.parent, docs)
        if not page.exists() or page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")


def relink(app, docname, source):
    """Let links of a page lead to pages of the site, and list pages left over."""
    folder = (Path(app.srcdir) / docname).parent
    source[0] = _relinked(source[0], folder, folder, Path(app.srcdir))
    if "% pages that no list names" in source[0]:
        rest = "\n".join(_unlisted(Path(app.srcdir)))
        source[0] = source[0].replace("% pages that no list names", rest)


def _relinked(text, origin, folder, docs):
    pages = pages_from_elsewhere(docs)

    def target(match):
        opening, path, anchor, closing = match.groups(default="")
        absolute = Path(os.path.normpath(origin / path))
        if not absolute.exists():
            return match[0]
        place = pages.get(absolute, absolute)
        return f"{opening}{os.path.relpath(place, folder)}{anchor}{closing}"

    return LINK.sub(target, text)


def _unlisted(docs):
    """Pages in the folder of the documentation that stand in no list of contents."""
    texts = [path.read_text("utf-8") for path in docs.glob("*.md")]
    lists = [
        line.strip()
        for text in texts
        for block in re.findall(r"```\{toctree\}(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
    ]
    listed = {re.sub(r".*<(.*)>", r"\1", line).strip("/") for line in lists}
    return sorted(
        path.stem
        for path in docs.glob("*.md")
        if path.stem not in listed and path.stem != "index"
    )
