"""Read TOML files of kitchens."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from hive.kit.keep import reading


def shipped(name: str) -> str:
    """Return the text of a data file of the package."""
    return (resources.files("hive.worlds.kitchen") / "data" / name).read_text(encoding="utf-8")


def read_text(path: Path) -> str:
    """Read a file of the user.

    Raises:
        ScenarioError: It cannot be read.
    """
    return reading.read_text(path, "kitchen-file")
