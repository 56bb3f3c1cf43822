"""Words to meanings: an order as items, each with everything that its words may mean (`lexicon.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from dsl.wording import is_whole

MOST = 5  # words of the longest phrase that is looked up
_TWICE = re.compile(r"([b-df-hj-np-tv-z])\1$")
_NUMBER = r"(-?\d{1,9}(?:\.\d+)?)"
_PAIR = rf"{_NUMBER}\s*(?:[,;/|]\s*|\s+)(?:y\s*[=:]?\s*)?{_NUMBER}"
_TOKEN = re.compile(
    rf"\(\s*(?:x\s*[=:]?\s*)?{_PAIR}\s*\)"  # (12, 34)
    rf"|\[\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\](?!\s*units)"  # [12, 34]
    rf"|\bx\s*[=:]?\s*{_NUMBER}\s*,?\s*(?:and\s+)?y\s*[=:]?\s*{_NUMBER}"  # x=12 y=34
    rf"|(?<![\d,:.-]){_NUMBER}\s*[,/]\s*{_NUMBER}(?!\s*[,:/]?\s*\d|%|\s*(?:and|or)\s+\d)(?=\D|$)"  # 12,34
    r"|(?P<ids>\[[\d:,\s]+\])"
    r"|(?P<range>\d{1,9}\s*(?:-|–|\.\.|:)\s*\d{1,9}|\d{1,9}\s+(?:to|through|thru)\s+\d{1,9})"
    r"|(?P<percent>\d{1,3}\s*(?:%|percent\b|per cent\b))"
    r"|(?P<number>\d{1,9}(?:st|nd|rd|th)?\b)"
    r"|(?P<word>[^\W\d_]+(?:['.-][^\W\d_]+)*)"
    r"|(?P<stop>[.!?;:\n]+|,|\S)"
)


@dataclass(frozen=True)
class Item:
    """One phrase of an order.

    Attributes:
        text: As it was written.
        means: Each kind of meaning (a table of the lexicon) with its value.
        read_as: The spelling that was meant, if it was misspelt.
    """

    text: str
    means: Mapping[str, object] = field(default_factory=dict)
    read_as: str = ""

    def get(self, *kinds: str) -> object | None:
        """Return the value of the first of some kinds that this phrase may have."""
        return next((self.means[kind] for kind in kinds if kind in self.means), None)


_NOT = re.compile(r"(?<=[a-z])n't\b|\b(do|does|did|is|are|was|were|should|would|could|must|need|have|has)(nt)\b")


def spelled_out(text: str) -> str:
    """Return a text in lower case with `not` for `n't`."""
    return _NOT.sub(lambda found: f"{found.group(1) or ''} not", text)


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
    return _TWICE.sub(r"\1", word) if len(word) > 3 else word


@cache
def phrases() -> dict[tuple[str, ...], dict[str, object]]:
    """Return all phrases of the lexicon, as stems, with their meanings."""
    text = resources.files("hive.players.words").joinpath("lexicon.toml").read_text(encoding="utf-8")
    found: dict[tuple[str, ...], dict[str, object]] = {}
    for kind, table in tomllib.loads(text).items():
        for value, ways in table.items():
            for way in ways:
                means = found.setdefault(tuple(stem(word) for word in spelled_out(way.lower()).split()), {})
                if value != "ordinary":
                    means.setdefault(kind, int(value) if kind in ("number", "ordinal") else value)
    return found


@cache
def _vocabulary() -> dict[str, tuple[str, ...]]:
    """Return words that a misspelt one may stand for, by their first letter."""
    groups: dict[str, list[str]] = {}
    for phrase, means in phrases().items():
        if means and set(means) != {"noise"}:
            for word in phrase:
                if len(word) >= 4:
                    groups.setdefault(word[0], []).append(word)
    return {letter: tuple(dict.fromkeys(words)) for letter, words in groups.items()}


def _distance(one: str, other: str, most: int) -> int:
    """Return the number of letters added, dropped, changed or swapped; more than `most` counts as `most` + 1."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row = row, [i]
        for j, b in enumerate(other, 1):
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
        before = last
    return row[-1]


@cache
def _known_words() -> frozenset[str]:
    return frozenset(word for phrase in phrases() for word in phrase)


