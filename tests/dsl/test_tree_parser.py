"""What the behaviour-tree language accepts, and the nodes it gives (docs/rules/trees.md 1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dsl import Fallback, Leaf, Node, Sequence, format_tree, parse_tree
from dsl.tree_parser import TREE_GRAMMAR
from dsl.vocabulary import FORMS, ROLES, WORDS, Form

LEAVES = [
    ("A(move toward closest foe any)", Leaf("A", "move", ("toward", "closest", "foe"), ("any",))),
    ("A(move north)", Leaf("A", "move", ("north",))),
    ("A(attack random)", Leaf("A", "attack", ("random",))),
    ("A(attack random spearmen or archer)", Leaf("A", "attack", ("random",), ("spearmen", "archer"))),
    ("A(follow_map toward low)", Leaf("A", "follow_map", ("toward", "low"))),
    ("A(follow_map away_from)", Leaf("A", "follow_map", ("away_from",))),
    ("A(success_action)", Leaf("A", "success_action")),
    ("C(in_reach foe me_from_them high any)", Leaf("C", "in_reach", ("foe", "me_from_them", "high"), ("any",))),
    ("C(is_type not_a archer)", Leaf("C", "is_type", ("not_a", "archer"))),
    ("C(is_type a cavalry)", Leaf("C", "is_type", ("a", "cavalry"))),
    ("C(is_dying self low)", Leaf("C", "is_dying", ("self", "low"))),
    ("C(is_flock friend center)", Leaf("C", "is_flock", ("friend", "center"))),
    ("A(attackrandomany)", Leaf("A", "attack", ("random",), ("any",))),
    ("C(is_typenot_aarcher)", Leaf("C", "is_type", ("not_a", "archer"))),
    ("A(attackweakestarcherorspearmen)", Leaf("A", "attack", ("weakest",), ("archer", "spearmen"))),
    ("A(go toward target)", Leaf("A", "go", ("toward", "target"))),
    ("A(clear toward fire)", Leaf("A", "clear", ("toward", "fire"))),
    ("A(cut)", Leaf("A", "cut")),
    ("C(is_near unseen high)", Leaf("C", "is_near", ("unseen", "high"))),
    ("C(is_type not_a helicopter)", Leaf("C", "is_type", ("not_a", "helicopter"))),
    ("A(goaway_fromfirefighter)", Leaf("A", "go", ("away_from", "firefighter"))),
    ("C(is_nearfirelow)", Leaf("C", "is_near", ("fire", "low"))),
    ("\ufeff A\u00a0(\r\n\tstand )\n", Leaf("A", "stand")),
]


@pytest.mark.parametrize(("text", "leaf"), LEAVES)
def test_a_leaf_keeps_name_arguments_and_types(text: str, leaf: Leaf) -> None:
    assert parse_tree(text) == leaf


@pytest.mark.parametrize("separator", ["::", "|>", " :: ", "\n|>\n"])
def test_both_separators_join_children(separator: str) -> None:
    tree = parse_tree(f"S(C(is_in_forest){separator}F(A(stand){separator}A(failure_action)))")
    assert tree == Sequence(
        (Leaf("C", "is_in_forest"), Fallback((Leaf("A", "stand"), Leaf("A", "failure_action")))),
    )


def test_spans_cover_the_text_of_each_node() -> None:
    text = "S( A(stand) ::\n   C( in_sight foe ) )"
    tree = parse_tree(text)
    assert isinstance(tree, Sequence)
    assert tree.span.text == text
    assert [child.span.text for child in tree.children] == ["A(stand)", "C( in_sight foe )"]
    condition = tree.children[1]
    assert isinstance(condition, Leaf)
    assert (condition.name_span.text, condition.name_span.line, condition.name_span.column) == ("in_sight", 2, 7)


def test_spans_take_no_part_in_equality() -> None:
    assert parse_tree("A( stand )") == parse_tree("A(stand)", "elsewhere") == Leaf("A", "stand")


def test_the_grammar_passes_the_strict_mode_of_lark() -> None:
    """No word can be read in two ways and no rule is ambiguous."""
    TREE_GRAMMAR.load(strict=True)


def test_the_grammar_has_the_words_of_the_vocabulary() -> None:
    words = {terminal.pattern.value for terminal in TREE_GRAMMAR.load().terminals}
    assert {word for word in words if word[0].islower()} == WORDS
    assert list(TREE_GRAMMAR.expected("A(", "start").words) == list(ROLES)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_each_slot_takes_the_words_of_the_vocabulary(form: Form) -> None:
    text = f"{form.role}({form.name}"
    for slot in form.slots:
        assert set(slot) <= set(TREE_GRAMMAR.expected(text, "start").words)
        text += f" {slot[0]}"
    expected = TREE_GRAMMAR.expected(text, "start").words
    assert ")" in expected
    assert ("any" in expected) == form.types


def test_a_short_tree_is_written_on_one_line_and_a_long_one_indented() -> None:
    leaf = Leaf("A", "attack", ("random",), ("archer", "cavalry"))
    assert (
        format_tree(Sequence((leaf, leaf)))
        == "S(A(attack random archer or cavalry) :: A(attack random archer or cavalry))"
    )
    long: Node = Fallback((Sequence((leaf, leaf)), leaf))
    assert format_tree(long) == (
        "F(\n"
        "    S(A(attack random archer or cavalry) :: A(attack random archer or cavalry)) ::\n"
        "    A(attack random archer or cavalry)\n"
        ")"
    )


def test_the_trees_of_the_published_cases_are_read(shared: Path) -> None:
    """docs/rules/trees.md 6.1: all published trees stand among the conformance cases."""
    cases = json.loads((shared / "golden" / "bt_conformance.json").read_text())["cases"]
    texts = {case["tree"] for case in cases}
    assert len(texts) >= 15
    for text in texts:
        tree = parse_tree(text)
        assert parse_tree(format_tree(tree)) == tree
