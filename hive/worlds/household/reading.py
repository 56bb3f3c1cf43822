"""Read TOML files of households."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated

from msgspec import Meta

Metres = Annotated[float, Meta(ge=-1_000, le=1_000)]


def shipped(folder: str, name: str) -> str:
    """Return the text of a data file of the package."""
    return (resources.files("hive.worlds.household") / "data" / folder / f"{name}.toml").read_text(encoding="utf-8")


@cache
def shipped_names(folder: str) -> tuple[str, ...]:
    """Return the names of the shipped files of a folder, sorted by kind and number."""
    found = (resources.files("hive.worlds.household") / "data" / folder).iterdir()
    names = [each.name.removesuffix(".toml") for each in found if each.name.endswith(".toml")]
    return tuple(sorted(names, key=lambda name: (len(name), name)))
