"""What is printed: texts from outside may not command a terminal.

A name of a file, a title, a plan or a reply may hold control characters, with which a terminal hides, moves or rewrites
what stands on it. All output of the commands passes through `escaped_output`, which writes such characters as escapes.
Output that has colours of its own, such as the bar of progress, writes to `raw_stream` and escapes its texts itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

_COMMANDING = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # these turn the direction of writing
    "\u2028\u2029"  # ends of lines and paragraphs
    "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"  # these show nothing
    "\ud800-\udfff"  # halves of a character, which no encoding can write
    "]"
)


def escape(text: str) -> str:
    r"""Return a text with control characters, signs that turn its direction and invisible signs written as escapes.

    Tabs and line feeds stay. The escapes are those of Python, such as `\x1b` and `\u202e`.
    """
    return _COMMANDING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class EscapedStream:
    """A text stream that writes what `escape` returns, and escapes what the stream cannot encode."""

    def __init__(self, stream: TextIO) -> None:
        """Write to another stream."""
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text with its control characters escaped; return the length of the text."""
        shown = escape(text)
        encoding = getattr(self.stream, "encoding", None)
        if encoding and not shown.isascii():
            shown = shown.encode(encoding, "backslashreplace").decode(encoding)
        self.stream.write(shown)
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        """Return whatever else the stream offers."""
        return getattr(self.stream, name)


def raw_stream(stream: TextIO) -> TextIO:
    """Return the stream behind one that escapes; other streams are returned as they are."""
    return raw_stream(stream.stream) if isinstance(stream, EscapedStream) else stream


@contextmanager
def escaped_output() -> Iterator[None]:
    """Escape everything that is written to standard output and standard error, until the block ends."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, EscapedStream(raw_stream(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