def spelled(word: str, names: tuple[str, ...] = ()) -> str | None:
    """Return the stem of the word of the lexicon, or of `names`, that a misspelt word stands for, or None."""
    if len(word) < 4 or len(word) > 20:
        return None
    most = 1 if len(word) < 9 else 2
    near = (*_vocabulary().get(word[0], ()), *(_vocabulary().get(word[1], ()) if word[1] != word[0] else ()), *names)
    ranked = min(((_distance(word, other, most), other[0] != word[0], other) for other in near), default=None)
    return ranked[2] if ranked and ranked[0] <= most else None


def tokens(text: str) -> list[Item]:
    """Return numbers, places in numbers, lists of ids, words and stops, in order; only numbers have meanings yet."""
    found = []
    for match in _TOKEN.finditer(text):
        groups = [group for group in match.groups()[:8] if group is not None]
        kind, shown = match.lastgroup, match.group()
        if len(groups) == 2:
            found.append(Item(shown, {"at": (round(float(groups[0])), round(float(groups[1])))}))
        elif kind == "ids":
            found.append(Item(shown, {"ids": _listed(shown)}))
        elif kind == "range":
            first, last = (int(part) for part in re.findall(r"\d+", shown))
            found.append(Item(shown, {"range": (first, last + (":" not in shown))}))
        elif kind == "percent":
            found.append(Item(shown, {"percent": int(re.findall(r"\d+", shown)[0])}))
        elif kind == "number":
            value = int(re.findall(r"\d+", shown)[0])
            found.append(Item(shown, {"number" if is_whole(shown) else "ordinal": value}))
        elif kind == "word":
            found.append(Item(shown, {"word": True}))
        else:
            found.append(Item(shown, {"stop": shown[0]}))
    return found


def _listed(text: str) -> tuple[tuple[int, int | None], ...]:
    """Return the first id and the excluded end of each part of a list in brackets."""
    parts = []
    for part in text.strip("[] ").split(","):
        first, colon, last = part.strip().partition(":")
        start = int(first.strip() or 0)
        parts.append((start, (int(last) if last.strip() else None) if colon else start + 1))
    return tuple(parts)


def read(text: str, names: Mapping[tuple[str, ...], dict[str, object]]) -> list[Item]:
    """Return an order as items: the longest phrases of the lexicon and of a map's `names`, else single words.

    A word that is in neither is read as the nearest one that is (one letter wrong, two in words of nine and more).
    """
    raw, known = tokens(text), phrases()
    own = {word for name in names for word in name}
    stems, meant = [], []
    for item in raw:
        word = stem(item.text.lower()) if "word" in item.means else ""
        better = None
        if (
            word
            and not (item.text.isupper() and len(word) < 9)
            and word not in own
            and word not in _known_words()
            and len(word) > 1
        ):
            better = spelled(word, tuple(each for each in own if len(each) >= 4))
        stems.append(better or word)
        meant.append(better or "")
    items: list[Item] = []
    at = 0
    while at < len(raw):
        if not stems[at]:
            items.append(raw[at])
            at += 1
            continue
        for length in range(min(MOST, len(raw) - at), 0, -1):
            key = tuple(stems[at : at + length])
            means = {**known.get(key, {}), **names.get(key, {})}
            if all(key) and means:
                break
        shown = " ".join(item.text for item in raw[at : at + length])
        wrong = " ".join(word for word in meant[at : at + length] if word)
        if length == 1 and len(shown) == 1 and ((shown.isupper() and shown != "I") or shown not in "aiI"):
            means = {"letter": shown.upper(), **means}
        elif not means and length == 1 and shown.isupper() and 2 <= len(shown) <= 8 and len(set(shown)) == len(shown):
            means = {"letter": shown}
        items.append(Item(shown, means, wrong))
        at += length
    return [
        item if item.text != "A" or not _article(items, number) else Item("A", {"noise": "noise"})
        for number, item in enumerate(items)
    ]


def _article(items: Sequence[Item], number: int) -> bool:
    """Whether `A` stands before a noun."""
    later = items[number + 1 : number + 2]
    return bool(later) and later[0].text.lower() not in ("and", "then", "to", "or", "via") and not later[0].get(
        "stop", "letter", "when", "then", "manner", "alphabet"
    )  # fmt: skip
