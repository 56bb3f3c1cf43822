"""A small reader of TextMate grammars: line by line, leftmost match, first rule on ties; enough for ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Rule = dict[str, Any]
Token = tuple[str, str]  # text, innermost scope ("" for none)


def rules(grammar: Rule) -> Iterator[Rule]:
    """Every rule of a grammar, at any depth."""
    waiting = [*grammar["patterns"], *grammar["repository"].values()]
    while waiting:
        rule = waiting.pop()
        yield rule
        waiting += rule.get("patterns", [])


def tokens(grammar: Rule, text: str) -> list[Token]:
    """The words and signs of a text with the scope that colours each; blanks are left out."""
    found: list[Token] = []
    stack: list[Rule] = []
    for line in text.splitlines():
        place = 0
        while True:
            best = _next(grammar, stack, line, place)
            if best is None:
                _keep(found, line[place:], _outer(stack))
                break
            match, rule, ends = best
            _keep(found, line[place : match.start()], _outer(stack))
            _keep_match(
                found, match, rule, "endCaptures" if ends else "beginCaptures" if "begin" in rule else "captures"
            )
            if ends:
                stack.pop()
            elif "begin" in rule:
                stack.append(rule)
            if match.end() == place and not ends and "begin" not in rule:
                raise ValueError(f"an empty match of {rule} at {place} of {line!r}")
            place = match.end()
            if ends and not stack and place == len(line):
                break
    return found


def _next(grammar: Rule, stack: list[Rule], line: str, place: int) -> tuple[re.Match[str], Rule, bool] | None:
    candidates: list[tuple[re.Match[str], Rule, bool]] = []
    if stack and (match := re.compile(stack[-1]["end"]).search(line, place)):
        candidates.append((match, stack[-1], True))
    for rule in _flat(grammar, stack[-1]["patterns"] if stack else grammar["patterns"]):
        if match := re.compile(rule.get("match") or rule["begin"]).search(line, place):
            candidates.append((match, rule, False))
    return min(candidates, key=lambda candidate: candidate[0].start(), default=None)


def _flat(grammar: Rule, patterns: list[Rule]) -> Iterator[Rule]:
    for rule in patterns:
        if "include" in rule:
            yield from _flat(grammar, grammar["repository"][rule["include"].removeprefix("#")]["patterns"])
        else:
            yield rule


def _outer(stack: list[Rule]) -> str:
    return stack[-1].get("name", "") if stack else ""


def _keep_match(found: list[Token], match: re.Match[str], rule: Rule, key: str) -> None:
    captures = rule.get(key)
    if not captures:
        _keep(found, match.group(), rule.get("name", ""))
    for number, capture in (captures or {}).items():
        if match.group(int(number)):
            _keep(found, match.group(int(number)), capture["name"])


def _keep(found: list[Token], text: str, scope: str) -> None:
    if text.strip():
        found.append((text.strip(), scope))
