"""Games of different battles in one program: each is as it is alone, and a tier compiles once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import hive
from dsl import UserError
from hive.engine.batch import mixed
from hive.engine.batch.mixed import Entry, Shape, divide, play_mixed, tier_of, to_tier
from hive.engine.batch.result import Result
from hive.engine.batch.tables import play_games
from hive.engine.types import ENEMY
from hive.worlds.battle.drawn.classes import CLASSES, name_of
from hive.worlds.battle.drawn.draw import draw_theme
from hive.worlds.battle.world import Battle
from tests.hive.skirmish import ARRAYS, LARGE_PLAN, SMALL_PLAN, same_games, skirmish

COVERED = SMALL_PLAN.replace("(20, 20)", "(22, 18) under cover")
PLACE = '{ position = [35, 20], share = 0.5, type = "archer" }'  # an escort of archers
CHOSEN = SMALL_PLAN.replace("units: all", "units: nearest 9 of all to (20, 30)")


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[Battle]:
    """Two battles with other armies, missions and limits; one is an escort, to a place to which ways are measured."""
    one, other = (tmp_path_factory.mktemp(name) for name in ("one", "other"))
    return [skirmish(one, limit=40), skirmish(other, player=PLACE, enemy="{ survive = 50 }", units=16)]


def apart(entries: list[Entry]) -> list[Result]:
    """The games of each entry without other battles: one batch of each battle has all its plans and seeds."""
    found = {}
    for world in {id(each.world): each.world for each in entries}.values():
        own = [each for each in entries if each.world is world]
        seeds = sorted({seed for each in own for seed in each.seeds})
        enemies = [each.enemy or hive.read_plan(SMALL_PLAN, world, side=ENEMY) for each in own]  # the scenario's plan
        plans, names = zip(*((each.plan, each.name) for each in own), strict=True)
        alone = hive.sweep(world, plans, seeds, names=names, enemies=enemies).results
        for entry, result in zip(own, alone, strict=True):
            at = [seeds.index(seed) for seed in entry.seeds]
            arrays = {name: getattr(result, name)[at] for name in ARRAYS}
            found[id(entry)] = replace(result, **arrays, outcome=tuple(result.outcome[place] for place in at))
    return [found[id(entry)] for entry in entries]


def entries_of(first: Battle, other: Battle) -> list[Entry]:
    """Plans of other sizes and words, another enemy, other numbers of seeds."""
    return [
        Entry(first, hive.read_plan(SMALL_PLAN, first), [3, 8], name="small"),
        Entry(other, hive.read_plan(COVERED, other), [4], hive.read_plan(COVERED, other, side=ENEMY), "covered"),
        Entry(other, hive.read_plan(LARGE_PLAN, other), [8, 3, 5], name="large"),
        Entry(other, hive.read_plan(CHOSEN, other), [1], name="chosen"),
    ]


SHAPE = Shape(lanes=3, battles=2, plans=2, extras=("figure", "sighting", "leash", "choice", "cover"))


def plain(world: Battle) -> Result:
    """The games of the small plan with the seeds 3 and 8, in a batch whose program `test_batch.py` has."""
    plans, rules = [hive.read_plan(text, world) for text in (SMALL_PLAN, LARGE_PLAN)], world.scenario.rules
    varied = {"movement_randomness": [rules.movement_randomness, 0], "limit": [rules.limit, 25]}
    cell = hive.sweep(world, plans, [3, 8, 4], names=["small", "large"], rules=varied).results[0]
    return replace(cell, **{name: getattr(cell, name)[:2] for name in ARRAYS}, outcome=cell.outcome[:2])


@pytest.mark.slow
def test_games_of_different_battles_are_those_that_each_has_alone_to_the_bit(worlds: list[Battle]) -> None:
    """In batches that are cut within a battle, too. The plain battle is played in shapes of its own.

    Which units are escorted, and where to, is read from the tables of their own battle: the one that has this is played
    without company, and in shapes of its own by the long tests.
    """
    entries = entries_of(*worlds)
    told: list[tuple[int, int]] = []
    before = play_games._cache_size()
    found = play_mixed(entries, shape=SHAPE, progress=lambda *done: told.append(done))
    assert told == [(3, 7), (6, 7), (7, 7)]
    alone = [plain(worlds[0]), *(play_mixed([each], shape=SHAPE)[0] for each in entries[1:])]
    assert play_games._cache_size() == before + 1
    for entry, result, own in zip(entries, found, alone, strict=True):
        same_games(result, own)
        assert (result.scenario, result.plan, result.score_is) == (own.scenario, entry.name, own.score_is)
    assert {tuple(result.way[0, 0] >= 0) for result in found} == {(False, False), (True, True)}


@pytest.mark.long
def test_games_of_an_escort_are_those_that_it_has_in_its_own_shapes(worlds: list[Battle]) -> None:
    entries = entries_of(*worlds)
    for result, own in zip(play_mixed(entries, shape=SHAPE)[1:], apart(entries[1:]), strict=True):
        same_games(result, own)


@pytest.mark.long
def test_games_of_two_battles_are_those_that_each_has_in_its_own_shapes(worlds: list[Battle]) -> None:
    entries = [
        Entry(world, hive.read_plan(text, world), [4, 3], hive.read_plan(theirs, world, side=ENEMY))
        for world in worlds
        for text, theirs in ((SMALL_PLAN, SMALL_PLAN), (COVERED, COVERED))
    ]
    for result, alone in zip(play_mixed(entries), apart(entries), strict=True):
        same_games(result, alone)


@pytest.mark.long
def test_battles_of_few_units_play_the_same_games_in_fewer_rows(
    worlds: list[Battle], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as these are worth a program; results have the order of the entries."""
    few = skirmish(tmp_path, units=9)
    battles = [(few, SMALL_PLAN, [1, 2]), (worlds[0], SMALL_PLAN, [3]), (few, LARGE_PLAN, [4])]
    entries = [Entry(world, hive.read_plan(plan, world), seeds) for world, plan, seeds in battles]
    shape = Shape(lanes=3, battles=2, plans=2)
    common, before = play_mixed(entries, shape=shape), play_games._cache_size()
    assert tier_of(few.params) == tier_of(worlds[0].params) and few.params.count <= 24
    monkeypatch.setattr(mixed, "_COMPILED", dict.fromkeys(mixed._COMPILED, 1))
    for one, other in zip(common, play_mixed(entries, shape=shape), strict=True):
        same_games(one, other)
    assert play_games._cache_size() == before + 1


