"""TextMate grammars and the VS Code extension in `docs/editor`, from the vocabulary.

Patterns keep to what both Oniguruma and Python's `re` read, so that tests can try them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import scenarios
from dsl.vocabulary import (
    COMPASS,
    CREW_TYPES,
    DIRECTIONS,
    INTENSITIES,
    NEGATIONS,
    OBJECTIVES,
    OTHERS,
    PLACE_WORDS,
    QUALIFIERS,
    ROLES,
    SENSES,
    SOURCES,
    THINGS,
    TIMES,
    UNIT_TYPES,
    UNIT_WORDS,
    WHO,
)

Rule = dict[str, Any]

_NAMES = {"plan": "HIVE plan", "bt": "HIVE behaviour tree"}


_COMMENT: Rule = {"name": "comment.line.number-sign", "match": r"(?<!\S)#.*$"}
_COMMENT_ALONE: Rule = {  # a heading is no comment
    "name": "comment.line.number-sign",
    "match": r"(?<!\S)#(?!#*\s*(?i:step)\s*\d+\s*:\s*$).*$",
}


def make_editor() -> dict[str, str]:
    """Return the generated files by their path under `docs/editor`."""
    return {
        "syntaxes/plan.tmLanguage.json": _json(plan_grammar()),
        "syntaxes/bt.tmLanguage.json": _json(tree_grammar()),
        "package.json": _json(_manifest()),
    }


def tree_grammar() -> Rule:
    """Return the grammar of `.bt` files."""
    leaves = []
    for letter, role in (("A", "action"), ("C", "condition")):
        right = _word(f"entity.name.function.{role}", [name for name in ROLES if ROLES[name] == letter])
        wrong = _word("invalid.illegal.role", [name for name in ROLES if ROLES[name] != letter])
        leaves.append(
            {
                "name": f"meta.{role}",
                "begin": rf"\b({letter})\s*(\()",
                "end": r"\)",
                "beginCaptures": _captures(f"storage.type.{role}", "punctuation.section.parens.begin"),
                "endCaptures": {"0": {"name": "punctuation.section.parens.end"}},
                "patterns": [right, wrong, {"include": "#words"}],
            }
        )
    return _grammar(
        "bt",
        [
            *leaves,
            _match("keyword.control.sequence", r"\bS(?=\s*\()"),
            _match("keyword.control.fallback", r"\bF(?=\s*\()"),
            _match("keyword.operator.separator", r"::|\|>"),
            _match("punctuation.section.parens", r"[()]"),
        ],
        {
            "words": [
                _word("constant.language.any", ["any"]),
                _word("keyword.operator.or", ["or"]),
                _word("support.type.unit", (*UNIT_TYPES, *CREW_TYPES)),
                _word("support.constant.thing", [word for word in THINGS if word not in (*UNIT_TYPES, *CREW_TYPES)]),
                _word("variable.language.side", sorted({*OTHERS, *WHO})),
                _word("support.constant.direction", [*SENSES, *DIRECTIONS, *SOURCES]),
                _word("support.constant.choice", [*QUALIFIERS, *NEGATIONS]),
                _word("constant.numeric.level", dict.fromkeys((*TIMES, *INTENSITIES))),
            ]
        },
    )


def plan_grammar() -> Rule:
    """Return the grammar of `.plan` files; first words of lines may have any capitals, as for the parser."""
    return _grammar(
        "plan",
        [
            _COMMENT_ALONE,
            _match("keyword.control.marker", r"\b(?:BEGIN|END)\s+PLAN\b"),
            _step_line(),
            _line("(?i:prerequisites)", "keyword.other.prerequisites", [{"include": "#list"}]),
            _line(
                "(?i:objective)",
                "keyword.other.objective",
                [
                    _word("keyword.control.objective", dict.fromkeys(" ".join(OBJECTIVES).split())),
                    _word("constant.language.fire", ["fire"]),
                    _word("keyword.operator.word", ["any"]),
                    _word("support.type.unit", UNIT_TYPES),
                    {"include": "#units"},
                ],
            ),
            _line(
                "(?i:units)",
                "keyword.other.units",
                [
                    _word("keyword.operator.word", UNIT_WORDS),
                    _word("support.type.unit", (*UNIT_TYPES, *CREW_TYPES)),
                    {"include": "#units"},
                ],
            ),
            _line(
                r"(?i:target\s+position)",
                "keyword.other.target",
                [
                    _word("keyword.operator.word", PLACE_WORDS),
                    _word("support.constant.direction", sorted(COMPASS, key=len, reverse=True)),
                    _word("support.type.unit", (*UNIT_TYPES, *CREW_TYPES)),
                    _match("variable.other.marker", r"\b[A-Z]\b"),
                    {"include": "#units"},
                ],
            ),
            _line(
                "(?i:behaviou?r)",
                "keyword.other.behaviour",
                [
                    _match("keyword.operator.word", r"\bwithin(?=\s+\d)"),
                    _match("constant.numeric.integer", r"(?<=\s)\d+\b"),
                    _word("entity.name.function.behaviour", scenarios.trees()),
                    _word("support.type.unit", UNIT_TYPES),
                    _word("constant.language.any", ["any"]),
                    _match("variable.other.name", r"[^\s,;:|()\[\]{}]+"),
                ],
            ),
        ],
        {
            "units": [_word("constant.language.all", ["all"]), {"include": "#list"}],
            "list": [
                _numbers("constant.numeric.integer"),
                _match("keyword.operator.slice", ":"),
                _match("punctuation.separator", ","),
                _match("keyword.operator.word", r"%|-(?=\s)"),
                _match("punctuation.section.brackets", r"[\[\]()]"),
            ],
        },
    )


def _grammar(language: str, patterns: list[Rule], repository: Mapping[str, list[Rule]]) -> Rule:
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Made by `python -m docs.make`; do not edit.",
        "name": _NAMES[language],
        "scopeName": f"source.hive-{language}",
        "fileTypes": [language],
        "patterns": patterns,
        "repository": {name: {"patterns": rules} for name, rules in repository.items()},
    }


def _match(scope: str, pattern: str) -> Rule:
    return {"name": scope, "match": pattern}


def _word(scope: str, words: Iterable[str]) -> Rule:
    return _match(scope, rf"\b(?:{'|'.join(words)})\b")


def _numbers(scope: str) -> Rule:
    return _match(scope, r"\d+")


def _line(label: str, scope: str, patterns: list[Rule]) -> Rule:
    captures = _captures("punctuation.definition.list", scope, "punctuation.separator.key-value")
    return {
        "begin": rf"^\s*(-)?\s*({label})\s*(:)",
        "end": "$",
        "beginCaptures": captures,
        "patterns": [_COMMENT, *patterns],
    }


def _step_line() -> Rule:
    scopes = "punctuation.definition.list", "keyword.control.step", "entity.name.section.step"
    captures = _captures(*scopes, "punctuation.separator.key-value")
    return {"match": r"^\s*(-)?\s*((?i:step))\s*(\d+)\s*(:)", "captures": captures}


def _captures(*scopes: str) -> Rule:
    return {str(number): {"name": scope} for number, scope in enumerate(scopes, start=1)}


def _manifest() -> Rule:
    return {
        "name": "hive-languages",
        "displayName": "HIVE plans and behaviour trees",
        "description": "Colours and brackets for .plan and .bt files.",
        "version": "0.1.0",
        "publisher": "hive-swarm",
        "license": "Apache-2.0",
        "engines": {"vscode": "^1.60.0"},
        "categories": ["Programming Languages"],
        "contributes": {
            "languages": [
                {
                    "id": f"hive-{language}",
                    "aliases": [name],
                    "extensions": [f".{language}"],
                    "configuration": "./language-configuration.json",
                }
                for language, name in _NAMES.items()
            ],
            "grammars": [
                {
                    "language": f"hive-{language}",
                    "scopeName": f"source.hive-{language}",
                    "path": f"./syntaxes/{language}.tmLanguage.json",
                }
                for language in _NAMES
            ],
        },
    }


def _json(value: Rule) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
