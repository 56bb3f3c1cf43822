"""Rules of a grammar as values, and their text as GBNF (llama.cpp) and as Lark (llguidance)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeAlias

_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Digit:
    """One digit from `low` to `high`."""

    low: int
    high: int


@dataclass(frozen=True)
class Use:
    """What another rule stands for. In capitals it is a word, which holds text and digits but no other rule."""

    name: str


@dataclass(frozen=True)
class Join:
    """All parts, one after the other."""

    parts: tuple[RuleBody, ...]


@dataclass(frozen=True)
class Pick:
    """Exactly one of the options."""

    options: tuple[RuleBody, ...]


@dataclass(frozen=True)
class Maybe:
    """The body or nothing."""

    body: RuleBody


RuleBody: TypeAlias = str | Digit | Use | Join | Pick | Maybe
"""What a rule stands for; a string stands for itself."""

Rules: TypeAlias = Mapping[str, RuleBody]
"""Bodies by the name of their rule, the first of which is `start`. Names are letters and digits."""


def join(*parts: RuleBody) -> RuleBody:
    """Return all parts in a row; strings that meet become one."""
    merged: list[RuleBody] = []
    for part in chain.from_iterable(part.parts if isinstance(part, Join) else (part,) for part in parts):
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return merged[0] if len(merged) == 1 else Join(tuple(merged))


def pick(*options: RuleBody) -> RuleBody:
    """Return a choice, or the only option."""
    return options[0] if len(options) == 1 else Pick(options)


def numeral(low: int, high: int) -> RuleBody:
    """Return the body of every whole number from `low` to `high` in decimal digits; `low` is 0 or 1."""
    firsts = [(digit, _digits_after(digit, high)) for digit in range(1, 10) if digit <= high]
    return pick(*(["0"] if low == 0 else []), *_grouped(firsts))


def _digits_after(number: int, high: int) -> RuleBody | None:
    """Return the digits that may follow those of a number from 1, which may also end here; None: no digit may."""
    room = 0  # most digits that may follow
    while number * 10 ** (room + 1) <= high:
        room += 1
    if (number + 1) * 10**room <= high + 1:  # any digits may
        body: RuleBody | None = None
        for _ in range(room):
            body = Maybe(join(Digit(0, 9), body or ""))
        return body
    nexts = [(digit, _digits_after(10 * number + digit, high)) for digit in range(10) if 10 * number + digit <= high]
    return Maybe(pick(*_grouped(nexts)))


def _grouped(digits: list[tuple[int, RuleBody | None]]) -> list[RuleBody]:
    """Join neighbouring digits that go on alike."""
    runs: list[tuple[int, int, RuleBody | None]] = []
    for digit, after in digits:
        if runs and runs[-1][2] == after:
            runs[-1] = (runs[-1][0], digit, after)
        else:
            runs.append((digit, digit, after))
    return [join(str(low) if low == high else Digit(low, high), after or "") for low, high, after in runs]


class Length(NamedTuple):
    """At most so many words, numbers and signs, and so many characters."""

    words: int
    characters: int


def longest_text(rules: Rules) -> dict[str, Length]:
    """Return how long the texts of each rule are at most, where rules use later ones alone."""
    found: dict[str, Length] = {}

    def of(body: RuleBody) -> Length:
        match body:
            case str():
                return Length(len(_WORD.findall(body)), len(body))
            case Digit():
                return Length(1, 1)
            case Use(name):
                return found[name]
            case Maybe(part):
                return of(part)
            case Join(parts):
                return Length(*map(sum, zip(*map(of, parts), strict=True)))
            case Pick(options):
                return Length(*map(max, zip(*map(of, options), strict=True)))

    for name in reversed(tuple(rules)):
        words, characters = of(rules[name])
        found[name] = Length(1 if name.isupper() else words, characters)  # in capitals it is one number
    return found


def write_gbnf(rules: Rules) -> str:
    """Return the rules as GBNF, which begins at `root`."""
    names = {name: "root" if name == "start" else name.lower() for name in rules}
    text = partial(_text, names=names, digit="[{0.low}-{0.high}]")
    return "".join(f"{names[name]} ::= {text(body)}\n" for name, body in rules.items())


def write_lark(rules: Rules) -> str:
    """Return the rules as Lark, which begins at `start`."""
    text = partial(_text, names={name: name for name in rules}, digit="/[{0.low}-{0.high}]/")
    return "".join(f"{name}: {text(body)}\n" for name, body in rules.items())


def _text(body: RuleBody, names: Mapping[str, str], digit: str, binds: int = 0) -> str:
    """Return the text of a body. It has brackets where what stands around it binds more: 1 for a row, 2 for a `?`."""
    inner = partial(_text, names=names, digit=digit)
    match body:
        case str():
            return json.dumps(body, ensure_ascii=False)
        case Digit():
            return digit.format(body)
        case Use(name):
            return names[name]
        case Maybe(part):
            return f"{inner(part, binds=2)}?"
        case Join(parts):
            text, own = " ".join(inner(part, binds=1) for part in parts), 1
        case Pick(options):
            text, own = " | ".join(inner(option) for option in options), 0
    return f"({text})" if own < binds else text
