"""Every diagnostic code of both languages: its meaning, and a text that causes it. The tests try each one."""

from __future__ import annotations

from dataclasses import dataclass

from dsl import Diagnostic, PlanContext, check_plan, check_tree
from dsl.diagnostics import MAX_ERRORS
from dsl.plan_parser import MAX_PLAN_LENGTH, MAX_PLAN_WORDS
from dsl.tree_parser import MAX_TREE_DEPTH, MAX_TREE_LENGTH

PLAN = """\
Step 0:
prerequisites: []
objective: position
units: [0:5]
- target position: (10, 20)
- behavior: attack_and_move any
units: [5:10]
- target position: (30, 20)
- behavior: follow_map

Step 1:
prerequisites: [0]
objective: elimination all
units: all
- target position: (49, 0)
- behavior: attack_in_close_range archer cavalry
"""
"""A correct plan; each example replaces one of its lines."""

CONTEXT = PlanContext(team_size=10, foe_size=8, map_size=50, orders=())


@dataclass(frozen=True)
class Code:
    """A diagnostic code.

    Attributes:
        name: The code.
        meaning: What is wrong with a text that has it.
        example: A text, or a wrong line for `PLAN`; None when it is too long to show.
        line: The line of `PLAN` that the example replaces, counted from 1; 0 when the example is a complete text.
    """

    name: str
    meaning: str
    example: str | None = None
    line: int = 0

    def finding(self) -> Diagnostic:
        """Return the diagnostic of the example; raise a LookupError when the checker does not report this code."""
        if self.example is None:
            text = _UNSHOWN[self.name]
        elif self.line:
            lines = PLAN.splitlines()
            lines[self.line - 1] = self.example
            text = "\n".join(lines)
        else:
            text = self.example
        report = check_tree(text) if self.name.startswith("tree-") else check_plan(text, context=CONTEXT)
        found = [diagnostic for diagnostic in report.diagnostics if diagnostic.code == self.name]
        if not found:
            raise LookupError(f"{self.name}: its example gives {[each.code for each in report.diagnostics]}")
        return found[0]


_UNSHOWN = {
    "tree-depth": "S(" * MAX_TREE_DEPTH + "A(stand)" + ")" * MAX_TREE_DEPTH,
    "tree-size": "A(stand)" + "x" * MAX_TREE_LENGTH,
    "plan-size": PLAN + "x" * MAX_PLAN_LENGTH,
    "plan-many-errors": "Step 0:\n" * (MAX_ERRORS + 1),
    "plan-second": f"BEGIN PLAN\n{PLAN}END PLAN\n" * 2,
}

TREE_CODES = (
    Code("tree-empty", "the text contains no tree", ""),
    Code("tree-empty-node", "a node with nothing in it", "F(A(stand) :: S())"),
    Code("tree-trailing-separator", "a separator with no node after it", "S(A(stand) ::)"),
    Code("tree-unclosed", "the text ends before the tree does", "S(A(stand)"),
    Code("tree-two-roots", "a second root follows the first", "A(stand) :: A(stand)"),
    Code("tree-syntax", "something else that does not fit the grammar", "F(A(stand) A(stand))"),
    Code("tree-unknown-atomic", "no atomic has that name", "A(mvoe toward closest foe)"),
    Code("tree-unknown-word", "no such word", "A(attack random archers)"),
    Code("tree-misplaced-word", "a word of the language in a place where it cannot stand", "A(attack toward)"),
    Code("tree-missing-word", "an atomic lacks a word", "C(in_reach foe me_from_them)"),
    Code("tree-any-mixed", "`any` together with types", "A(attack random any or archer)"),
    Code("tree-case", "wrong capitals", "a(stand)"),
    Code("tree-role", "an action in `C( )`, or a condition in `A( )`", "S(A(in_sight foe) :: A(stand))"),
    Code("tree-depth", f"more than {MAX_TREE_DEPTH} nested brackets"),
    Code("tree-size", f"more than {MAX_TREE_LENGTH:,} characters without blanks"),
)

