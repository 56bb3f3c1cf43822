"""A chart of all phrases of an order, by the rules of `grammar.toml`, and the best row of phrases that covers it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

from hive.players.words import meaning
from hive.players.words.lexicon import Edge, Token, stem, table

Meaning = Callable[[Sequence[Any]], Any]
Rule = tuple[str, tuple[str, ...], tuple[int, ...], Meaning, float]
SKIPPED, UNREAD, PHRASE, NOISE = 0.25, 4.0, 1.0, 0.4  # what it costs to leave a word out, and to begin a phrase
LONGEST = {"Num": 5, "Amount": 8, "Dist": 8, "Feat": 14, "Mark": 24, "Ids": 40}  # tokens of a phrase
MOST_TOKENS = 24  # of any other phrase
MOST_STEPS = 40_000  # taken to find all phrases of an order
TOP = ("Who", "Place", "Spot", "Act", "Manner", "When", "Squads", "Dist", "Link", "reason", "instead", "Amount")


class TooLongError(Exception):
    """An order has more meanings than are looked at."""


def _field(text: str) -> Meaning:
    """Return what gives one field of a meaning: symbols by number, a function without arguments, or a word."""
    if "," in text:
        return _tuple([_field(each) for each in text.split(",")])
    if re.fullmatch("[0-9]+", text):
        return lambda values: values[int(text) - 1]
    if call := re.fullmatch(r"(\w+)\((\w*)\)", text):
        make, inner = getattr(meaning, call[1]), [_field(call[2])] if call[2] else []
        return lambda values: make(*(each(values) for each in inner))
    constant = {"yes": True, "none": None, "zero": 0, "two": 2}.get(text, text.strip("'"))
    return lambda values: constant


def _tuple(fields: Sequence[Meaning]) -> Meaning:
    return lambda values: tuple(each(values) for each in fields)


def _compiled(text: str) -> Meaning:
    """Return what makes the meaning of a rule, from its text."""
    head, *pairs = text.split()
    if call := re.fullmatch(r"(\w+)\(([\w,()]*)\)", head):
        make, given = getattr(meaning, call[1]), [_field(each) for each in call[2].split(",") if each]
        return lambda values: make(*(each(values) for each in given))
    fields = {name: _field(value) for name, _, value in (pair.partition("=") for pair in pairs)}

    def filled(values: Sequence[Any]) -> dict[str, Any]:
        found = {name: each(values) for name, each in fields.items()}
        listed = {
            name: value if isinstance(value, tuple) else (value,)
            for name, value in found.items()
            if name in ("of", "names")
        }
        return {name: value for name, value in (found | listed).items() if value is not None}

    if re.fullmatch("[0-9]+", head):
        return (lambda values: replace(values[int(head) - 1], **filled(values))) if fields else _field(head)
    if head.startswith("'"):
        return _field(head)
    make = getattr(meaning, head)
    return lambda values: make(**filled(values))


@cache
def rules() -> dict[str, list[Rule]]:
    """Return the rules of the grammar by their first symbol."""
    found: dict[str, list[Rule]] = {}
    for line in table("grammar.toml")["rules"].splitlines():
        head, _, body = line.partition(" : ")
        if not body:
            continue
        body, _, text = body.partition(" = ")
        text, _, cost = text.partition(" +")
        make = _compiled(text.strip())
        assert max(map(int, re.findall(r"(?<![\w.])\d+", text)), default=0) <= len(body.split()), line
        symbols = [[f"'{stem(each.strip(chr(39)))}'" if "'" in each else each for each in symbol.rstrip("?").split("|")]
                   + [""] * symbol.endswith("?") for symbol in body.split()]  # fmt: skip
        for chosen in product(*symbols):
            kept = [each for each in chosen if each]
            order = tuple(sum(map(bool, chosen[:at])) if each else -1 for at, each in enumerate(chosen))
            found.setdefault(kept[0], []).append((head.strip(), tuple(kept[1:]), order, make, float(cost or 0) + 0.02))
    return found


@cache
def skipped(kind: str = "skip") -> frozenset[str]:
    """Return the words that a phrase may begin with and that change nothing, or those between phrases, as stems."""
    return frozenset(map(stem, table("grammar.toml")[kind]))


class Chart:
    """All phrases of an order, the best of each category at each place."""

    def __init__(self, tokens: Sequence[Token], edges: Sequence[Edge]) -> None:
        """Find them from right to left.

        Raises:
            TooLongError: There are too many.
        """
        self.tokens, self.count = tokens, 0
        self.at: list[dict[str, dict[int, Edge]]] = [{} for _ in range(len(tokens) + 1)]
        words: list[list[Edge]] = [[] for _ in range(len(tokens) + 1)]
        for edge in edges:
            words[edge.start].append(edge)
        for start in range(len(tokens) - 1, -1, -1):
            if tokens[start].stem in skipped() and tokens[start].kind == "word":
                later = (each for each in words[start + 1] if each.kind[0] != "'")
                words[start] += [replace(each, start=start, cost=each.cost + 0.05) for each in later]
            agenda = words[start][::-1]
            while agenda:
                self._add(agenda.pop(), agenda)

    def _add(self, edge: Edge, agenda: list[Edge]) -> None:
        best = self.at[edge.start].setdefault(edge.kind, {})
        old = best.get(edge.stop)
        if old is not None and old.cost <= edge.cost:
            return
        best[edge.stop] = edge
        for rule in rules().get(edge.kind, ()):
            self._complete(rule, (edge,), agenda)

    def _complete(self, rule: Rule, parts: tuple[Edge, ...], agenda: list[Edge]) -> None:
        head, later, order, make, cost = rule
        self.count += 1
        if self.count > MOST_STEPS:
            raise TooLongError
        if len(parts) > len(later):
            value = make([parts[number].value if number >= 0 else None for number in order])
            if value is not None:
                agenda.append(
                    Edge(head, parts[0].start, parts[-1].stop, value, sum(part.cost for part in parts) + cost)
                )
            return
        nexts = self.at[parts[-1].stop].get(later[len(parts) - 1])
        if nexts:
            most = parts[0].start + LONGEST.get(head, MOST_TOKENS)
            for edge in list(nexts.values()):
                if edge.stop <= most:
                    self._complete(rule, (*parts, edge), agenda)

    def cover(self) -> list[Edge]:
        """Return the best row of phrases; words outside all of them are edges `Skip`, `Noise`, `Stop` or `Unread`."""
        size = len(self.tokens)
        best: list[tuple[float, Edge | None]] = [(0.0, None)] * (size + 1)
        for at in range(size - 1, -1, -1):
            token = self.tokens[at]
            kind, cost = (
                ("Stop", 0.0)
                if token.kind == "stop"
                else ("Skip", SKIPPED)
                if token.stem in skipped() | skipped("idle")
                else ("Unread", UNREAD)
            )
            cost = 0.6 if kind == "Skip" and at + 1 in self.at[at].get("prep", {}) else cost
            ways = [Edge(kind, at, at + 1, token.text, cost)]
            for name in TOP:
                ways += [
                    replace(each, cost=each.cost + PHRASE * (1 + (name in ("Amount", "Dist"))))
                    for each in self.at[at].get(name, {}).values()
                ]
            for name in ("noise", "light"):
                ways += [Edge("Noise", at, each.stop, None, NOISE) for each in self.at[at].get(name, {}).values()]
            best[at] = min(((each.cost + best[each.stop][0], each) for each in ways), key=lambda way: way[0])
        found, at = list[Edge](), 0
        while at < size:
            edge = best[at][1]
            assert edge is not None
            found.append(edge)
            at = edge.stop
        return found
