"""The plain commander: every answer is a valid plan or a question, and a plan does what was said."""

from __future__ import annotations

import functools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
import hive
from hive.engine.instant import state_at_start
from hive.kit.facts import Facts, Running
from hive.players.llm.client import Topic
from hive.players.llm.dialogue import Dialogue
from hive.players.words.commander import PlainCommander
from hive.players.words.lexicon import phrases
from hive.players.words.lines import DOES
from hive.players.words.reading import Reading, interpret
from hive.worlds.battle.world import load

WORLDS = ("coordinate", "exploit_weakness", "markers_terrain", "strategize_points", "duel", "burning_wood")


@functools.cache
def facts(name: str = "duel") -> Facts:
    world = load(name, units=100)
    return world.facts(state_at_start(world, 0))


def plan_of(reading: Reading, known: Facts) -> dsl.PlanSyntax:
    """The plan of a reading, which has no errors in its world."""
    assert reading.plan is not None, reading.question
    report = dsl.check_plan(reading.plan, "reply", known.context)
    assert report.ok, dsl.render(report.diagnostics)
    assert isinstance(report.root, dsl.PlanSyntax)
    return report.root


def ordered(plan: dsl.PlanSyntax, size: int = 100) -> dict[int, list[tuple[tuple[int, int], str]]]:
    """What each unit is told in the course of a plan: target and behaviour of each of its groups."""
    found: dict[int, list[tuple[tuple[int, int], str]]] = {}
    for step in plan.steps:
        for group in step.groups:
            for unit in group.units.ids(size):
                found.setdefault(unit, []).append((group.target, group.behaviour))
    return found


def test_python_users_order_in_words() -> None:
    """`hive.order` gives the plan of the reading for the world's own sizes; what cannot be carried out raises."""
    world = hive.load("exploit_weakness", units=60)
    order = hive.order(world, "send each type against the enemy that it beats")
    read = interpret("send each type against the enemy that it beats", world.facts(state_at_start(world, 0)))
    assert (order.text, order.lines) == (read.plan, read.lines)
    assert dsl.check_plan(order.text, "order", world.context(0, world.sizes)).ok
    with pytest.raises(dsl.UserError, match="no order in this"):
        hive.order(world, "hello")


words = st.sampled_from([" ".join(phrase) for phrase in phrases()])
pieces = st.one_of(words, st.sampled_from(list(".,;:!?\n()&")), st.integers(0, 300).map(str), st.text(max_size=6))


@settings(max_examples=80, deadline=None)
@given(st.lists(pieces, max_size=25).map(" ".join), st.sampled_from(WORLDS))
def test_every_answer_is_a_valid_plan_or_a_question(order: str, name: str) -> None:
    reading = interpret(order, facts(name))
    if reading.plan is None:
        assert reading.question
        if reading.draft is not None:
            plan_of(reading.decided, facts(name))
    else:
        plan_of(reading, facts(name))
    assert interpret(order, facts(name)) == reading  # a pure function


SHARES = {"half of the {}": 2, "a third of the {}": 3, "25% of the {}": 4, "one fifth of {}": 5}


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(SHARES)), st.sampled_from(["archers", "spearmen", "cavalry"]), st.integers(2, 147))
def test_a_share_moves_that_share_and_nobody_else(share: str, kind: str, x: int) -> None:
    known = facts()
    reading = interpret(f"{share.format(kind)} go to ({x}, 20)", known)
    moved = ordered(plan_of(reading, known))
    types = [known.own.types[unit] for unit in moved]
    whole = sum(each.startswith(kind[:5]) for each in known.own.types)
    assert len(moved) == int(whole / SHARES[share] + 0.5)  # halves round up
    assert all(each.startswith(kind[:5]) for each in types)


PARTS = ("the archers go to (20, 20)", "spearmen hold (40, 30)", "cavalry retreat to (70, 12)")


@settings(max_examples=10, deadline=None)
@given(st.permutations(PARTS), st.sampled_from([", ", " and ", ". ", "; "]))
def test_the_order_of_independent_parts_does_not_matter(parts: list[str], joint: str) -> None:
    assert ordered(plan_of(interpret(joint.join(parts), facts()), facts())) == ordered(
        plan_of(interpret(". ".join(PARTS), facts()), facts())
    )


def test_an_order_in_a_running_game_changes_only_whom_it_names() -> None:
    known = facts()
    before = plan_of(interpret("everyone go to (40, 30), then to (80, 40)", known), known)
    reading = interpret("units 0 to 9 go to 20, 50", known, Running(before, frozenset({0})))
    after = ordered(plan_of(reading, known))
    assert {unit: steps for unit, steps in after.items() if unit > 9} == {
        unit: steps[1:] for unit, steps in ordered(before).items() if unit > 9
    }
    assert all([target for target, _ in after[unit]] == [(20, 50)] for unit in range(10))


