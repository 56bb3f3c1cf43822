"""Words to meanings: an order as items, each with everything that its words may mean (`lexicon.toml`)."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Any

MOST = 7  # words of the longest phrase that is looked up
ARTICLES = {"a", "an", "the", "any"}  # a phrase of the lexicon may be said with or without them
IDLE = {
    *ARTICLES,
    "wel",
    "right",
    "far",
    "very",
    "just",
    "quit",
    "realy",
}  # stems that change nothing inside what is said
WHOLE = ("note", "notes", "noted", "besides")  # words whose stem would be another word
_TWICE = re.compile(r"([b-df-hj-np-tv-z])\1$")
_N = r"-?\d{1,9}(?:\.\d+)?"
_TOKEN = re.compile(
    rf"(?P<at>[(\[]\s*(?:x\s*[=:]?\s*)?{_N}\s*(?:[,;/|]\s*|\s+)(?:y\s*[=:]?\s*)?{_N}\s*[)\]](?!\s*units)"  # (12, 34)
    rf"|\bx\s*[=:]?\s*{_N}\s*,?\s*(?:and\s+)?y\s*[=:]?\s*{_N}"  # x=12 y=34
    r"|(?<![\d,:.-])(?<!ridge )(?<!arker )(?<!-[Ee]ast )(?<!-[Ww]est )"  # `Bridge 1, 20 archers ...`
    rf"{_N}\s*[,/]\s*{_N}(?!\s*[,:/]?\s*\d|%|\s*(?:and|or)\s+\d|\s+of\b)(?=\D|$)"  # 12,34
    rf"|(?<![\d/])\d{{2,3}}/\d{{2,3}}(?![\d/])"  # at 12/34, 56/78 and 90/12
    rf"|(?<=between ){_N},\s?{_N}(?=\s+and\s+\d+\s?,))"  # between 12,34 and 56,78
    r"|(?P<pair>(?:(?<=\bto )|(?<=\bat ))\d{1,4} \d{1,4}(?=\s*(?:$|[.,;!?]|and\b|then\b|with\b|from\b)))"  # to 12 34
    rf"|(?P<xs>\bx\s*[=:]?\s*{_N}(?:\s*(?:,\s*and|,|and)\s*{_N})*)"
    rf"|(?P<y>\by\s*[=:]?\s*{_N})"
    r"|(?P<ids>\[[\d:,\s]+\])"
    r"|(?P<range>\d{1,9}\s*(?:-|\.\.|:)\s*\d{1,9}|\d{1,9}\s+(?:to|through|thru)\s+\d{1,9})"
    r"|(?P<percent>\d{1,3}\s*(?:%|percent\b|per cent\b))"
    r"|(?P<metres>\d{1,9}(?:\s*m\b|(?=-met))(?:\s+(?=behind))?)"
    r"|(?P<number>\d{1,9}\b)|(?P<ordinal>\d{1,9}(?:st|nd|rd|th)\b)"
    r"|(?P<word>[^\W\d_]+(?:['.-][^\W\d_]+)*)"
    r"|(?P<stop>[.!?;:\n]+|\S)"
)
_FOLD = {0x2019: "'", 0x2018: "'", 0x2013: "-", 0x2014: "-", 0x201C: '"', 0x201D: '"', 9: " ", 13: "\n"}


@cache
def _table() -> dict[str, Any]:
    """Return the lexicon."""
    return tomllib.loads(resources.files("hive.players.words").joinpath("lexicon.toml").read_text(encoding="utf-8"))


def _kinds() -> dict[str, dict[str, list[str]]]:
    """Return each kind of meaning, with the phrases of each of its values."""
    return {kind: table for kind, table in _table().items() if kind not in ("written", "listed")}


def listed() -> dict[str, list[str]]:
    """Return small words that patterns name together."""
    return _table()["listed"]


@dataclass(frozen=True)
class Item:
    """One phrase of an order.

    Attributes:
        text: As it was written.
        means: Each kind of meaning (a table of the lexicon) with its value.
        read_as: The words that were meant by those that are misspelt.
        meant: All that was meant, in lower case, where a word of it is misspelt.
    """

    text: str
    means: Mapping[str, object] = field(default_factory=dict)
    read_as: str = ""
    meant: str = ""

    def get(self, *kinds: str) -> object | None:
        """Return the value of the first of some kinds that this phrase may have."""
        return next((self.means[kind] for kind in kinds if kind in self.means), None)

    @cached_property
    def tags(self) -> frozenset[str]:
        """What patterns may say of it: each kind, `kind:value`, and its word in quotes."""
        valued = (f"{kind}:{value}".replace("_", " ") for kind, value in self.means.items())
        return frozenset((*(kind.replace("_", " ") for kind in self.means), *valued, f"'{self.word}'"))

    @property
    def word(self) -> str:
        """What was written, or meant by a misspelt word, in lower case."""
        return self.meant or self.text.lower()


def spelled_out(order: str) -> str:
    """Return an order with plain signs, and one way of writing for many: `not` for `n't`, `(5, 75) to (9, 75)`."""
    text = unicodedata.normalize("NFKC", order).translate(_FOLD)
    for pattern, meant in _ways():
        text = pattern.sub(meant, text)
    return text


@cache
def _ways() -> list[tuple[re.Pattern[str], str]]:
    """Return the ways of writing that the lexicon lists, each with what is read in its place."""
    table = _table()["written"]
    value, between = rf" *=? *({_N})", " *(?:to|and|-|until) *(?:about )?"
    return [
        (re.compile(way.replace("{value}", value).replace("{to}", between), re.IGNORECASE), meant)
        for way, meant in table["ways"]
    ]


def stem(word: str) -> str:
    """Take off endings, so that forms of one word become equal."""
    if word in WHOLE:
        return word
    word = word.removesuffix("'s")
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
    """Return all phrases of the lexicon, as stems, with their meanings."""
    found: dict[tuple[str, ...], dict[str, object]] = {}
    for kind, table in _kinds().items():
        for value, ways in table.items():
            for way in [*ways, *(f"do {way}" for way in ways if way.startswith("not "))]:
                way = spelled_out(way.lower()) if "'" in way else way.lower()
                key = tuple(stem(word) for word in way.replace("-", " ").split())
                for each in dict.fromkeys((key, _short(key, ARTICLES))):
                    means = found.setdefault(each, {})
                    if value != "ordinary":
                        means.setdefault(kind, int(value) if kind in ("number", "ordinal") else value)
    return found


def _short(phrase: tuple[str, ...], idle: Collection[str]) -> tuple[str, ...]:
    """Return a phrase without idle words inside it, unless it begins or ends with an article then, or is one word."""
    short = phrase[:1] + tuple(word for word in phrase[1:-1] if word not in idle) + phrase[1:][-1:]
    return short if len(short) > 1 and short[0] not in ARTICLES and short[-1] not in ARTICLES else phrase


@cache
def _words() -> dict[str, str]:
    """Return the shortest word of the lexicon that has each stem."""
    ways = [way for table in _kinds().values() for listed in table.values() for way in listed]
    words = {word for way in ways for word in way.lower().replace("-", " ").split()}
    return {stem(word): word for word in sorted(words, key=lambda word: (-len(word), word))}


@cache
def _telling() -> frozenset[str]:
    """Return the stems that misspelt words may stand for."""
    return frozenset(word for phrase, means in phrases().items() if means.keys() - {"noise"} for word in phrase)


def _distance(one: str, other: str) -> int:
    """Return the number of letters added, dropped, changed or swapped."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row = row, [i]
        for j, b in enumerate(other, 1):
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before = last
    return row[-1]


