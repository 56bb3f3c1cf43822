"""Kinds of values in files of TOML or JSON. Each reads a value, reports its problems, and continues.

A kind's `read` returns the checked value, or `BAD` after at least one problem. Problems are placed by key path:
`player.units[2].count` is the key `count` of the third entry (entries count from 0) of `units` in the table `player`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from dsl.wording import did_you_mean, listing, nearest
from hive.kit.errors import Problem

REQUIRED: Final = object()
BAD: Final = object()


class Problems:
    """The problems found so far in one file."""

    def __init__(self, prefix: str = "scenario") -> None:
        """Start with none; the codes of problems begin with the prefix."""
        self._prefix = prefix
        self.found: list[Problem] = []

    def add(self, code: str, place: str, message: str, help: str = "") -> Any:
        """Note a problem at a key path; returns `BAD`, so that a kind can `return problems.add(...)`."""
        self.found.append(Problem(f"{self._prefix}-{code}", message, place, help))
        return BAD


class KeyKind(Protocol):
    """The kind of value that a key may hold."""

    @property
    def default(self) -> Any:
        """The TOML value of a missing key; None: no value; `REQUIRED`: the key must be given."""
        ...

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the checked value, or `BAD` after a problem was noted."""
        ...


@dataclass(frozen=True)
class Number:
    """A number from `low` to `high`, both allowed unless `above`: then more than `low`."""

    low: float
    high: float
    default: Any = REQUIRED
    whole: bool = False
    above: bool = False
    parts: int = 0  # when set: a multiple of 1 / parts

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return a whole number as `int`, any other as `float`."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return problems.add("type", place, f"expected a number, found {describe(value)}", self._allowed())
        if not (self.low < value if self.above else self.low <= value) or not value <= self.high:
            return problems.add("range", place, f"{_figures(value)} is out of range", self._allowed())
        if self.whole and value != int(value):
            return problems.add("range", place, f"{_figures(value)} is not a whole number", self._allowed())
        if self.parts and value * self.parts != int(value * self.parts):
            near = round(value * self.parts) / self.parts
            return problems.add(
                "range", place, f"{value} is not a multiple of 1/{self.parts}", f"the nearest is {near}"
            )
        return int(value) if self.whole else float(value)

    def _allowed(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} {'above' if self.above else 'from'} {self.low} {'up ' if self.above else ''}to {self.high}"


@dataclass(frozen=True)
class Text:
    """A string; `line` forbids line breaks and text of only blanks."""

    default: Any = REQUIRED
    line: bool = False

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the text."""
        if not isinstance(value, str):
            return problems.add("type", place, f"expected text, found {describe(value)}")
        if self.line and (not value.strip() or len(value.splitlines()) > 1):
            return problems.add("range", place, "expected one line of text", "write a single line that is not empty")
        return value


@dataclass(frozen=True)
class OneOf:
    """One of some names, or a path that ends in `path`; `options` is called when read, so that it may list files."""

    what: str
    options: Callable[[], Sequence[str]]
    default: Any = REQUIRED
    path: str = ""

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the name."""
        options = self.options()
        if not isinstance(value, str):
            found = describe(value)
            return problems.add("type", place, f"expected the name of a {self.what}, found {found}", one_of(options))
        if value not in options and not (self.path and value.endswith(self.path)):
            return problems.add(
                "unknown-name", place, f"there is no {self.what} called `{value}`", hint(value, options)
            )
        return value


@dataclass(frozen=True)
class Items:
    """A list with exactly one entry for each of `kinds`."""

    kinds: tuple[KeyKind, ...]
    default: Any = REQUIRED

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the entries as a tuple."""
        if not isinstance(value, list) or len(value) != len(self.kinds):
            return problems.add("type", place, f"expected a list of {len(self.kinds)}, found {describe(value)}")
        read = tuple(
            k.read(v, f"{place}[{i}]", problems) for i, (k, v) in enumerate(zip(self.kinds, value, strict=True))
        )
        return BAD if BAD in read else read


@dataclass(frozen=True)
class Array:
    """A list of at least `least` entries of one kind."""

    of: KeyKind
    least: int = 0
    default: Any = REQUIRED

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the entries as a tuple."""
        if not isinstance(value, list):
            return problems.add("type", place, f"expected a list, found {describe(value)}")
        if len(value) < self.least:
            return problems.add("range", place, f"a list of {len(value)} is too short", f"at least {self.least}")
        read = tuple(self.of.read(v, f"{place}[{i}]", problems) for i, v in enumerate(value))
        return BAD if BAD in read else read


@dataclass(frozen=True)
class Table:
    """A table of known keys. It is read into a dict with every key, defaults filled in."""

    keys: Mapping[str, KeyKind]
    default: Any = REQUIRED

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return a dict with every key."""
        if not isinstance(value, dict):
            return problems.add("type", place, f"expected a table, found {describe(value)}", one_of(self.keys))
        for key in (k for k in value if k not in self.keys):
            where = join(place, key)
            problems.add("unknown-key", where, f"there is no key called `{key}` here", hint(key, tuple(self.keys)))
        return {key: self._entry(value, key, kind, place, problems) for key, kind in self.keys.items()}

    @staticmethod
    def _entry(value: dict[str, Any], key: str, kind: KeyKind, place: str, problems: Problems) -> Any:
        where = join(place, key)
        if key in value:
            return kind.read(value[key], where, problems)
        if kind.default is REQUIRED:
            return problems.add("missing", where, f"`{key}` is missing")
        return None if kind.default is None else kind.read(kind.default, where, problems)


@dataclass(frozen=True)
class Record(Table):
    """A table that may hold other keys too, which are ignored."""

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return a dict with every key."""
        known = {key: value[key] for key in self.keys if key in value} if isinstance(value, dict) else value
        return super().read(known, place, problems)


@dataclass(frozen=True)
class Mapped:
    """A table of entries of one kind, under any names. It is read into a dict."""

    of: KeyKind
    default: Any = REQUIRED

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the entries by name."""
        if not isinstance(value, dict):
            return problems.add("type", place, f"expected a table, found {describe(value)}")
        return {name: self.of.read(entry, join(place, name), problems) for name, entry in value.items()}


@dataclass(frozen=True)
class Optional:
    """A value of a kind, or null."""

    of: KeyKind
    default: Any = REQUIRED

    def read(self, value: Any, place: str, problems: Problems) -> Any:
        """Return the value, or None."""
        return None if value is None else self.of.read(value, place, problems)


def join(place: str, key: str) -> str:
    """Return the path of a key in the table at `place`."""
    return f"{place}.{key}" if place else key


def describe(value: Any) -> str:
    """Describe a value for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {_figures(value)}"
    if isinstance(value, str):
        return f'the text "{value if len(value) <= 30 else value[:27] + "..."}"'
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a table" if isinstance(value, dict) else "a date or time"


def _figures(value: float) -> str:
    """Return a number for a message; Python writes no whole number of more than some thousand digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value) if abs(value) < 1e18 else "a huge number"


def one_of(options: Iterable[str]) -> str:
    """Return a hint that lists the allowed values."""
    return f"write {listing(options)}"


def hint(name: str, options: Sequence[str]) -> str:
    """Return a hint with the nearest match of an unknown name, or the allowed names when none is near."""
    return did_you_mean(nearest(name, options)) or one_of(options)
