"""Every generated text of `docs/` with the file that holds it."""

from __future__ import annotations

from pathlib import Path

from docs.make.editor import make_editor
from docs.make.reference import make_reference
from docs.make.tutorial import PAGE, make_tutorial

DOCS = PAGE.parent


def pages() -> dict[Path, str]:
    """Return the text that each file should hold now."""
    return {
        DOCS / "reference.md": make_reference(),
        PAGE: make_tutorial(PAGE.read_text(encoding="utf-8")),
        **{DOCS / "editor" / name: text for name, text in make_editor().items()},
    }
