"""Structs that cross module borders, and the letters of their shapes.

W worlds of a batch, N units of one world, K unit types, T trees, L leaves of a tree, S sense slots and M straight moves
of a tree, P plan steps, G plan groups, C groups of one unit, D distance maps, E listed cells, H choices of units,
B start boxes, R free cells of a box, V civilians, X and Y cells along the two axes of the map (equal numbers).
Structs are unbatched: a batch is a `jax.vmap`. Rules are traced, so a sweep over them never recompiles; what fixes a
shape is the number of units, the map's side and the capacities of plans and trees; whether an objective names a place
fixes what is measured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import jax
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, UInt8

import dsl
from hive.engine.behaviours.tables import Behaviours
from hive.ground.fire import Fire, Fuel, charred
from hive.ground.terrain import Terrain

PLAYER, ENEMY = 0, 1  # sides
NO_SIDE = 2  # of rows that only fill a capacity: see `hive.engine.padding`
PLACES = 8  # most places of a global objective


class ActionKind(IntEnum):
    """What a unit does in a tick (docs/rules/battles.md 3.3)."""

    STAND = 0
    MOVE = 1
    ATTACK = 2


class GoalKind(IntEnum):
    """Kinds of a side's global objective (docs/rules/battles.md 4.3)."""

    ELIMINATION = 0  # all units of the other side are dead
    POSITION = 1  # enough of its units are at one of its places
    SURVIVAL = 2  # enough of its units live at a tick


class ObjectiveKind(IntEnum):
    """Kinds of a plan step's objective."""

    POSITION = 0
    ELIMINATION = 1
    CUT = 2
    EXTINGUISH = 3
    CONTAIN = 4
    RESCUE = 5
    TRANSPORT = 6
    SCOUT = 7
    SCOUT_FIRE = 8  # scout until a fire is found
    TIME = 9
    ARRIVAL = 10
    LOSSES = 11
    ENEMY_LOSSES = 12
    SIGHTED = 13


class ChoiceKind(IntEnum):
    """How the units of a group that obey are chosen when its step becomes active (docs/rules/plans.md 3.7)."""

    NEAREST = 0
    INSIDE = 1


class CrewType(IntEnum):
    """Types of a crew, indices into its `UnitTypes`, in the order of `dsl.vocabulary.CREW_TYPES`."""

    FIREFIGHTER = 0
    BULLDOZER = 1
    DRONE = 2
    HELICOPTER = 3


class Outcome(IntEnum):
    """State of a game: running, or how it ended."""

    RUNNING = 0
    WIN = 1
    LOSE = 2
    PLAN_FINISHED = 3
    TIMEOUT = 4


OUTCOMES = tuple(outcome.name.lower() for outcome in Outcome)


class UnitTypes(struct.PyTreeNode, kw_only=True):
    """Properties of each unit type (docs/rules/battles.md 2.1)."""

    speed: Float[Array, " k"]  # metres a tick
    max_health: Float[Array, " k"]
    damage: Float[Array, " k"]  # health that an attack removes; a multiple of 1/256
    reach: Float[Array, " k"]  # attack range, metres
    sight: Float[Array, " k"]  # metres, at most the sight cell
    cooldown: Int[Array, " k"]  # ticks after an attack before the next
    radius: Float[Array, " k"]  # metres

    @classmethod
    def of(cls, kinds: Sequence[Any]) -> UnitTypes:
        """Return the columns for K types, each given as an object with these fields as attributes."""
        return _columns(cls, kinds, whole="cooldown")


class Units(struct.PyTreeNode, kw_only=True):
    """The units of a game; a unit is one row in every array, in any order, and keeps its id."""

    id: Int[Array, " n"]  # 0..N-1, the player's units first
    side: Int[Array, " n"]  # PLAYER or ENEMY; NO_SIDE for padding
    type: Int[Array, " n"]  # index into UnitTypes
    box: Int[Array, " n"]  # start box, index into Boxes


class Boxes(struct.PyTreeNode, kw_only=True):
    """Free cells of each start box, padded; the first `count` are real."""

    cell: Int[Array, "b r 2"]
    count: Int[Array, " b"]


class Rules(struct.PyTreeNode, kw_only=True):
    """Numbers of a scenario (docs/rules/battles.md 2.3)."""

    movement_randomness: Float[Array, ""]  # R of docs/rules/trees.md 5.3, cells
    jitter: Float[Array, ""]  # metres, standard deviation
    firmness: Float[Array, ""]  # share of an overlap that a push undoes
    goal_radius: Float[Array, ""]  # metres
    limit: Int[Array, ""]  # ticks

    @classmethod
    def of(cls, rules: Any) -> Rules:
        """Return the rules of an object with these fields as attributes."""
        return _columns(cls, rules, whole="limit")


@dataclass(frozen=True, kw_only=True)
class Goal:
    """The global objective of one side, in numbers; `Goals.of` makes arrays of both."""

    kind: GoalKind = GoalKind.ELIMINATION
    places: Sequence[tuple[float, float]] = ()  # metres; at most `PLACES`, at least one for a position
    type: int = -1  # index into UnitTypes of the units that count; -1: all types
    needed: int = 1  # of the units that count, so many must live, and be at a place if there are any
    until: int = 0  # tick before which the objective is not met, unless the other side is dead; of a survival