def spelled(word: str, names: Collection[str] = ()) -> str | None:
    """Return the stem of the word of the lexicon, or of `names`, that a misspelt word stands for, or None.

    Of short words, letters inside may be swapped, or one inside or the last one missing.
    """
    if not 3 <= len(word) <= 20:
        return None
    most = 1 if len(word) < 9 else 2
    near = (w for w in _telling().union(names) if len(w) >= 4 and w[0] == word[0] and abs(len(w) - len(word)) <= most)
    if len(word) < 6:
        near = (
            w
            for w in near
            if sorted(w) == sorted(word)
            or (len(w) > len(word) and (w[-1] == word[-1] or (len(word) > 3 and w[:-1] == word)))
        )
    far, nearest = min(((_distance(word, other), other) for other in near), default=(most + 1, ""))
    return nearest if far <= most else None


def _tokens(text: str) -> list[Item]:
    """Return numbers, places in numbers, lists of ids, words and stops, in order; only numbers have meanings yet."""
    found = []
    for match in _TOKEN.finditer(text):
        kind, shown = str(match.lastgroup).replace("pair", "at"), match.group()
        value = _value(kind, shown)
        if kind == "word" and "-" in shown:
            found += [Item(part, {"word": True}) for part in shown.split("-") if part]
        else:
            found.append(Item(shown.strip(), {kind: value}))
    return found


