"""The plain commander read strictly: what is said is in the plan or is asked about, and small words change nothing."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from hive.engine.instant import state_at_start
from hive.kit.facts import Facts, Running
from hive.players.llm.client import Topic
from hive.players.llm.dialogue import Dialogue
from hive.players.words.commander import PlainCommander
from hive.players.words.lexicon import tokens
from hive.players.words.reading import interpret
from hive.worlds.battle.world import load


@functools.cache
def facts(name: str = "duel") -> Facts:
    world = load(name, units=100)
    return world.facts(state_at_start(world, 0))


def steps(order: str, known: Facts | None = None, running: Running | None = None) -> tuple[dsl.Step, ...]:
    """The steps of the plan of an order, which gets no question."""
    known = known or facts()
    reading = interpret(order, known, running)
    assert reading.plan is not None, reading.question
    report = dsl.check_plan(reading.plan, "reply", known.context)
    assert report.ok and isinstance(report.root, dsl.PlanSyntax)
    return report.root.steps


def told(order: str, known: Facts | None = None) -> dict[int, list[tuple[int, int]]]:
    """The targets of each unit, one after another."""
    found: dict[int, list[tuple[int, int]]] = {}
    for step in steps(order, known):
        for group in step.groups:
            for unit in group.units.ids(100):
                found.setdefault(unit, []).append(group.target)
    return found


def asked(order: str, known: Facts | None = None) -> str:
    """The question that an order gets."""
    reading = interpret(order, known or facts())
    assert reading.plan is None, reading.text
    return reading.question


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 100), st.sampled_from(["attack the {} nearest enemies", "attack the nearest {} enemies"]))
def test_so_many_nearest_enemies_are_those_and_everybody_attacks(count: int, order: str) -> None:
    known = facts()
    far = np.hypot(*(known.foe.position - known.own.position.mean(0)).T)
    ranked = np.argsort(far, kind="stable")[:count].tolist()
    found = steps(f"{order.format(count)}, then go to (20, 20)")
    killed = [set(step.objective.units.ids(100)) for step in found if isinstance(step.objective, dsl.Elimination)]
    assert set(ranked) in killed
    assert sum(len(group.units.ids(100)) for group in found[0].groups) == 100


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("attack enemy units 12 to 20, then go to (20, 20)", range(12, 21)),
        ("kill enemy 5, then go to (20, 20)", [5]),
        ("when enemy 7 is dead, go to (20, 20)", [7]),
        ("archers shoot enemies 3, 5 and 60, then go to (20, 20)", [3, 5, 60]),
    ],
)
def test_enemies_are_named_by_number(order: str, ids: range | list[int]) -> None:
    killed = [set(s.objective.units.ids(100)) for s in steps(order) if isinstance(s.objective, dsl.Elimination)]
    assert set(ids) in killed


@pytest.mark.parametrize(
    "order",
    [
        "advance and stay put", "attack and do not attack", "go north and do not move",
        "stay where you are and go north",
        "everyone go to (40, 40). Nobody moves.", "hold position and charge",
        "archers attack. Archers stay where they are.", "advance but fall back", "cavalry charge and hide",
    ],
)  # fmt: skip
def test_orders_that_exclude_each_other_get_a_question(order: str) -> None:
    assert "exclude" in asked(order) or "Which of the two" in asked(order)


@pytest.mark.parametrize("deed", ["attack", "shoot", "charge", "fight against"])
@pytest.mark.parametrize("whom", ["our own spearmen", "our archers", "each other", "yourselves", "us"])
def test_nobody_attacks_his_own_side(deed: str, whom: str) -> None:
    assert "own side" in asked(f"{deed} {whom}")
    assert "own side" in asked(f"cavalry {deed} {whom}")


@pytest.mark.parametrize(
    "order",
    ["our archers attack, our cavalry hold (40, 40)", "attack with our archers", "stay back and shoot the enemy"],
)
def test_the_own_side_beside_an_attack_is_no_target(order: str) -> None:
    assert steps(order)


def test_behind_the_enemy_is_behind_them_and_the_way_leads_round() -> None:
    known = facts()
    cells = told("cavalry go behind the enemy")[80]
    low, high = known.foe.position.min(0), known.foe.position.max(0)
    assert cells[-1][1] > high[1]  # the own army comes from the south
    assert not low[0] <= cells[0][0] <= high[0]


@pytest.mark.parametrize(
    ("order", "targets"),
    [
        ("cavalry attack; before that, go to (40, 40)", [(40, 40), None]),
        ("before you attack, go to (40, 40)", [(40, 40), None]),
        ("before attacking, cavalry go to (40, 40)", [(40, 40), None]),
        ("cavalry go to (60, 60), but first go to (40, 40)", [(40, 40), (60, 60)]),
        ("cavalry go to (60, 60); before that, they stop at (40, 40)", [(40, 40), (60, 60)]),
    ],
)
def test_what_comes_before_is_done_before(order: str, targets: list[tuple[int, int] | None]) -> None:
    cells = told(order)[80]
    assert len(cells) == len(targets)
    assert all(meant is None or cell == meant for cell, meant in zip(cells, targets, strict=True))


@pytest.mark.parametrize("once", ["attack the enemy spearmen only once", "cavalry attack once and come back"])
def test_how_often_is_asked_about(once: str) -> None:
    assert "once" in asked(once)


@pytest.mark.parametrize("order", ["when enemy 7 is seen, archers retreat", "if 20 enemies come near, retreat"])
def test_the_sight_of_certain_enemies_is_asked_about(order: str) -> None:
    assert "sight of any enemy" in asked(order)


@pytest.mark.parametrize(
    "order",
    [
        "archers go to (60, 40) and shoot the enemy cavalry", "archers go to (60, 40), shoot the enemy cavalry",
        "archers shoot the enemy cavalry from (60, 40)", "from (60, 40), archers shoot the enemy cavalry",
    ],
)  # fmt: skip
def test_who_shoots_from_a_place_stays_there(order: str) -> None:
    assert {cell for cells in told(order).values() for cell in cells} == {(60, 40)}
    assert steps(order)[-1].groups[0].types == ("cavalry",)


@pytest.mark.parametrize(
    "order",
    [
        "10 archers each to (20, 20) and (60, 20)", "send 10 archers to each of (20, 20) and (60, 20)",
        "hold (20, 20) and (60, 20) with 10 archers each",
    ],
)  # fmt: skip
def test_each_of_several_places_has_units_of_its_own(order: str) -> None:
    cells = told(order)
    assert len(cells) == 20 and all(len(each) == 1 for each in cells.values())
    assert {each[0] for each in cells.values()} == {(20, 20), (60, 20)}


def test_the_dead_are_named_as_such() -> None:
    known = facts()
    own, foe = known.own.health.copy(), known.foe.health.copy()
    own[50:80] = own[:5] = foe[80:] = foe[3] = 0
    known = replace(known, own=replace(known.own, health=own), foe=replace(known.foe, health=foe))
    assert "All your archers are dead" in asked("archers go to (40, 40)", known)
    assert "Your units 0 to 3 are dead" in asked("units 0 to 3 go to (40, 40)", known)
    assert "5 of them are dead" in asked("send 48 spearmen to (20, 20)", known)
    assert "All enemy cavalry are dead" in asked("attack the enemy cavalry", known)
    assert "Enemy unit 3 is dead" in asked("attack enemy unit 3", known)
    text = interpret("units 0 to 9 go to (20, 20)", known).text
    assert "these are dead: 0 to 4" in text and "5 spearmen [5 to 9] to (20, 20)" in text
    assert "dead already" in interpret("once the enemy cavalry are dead, spearmen go to (40, 40)", known).text


SMALL = (
    "now {}", "ok so {} please", "right, {}", "maybe {}", "perhaps {}", "I think {}", "it would be good if {}",
    "from now on, {}", "whatever you do, {}", "all right, {}", "one more thing: {}", "by the way, {}", "listen up: {}",
    "for the moment {}", "basically {}", "first off, {}", "in any case {}", "as I said, {}", "{}, if you please",
    "{} right now", "come on, {}", "hmm, {}", "of course {}", "to be clear, {}",
)  # fmt: skip
INNER = (
    "archers {} go to (40, 30)", ("simply", "just", "probably", "had better", "ought to", "are supposed to", "should",
    "will have to", "in particular should", "bravely", "definitely", "certainly"),
)  # fmt: skip


@pytest.mark.parametrize(
    "order", [*(each.format("archers go to (40, 30)") for each in SMALL), *map(INNER[0].format, INNER[1])]
)  # type: ignore[attr-defined]
@pytest.mark.parametrize("begun", [False, True])
def test_small_words_change_nothing(order: str, begun: bool) -> None:
    plain = "archers go to (40, 30)"
    running = Running(dsl.PlanSyntax(steps("everyone go to (40, 60), then to (80, 40)"))) if begun else None
    assert steps(order, running=running) == steps(plain, running=running)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("keep withn 10 m of (40, 40)", "keep within 10 m of (40, 40)"),
        ("archers behnd the spearmen", "archers behind the spearmen"),
        ("attack the 10 nearst enemies", "attack the 10 nearest enemies"),
        ("haf of the archers go to (40, 40)", "half of the archers go to (40, 40)"),
        ("spearmen form a lin along y=75", "spearmen form a line along y=75"),
        ("archers go nort", "archers go north"),
        ("befor you attack, go to (40, 40)", "before you attack, go to (40, 40)"),
        ("go to the cnter and hold", "go to the center and hold"),
        ("wiat 50 ticks, then atack", "wait 50 ticks, then attack"),
    ],
)
def test_misspelt_words_mean_what_they_would(written: str, meant: str) -> None:
    assert steps(written) == steps(meant)


def test_ordinary_short_words_are_no_misspellings() -> None:
    words = "dog cat hat red log hot wet cold snake state tent tale ball bill fate pain plate steam tone wave"
    assert not any(token.read_as for token in tokens(words, (), ""))


@pytest.mark.parametrize(
    ("order", "meant"),
    [
        ("at (40, 40), archers wait", "archers wait at (40, 40)"),
        ("at the North Pond archers hold", "archers hold the North Pond"),
        ("behind the spearmen, archers wait", "archers wait behind the spearmen"),
        ("in the South Copse, the archers hide", "the archers hide in the South Copse"),
        ("At (60, 75), once the enemy is seen, archers hold", "once the enemy is seen, archers hold (60, 75)"),
        ("near (30, 30), after 50 ticks, spearmen hold", "after 50 ticks, spearmen hold (30, 30)"),
        ("At the North Pond: archers hold", "archers hold the North Pond"),
    ],
)
def test_a_place_may_be_said_before_its_units(order: str, meant: str) -> None:
    assert steps(order) == steps(meant)


@pytest.mark.parametrize(
    ("order", "targets"),
    [
        ("two groups: first one to (20, 40), second to (60, 40)", {(20, 40): 50, (60, 40): 50}),
        ("split into two groups, one to (20, 40), the other to (60, 40)", {(20, 40): 50, (60, 40): 50}),
        ("take the spearmen, all of them, to (75, 60)", {(75, 60): 50}),
    ],
)
def test_parts_are_told_apart(order: str, targets: dict[tuple[int, int], int]) -> None:
    cells = told(order)
    assert {cell: sum(each == [cell] for each in cells.values()) for cell in targets} == targets


@pytest.mark.parametrize("order", ["archers go to the North Pond, not to the South Pond", "abandon the South Pond"])
def test_a_place_said_after_not_is_no_target(order: str) -> None:
    (pond,) = [each.cells for each in facts().features if each.name == "South Pond"]
    cells = {cell for each in told(order).values() for cell in each}
    assert cells and not any(pond[cell] for cell in cells)


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
    ("order", "targets"),
    [
        ("archers: 10 to (20, 20), 5 to (60, 20)", {(20, 20): 10, (60, 20): 5}),
        ("everyone except 10 archers hide; those 10 go to (40, 40)", {(40, 40): 10}),
        ("ignore the enemy cavalry and go to (40, 40)", {(40, 40): 100}),
    ],
)
def test_parts_named_by_what_came_before(order: str, targets: dict[tuple[int, int], int]) -> None:
    cells = told(order)
    assert {cell: sum(cell in each for each in cells.values()) for cell in targets} == targets


def test_what_is_named_in_contrast_gets_no_order_and_is_no_target() -> None:
    (step,) = steps("attack the spearmen rather than the archers")
    assert {group.types for group in step.groups} == {("spearmen",)}
    assert sum(len(group.units.ids(100)) for group in step.groups) == 100


def test_keep_out_of_a_place_sends_nobody_there() -> None:
    known = facts("burning_wood")
    (wood,) = [each.cells for each in known.features if each.name == "Long Wood"]
    assert not any(wood[cell] for each in told("keep out of the Long Wood", known).values() for cell in each)


@pytest.mark.parametrize(
    "order",
    [
        "everyone holds for 60 ticks, then archers go to (40, 40) and cavalry go to (60, 40)",
        "Wait 60 ticks. Then the archers go to (40, 40); the cavalry go to (60, 40)",
        "all stay for 60 ticks, after that archers march to (40, 40), the cavalry to (60, 40)",
        "after 60 ticks archers go to (40, 40), spearmen to (80, 40) and cavalry to (60, 40)",
        "once 60 ticks are over, archers go to (40, 40) and cavalry go to (60, 40)",
    ],
)
def test_a_wait_holds_for_all_who_are_named_after_it(order: str) -> None:
    found = steps(order)
    waits = {step.id for step in found if step.objective == dsl.Time(60)}
    sent = [step for step in found if {group.target for group in step.groups} & {(40, 40), (60, 40), (80, 40)}]
    assert len(sent) >= 2 and all(set(step.prerequisites) & waits for step in sent)


@pytest.mark.parametrize(
    "order", ["hold for 60 ticks. Archers go to (40, 40)", "all hold (70, 30). Archers go to (40, 40)"]
)
def test_who_is_named_without_then_need_not_wait(order: str) -> None:
    (sent,) = [step for step in steps(order) if step.groups[0].target == (40, 40)]
    assert not sent.prerequisites


@pytest.mark.parametrize("order", ["everyone attack, archers stay", "After 40 ticks, all attack, archers stay"])
def test_who_is_told_to_stay_while_others_attack_stays_at_home(order: str) -> None:
    assert all(cell[1] < 30 for unit in range(50, 80) for cell in told(order)[unit])


def camp() -> Facts:
    world = load("strategize_points", units=100)
    return world.facts(state_at_start(world, 0))


def test_back_to_the_others_is_where_these_are() -> None:
    known = facts()
    home = tuple(known.own.position.mean(0))
    cells = told("units 7 to 9 visit the North Hamlet and then come back to the others")
    assert set(cells) == {7, 8, 9} and all(math.dist(each[-1], home) < 3 for each in cells.values())


@pytest.mark.parametrize(
    ("order", "side"),
    [
        ("archers go to the north side of the camp", (0, 1)),
        ("archers wait at the camp, on its east side", (1, 0)),
        ("archers go to the camp on the west side", (-1, 0)),
    ],
)
def test_a_side_of_a_place_is_near_it(order: str, side: tuple[int, int]) -> None:
    known = camp()
    (place,) = [each for each in known.features if each.name == ("Island Wood" if "Wood" in order else "Camp")]
    cells = np.argwhere(place.cells)
    middle, half = (cells.min(0) + cells.max(0)) / 2, np.ptp(cells, axis=0).max() / 2
    targets = {cell for each in told(order, known).values() for cell in each}
    assert targets and all(0 < float(np.dot(cell - middle, side)) < half + 15 for cell in map(np.array, targets))
    assert "Wood" not in order or not any(place.cells[cell] for cell in targets)


def test_beyond_a_wood_at_the_edge_of_the_map_is_no_room() -> None:
    assert "no room" in asked("cavalry wait beyond the East Wood")


@pytest.mark.parametrize(
    "order",
    [
        "march to (40, 40) without being drawn into a fight with the enemy cavalry",
        "march to (40, 40) and do not get drawn into battles with the archers",
        "everyone march to (40, 40), steering clear of the enemy spearmen",
        "stay clear of the enemy cavalry and march to (40, 40)",
        "march to (40, 40) but give the enemy archers a wide berth",
        "march to (40, 40) and give the group at (80, 137) a wide berth",
        "Ignore the bunch at (80, 137). All march to (40, 40)",
        "ignore the enemy spearmen, march to (40, 40)",
        "dodge the enemy cavalry on the way to (40, 40)",
    ],
)
def test_who_is_to_be_avoided_is_no_target(order: str) -> None:
    reading = interpret(order, facts())
    assert {cell for cells in told(order).values() for cell in cells} == {(40, 40)}
    assert "attack" not in reading.text and "ignore the enemy" in reading.text
