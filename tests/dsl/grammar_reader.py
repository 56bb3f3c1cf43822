"""Readers of exported grammars that share no code with their writers, and texts of what they read.

Only what the exports may hold is read: one rule a line, strings, digits, other rules, brackets, `|` and `?`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import product
from typing import Any

_HEADS = {"gbnf": (r"([a-z0-9]+) ::= ", "root"), "lark": (r"([a-z0-9]+|[A-Z]+): ", "start")}
_DIGITS = {"gbnf": r"\[(\d)-(\d)\]", "lark": r"/\[(\d)-(\d)\]/"}
_TOKEN = r'(?P<text>"(?:[^"\\]|\\[n"\\])*")|(?P<digit>{})|(?P<name>[A-Za-z][A-Za-z0-9]*)|(?P<sign>[()|?])|(?P<blank> )'


@dataclass(frozen=True)
class ReadGrammar:
    """The rules of a text by name: nested tuples that begin with `text`, `digit`, `use`, `row`, `pick` or `maybe`."""

    rules: dict[str, Any]
    start: str

    def draw(self, rng: random.Random) -> str:
        """Return a random text; texts differ in length and in how far along a chain of rules they go."""
        last, taken = rng.choice((0.02, 0.1, 0.4, 0.8, 0.95)), rng.choice((0.1, 0.4, 0.7))
        pieces, rest = [], [self.rules[self.start]]
        while rest:
            kind, *parts = rest.pop()
            if kind == "text":
                pieces.append(parts[0])
            elif kind == "digit":
                pieces.append(str(rng.randint(*parts)))
            elif kind == "use":
                rest.append(self.rules[parts[0]])
            elif kind == "row":
                rest += reversed(parts)
            elif kind == "pick":
                rest.append(parts[-1] if rng.random() < last else rng.choice(parts[:-1]))
            elif rng.random() < taken:
                rest.append(parts[0])
        return "".join(pieces)

    def every(self) -> set[str]:
        """Return all texts; for tiny grammars."""
        return self._every(self.rules[self.start])

    def _every(self, node: Any) -> set[str]:
        kind, *parts = node
        if kind == "text":
            return {parts[0]}
        if kind == "digit":
            return {str(digit) for digit in range(parts[0], parts[1] + 1)}
        if kind == "use":
            return self._every(self.rules[parts[0]])
        if kind == "row":
            return {"".join(pieces) for pieces in product(*map(self._every, parts))}
        return set().union(*map(self._every, parts), {""} if kind == "maybe" else ())

    def longest(self) -> str:
        """Return a longest text."""
        known: dict[str, str] = {}

        def longest(node: Any) -> str:
            kind, *parts = node
            if kind == "use":
                if parts[0] not in known:
                    known[parts[0]] = longest(self.rules[parts[0]])
                return known[parts[0]]
            if kind in ("text", "digit"):
                return str(parts[-1])
            texts = [longest(part) for part in parts]
            return "".join(texts) if kind == "row" else max(texts, key=len)

        for name in reversed(self.rules):  # chains go on in later rules: this keeps the recursion flat
            known[name] = longest(self.rules[name])
        return known[self.start]


def read_grammar(text: str, form: str) -> ReadGrammar:
    """Read an export.

    Raises:
        ValueError: It holds anything that such an export does not have, a rule twice, or the name of no rule.
    """
    head, start = _HEADS[form]
    rules: dict[str, Any] = {}
    for line in text.splitlines():
        found = re.match(head, line)
        if not found or found[1] in rules:
            raise ValueError(f"no rule, or a second one of its name: {line!r}")
        rules[found[1]] = _Reader(line[found.end() :], form).read()
    unknown = _used(tuple(rules.values())) - rules.keys()
    if unknown or start not in rules or not text.endswith("\n"):
        raise ValueError(f"rules are missing: {sorted(unknown)}")
    return ReadGrammar(rules, start)


def _used(node: Any) -> set[str]:
    if not isinstance(node, tuple):
        return set()
    return {node[1]} if node[0] == "use" else set().union(*map(_used, node))


class _Reader:
    """Reads the right side of one rule."""

    def __init__(self, text: str, form: str) -> None:
        self.tokens: list[Any] = []
        pattern, place = re.compile(_TOKEN.format(_DIGITS[form])), 0
        while place < len(text):
            token = pattern.match(text, place)
            if not token:
                raise ValueError(f"what is this? {text[place : place + 20]!r}")
            place = token.end()
            if token["text"]:
                plain = re.sub(r"\\(.)", lambda sign: {"n": "\n"}.get(sign[1], sign[1]), token["text"][1:-1])
                self.tokens.append(("text", plain))
            elif token["digit"]:
                low, high = re.findall(r"\d", token["digit"])
                self.tokens.append(("digit", int(low), int(high)))
            elif token["name"]:
                self.tokens.append(("use", token["name"]))
            elif token["sign"]:
                self.tokens.append(token["sign"])
        self.tokens.append("end")

    def read(self) -> Any:
        node = self.options()
        if self.tokens != ["end"]:
            raise ValueError(f"this is left over: {self.tokens}")
        return node

    def options(self) -> Any:
        options = [self.row()]
        while self.tokens[0] == "|":
            self.tokens.pop(0)
            options.append(self.row())
        return ("pick", *options) if len(options) > 1 else options[0]

    def row(self) -> Any:
        parts = []
        while isinstance(self.tokens[0], tuple) or self.tokens[0] == "(":
            part = self.tokens.pop(0)
            if part == "(":
                part = self.options()
                if self.tokens.pop(0) != ")":
                    raise ValueError("a bracket is not closed")
            if self.tokens[0] == "?":
                self.tokens.pop(0)
                part = ("maybe", part)
            parts.append(part)
        if not parts:
            raise ValueError("an option without content")
        return ("row", *parts) if len(parts) > 1 else parts[0]