def _value(kind: str, shown: str) -> object:
    """Return what a token says: a cell, coordinates, parts of ids, a number, the first sign of a stop."""
    numbers = [round(float(number)) for number in re.findall(_N, shown)]
    whole = [int(number) for number in re.findall(r"\d+", shown)]
    if kind in ("word", "stop"):
        return kind == "word" or shown[0]
    if kind == "ids":
        return _listed(shown)
    if kind == "range":
        return whole[0], whole[1] + (":" not in shown)
    if kind in ("at", "xs"):
        return tuple(numbers)
    return numbers[0] if kind == "y" else whole[0]


def _listed(text: str) -> tuple[tuple[int, int | None], ...]:
    """Return the first id and the excluded end of each part of a list in brackets."""
    parts = []
    for part in text.strip("[] ").split(","):
        first, colon, last = part.strip().partition(":")
        start = int(first.strip() or 0)
        parts.append((start, (int(last) if last.strip() else None) if colon else start + 1))
    return tuple(parts)


def read(order: str, names: Mapping[tuple[str, ...], dict[str, object]], markers: Collection[str]) -> list[Item]:
    """Return an order as items: the longest phrases of the lexicon and of a map's `names`, else single words.

    A word that is in neither is read as the nearest one that is (one letter wrong, two in words of nine and more).
    """
    raw, known = _tokens(spelled_out(order)), phrases()
    own = {word for name in names for word in name}
    stems, right = list[str](), list[str]()  # right: what a misspelt word is read as
    for item in raw:
        word = stem(item.text.lower()) if "word" in item.means else ""
        strange = word and word not in own and word not in _words() and not item.text.isupper()
        meant = spelled(word, own) if strange else None
        stems.append(meant or word)
        right.append(_words().get(meant, meant) if meant else "")
    items: list[Item] = []
    at = 0
    while at < len(raw):
        if not stems[at]:
            items.append(raw[at])
            at += 1
            continue
        for length in range(min(MOST, len(raw) - at), 0, -1):
            key = tuple(stems[at : at + length])
            means = {**(known.get(key) or known.get(_short(key, IDLE), {})), **names.get(key, {})}
            if all(key) and means:
                break
        words = [item.text for item in raw[at : at + length]]
        before, later = raw[at - 1] if at else Item(""), raw[at + length] if at + length < len(raw) else Item("")
        stays = words[0].lower() in ("remain", "remains", "remained", "rests", "rested")
        stays |= words == ["rest"] and before.word != "the" and later.word in ("for", "until", "till")
        stays |= words == ["rest"] and before.word in ("them", "they")
        if "rest" in means and stays:
            means = {"verb": "stay"}
        elif "rest" in means:
            means.pop("verb", None)
        if words == ["one"] and _refers(before, later):
            means = {"noise": "noise"}
        shown, wrong = " ".join(words), " ".join(filter(None, right[at : at + length]))
        meant = " ".join(new or word.lower() for new, word in zip(right[at:], words, strict=False))
        letters = shown.upper() if length == 1 and shown != "a" else ""
        unknown = len(shown) == 1 and shown.isupper() and shown != "I"  # a marker that the map may not have
        listed = shown.isupper() and not means and set(shown) <= set(markers)
        if letters and (letters in markers or unknown or listed):
            means = {"letter": letters}
        items.append(Item(shown, means, wrong, meant if wrong else ""))
        at += length
    return [_article(item, items[number + 1 : number + 2], "A" in markers) for number, item in enumerate(items)]


def _refers(before: Item, later: Item) -> bool:
    """Whether `one` between two words counts no units, as in `the next one`, `one row`."""
    means = phrases().get((stem(later.word),), {})
    if later.means.keys() & {"number"} or means.keys() & {"type", "number", "squad", "share", "all"}:
        return False
    known = phrases().get((stem(before.word),), {})
    return before.word in ("next", "that", "this", "same", "right", "left") or "dir" in known or "area" in means


def _article(item: Item, later: list[Item], marked: bool) -> Item:
    """Return `A` before a noun as an article, and not as the letter of a marker; any `A` on a map without one."""
    if not later or item.text != "A":
        return item
    noun = not later[0].get("stop", "letter", "when", "then", *(("manner", "to", "via") if marked else ()))
    noun = noun and not (marked and later[0].get("verb") and later[0].word.endswith("s"))  # `A comes first`
    return Item("A", {"noise": "noise"}) if noun and later[0].text.lower() not in ("and", "or", "but", "with") else item


def warm() -> None:
    """Read the words, so that the first order is answered as soon as any other."""
    read("hold", {}, "")
