"""Colours for plans, behaviour trees and grammars on the site, from the vocabulary of the languages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace

from dsl.vocabulary import BEHAVIOURS, CREW_BEHAVIOURS, CREW_TYPES, OBJECTIVES, ROLES, UNIT_TYPES


def _words(words: Iterable[str]) -> str:
    return rf"\b(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})\b"


_TYPES = _words((*UNIT_TYPES, *CREW_TYPES))


class PlanLexer(RegexLexer):
    """Plans."""

    name, aliases = "HIVE plan", ("plan",)
    flags = re.MULTILINE | re.IGNORECASE
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"(BEGIN|END)\s+PLAN\b", Keyword.Namespace),
            (r"^(\s*-?\s*)(step)(\s*)(\d+)(\s*:)", bygroups(Whitespace, Keyword, Whitespace, Number, Punctuation)),
            (
                r"^(\s*-?\s*)(prerequisites|objective|units|target\s+position|behaviou?r)(\s*:)",
                bygroups(Whitespace, Name.Attribute, Punctuation),
            ),
            (r"#.*$", Comment.Single),
            (_TYPES, Keyword.Type),
            (_words(("hold", *BEHAVIOURS, *CREW_BEHAVIOURS)), Name.Function),
            (_words(" ".join(OBJECTIVES).split()), Keyword.Pseudo),
            (r"\d+%?", Number),
            (r"[^\W\d]\w*", Name),
            (r"[\[\](),:|]", Punctuation),
            (r".", Text),
        ]
    }


class TreeLexer(RegexLexer):
    """Behaviour trees."""

    name, aliases = "HIVE behaviour tree", ("bt",)
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"\b[SF](?=\s*\()", Keyword),
            (r"\b[AC](?=\s*\()", Keyword.Pseudo),
            (_TYPES, Keyword.Type),
            (_words(ROLES), Name.Function),
            (r"\d+%?", Number),
            (r"::|\|>", Operator),
            (r"[^\W\d]\w*", Name),
            (r".", Text),
        ]
    }


class GrammarLexer(RegexLexer):
    """Grammars in Lark's notation."""

    name, aliases = "Lark grammar", ("lark",)
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*$", Comment.Single),
            (r'"(?:\\.|[^"\\])*"i?', String),
            (r"/(?:\\.|[^/\\\n])+/[imslux]*", String.Regex),
            (r"%\w+", Keyword),
            (r"[?!]?[a-z_]\w*(?=(?:\.-?\d+)?\s*:)", Name.Function),
            (r"[A-Z_][A-Z_0-9]*\b", Name.Constant),
            (r"\w+", Name),
            (r"->|[|?*+~:]", Operator),
            (r".", Text),
        ]
    }