@pytest.mark.parametrize("order", ["units 0 to 9 go to 20, 50", "spearmen, no fighting", "archers, no fighting"])
def test_those_behind_others_stay_behind_them_when_an_order_changes_the_plan(order: str) -> None:
    known = facts()
    before = plan_of(interpret("cavalry go to (20, 20). spearmen go to (75, 60), archers behind them", known), known)
    after = plan_of(interpret(order, known, Running(before)), known)
    behind = [
        (step.groups[group.behind.group].units.ids(100), group.units.ids(100), group.behind.gap)
        for step in after.steps
        for group in step.groups
        if group.behind
    ]
    assert [(set(front) - set(range(10)), set(rear), gap) for front, rear, gap in behind] == [
        (set(range(10, 50)), set(range(50, 80)), 8)
    ]


@pytest.mark.parametrize(
    ("name", "order", "targets"),
    [
        ("duel", "attak teh enemy archers wiht everything weve got", None),
        ("duel", "All but 20 archers march to the North Pond, the 20 stay with the South Hamlet.", 2),
        ("markers_terrain", "take everyone to marker B, then D, then the objective, ignoring enemies", 3),
        ("strategize_points", "spread the army over all the bridges", None),
        ("coordinate", "line up along the middle row, archers 10 metres behind the spearmen", None),
        ("exploit_weakness", "send each type against the enemy it beats", None),
        ("exploit_weakness", "twenty-five archers hold x=20 y=40; the rest stay", None),
        ("coordinate", "archers behind the spearmen", 1),
        ("coordinate", "archers stay 4 m behind the spearmen", 1),
        ("coordinate", "archers protect the spearmen", 1),
        ("coordinate", "five squads, each ten archers and ten spearmen, spread along y = 75", 10),
    ],
)
def test_what_people_type_is_carried_out(name: str, order: str, targets: int | None) -> None:
    plan = plan_of(interpret(order, facts(name)), facts(name))
    places = {group.target for step in plan.steps for group in step.groups}
    assert targets is None or len(places) == targets


@pytest.mark.parametrize(
    "order", ["keep away from (75, 20)", "everyone avoids (75, 20)", "stay 15 m away from (75, 20)"]
)
def test_nobody_is_sent_to_a_place_to_avoid(order: str) -> None:
    plan = plan_of(interpret(order, facts("coordinate")), facts("coordinate"))
    targets = [group.target for step in plan.steps for group in step.groups]
    assert targets and all(math.dist(target, (75, 20)) > 14 for target in targets)


@pytest.mark.parametrize(
    ("name", "order", "asked"),
    [
        ("duel", "hold and retreat", "exclude each other"),
        ("duel", "send 5000 archers north", "not 5000"),
        ("duel", "send the elephants over the bridge", "elephants"),
        ("duel", "go to (500, 20)", "not on the map"),
        ("duel", "archers to the windmill", "windmill"),
        ("duel", "units 95 to 120 go to (20, 20)", "no unit 120"),
        ("markers_terrain", "archers to marker A", "no archers"),
        ("strategize_points", "20 archers go to the bridge", "Which bridge"),
        ("duel", "what's the weather like tomorrow?", "no order"),
        ("duel", "", "nothing to read"),
        ("duel", "Лучники, вперёд к мосту!", "Latin letters"),
        ("duel", "弓兵、前進", "Latin letters"),
        ("duel", "\x00\x07\x1b[31m", ""),
        ("duel", "archers go to (10, 10) " * 5_000, "characters"),
        ("duel", "x1y2" * 370, "words and numbers"),
        ("duel", "1 " * 700, "words and numbers"),
        ("duel", "send -10 archers north", "below 0"),
        ("duel", "2.5 archers go north", "whole numbers"),
        ("duel", "1e9 archers go north", "in digits"),
        ("duel", "1,000,000 archers go north", "999,999"),
        ("duel", "wait 999999999999", "999,999"),
        ("duel", "units 1 2 3 4 go to (20, 20)", "commas"),
        ("duel", "send 10,000 archers north", "not 10000"),
        ("duel", "send 1,234 units north", "not 1234"),
        ("duel", "kill 600 enemy spearmen", "The enemy has 50"),
        ("duel", "attack without fighting", "exclude"),
        ("burning_wood", "put out the fire!", "No unit can do this"),
    ],
)
def test_what_cannot_be_acted_on_gets_a_question(name: str, order: str, asked: str) -> None:
    reading = interpret(order, facts(name))
    assert reading.plan is None
    assert asked in reading.question
    assert "For example" in reading.question


