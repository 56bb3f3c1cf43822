"""What a crew does in a tick: 100 frames of walking, driving and flying, and the work in between.

Rules: docs/rules/wildfire.md 3.

The phases of a tick are: pick up, put down and refill; 50 frames; cut and spray, after a wind-up of these 50 frames; 50
more frames. The effects of several units on one cell are added or united, so the order of rows matters only where the
rules give precedence to the first unit.
"""

from __future__ import annotations

from enum import IntEnum

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int, UInt8

from hive.engine.crews.explored import Stood, cell_of, nowhere, stand
from hive.engine.types import CrewAction, CrewType, Params, State
from hive.ground.compaction import only_if
from hive.ground.exact import length, rounded, square
from hive.ground.fire import Fire, cut, spray
from hive.ground.sizes import current

FRAMES = 100  # frames of 0.02 s in a tick
WIND_UP = 50  # frames before a tree falls or water leaves the hose
SPEED = np.array([0.12, 0.08, 0.20, 0.30], np.float32)  # cells a frame, by type
CAPACITY = 5  # water of a firefighter or a helicopter, and firefighters that a helicopter lifts
REACH = 3  # cells: reach of the hose; within it civilians are safe, nearer than it they can be picked up


class CrewCode(IntEnum):
    """Codes of a command that every type has (docs/rules/wildfire.md 6.1)."""

    IDLE = -1
    MOVE = 0


class FirefighterCode(IntEnum):
    """Codes of a firefighter's commands, in addition to moving."""

    CUT = 1
    CARRY = 2  # put down what is carried, else pick up
    SPRAY = 3
    REFILL = 4


class BulldozerCode(IntEnum):
    """Codes of a bulldozer's commands, in addition to moving."""

    CLEAR = 1  # drive and fell


class HelicopterCode(IntEnum):
    """Codes of a helicopter's commands, in addition to moving."""

    LIFT = 1
    FILL = 2
    DROP = 3


_Frame = tuple[Array, Array, Array, Array]  # positions, health, ground, and the ground of each unit

CODES = np.array([1 + len(FirefighterCode), 1 + len(BulldozerCode), 1, 1 + len(HelicopterCode)])  # count by type

_CONE = [(x, y) for x in range(-REACH, REACH + 1) for y in range(-REACH, REACH + 1) if 0 < x * x + y * y <= REACH**2]
_DISC = [(x, y) for x in range(-4, 5) for y in range(-4, 5) if x * x + y * y <= 4.5**2]
_BURNING, _BURNT = 4, 8  # bits of the ground, next to two bits for the trees


def work(params: Params, state: State, command: CrewAction) -> tuple[State, Stood]:
    """Carry out the commands of one tick; fire and civilians do not change.

    Args:
        params: Parameters with `crews`.
        state: The world before the tick.
        command: A code and a cell for each unit. A unit whose type does not have the code, or whose cell lies outside
            the map, stands idle and is counted in `Crew.refused`. Dead units and passengers do nothing and are not
            counted.

    Returns:
        The world after the frames, and all places where a unit stood.
    """
    state, code, place = _checked(params, state, command)
    state = _carry(params, state, code)
    state = _refill(params, state, code)
    state = _lift(params, state, code)
    assert state.crew is not None
    code = jnp.where(state.crew.aboard >= 0, CrewCode.IDLE, code)  # passengers cannot act
    state = _drop_water(params, state, code)
    stood = stand(params, nowhere(state), cell_of(state), state.alive)
    way = shortened(place - state.position)
    state, stood = _frames(params, state, code, place, way, stood, WIND_UP)
    state = _wind_up(params, state, code, place)
    state, stood = _frames(params, state, code, place, way, stood, FRAMES - WIND_UP)
    return _together(state), stood


def shortened(way: Float[Array, "n 2"]) -> Float[Array, "n 2"]:
    """Shorten vectors longer than 1 to length 1: a unit nearer than a cell to its place slows down."""
    size = length(way)[:, None]
    return jnp.where(size > 1, rounded(way * (1 / jnp.maximum(size, 1))), way)