class Goals(struct.PyTreeNode, kw_only=True):
    """Global objective of each side (docs/rules/battles.md 4.3); the arrays of all objectives have one shape."""

    kind: Int[Array, " 2"]  # `GoalKind`
    place: Float[Array, "2 8 2"]  # metres; padded with the first one; not read where the kind is no position
    type: Int[Array, " 2"]  # see `Goal`, as the two that follow
    needed: Int[Array, " 2"]
    until: Int[Array, " 2"]
    walked: bool = struct.field(pytree_node=False, default=False)  # whether the ways to the places are measured

    @classmethod
    def of(cls, player: Goal | None = None, enemy: Goal | None = None) -> Goals:
        """Return the objectives of both sides as arrays on the host; None is elimination."""
        goals = [goal or Goal() for goal in (player, enemy)]
        place = np.zeros((2, PLACES, 2), np.float32)
        for row, goal in zip(place, goals, strict=True):
            if goal.places:
                row[:] = goal.places[0]
                row[: len(goal.places)] = goal.places
        columns: dict[str, Any] = {
            name: np.array([getattr(goal, name) for goal in goals], np.int32)
            for name in ("kind", "type", "needed", "until")
        }
        walked = any(goal.kind == GoalKind.POSITION for goal in goals)
        return cls(place=place, walked=walked, **columns)  # type: ignore[arg-type]  # arrays of the host


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """One side's plan (docs/rules/plans.md 3), padded to capacities; a padded step does not exist.

    `source` is kept on the host with the arrays, for recordings and explanations. It is neither a leaf of the pytree
    nor part of its structure, so it never retraces; a plan that a transformation such as `jax.jit` or `jax.tree.map`
    returns has none.
    """

    exists: Bool[Array, " p"]
    prerequisite: Bool[Array, "p p"]  # [step, step that it waits for]
    objective: Int[Array, " p"]  # `ObjectiveKind`
    number: Int[Array, "p 4"]  # what the objective names: x, y and a radius or count; of a box both corners
    cell: Int[Array, "e 3"]  # listed cells: the step that lists it (-1: padding), x, y
    foe: Bool[Array, "p n"]  # by unit id: must be dead
    member: Int[Array, "c n"]  # by unit id: the groups it belongs to in the order of their steps, padded with -1
    step: Int[Array, " g"]  # the group's step
    tree: Int[Array, " g"]  # index into the behaviours
    types: Int[Array, " g"]  # target types as bits, replacing each `any` that a tree writes (docs/rules/trees.md 3.3)
    target: Int[Array, " g"]  # index into `place`
    pool: Int[Array, " g"]  # first group of the same step and target: their crowds count together
    place: Int[Array, "d 2"]  # distinct targets, cells
    # What follows is None where no plan of a batch uses it, so that the programs of other plans have none of it.
    figure: Int[Array, " p"] | None = None  # ticks of a `time` objective, percent of `arrival` and of both losses
    sighting: Bool[Array, " p"] | None = None  # whether the objective is `sighted`
    choice: Int[Array, "h 7"] | None = None  # a group (-1: padding), `ChoiceKind`, count, x, y; of a box both corners
    leash: Float[Array, " g"] | None = None  # metres, infinite without one
    behind: Int[Array, "g 2"] | None = None  # the group ahead (-1: none), metres that the group stays behind it
    cover: Bool[Array, " d"] | None = None  # whether the way to the target prefers cover
    source: dsl.PlanSyntax | None = None  # the checked syntax, rescaled to the teams that the arrays are for

    def replace(self, **changes: Any) -> Plan:
        """Return the plan with some fields replaced."""
        return dataclasses.replace(self, **changes)


jax.tree_util.register_dataclass(
    Plan,
    data_fields=[field.name for field in dataclasses.fields(Plan) if field.name != "source"],
    meta_fields=[],
    drop_fields=["source"],
)


class Blaze(struct.PyTreeNode, kw_only=True):
    """Fire in the forest of a battle."""

    fuel: Fuel
    start: Fire  # at tick 0
    period: Int[Array, ""]  # ticks between two updates
    harm: Float[Array, ""]  # health that a unit loses a tick in a burning cell


class LevelTask(struct.PyTreeNode, kw_only=True):
    """The task of a wildfire level (docs/rules/wildfire.md 7.1)."""

    game: Int[Array, ""]  # `hive.engine.crews.score_rules.LevelGame`
    cell: Int[Array, "e 2"]  # cells to clear of trees; one that two lines share is listed twice
    listed: Bool[Array, " e"]  # else padding
    goal: Int[Array, " 2"]  # cell where firefighters or civilians are to be brought
    best: Int[Array, ""]  # score at which the game is won; 0: the fire must be out


