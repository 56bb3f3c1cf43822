"""What an editor shows of a plan while it is typed: colours, and words that may stand at the cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl.completing import complete
from dsl.editing import CLASSES, colours
from dsl.vocabulary import Feature

CONTEXT = dsl.PlanContext(markers=(("A", (1, 2)),), features=(Feature("North Bridge", (5, 5), ((4, 4), (6, 6))),))
PLAN = """\
BEGIN PLAN
Step 0:
prerequisites: [1]
objective: elimination all
units: [0:10]
- target position: (25, 75)
- behavior: attack_and_move archer nobody
units: half of archer  # some
- target position: North Bridge via marker A
END PLAN
"""


def coloured(text: str) -> list[tuple[str, str]]:
    return [(text[start:end], name) for start, end, name in colours(text, CONTEXT)]


def words(text: str) -> tuple[str, ...]:
    return tuple(word for word, _ in complete(text, len(text), CONTEXT).words)


def test_each_word_has_the_colour_of_what_it_is() -> None:
    found = [pair for pair in coloured(PLAN) if pair[1] != "sign"]
    assert found == [
        ("BEGIN PLAN", "marker"),
        ("Step", "key"), ("0", "step"),
        ("prerequisites", "key"), ("1", "number"),
        ("objective", "key"), ("elimination", "objective"), ("all", "all"),
        ("units", "key"), ("0", "number"), ("10", "number"),
        ("target position", "key"), ("25", "number"), ("75", "number"),
        ("behavior", "key"), ("attack_and_move", "behaviour"), ("archer", "type"), ("nobody", "name"),
        ("units", "key"), ("half", "word"), ("of", "word"), ("archer", "type"), ("# some", "comment"),
        ("target position", "key"), ("North", "type"), ("Bridge", "type"), ("via", "word"),
        ("marker", "word"), ("A", "type"),
        ("END PLAN", "marker"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("- target position: line north-east - marker A", [("-", "sign"), ("north-east", "type"), ("-", "sign")]),
        ("objective: arrival 80%", [("arrival", "objective"), ("80", "number"), ("%", "sign")]),
        ("objective: elimination archer, dragons", [("archer", "type"), (",", "sign"), ("dragons", "name")]),
    ],
)
def test_signs_and_types_of_the_other_side_are_no_unknown_names(line: str, wanted: list[tuple[str, str]]) -> None:
    found = coloured(line)
    assert [pair for pair in found if pair in wanted] == wanted
    assert [word for word, name in found if name == "name"] == [word for word, name in wanted if name == "name"]


def test_comments_are_coloured_where_the_parser_reads_none() -> None:
    """`# Step 3:` is a heading where its step follows, and a comment everywhere else."""
    after = "prerequisites: []\n"
    assert coloured("# Step 3: later\n" + after)[0] == ("# Step 3: later", "comment")
    assert coloured("# Step 3:\r\n\n# Step 4:\n" + after)[0] == ("# Step 3:", "comment")
    assert ("3", "step") not in coloured("# Step 3:\n")
    assert all(name != "comment" for _, name in coloured("# Step 3:\n" + after))


PARTS = [*"stepunial:[](),-0129\n \r\x0b", "objective", "behavior: ", "é", "😀"]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_colours_never_overlap_and_completion_ends_at_the_cursor(text: str) -> None:
    last = 0
    for start, end, name in colours(text, CONTEXT):
        assert last <= start < end <= len(text) and name in CLASSES
        last = end
    for at in range(len(text) + 1):
        found = complete(text, at, CONTEXT)
        assert 0 <= found.start <= found.end == at


def test_a_long_line_of_blanks_is_coloured_and_completed() -> None:
    """As many blanks as the page may send: a quadratic pattern takes minutes for them."""
    text = " " * 64_000
    assert coloured(text) == [] and "Step " in words(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("- behavior: attack_i", ("attack_in_close_range", "attack_in_long_range")),
        ("- behavior: stand a", ("any", "archer")),
        ("- behavior: stand archer c", ("cavalry", "civilian")),
        ("objective: ", dsl.PlanContext().objectives),
        ("objective: elimination a", ("all", "archer")),
        ("units: a", ("all", "archer", "a third of", "a quarter of")),
        ("units: a ", ("a third of", "a quarter of")),
        ("units: archer, three q", ("three quarters of",)),
        ("units: half of c", ("cavalry", "civilian")),
        ("units: half of tw", ("two thirds of",)),
        ("units: archer, the", ("the rest",)),
        ("units: nearest 20 of archer t", ("to",)),
        ("- target position: nor", ("north", "north-east", "north-west")),
        ("- target position: north-east of", ("north-east of the map", "north-east of North Bridge")),
        ("- target position: North B", ("North Bridge",)),
        ("- target position: line south ", ("south of the map", "south of North Bridge")),
        ("- target position: (1, 2) via north o", ("north of the map", "north of North Bridge")),
        ("- target position: line (1, 2) - mark", ("marker A",)),
        ("- target position: (1, 2) u", ("under cover",)),
        ("- target position: behind ar", ("archer",)),
        ("- target position: behind ha", ("half of",)),
        ("- behavior: stand archer w", ("within",)),
        ("objective: arrival ", ("any",)),
        ("units: all # c", ()),
        ("- beh", ("- behavior: ",)),
        ("Step 0:\nobj", ("objective: ",)),
        ("prerequisites: [", ()),
    ],
)
def test_words_that_may_follow_are_offered(text: str, wanted: tuple[str, ...]) -> None:
    assert words(text) == wanted


def test_types_of_which_there_is_no_unit_are_not_offered() -> None:
    blocks = (("spearmen", 0), ("archer", 4))
    context = dsl.PlanContext(team_size=4, foe_size=4, team_blocks=blocks, foe_blocks=blocks)
    for line in ("units: half of ", "objective: elimination "):
        offered = [word for word, _ in complete(line, len(line), context).words]
        assert "archer" in offered and "spearmen" not in offered


def test_a_completed_line_is_read_without_errors() -> None:
    """What is offered is what the checker accepts: the lines of a step, completed one after another."""
    text = "Step 0:\n"
    for begun, rest in (
        ("pre", ""),
        ("obj", "elimination all"),
        ("uni", "all"),
        ("- tar", "(5, 5)"),
        ("- beh", "stand"),
    ):
        found = complete(text + begun, len(text + begun), CONTEXT)
        text = text[: found.start] + found.words[0][0] + rest + "\n"
    assert not dsl.check_plan(text).diagnostics
