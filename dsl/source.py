"""Places in a text: offsets, and their lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_ODD_BLANK = re.compile(r"[^\S \t\r\n]|[\u200b\ufeff]")


@dataclass(frozen=True)
class Source:
    """A text with the name that messages give it.

    Attributes:
        name: File name, or a stand-in such as `<plan>`.
        text: The whole text, as read.
    """

    name: str
    text: str = field(repr=False)

    @cached_property
    def plain(self) -> str:
        """The text with line feeds for line breaks and plain blanks for unusual ones; offsets are those of `text`."""
        return _ODD_BLANK.sub(" ", self.text.replace("\r\n", " \n").replace("\r", "\n"))

    @cached_property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """Start and end offset of every line, without its line break (LF, CRLF or CR)."""
        bounds, start = [], 0
        for line_break in _LINE_BREAK.finditer(self.text):
            bounds.append((start, line_break.start()))
            start = line_break.end()
        return (*bounds, (start, len(self.text)))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(start for start, _ in self.lines)

    def locate(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both counted from 1, columns in characters."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of a line, counted from 1, without its line break."""
        start, end = self.lines[number - 1]
        return self.text[start:end]


@dataclass(frozen=True)
class Span:
    """A stretch of a source: `start` included, `end` excluded; an empty one is a place between characters."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters covered."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """Line of the first character, from 1."""
        return self.source.locate(self.start)[0]

    @property
    def column(self) -> int:
        """Column of the first character, from 1."""
        return self.source.locate(self.start)[1]

    @property
    def end_line(self) -> int:
        """Line of the place just after the last character, from 1."""
        return self.source.locate(self.end)[0]

    @property
    def end_column(self) -> int:
        """Column of the place just after the last character, from 1."""
        return self.source.locate(self.end)[1]


def find_excess(source: Source, most: int, start: int = 0, end: int | None = None, ignored: str = "") -> Span | None:
    """Return the first character of a stretch of a text beyond a limit; None: it has none.

    Args:
        source: The text.
        most: How many characters are allowed, without blanks and line breaks.
        start: Where the stretch begins.
        end: Where it ends; None: at the end of the text.
        ignored: Characters that are not counted either.
    """
    text = source.text[start:end]
    if len(text) <= most:
        return None
    counted = "".join(text.split())
    for character in ignored:
        counted = counted.replace(character, "")
    if len(counted) <= most:
        return None
    characters = (place for place, each in enumerate(text) if not (each.isspace() or each in ignored))
    place = start + next(islice(characters, most, None))
    return Span(source, place, place + 1)


NO_SPAN = Span(Source("<none>", ""), 0, 0)
"""The span of a node made by hand rather than read from a text."""
