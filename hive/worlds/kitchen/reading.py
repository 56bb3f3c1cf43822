"""Read TOML files of kitchens."""

from __future__ import annotations

from importlib import resources


def shipped(name: str) -> str:
    """Return the text of a data file of the package."""
    return (resources.files("hive.worlds.kitchen") / "data" / name).read_text(encoding="utf-8")
