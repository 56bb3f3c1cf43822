"""Read TOML files of worlds: unknown keys and wrong types become problems with their place."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from dsl.wording import did_you_mean, listing, nearest
from hive.kit.errors import Problem, ScenarioError

SCHEMA = 1
LARGEST = 1_000_000
"""Bytes of a file that is read."""

T = TypeVar("T", str, int, bool, list[Any], dict[str, Any])

_WORDS: dict[type, str] = {str: "a text", int: "an integer", bool: "true or false", list: "a list", dict: "a table"}


class Reader:
    """One file while it is read: its name, its table, and the problems found so far.

    Attributes:
        prefix: First word of the codes of problems, such as `kitchen` in `kitchen-key`.
    """

    prefix = "file"

    def __init__(self, source: str, text: str) -> None:
        """Parse a file.

        Args:
            source: Name for messages.
            text: Content.

        Raises:
            ScenarioError: It is no TOML, too long, or of another schema.
        """
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
        """Keep a problem; the code gets the prefix."""
        self.problems.append(Problem(f"{self.prefix}-{code}", message, place, help or ""))

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
        span: tuple[int, int] = (1, 1_000),
    ) -> T:
        """Return the value of a key, or the default; a missing or wrong one is a problem, and an empty value stands in.

        An integer must be inside `span`.
        """
        found = table.get(key, default)
        where = under(place, key)
        if found is None:
            self.add("missing", f"`{key}` is missing", where, f"it is {_WORDS[kind]}")
        elif type(found) is not kind:
            self.add("type", f"`{key}` must be {_WORDS[kind]}", where)
        elif isinstance(found, int) and kind is int and not span[0] <= found <= span[1]:
            self.add("range", f"`{key}` must be between {span[0]:,} and {span[1]:,}", where)
        else:
            return found
        return kind()

    def numbers(self, table: Mapping[str, Any], key: str, count: int, place: str = "") -> tuple[float, ...]:
        """Return a list of so many finite numbers between -1,000 and 1,000; zeros stand in for a wrong one."""
        found = self.value(table, key, list, place)
        if len(found) == count and all(type(each) in (int, float) and -1_000 <= each <= 1_000 for each in found):
            return tuple(float(each) for each in found)
        if found:
            self.add("type", f"`{key}` must be {count} numbers between -1,000 and 1,000", under(place, key))
        return (0.0,) * count

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


def read_text(path: Path, code: str) -> str:
    """Read a file of the user.

    Args:
        path: The file.
        code: Code of the problem if it cannot be read.

    Raises:
        ScenarioError: It cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is no text in UTF-8"
        raise ScenarioError(str(path), [Problem(code, f"the file cannot be read: {why}")]) from error


def under(place: str, key: str) -> str:
    """Return the place of a key in a table, such as `rooms[1].at`."""
    return f"{place}.{key}" if place else key