class Crews(struct.PyTreeNode, kw_only=True):
    """A wildfire and its crew: everything that a game does not change."""

    spawn: Float[Array, "n 2"]  # cells
    water: Bool[Array, "x y"]  # where to refill
    civilian: Int[Array, "v 2"]  # cells where civilians start
    walk: Int[Array, ""]  # ticks between two steps of a civilian
    burnt_kills: Bool[Array, ""]  # whether burnt-out ground kills (docs/rules/wildfire.md 3.3)
    task: LevelTask
    shared: bool = struct.field(pytree_node=False, default=True)  # one explored map for all; else one for each unit


class Params(struct.PyTreeNode, kw_only=True):
    """Everything that a game does not change."""

    types: UnitTypes
    units: Units
    boxes: Boxes
    rules: Rules
    goals: Goals
    terrain: Terrain
    behaviours: Behaviours
    enemy: Plan
    blaze: Blaze | None = None  # None: there is no fire, and none is traced
    crews: Crews | None = None  # if set, all units belong to a crew and `blaze` is set

    def now(self, state: State) -> Params:
        """Return the same parameters with the current terrain: burnt-out forest is open ground."""
        return self if state.fire is None else self.replace(terrain=charred(self.terrain, state.fire))

    @property
    def count(self) -> int:
        """Units of both sides."""
        return self.units.id.shape[0]


class Crew(struct.PyTreeNode, kw_only=True):
    """What a crew carries and knows, and its civilians, at one instant. Rows of units are their ids."""

    water: Int[Array, " n"]  # 0 to 5
    aboard: Int[Array, " n"]  # the helicopter that carries a firefighter, or -1
    civilian: Int[Array, "v 2"]  # cell; a carried one's is its bearer's
    living: Bool[Array, " v"]
    walking: Bool[Array, " v"]  # until it is picked up or safe; never again after that
    bearer: Int[Array, " v"]  # the firefighter that carries it, or -1
    # codes of the explored map (docs/rules/wildfire.md 5.1): one map for all units, or one for each
    seen: UInt8[Array, "*n x y"]
    refused: Int[Array, ""]  # commands so far with a code or place that their unit cannot take; it stood idle


class State(struct.PyTreeNode, kw_only=True):
    """One world at one instant."""

    position: Float[Array, "n 2"]  # battles: metres, x east and y north; crews: cells, x east and y south
    health: Float[Array, " n"]  # 0 is dead
    cooldown: Int[Array, " n"]  # may attack when <= 0
    tick: Int[Array, ""]  # ticks since reset
    fire: Fire | None = None  # set when `Params.blaze` is
    crew: Crew | None = None  # set when `Params.crews` is

    @property
    def alive(self) -> Bool[Array, " n"]:
        """`[N]` health above 0."""
        return self.health > 0


class Action(struct.PyTreeNode, kw_only=True):
    """What each unit does in a tick."""

    kind: Int[Array, " n"]  # `ActionKind`
    move: Float[Array, "n 2"]  # metres, read where kind is MOVE
    target: Int[Array, " n"]  # unit id, read where kind is ATTACK


class CrewAction(struct.PyTreeNode, kw_only=True):
    """What each unit of a crew does in a tick: the published action tensor (docs/rules/wildfire.md 6.1)."""

    code: Int[Array, " n"]  # by type, see `hive.engine.crews.frames`; -1 is idle
    place: Int[Array, "n 2"]  # cell that the code refers to


class Orders(struct.PyTreeNode, kw_only=True):
    """Both sides' plans as one, the player's steps first, with the distance maps of their targets.

    Here `plan.foe` and `plan.member` are indexed by row, as `Units` is, so that ticks need no look-up by id.
    """

    plan: Plan
    # steps to each target (docs/rules/battles.md 1.5); one cell for crews, which no terrain stops
    distance: Int[Array, "d x y"]
    owner: Int[Array, " p"]  # side of each step
    goal: Int[Array, "2 x y"] | None = None  # steps to a place of each side's objective, if `Goals.walked`
    goal_row: Int[Array, " 2"] | None = None  # rows of `goal` for both sides where several battles share it


class Progress(struct.PyTreeNode, kw_only=True):
    """Progress of the plans."""

    achieved: Int[Array, " p"]  # tick at which a step was achieved, or -1
    active: Bool[Array, " p"]
    group: Int[Array, " n"]  # group that commands each unit, or -1: the unit was never assigned and stands
    since: Int[Array, " p"] | None = None  # tick at which a step became active, or -1; set when `Plan.figure` is
    chosen: Bool[Array, "h n"] | None = None  # units of each choice, by row; set when `Plan.choice` is


def _columns(struct_type: Any, rows: Any, whole: str) -> Any:
    """Return the fields of a struct as arrays over rows, or scalars for one row: float32, but int32 for `whole`."""

    def column(name: str) -> np.ndarray:
        values = [getattr(row, name) for row in rows] if isinstance(rows, Sequence) else getattr(rows, name)
        return np.array(values, np.int32 if name == whole else np.float32)

    # All at once: `jnp.asarray` would compile a program for each shape.
    return struct_type(**jax.device_put({field.name: column(field.name) for field in dataclasses.fields(struct_type)}))
