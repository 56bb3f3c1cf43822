"""Imports go one way: dsl <- bt <- hive <- scripts; scenarios is data; inside hive every floor knows those below it."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from itertools import permutations
from pathlib import Path

import pytest

from hive.worlds import rows
from tests.arch.sources import PACKAGES, ROOT, imports, modules

ALLOWED = {  # of our own packages
    "dsl": {"dsl"},
    "bt": {"dsl", "bt"},
    "scenarios": {"scenarios"},
    "hive": {"dsl", "bt", "scenarios", "hive"},
    "scripts": {"hive"},
}
NUMERIC = {"jax", "jaxlib", "flax", "chex", "jaxtyping", "numpy"}

# Rooms of hive, from the ground up; a room inside another one has a floor of its own, and what stands loose in a room
# belongs to the room. Rooms of one floor do not know each other.
WORLDS = set(rows())
HOUSE = ("ground", "kit", "engine", "worlds", "rl", "players", "experiments", "web mcp", "cli")
FLOORS = (
    {"ground"},
    {"kit.errors", "kit.lazy", "kit.prompts", "kit.terminal"},
    {"kit.keep"},
    {"kit.plan_text", "kit.regression", "kit.agent_env", "kit.transcript"},
    {"kit.reporting", "kit.facts"},
    {"kit.planned_world", "kit.team_world"},
    {"kit.contract"},
    {"kit.unplanned"},
    {"kit.environment"},
    {"kit.view"},
    {"kit"},
    {"engine.behaviours"},
    {"engine.types"},
    {"engine.units"},
    {"engine.crews"},
    {"engine.plan"},
    {"engine"},
    {"engine.batch"},
    {f"worlds.{world}" for world in WORLDS},
    {"worlds"},
    {"__init__"},
    {"rl"},
    {"players.llm"},
    {"players.words"},
    {"players.teams"},
    {"players"},
    {"experiments.conformance", "experiments.league", "experiments.search", "experiments.study"},
    {"experiments.panel"},
    {"experiments.commanders"},
    {"experiments.arena", "experiments.sets"},
    {"experiments.bench"},
    {"experiments.plots"},
    {"experiments"},
    {"web", "mcp"},
    {"cli"},
)
# What takes any world knows worlds through the kit and the modules of `hive.worlds` itself, without an exception.
ANY_WORLD = ("hive.kit", "hive.rl", "hive.players", "hive.web", "hive.mcp")
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

ALL = modules(*PACKAGES, "scripts")


def targets(name: str, path: Path | None = None, data: bool = True) -> list[tuple[str, int]]:
    """What a module imports, as modules where they are ours, with the line.

    Without `data`, a text that names the package of the module is left out: it says where files of the package lie.
    """
    found = []
    for each in imports(name, path or ALL[name]):
        if not data and each.in_text and within(name, each.module):
            continue
        inner = [f"{each.module}.{part}" for part in each.names if f"{each.module}.{part}" in ALL]
        outer = [each.module] if len(inner) < max(len(each.names), 1) else []
        found += [(target, each.line) for target in inner + outer]
    return found


def within(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def room_of(module: str) -> str:
    """The innermost room of hive that a module belongs to."""
    parts = module.split(".")[1:]
    inner = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((room for room in inner if room in FLOOR), parts[0] if parts else "__init__")


def upward(name: str, path: Path | None = None) -> list[str]:
    """Imports of a module of hive that lead to a higher floor, or to another room of its own floor."""
    mine = room_of(name)
    found = []
    for target, line in targets(name, path):
        if target.split(".")[0] != "hive" or (mine == "__init__" and not path):
            continue  # `hive` itself offers names of all floors, loaded when first used
        if name == "hive.worlds" and target.startswith("hive.kit.view.") and ".drawing" in target:
            continue  # the registry names what draws a world, and `hive.worlds.kept` imports it
        theirs = room_of(target)
        if theirs != mine and FLOOR[theirs] >= FLOOR[mine]:
            found.append(f"{name}:{line} imports {target}")
    return found


@pytest.mark.parametrize("package", ALLOWED)
def test_packages_import_only_downwards(package: str) -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if within(name, package)
        for target, line in targets(name)
        if target.split(".")[0] in {*ALLOWED, "tests"} - ALLOWED[package]
    ]
    assert not wrong


def test_dsl_and_scenarios_import_no_numeric_library() -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if within(name, "dsl") or within(name, "scenarios")
        for target, line in targets(name)
        if target.split(".")[0] in NUMERIC
    ]
    assert not wrong


def test_scripts_import_the_command_line_alone() -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name in modules("scripts")
        for target, line in targets(name)
        if target.split(".")[0] in {*PACKAGES, "tests"} and not within(target, "hive.cli")
    ]
    assert not wrong


def test_every_module_of_hive_has_a_floor() -> None:
    assert {room_of(name) for name in ALL if within(name, "hive")} <= FLOOR.keys()


def test_the_house_shows_its_rooms_in_order() -> None:
    """The folders of `hive` are the floors of the house, and each one imports from those below it alone."""
    folders = {path.name for path in (ROOT / "hive").iterdir() if path.is_dir() and path.name != "__pycache__"}
    height = {room: number for number, rooms in enumerate(HOUSE) for room in rooms.split()}
    assert folders == height.keys()
    order = [height[room.split(".")[0]] for rooms in FLOORS for room in sorted(rooms) if room != "__init__"]
    assert order == sorted(order)


def test_modules_of_hive_import_from_the_ground_up() -> None:
    assert [line for name in ALL if within(name, "hive") for line in upward(name)] == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("hive.engine.units.planted", "from hive.engine.crews import frames"),
        ("hive.worlds.battle.planted", "from hive.worlds.wildfire.world import Fireground"),
        ("hive.engine.planted", "def late():\n    import hive.engine.batch.job"),
        ("hive.ground.planted", "from hive.kit import errors"),
        ("hive.kit.view.planted", "from hive.worlds.wildfire.view import palette"),
        ("hive.engine.types", "from .. import worlds"),
        ("hive.worlds.rescue.planted", 'import_module("hive.worlds.kept")'),
        ("hive.players.teams.planted", '_ROW = {"rl": "hive.experiments.league.games:make"}'),
        ("hive.players.llm.planted", 'import_module(f"hive.cli.{name}")'),
        ("hive.rl.planted", "from hive.players import llm"),
        *((f"hive.worlds.{world}.planted", "from hive import worlds") for world in sorted(WORLDS)),
        *(
            (f"hive.worlds.{one}.planted", f"import hive.worlds.{other}.state")
            for one, other in permutations(sorted(WORLDS), 2)
        ),
    ],
)
def test_an_upward_import_that_is_planted_is_found(name: str, line: str, tmp_path: Path) -> None:
    """The rule of the floors can fail: late, relative and sideways imports and those by name, of every room."""
    planted = tmp_path / "planted.py"
    planted.write_text(f"{line}\n", encoding="utf-8")
    assert len(upward(name, planted)) == 1


def of_one_world(name: str, path: Path | None = None) -> list[str]:
    """Imports of single worlds in a room that takes any world."""
    return [
        f"{name}:{line} imports {target}"
        for target, line in targets(name, path)
        if any(within(target, f"hive.worlds.{world}") for world in WORLDS)
    ]


def test_rooms_that_take_any_world_know_no_single_one() -> None:
    wrong = [line for name in ALL if any(within(name, room) for room in ANY_WORLD) for line in of_one_world(name)]
    assert wrong == []


@pytest.mark.parametrize(
    "line",
    [
        "from hive.worlds.battle.world import Battle",
        "def late():\n    from hive.worlds import wildfire",
        "if TYPE_CHECKING:\n    from hive.worlds.battle.world import Battle",
        '_VIEW = {"battle": "hive.worlds.battle.view.live:BattlePageView"}',
    ],
)
def test_an_import_of_one_world_that_is_planted_is_found(line: str, tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text(f"{line}\n", encoding="utf-8")
    assert len(of_one_world("hive.players.llm.planted", planted)) == 1


def test_commanders_know_no_module_that_makes_or_burns_a_map() -> None:
    """A commander reads a `Report`: wind, slope and unseen cells are out of its reach."""
    allowed = {
        "dsl",
        "hive.engine.types",
        "hive.engine.crews.frames",
        "hive.engine.crews.explored",
        "hive.worlds.wildfire.commanders",
    }
    allowed |= {
        "hive.worlds.wildfire.levels",
        "hive.worlds.wildfire.methods",
        "hive.worlds.wildfire.reports",
        "hive.worlds.wildfire.task_text",
    }
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if within(name, "hive.worlds.wildfire.commanders")
        for target, line in targets(name)
        if target.split(".")[0] in PACKAGES and not any(within(target, each) for each in allowed)
    ]
    assert not wrong


def above(module: str) -> set[str]:
    """The packages that a module lies in."""
    parts = module.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}


def circle(planted: tuple[str, Path] | None = None) -> list[str]:
    """Modules of which each imports the one before it, wherever the import stands, from one back to itself; or none.

    A module that is imported brings the packages that it lies in. A text that names the package of its own module
    counts for nothing: it says where files of the package lie.
    """
    graph = {}
    for name, path in {**ALL, **dict([planted] if planted else [])}.items():
        mine = {target for target, _ in targets(name, path, data=False)}
        packages = {package for target in mine for package in above(target)} - above(name) - {name}
        graph[name] = (mine | packages) & ALL.keys()
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not inside functions and for types alone either: what modules share lies in one below all of them."""
    assert circle() == []