PLAN_CODES = (
    Code("plan-syntax", "a line begins wrongly", "units all", 14),
    Code("plan-step-id", "the number of a step is missing, or is not a number", "Step one:", 11),
    Code("plan-list", "not a list in brackets", "prerequisites: 0", 12),
    Code(
        "plan-number", "not a whole number of at least 0, or one beyond its limits", "- target position: (10.5, 20)", 5
    ),
    Code(
        "plan-objective",
        "an objective that does not exist, that this kind of scenario does not have, or that is written wrongly",
        "objective: postion",
        3,
    ),
    Code(
        "plan-target",
        "not a place: no pair of numbers in brackets, and no words for one",
        "- target position: 10, 20",
        5,
    ),
    Code(
        "plan-behaviour",
        "an unknown behaviour, or one that this side may not use",
        "- behavior: attack_static",
        6,
    ),
    Code("plan-unit-type", "no such unit type, or an `or` between types", "- behavior: stand knights", 9),
    Code("plan-any-mixed", "`any` together with types", "- behavior: stand any archer", 9),
    Code("plan-unknown-line", "a line that is not part of a plan", "good luck", 10),
    Code("plan-missing-line", "a step or a group lacks a line", "", 5),
    Code("plan-duplicate-line", "a step or a group has a line twice", "objective: position", 10),
    Code("plan-order", "lines in the wrong order", "units: all", 1),
    Code("plan-no-group", "a step without a group", "Step 2:\nprerequisites: []\nobjective: position", 10),
    Code("plan-no-step", "no step between the markers", "BEGIN PLAN\nHold the hill.\nEND PLAN"),
    Code("plan-empty", "there is no plan in the text at all", "I would rather not."),
    Code("plan-marker", "`BEGIN PLAN` without `END PLAN`, or the reverse", "BEGIN PLAN\nStep 0:", 1),
    Code(
        "plan-size",
        f"more than {MAX_PLAN_LENGTH:,} characters without blanks, or {MAX_PLAN_WORDS:,} words and signs",
    ),
    Code("plan-unit-range", "an id or a slice beyond the team", "units: [5:11]", 7),
    Code("plan-empty-slice", "a slice that contains no unit", "units: [5:5]", 7),
    Code("plan-empty-list", "a list without a unit, or without a cell", "units: []", 7),
    Code("plan-unit-overlap", "a unit in two groups of a step; with `--lenient` a warning", "units: [4:10]", 7),
    Code("plan-few-units", "words for units of which there are too few, or none", "units: 20 of [5:10]", 7),
    Code(
        "plan-behind",
        "a group behind units that are no other group of the step",
        "- target position: behind all by 8",
        8,
    ),
    Code("plan-scenario", "a word whose meaning is not known without the scenario", "units: archer", 7),
    Code(
        "plan-not-here", "a word that the units of this kind of scenario do not know", "- behavior: stand within 12", 9
    ),
    Code("plan-coordinate", "a target, or a place of an objective, beyond the map", "- target position: (50, 20)", 8),
    Code("plan-duplicate-step", "two steps with the same number", "Step 0:", 11),
    Code("plan-unknown-prerequisite", "a prerequisite that is not a step of the plan", "prerequisites: [3]", 12),
    Code(
        "plan-prerequisite-cycle",
        "steps that wait for one another, or for themselves",
        "prerequisites: [1]",
        2,
    ),
    Code("plan-markdown", "Markdown formatting, which is ignored", "**Step 0:**", 1),
    Code("plan-bullet", "a bullet missing, or one too many", "target position: (10, 20)", 5),
    Code("plan-case", "capitals that differ from the format", "Units: [5:10]", 7),
    Code("plan-spelling", "another spelling of a word", "- behaviour: follow_map", 9),
    Code("plan-text-before", "text before the first step, which is not read", "Here it is.\nStep 0:", 1),
    Code("plan-many-errors", f"more than {MAX_ERRORS:,} errors; the rest of the plan is not checked"),
    Code("plan-second", "a second plan in the text, which is not read"),
)
