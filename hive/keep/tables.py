"""Read TOML files of a world: unknown keys and wrong types become problems with their place."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from dsl.wording import did_you_mean, listing, nearest
from hive.errors import Problem, ScenarioError

SCHEMA = 1
LARGEST = 1_000_000
"""Bytes of a file that is read."""

T = TypeVar("T", str, int, bool, list[Any], dict[str, Any])

_WORDS: dict[type, str] = {str: "a text", int: "an integer", bool: "true or false", list: "a list", dict: "a table"}


class Reader:
    """One file while it is read: its name, its table, and the problems found so far."""

    def __init__(self, world: str, source: str, text: str) -> None:
        """Parse a file.

        Args:
            world: Kind of world, such as `kitchen`: the first part of each problem's code.
            source: Name for messages.
            text: Content.

        Raises:
            ScenarioError: It is no TOML, too long, or of another schema.
        """
        self.world = world
        self.source = source
        self.problems: list[Problem] = []
        if len(text) > LARGEST:
            self.add("long", f"the file has {len(text):,} characters; at most {LARGEST:,} are read")
            self.finish()
        try:
            self.table: dict[str, Any] = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            self.add("syntax", f"this is no valid TOML: {error}")
            self.finish()
        if self.table.pop("schema", None) != SCHEMA:
            self.add("schema", f"the file must begin with `schema = {SCHEMA}`", "schema")
            self.finish()

    def add(self, code: str, message: str, place: str = "", help: str | None = None) -> None:
        """Keep a problem; its code is printed after the kind of world."""
        self.problems.append(Problem(f"{self.world}-{code}", message, place, help or ""))

    def finish(self) -> None:
        """Raise what was found.

        Raises:
            ScenarioError: There is at least one problem.
        """
        if self.problems:
            raise ScenarioError(self.source, self.problems)

    def only(self, table: Mapping[str, Any], allowed: Collection[str], place: str = "") -> None:
        """Refuse keys that are not known."""
        for key in table:
            if key not in allowed:
                help = did_you_mean(nearest(key, allowed)) or f"the keys here are {listing(sorted(allowed), 'and')}"
                self.add("key", f"there is no key `{key}` here", under(place, key), help)

    def value(
        self,
        table: Mapping[str, Any],
        key: str,
        kind: type[T],
        place: str = "",
        default: T | None = None,
        *,
        lowest: int = 1,
        highest: int = 1_000,
    ) -> T:
        """Return the value of a key, or the default; a missing or wrong one is a problem, and an empty value stands in.

        Args:
            table: The table that has the key.
            key: The key.
            kind: Type of its value.
            place: Place of the table.
            default: Value if the key is missing; None: it must be there.
            lowest: Smallest integer that is allowed.
            highest: Largest.
        """
        found = table.get(key, default)
        where = under(place, key)
        if found is None:
            self.add("missing", f"`{key}` is missing", where, f"it is {_WORDS[kind]}")
        elif type(found) is not kind:
            self.add("type", f"`{key}` must be {_WORDS[kind]}", where)
        elif isinstance(found, int) and kind is int and not lowest <= found <= highest:
            self.add("range", f"`{key}` must be between {lowest:,} and {highest:,}", where)
        else:
            return found
        return kind()

    def texts(self, table: Mapping[str, Any], key: str, place: str = "") -> tuple[str, ...]:
        """Return a list of texts; an entry of another type is a problem."""
        found = self.value(table, key, list, place)
        for number, each in enumerate(found):
            if not isinstance(each, str):
                self.add("type", "the entries must be texts", f"{under(place, key)}[{number}]")
        return tuple(each for each in found if isinstance(each, str))

    def tables(self, table: Mapping[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return the tables of a list with the place of each."""
        for number, each in enumerate(self.value(table, key, list)):
            place = f"{key}[{number}]"
            if isinstance(each, dict):
                yield place, each
            else:
                self.add("type", "the entries must be tables", place)


def under(place: str, key: str) -> str:
    """Return the place of a key inside a place, which may be empty."""
    return f"{place}.{key}" if place else key


def read_text(path: Path, world: str) -> str:
    """Read a file of the user.

    Raises:
        ScenarioError: It cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(str(path), [Problem(f"{world}-file", f"the file cannot be read: {error}")]) from error
