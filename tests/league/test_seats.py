"""Seats: the map of `duel` and its armies are mirror images, and a plan is as strong in either seat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

import dsl
import scenarios
from hive.engine.types import ENEMY, PLAYER
from hive.experiments.league.games import LeagueGame
from hive.experiments.league.seats import endless, mirrored, seated, why_no_mirror
from hive.ground.shapes import Box
from hive.worlds.battle.scenario import Scenario, load_scenario
from hive.worlds.battle.scenario.model import ScenarioBlaze, ScenarioObjective
from hive.worlds.battle.world import Battle
from tests.league.conftest import plan_of


def test_the_map_and_the_armies_of_duel_are_mirror_images() -> None:
    """Cell for cell, group for group (docs/rules/league.md 1.1)."""
    scenario = load_scenario("duel")
    kind, size = scenario.map.kind, scenario.map.size
    for x in range(size):
        for y in range(size):
            assert kind[x, y] == kind[x, size - 1 - y], (x, y)
    for mine, theirs in zip(scenario.player.units, scenario.enemy.units, strict=True):
        assert (mine.type, mine.count) == (theirs.type, theirs.count)
        (xs, ys), (others, rows) = mine.cells(size), theirs.cells(size)
        assert xs == others and [size - 1 - y for y in range(size)[ys]] == list(range(size)[rows])[::-1]
    assert why_no_mirror(scenario) is None


@pytest.mark.parametrize("units", [20, 40, 200, 333, 4000])
def test_armies_stay_equal_at_other_sizes(units: int) -> None:
    assert why_no_mirror(load_scenario("duel", units=units)) is None


def changed(scenario: Scenario, **enemy: object) -> Scenario:
    return replace(scenario, enemy=replace(scenario.enemy, **enemy))


def test_each_difference_between_the_seats_is_named() -> None:
    duel = load_scenario("duel")
    hut = Box(20, 70, 21, 71, terrain="building", name="Hut")
    group, *others = duel.enemy.units
    moved = structs.replace(group, box=(0.1, 0.86, 0.8, 0.1))
    fire = ScenarioBlaze(start=((1, 31),), wind=(0.0, 1.0), period=1, harm=4.0, chance=None)
    tree = {"upward": "A(move north)"}
    unequal = {
        "the cells (20, 70) and (20, 79) differ": replace(duel, map=replace(duel.map, shapes=(*duel.map.shapes, hut))),
        "the armies differ": changed(duel, units=(structs.replace(group, count=499), *others)),
        "the start boxes of player.units[0]": changed(duel, units=(moved, *others)),
        "objectives": changed(duel, objective=ScenarioObjective("position", ((75.0, 5.0),))),
        "different behaviours": changed(duel, behaviours=("stand",)),
        "a fire": replace(duel, fire=fire),
        "`upward` names a direction": replace(
            changed(duel, behaviours=("upward",)), trees=tree, player=replace(duel.player, behaviours=("upward",))
        ),
    }
    for reason, scenario in unequal.items():
        assert reason in (why_no_mirror(scenario) or ""), reason
    for name in set(scenarios.names()) - {"duel"}:
        assert why_no_mirror(load_scenario(name)), name


def test_a_plan_is_mirrored_cell_by_cell_and_back() -> None:
    plan = plan_of("duel")
    there = mirrored(plan, 150)
    assert mirrored(there, 150) == plan
    for step, other in zip(plan.steps, there.steps, strict=True):
        assert (step.objective, step.prerequisites) == (other.objective, other.prerequisites)
        for group, same in zip(step.groups, other.groups, strict=True):
            assert (group.units, group.behaviour, group.types) == (same.units, same.behaviour, same.types)
            assert same.target == (group.target[0], 149 - group.target[1])
    group = plan.steps[0].groups[0]
    for choice, turned in (
        (dsl.Nearest(3, (4, 5)), dsl.Nearest(3, (4, 144))),
        (dsl.Inside((1, 2), (3, 4)), dsl.Inside((1, 147), (3, 145))),
    ):
        chosen = replace(plan.steps[0], groups=(replace(group, choice=choice),))
        assert mirrored(dsl.PlanSyntax((chosen,)), 150).steps[0].groups[0].choice == turned


def test_a_plan_never_finishes_in_a_league() -> None:
    """A last step without units, which nobody can achieve before all enemies are dead (docs/rules/league.md 1.2)."""
    plan = plan_of("ended")
    last = endless(plan).steps[-1]
    assert last.groups == () and endless(plan).steps[:-1] == plan.steps
    assert last.objective == dsl.Elimination(dsl.UnitList(None)) and last.prerequisites == ()


@pytest.mark.long
def test_a_finished_plan_ends_no_game_in_either_seat(meetings: dict[tuple[str, str], list[LeagueGame]]) -> None:
    """Its game goes on until one side is dead or time is out (docs/rules/league.md 1.2)."""
    for seats in (("ended", "duel"), ("duel", "ended")):
        assert {game.ended for game in meetings[seats]} <= {"win", "lose", "timeout"}
        assert min(game.ticks for game in meetings[seats]) > 150, "its one unit arrives sooner"


def test_seats_are_compiled_for_their_side(small: Battle) -> None:
    plan = plan_of("duel")
    mine, theirs = (seated(plan, small, side) for side in (PLAYER, ENEMY))
    own = small.sizes[0]
    assert (np.asarray(mine.member)[:, own:] == -1).all() and (np.asarray(theirs.member)[:, :own] == -1).all()
    assert (np.asarray(mine.member)[:, :own] == np.asarray(theirs.member)[:, own:]).all()
    assert (np.asarray(mine.place)[:, 1] == 149 - np.asarray(theirs.place)[:, 1]).all()


@pytest.mark.long
def test_a_plan_against_itself_wins_as_often_in_either_seat(meetings: dict[tuple[str, str], list[LeagueGame]]) -> None:
    """Of the decided games of two plans, half are won in the player's seat, within 3.3 standard errors (0.1%)."""
    for name in ("duel", "rush"):
        won = [game.points for game in meetings[name, name] if game.points != 0.5]
        assert len(won) >= 20, "the law says something"
        assert abs(sum(won) - len(won) / 2) <= 3.3 * np.sqrt(len(won)) / 2, (name, sum(won), len(won))


@pytest.mark.long
def test_swapping_the_seats_of_two_plans_gives_the_same_share(
    meetings: dict[tuple[str, str], list[LeagueGame]],
) -> None:
    """The shares of points in the two seats differ by no more than chance explains (0.1%)."""
    south = np.array([game.points for game in meetings["duel", "rush"]])
    north = 1 - np.array([game.points for game in meetings["rush", "duel"]])
    spread = np.sqrt((south.var() + north.var()) / len(south))
    assert abs(south.mean() - north.mean()) <= max(3.3 * spread, 1e-9), (south.mean(), north.mean())


@pytest.mark.long
def test_the_shipped_plan_beats_the_bad_one_in_both_seats(meetings: dict[tuple[str, str], list[LeagueGame]]) -> None:
    for seats, good in ((("duel", "duel_bad"), 1.0), (("duel_bad", "duel"), 0.0)):
        points = [game.points for game in meetings[seats]]
        assert sum(each == good for each in points) >= 0.9 * len(points), (seats, points)