def of_size(count: int, games: int) -> Entry:
    """Games of a battle with so many units, of which only what decides on capacities is there."""
    world: Any = SimpleNamespace(params=SimpleNamespace(count=count), limit=200)
    plan: Any = None
    return Entry(world, plan, range(games))


def test_a_capacity_of_its_own_is_for_games_that_save_more_than_it_costs() -> None:
    """Twenty games of 20 units and ten of 50, for half of 200 ticks: in 56 rows for 160 they save 312,000 rows."""
    sizes = [of_size(count, 10) for count in (20, 160, 50, 100, 20)]
    assert divide(sizes, 160, 1 << 40) == [160] * 5
    assert divide(sizes, 160, 310_000) == [56, 160, 56, 160, 56]
    assert divide(sizes, 160, 40_000) == [24, 160, 56, 112, 24]
    assert len(set(divide([of_size(count, 10) for count in range(8, 161)], 160, 1))) == 4
    assert divide([of_size(200, 10)], 256, 1) == [224]


def test_what_is_no_lane_of_a_mixed_batch_is_refused(worlds: list[Battle]) -> None:
    first, other = worlds
    plan = hive.read_plan(SMALL_PLAN, first)
    for entries, why in (
        ([], "at least one entry"),
        ([Entry(first, plan, [])], "with a seed"),
        ([Entry(other, plan, [1])], "another number of units"),
        ([Entry(first, plan, [-1])], "-1 is no seed"),
    ):
        with pytest.raises((UserError, ValueError), match=why):
            play_mixed(entries)
    fire = hive.load("burning_wood", units=30)
    with pytest.raises(ValueError, match="fire"):
        to_tier(fire.params, tier_of(fire.params))
    with pytest.raises(ValueError, match="side of 40 m"):
        to_tier(first.params, tier_of(fire.params))


def limited(world: Battle, limit: int) -> Battle:
    """The battle with fewer ticks, even before one that a mission names."""
    return Battle(replace(world.scenario, rules=msgspec.structs.replace(world.scenario.rules, limit=limit)))


def drawn(number: int, side: int | None = None) -> list[tuple[str, str]]:
    """Names and missions of drawn battles, of all classes in turn, and of all sides or one."""
    found = []
    for seed in range(1000):
        for kind in CLASSES:
            theme = draw_theme(kind, seed)
            if side in (None, theme.frame.size):
                found.append((name_of(kind, seed), theme.kind))
    return found[:number]


@pytest.mark.long
def test_drawn_battles_of_all_missions_are_alone_as_in_company() -> None:
    """Each compiles programs of its own; what a mission is made of is in the skirmishes above, which are as exact."""
    battles = dict((mission, name) for name, mission in reversed(drawn(60, side=80)))  # the first of each mission
    assert battles.keys() == {"break", "eliminate", "escort", "hold", "reach", "survive"}
    assert len({name.split("/")[1] for name in battles.values()}) >= 3
    worlds = [limited(hive.load(battles[each]), 150) for each in sorted(battles)]
    entries = [Entry(world, hive.read_plan(world.plan or "", world), [5, 6]) for world in worlds]
    for entry, result in zip(entries, play_mixed(entries), strict=True):
        same_games(result, hive.sweep(entry.world, [entry.plan], entry.seeds).results[0])


@pytest.mark.long
def test_120_drawn_battles_of_all_sides_compile_four_programs() -> None:
    """With every class, mission and family of the enemy's plans, whatever their armies."""
    names = [name for name, _ in drawn(120)]
    battles = [hive.load(name) for name in names]
    assert {world.scenario.map.size for world in battles} == {80, 150, 250, 400}
    short = [limited(world, 3) for world in battles]
    entries = [Entry(world, hive.read_plan(world.plan or "", world), [1]) for world in short]
    before = play_games._cache_size()
    found = play_mixed(entries, shape=Shape(lanes=16))
    assert play_games._cache_size() == before + 4
    assert [result.scenario for result in found] == names
    assert {int(ticks) for result in found for ticks in result.ticks} <= {0, 1, 2, 3}
