"""Words for messages: near matches, lists of choices, tables, and the word at a place of a text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache

from dsl.source import Span

_TOKEN = re.compile(r"::|\|>|[^\s,;:|()\[\]{}]+|\S")
_LONGEST = 40  # every word of the languages is much shorter; keeps the search for near matches quick
_SHOWN = 60  # characters of a word that a message repeats
_NUMBERS = ("no", *["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"])


def nearest(word: str, choices: Iterable[str], former: Mapping[str, str] | None = None) -> str | None:
    """Return the choice that a misspelt or outdated word most likely stands for, or None."""
    choices, lower = tuple(choices), word.lower().replace("-", "_")
    if former and former.get(lower) in choices:
        return former[lower]
    return None if len(word) > _LONGEST and lower not in choices else _nearest(lower, choices)


@lru_cache(maxsize=1024)  # a mistake is often made again and again
def _nearest(lower: str, choices: tuple[str, ...]) -> str | None:
    if lower in choices:
        return lower
    close = get_close_matches(lower, choices, n=1, cutoff=0.65)
    begun = [choice for choice in choices if len(lower) > 1 and choice.startswith(lower)]
    return close[0] if close else begun[0] if len(begun) == 1 else None


def did_you_mean(word: str | None) -> str | None:
    """Return the hint that proposes a word, or None where there is none to propose."""
    return f"did you mean `{word}`?" if word else None


def unknown(
    what: str, word: str, choices: tuple[str, ...], former: Mapping[str, str] | None, span: Span
) -> tuple[str, Span, str | None, str | None]:
    """Return message, place, hint and help of a diagnostic about a name that is none of the choices."""
    hint = did_you_mean(nearest(word, choices, former))
    help_ = f"{what}s are {listing(choices, 'and')}" if choices else None
    return f"there is no {what} called {quoted(word)}", span, hint, help_


def quoted(word: str) -> str:
    """Return a word in quotes; of a very long one, its beginning."""
    return f"`{word if len(word) <= _SHOWN else word[:_SHOWN] + '…'}`"


def found(word: str) -> str:
    """Return what was found, in quotes where it can be shown."""
    return quoted(word) if word[:_SHOWN].isprintable() else "a character that cannot be shown"


def listing(words: Iterable[str] = (), joint: str = "or", phrases: Iterable[str] = ()) -> str:
    """Return words in quotes, then phrases without, as a list: "`a`, `b` or a number"; empty for no items."""
    items = [*(f"`{word}`" for word in words), *phrases]
    if not items:
        return ""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {joint} {items[-1]}"


def word_at(text: str, offset: int) -> tuple[int, int]:
    """Return start and end of the word or sign around an offset; past the last of them, the empty place after it."""
    last = len(text.rstrip())
    if offset >= last:
        return last, last
    for token in _TOKEN.finditer(text):
        if token.end() > offset:
            return token.span()
    raise AssertionError("a text that does not end in blanks has a token after any offset")


def plural(number: int, what: str) -> str:
    """Return "1 step", "2 steps", "1,000 games"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def differing(names: Sequence[str]) -> str:
    """Return "`a` differs", or "`a` and `b` differ"."""
    return f"{listing(names, 'and')} differ{'s' if len(names) == 1 else ''}"


def number_words(number: int) -> str:
    """Return a whole number in words up to twelve, and in digits beyond."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def places_text(places: Iterable[Sequence[float]]) -> str:
    """Return places in metres as a list, each once, as in `(3, 4) or (8, 8)`."""
    return listing(phrases=dict.fromkeys(f"({x:g}, {y:g})" for x, y in places))


def unit_words(kind: str, number: int) -> str:
    """Return the name of so many units of a type: only `spearmen` and `cavalry` are the same for all numbers."""
    return kind if number == 1 or kind in ("spearmen", "cavalry") else f"{kind}s"


def counted(kinds: Iterable[str]) -> str:
    """Return the types of some units with their numbers: "1 archer and 2 cavalry"; empty for no units."""
    numbers = Counter(kinds).items()
    return listing(phrases=(f"{number:,} {unit_words(kind, number)}" for kind, number in numbers), joint="and")


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number without a sign: ASCII digits, and no other signs that count as digits."""
    return text.isascii() and text.isdecimal()


def columns(rows: Sequence[Sequence[str]], left: Collection[int] | None = None) -> str:
    """Return rows of cells as the lines of a table, two blanks between its columns.

    Args:
        rows: As many cells in each row; the first row may be the heading.
        left: Numbers of the columns that are aligned left, while all others are aligned right; None: all of them.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    signs = ["<" if left is None or number in left else ">" for number in range(len(widths))]
    lines = ("  ".join(f"{c:{sign}{width}}" for c, sign, width in zip(row, signs, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
