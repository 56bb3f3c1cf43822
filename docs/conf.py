"""The documentation site: Sphinx reads the pages of this folder as they are (`make docs`)."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

from docs.site.lexers import GrammarLexer, PlanLexer, TreeLexer  # noqa: E402  # as the path begins with this checkout
from docs.site.pages import MADE  # noqa: E402

project = "HIVE"
author = "The HIVE developers"
project_copyright = f"2024-2026, {author}"
release = version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["make", "site"]
default_role = "literal"  # single backticks of docstrings

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "all"
autodoc_default_options = {"members": True}
napoleon_use_rtype = False
napoleon_use_ivar = True

copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"HIVE {release}"
html_theme_options = {"sidebar_hide_name": False}
html_show_sphinx = False
html_static_path = ["site/static"]
html_css_files = ["cards.css"]


def _plain_links(app: Any, page: str, source: list[str]) -> None:
    """Show a link to a folder, or to a page of the repository that is none of the site, as its words alone."""
    folder = (DOCS / page).parent

    def replace(link: re.Match[str]) -> str:
        path = link["to"].partition("#")[0]
        target = (folder / path).resolve() if path else DOCS / page
        outside = target.suffix == ".md" and DOCS not in target.parents
        return link["words"] if target.is_dir() or (outside and target.is_file()) else link[0]

    source[0] = re.sub(r"(?<!!)\[(?P<words>[^\]]+)\]\((?P<to>[^)\s:]+)\)", replace, source[0])


def _short_names(app: Any, tree: Any) -> None:
    """Name arrays in shapes as the sources do, without the module that JAX keeps them in."""
    for text in list(tree.findall(nodes.Text)):
        if "jaxlib._jax." in text:
            text.parent.replace(text, nodes.Text(text.replace("jaxlib._jax.", "")))


def _write_made(app: Any) -> None:
    """Write the pages that are made, where they changed."""
    for name, make in MADE.items():
        page, text = DOCS / name, make()
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def setup(app: Any) -> None:
    """Add what `docs.site` has."""
    app.add_lexer("plan", PlanLexer)
    app.add_lexer("bt", TreeLexer)
    app.add_lexer("lark", GrammarLexer)
    app.connect("builder-inited", _write_made)
    app.connect("source-read", _plain_links)
    app.connect("doctree-read", _short_names)
