"""Scenario files: what they may hold, what is wrong with them, round trips and overrides."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

import scenarios
from dsl import UserError
from hive.engine.types import PLACES as GOAL_PLACES
from hive.ground.shapes import Band, Box, Circle
from hive.kit.errors import ScenarioError
from hive.worlds.battle.scenario import (
    ScenarioObjective,
    UnitGroup,
    load_scenario,
    parse_scenario,
    to_toml,
    with_markers,
)
from hive.worlds.battle.scenario.schema import MOST_PLACES
from hive.worlds.battle.world import Battle

BASE = """
version = 1
title = "Test"
summary = "a test"
[map]
size = 40
shapes = [{ terrain = "water", name = "Lake", box = [0, 0, 20, 20] }]
[rules]
[types]
[player]
units = [
  { type = "spearmen", count = 10, box = [0.5, 0.0, 0.5, 0.5] },
  { type = "archer", count = 30, box = [0.5, 0.0, 0.5, 0.5] },
]
[enemy]
units = [{ type = "cavalry", count = 20, box = [0.0, 0.6, 1.0, 0.4] }]
"""
RIVER = '{ terrain = "water", band = [[0, 20], [40, 20]], width = 4 }'
LAKE = '{ terrain = "water", name = "Lake", box = [0, 0, 20, 20] }'
PLACES = "objective = { positions = [[3, 3], [61, 0]]"
IN_LAKE = "count = 10, box = [0.0, 0.0, 0.4, 0.4]"


def failure(old: str, new: str) -> ScenarioError:
    """The error of the base text with one piece changed."""
    assert BASE.count(old) == 1, "the piece to change must be there once"
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(BASE.replace(old, new), "test", "test.toml")
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "code", "place", "says"),
    [
        # missing and unknown keys
        ("size = 40", "", "missing", "map.size", "`size` is missing"),
        ("[map]\nsize = 40", "", "missing", "map", "`map` is missing"),
        ("[map]\nsize = 40", "", "missing", "map", "add a table with `size`"),
        ("count = 10, ", "", "missing", "player.units[0].count", "`count` is missing"),
        ("[rules]", "[rules]\nlimmit = 3", "unknown-key", "rules.limmit", "did you mean `limit`?"),
        ("version = 1", "version = 1\ncolour = 3", "unknown-key", "colour", "no key called `colour`"),
        ("[types]", "[types.archers]", "unknown-name", "types.archers", "did you mean `archer`?"),
        ("[types]", "[types.archer]\nrange = 3", "unknown-key", "types.archer.range", "no key called `range`"),
        # types of values
        ("size = 40", 'size = "40"', "type", "map.size", 'expected a number, found the text "40"'),
        ("size = 40", "size = true", "type", "map.size", "found true"),
        ('title = "Test"', "title = 3", "type", "title", "expected text, found the number 3"),
        ("[rules]\n[types]", "[types]\narcher = 3", "type", "types.archer", "expected a table"),
        (f"[{LAKE}]", "3", "type", "map.shapes", "expected a list, found the number 3"),
        ("box = [0.5, 0.0, 0.5, 0.5] },\n  {", "box = [0.5] },\n  {", "type", "player.units[0].box", "a list of 4"),
        ("[player]", "[player]\nobjective = 3", "type", "player.objective", "expected an objective"),
        ("[player]", "[player]\nbehaviours = [3]", "type", "player.behaviours[0]", "name of a behaviour"),
        # ranges
        ("size = 40", "size = 7", "range", "map.size", "a whole number from 8 to 4096"),
        ("size = 40", "size = 40.5", "range", "map.size", "40.5 is not a whole number"),
        ("count = 10", "count = 0", "range", "player.units[0].count", "0 is out of range"),
        ("count = 30", "count = 1000001", "range", "player.units[1].count", "from 1 to 1000000"),
        ("count = 30", "count = 999971", "range", "player.units", "1000001 units are too many"),
        ("0.6, 1.0, 0.4", "0.6, 0.0, 0.4", "range", "enemy.units[0].box[2]", "above 0 up to 1"),
        ("0.6, 1.0, 0.4", "-0.1, 1.0, 0.4", "range", "enemy.units[0].box[1]", "-0.1 is out of range"),
        ("[rules]", "[rules]\njitter = nan", "range", "rules.jitter", "nan is out of range"),
        ("[rules]", "[rules]\nlimit = 0", "range", "rules.limit", "from 1 to 1000000"),
        ("[types]", "[types.archer]\nsight = 15.5", "range", "types.archer.sight", "from 0 to 15"),
        ("[types]", "[types.archer]\nspeed = 26", "range", "types.archer.speed", "from 0 to 25"),
        ("[types]", "[types.archer]\ndamage = 0.3", "range", "types.archer.damage", "the nearest is 0.30078125"),
        ("[enemy]\nunits = [{", "[enemy]\nunits = [] # [{", "range", "enemy.units", "at least 1"),
        ('summary = "a test"', 'summary = "a\\nb"', "range", "summary", "one line"),
        (
            "[player]",
            "[player]\nobjective = { position = [61, 0] }",
            "range",
            "player.objective.position",
            "(61, 0) is outside",
        ),
        # objectives
        ("[player]", f"[player]\n{PLACES}, share = 0 }}", "range", "player.objective.share", "above 0 up to 1"),
        ("[enemy]", f"[enemy]\n{PLACES} }}", "range", "enemy.objective.positions[1]", "(61, 0) is outside the map"),
        ("[enemy]", "[enemy]\nobjective = { survive = 1001 }", "range", "enemy.objective.survive", "limit of 1,000"),
        ("[player]", "[player]\nobjective = { share = 1 }", "objective", "player.objective", "found none"),
        ("[player]", f"[player]\n{PLACES}, survive = 9 }}", "objective", "player.objective", "positions and survive"),
        (
            "[player]",
            '[player]\nobjective = { survive = 9, type = "civilian" }',
            "unknown-name",
            "player.objective.type",
            "no units of the type `civilian`",
        ),
        # names
        ('"spearmen"', '"spearman"', "unknown-name", "player.units[0].type", "did you mean `spearmen`?"),
        ('"water"', '"lava"', "unknown-name", "map.shapes[0].terrain", "`normal`, `forest`, `water` or `building`"),
        ("[enemy]", '[enemy]\nbehaviours = ["stnad"]', "unknown-name", "enemy.behaviours[0]", "did you mean `stand`?"),
        ("[enemy]", '[enemy]\nplan = "coordinat"', "unknown-name", "enemy.plan", "did you mean `coordinate`?"),
        # markers
        ("[rules]", "[markers]\na = [3, 3]\n[rules]", "unknown-name", "markers.a", "the capital letters A to Z"),
        ("[rules]", "[markers]\nAB = [3, 3]\n[rules]", "unknown-name", "markers.AB", "no marker called `AB`"),
        ("[rules]", "[markers]\nA = [3, 2.5]\n[rules]", "range", "markers.A[1]", "2.5 is not a whole number"),
        ("[rules]", "[markers]\nA = [3, 40]\n[rules]", "range", "markers.A", "(3, 40) is outside the map"),
        ("[rules]", "[markers]\nA = 3\n[rules]", "type", "markers.A", "expected a list of 2"),
        ("version = 1", "version = 1\nmarkers = 3", "type", "markers", "write A = [x, y]"),
        # shapes
        (LAKE, '{ terrain = "water" }', "shape", "map.shapes[0]", "exactly one of box, circle and band, found none"),
        (LAKE, LAKE.replace("box", "circle = [1, 2], box"), "shape", "map.shapes[0]", "found box and circle"),
        (LAKE, '{ terrain = "water", circle = [3, 3] }', "missing", "map.shapes[0].radius", "a circle needs a radius"),
        (LAKE, RIVER.replace("width", "radius"), "missing", "map.shapes[0].width", "a band needs a width"),
        (LAKE, LAKE.replace("box", "width = 3, box"), "shape", "map.shapes[0].width", "a box has no width"),
        (LAKE, LAKE.replace("0, 20, 20", "0, 20, -1"), "shape", "map.shapes[0].box", "south-west corner first"),
        # start boxes
        ("count = 10, box = [0.5, 0.0, 0.5, 0.5]", IN_LAKE, "start-box", "player.units[0].box", "water or a building"),
    ],
)
def test_each_fault_is_placed_by_its_key_path(old: str, new: str, code: str, place: str, says: str) -> None:
    error = failure(old, new)
    assert (f"scenario-{code}", place) in [(problem.code, problem.place) for problem in error.problems]
    assert says in str(error)


def test_all_faults_are_reported_at_once_in_the_manner_of_diagnostics() -> None:
    text = BASE.replace("size = 40", "size = 4").replace("count = 30", "cuont = 30")
    wrong = '{ type = "archer", cuont = 30, box = [0.5, 0.0, 0.5, 0.5] }'
    with pytest.raises(UserError) as caught:
        parse_scenario(text, "test", "test.toml")
    assert str(caught.value) == (
        "error[scenario-range]: 4 is out of range\n"
        " --> test.toml:6:8: map.size\n"
        "  6 | size = 4\n"
        "    |        ^\n"
        "  = help: a whole number from 8 to 4096\n"
        "\n"
        "error[scenario-unknown-key]: there is no key called `cuont` here\n"
        " --> test.toml:13:22: player.units[1].cuont\n"
        f"  13 |   {wrong},\n"
        "     |                      ^^^^^\n"
        "  = help: did you mean `count`?\n"
        "\n"
        "error[scenario-missing]: `count` is missing\n"
        " --> test.toml:13:3: player.units[1].count\n"
        f"  13 |   {wrong},\n"
        f"     |   {'^' * len(wrong)}\n"
        "  = help: a whole number from 1 to 1000000"
    )


def test_contradictions_of_both_sides_are_reported_at_once() -> None:
    text = BASE.replace("[0.0, 0.6, 1.0, 0.4]", "[0.1, 0.1, 0.1, 0.1]").replace("[enemy]", '[enemy]\nplan = "x"')
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text.replace("count = 10, box = [0.5, 0.0, 0.5, 0.5]", IN_LAKE), "test")
    assert {p.place for p in caught.value.problems} == {"player.units[0].box", "enemy.units[0].box", "enemy.plan"}


def test_an_error_survives_pickling() -> None:
    """Errors cross process borders when games run in workers."""
    error = failure("size = 40", "size = 4")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_text_that_is_no_toml_says_where() -> None:
    error = failure("[map]", "[map")
    assert error.problems[0].code == "scenario-syntax"
    assert "line 5" in str(error)


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000 + "]" * 5000])
def test_text_that_python_cannot_hold_is_the_users_error(value: str) -> None:
    assert failure("size = 40", f"size = {value}").problems[0].code == "scenario-syntax"


def test_missing_keys_take_their_defaults() -> None:
    scenario = parse_scenario(BASE, "test")
    rules = scenario.rules
    assert (rules.movement_randomness, rules.jitter, rules.firmness, rules.goal_radius) == (5.0, 0.02, 0.02, 3.0)
    assert rules.limit == 1000
    assert scenario.player.plan is None
    assert scenario.player.objective == ScenarioObjective("elimination")
    assert set(scenario.player.behaviours) == {
        "attack_in_close_range",
        "attack_in_long_range",
        "attack_and_move",
        "follow_map",
        "stand",
    }
    assert scenario.written_for == (40, 20)


def test_published_types_have_the_published_numbers() -> None:
    """docs/rules/battles.md 2.1, 2.2."""
    types = {t.name: t for t in parse_scenario(BASE, "test").types}
    assert list(types) == ["spearmen", "archer", "cavalry", "balista", "dragon", "civilian"]
    for name, numbers in {
        "spearmen": (1, 24, 1, 1, 15, 1, 0.6),
        "archer": (2, 2, 3, 15, 15, 1, 0.3),
        "cavalry": (6, 12, 1, 1, 15, 1, 0.45),
        "civilian": (1, 1, 0, 0, 10, 0, 0.3),
    }.items():
        t = types[name]
        assert (t.speed, t.max_health, t.damage, t.reach, t.sight, t.cooldown, t.radius) == numbers


def test_a_type_is_overridden_attribute_by_attribute() -> None:
    default = parse_scenario(BASE, "test").types
    types = parse_scenario(BASE.replace("[types]", "[types.archer]\nsight = 12\ndamage = 0.5"), "test").types
    assert types[1] == replace(default[1], sight=12.0, damage=0.5)
    assert types[0] == default[0] and types[2:] == default[2:]


def test_shapes_read_as_drawn() -> None:
    circle = '{ terrain = "forest", name = "Wood", circle = [12, 30], radius = 5 }'
    scenario = parse_scenario(BASE.replace(LAKE, f"{LAKE}, {RIVER}, {circle}"), "test")
    assert scenario.map.shapes == (
        Box(0, 0, 20, 20, terrain="water", name="Lake"),
        Band(((0, 20), (40, 20)), 4, terrain="water"),
        Circle(12, 30, 5, terrain="forest", name="Wood"),
    )


def test_a_bridge_over_water_is_a_place_to_start() -> None:
    """Later shapes lie over earlier ones; the check of start boxes sees the map as drawn."""
    bridge = '{ terrain = "normal", name = "Bridge", box = [3, 3, 4, 4] }'
    text = BASE.replace("count = 10, box = [0.5, 0.0, 0.5, 0.5]", IN_LAKE).replace(LAKE, f"{LAKE}, {bridge}")
    assert parse_scenario(text, "test").map.shapes[1].name == "Bridge"


@pytest.mark.parametrize(
    ("box", "size", "x", "y"),
    [
        ((0.0, 0.0, 1.0, 0.1), 150, (0, 149), (0, 15)),
        ((0.0, 0.9, 1.0, 0.1), 150, (0, 149), (135, 149)),
        ((0.55, 101 / 300, 0.1, 0.05), 300, (165, 195), (101, 116)),
        ((0.07, 0.29, 0.07, 0.29), 100, (7, 14), (29, 58)),
        ((1.0, 1.0, 1.0, 1.0), 100, (99, 99), (99, 99)),
    ],
)
def test_start_cells_count_both_ends_and_stay_on_the_map(
    box: tuple[float, float, float, float], size: int, x: tuple[int, int], y: tuple[int, int]
) -> None:
    """With the published 31 by 16 cells of Strategize points; float dust adds no row of cells.

    Rules: docs/rules/battles.md 2.4.
    """
    across, up = UnitGroup("archer", 1, box).cells(size)
    assert (across.start, across.stop - 1) == x
    assert (up.start, up.stop - 1) == y


@pytest.mark.parametrize("name", scenarios.names())
@pytest.mark.parametrize("overrides", [{}, {"units": 100, "limit": 7, "jitter": 0.5}])
def test_shipped_scenarios_survive_a_round_trip(name: str, overrides: dict[str, float]) -> None:
    scenario = load_scenario(name, **overrides)
    assert parse_scenario(to_toml(scenario), "another name") == scenario


@pytest.mark.parametrize(
    ("objective", "needed", "measures"),
    [
        ('"elimination"', 1, "share of enemies"),
        ("{ position = [30, 3] }", 1, "metres"),
        ("{ positions = [[30, 3], [3.5, 30]] }", 1, "metres"),
        ("{ position = [30, 3], share = 0.55 }", 22, "share of the units"),
        ('{ position = [30, 3], share = 0.5, type = "spearmen" }', 5, "share of the units"),
        ("{ survive = 600 }", 1, "share of the ticks"),
        ('{ survive = 600, share = 0.3, type = "archer" }', 9, "share of the ticks"),
    ],
)
def test_each_form_of_an_objective_survives_a_round_trip(objective: str, needed: int, measures: str) -> None:
    """docs/rules/battles.md 4.3, 4.4: of 10 spearmen and 30 archers; 0.55 * 40 is more than 22 in floats."""
    scenario = parse_scenario(BASE.replace("[player]", f"[player]\nobjective = {objective}"), "test")
    assert f"objective = {objective}" in to_toml(scenario).replace(".0", "")
    assert parse_scenario(to_toml(scenario), "another name") == scenario
    assert scenario.player.needed == needed
    assert Battle(scenario).score_is.startswith(measures)


def test_an_objective_names_no_more_places_than_the_engine_holds() -> None:
    assert MOST_PLACES == GOAL_PLACES
    many = ", ".join(["[3, 3]"] * (MOST_PLACES + 1))
    error = failure("[enemy]", f"[enemy]\nobjective = {{ positions = [{many}] }}")
    assert error.problems[0].message == "a list of 9 is too long"


def test_a_tick_to_survive_stays_within_a_limit_that_is_changed(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(BASE.replace("[player]", "[player]\nobjective = { survive = 600 }"))
    assert load_scenario(file, limit=600).rules.limit == 600
    with pytest.raises(ScenarioError, match="600 is after the limit of 599 ticks"):
        load_scenario(file, limit=599)


_text = st.text(st.characters(codec="utf-8"), max_size=20)
_line = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
_metres = st.floats(-8192, 8192)
_size = st.floats(1e-3, 8192)
_terrain = st.sampled_from(["normal", "forest", "water", "building"])
_shape = st.one_of(
    st.builds(Box, _metres, _metres, st.just(8192.0), st.just(8192.0), _terrain, _text),
    st.builds(Circle, _metres, _metres, _size, _terrain, _text),
    st.builds(Band, st.lists(st.tuples(_metres, _metres), min_size=2, max_size=3).map(tuple), _size, _terrain, _text),
).filter(lambda shape: not isinstance(shape, Box) or (shape.x0 < shape.x1 and shape.y0 < shape.y1))


@given(
    shapes=st.lists(_shape, max_size=4),
    briefing=_text,
    line=_line,
    randomness=st.floats(0, 1000),
    at=st.tuples(st.floats(0, 39), st.floats(0, 39)),
    markers=st.dictionaries(st.sampled_from("AQZ"), st.tuples(st.integers(0, 39), st.integers(0, 39))),
)
def test_any_scenario_survives_a_round_trip(
    shapes: list[Box | Circle | Band],
    briefing: str,
    line: str,
    randomness: float,
    at: tuple[float, float],
    markers: dict[str, tuple[int, int]],
) -> None:
    """`to_toml` keeps every character and every bit of a number."""
    base = parse_scenario(BASE, "test")
    ground = Box(0, 0, 40, 40, terrain="normal")  # so that units can start whatever lies below
    scenario = replace(
        base,
        name=line,
        title=line,
        summary=line,
        briefing=briefing,
        map=replace(base.map, shapes=(*shapes, ground)),
        rules=structs.replace(base.rules, movement_randomness=randomness),
        enemy=replace(base.enemy, objective=ScenarioObjective("position", (at,))),
        markers=markers,
    )
    assert parse_scenario(to_toml(scenario), "x") == scenario


def test_a_file_is_found_by_its_path_and_its_plan_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.plan").write_text("Step 0:")
    file = tmp_path / "mine.toml"
    file.write_text(BASE.replace("[player]", '[player]\nplan = "mine.plan"'))
    scenario = load_scenario(file)
    assert scenario.name == "mine"
    assert scenario.player.plan == str((tmp_path / "mine.plan").resolve())
    assert load_scenario(str(file)) == scenario
    assert parse_scenario(to_toml(scenario), "elsewhere") == scenario


def test_a_relative_plan_without_a_file_is_refused() -> None:
    """A text that came from no file has no folder to look in, least of all the working directory."""
    assert failure("[enemy]", '[enemy]\nplan = "README.md"').problems[0].place == "enemy.plan"


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("cordinate", "scenario-unknown-name", "did you mean `coordinate`? shipped are "),
        ("nope", "scenario-unknown-name", "`hive list all` names all worlds; shipped are "),
        ("nowhere.toml", "scenario-file", "no such file"),
    ],
)
def test_a_scenario_that_is_not_there(name: str, code: str, says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(name)
    assert caught.value.problems[0].code == code
    assert says in str(caught.value)


def test_a_binary_file_is_the_users_error(tmp_path: Path) -> None:
    file = tmp_path / "picture.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match="not UTF-8"):
        load_scenario(file)


def base_file(tmp_path: Path) -> Path:
    file = tmp_path / "base.toml"
    file.write_text(BASE)
    return file


def test_units_scale_both_sides_by_the_same_ratio(tmp_path: Path) -> None:
    """Bounds go to `floor(b n / n0 + 1/2)`; `written_for` keeps what plans count on (docs/rules/scenarios.md 1.7)."""
    scenario = load_scenario(base_file(tmp_path), units=30)
    assert [group.count for group in scenario.player.units] == [8, 22]  # bounds 0, 10, 40 to 0, 7.5, 30
    assert [group.count for group in scenario.enemy.units] == [15]
    assert scenario.written_for == (40, 20)


def test_every_group_keeps_a_unit_or_the_error_names_a_number_that_works(tmp_path: Path) -> None:
    file = base_file(tmp_path)
    with pytest.raises(ScenarioError, match="gives every group a unit is 2") as caught:
        load_scenario(file, units=1)
    assert caught.value.problems[0].place == "units"
    assert [group.count for group in load_scenario(file, units=2).player.units] == [1, 1]


def test_rules_are_overridden_by_name(tmp_path: Path) -> None:
    file = base_file(tmp_path)
    changed = load_scenario(file, limit=500, movement_randomness=0)
    assert changed == replace(
        load_scenario(file), rules=structs.replace(load_scenario(file).rules, limit=500, movement_randomness=0.0)
    )


def test_markers_stand_in_the_order_of_their_letters() -> None:
    scenario = parse_scenario(BASE.replace("[rules]", "[markers]\nC = [0, 39]\nA = [39, 0]\n[rules]"), "test")
    assert list(scenario.markers.items()) == [("A", (39, 0)), ("C", (0, 39))]
    assert parse_scenario(BASE, "test").markers == {}


def test_markers_are_added_and_moved_by_letter() -> None:
    scenario = parse_scenario(BASE.replace("[rules]", "[markers]\nB = [1, 2]\nC = [3, 4]\n[rules]"), "test")
    changed = with_markers(scenario, {"C": (5, 6), "A": (7, 8)})
    assert list(changed.markers.items()) == [("A", (7, 8)), ("B", (1, 2)), ("C", (5, 6))]
    assert replace(changed, markers=scenario.markers) == scenario
    assert parse_scenario(to_toml(changed), "x") == changed


@pytest.mark.parametrize(
    ("markers", "place", "says"),
    [
        ({"a": (3, 3)}, "markers.a", "no marker called `a`"),
        ({"": (3, 3)}, "markers.", "no marker called ``"),
        ({"A": (3, 40)}, "markers.A", "(3, 40) is outside the map"),
        ({"A": (-1, 3)}, "markers.A[0]", "-1 is out of range"),
        ({"A": (3.5, 3)}, "markers.A[0]", "3.5 is not a whole number"),
    ],
)
def test_added_markers_are_checked(markers: dict[str, tuple[int, int]], place: str, says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        with_markers(parse_scenario(BASE, "test"), markers)
    assert [problem.place for problem in caught.value.problems] == [place]
    assert says in str(caught.value) and "test (markers)" in str(caught.value)


@pytest.mark.parametrize(
    ("overrides", "code", "says"),
    [
        ({"limt": 3}, "unknown-override", "did you mean `limit`?"),
        ({"limit": 0}, "range", "from 1 to 1000000"),
        ({"limit": 2.5}, "range", "2.5 is not a whole number"),
        ({"units": 0}, "range", "from 1 to 1000000"),
        ({"units": 1_000_000}, "range", "1500000 units are too many"),
    ],
)
def test_overrides_are_checked_like_the_file(tmp_path: Path, overrides: dict[str, float], code: str, says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(base_file(tmp_path), **overrides)
    (problem,) = caught.value.problems
    assert (problem.code, problem.place) == (f"scenario-{code}", next(iter(overrides)))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("size", "shapes", "says"),
    [
        (40, [LAKE] * 10_001, "10,001 boxes, circles and points of bands"),
        (40, [RIVER.replace("[0, 20], ", "[0, 20], " * 10_000)], "10,001 boxes, circles and points of bands"),
        (4096, ['{ terrain = "water", circle = [2000, 2000], radius = 8000 }'] * 3, "50,331,648 cells"),
    ],
)
def test_a_map_that_takes_too_long_to_draw_is_refused_with_its_limit(size: int, shapes: list[str], says: str) -> None:
    text = BASE.replace("size = 40", f"size = {size}").replace(LAKE, ", ".join(shapes))
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "test", "test.toml")
    (problem,) = caught.value.problems
    assert (problem.code, problem.place) == ("scenario-range", "map.shapes")
    assert says in problem.message and problem.help.startswith("at most ")


def test_a_file_that_is_too_long_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text(BASE + "#" * 1_000_000)
    with pytest.raises(ScenarioError, match="at most 1,000,000 characters"):
        load_scenario(path)


@pytest.mark.slow
def test_start_boxes_are_bounded_and_equal_ones_are_kept_once() -> None:
    """Groups may share a box freely; many large boxes that differ would fill the memory."""
    group = '{{ type = "spearmen", count = 1, box = [0.0, 0.0, 1.0, {}] }}'
    large = BASE.replace("size = 40", "size = 4096").replace(LAKE, "")
    units = '[{ type = "cavalry", count = 20, box = [0.0, 0.6, 1.0, 0.4] }]'
    assert large.count(units) == 1
    same = parse_scenario(BASE.replace(units, f"[{', '.join([group.format(1.0)] * 500)}]"), "test")
    assert Battle(same).params.boxes.cell.shape[0] == 2
    other = ", ".join(group.format(0.9 + number / 1000) for number in range(10))
    with pytest.raises(ScenarioError, match="11 different start boxes of up to"):
        parse_scenario(large.replace(units, f"[{other}]"), "test")


def test_of_very_many_problems_the_first_are_printed_and_the_others_counted() -> None:
    shapes = ", ".join(['{ terrain = "watter", box = [1, 1, 3, 3] }'] * 500)
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(BASE.replace(LAKE, shapes), "test")
    assert len(caught.value.problems) == 500
    text = str(caught.value)
    assert text.count("error[") == 20 and text.endswith("... and 480 more errors; fix these first")


def test_a_band_too_long_to_put_into_words_is_refused() -> None:
    points = ", ".join(f"[{16 * n}, {4095 * (n % 2)}]" for n in range(250))
    band = f'{{ terrain = "water", band = [{points}], width = 1 }}'
    with pytest.raises(ScenarioError, match="take too long to draw"):
        parse_scenario(BASE.replace("size = 40", "size = 4096").replace(LAKE, band), "test")
