"""The plain commander: laws of any order, lines, dialogues, running games and threads."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
import hive
from hive.engine.instant import state_at_start
from hive.kit.facts import Running
from hive.players.llm.client import Topic
from hive.players.llm.dialogue import Dialogue
from hive.players.words.commander import PlainCommander
from hive.players.words.describing import DOES
from hive.players.words.lexicon import phrases, read
from hive.players.words.reading import interpret
from tests.words.readings import ARCHERS, CAVALRY, SPEARMEN, checked, facts, ordered, steps

WORLDS = ("coordinate", "exploit_weakness", "markers_terrain", "strategize_points", "duel", "burning_wood")
UNSURE = "archers go to (40, 40), and the lookouts"


def test_python_users_order_in_words() -> None:
    """`hive.order` gives the plan of the reading for the world's own sizes; what cannot be carried out raises."""
    world, text = hive.load("exploit_weakness", units=60), "cavalry attack the enemy archers"
    order = hive.order(world, text)
    read_as = interpret(text, world.facts(state_at_start(world, 0)))
    assert (order.text, order.lines) == (read_as.plan, read_as.lines)
    assert dsl.check_plan(order.text, "order", world.context(0, world.sizes)).ok
    with pytest.raises(dsl.UserError, match="no order in this"):
        hive.order(world, "hello")


# Laws of any order

PHRASES = (
    "the rest", "20", "half of the", "units 3 to 9", "two squads", "in front of", "(40, 40)", "the East Wood",
    "both hamlets", "never", "nobody", "lose a third", "see an enemy", ", then", "until then", "without fighting",
    "100 ticks", "y = 60", "right after", "all bridges", "A, B and C", "once they are there", "within 5 m",
)  # fmt: skip
pieces = st.one_of(
    st.deferred(lambda: st.sampled_from([" ".join(phrase) for phrase in phrases()])),
    st.sampled_from(PHRASES),
    st.sampled_from(list(".,;:!?\n()&")),
    st.integers(0, 300).map(str),
    st.text(max_size=6),
)


@functools.cache
def present(name: str) -> Running:
    """A plan that is followed now."""
    return Running(dsl.PlanSyntax(steps("everyone go to (40, 60), then to (80, 40)", name)), frozenset({0}))


@settings(max_examples=80, deadline=None)
@given(st.lists(pieces, max_size=25).map(" ".join), st.sampled_from(WORLDS), st.booleans())
def test_every_answer_is_a_valid_plan_or_a_question(order: str, name: str, begun: bool) -> None:
    """For random words of the lexicon too, and in a running game; a draft is valid as well."""
    running = present(name) if begun else None
    reading = interpret(order, facts(name), running)
    assert (reading.plan is None) == bool(reading.question)
    if reading.decided.plan is not None:
        checked(reading.decided.plan, facts(name))
    assert interpret(order, facts(name), running) == reading  # a pure function


PARTS = ("the archers go to (20, 20)", "spearmen hold (40, 30)", "cavalry retreat to (70, 12)")


@settings(max_examples=15, deadline=None)
@given(st.permutations(PARTS), st.sampled_from([", ", " and ", ". ", "; ", " while "]))
def test_parts_of_a_sentence_commute(parts: list[str], joint: str) -> None:
    """As long as each names its own units."""
    assert ordered(steps(joint.join(parts))) == ordered(steps(". ".join(PARTS)))


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([*DOES]), st.tuples(st.integers(20, 130), st.integers(20, 60)))
def test_what_is_said_of_half_the_archers_moves_half_the_archers(behaviour: str, cell: tuple[int, int]) -> None:
    """Whatever they are to do there, all others have no order."""
    deeds = {
        "attack_in_close_range": "charge to {}", "attack_and_move": "wait at {}", "attack_in_long_range": "go to {}",
        "follow_map": "go to {} without fighting", "hold": "hold {}", "stand": "do nothing at {}",
    }  # fmt: skip
    found = ordered(steps(f"half of the archers {deeds[behaviour].format(cell)}"))
    assert sorted(found) == ARCHERS[:15]
    assert all(each[-1][0] == cell for each in found.values())


def test_orders_are_read_alike_by_several_threads() -> None:
    orders = [f"half of the archers go to ({x}, 40), the rest hold the centre" for x in range(20, 36)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda order: interpret(order, facts()), orders))
    assert together == [interpret(order, facts()) for order in orders]


# How words are written