@pytest.mark.parametrize(
    ("name", "order", "lost"),
    [  # by rule: numbers, conditions, groups that overlap, places held in turn, unread words among groups
        ("duel", "30 spearmen to (20, 20), 30 spearmen to (120, 20)", "order already"),
        ("duel", "cavalry hide in the West Wood until their archers are tired, then attack", "tired"),
        ("coordinate", "spearmen 0-24 hold (20, 20), 25 to 49 the dungeon", "dungeon"),
    ],
)
def test_an_order_of_which_a_part_would_be_lost_is_asked_about(name: str, order: str, lost: str) -> None:
    reading = interpret(order, facts(name))
    assert reading.plan is None
    assert lost.lower() in reading.question.lower()
    decided = reading.decided  # where nobody answers, the rest is carried out, and what is lost is said
    assert decided.plan == reading.draft
    assert lost.lower() in decided.text.lower()
    if decided.plan:
        assert plan_of(decided, facts(name)).steps


@pytest.mark.parametrize(
    ("order", "count"),
    [
        ("80% of the archers go to (75, 30), the rest to (130, 30)", 6),
        ("a third of the spearmen goes to (40, 75), a third to (75, 75), the remainder to (130, 30)", 16),
        ("half of the archers go to (75, 30); everyone else to (130, 30)", 85),
        ("20 archers hold the centre, the rest go to (130, 30)", 80),
    ],
)
def test_the_rest_is_that_of_the_type_of_which_a_share_was_named(order: str, count: int) -> None:
    told = ordered(plan_of(interpret(order, facts()), facts()))
    assert sum(any(place == (130, 30) for place, _ in each) for each in told.values()) == count


def test_yes_carries_out_what_a_question_was_about_and_nothing_else() -> None:
    order, known = "30 spearmen to (20, 20), 30 spearmen to (120, 20)", facts()
    dialogue = Dialogue(PlainCommander(), "", known.context, topic=Topic(game=lambda: (known, None)))
    assert dialogue.ask("yes").kind == "no_plan"
    assert dialogue.ask(order).kind == "no_plan"
    answer = dialogue.ask("Yes, please.")
    assert answer.plan is not None
    assert answer.plan.text == interpret(order, known).decided.text
    assert dialogue.ask("yes").kind == "no_plan"  # no second time
    assert dialogue.ask("archers go 10 m north").kind == "plan"
    assert dialogue.ask("ok").kind == "no_plan"  # nothing was asked


def test_a_study_gets_a_plan_where_a_dialogue_gets_a_question() -> None:
    order, known = "30 spearmen to (20, 20), 30 spearmen to (120, 20)", facts()
    topic = Topic(game=lambda: (known, None), answers=False)
    assert Dialogue(PlainCommander(), "", known.context, topic=topic).ask(order).kind == "plan"


@pytest.mark.parametrize(
    ("order", "named"),
    [  # by rule: distances, conditions of an end, adverbs, and all that goes with a condition that does not exist
        ("archers go to (40, 30) and keep twelve paces apart", "twelve paces"),
        ("cavalry hide in the West Wood until their archers are tired", "until their archers are tired"),
        ("archers stay where they are until the spearmen are at the centre", "until"),
        ("half of the archers detach swiftwards to the North Pond", "swiftwards"),
    ],
)
def test_a_detail_that_no_plan_can_say_is_named_and_the_rest_is_carried_out(order: str, named: str) -> None:
    reading = interpret(order, facts())
    assert len(ordered(plan_of(reading, facts()))) < 100
    assert named.lower() in reading.text.lower()


