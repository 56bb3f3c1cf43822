"""Laws of drawn battles over many seeds (docs/rules/drawn.md)."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from hashlib import blake2b, sha256
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pytest

import dsl
import hive
from hive.engine.plan.rescale import rescale_plan
from hive.worlds.battle.drawn.briefing import RATIOS
from hive.worlds.battle.drawn.classes import CAPACITY, CLASSES, LIMIT
from hive.worlds.battle.drawn.dice import Dice
from hive.worlds.battle.drawn.draw import Drawn, draw_theme, draw_with_facts
from hive.worlds.battle.drawn.enemies import families
from hive.worlds.battle.drawn.land import largest_region
from hive.worlds.battle.drawn.missions import WEIGHTS
from hive.worlds.battle.finding import find_scenario
from hive.worlds.battle.map_text import map_text
from hive.worlds.battle.scenario import Scenario, load_scenario
from tests.conftest import CI

SEEDS = range(4 if CI else 2)
MANY = [(name, seed) for name in CLASSES for seed in SEEDS]
PINNED = {
    "open/0": "b6aba9bbce8a8d55",
    "rivers/17": "f3f29b361980991c",
    "islands/5": "ae14754a1bc19dfe",
    "forests/4294967295": "633736abad20df0d",
    "towns/2": "3ec3e6ffa79c1f53",
    "passes/3": "309990a1467e0ca4",
    "mixed/8": "8086a23cc1c47e8f",
}
"""First digits of the SHA-256 of a battle's files: they change with the version of drawn battles alone."""


def digest(drawn: Drawn) -> str:
    text = "".join(f"{name}\n{content}" for name, content in sorted(drawn.files().items()))
    return sha256(text.encode()).hexdigest()[:16]


def starts(scenario: Scenario) -> list[tuple[slice, slice]]:
    return [group.cells(scenario.map.size) for side in (scenario.player, scenario.enemy) for group in side.units]


def reached(free: np.ndarray, start: tuple[int, int]) -> np.ndarray:
    """Cells that are joined with one by their sides: a plain search, as an oracle."""
    found, queue = np.zeros_like(free), deque([start])
    found[start] = True
    while queue:
        x, y = queue.popleft()
        for a, b in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if 0 <= a < len(free) and 0 <= b < len(free) and free[a, b] and not found[a, b]:
                found[a, b] = True
                queue.append((a, b))
    return found


@pytest.mark.parametrize(("name", "pinned"), PINNED.items())
def test_a_seed_draws_the_same_bytes_everywhere(name: str, pinned: str) -> None:
    """Twice in this process, and on every machine and with every version of NumPy."""
    class_name, seed = name.split("/")
    first = digest(draw_with_facts(class_name, int(seed)))
    draw_with_facts.cache_clear()
    assert digest(draw_with_facts(class_name, int(seed))) == first == pinned