def near(at: Int[Array, "*n 2"], place: Int[Array, " 2"], reach: int = REACH) -> Bool[Array, "*n"]:
    """Whether cells lie in the square round a place that counts as the place (docs/rules/wildfire.md 7.1)."""
    east, south = jnp.abs(at[..., 0] - place[0]), jnp.abs(at[..., 1] - place[1])
    return jnp.maximum(east, south) <= reach


def die(params: Params, state: State) -> State:
    """Kill units in fire, and on burnt ground where that kills; a dead firefighter sets down its civilian there."""
    state = state.replace(health=jnp.where(_killed(params, state, _ground(state)), 0.0, state.health))
    state = _together(state)
    crew, fire = state.crew, state.fire
    assert crew is not None and fire is not None
    lethal = fire.lethal[crew.civilian[:, 0], crew.civilian[:, 1]]
    return state.replace(crew=crew.replace(living=crew.living & ~(lethal & (crew.bearer < 0))))


def _checked(params: Params, state: State, command: CrewAction) -> tuple[State, Array, Array]:
    crew, kind = state.crew, params.units.type
    assert crew is not None
    able = state.alive & (crew.aboard < 0)
    aimed = (command.code == CrewCode.MOVE) | (
        (kind == CrewType.BULLDOZER) | ((kind == CrewType.FIREFIGHTER) & (command.code == FirefighterCode.SPRAY))
    )
    inside = ((command.place >= 0) & (command.place < params.terrain.size)).all(-1)
    known = (command.code >= 0) & (command.code < jnp.asarray(CODES)[kind])
    good = known & (inside | ~aimed)
    bad = able & ~good & (command.code != CrewCode.IDLE)
    crew = crew.replace(refused=crew.refused + bad.sum(dtype=jnp.int32))
    code = jnp.where(able & good, command.code, CrewCode.IDLE)
    return state.replace(crew=crew), code, command.place.astype(jnp.float32) + np.float32(0.5)


