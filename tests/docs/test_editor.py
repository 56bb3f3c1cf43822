"""The TextMate grammars colour every word of the languages; `test_reference` holds the committed files to them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import scenarios
from docs.make.editor import plan_grammar, tree_grammar
from dsl.plan_lines import PLAN_GRAMMAR
from dsl.tree_parser import TREE_GRAMMAR
from dsl.vocabulary import BEHAVIOURS, CREW_BEHAVIOURS, FORMS, OBJECTIVES, UNIT_TYPES
from tests.docs.textmate import rules, tokens

EDITOR = Path(__file__).resolve().parents[2] / "docs" / "editor"
GRAMMARS = {"plan": plan_grammar(), "bt": tree_grammar()}

TREE = """\
F(
    S(C(in_reach foe me_from_them high any) :: A(move away_from closest foe archer or cavalry)) |>
    A(is_type not_a dragon) ::
    A(mvoe toward)
)
"""
TREE_TOKENS = [
    ("F", "keyword.control.fallback"),
    ("(", "punctuation.section.parens"),
    ("S", "keyword.control.sequence"),
    ("(", "punctuation.section.parens"),
    ("C", "storage.type.condition"),
    ("(", "punctuation.section.parens.begin"),
    ("in_reach", "entity.name.function.condition"),
    ("foe", "variable.language.side"),
    ("me_from_them", "support.constant.direction"),
    ("high", "constant.numeric.level"),
    ("any", "constant.language.any"),
    (")", "punctuation.section.parens.end"),
    ("::", "keyword.operator.separator"),
    ("A", "storage.type.action"),
    ("(", "punctuation.section.parens.begin"),
    ("move", "entity.name.function.action"),
    ("away_from", "support.constant.direction"),
    ("closest", "support.constant.choice"),
    ("foe", "variable.language.side"),
    ("archer", "support.type.unit"),
    ("or", "keyword.operator.or"),
    ("cavalry", "support.type.unit"),
    (")", "punctuation.section.parens.end"),
    (")", "punctuation.section.parens"),
    ("|>", "keyword.operator.separator"),
    ("A", "storage.type.action"),
    ("(", "punctuation.section.parens.begin"),
    ("is_type", "invalid.illegal.role"),
    ("not_a", "support.constant.choice"),
    ("dragon", "support.type.unit"),
    (")", "punctuation.section.parens.end"),
    ("::", "keyword.operator.separator"),
    ("A", "storage.type.action"),
    ("(", "punctuation.section.parens.begin"),
    ("mvoe", "meta.action"),
    ("toward", "support.constant.direction"),
    (")", "punctuation.section.parens.end"),
    (")", "punctuation.section.parens"),
]

PLAN = """\
Sure, Step by step!
BEGIN PLAN
Step 12:
prerequisites: [0, 1]
Objective: elimination [3, 10:]
units: all
- target position: (25, 75)
- behavior: attack_in_close_range archer spearmen
- behaviour: fall_back archers any
END PLAN
"""
PLAN_TOKENS = [
    ("Sure, Step by step!", ""),
    ("BEGIN PLAN", "keyword.control.marker"),
    ("Step", "keyword.control.step"),
    ("12", "entity.name.section.step"),
    (":", "punctuation.separator.key-value"),
    ("prerequisites", "keyword.other.prerequisites"),
    (":", "punctuation.separator.key-value"),
    ("[", "punctuation.section.brackets"),
    ("0", "constant.numeric.integer"),
    (",", "punctuation.separator"),
    ("1", "constant.numeric.integer"),
    ("]", "punctuation.section.brackets"),
    ("Objective", "keyword.other.objective"),
    (":", "punctuation.separator.key-value"),
    ("elimination", "keyword.control.objective"),
    ("[", "punctuation.section.brackets"),
    ("3", "constant.numeric.integer"),
    (",", "punctuation.separator"),
    ("10", "constant.numeric.integer"),
    (":", "keyword.operator.slice"),
    ("]", "punctuation.section.brackets"),
    ("units", "keyword.other.units"),
    (":", "punctuation.separator.key-value"),
    ("all", "constant.language.all"),
    ("-", "punctuation.definition.list"),
    ("target position", "keyword.other.target"),
    (":", "punctuation.separator.key-value"),
    ("(", "punctuation.section.brackets"),
    ("25", "constant.numeric.integer"),
    (",", "punctuation.separator"),
    ("75", "constant.numeric.integer"),
    (")", "punctuation.section.brackets"),
    ("-", "punctuation.definition.list"),
    ("behavior", "keyword.other.behaviour"),
    (":", "punctuation.separator.key-value"),
    ("attack_in_close_range", "entity.name.function.behaviour"),
    ("archer", "support.type.unit"),
    ("spearmen", "support.type.unit"),
    ("-", "punctuation.definition.list"),
    ("behaviour", "keyword.other.behaviour"),
    (":", "punctuation.separator.key-value"),
    ("fall_back", "variable.other.name"),
    ("archers", "variable.other.name"),
    ("any", "constant.language.any"),
    ("END PLAN", "keyword.control.marker"),
]
WORDED = """\
objective: arrival any
objective: enemy losses 30%
units: half of archer, a third of [0:9], two thirds of all, three quarters of all, one quarter of all, the rest
units: nearest 20 to (1, 2)
units: archer in (1, 2) - (3, 4)
- target position: line marker A - North Bridge via north-east under cover  # by the wood
- target position: area (1, 2) - (3, 4)
- target position: behind archer by 8
- behavior: hold any within 12
"""
LINES = {  # a terminal of the plan grammar that is a pattern, in a line of its own
    "STEP": ("Step 1:", "Step"),
    "PREREQUISITES": ("prerequisites: []", "prerequisites"),
    "OBJECTIVE": ("objective: position", "objective"),
    "UNITS": ("units: all", "units"),
    "TARGET": ("- target position: (1, 2)", "target position"),
    "PLACE": ("- target position: (1, 2)", "target position"),
    "BEHAVIOUR": ("- behaviour: stand", "behaviour"),
    "MARKER": ("- target position: A", "A"),
    "NUMBER": ("prerequisites: [17]", "17"),
    "WORD": ("- behavior: my_tree", "my_tree"),
    "NAME": ("units: archer", "archer"),
}


def test_every_json_file_is_valid_and_the_manifest_names_files_that_exist() -> None:
    for path in EDITOR.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    offers = json.loads((EDITOR / "package.json").read_text(encoding="utf-8"))["contributes"]
    assert all((EDITOR / language["configuration"]).is_file() for language in offers["languages"])
    for offer in offers["grammars"]:
        assert json.loads((EDITOR / offer["path"]).read_text(encoding="utf-8"))["scopeName"] == offer["scopeName"]
    assert {offer["language"] for offer in offers["grammars"]} == {language["id"] for language in offers["languages"]}


@pytest.mark.parametrize("language", GRAMMARS)
def test_patterns_compile_and_includes_lead_somewhere(language: str) -> None:
    grammar = GRAMMARS[language]
    for rule in rules(grammar):
        for key in ("match", "begin", "end"):
            re.compile(rule.get(key, ""))
        if "include" in rule:
            assert rule["include"].removeprefix("#") in grammar["repository"]
        for captures, pattern in (("beginCaptures", "begin"), ("endCaptures", "end")):
            groups = re.compile(rule[pattern]).groups if captures in rule else 0
            assert all(int(number) <= groups for number in rule.get(captures, {}))


def test_every_word_and_sign_of_the_tree_grammar_has_a_scope() -> None:
    found: dict[str, set[str]] = {}
    for form in FORMS:
        for place in range(len(form.slots) + 1):
            for word in form.slots[place - 1] if place else [form.name]:
                words = [form.name, *(slot[0] for slot in form.slots)]
                words[place] = word
                types = f" {' or '.join(UNIT_TYPES)}" if form.types else ""
                text = f"S({form.role}({' '.join(words)}{types}) :: F({form.role}({form.name} any) |> A(stand)))"
                for token, scope in tokens(GRAMMARS["bt"], text):
                    found.setdefault(token, set()).add(scope)
    for terminal in TREE_GRAMMAR.load().terminals:
        if terminal.name != "BLANK":
            scopes = found[terminal.pattern.value]
            assert not scopes & {"", "meta.action", "meta.condition", "invalid.illegal.role"}, terminal


def test_every_word_and_sign_of_the_plan_grammar_has_a_scope() -> None:
    objectives = "".join(f"objective: {word} fire\n" for word in OBJECTIVES)
    found = dict(tokens(GRAMMARS["plan"], objectives + PLAN + WORDED))
    for terminal in PLAN_GRAMMAR.load().terminals:
        line, word = LINES.get(terminal.name, ("", terminal.pattern.value))
        if terminal.name != "BLANK":
            assert (dict(tokens(GRAMMARS["plan"], line)) if line else found)[word], terminal


def test_names_in_a_plan_are_distinguished_from_unknown_ones() -> None:
    for name in (*BEHAVIOURS, *CREW_BEHAVIOURS, *scenarios.trees(), "any", *UNIT_TYPES):
        scope = dict(tokens(GRAMMARS["plan"], f"- behavior: {name}"))[name]
        assert scope.split(".")[0] in ("entity", "constant", "support")


def test_a_heading_is_no_comment_and_the_end_of_a_line_may_be_one() -> None:
    scopes = [scope for _, scope in tokens(GRAMMARS["plan"], "units: all # Step 0:\n# Step 0:\n# Step 0: later\n")]
    assert [scope.startswith("comment") for scope in scopes[-3:]] == [True, False, True]


@pytest.mark.parametrize(("language", "text", "expected"), [("bt", TREE, TREE_TOKENS), ("plan", PLAN, PLAN_TOKENS)])
def test_a_text_is_coloured_as_agreed(language: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert tokens(GRAMMARS[language], text) == expected
