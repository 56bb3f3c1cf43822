"""Conformance cases: decisions of the published programs, compared with those of this engine.

Three formats are supported. A `hive-bt-conformance/1` file holds worlds (rows of terrain letters, with units) and cases
(a tree and the acceptable outcomes of each unit). The worlds are compared too: which units each unit sees, and its
distance to the target. A `wildfire-levels/1` file holds levels with reference vectors: the map and places of a seed. A
`kitchen-scripts/1` file holds lists of named actions for both cooks with the timestep in which each was completed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
from msgspec import Meta

import dsl
from dsl.wording import listing, plural, quoted
from hive.engine.behaviours.tables import ANY_TYPE, Behaviours, compile_behaviours
from hive.engine.deciding import decide
from hive.engine.leaves import encode
from hive.engine.types import (
    Boxes,
    Goals,
    ObjectiveKind,
    Orders,
    Params,
    Plan,
    Progress,
    Rules,
    State,
    Units,
    UnitTypes,
)
from hive.engine.units.senses import sight_matrix
from hive.ground.distance import distance_maps
from hive.ground.shapes import from_rows
from hive.ground.terrain import Terrain, make_terrain
from hive.kit.errors import Problem, ScenarioError
from hive.kit.keep.places import read_text
from hive.kit.keep.reading import Problems, hint, join
from hive.worlds.battle.scenario.schema import DEFAULT_TYPES
from hive.worlds.kitchen import conformity
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.wildfire.levels import find_level
from hive.worlds.wildfire.maps.host_land import SEEDS
from hive.worlds.wildfire.maps.vectors import compare

TREES = "hive-bt-conformance/1"
VECTORS = "wildfire-levels/1"
SCRIPTS = conformity.FORMAT
_TOLERANCE = 1e-3  # metres in a displacement
_Number = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]  # neither infinite nor NaN
_Coordinate = Annotated[float, Meta(ge=0, le=4096)]
_Cell = Annotated[int, Meta(ge=0, le=4096)]
_Some = Meta(min_length=1)


class WorldTable(msgspec.Struct, frozen=True):
    """A world of a file of trees. Other keys of a file are ignored; lists are per unit, but for `rows`."""

    rows: Annotated[tuple[str, ...], _Some]
    target: tuple[_Cell, _Cell]
    position: Annotated[tuple[tuple[_Coordinate, _Coordinate], ...], _Some]
    type: Annotated[tuple[Annotated[int, Meta(ge=0, le=len(DEFAULT_TYPES) - 1)], ...], _Some]
    team: Annotated[tuple[Annotated[int, Meta(ge=0, le=1)], ...], _Some]
    health: Annotated[tuple[Annotated[float, Meta(ge=0, le=1e9)], ...], _Some]
    cooldown: Annotated[tuple[Annotated[int, Meta(ge=-(10**9), le=10**9)], ...], _Some]
    visible: Annotated[tuple[tuple[_Number, ...] | None, ...], _Some]
    distance_at_unit: Annotated[tuple[_Number | None, ...], _Some]


_PER_UNIT = WorldTable.__struct_fields__[2:]


class CaseTable(msgspec.Struct, frozen=True):
    """A tree, with the acceptable outcomes of each unit; null: the unit is not compared."""

    id: str
    world: str
    tree: str
    expected: tuple[tuple[tuple[_Number, _Number, _Number, _Number], ...] | None, ...]


class TreesFile(msgspec.Struct, frozen=True):
    """A file of trees."""

    worlds: dict[str, WorldTable]
    cases: Annotated[tuple[CaseTable, ...], _Some]


class VectorTable(msgspec.Struct, frozen=True):
    """A reference vector; `hive.worlds.wildfire.maps.vectors` compares its other keys."""

    seed: Annotated[int, Meta(ge=SEEDS[0], le=SEEDS[1])]


class LevelTable(msgspec.Struct, frozen=True):
    """The reference vectors of a level."""

    id: str
    reference_vectors: tuple[VectorTable, ...]


class VectorsFile(msgspec.Struct, frozen=True):
    """A file of levels."""

    levels: tuple[LevelTable, ...]


@dataclass(frozen=True)
class Verdict:
    """The differences found in one case; none when it passed."""

    case: str
    faults: tuple[str, ...]


def replay(path: Path) -> Iterator[Verdict]:
    """Replay the cases of a file, one verdict each, in the order of the file.

    A tree passes when the status, kind and target of every compared unit agree exactly, its displacement agrees to
    1e-3 m, and the sight and distances of its world agree too. A reference vector passes when all its values agree, a
    script when both cooks complete exactly its actions in exactly its timesteps.

    Args:
        path: A file in a supported format.

    Raises:
        UserError: The file cannot be read, its format is unknown, or it names a level or seed that does not exist.
    """
    try:
        data = json.loads(read_text(path))
    except OSError as error:
        raise _refusal(path, f"the file cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _refusal(path, "the file is not UTF-8 text") from None
    except RecursionError:
        raise _refusal(path, "the file is not JSON that can be read: it is nested too deeply") from None
    except ValueError as error:
        raise _refusal(path, f"the file is not JSON: {error}") from None
    found = data.get("format", data.get("schema")) if isinstance(data, dict) else None
    formats = {TREES: _replay_trees, VECTORS: _replay_vectors, SCRIPTS: _replay_scripts}
    if not isinstance(found, str) or found not in formats:
        raise _refusal(path, f"the file's format is {found!r}", f"known are {listing(formats, 'and')}")
    yield from formats[found](path, data)


def _refusal(path: Path, message: str, help: str = "") -> ScenarioError:
    return ScenarioError(str(path), [Problem("conform-file", message, "", help)])


def _replay_scripts(path: Path, data: dict[str, Any]) -> Iterator[Verdict]:
    setting = load_setting()
    for place, message in conformity.problems(setting, data):
        raise ScenarioError(str(path), [Problem("conform-file", message, place)])
    for case in data["cases"]:
        yield Verdict(case["id"], tuple(conformity.compare(setting, case)))


def _replay_vectors(path: Path, data: dict[str, Any]) -> Iterator[Verdict]:
    _check(path, VectorsFile, data)
    cases = [
        (find_level(level["id"]), vector | {"seed": int(vector["seed"])})
        for level in data["levels"]
        for vector in level["reference_vectors"]
    ]
    if not cases:
        raise _refusal(path, "the file has no reference vector")
    for level, vector in cases:
        yield Verdict(f"{level.id} seed {vector['seed']}", tuple(compare(level, vector)))


def _replay_trees(path: Path, data: dict[str, Any]) -> Iterator[Verdict]:
    _check(path, TreesFile, data)
    _check_together(path, data)
    roots = {case["tree"]: dsl.parse_tree(case["tree"], case["id"]) for case in data["cases"]}
    trees = list(roots)
    behaviours = compile_behaviours(list(roots.values()), encode)
    worlds = {name: _World(world, behaviours) for name, world in data["worlds"].items()}
    for case in data["cases"]:
        world = worlds[case["world"]]
        faults = world.faults + tuple(_compare(case["expected"], *world.decide(trees.index(case["tree"]))))
        yield Verdict(case["id"], faults)


def _check(path: Path, kind: type[msgspec.Struct], data: dict[str, Any]) -> None:
    """Refuse a file that is not as its format says, with all that is wrong."""
    problems = Problems("conform", str(path))
    problems.read(data, kind)
    problems.finish()


def _check_together(path: Path, data: dict[str, Any]) -> None:
    """Refuse values that do not fit each other: sizes of worlds, places outside a map, worlds that do not exist."""
    problems = Problems("conform", str(path))
    for name, world in data["worlds"].items():
        place, side, count = join("worlds", name), len(world["rows"]), len(world["position"])
        try:
            from_rows(world["rows"])
        except ValueError as error:
            problems.add("range", str(error), join(place, "rows"))
        for key in _PER_UNIT:
            if len(world[key]) != count:
                problems.add("range", f"{len(world[key])} entries for {plural(count, 'unit')}", join(place, key))
        for key, (x, y) in (("target", world["target"]), *(("position", each) for each in world["position"])):
            if not (x < side and y < side):
                problems.add("range", f"({x:g}, {y:g}) is outside the map of {side} by {side} cells", join(place, key))
    for number, case in enumerate(data["cases"]):
        place = f"cases[{number}]"
        if case["world"] not in data["worlds"]:
            message = f"there is no world called {quoted(case['world'])}"
            problems.add("unknown-name", message, join(place, "world"), hint(case["world"], tuple(data["worlds"])))
        elif len(case["expected"]) != (count := len(data["worlds"][case["world"]]["position"])):
            message = f"{len(case['expected'])} entries for {plural(count, 'unit')}"
            problems.add("range", message, join(place, "expected"))
    problems.finish()


class _World:
    """A world of the file as arrays, with the differences in its sight and distances."""

    def __init__(self, world: dict[str, Any], behaviours: Behaviours) -> None:
        terrain = make_terrain(jnp.asarray(from_rows(world["rows"])))
        count = len(world["position"])
        place = jnp.asarray([world["target"]], jnp.int32)
        self.params = _params(terrain, behaviours, world["team"], world["type"])
        self.state = State(
            position=jnp.asarray(world["position"], jnp.float32),
            health=jnp.asarray(world["health"], jnp.float32),
            cooldown=jnp.asarray(world["cooldown"], jnp.int32),
            tick=jnp.int32(0),
        )
        self.orders = Orders(
            plan=self.params.enemy.replace(place=place),
            distance=distance_maps(terrain, place),
            owner=jnp.zeros(1, jnp.int32),
        )
        self.faults = tuple(self._check(world, count))

    def _check(self, world: dict[str, Any], count: int) -> Iterator[str]:
        seen = np.asarray(jax.jit(sight_matrix)(self.params, self.state))
        cells = np.asarray(world["position"], np.float32).astype(int)
        distance = np.asarray(self.orders.distance)[0][cells[:, 0], cells[:, 1]]
        for unit in range(count):
            expected = world["visible"][unit]
            if expected is not None and sorted(expected) != np.flatnonzero(seen[unit]).tolist():
                yield f"unit {unit} should see {sorted(expected)}, sees {np.flatnonzero(seen[unit]).tolist()}"
            if expected is not None and world["distance_at_unit"][unit] != distance[unit]:
                yield f"unit {unit} should be {world['distance_at_unit'][unit]} steps away, is {distance[unit]}"

    def decide(self, tree: int) -> tuple[np.ndarray, np.ndarray]:
        """Status `[N]` and outcome `[N, 3]` (kind, x, y) of every unit when all run one tree."""
        orders = self.orders.replace(plan=self.orders.plan.replace(tree=jnp.asarray([tree], jnp.int32)))
        status, outcome = _decide(self.params, orders, self.state)
        return np.asarray(status), np.asarray(outcome)


def _params(terrain: Terrain, behaviours: Behaviours, side: list[int], kind: list[int]) -> Params:
    """The published numbers without randomness, and one group for all units, whichever tree it runs."""
    count = len(side)
    zero = jnp.zeros(1, jnp.int32)
    return Params(
        types=UnitTypes.of(DEFAULT_TYPES),
        units=Units(
            id=jnp.arange(count, dtype=jnp.int32),
            side=jnp.asarray(side, jnp.int32),
            type=jnp.asarray(kind, jnp.int32),
            box=jnp.zeros(count, jnp.int32),
        ),
        boxes=Boxes(cell=jnp.zeros((1, 1, 2), jnp.int32), count=jnp.ones(1, jnp.int32)),
        rules=Rules(
            movement_randomness=jnp.float32(0),
            jitter=jnp.float32(0),
            firmness=jnp.float32(0),
            goal_radius=jnp.float32(0),
            limit=jnp.int32(1),
        ),
        goals=Goals.of(),
        terrain=terrain,
        behaviours=behaviours,
        enemy=Plan(
            exists=jnp.ones(1, bool),
            prerequisite=jnp.zeros((1, 1), bool),
            objective=jnp.full(1, ObjectiveKind.POSITION.value, jnp.int32),
            number=jnp.zeros((1, 4), jnp.int32),
            cell=jnp.full((1, 3), -1, jnp.int32),
            foe=jnp.zeros((1, count), bool),
            member=jnp.zeros((1, count), jnp.int32),
            step=zero,
            tree=zero,
            types=jnp.full(1, ANY_TYPE, jnp.int32),
            target=zero,
            pool=zero,
            place=jnp.zeros((1, 2), jnp.int32),
        ),
    )


@jax.jit
def _decide(params: Params, orders: Orders, state: State) -> tuple[jax.Array, jax.Array]:
    everyone = Progress(
        achieved=jnp.full(1, -1, jnp.int32), active=jnp.ones(1, bool), group=jnp.zeros(params.count, jnp.int32)
    )
    decision = decide(params, orders, everyone, state, jnp.uint32(0))
    action = decision.action
    x = jnp.where(action.kind == 2, action.target.astype(jnp.float32), action.move[:, 0])
    y = jnp.where(action.kind == 2, 0.0, action.move[:, 1])
    return decision.ticked.status, jnp.stack([action.kind.astype(jnp.float32), x, y], -1)


def _compare(expected: list[Any], status: np.ndarray, outcome: np.ndarray) -> Iterator[str]:
    for unit, accepted in enumerate(expected):
        if accepted is None:
            continue
        got = (int(status[unit]), int(outcome[unit, 0]), float(outcome[unit, 1]), float(outcome[unit, 2]))
        if not any(_same(got, wanted) for wanted in accepted):
            yield f"unit {unit} did {got}, accepted are {accepted}"


def _same(got: tuple[int, int, float, float], wanted: list[float]) -> bool:
    return got[:2] == tuple(wanted[:2]) and all(
        abs(a - b) <= _TOLERANCE for a, b in zip(got[2:], wanted[2:], strict=True)
    )
