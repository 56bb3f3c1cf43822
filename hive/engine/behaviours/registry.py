"""Registry of leaves: the description of each, and how its words become the numbers of a `LeafCode`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hive.engine.behaviours.tables import LeafCode

Words = tuple[str, ...]
Encoder = Callable[[Words, Words], LeafCode]


@dataclass(frozen=True)
class LeafKind:
    """An atomic of the tree language: where it may be used, what it does, and where it was defined."""

    name: str
    role: Literal["A", "C"]
    summary: str
    origin: Literal["published", "ours"]
    encode: Encoder


def registrar(kinds: dict[str, LeafKind]) -> Callable[..., Callable[[Encoder], Encoder]]:
    """A decorator that registers leaves in `kinds`.

    It is called with the leaf's name, role, summary and origin (`published` by default); the decorated function gets
    the leaf's words and its types. A name that is already registered raises a ValueError.
    """

    def leaf(
        name: str, role: Literal["A", "C"], summary: str, origin: Literal["published", "ours"] = "published"
    ) -> Callable[[Encoder], Encoder]:
        def register(encode: Encoder) -> Encoder:
            if name in kinds:
                raise ValueError(f"the leaf `{name}` is registered already")
            kinds[name] = LeafKind(name, role, summary, origin, encode)
            return encode

        return register

    return leaf


__all__ = ["Encoder", "LeafKind", "Words", "registrar"]
