"""What each unit of a crew observes, as a vector of fixed length (docs/rules/learning.md 7).

Everything is read from the team's explored map, the roster and the task as the crew knows it; the critic's global state
alone reads the true map.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from hive.engine.crews.explored import Explored, cell_of
from hive.engine.crews.frames import CAPACITY, passengers
from hive.engine.crews.leaves import Thing
from hive.engine.crews.lookout import NearestThings, look
from hive.engine.types import CrewType, Params, State
from hive.ground.exact import length, rounded
from hive.worlds.wildfire.environment.actions import SECTORS
from hive.worlds.wildfire.observation import RADIUS, carrying

SCALE = 15.0  # cells at which a bounded way is half as long as the longest
COARSE = 8  # squares along a side of the critic's map
_TYPES = len(CrewType)
_FAR = np.int32(2**30)


class CrewKnowledge(struct.PyTreeNode, kw_only=True):
    """What the units know of one state."""

    at: Int[Array, "n 2"]
    view: NearestThings  # nearest things; all are unknown that the level does not ask for
    target: Int[Array, "n k 2"]  # the nearest targets that are left, the nearest first
    left: Bool[Array, "n k"]  # whether there is one
    trees: Int[Array, "n k"]  # trees that stand there as far as is known
    ahead: Int[Array, "n k"]  # other units on the ground that are nearer to it
    wood: Int[Array, " n"]  # trees of the own cell
    burden: Int[Array, " n"]  # civilians or firefighters that it carries


def trees_seen(code: Int[Array, "*c"]) -> Int[Array, "*c"]:
    """Return the trees that a code of the explored map shows; an unseen cell shows none."""
    wet, dry = code - Explored.WET, code - Explored.DRY
    return jnp.where((dry >= 0) & (dry <= 3), dry, jnp.where((wet >= 0) & (wet <= 3), wet, 0))


def learn_of(
    params: Params, state: State, things: tuple[Thing, ...], places: Int[Array, "e 2"], cut: bool, count: int
) -> CrewKnowledge:
    """Return what the units know.

    Args:
        params: The level on its map.
        state: The state; the team shares one explored map.
        things: The things to look for.
        places: The targets of the task.
        cut: Whether targets are cells to cut: then one without trees is no longer listed, and an unseen one has three.
        count: Targets that a unit lists.
    """
    crew, crews, at = state.crew, params.crews, cell_of(state)
    assert crew is not None and crews is not None
    asked = sum(1 << thing for thing in things)
    goal = jnp.broadcast_to(crews.task.goal, at.shape)
    view = look(params, state, goal, jnp.full(params.count, asked, jnp.int32))
    codes = crew.seen[places[:, 0], places[:, 1]].astype(jnp.int32)
    trees = jnp.where(codes == Explored.UNSEEN, 3, trees_seen(codes)) if cut else jnp.ones_like(codes)
    grounded = state.alive & (params.units.type < CrewType.DRONE) & (crew.aboard < 0)
    target, there, row = nearest(at, places, jnp.broadcast_to(trees > 0, (params.count, len(places))), count)
    away = jnp.square(places[None] - at[:, None]).sum(-1)
    other = jnp.arange(params.count)
    first = (away[None] < away[:, None]) | ((away[None] == away[:, None]) & (other[None] < other[:, None])[..., None])
    ahead = (first & grounded[None, :, None]).sum(1)  # [n, e]
    return CrewKnowledge(
        at=at,
        view=view,
        target=target,
        left=there,
        trees=jnp.where(there, trees[row], 0),
        ahead=jnp.where(there, jnp.take_along_axis(ahead, row, axis=1), 0),
        wood=trees_seen(crew.seen[at[:, 0], at[:, 1]].astype(jnp.int32)),
        burden=jnp.where(
            params.units.type == CrewType.FIREFIGHTER, carrying(state).astype(jnp.int32), passengers(state)
        ),
    )


def nearest(
    at: Int[Array, "n 2"], places: Int[Array, "e 2"], counts: Bool[Array, "n e"], count: int
) -> tuple[Int[Array, "n k 2"], Bool[Array, "n k"], Int[Array, "n k"]]:
    """Return the nearest places that count for each unit: their cells, whether there is one, and their rows."""
    away = jnp.where(counts, jnp.square(places[None] - at[:, None]).sum(-1), _FAR)
    away = jnp.pad(away, ((0, 0), (0, max(0, count - away.shape[1]))), constant_values=_FAR)
    least, row = lax.top_k(-away, count)
    there = least > -_FAR
    row = jnp.where(there, row, 0)
    return jnp.where(there[..., None], places[row], at[:, None]), there, row


def observe(
    params: Params, state: State, known: CrewKnowledge, things: tuple[Thing, ...], mates: int, radius: int
) -> Float[Array, "n f"]:
    """Return the observation of each unit, in [-1, 1]; zeros for a dead unit.

    Args:
        params: The level on its map.
        state: The state that is observed.
        known: From `learn_of` for the same state.
        things: The things that are observed.
        mates: Team mates that an observation lists.
        radius: Cells from the middle to the side of the largest window of the level's types.

    Returns:
        `[n, F]` float32; `docs/rules/learning.md` 7 lists the numbers.
    """
    count, at = params.count, known.at
    assert state.crew is not None
    rank = jnp.asarray(np.arange(count, dtype=np.float32) / max(count - 1, 1))
    own = [
        *_unit(params, state, known),
        rank,
        (state.crew.aboard >= 0).astype(jnp.float32),
        known.wood.astype(jnp.float32) * np.float32(1 / 3),
        jnp.broadcast_to(_passed(params, state), (count,)),
    ]
    place = rounded(at.astype(jnp.float32) * np.float32(2 / params.terrain.size)) - 1.0
    listed = jnp.stack(
        [
            known.left.astype(jnp.float32),
            *_way(known.target - at[:, None]),
            known.trees.astype(jnp.float32) * np.float32(1 / 3),
            (known.left & (known.target == at[:, None]).all(-1)).astype(jnp.float32),
            _count(known.ahead),
        ],
        axis=-1,
    )
    parts = [jnp.stack(own, axis=1), place, listed.reshape(count, -1)]
    for thing in things:
        there, way = known.view.known[thing].astype(jnp.float32), known.view.way[thing]
        parts.append(jnp.stack([there, *_way(way)], axis=1))
    parts += [_mates(params, state, known, mates), _sectors(params, state, at, radius)]
    numbers = jnp.concatenate(parts, axis=1)
    return jnp.where(state.alive[:, None], jnp.clip(numbers, -1.0, 1.0), 0.0)


def features(things: int, targets: int, mates: int) -> int:
    """Return the length of an observation."""
    return (_TYPES + 2) + 4 + 2 + 6 * targets + 3 * things + mates * (3 + _TYPES + 2) + 3 * SECTORS


def global_state(params: Params, state: State, places: Int[Array, "e 2"]) -> Float[Array, " g"]:
    """Return the global state for a critic: all units, the trees on the targets, and a coarse map of the truth.

    Returns:
        `[n * 9 + E + 3 * 64 + 1]` float32 in [-1, 1]: for each unit whether it lives, its place, type, water and
        burden; of each target the share of its trees; for each of 8 x 8 squares the shares of cells that burn or are
        burnt, that have trees, and that the team has seen; the share of the limit that has passed.
    """
    fire, crew, size = state.fire, state.crew, params.terrain.size
    assert fire is not None and crew is not None
    burden = jnp.where(params.units.type == CrewType.FIREFIGHTER, carrying(state).astype(jnp.int32), passengers(state))
    place = rounded(state.position * np.float32(2 / size)) - 1.0
    unit = [jnp.ones(params.count), *place.T, *_flags(params).T, _share(crew.water), _share(burden)]
    units = jnp.where(state.alive[:, None], jnp.stack(unit, axis=1), 0.0)
    trees = fire.trees[places[:, 0], places[:, 1]].astype(jnp.float32) * np.float32(1 / 3)
    square = np.arange(size) * COARSE // size
    into = (square[None] == np.arange(COARSE)[:, None]).astype(np.float32)
    area = into.sum(1)[:, None] * into.sum(1)[None]
    maps = jnp.stack([fire.lethal, fire.trees > 0, crew.seen != Explored.UNSEEN]).astype(jnp.float32)
    shares = (into @ maps @ into.T) * (1 / area).astype(np.float32)[None]  # sums of ones, hence exact
    numbers = jnp.concatenate([units.reshape(-1), trees, shares.reshape(-1), _passed(params, state)[None]])
    return jnp.clip(numbers, -1.0, 1.0)


def _flags(params: Params) -> Float[Array, "n 4"]:
    return jax.nn.one_hot(params.units.type, _TYPES, dtype=jnp.float32)


def _unit(params: Params, state: State, known: CrewKnowledge) -> tuple[Array, ...]:
    """Type, water and burden, column by column."""
    assert state.crew is not None
    return (*_flags(params).T, _share(state.crew.water), _share(known.burden))


def _share(load: Int[Array, " n"]) -> Float[Array, " n"]:
    return load.astype(jnp.float32) * np.float32(1 / CAPACITY)


def _passed(params: Params, state: State) -> Float[Array, ""]:
    """Share of the limit that has passed."""
    limit = jnp.maximum(params.rules.limit, state.tick)  # a divisor of this game alone: see `hive.ground.exact`
    return state.tick.astype(jnp.float32) / limit.astype(jnp.float32)


def _count(many: Int[Array, "*n"]) -> Float[Array, "*n"]:
    number = many.astype(jnp.float32)
    return number / (number + 1.0)


def _way(offset: Int[Array, "*n 2"]) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
    """East and south parts of the direction of a way of any length, shorter than 1; half as long at `SCALE` cells."""
    way = offset.astype(jnp.float32)
    bounded = way / (length(way) + SCALE)[..., None]
    return bounded[..., 0], bounded[..., 1]


def _mates(params: Params, state: State, known: CrewKnowledge, count: int) -> Float[Array, "n m"]:
    """Of the nearest living units of the team: 1, the way, type, water and burden; zeros where there is none."""
    others = state.alive[None] & ~jnp.eye(params.count, dtype=bool)
    place, there, row = nearest(known.at, known.at, others, count)
    unit = jnp.stack(_unit(params, state, known), axis=1)[row]
    each = jnp.concatenate([jnp.ones_like(unit[..., :1]), jnp.stack(_way(place - known.at[:, None]), -1), unit], -1)
    return jnp.where(there[..., None], each, 0.0).reshape(params.count, -1)


def _sectors(params: Params, state: State, at: Int[Array, "n 2"], radius: int) -> Float[Array, "n s"]:
    """Shares of unseen, deadly and wooded cells in eight sectors of the unit's window, those outside the map left out.

    The sums are of ones, hence exact in any order.
    """
    assert state.crew is not None
    side = 2 * radius + 1
    outside = 255
    padded = jnp.pad(state.crew.seen, radius, constant_values=outside)
    window = jax.vmap(lambda cell: lax.dynamic_slice(padded, (cell[0], cell[1]), (side, side)))(at)
    code = window.reshape(-1, side * side)
    east, south = np.meshgrid(np.arange(-radius, radius + 1), np.arange(-radius, radius + 1), indexing="ij")
    sector = np.rint(np.arctan2(-south, east) / (2 * np.pi / SECTORS)).astype(int).reshape(-1) % SECTORS
    far = np.maximum(np.abs(east), np.abs(south)).reshape(-1)
    into = ((sector[:, None] == np.arange(SECTORS)) & (far > 0)[:, None]).astype(np.float32)
    seen = (far[None] <= RADIUS[:, None]).astype(np.float32)
    area = seen @ into  # [types, sectors]
    inside = jnp.asarray(seen > 0)[params.units.type]
    wooded = ((code > Explored.WET) & (code < Explored.DRY)) | ((code > Explored.DRY) & (code < Explored.IGNITED))
    deadly = (code >= Explored.IGNITED) & (code <= Explored.BURNT)
    kinds = jnp.stack([code == Explored.UNSEEN, deadly, wooded], axis=1) & inside[:, None]
    shares = (kinds.astype(jnp.float32) @ into) * jnp.asarray((1 / area).astype(np.float32))[params.units.type][:, None]
    return shares.reshape(-1, 3 * SECTORS)
