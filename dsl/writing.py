"""The text of a plan in canonical layout that keeps the plan's words and comments.

`dsl.formatter` writes nodes, in which all words are resolved; here each line is written from its own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from dsl.plan_text import LABELS, PlanLine
from dsl.source import Span
from dsl.wording import is_whole

_TOKEN = re.compile(r"\d+(?![^\s,;:|()\[\]{}%])|[,:()\[\]%-]|[^\s,;:|()\[\]{}%]+")
_HEAD = re.compile(r"[^:]*:")
_TIGHT_AFTER = {"(", "["}
_TIGHT_BEFORE = {")", "]", ",", "%", ":"}


def write_plan(lines: Iterable[PlanLine], respelled: Iterable[tuple[Span, str]]) -> str:
    """Return a plan between its markers, with a blank line between steps (docs/rules/plans.md 1.1).

    Args:
        lines: The lines and comments of a plan without errors in its form, in text order.
        respelled: Stretches of the text and what to write for each.
    """
    better = {span.start: (span.end, words) for span, words in respelled}
    written, pending, begun = ["BEGIN PLAN"], list[str](), False
    for line in lines:
        if not line.kind:
            pending.append(line.comment)
            continue
        if line.kind == "step_line" and begun:
            written.append("")
        begun = True
        text = _line(line, better)
        written += [*pending, f"{text}  {line.comment}" if line.comment else text]
        pending.clear()
    return "\n".join((*written, *pending, "END PLAN"))


def _line(line: PlanLine, better: Mapping[int, tuple[int, str]]) -> str:
    """Return one line in canonical layout."""
    if line.kind == "step_line":
        number = re.search(r"\d+", line.text)
        return f"{LABELS['step_line']} {int(number[0])}:" if number else line.text
    head = _HEAD.match(line.text)
    assert head and line.kind, "a line of a plan has a colon"
    words, after = [LABELS[line.kind]], head.end()
    while token := _TOKEN.search(line.text, after):
        end, text = better.get(line.start + token.start(), (line.start + token.end(), token.group()))
        words.append(str(int(text)) if is_whole(text) else text)
        after = end - line.start
    return "".join(word + _blank(word, later, words) for word, later in pairwise((*words, ""))).rstrip()


def _blank(word: str, later: str, words: list[str]) -> str:
    """Return what stands between two words or signs."""
    slice_sign = word == ":" and "[" in words
    return "" if not later or word in _TIGHT_AFTER or later in _TIGHT_BEFORE or slice_sign else " "
