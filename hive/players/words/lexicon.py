"""Words to meanings: an order as tokens, and all that each row of them may mean (`lexicon.toml`)."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

MOST = 7  # words of the longest phrase that is looked up
_TWICE = re.compile(r"([b-df-hj-np-tv-z])\1$")
_N = r"-?\d{1,9}(?:\.\d+)?"
_TOKEN = re.compile(
    r"(?P<fraction>\d{1,2}/\d{1,2}(?=\s+of\b))"
    rf"|(?P<at>[(\[]\s*(?:x\s*[=:]?\s*)?{_N}\s*(?:[,;/|]\s*|\s+)(?:y\s*[=:]?\s*)?{_N}\s*[)\]]"  # (12, 34)
    rf"|\bx\s*[=:]?\s*{_N}\s*,?\s*(?:and\s+)?y\s*[=:]?\s*{_N}"  # x=12 y=34
    rf"|(?<![\d,:.-]){_N}\s*[,/|]\s*{_N}(?!\s*[,:/|]?\s*\d|%|\s*(?:and|or)\s+\d|\s+of\b)(?=\D|$)"  # 12,34
    r"|(?:(?<=\bto )|(?<=\bat ))\d{1,4} \d{1,4}(?=\s*(?:$|[.,;!?]|and\b|then\b|with\b)))"  # to 12 34
    rf"|(?P<x>\bx\s*(?:=|:|\bis\b|\bof\b)?\s*(?:about\s*)?{_N})|(?P<y>\by\s*(?:=|:|\bis\b|\bof\b)?\s*(?:about\s*)?{_N})"
    r"|(?P<ids>\[[\d:,\s-]+\])"
    r"|(?P<range>\d{1,9}\s*(?:-|\.\.+|:)\s*\d{1,9})|(?P<since>\d{1,9}\s*(?::|\+|-(?=\s*[,;)]))(?!\d))|(?P<below>:\d{1,9})"
    r"|(?P<percent>\d{1,3}\s*(?:%|percent\b|per cent\b))"
    r"|(?P<ordinal>\d{1,9}(?:st|nd|rd|th)\b)"
    r"|(?P<number>\d{1,9}(?!\w)|\d{1,9}(?=m\b))"
    r"|(?P<word>[^\W\d_]+(?:['.][^\W\d_]+)*)"
    r"|(?P<stop>[.!?;:\n]+|\S)"
)
_FOLD = {0x2019: "'", 0x2018: "'", 0x2013: "-", 0x2014: ", ", 0x201C: '"', 0x201D: '"', 9: " ", 13: "\n"}


@cache
def table(name: str) -> dict[str, Any]:
    """Return a file of this package."""
    return tomllib.loads(resources.files("hive.players.words").joinpath(name).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Token:
    """One word, number, place in numbers, list of ids or stop of an order.

    Attributes:
        text: As it was written.
        kind: The name of its group in the pattern of tokens.
        stem: The word without endings; of a misspelt word, the one that is meant.
        value: What it says in numbers.
        read_as: What is meant by a misspelt word.
        start: Where it begins in the order as it is spelled out.
        stop: Where it ends there.
    """

    text: str
    kind: str
    stem: str = ""
    value: Any = None
    read_as: str = ""
    start: int = 0
    stop: int = 0


@dataclass(frozen=True)
class Edge:
    """What a row of tokens may mean.

    Attributes:
        kind: A table of the lexicon, a kind of token, or a category of the grammar.
        start: Number of its first token.
        stop: Number of the token after its last one.
        value: What it means.
        cost: The less, the better.
    """

    kind: str
    start: int
    stop: int
    value: Any
    cost: float = 0.0


def spelled_out(order: str) -> str:
    """Return an order with plain signs, and one way of writing for many: `not` for `n't`."""
    text = unicodedata.normalize("NFKC", order).translate(_FOLD)
    for pattern, meant in _ways():
        text = pattern.sub(meant, text)
    return text


@cache
def _ways() -> list[tuple[re.Pattern[str], str]]:
    """Return the ways of writing that `grammar.toml` lists, each with what is read in its place."""
    value = rf" *=? *({_N})"
    ways = table("grammar.toml")["written"]
    return [(re.compile(way.replace("{value}", value), re.IGNORECASE), meant) for way, meant in ways]


@cache
def stem(word: str) -> str:
    """Take off endings, so that forms of one word become equal."""
    word = word.removesuffix("'s").removesuffix("'")
    word = word.removesuffix("s") if word.endswith("ings") else word
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
    """Return all phrases of the lexicon, as stems, with their meanings by table."""
    found: dict[tuple[str, ...], dict[str, object]] = {}
    for kind, values in table("lexicon.toml").items():
        for value, ways in values.items():
            for way in ways:
                key = tuple(stem(word) for word in spelled_out(way.lower()).replace("-", " ").split())
                means = found.setdefault(key, {})
                if value != "ordinary":
                    means.setdefault(kind, int(value) if kind in ("number", "ordinal") else value)
    return found


@cache
def _vocabulary() -> tuple[frozenset[str], dict[str, tuple[str, ...]]]:
    """Return all words of the lexicon, and those that a misspelt one may stand for, by their first letter."""
    groups: dict[str, list[str]] = {}
    for phrase, means in phrases().items():
        for word in phrase if means and set(means) != {"noise"} else ():
            if len(word) >= 4:
                groups.setdefault(word[0], []).append(word)
    words = frozenset(word for phrase in phrases() for word in phrase) | frozenset(
        map(stem, (*table("grammar.toml")["skip"], *table("grammar.toml")["idle"]))
    )
    return words, {letter: tuple(dict.fromkeys(words)) for letter, words in groups.items()}


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


def spelled(word: str, names: Collection[str] = ()) -> str | None:
    """Return the stem of the word of the lexicon, or of `names`, that a misspelt word stands for, or None.

    One letter may be wrong, two in words of nine letters and more; in words of up to five letters only swapped, missing
    or surplus letters count.
    """
    if not 3 <= len(word) <= 20:
        return None
    most = 1 if len(word) < 9 else 2
    near = (*_vocabulary()[1].get(word[0], ()), *(name for name in names if len(name) >= 4 and name[0] == word[0]))
    if len(word) < 6:
        near = tuple(
            w
            for w in near
            if sorted(w) == sorted(word)
            or (w[-1] == word[-1] and len(w) > len(word) - (len(word) > 4) and len(w) != len(word))
            or (len(word) > 3 and w[:-1] == word)
        )
    ranked = min(((_distance(word, other, most), other) for other in near), default=None)
    return ranked[1] if ranked and ranked[0] <= most else None


def _value(kind: str, shown: str) -> Any:
    """Return what a token says: a cell, a coordinate, parts of ids, a number."""
    numbers = [round(float(number)) for number in re.findall(_N, shown)] if kind in ("at", "x", "y") else []
    whole = [int(number) for number in re.findall(r"\d+", shown)]
    if kind == "ids":
        parts = [part.replace("-", ":").partition(":") for part in shown.strip("[] ").split(",") if part.strip()]
        return tuple(
            (
                int(a.strip() or 0),
                (int(b) + ("-" in shown) if b.strip() else None) if colon else int(a.strip() or 0) + 1,
            )
            for a, colon, b in parts
        )
    if kind == "range":
        return ((whole[0], whole[1] + (":" not in shown)),)
    if kind in ("since", "below"):
        return ((whole[0], None),) if kind == "since" else ((0, whole[0]),)
    if kind == "fraction":
        return whole[0], whole[1]
    return tuple(numbers) if kind == "at" else numbers[0] if kind in ("x", "y") else whole[0] if whole else None


def tokens(order: str, names: Collection[str], markers: str) -> list[Token]:
    """Return an order as tokens; words that are not known are read as near ones.

    Args:
        order: The order as it is spelled out.
        names: Stems of all words in names of the map.
        markers: Letters of the markers.
    """
    found: list[Token] = []
    known = _vocabulary()[0]
    for match in _TOKEN.finditer(order):
        kind, shown, where = str(match.lastgroup), match.group().strip() or "\n", match.span()
        if kind != "word":
            found.append(Token(shown, kind, shown[:1] if kind == "stop" else "", _value(kind, shown), "", *where))
            continue
        word = stem(shown.lower())
        letters = shown.isupper() and set(shown) <= set(markers) and len(shown) < 9
        if not letters and word not in known and word not in names and not (shown.isupper() and len(shown) < 3):
            near = spelled(word, names)
            found.append(Token(shown, kind, near or word, None, near or "", *where))
        else:
            found.append(Token(shown, kind, word, None, "", *where))
    return found


def lexical(found: list[Token], names: Mapping[tuple[str, ...], str], markers: str) -> list[Edge]:
    """Return all edges of single tokens, of phrases of the lexicon, and of names of the map.

    Args:
        found: The tokens.
        names: Names of the map by their stems.
        markers: Letters of the markers.
    """
    known, edges = phrases(), list[Edge]()
    for at, token in enumerate(found):
        if token.kind != "word":
            edges.append(Edge(token.kind, at, at + 1, token.value))
            edges += [Edge(f"'{token.stem}'", at, at + 1, None)] if token.kind == "stop" else []
            continue
        edges.append(Edge(f"'{token.stem}'", at, at + 1, None))
        if token.text.lower() == "ones":
            edges.append(Edge("ones", at, at + 1, None))
        one, later = token.text, found[at + 1] if at + 1 < len(found) else Token("", "stop")
        article = one in ("A", "a", "I") and later.kind == "word" and later.stem not in ("and", "or", "then", "to")
        if markers and one.isupper() and set(one) <= set(markers) and len(one) < 9 and not article:
            edges.append(Edge("letter", at, at + 1, one, -0.5))
        elif one.upper() in markers and len(one) == 1 and one != "a":
            edges.append(Edge("letter", at, at + 1, one.upper()))
        elif one in ("N", "S", "E", "W"):
            edges.append(Edge("dir", at, at + 1, one.lower(), 0.1))
        elif len(one) == 1 and one.isupper() and one not in "AI":
            edges.append(Edge("letter", at, at + 1, one))
        stems: list[str] = []
        for stop in range(at + 1, min(len(found), at + MOST) + 1):
            if found[stop - 1].kind not in ("word", "number"):
                if found[stop - 1].stem == "-" and stop > at + 1:
                    continue
                break
            stems.append(found[stop - 1].stem or found[stop - 1].text)
            key = tuple(stems)
            means = known.get(key, {})
            for kind, value in means.items():
                if (kind == "noise" and len(means) > 1 and len(key) == 1) or (
                    kind == "number" and token.text == "ones"
                ):
                    continue
                if (
                    value == "when"
                    and stems == ["after"]
                    and stop < len(found)
                    and found[stop].stem in ("that", "this")
                ):
                    continue
                shown = str(value) if kind in ("event", "when") else kind
                edges += [Edge(shown, at, stop, value, 0.1), Edge(f"{kind}:{value}", at, stop, value, 0.1)]
                if kind == "stand" and found[stop - 1].text.lower().endswith(("ing", "ed")):
                    edges.append(Edge("standing", at, stop, value, 0.1))
                if (kind in ("marker", "squad") or value in ("bridge", "building")) and found[
                    stop - 1
                ].text.lower().endswith("s"):
                    edges.append(Edge(f"plural{kind}", at, stop, value, 0.1))
            if len(key) == 1 and at + 1 == stop and any(key[0] in name for name in names):
                edges.append(Edge("namepart", at, stop, f"~{token.text.lower()}", 0.3))
            if key in names:
                edges.append(Edge("name", at, stop, names[key], -0.5))
    return edges