@pytest.mark.parametrize(
    ("line", "through"),
    [
        ("from hive.cli.learning.settings import Train", {"hive.cli.learning.settings"}),
        ("def late():\n    from hive.cli.learning import settings", {"hive.cli.learning.settings"}),
        ("if TYPE_CHECKING:\n    from .learning.settings import Train", {"hive.cli.learning.settings"}),
        ("from hive.cli.entry import main", {"hive.cli.entry"}),
    ],
)
def test_a_circle_that_is_planted_is_found(line: str, through: set[str], tmp_path: Path) -> None:
    """The settings of commands import `hive.cli.command`, and the table of commands them; it must import neither."""
    planted = tmp_path / "planted.py"
    planted.write_text(f"{line}\n", encoding="utf-8")
    assert {*circle(("hive.cli.command", planted))} >= {"hive.cli.command", *through}


def test_a_circle_through_a_package_that_loads_its_names_late_is_found(tmp_path: Path) -> None:
    """`hive.worlds.wildfire` names its modules for types alone, and each of them is in reach of the next."""
    planted = tmp_path / "planted.py"
    planted.write_text("from hive.worlds.wildfire import play_level\n", encoding="utf-8")
    assert len(circle(("hive.worlds.wildfire.briefing", planted))) > 3


def test_only_pictures_load_libraries_of_pictures() -> None:
    """The texts that a commander reads live in their worlds: importing them loads neither Pillow nor matplotlib."""
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if within(name, "hive") and FLOOR[room_of(name)] < FLOOR["worlds"] and ".view" not in name
        for target, line in targets(name)
        if target.split(".")[0] in {"PIL", "matplotlib", "imageio_ffmpeg"}
    ]
    assert not wrong