def test_dice_are_the_words_of_a_published_hash() -> None:
    """BLAKE2b of purpose and counter, scaled to the range."""
    words = [int.from_bytes(blake2b(f"a#{i}".encode(), digest_size=8).digest(), "little") for i in range(9)]
    dice = Dice("a")
    assert [dice.below(1000) for _ in words] == [word * 1000 // 2**64 for word in words]
    dice = Dice("b")
    assert sorted(dice.shuffled(range(20))) == [*range(20)]
    assert {dice.weighted({"a": 1, "b": 0, "c": 3}) for _ in range(200)} == {"a", "c"}


def test_the_largest_region_is_that_of_a_plain_search() -> None:
    """On random maps, among them empty, full and striped ones."""
    random = np.random.default_rng(0)
    for share in (0.0, 0.3, 0.5, 0.6, 0.8, 1.0):
        free = random.random((17, 17)) < share
        left, best = free.copy(), np.zeros_like(free)
        while left.any():
            region = reached(free, tuple(np.argwhere(left)[0].tolist()))
            left &= ~region
            best = region if region.sum() > best.sum() else best
        assert (largest_region(free) == best).all()


@pytest.mark.parametrize(("class_name", "seed"), MANY)
def test_a_drawn_battle_is_sound(class_name: str, seed: int, tmp_path: Path) -> None:
    """Files read back as the same battle; capacity; every start and place is joined on foot; plans are valid."""
    drawn = draw_with_facts(class_name, seed)
    scenario = drawn.scenario
    size = scenario.map.size
    for name, text in drawn.files().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    read = load_scenario(tmp_path / f"{class_name}-{seed}.toml")
    for side, own in ((read.player, scenario.player), (read.enemy, scenario.enemy)):
        assert side.plan is not None and Path(side.plan).read_text(encoding="utf-8") == own.plan
    player, enemy = (
        replace(side, plan=own.plan) for side, own in ((read.player, scenario.player), (read.enemy, scenario.enemy))
    )
    assert replace(read, player=player, enemy=enemy) == scenario

    assert scenario.rules.limit == LIMIT[size]
    assert scenario.player.count + scenario.enemy.count <= CAPACITY[size]

    free = (scenario.map.kind & 3) == 0
    first = starts(scenario)[0]
    corner = np.argwhere(free[first])[0] + [first[0].start, first[1].start]
    joined = reached(free, (int(corner[0]), int(corner[1])))
    for box in starts(scenario):
        assert free[box].any() and (joined[box] == free[box]).all()
    for place in drawn.mission.places:
        assert joined[place] and scenario.map.kind[place] == 0
    sides = [[group.cells(size) for group in side.units] for side in (scenario.player, scenario.enemy)]
    for mine in sides[0]:
        for theirs in sides[1]:
            gap = max(max(a.start - b.stop, b.start - a.stop) for a, b in zip(mine, theirs, strict=True))
            assert gap >= 15, "no unit sees an enemy at the start"
    for post in drawn.commander.army.posts:
        x0, y0, x1, y1 = post.area
        cells = scenario.map.kind[x0 : x1 + 1, y0 : y1 + 1]
        assert not post.hidden or (cells[(cells & 3) == 0] == 4).all(), "who hides is in a forest"

    for number, side in enumerate((scenario.player, scenario.enemy)):
        assert side.plan is not None
        found = dsl.check_plan(side.plan, "plan", scenario.context(number))
        assert found.ok and not found.diagnostics, dsl.render(found.diagnostics)
        assert isinstance(found.root, dsl.PlanSyntax) and len(found.root.steps) <= 32
        named = {i for step in found.root.steps for group in step.groups for i in group.units.ids(side.count)}
        assert named == set(range(side.count)), "every unit has an order"


@pytest.mark.parametrize(("class_name", "seed"), MANY[::3])
def test_plans_mean_the_same_for_other_sizes(class_name: str, seed: int) -> None:
    """Ids scale as groups do, so a group of a plan holds the same start groups of the army, all of each."""
    written = draw_with_facts(class_name, seed).scenario
    scaled = find_scenario(written.name, units=4 * written.player.count)
    for number, (old, new) in enumerate(((written.player, scaled.player), (written.enemy, scaled.enemy))):
        assert old.plan is not None
        plan = dsl.parse_plan(old.plan, "plan", written.context(number))
        foes = ((written.enemy, scaled.enemy), (written.player, scaled.player))[number]
        big = rescale_plan(plan, (old.count, new.count), (foes[0].count, foes[1].count))
        spans = [[*pairwise(accumulate((group.count for group in side.units), initial=0))] for side in (old, new)]
        if number == 0 and "units: half" in old.plan:
            continue
        for before, after in zip(plan.steps, big.steps, strict=True):
            for one, other in zip(before.groups, after.groups, strict=True):
                held = [
                    {i for i, (a, b) in enumerate(bounds) if {*range(a, b)} & {*group.units.ids(side.count)}}
                    for bounds, group, side in zip(spans, (one, other), (old, new), strict=True)
                ]
                assert held[0] == held[1]


@pytest.mark.parametrize(("class_name", "seed"), MANY)
def test_the_briefing_says_what_is_so(class_name: str, seed: int) -> None:
    """Ratios, places, parts of the map and numbers in it are those of the scenario; it names no number of units."""
    drawn = draw_with_facts(class_name, seed)
    scenario, text = drawn.scenario, " ".join(drawn.scenario.briefing.split())
    assert max(map(len, scenario.briefing.split("\n"))) <= 120
    fighters = sum(group.count for group in scenario.player.units if group.type != "civilian")
    words = re.search(r"there are about (.+?) enemies as you have (units|fighters)", text, re.I)
    assert words
    ratio = next(percent for percent, phrase in RATIOS.items() if phrase == words[1]) / 100
    assert 0.8 < scenario.enemy.count / fighters / ratio < 1.25
    size = scenario.map.size
    for shape, part in re.findall(r"([A-Z][\w-]+ (?:Wood|Farm|Pond|Bridge|Pass|Island)) in the ([a-z-]+)", text):
        kind = next(feature for feature in scenario.map.features if feature.name == shape)
        (x0, y0), (x1, y1) = kind.box
        assert boxes_touch((x0, y0, x1, y1), third(part, size)), f"{shape} is not in the {part}"
    plans = f"{scenario.player.plan}{scenario.enemy.plan}"
    for x, y in re.findall(r"\((\d+), (\d+)\)", text):
        place = f"({x}, {y})"
        assert place in plans or (int(x), int(y)) in {
            *drawn.mission.places,
            *(post.place for post in drawn.commander.army.posts),
        }
    for post in drawn.commander.army.posts:
        x0, y0, x1, y1 = post.area
        assert (x0 - 12 <= post.place[0] <= x1 + 12 and y0 - 12 <= post.place[1] <= y1 + 12) or post.hidden
    if drawn.known == "full":
        for percent in re.findall(r"(\d+)%", drawn.commander.orders):
            assert f"losses {percent}%" in plans
        for ticks in re.findall(r"(\d+) ticks", drawn.commander.orders):
            assert f"time {ticks}\n" in plans
    else:
        assert "%" not in drawn.commander.hint and not re.search(r"\d", drawn.commander.hint)
        assert drawn.commander.orders not in text
    assert len(map_text(scenario, compact=True)) < 4500


def third(part: str, size: int) -> tuple[float, float, float, float]:
    """The cells of a part of the map, such as `north-west`."""
    across = 0 if "west" in part else 2 if "east" in part else 1
    along = 0 if "south" in part else 2 if "north" in part else 1
    return across * size / 3 - 1, along * size / 3 - 1, (across + 1) * size / 3 + 1, (along + 1) * size / 3 + 1


def boxes_touch(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


@pytest.mark.parametrize("class_name", CLASSES)
def test_each_class_has_every_mission_family_and_side(class_name: str) -> None:
    """In its first 200 seeds."""
    themes = [draw_theme(class_name, seed) for seed in range(200)]
    assert {theme.kind for theme in themes} == WEIGHTS.keys()
    assert {theme.family for theme in themes} == {family for kind in WEIGHTS for family in families(kind)}
    assert {theme.frame.size for theme in themes} == CAPACITY.keys()
    assert {theme.known for theme in themes} == {"full", "partial", "poor"}


@pytest.mark.long
def test_drawn_battles_are_played_to_their_end() -> None:
    """The default plan of an escort and of a battle to survive; both are of the smallest size."""
    for name in ("islands/2", "rivers/0"):
        class_name, seed = name.split("/")
        scenario = draw_with_facts(class_name, int(seed)).scenario
        world = hive.load(scenario.name)
        result = hive.play(world, hive.read_plan(world.plan, world), seeds=[0])
        assert result.outcome[0] in {"win", "lose", "plan_finished", "timeout"} and result.ticks[0] <= LIMIT[80]
