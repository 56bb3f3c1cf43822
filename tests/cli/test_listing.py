"""`hive list` names everything that is shipped."""

from __future__ import annotations

import scenarios
from hive.rl.registry import tasks
from hive.worlds.battle.abilities import ABILITIES
from hive.worlds.battle.drawn.classes import CLASSES
from hive.worlds.household.episode import episodes, transports
from hive.worlds.kitchen.tasks import tasks as orders
from hive.worlds.rescue.shipped import names
from hive.worlds.wildfire.commanders import COMMANDERS
from hive.worlds.wildfire.levels import levels
from tests.cli.conftest import Hive


def test_every_shipped_name_has_one_line(hive: Hive) -> None:
    named = listed(hive, "all")
    maps = [f"wildfire/{name}" for name in levels()]
    rescues = [f"rescue/{name}" for name in names()]
    kitchens = [f"kitchen/{name}" for name in orders()]
    households = [f"household/{name}" for name in (*episodes(), *transports())]
    drawn = [f"battle/{name}/SEED" for name in CLASSES]
    first = [*scenarios.names(), *drawn, *scenarios.sets(), *maps, *kitchens, *rescues, *households, *tasks()]
    assert named[: len(first)] == first
    assert sorted(named) == sorted([*first, *scenarios.plans(), *COMMANDERS, *scenarios.trees()])


def listed(hive: Hive, *words: str) -> list[str]:
    """The first words of the lines of all sections."""
    ran = hive("list", *words)
    assert (ran.code, ran.err) == (0, "")
    return [line.split()[0] for line in ran.out.splitlines() if line.startswith("  ")]


def test_without_a_word_each_section_but_the_scenarios_has_one_line(hive: Hive) -> None:
    sections = list(hive("list", "--json").json)
    assert listed(hive) == [*scenarios.names(), *sections[1:]]


def test_a_section_or_the_beginning_of_a_name_is_listed_alone(hive: Hive) -> None:
    assert listed(hive, "tasks") == list(tasks())
    assert listed(hive, "rescue/map_7") == ["rescue/map_7/agents", "rescue/map_7/agents-1"]
    found = hive("list", "coord", "--json").json
    assert {title: [each["name"] for each in some] for title, some in found.items()} == {
        "scenarios": ["coordinate"],
        "plans": ["coordinate", "coordinate_bad", "coordinate_enemy"],
    }


def test_what_begins_no_name_is_refused(hive: Hive) -> None:
    for word, advice in (("task", "did you mean `tasks`?"), ("zzz", "sections are `scenarios`, ")):
        ran = hive("list", word)
        assert ran.code == 2 and f"no section is called `{word}`, and no name begins so" in ran.err
        assert advice in ran.err


def test_json_holds_the_same(hive: Hive) -> None:
    found = hive("list", "--json").json
    assert list(found) == [
        "scenarios", "drawn", "sets", "levels", "orders", "rescues", "households", "tasks", "plans", "commanders",
        "trees", "crew_trees",
    ]  # fmt: skip
    assert [entry["name"] for entry in found["scenarios"]] == list(scenarios.names())
    coordinate = next(entry for entry in found["scenarios"] if entry["name"] == "coordinate")
    assert set(coordinate) == {"name", "id", "title", "summary", "player", "enemy", "map", "plan"}
    assert (coordinate["player"], coordinate["enemy"], coordinate["map"]) == (1000, 1000, 150)
    plan = next(entry for entry in found["plans"] if entry["name"] == "coordinate")
    assert plan == {"name": "coordinate", "scenario": "coordinate", "side": "player", "steps": 2, "groups": 20}
    for ability in ABILITIES:
        whose = {each["name"]: (each["scenario"], each["side"]) for each in found["plans"]}
        assert whose[ability.name] == whose[f"{ability.name}_bad"] == (ability.scenario, "player")
    assert {"name": "stand", "text": "A(stand)"} in found["trees"]
    assert found["tasks"] == [
        {"name": name, "id": f"{name}-v{each.version}", "summary": each.summary} for name, each in tasks().items()
    ]
    egg = {"name": "kitchen/boiled_egg", "id": "kitchen/boiled_egg-v1", "title": "Boiled Egg", "level": 1}
    assert egg in found["orders"] and len(found["orders"]) == 30
    level = next(entry for entry in found["levels"] if entry["name"] == "wildfire/cut_trees_lines_large")
    assert level["crew"] == {"firefighter": 4, "bulldozer": 3} and level["seeds"] == [820, 5406, 6503]
    assert (level["map"], level["limit"], level["best"]) == (60, 30, 105)
    rescue = next(entry for entry in found["rescues"] if entry["name"] == "rescue/map_7/agents")
    assert (rescue["rooms"], rescue["victims"], rescue["agents"]) == (6, 2, 2)
    assert rescue["needs"] == {"water": 2, "food": 1, "medicine": 1} and rescue["supplies"]["food"] == 2
    household = next(entry for entry in found["households"] if entry["name"] == "household/cwah_10")
    assert (household["goals"], household["place"], household["limit"]) == ({"fork": 3}, "dishwasher", 250)