@pytest.mark.parametrize(
    ("order", "ids", "line"),
    [
        ("spearmen line up along y=75 from x=5 to x=145", range(50), ((5, 75), (145, 75))),
        ("archers 50-64 form a line at x = 40 between y = 20 and y = 90", range(50, 65), ((40, 20), (40, 90))),
        ("spearmen 10 to 19 spread out from (20, 30) to (100, 30)", range(10, 20), ((20, 30), (100, 30))),
    ],
)
def test_a_line_between_coordinates_is_spread_over(
    order: str, ids: range, line: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    """Every spelling of a line, and ids after a type, mean the same: squads within half a gap of its ends."""
    told = ordered(plan_of(interpret(order, facts()), facts()))
    assert set(told) == set(ids)
    cells = [target for steps in told.values() for target, _ in steps]
    (ax, ay), (bx, by) = line
    assert abs(min(x for x, _ in cells) - ax) + abs(min(y for _, y in cells) - ay) <= 20
    assert abs(max(x for x, _ in cells) - bx) + abs(max(y for _, y in cells) - by) <= 20


@pytest.mark.parametrize(
    ("name", "order"),
    [
        (
            "duel",
            "archers go to (60, 40), then attack the enemy spearmen; cavalry hide in the West Wood until they are dead",
        ),
        ("duel", "spearmen hold (75, 40), archers 10 metres behind them, the rest retreat to the south edge"),
        ("duel", "kill archers first, then cavalry, spearmen last"),
        ("coordinate", "spread out over the middle row and do not chase"),
        ("strategize_points", "share the army out over all the bridges and hold them"),
        ("strategize_points", "hold all bridges in alphabetical order"),
        ("exploit_weakness", "send each type against the enemy that it beats"),
    ],
)
def test_lines_say_what_the_steps_do(name: str, order: str) -> None:
    """Every group of a plan has a line with its deed and its place, and no line names a deed that no group does."""
    reading = interpret(order, facts(name))
    groups = [group for step in plan_of(reading, facts(name)).steps for group in step.groups]
    for group in groups:
        told = [line for line in reading.lines if DOES[group.behaviour] in line]
        assert any(str(group.target) in line or " places from " in line or " behind " in line for line in told), group
    for behaviour, deed in DOES.items():
        assert any(deed in line for line in reading.lines) == any(group.behaviour == behaviour for group in groups)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("coordinate", "attack the enemy, but nobody goes into the Northern Forest"),
        ("coordinate", "everyone attack, but no unit goes north of y=100"),
        ("duel", "charge, but nobody goes into the West Wood"),
    ],
)
def test_nobody_is_sent_where_nobody_is_to_go(name: str, order: str) -> None:
    """Targets lie outside, and whoever fights is on a leash that ends before it."""
    known = facts(name)
    (wood,) = [each.cells for each in known.features if each.name in ("Northern Forest", "West Wood")]
    barred = wood if "y=" not in order else np.indices(wood.shape)[1] > 100
    for step in plan_of(interpret(order, known), known).steps:
        for group in step.groups:
            far = np.hypot(*(np.argwhere(barred) - np.array(group.target)).T).min()
            assert group.leash is not None
            assert far > group.leash


def test_to_go_over_a_bridge_ends_beyond_it() -> None:
    known = facts("exploit_weakness")
    told = ordered(plan_of(interpret("cavalry go over the West Bridge", known), known))
    assert all(steps[-1][0][1] > 53 for steps in told.values())  # the river ends at y=53


def test_who_is_to_hold_a_place_walks_there() -> None:
    """`hold` attacks in reach and never steps: it is for units that stand at their place."""
    told = ordered(plan_of(interpret("spearmen hold (75, 60)", facts()), facts()))
    assert {steps[-1] for steps in told.values()} == {((75, 60), "attack_and_move")}


def test_words_that_are_not_understood_are_named() -> None:
    reading = interpret("The army goes north, with drums and trumpets.", facts("coordinate"))
    assert reading.plan
    assert reading.unknown == ("drums", "trumpets")
    assert "`drums` and `trumpets`" in reading.text


@pytest.mark.parametrize(
    ("order", "objective", "said"),
    [
        (
            "go to (40, 30); once eighty percent have arrived go to (60, 60)",
            dsl.Arrival(80),
            "the arrival of 80% of them",
        ),
        ("hold (70, 30) until half of ours are dead, then retreat", dsl.Losses(50), "until losses of 50%"),
        ("hold (70, 30) until we lost half of our men, then retreat", dsl.Losses(50), "until losses of 50%"),
        ("hold (70, 30) until 30% of the enemies are dead, then charge", dsl.EnemyLosses(30), "enemy losses of 30%"),
        ("wait 50 ticks, then attack", dsl.Time(50), "until 50 ticks"),
    ],
)
def test_what_is_waited_for_is_an_objective_and_is_said(order: str, objective: dsl.Objective, said: str) -> None:
    reading = interpret(order, facts())
    assert plan_of(reading, facts()).steps[0].objective == objective
    assert any(said in line for line in reading.lines), reading.lines


def test_units_are_chosen_by_where_they_stand() -> None:
    known = facts("burning_wood")
    moved = ordered(plan_of(interpret("the western ones over to the east", known), known))
    west = known.own.position[:, 0] <= known.ground.shape[0] / 2
    assert set(moved) == set(west.nonzero()[0].tolist())
    assert all(target[0] > 80 for steps in moved.values() for target, _ in steps)


def test_orders_are_read_alike_by_several_threads() -> None:
    orders = [f"half of the archers go to ({x}, 40), the rest hold the centre" for x in range(20, 60)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda order: interpret(order, facts()), orders))
    assert together == [interpret(order, facts()) for order in orders]
