"""Where the keys and values of a TOML file stand in its text, by their key paths such as `player.units[2].count`."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress

from dsl.source import Source, Span

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_TEXT = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)  # three quotes end a text, of which two more may be part
_WORD = re.compile(r"[^\s,\[\]{}#=]+(?: \d[^\s,\[\]{}#=]*)?")  # a number, a truth value, or a date and a time
_KEY = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_LAST = re.compile(r"\[\d+\]$|\.?[^.\[\]]*$")
_SYNTAX = re.compile(r"\(at line (\d+), column (\d+)\)")


class Locations:
    """The places of all keys and values of one file; the text is valid TOML, or nothing is found after its fault."""

    def __init__(self, name: str, text: str) -> None:
        """Search the text once.

        Args:
            name: Name of the file, for messages.
            text: Its text.
        """
        self._source, self._text, self._at = Source(name, text), text, 0
        self._keys: dict[str, tuple[int, int]] = {}
        self._values: dict[str, tuple[int, int]] = {}
        self._tables: Counter[str] = Counter()
        with suppress(IndexError, ValueError, RecursionError):
            self._search()

    def find(self, place: str, key: bool = False) -> Span | None:
        """Return where a key path stands, or the table that it would stand in; None: nowhere.

        Args:
            place: The key path.
            key: Whether the key itself is meant, and not its value.
        """
        while place and place not in self._keys and place not in self._values:
            shorter = _LAST.sub("", place, 1)
            place, key = (shorter if shorter != place else ""), True
        first, second = (self._keys, self._values) if key else (self._values, self._keys)
        found = first.get(place) or second.get(place)
        return Span(self._source, *found) if found else None

    def syntax(self, message: str) -> Span | None:
        """Return the place that a message of `tomllib` names; None: it names none."""
        found = _SYNTAX.search(message)
        if found is None:
            return None
        start = self._source.lines[int(found[1]) - 1][0] + int(found[2]) - 1
        return Span(self._source, start, min(start + 1, len(self._text)))

    def _search(self) -> None:
        table = ""
        while self._skip() < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _skip(self) -> int:
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at

    def _header(self) -> str:
        start, many = self._at, self._text.startswith("[[", self._at)
        self._at += 1 + many
        place = self._key("")
        if many:
            self._tables[place] += 1
            place = f"{place}[{self._tables[place] - 1}]"
        self._at = self._text.index("]", self._skip()) + 1 + many
        self._keys[place] = start, self._at
        return place

    def _key(self, place: str) -> str:
        """Read a key of one or more parts, and return its path; a part that names a list of tables means its last."""
        while found := _KEY.match(self._text, self._skip()):
            part, self._at = found[0], found.end()
            place += ("." if place else "") + (part[1:-1] if part[0] in "\"'" else part)
            self._keys.setdefault(place, found.span())
            if self._text[self._skip()] != ".":
                break
            self._at += 1
            if place in self._tables:
                place += f"[{self._tables[place] - 1}]"
        return place

    def _pair(self, table: str) -> None:
        place = self._key(table)
        self._at = self._text.index("=", self._skip()) + 1
        self._value(place)

    def _value(self, place: str) -> None:
        start = self._skip()
        opening = self._text[start]
        if opening in "[{":
            self._at, number = start + 1, 0
            while self._text[self._skip()] not in "]}":
                if opening == "{":
                    self._pair(place)
                else:
                    self._value(f"{place}[{number}]")
                number += 1
                if self._text[self._skip()] == ",":
                    self._at += 1
            self._at += 1
        else:
            found = (_TEXT if opening in "\"'" else _WORD).match(self._text, start)
            self._at = found.end() if found else start + 1
        self._values[place] = start, self._at
