"""Every generated text of `docs/` with the file that holds it, and parts of pages between marks."""

from __future__ import annotations

from pathlib import Path

from docs.make.editor import make_editor
from docs.make.reference import make_reference
from docs.make.tutorial import PAGE, make_tutorial

DOCS = PAGE.parent


def replaced(page: str, name: str, text: str) -> str:
    """Return a page with another text between the marks of a name.

    Raises:
        ValueError: It has no such marks, which are `<!-- NAME -->` and `<!-- end of NAME -->`.
    """
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    head, _, rest = page.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise ValueError(f"the page has no marks for `{name}`")
    return f"{head}{begin}{text}{end}{tail}"


def pages() -> dict[Path, str]:
    """Return the text that each file should hold now."""
    return {
        DOCS / "reference.md": make_reference(),
        PAGE: make_tutorial(PAGE.read_text(encoding="utf-8")),
        **{DOCS / "editor" / name: text for name, text in make_editor().items()},
    }
