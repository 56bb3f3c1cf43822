"""Instances: what is shipped, names, located messages about files, and what the generator draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest

from dsl import UserError
from hive.kit.errors import ScenarioError
from hive.worlds.rescue.assembly import FAR, batch_params, ways
from hive.worlds.rescue.codes import ROOMS
from hive.worlds.rescue.files import read_agents, read_map, read_victims
from hive.worlds.rescue.generator import STANDARD, InstanceRanges, draw, generate
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.shipped import load_instance, names, shipped
from tests.docs.test_rules import table
from tests.rescue.oracle import Oracle

MAP = """schema = 1
doors = [["hall", "north"], ["hall", "south"]]
[rooms]
hall = [0, 0]
north = [0, -1]
south = [0.5, 1]
"""
VICTIMS = """schema = 1
[[victims]]
name = "Ann"
room = "north"
needs = ["water", "food"]
urgent = true
[[victims]]
name = "Ben"
room = "south"
needs = ["food"]
urgent = false
"""
AGENTS = """schema = 1
about = "A test."
[[agents]]
name = "Alpha"
room = "hall"
water = 1
food = 2
"""
ROOM_NAMES = ("hall", "north", "south")
READERS: dict[str, Callable[[str], object]] = {
    MAP: read_map,
    VICTIMS: lambda text: read_victims(text, ROOM_NAMES),
    AGENTS: lambda text: read_agents(text, ROOM_NAMES),
}


def solvable(instance: Instance) -> bool:
    """Whether the team carries enough for all victims; every room can be reached, so it can then serve them."""
    return all(there >= needed for there, needed in zip(instance.supplies, instance.needs, strict=True))


def test_the_shipped_instances_have_the_published_counts() -> None:
    """docs/rules/rescue.md 2.2: eight maps, eight files of victims, twelve teams, 35 victims over all instances."""
    instances = [shipped(name) for name in names()]
    assert len(instances) == 12 and sum(len(each.victims) for each in instances) == 35
    assert {name.split("/")[0] for name in names()} == {f"map_{number}" for number in range(1, 9)}
    assert all(solvable(each) and each.about for each in instances)
    rows = table("rescue", "2.2")
    assert [*rows][1:] == [*names()]
    for each in instances:
        rooms, victims, agents, supplies, _ = rows[each.name]
        assert (int(rooms), int(victims), int(agents)) == (len(each.rooms), len(each.victims), len(each.agents))
        assert (supplies == "exact") == (each.supplies == each.needs), each.name


def test_the_published_situations() -> None:
    """Facts of the study about three instances, and its example message (docs/rules/rescue.md 2.2)."""
    seven, eight, two, five = (
        shipped(name) for name in ("map_7/agents-1", "map_8/agents", "map_2/agents", "map_5/agents")
    )
    assert {(seven.rooms[v.room], v.urgent) for v in seven.victims} == {("room3", True), ("room4", False)}
    for each in (seven, eight):
        assert {a.supplies for a in each.agents} == {tuple(map(int, v.needs)) for v in each.victims}
        assert [a.name for a in each.agents] == ["Alpha", "Bravo"]
    assert seven.agents[0].supplies == tuple(map(int, seven.victims[1].needs)), "Alpha fits the one that can wait"
    oracle = Oracle(eight)
    for agent in eight.agents:
        far, near = sorted(eight.victims, key=lambda victim: -oracle.distance(agent.room, victim.room))
        assert agent.supplies == tuple(map(int, far.needs)) != tuple(map(int, near.needs))
    assert [v.urgent for v in two.victims].count(True) == 1 and len(two.victims) == 3
    where = {v.name: five.rooms[v.room] for v in five.victims}
    said = {"victim1": "room1", "victim2": "room4", "victim3": "room7", "victim5": "room13"}
    assert where.items() >= said.items() and len(five.agents) == 3


@pytest.mark.parametrize(
    "name",
    [
        "map_7/agents-1",
        "rescue/map_7/agents-1",
        "map-7/agents_1/victims",
        "[map-7, agents-1, victims]",
        "rescue/[map_7,agents_1]",
    ],
)
def test_names_have_either_separator(name: str) -> None:
    assert load_instance(name).name == "map_7/agents-1"


@pytest.mark.parametrize(
    "name", ["map_9/agents", "map_7", "map_7/agents-1/people", "", "rescue/", "map_7/agents-1/victims/x"]
)
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="there is no rescue"):
        load_instance(name)


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    for file, text in (("map", MAP), ("victims", VICTIMS), ("team", AGENTS)):
        (tmp_path / f"{file}.toml").write_text(text)
    found = load_instance(str(tmp_path / "team.toml"))
    assert found.victims[0].needs == (True, True, False) and found.agents[0].supplies == (1, 2, 0)
    assert found.name == f"{tmp_path.name}/team"
    assert found.neighbours(0) == (1, 2) and found.needs == (1, 2, 0)
    (tmp_path / "victims.toml").unlink()
    with pytest.raises(ScenarioError, match=r"rescue-file.*\n.*victims\.toml"):
        load_instance(str(tmp_path / "team.toml"))


@pytest.mark.parametrize(("text", "old", "new", "problem"), [
    (MAP, "schema = 1", "schema = 2", ("rescue-schema", "schema")),
    (MAP, "schema = 1", "schema = ", ("rescue-syntax", "")),
    (MAP, ', ["hall", "south"]', "", ("rescue-disconnected", "doors")),
    (MAP, '["hall", "south"]', '["hall", "souht"]', ("rescue-room", "doors[1]")),
    (MAP, '["hall", "south"]', '["hall", "hall"]', ("rescue-door", "doors[1]")),
    (MAP, '["hall", "south"]', '["north", "hall"]', ("rescue-door", "doors[1]")),
    (MAP, '["hall", "south"]', '["hall", "south", "north"]', ("rescue-type", "doors[1]")),
    (MAP, '["hall", "south"]', '"hall-south"', ("rescue-type", "doors[1]")),
    (MAP, "south = [0.5, 1]", "south = [0.5]", ("rescue-type", "rooms.south")),
    (MAP, "south = [0.5, 1]", "south = [inf, 1]", ("rescue-range", "rooms.south[0]")),
    (MAP, "[rooms]", "[room]", ("rescue-unknown-key", "room")),
    (MAP, "south = ", "".join(f"x{n} = [0, 0]\n" for n in range(ROOMS)) + "south = ", ("rescue-range", "rooms")),
    (VICTIMS, '"south"', '"cellar"', ("rescue-room", "victims[1].room")),
    (VICTIMS, '"south"', '"north"', ("rescue-room", "victims[1].room")),
    (VICTIMS, '["food"]', '["foot"]', ("rescue-unknown-name", "victims[1].needs[0]")),
    (VICTIMS, '["food"]', '["food", "food"]', ("rescue-need", "victims[1].needs[1]")),
    (VICTIMS, '["food"]', "[]", ("rescue-range", "victims[1].needs")),
    (VICTIMS, '["food"]', "[1]", ("rescue-type", "victims[1].needs[0]")),
    (VICTIMS, '"Ben"', '"Ann"', ("rescue-name", "victims[1].name")),
    (VICTIMS, '"Ben"', '"ann"', ("rescue-name", "victims[1].name")),
    (VICTIMS, '"Ben"', '"Ben, needs food"', ("rescue-range", "victims[1].name")),
    (MAP, "south = ", "Hall = [1, 1]\nsouth = ", ("rescue-name", "rooms")),
    (MAP, "south = ", '"a room" = [1, 1]\nsouth = ', ("rescue-range", "rooms.a room")),
    (VICTIMS, '"Ben"', '" "', ("rescue-range", "victims[1].name")),
    (VICTIMS, "urgent = false", "", ("rescue-missing", "victims[1].urgent")),
    (VICTIMS, "urgent = false", "urgent = 0", ("rescue-type", "victims[1].urgent")),
    (VICTIMS, VICTIMS[10:], "\nvictims = []", ("rescue-range", "victims")),
    (AGENTS, "water = 1", "water = -1", ("rescue-range", "agents[0].water")),
    (AGENTS, "water = 1", "water = 10", ("rescue-range", "agents[0].water")),
    (AGENTS, "water = 1", "wter = 1", ("rescue-unknown-key", "agents[0].wter")),
    (AGENTS, '"hall"', '"roof"', ("rescue-room", "agents[0].room")),
    (AGENTS, '"A test."', "1", ("rescue-type", "about")),
])  # fmt: skip
def test_a_mistake_in_a_file_is_named_with_its_place(text: str, old: str, new: str, problem: tuple[str, str]) -> None:
    """docs/rules/rescue.md 2.3."""
    read = READERS[text]
    read(text)
    assert text.count(old) == 1
    with pytest.raises(ScenarioError) as caught:
        read(text.replace(old, new))
    found = [(each.code, each.place) for each in caught.value.problems]
    if problem[0] in ("rescue-need", "rescue-room", "rescue-range", "rescue-name"):
        assert found == [problem], "one mistake, one message"
    assert problem in found


def test_shortest_ways_are_those_of_a_plain_search() -> None:
    instances = [*map(shipped, names()), *generate(4, 8)]
    params = jax.device_get(batch_params(instances))
    for row, instance in enumerate(instances):
        oracle, rooms = Oracle(instance), len(instance.rooms)
        for start in range(rooms):
            for goal in range(rooms):
                length = oracle.distance(start, goal)
                assert params.distance[row, start, goal] == length
                if length:
                    ways_on = [r for r in instance.neighbours(start) if oracle.distance(r, goal) == length - 1]
                    assert params.first_room[row, start, goal] == ways_on[0]
        assert (params.distance[row, :rooms, rooms:] == FAR).all()
    alone, first = ways(np.zeros((3, 3), bool))
    assert alone.tolist() == [[0, FAR, FAR], [FAR, 0, FAR], [FAR, FAR, 0]] and first.tolist() == [
        [0] * 3,
        [1] * 3,
        [2] * 3,
    ]


def test_drawn_instances_keep_the_constraints() -> None:
    """docs/rules/rescue.md 2.4; connected, since every distance is found."""
    drawn = list(generate(2, 1_000))
    params = jax.device_get(batch_params(drawn))
    counts: Counter[str] = Counter()
    for row, each in enumerate(drawn):
        rooms = len(each.rooms)
        assert 4 <= rooms <= 15 and 1 <= len(each.victims) <= 5 and 2 <= len(each.agents) <= 3
        assert len({v.room for v in each.victims}) == len(each.victims) and all(any(v.needs) for v in each.victims)
        assert solvable(each) and (params.distance[row, :rooms, :rooms] < FAR).all()
        assert len({*each.places}) == rooms and len({*each.doors}) == len(each.doors)
        assert sum(each.supplies) - sum(each.needs) in (0, 1, 2)
        assert all(sum(a.supplies) for a in each.agents) or sum(each.needs) < len(each.agents)
        fits = {tuple(map(int, v.needs)) for v in each.victims}
        counts["exact"] += each.supplies == each.needs
        counts["together"] += len({a.room for a in each.agents}) == 1
        counts["split"] += not all(a.supplies in fits for a in each.agents)
        counts["corridor"] += len(each.doors) == rooms - 1 and max(len(each.neighbours(r)) for r in range(rooms)) == 2
        counts["urgent"] += any(v.urgent for v in each.victims)
    assert 750 < counts["exact"] < 850 and 500 < counts["together"] < 600
    assert all(counts[kind] > 10 for kind in ("split", "corridor", "urgent")), counts


def test_a_drawn_instance_has_a_name_and_does_not_hang_on_the_others() -> None:
    assert [*generate(7, 5)][3] == draw(7, 3) == load_instance("rescue/generated/7-3") != draw(8, 3)
    assert draw(7, 3).name == "generated/7-3" and [*generate(7, 2)] == [*generate(7, 5)][:2]
    few = InstanceRanges(rooms=(4, 4), victims=(2, 2), agents=(3, 3), surplus=0.0, together=1.0)
    assert all(len(each.rooms) == 4 and len({a.room for a in each.agents}) == 1 for each in generate(1, 20, few))


@pytest.mark.parametrize("wrong", [{"rooms": (1, 4)}, {"victims": (3, 2)}, {"agents": (1, 5)}, {"surplus": 1.5}])
def test_a_recipe_that_cannot_be_drawn_is_refused(wrong: dict[str, tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        InstanceRanges(**wrong)  # type: ignore[arg-type]
    assert InstanceRanges() == STANDARD