@pytest.mark.parametrize(
    "said",
    [
        "now {}", "ok so {} please", "please {}", "{} right now", "{}, if you please", "simply {}", "of course {}",
        "Okay, {}!", "perhaps {}", "{}, quickly", "{}; thank you",
    ],
)  # fmt: skip
def test_small_words_change_nothing(said: str) -> None:
    plain = "archers go to (40, 30)"
    assert steps(said.format(plain)) == steps(plain)


@pytest.mark.parametrize(
    "said",
    [
        "send each type against the enemy that it beats",  # the first order of README.md
        "send each unit type against the enemy it beats",
        "each type attacks the enemy that it beats",
        "send each type against enemies that it beats",
    ],
)
def test_each_type_goes_against_what_it_beats_in_many_wordings(said: str) -> None:
    assert steps(said) == steps("each type attacks what it beats")


@pytest.mark.parametrize(
    ("written", "meant", "word"),
    [
        ("attak the enemy archers", "attack the enemy archers", "attak"),
        ("archers retreet", "archers retreat", "retreet"),
        ("archers behnd the spearmen", "archers behind the spearmen", "behnd"),
    ],
)
def test_a_misspelt_word_is_read_as_what_was_meant_and_named(written: str, meant: str, word: str) -> None:
    assert steps(written) == steps(meant)
    assert f"`{word}` is read as" in interpret(written, facts()).lines[0]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ARCHERS GO TO (40, 40)", "archers go to (40, 40)"),
        ("archers don\u2019t fight, go to (40, 40)", "archers do not fight, go to (40, 40)"),
        ("archers go to (40, 40)\ncavalry attack", "archers go to (40, 40). cavalry attack"),
        ("archers go to (40, 40);\ncavalry attack.\n", "archers go to (40, 40). cavalry attack"),
    ],
)
def test_signs_and_lines_may_be_written_in_many_ways(written: str, meant: str) -> None:
    assert steps(written) == steps(meant)


def test_ordinary_short_words_are_no_misspellings() -> None:
    short = "dog cat hat red log hot wet cold snake state tent tale ball bill fate pain plate steam tone wave"
    assert not any(item.read_as for item in read(short, {}, ""))


# Lines


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("duel", "archers go to (60, 40), then attack the enemy spearmen; cavalry hide in the West Wood"),
        ("duel", "spearmen hold (75, 40), archers 10 metres behind them, cavalry retreat to (79, 3)"),
        ("duel", "archers hold until the enemy is seen, then fall back to (20, 20); cavalry stand still"),
        ("coordinate", "spread out over the middle row and do not chase"),
        ("strategize_points", "hold all the bridges"),
        ("exploit_weakness", "each type attacks what it beats"),
    ],
)
def test_lines_say_what_the_steps_do(name: str, order: str) -> None:
    """Every group of a plan has a line with its deed and its place, and no line names a deed that no group does."""
    reading = interpret(order, facts(name))
    groups = [group for step in checked(reading.plan, facts(name)).steps for group in step.groups]
    for group in groups:
        lines = [line for line in reading.lines if DOES[group.behaviour] in line]
        places = (str(group.target), " places from ", " behind ", "where they are")
        assert any(place in line for line in lines for place in places), group
    for behaviour, deed in DOES.items():
        assert any(deed in line for line in reading.lines) == any(group.behaviour == behaviour for group in groups)


def test_units_without_an_order_are_named() -> None:
    assert interpret("archers attack", facts()).lines[-1] == "No order for 50 spearmen and 20 cavalry: they stand."


# Dialogues and running games


def test_yes_carries_out_what_a_question_was_about_and_nothing_else() -> None:
    known = facts()
    dialogue = Dialogue(PlainCommander(), "", known.context, topic=Topic(game=lambda: (known, None)))
    assert dialogue.ask("yes").kind == "no_plan"
    assert dialogue.ask(UNSURE).kind == "no_plan"
    answer = dialogue.ask("Yes, please.")
    assert answer.plan is not None
    assert answer.plan.text == interpret(UNSURE, known).decided.text
    assert dialogue.ask("yes").kind == "no_plan"  # no second time
    assert dialogue.ask("archers go 10 m north").kind == "plan"
    assert dialogue.ask("ok").kind == "no_plan"  # nothing was asked
    assert dialogue.ask("send 5000 archers north").kind == "no_plan"
    assert dialogue.ask("yes").kind == "no_plan"  # there was no draft
    study = Topic(game=lambda: (known, None), answers=False)  # nobody answers
    assert Dialogue(PlainCommander(), "", known.context, topic=study).ask(UNSURE).kind == "plan"


