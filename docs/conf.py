"""Sphinx configuration. ``make docs`` builds the site into out/docs, warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import chapters  # noqa: E402

import attlas  # noqa: E402

project = "attlas"
author = "The attlas developers"
copyright = author
version = release = attlas.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
    "chapters",
]
exclude_patterns = ["generated/*", "example"]
#: Notebooks hold their output; the slow tests execute them.
nb_execution_mode = "off"
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"

html_theme = "furo"
html_title = f"attlas {version}"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_extra_path = ["example"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

#: Pages are written before Sphinx looks for sources.
chapters.write_all(HERE / "generated")