def _carry(params: Params, state: State, code: Array) -> State:
    """Firefighters put down their civilian or pick up the nearest one that is not carried, one after another."""
    crew = state.crew
    assert crew is not None
    if not crew.bearer.shape[0]:
        return state
    at = cell_of(state)
    waiting = (params.units.type == CrewType.FIREFIGHTER) & (code == FirefighterCode.CARRY)

    def turn(now: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        waiting, bearer, walking = now
        who = jnp.argmax(waiting)
        own = bearer == who
        away = square(*jnp.moveaxis((crew.civilian - at[who][None]).astype(jnp.float32), -1, 0))
        free = crew.living & (bearer < 0) & (away < REACH**2)
        nearest = jnp.argmin(jnp.where(free, away, jnp.inf))
        taken = free & (jnp.arange(free.size) == nearest) & ~own.any()
        return waiting.at[who].set(False), jnp.where(own, -1, jnp.where(taken, who, bearer)), walking & ~taken

    _, bearer, walking = lax.while_loop(lambda now: now[0].any(), turn, (waiting, crew.bearer, crew.walking))
    return state.replace(crew=crew.replace(bearer=bearer.astype(jnp.int32), walking=walking))


def _lift(params: Params, state: State, code: Array) -> State:
    """Helicopters set down all passengers, or take at most five firefighters in reach, in the order of rows."""
    crew, kind = state.crew, params.units.type
    assert crew is not None
    flies = kind == CrewType.HELICOPTER
    carrier = jnp.maximum(crew.aboard, 0)
    aboard = jnp.where((crew.aboard >= 0) & (code[carrier] == HelicopterCode.DROP), -1, crew.aboard)
    at = cell_of(state)

    def turn(now: tuple[Array, Array]) -> tuple[Array, Array]:
        waiting, aboard = now
        who = jnp.argmax(waiting)
        away = square(*jnp.moveaxis((at - at[who][None]).astype(jnp.float32), -1, 0))
        free = (kind == CrewType.FIREFIGHTER) & state.alive & (aboard < 0) & (away < REACH**2)
        room = jnp.where(crew.water[who] > 0, 0, CAPACITY - (aboard == who).sum())
        return waiting.at[who].set(False), jnp.where(free & (jnp.cumsum(free) <= room), who, aboard)

    _, aboard = lax.while_loop(lambda now: now[0].any(), turn, (flies & (code == HelicopterCode.LIFT), aboard))
    return state.replace(crew=crew.replace(aboard=aboard.astype(jnp.int32)))


def passengers(state: State) -> Int[Array, " n"]:
    """Number of firefighters aboard each unit."""
    assert state.crew is not None
    aboard = state.crew.aboard
    return jnp.zeros_like(aboard).at[jnp.where(aboard < 0, aboard.size, aboard)].add(1, mode="drop")


def _refill(params: Params, state: State, code: Array) -> State:
    crew, kind = state.crew, params.units.type
    assert crew is not None and params.crews is not None
    wants = ((kind == CrewType.FIREFIGHTER) & (code == FirefighterCode.REFILL)) | (
        (kind == CrewType.HELICOPTER) & (code == HelicopterCode.FILL)
    )
    x, y = jnp.moveaxis(cell_of(state), -1, 0)
    fills = wants & params.crews.water[x, y] & (passengers(state) == 0)
    return state.replace(crew=crew.replace(water=jnp.where(fills, CAPACITY, crew.water)))


def _drop_water(params: Params, state: State, code: Array) -> State:
    """Helicopters that drop water use one load each and wet the disc below them at once."""
    crew = state.crew
    assert crew is not None and state.fire is not None
    drops = (params.units.type == CrewType.HELICOPTER) & (code == HelicopterCode.DROP) & (crew.water > 0)
    return _splash(state, drops, jnp.asarray(_DISC), jnp.ones((len(_DISC), drops.size), bool))


def _wind_up(params: Params, state: State, code: Array, place: Array) -> State:
    """Firefighters that are still alive cut one tree of their cell, or spray one load of water in a 120 degree cone."""
    crew, fire = state.crew, state.fire
    assert crew is not None and fire is not None
    able = state.alive & (params.units.type == CrewType.FIREFIGHTER)
    at = jnp.where((able & (code == FirefighterCode.CUT))[:, None], cell_of(state), fire.trees.shape[0])
    count = jnp.zeros(fire.trees.shape, jnp.int32).at[at[:, 0], at[:, 1]].add(1, mode="drop")
    state = state.replace(fire=cut(fire, count))
    cone = np.array(_CONE, np.float32)
    aim = place - state.position
    along = rounded(aim[None, :, 0] * cone[:, None, 0]) + rounded(aim[None, :, 1] * cone[:, None, 1])
    wide = rounded(length(aim)[None] * np.sqrt((cone**2).sum(1))[:, None] * np.float32(0.5))
    return _splash(
        state,
        able & (code == FirefighterCode.SPRAY) & (crew.water > 0),
        jnp.asarray(_CONE),
        (along >= wide) & (along > 0),
    )


def _splash(state: State, who: Bool[Array, " n"], offsets: Int[Array, "o 2"], covers: Bool[Array, "o n"]) -> State:
    """Take one load of water from each unit and spray the covered cells round it."""
    crew, fire = state.crew, state.fire
    assert crew is not None and fire is not None
    size = fire.phase.shape[0]

    def splash(fire: Fire = fire) -> Fire:
        cell = cell_of(state)[None] + offsets[:, None]
        inside = (who[None] & covers) & ((cell >= 0) & (cell < size)).all(-1)
        x = jnp.where(inside, cell[..., 0], size)
        return spray(fire, jnp.zeros(fire.phase.shape, bool).at[x, cell[..., 1]].set(True, mode="drop"))

    fire = only_if(who.any(), splash, fire)
    return state.replace(fire=fire, crew=crew.replace(water=crew.water - who.astype(jnp.int32)))


def _ground(state: State) -> UInt8[Array, "x y"]:
    """Trees and dangers in one byte for each cell, so that a frame needs one lookup."""
    fire = state.fire
    assert fire is not None
    return fire.trees + jnp.where(fire.burning, _BURNING, jnp.where(fire.lethal, _BURNT, 0)).astype(jnp.uint8)


def _killed(params: Params, state: State, ground: UInt8[Array, "x y"]) -> Bool[Array, " n"]:
    x, y = jnp.moveaxis(cell_of(state), -1, 0)
    return _lethal(params, state, ground[x, y])


def _lethal(params: Params, state: State, ground: UInt8[Array, " n"]) -> Bool[Array, " n"]:
    """Whether a unit's ground kills it: burning ground does, and burnt ground unless that is switched off."""
    assert params.crews is not None and state.crew is not None
    kind = params.units.type
    burnt = ((ground & _BURNT) != 0) & (params.crews.burnt_kills | (kind == CrewType.BULLDOZER))
    return (kind < CrewType.DRONE) & (state.crew.aboard < 0) & (((ground & _BURNING) != 0) | burnt)


def _frames(
    params: Params, state: State, code: Array, place: Array, way: Array, stood: Stood, count: int
) -> tuple[State, Stood]:
    """Let `count` frames pass: units move, units on deadly ground die, and bulldozers fell the trees of their cell."""
    assert state.fire is not None and state.crew is not None and params.crews is not None
    kind, shared = params.units.type, params.crews.shared
    moves = (code == CrewCode.MOVE) | ((kind == CrewType.BULLDOZER) & (code == BulldozerCode.CLEAR))
    fells = (kind == CrewType.BULLDOZER) & (code == BulldozerCode.CLEAR)
    speed = jnp.asarray(SPEED)[kind] * jnp.where(fells, np.float32(0.5), 1)
    before = _ground(state)
    x, y = jnp.moveaxis(cell_of(state), -1, 0)
    lifted, carrier = (state.crew.aboard >= 0)[:, None], jnp.maximum(state.crew.aboard, 0)

    def frame(now: _Frame) -> tuple[_Frame, tuple[Array, Array]]:
        position, health, ground, here = now
        share = jnp.where(kind == CrewType.FIREFIGHTER, (5 - (here & 3)).astype(jnp.float32) * np.float32(0.2), 1)
        ahead = place - position
        onward = rounded(way[:, 0] * ahead[:, 0]) + rounded(way[:, 1] * ahead[:, 1]) >= 0
        goes = moves & onward & (health > 0)
        position = jnp.where(goes[:, None], position + rounded(way * rounded(speed * share)[:, None]), position)
        if not shared:
            position = jnp.where(lifted, position[carrier], position)
        cell = position.astype(jnp.int32)
        here = ground[cell[:, 0], cell[:, 1]]
        health = jnp.where(_lethal(params, state, here), 0.0, health)
        x = jnp.where(fells & (health > 0), cell[:, 0], ground.shape[0])
        ground = ground.at[x, cell[:, 1]].set(here & ~np.uint8(3), mode="drop")
        return (position, health, ground, here), (cell, health > 0)

    def play(_: Array, now: tuple[_Frame, Stood]) -> tuple[_Frame, Stood]:
        after, places = frame(now[0])
        return after, stand(params, now[1], *places)

    own = before[x, y]
    bared = jnp.where(fells & state.alive, x, before.shape[0])  # trees of a bulldozer's first cell are felled too
    start = before.at[bared, y].set(own & ~np.uint8(3), mode="drop")
    first, sizes = (state.position, state.health, start, start[x, y]), current()
    if sizes.flat:  # all places are recorded at once
        last, places = lax.scan(lambda now, _: frame(now), first, length=count, unroll=sizes.frames)
        stood = stand(params, stood, *places)
    else:
        last, stood = lax.fori_loop(0, count, play, (first, stood), unroll=sizes.frames)
    position, health, ground, _ = last
    felled = (before & 3) - (ground & 3)
    return state.replace(position=position, health=health, fire=cut(state.fire, felled.astype(jnp.int32))), stood


def _together(state: State) -> State:
    """Move passengers to their helicopter, and civilians to where their bearer is or died."""
    crew = state.crew
    assert crew is not None
    lifted = (crew.aboard >= 0)[:, None]
    position = jnp.where(lifted, state.position[jnp.maximum(crew.aboard, 0)], state.position)
    state = state.replace(position=position)
    bearer = jnp.maximum(crew.bearer, 0)
    cell = jnp.where((crew.bearer >= 0)[:, None], cell_of(state)[bearer], crew.civilian)
    held = state.alive[bearer] & (crew.bearer >= 0)
    return state.replace(crew=crew.replace(civilian=cell, bearer=jnp.where(held, crew.bearer, -1)))
