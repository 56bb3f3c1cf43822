"""Every way to break a behaviour tree (docs/rules/trees.md 1.3): its code, and the exact place."""

from __future__ import annotations

import pytest

from dsl import check_tree
from dsl.tree_parser import MAX_TREE_DEPTH, MAX_TREE_LENGTH

BROKEN = [  # text, code, line, column, characters covered
    ("", "tree-empty", 1, 1, ""),
    (" \n\t\n", "tree-empty", 1, 1, ""),
    ("S()", "tree-empty-node", 1, 1, "S()"),
    ("S(A(stand) :: F( ))", "tree-empty-node", 1, 15, "F( )"),
    ("A()", "tree-empty-node", 1, 1, "A()"),
    ("C(\n)", "tree-empty-node", 1, 1, "C(\n)"),
    ("S(A(stand) ::)", "tree-trailing-separator", 1, 12, "::"),
    ("S(A(stand) |>\n)", "tree-trailing-separator", 1, 12, "|>"),
    ("S(:: A(stand))", "tree-syntax", 1, 3, "::"),
    ("S(A(stand) :: :: A(stand))", "tree-syntax", 1, 15, "::"),
    ("S(A(stand), A(stand))", "tree-syntax", 1, 11, ","),
    ("S(A(stand) A(stand))", "tree-syntax", 1, 12, "A"),
    ("S(attack random)", "tree-syntax", 1, 3, "attack"),
    ("Sequence(A(stand))", "tree-syntax", 1, 1, "Sequence"),
    ("A(S(A(stand)))", "tree-syntax", 1, 3, "S"),
    ("A(stand now)", "tree-syntax", 1, 9, "now"),
    ("A(stand))", "tree-syntax", 1, 9, ")"),
    ("A(\x00)", "tree-syntax", 1, 3, "\x00"),
    ("S(A(stand)", "tree-unclosed", 1, 11, ""),
    ("S(\n  A(stand) ::\n  \n", "tree-unclosed", 2, 14, ""),
    ("A(attack", "tree-unclosed", 1, 9, ""),
    ("A(stand) A(stand)", "tree-two-roots", 1, 10, "A"),
    ("A(stand)\n:: A(stand)", "tree-two-roots", 2, 1, "::"),
    ("A(mvoe toward closest foe)", "tree-unknown-atomic", 1, 3, "mvoe"),
    ("C(in_sigth foe)", "tree-unknown-atomic", 1, 3, "in_sigth"),
    ("A(attackers random)", "tree-unknown-atomic", 1, 3, "attackers"),
    ("A(attack furthest)", "tree-unknown-word", 1, 10, "furthest"),
    ("A(attack random archers)", "tree-unknown-word", 1, 17, "archers"),
    ("F(\n\tA(move to closest foe)\n)", "tree-unknown-word", 2, 9, "to"),
    ("A(attackrandmany)", "tree-unknown-word", 1, 9, "randmany"),
    ("C(is_type not archer)", "tree-unknown-word", 1, 11, "not"),
    ("C(is_type archer)", "tree-misplaced-word", 1, 11, "archer"),
    ("A(attack any)", "tree-misplaced-word", 1, 10, "any"),
    ("C(in_reach foe me_from_them any)", "tree-misplaced-word", 1, 29, "any"),
    ("A(attack random archer spearmen)", "tree-misplaced-word", 1, 24, "spearmen"),
    ("C(in_reach foe them_from_me)", "tree-missing-word", 1, 28, ")"),
    ("A(move)", "tree-missing-word", 1, 7, ")"),
    ("A(attack random archer or)", "tree-missing-word", 1, 26, ")"),
    ("A(attack random any or archer)", "tree-any-mixed", 1, 21, "or"),
    ("A(attack random archer or any)", "tree-any-mixed", 1, 27, "any"),
    ("A(ATTACK random)", "tree-case", 1, 3, "ATTACK"),
    ("A(attack Random)", "tree-case", 1, 10, "Random"),
    ("A(attack random Archer)", "tree-case", 1, 17, "Archer"),
    ("s(A(stand))", "tree-case", 1, 1, "s"),
    ("C(attack random)", "tree-role", 1, 3, "attack"),
    ("A(in_sight foe)", "tree-role", 1, 3, "in_sight"),
    ("A(go fire)", "tree-misplaced-word", 1, 6, "fire"),
    ("A(clear away_from fire)", "tree-misplaced-word", 1, 9, "away_from"),
    ("A(attack random drone)", "tree-misplaced-word", 1, 17, "drone"),
    ("A(go toward wood)", "tree-unknown-word", 1, 13, "wood"),
    ("C(is_near fire)", "tree-missing-word", 1, 15, ")"),
    ("C(cut)", "tree-role", 1, 3, "cut"),
    ("S(" * 64 + "A(stand)" + ")" * 64, "tree-depth", 1, 130, "("),
    ("S(" * 5000, "tree-depth", 1, 130, "("),
    (" " * 9 + "A" * MAX_TREE_LENGTH + " B", "tree-size", 1, MAX_TREE_LENGTH + 11, "B"),
]


@pytest.mark.parametrize(("text", "code", "line", "column", "covered"), BROKEN, ids=lambda value: str(value)[:30])
def test_a_broken_tree_is_reported_at_its_place(text: str, code: str, line: int, column: int, covered: str) -> None:
    report = check_tree(text)
    (finding,) = report.diagnostics
    assert (finding.code, finding.span.line, finding.span.column) == (code, line, column)
    assert finding.span.text == covered
    assert not report.ok and report.root is None


HINTS = [
    ("A(attack random archers)", "did you mean `archer`?"),
    ("A(attack furthest)", "did you mean `farthest`?"),
    ("A(mvoe toward closest foe)", "did you mean `move`?"),
    ("A(in_sigth foe)", "did you mean `in_sight`?"),
    ("A(move towards closest foe)", "did you mean `toward`?"),
    ("A(ATTACK random)", "write `attack`"),
    ("S(attack random)", "write `A(attack …)`"),
    ("Selector(A(stand))", "write `F( )`"),
    ("S(A(stand); A(stand))", "children are separated by `::`"),
    ("A(in_sight foe)", "write `C(in_sight …)`"),
]


@pytest.mark.parametrize(("text", "hint"), HINTS)
def test_a_hint_names_what_is_valid_there(text: str, hint: str) -> None:
    assert check_tree(text).diagnostics[0].hint == hint


def test_mixed_up_roles_are_all_reported() -> None:
    report = check_tree("S(A(in_sight foe) :: C(stand) :: A(stand) :: F(C(move north)))")
    assert [(finding.code, finding.span.text) for finding in report.diagnostics] == [
        ("tree-role", "in_sight"),
        ("tree-role", "stand"),
        ("tree-role", "move"),
    ]


def test_syntax_stops_at_the_first_error() -> None:
    assert [finding.span.text for finding in check_tree("S(A(mvoe) :: A(atack) :: A(in_sight foe))").diagnostics] == [
        "mvoe"
    ]


def test_a_tree_of_the_greatest_depth_is_read() -> None:
    nested = MAX_TREE_DEPTH - 1
    assert check_tree("S(" * nested + "A(stand)" + ")" * nested).ok
