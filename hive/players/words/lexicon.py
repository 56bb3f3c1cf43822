"""Words to meanings: an order as items, each with everything that its words may mean (`lexicon.toml`)."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import resources
from typing import Any

MOST = 7  # words of the longest phrase that is looked up
ARTICLES = {"a", "an", "the"}  # a phrase may be said with or without them
_N = r"-?\d{1,9}(?:\.\d+)?"
_TO = r"(?:(?<=\bto )|(?<=\bat )|(?<=\bby )|(?<=\bon )|(?<=\bvia )|(?<=near )|(?<=hold )|(?<=round ))"
_NO_NOUN = r"(?!\s*(?:[\d%]|,\s*\d|m\b|met|pace|tick|of\b|men\b|unit|archer|spear|cav|each\b|and\s+\d|or\s+\d))"
_TOKEN = re.compile(
    rf"(?P<at>[(\[]\s*(?:x\s*[=:]?\s*)?{_N}\s*(?:[,;/|]\s*|\s+)(?:y\s*[=:]?\s*)?{_N}\s*[)\]]"  # (12, 34)
    rf"|\bx\s*[=:]?\s*{_N}\s*,?\s*(?:and\s+)?y\s*[=:]?\s*{_N}"  # x=12 y=34
    rf"|(?<![\d,.:-])\d{{1,3}}[,/]\d{{1,3}}(?!\s*(?:[\d%]|,\s*\d|of\b))"  # 12,34
    rf"|{_TO}\d{{1,3}},? \d{{1,3}}\b{_NO_NOUN}"  # to 12, 34
    rf"|{_TO}\d{{1,3}} \d{{1,3}}\b(?!\s*(?:[\d%]|m\b|met|pace|tick|of\b)))"
    rf"|(?P<xs>\bx\s*[=:]?\s*{_N}(?:\s*(?:,\s*and|,|and)\s*{_N})*)|(?P<y>\by\s*[=:]?\s*{_N})"
    r"|(?P<ids>\[[\d:,\s]+\])"
    r"|(?P<range>\d{1,9}\s*(?:-|\.\.|:)\s*\d{1,9}|\d{1,9}\s+(?:to|through|thru)\s+\d{1,9}(?!\s*,?\s*\d))"
    r"|(?P<percent>\d{1,3}\s*(?:%|percent\b|per cent\b))|(?P<metres>\d{1,9}\s?m\b)"
    r"|(?P<ordinal>\d{1,9}(?:st|nd|rd|th)\b)|(?P<number>\d{1,9}\b)"
    r"|(?P<word>[^\W\d_]+(?:['.-][^\W\d_]+)*)|(?P<stop>[.!?;:\n]+|\S)"
)
_FOLD = {0x2019: "'", 0x2018: "'", 0x2013: "-", 0x2014: "-", 0x201C: '"', 0x201D: '"', 9: " ", 13: "\n"}


@dataclass(frozen=True)
class Item:
    """One phrase of an order.

    Attributes:
        text: As it was written.
        means: Each kind of meaning (a table of the lexicon) with its value.
        read_as: The word that was meant by one that is misspelt.
    """

    text: str
    means: Mapping[str, object] = field(default_factory=dict)
    read_as: str = ""

    def get(self, *kinds: str) -> object | None:
        """Return the value of the first of some kinds that this phrase may have."""
        return next((self.means[kind] for kind in kinds if kind in self.means), None)

    @cached_property
    def tags(self) -> frozenset[str]:
        """What patterns may say of it: each kind, `kind:value`, and its words in quotes."""
        valued = (f"{kind}:{value}".replace(" ", "_") for kind, value in self.means.items())
        return frozenset((*self.means, *valued, f"'{self.text.lower().replace(' ', '_')}'"))


@cache
def _lexicon() -> dict[str, Any]:
    text = resources.files("hive.players.words").joinpath("lexicon.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def spelled_out(order: str) -> str:
    """Return an order with plain signs, and one way of writing for many, such as `not` for `n't`."""
    text = unicodedata.normalize("NFKC", order).translate(_FOLD)
    for way, meant in _lexicon()["written"]["ways"]:
        text = re.sub(way, meant, text, flags=re.IGNORECASE)
    return text


def stem(word: str) -> str:
    """Take off endings, so that forms of one word become equal."""
    word = word.removesuffix("'s")
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ing") and len(word) > 5:
        word = word[:-3]
    elif (word.endswith("ed") and len(word) > 4) or word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    word = word.removesuffix("e") if len(word) > 3 else word
    return re.sub(r"([b-df-hj-np-tv-z])\1$", r"\1", word) if len(word) > 3 else word


def _short(phrase: tuple[str, ...]) -> tuple[str, ...]:
    """Return a phrase without articles inside it."""
    return phrase[:1] + tuple(word for word in phrase[1:-1] if word not in ARTICLES) + phrase[1:][-1:]


@cache
def phrases() -> dict[tuple[str, ...], dict[str, object]]:
    """Return all phrases of the lexicon, as stems, with their meanings."""
    found: dict[tuple[str, ...], dict[str, object]] = {}
    for kind, table in _lexicon().items():
        for value, ways in table.items() if kind != "written" else ():
            for way in ways:
                key = tuple(stem(word) for word in spelled_out(way).replace("-", " ").split())
                means = found.setdefault(_short(key), {})
                if value != "ordinary":
                    means.setdefault(kind, int(value) if kind in ("number", "ordinal") else value)
    return found


@cache
def _words() -> dict[str, str]:
    """Return a word of the lexicon for each stem."""
    ways = (way for kind, table in _lexicon().items() if kind != "written" for ways in table.values() for way in ways)
    words = {word for way in ways for word in way.replace("-", " ").split()}
    return {stem(word): word for word in sorted(words, key=len, reverse=True)}


def _meant(word: str) -> str | None:
    """Return the stem of the lexicon that a misspelt one of four letters or more stands for."""
    near = [each for each in _words() if each[0] == word[0] and abs(len(each) - len(word)) < 2 < len(each)]
    return next(iter(get_close_matches(word, near, 1, 0.84 if len(word) > 5 else 0.88)), None)


def _value(kind: str, shown: str) -> object:
    """Return what a token says: a cell, coordinates, parts of ids, a number, the first sign of a stop."""
    numbers = [round(float(number)) for number in re.findall(_N, shown)]
    if kind in ("word", "stop"):
        return kind == "word" or shown[0]
    if kind == "ids":
        parts = [part.strip().partition(":") for part in shown.strip("[] ").split(",")]
        return tuple((int(a or 0), (int(b) if b.strip() else 10**9) if colon else int(a) + 1) for a, colon, b in parts)
    if kind == "range":
        whole = [int(number) for number in re.findall(r"\d+", shown)]
        return whole[0], whole[1] + (":" not in shown)
    return tuple(numbers) if kind in ("at", "xs") else numbers[0]


def read(order: str, names: Mapping[tuple[str, ...], dict[str, object]], markers: Collection[str]) -> list[Item]:
    """Return an order as items: the longest phrases of the lexicon and of a map's `names`, else single words.

    A word that is in neither is read as the nearest one that is. `A` is a marker where the map has one of that letter,
    and no noun follows.
    """
    raw, stems, fixed = list[Item](), list[str](), list[str]()
    known, own = phrases(), {word for name in names for word in name}
    for match in _TOKEN.finditer(spelled_out(order)):
        kind, shown = str(match.lastgroup), match.group().strip() or "\n"
        for part in shown.split("-") if kind == "word" else (shown,):
            word = stem(part.lower()) if kind == "word" else part if kind == "number" else ""
            strange = kind == "word" and word not in own and word not in _words() and not part.isupper()
            meant = _meant(word) if strange and len(word) > 3 else None
            raw.append(Item(part, {kind: _value(kind, part)}))
            stems.append(meant or word)
            fixed.append(_words()[meant] if meant else "")
    items, at = list[Item](), 0
    while at < len(raw):
        for length in range(min(MOST, len(raw) - at), 0, -1):
            key = tuple(stems[at : at + length])
            means = {**known.get(_short(key), {}), **names.get(key, {})} if all(key) else {}
            if means:
                break
        text = " ".join(item.text for item in raw[at : at + length])
        letter = text if len(text) == 1 and text.isupper() and text != "I" else ""
        letter = text.upper() if not letter and not means and {*text.upper()} <= {*markers} else letter
        if letter and not (letter == "A" and len(raw) > at + 1 and _noun(known.get((stems[at + 1],), {}))):
            means = {"letter": letter}
        numeric = raw[at].means if length == 1 and "word" not in raw[at].means else {}
        items.append(Item(text, {**means, **numeric}, " ".join(filter(None, fixed[at : at + length]))))
        at += length
    return items


def _noun(means: Mapping[str, object]) -> bool:
    return bool(means.keys() & {"type", "class", "share", "squad", "number", "feature", "dir"})