def test_a_wildfire_gets_a_sentence_and_no_plan() -> None:
    own = str(interpret("everyone go to (20, 20)", facts()).plan)
    dialogue = Dialogue(PlainCommander(), "", facts().context, topic=Topic(world="wildfire", plan=own))
    for order in ("how are you today?", "cut a line around the fire", "yes"):
        answer = dialogue.ask(order)
        assert answer.kind == ("plan" if order == "yes" else "no_plan")
        assert "battles only" in answer.text or order == "yes"
    assert dialogue.ask("yes").kind == "no_plan"
    study = Dialogue(PlainCommander(), "", facts().context, topic=Topic(plan=own, answers=False))
    assert study.ask("cut a line").kind == "plan"  # where nobody can say yes, the world's own plan is the baseline


@pytest.mark.parametrize(
    ("order", "ids", "cells"),
    [
        ("units 0 to 9 go to 20, 50", range(10), [(20, 50)]), ("archers go to (20, 50)", ARCHERS, [(20, 50)]),
        ("archers go to (20, 50), the rest stay", ARCHERS, [(20, 50)]),
        ("archers go to (20, 50). Carry on", ARCHERS, [(20, 50)]),
        ("archers carry on, cavalry go to (20, 50)", CAVALRY, [(20, 50)]),
        ("cavalry go to (20, 50), everyone else carries on", CAVALRY, [(20, 50)]),
        ("everyone go to (20, 50)", range(100), [(20, 50)]),
    ],
)  # fmt: skip
def test_an_order_in_a_running_game_changes_only_whom_it_names(
    order: str, ids: list[int], cells: list[tuple[int, int]]
) -> None:
    """All others go on with what remains of the present plan, without the steps that were achieved."""
    running = present("duel")
    before, after = ordered(running.plan.steps), ordered(steps(order, running=running))
    assert {unit: [target for target, _ in after[unit]] for unit in ids} == dict.fromkeys(ids, cells)
    assert {unit: after[unit] for unit in range(100) if unit not in ids} == {
        unit: before[unit][1:] for unit in range(100) if unit not in ids
    }


@pytest.mark.parametrize(
    ("order", "behaviour"),
    [("archers, keep your distance", "attack_in_long_range"), ("archers, no fighting", "follow_map")],
)
def test_how_units_act_changes_without_their_target(order: str, behaviour: str) -> None:
    after = ordered(steps(order, running=present("duel")))
    assert {unit: after[unit] for unit in ARCHERS} == {unit: [((80, 40), behaviour)] for unit in ARCHERS}
    assert {unit: after[unit] for unit in SPEARMEN} == {unit: [((80, 40), "attack_and_move")] for unit in SPEARMEN}


def test_new_steps_have_numbers_of_their_own_in_a_running_game() -> None:
    """A step that was achieved last is not taken for a new one."""
    plan = dsl.PlanSyntax(steps("everyone go to (40, 60), then to (80, 40)"))
    over = Running(plan, frozenset(step.id for step in plan.steps))
    assert min(step.id for step in steps("archers go to (20, 20)", running=over)) > max(over.achieved)


@pytest.mark.parametrize("order", ["carry on", "the rest stay"])
def test_nothing_new_in_a_running_game_leaves_the_plan_as_it_is(order: str) -> None:
    running = present("duel")
    reading = interpret(order, facts(), running)
    kept = tuple(step for step in running.plan.steps if step.id not in running.achieved)
    told = {step.id: [(group.target, group.behaviour) for group in step.groups] for step in kept}
    found = checked(reading.plan, facts()).steps
    assert {step.id: [(group.target, group.behaviour) for group in step.groups] for step in found} == told
    assert "go on as before" in reading.text


def test_those_behind_others_stay_behind_them_when_an_order_changes_the_plan() -> None:
    before = dsl.PlanSyntax(steps("cavalry go to (20, 20). spearmen go to (75, 60), archers behind them"))
    behind = [
        (step.groups[group.behind.group].units.ids(100), group.units.ids(100), group.behind.gap)
        for step in steps("units 0 to 9 go to 20, 50", running=Running(before))
        for group in step.groups
        if group.behind
    ]
    assert [(set(front), [*rear], gap) for front, rear, gap in behind] == [({*range(10, 50)}, ARCHERS, 8)]
