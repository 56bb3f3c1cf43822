"""How findings are shown. `UPDATE_GOLDEN=1` rewrites the files in `golden/`; read them as a stranger would."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dsl
from dsl import Diagnostic, DslError, PlanContext, Source, Span, check_plan, check_tree, parse_tree, render
from tests.dsl.test_broken_plans import BROKEN as BROKEN_PLANS
from tests.dsl.test_broken_plans import edit
from tests.dsl.test_broken_trees import BROKEN as BROKEN_TREES

GOLDEN = Path(__file__).parent / "golden"
CONTEXT = PlanContext(team_size=10, foe_size=8, map_size=50)

TREES = {
    "tree_unknown_action": "F(\n    A(attack random any) ::\n    A(mvoe toward closest foe)\n)\n",
    "tree_misspelt_type": "A(attack random archers)",
    "tree_tabs": "F(\n\t\tA(attack random any) ::\n\t\tA(move\ttowards closest foe))",
    "tree_unclosed": "S(\n    C(in_sight foe any) ::\n    A(attack closest any)\n\n",
    "tree_empty_node_over_lines": "S(A(stand) :: F(\n\n))",
    "tree_roles": "S(A(in_sight foe) :: C(attack random))",
    "tree_two_roots": "A(attack random any) :: A(follow_map toward)",
    "tree_missing_word": "C(in_reach foe me_from_them)",
    "tree_long_line": "F(" + "A(attack random any) :: " * 12 + "A(atack random any)" + " :: A(stand)" * 12 + ")",
    "tree_wide_characters": "S(C(in_sight foe) ::\u3000走れ(stand))",
}
PLANS = {
    "plan_names": edit({6: "- behavior: attack_static archerz sniper"}),
    "plan_bounds": edit({7: "units: [5:11]", 8: "- target position: (50, 20)", 13: "objective: elimination [9]"}),
    "plan_overlap": edit({7: "units: [2, 5:10]"}),
    "plan_circle": edit({2: "prerequisites: [1]"}),
    "plan_broken_lines": edit({1: "Step one:", 3: "objective: elimination", 4: "units: [0-4]", 5: "- target: (1, 2)"}),
    "plan_missing_lines": edit({2: None, 6: None}),
    "plan_warnings": edit({1: "**Step 0:**", 5: "target position: (10, 20)", 6: "- behaviour: stand"}),
    "plan_markers": "Sure!\nBEGIN PLAN\n" + edit({}),
    "plan_absent": "I would rather not.",
}


@pytest.mark.parametrize("name", [*TREES, *PLANS])
def test_a_rendering_reads_as_agreed(name: str) -> None:
    report = check_tree(TREES[name], "a.bt") if name in TREES else check_plan(PLANS[name], "a.plan", CONTEXT)
    rendered = render(report.diagnostics) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(rendered, encoding="utf-8")
    assert rendered == path.read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {*TREES, *PLANS}


@pytest.mark.parametrize("indent", ["", "\t", "  \t ", "走"])
def test_carets_stand_under_the_span(indent: str) -> None:
    source = Source("a", f"{indent}one two")
    start = len(indent) + 4
    rendered = render([Diagnostic("x", "error", "m", Span(source, start, start + 3))])
    shown, carets = rendered.splitlines()[2:4]
    wide = indent.count("走")  # takes two columns of a terminal, one character of the line
    assert carets.index("^") - wide == shown.index("two")
    assert carets.count("^") == 3
    assert "\t" not in rendered


def test_a_span_over_lines_underlines_the_first() -> None:
    source = Source("a", "one two\nthree")
    carets = render([Diagnostic("x", "error", "m", Span(source, 4, 12))]).splitlines()[3]
    assert carets.endswith("|     ^^^")


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_lines_and_columns_count_from_one(line_break: str) -> None:
    text = line_break.join(["ab", "", "cd"])
    source = Source("a", text)
    assert source.locate(0) == (1, 1)
    assert source.locate(text.index("d")) == (3, 2)
    assert source.locate(len(text)) == (3, 3)
    assert [source.line(number) for number in (1, 2, 3)] == ["ab", "", "cd"]


def test_an_error_survives_pickling() -> None:
    """Batches play in other processes."""
    with pytest.raises(DslError) as caught:
        parse_tree("A(mvoe)", "a.bt")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.diagnostics == caught.value.diagnostics and str(copy) == str(caught.value)


def test_every_code_is_documented_and_tested() -> None:
    package = Path(dsl.__file__).parent
    code = re.compile(r"\b(?:tree|plan)-[a-z]+(?:-[a-z]+)*")
    raised = {
        found for path in package.glob("*.py") for found in re.findall(r'"((?:tree|plan)-[a-z-]+)"', path.read_text())
    }
    documented = set(code.findall((package / "README.md").read_text()))
    tested = {row[1] for row in [*BROKEN_PLANS, *BROKEN_TREES]}
    for path in Path(__file__).parent.glob("*.py"):
        tested |= set(re.findall(r'"((?:tree|plan)-[a-z-]+)"', path.read_text()))
    assert raised == documented
    assert raised <= tested


def test_importing_the_package_loads_neither_lark_nor_jax() -> None:
    script = "import dsl, sys; print([name for name in ('lark', 'jax', 'numpy') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
