"""How Sphinx makes the site; `make docs` runs it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import links
import mathml
import public_names

from mercer._version import __version__

DOCS = Path(__file__).parent
links.bring_in(DOCS)
# named one by one, since a page that is new is not yet known to Sphinx
autosummary_generate = public_names.write_pages(DOCS / "reference")

project = "Mercer"
author = copyright = "The Mercer developers"
version = release = __version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "gallery/*.ipynb",
    "gallery/*.py",
    "gallery/*.zip",
    "paper",  # in the form of a journal, which has its own citations
]
templates_path = ["_templates"]
nitpicky = True
# in docstrings, `name` is a link where there is something to link to, else a word
default_role = "py:obj"
nitpick_ignore_regex = [
    ("py:obj", ".*"),
    ("py:class", r"contextlib\..*"),  # in signatures; Python's own pages are elsewhere
]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"
autosummary_generate_overwrite = True
numpydoc_show_class_members = False
copybutton_exclude = ".linenos, .gp, .go"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "image_srcset": ["2x"],
    "abort_on_example_error": True,
    "reference_url": {"mercer": None},
    "doc_module": ("mercer",),
    "backreferences_dir": None,
    "thumbnail_size": (480, 360),
}

html_theme = "pydata_sphinx_theme"
html_title = "Mercer"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["mercer.css"]
html_show_sourcelink = False
html_math_renderer = "mathml"
# without it the theme complains on the console of every first visit
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "Mercer"},
    "navbar_align": "left",
    "show_toc_level": 2,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
html_sidebars = {"start": [], "index": []}


def setup(app):
    """Connect what the modules beside this one do."""
    app.connect("source-read", links.relink)
    app.connect("source-read", public_names.list_modules)
    app.connect("autodoc-process-docstring", public_names.add_example, priority=900)
    app.connect("autodoc-skip-member", public_names.skip_member)
    app.add_html_math_renderer("mathml", (mathml.inline, None), (mathml.display, None))
