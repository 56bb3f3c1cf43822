"""The recording of one game of a level, tick by tick: kept on the device while it is played, then in plain NumPy.

Few cells of a map change in a tick, so on the host a map is its start and a list of changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int, UInt8, UInt16
from msgspec import convert
from numpy.typing import NDArray

from hive.engine.behaviours.decision import Decision
from hive.engine.crews.explored import SYMBOLS, Explored
from hive.engine.crews.explored import codes as explored_codes
from hive.engine.crews.frames import CrewCode
from hive.engine.crews.score import achieved, losses
from hive.engine.crews.score_rules import COSTS, OPEN_ENDED
from hive.engine.episode import Game
from hive.engine.spawning import reset
from hive.engine.types import CrewAction, Orders, Params, State
from hive.ground.layers import Layer
from hive.kit.errors import DataError
from hive.kit.keep.dialogue import Line
from hive.kit.keep.fields import MapField, PlaceField, codes, flags, index, kept, lines, ticks, word
from hive.kit.keep.layout import Nullable
from hive.kit.keep.recording import Recording
from hive.worlds.wildfire.games import Played
from hive.worlds.wildfire.maps.host_land import Land
from hive.worlds.wildfire.maps.host_places import TaskPlaces
from hive.worlds.wildfire.task_text import known
from hive.worlds.wildfire.world import Fireground

LOSSES = tuple(COSTS)
_NO_TREE = -1
DOINGS = (  # the action of each code, by type (docs/rules/wildfire.md 6.1)
    ("goes to", "fells a tree", "picks up or puts down", "sprays towards", "refills"),
    ("drives to", "clears its way to"),
    ("flies to",),
    ("flies to", "takes firefighters aboard", "refills", "drops what it has"),
)

_PARTS = 65535  # steps over the map's side


_CELL = (int, int)
_PLACES = {
    "trees?": [_CELL],
    "lines?": [(int, int, int, int)],
    "goal?": Nullable(_CELL),
    "fire?": Nullable(_CELL),
    "water?": Nullable(_CELL),
    "clusters?": [_CELL],
}


class CrewFrame(struct.PyTreeNode, kw_only=True):
    """One tick in compact form. N units, V civilians; cells are int16."""

    position: UInt16[Array, "n 2"]  # in units of the map's side / 65535
    alive: Bool[Array, " n"]
    water: UInt8[Array, " n"]
    aboard: Int[Array, " n"]
    code: Int[Array, " n"]
    place: Int[Array, "n 2"]
    tree: Int[Array, " n"]
    target: Int[Array, "n 2"]
    civilian: Int[Array, "v 2"]
    living: Bool[Array, " v"]
    bearer: Int[Array, " v"]
    ground: UInt8[Array, "x y"]
    seen: UInt8[Array, "x y"]
    losses: Int[Array, " 5"]
    score: Int[Array, ""]


@dataclass(frozen=True, eq=False, kw_only=True)
class FireRecording(Recording):
    """One game, frame by frame. T frames, N units, V civilians, a map of S cells; `[x, y]`, x east and y south.

    Attributes:
        title: Heading of the pictures.
        game: The game of the level, such as `cut` or `suppress`.
        best: The highest score; 0 where losses are counted.
        outcome: How the game ended.
        known: Places that the task text gives.
        land: `[S, S]` code of the land before the first tick (`hive.worlds.wildfire.maps.host_land`), uint8.
        building: `[S, S]` bool.
        kind: `[N]` 0 firefighter, 1 bulldozer, 2 drone, 3 helicopter.
        tick: `[T]`, ascending.
        position: `[T, N, 2]` cells.
        alive: `[T, N]`.
        water: `[T, N]` 0 to 5.
        aboard: `[T, N]` the helicopter that a firefighter is in, or -1.
        code: `[T, N]` code of the unit's command in the tick (docs/rules/wildfire.md 6.1), or -1: no command.
        place: `[T, N, 2]` the cell that the code refers to, or -1: no cell.
        behaviours: Names of the trees.
        tree: `[T, N]` index into `behaviours`, or -1: no plan has named the unit yet.
        target: `[T, N, 2]` target of the unit's group, or -1.
        civilian: `[T, V, 2]` cells.
        living: `[T, V]`.
        bearer: `[T, V]` the firefighter that carries a civilian, or -1.
        ground: Codes of the true map (`hive.engine.crews.explored`), without civilians; for building cells, the
            state of fire.
        seen: Codes of the explored map; for separate maps, the cells that any unit has seen.
        score: `[T]`.
        losses: `[T, 5]` counts in the order of `LOSSES`.
        plans: Tick and text of each plan.
        agents: Names of the language agents that played; empty without them.
        lines: What they said, thought and began, in order.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str] = "hive-fire-recording/1"
    noun: ClassVar[str] = "fire recording"

    title: str = word(str)
    game: str = word(str)
    best: int = word(int)
    outcome: str = word(str)
    known: TaskPlaces = word(_PLACES, dump=asdict, read=lambda said: convert(said, TaskPlaces))
    land: NDArray[np.uint8] = codes("S S", end=Land.WATER + 1, stored="S S", type="u1")
    building: NDArray[np.bool_] = flags("S S", stored="S S")
    kind: NDArray[np.integer] = codes("N", end=len(DOINGS), type="u1")
    tick: NDArray[np.integer] = ticks()
    position: NDArray[np.float32] = kept(PlaceField("N", "S", "land"))
    alive: NDArray[np.bool_] = flags("T N")
    water: NDArray[np.integer] = codes("T N", type="u1")
    aboard: NDArray[np.integer] = index("T N", of="N")
    code: NDArray[np.integer] = index("T N", of=max(map(len, DOINGS)))
    place: NDArray[np.integer] = index("T N 2", of="edge", stored="2 N T")
    behaviours: tuple[str, ...] = word([str], read=tuple)
    tree: NDArray[np.integer] = index("T N", of="behaviours")
    target: NDArray[np.integer] = index("T N 2", of="edge", stored="2 N T")
    civilian: NDArray[np.integer] = codes("T V 2", end="S", stored="2 V T")
    living: NDArray[np.bool_] = flags("T V")
    bearer: NDArray[np.integer] = index("T V", of="N")
    ground: Layer = kept(MapField("S", len(SYMBOLS)))
    seen: Layer = kept(MapField("S", len(SYMBOLS)))
    score: NDArray[np.integer] = codes("T", type="i4")
    losses: NDArray[np.integer] = codes(f"T {len(LOSSES)}", stored=f"T {len(LOSSES)}", type="i4")
    plans: tuple[tuple[int, str], ...] = word([(int, str)], read=lambda said: tuple(map(tuple, said)))
    agents: tuple[str, ...] = word([str], read=tuple, default=())
    lines: tuple[Line, ...] = lines("A", default=())

    def lengths(self) -> Mapping[str, int]:
        """Units, civilians, the side of the map, the end of cells that may lie on its edge, trees and agents."""
        side = len(self.land)
        found = {"N": len(self.kind), "V": self.civilian.shape[1], "S": side, "edge": side + 1}
        return found | {"behaviours": len(self.behaviours), "A": len(self.agents)}

    def check(self) -> None:
        """Check that the places of the task are on a map; errors are those of `Recording.check`."""
        s, facts = self.size, self.known
        if s == 0:
            raise DataError("fire recording: it needs a map of at least one cell")
        places = (*facts.trees, *facts.lines, *facts.clusters, *filter(None, (facts.goal, facts.fire, facts.water)))
        if not all(0 <= part < s for place in places for part in place):
            raise DataError(f"fire recording: a place of its task lies outside the map of {s} x {s} cells")
        if sum(max(0, x1 - x0 + 1) * max(0, y1 - y0 + 1) for x0, y0, x1, y1 in facts.lines) > s * s:
            raise DataError("fire recording: the lines of its task have more cells than the map")

    @property
    def size(self) -> int:
        """Cells a side of the map, S."""
        return len(self.land)

    @property
    def counts_losses(self) -> bool:
        """Whether the score counts only losses, so that 0 is the best possible score."""
        return self.game in OPEN_ENDED

    @property
    def cells_to_cut(self) -> tuple[tuple[int, int], ...]:
        """The cells that the task names, each once."""
        return tuple(dict.fromkeys(self.known.cells_to_cut))

    def caught(self) -> NDArray[np.int32]:
        """Return `[S, S]` the tick at which each cell caught fire, or -1."""
        when = np.full(self.land.size, -1, np.int32)
        burns = (self.ground.code >= Explored.IGNITED) & (self.ground.code <= Explored.BURNT)
        cell, frame = self.ground.cell[burns][::-1], self.ground.frame[burns][::-1]
        when[cell] = self.tick[frame]  # written from last to first, so that the first remains
        start = self.ground.start.ravel()
        when[(start >= Explored.IGNITED) & (start <= Explored.BURNT)] = self.tick[0]
        return when.reshape(self.land.shape)


def watch(params: Params, orders: Orders, game: Game, decision: Decision) -> CrewFrame:
    """Return the tick that was just played; for `play_level`."""
    assert isinstance(decision.action, CrewAction)
    group = jnp.maximum(game.progress.group, 0)
    tree = jnp.where(decision.commanded, decision.tree, _NO_TREE)
    return frame(params, game.state, decision.action, tree, orders.plan.place[orders.plan.target[group]])


def frame(
    params: Params, state: State, command: CrewAction, tree: Int[Array, " n"], target: Int[Array, "n 2"]
) -> CrewFrame:
    """Return a state in compact form, with the commands that led to it."""
    crew, blaze = state.crew, params.blaze
    assert crew is not None and blaze is not None
    part = jnp.clip(jnp.round(state.position * (_PARTS / params.terrain.size)), 0, _PARTS)
    lost = losses(params, state)
    bare = params.replace(blaze=blaze.replace(start=blaze.start.replace(building=jnp.zeros_like(blaze.start.building))))
    return CrewFrame(
        position=part.astype(jnp.uint16),
        alive=state.alive,
        water=crew.water.astype(jnp.uint8),
        aboard=crew.aboard,
        code=command.code.astype(jnp.int8),
        place=jnp.where((command.code == CrewCode.IDLE)[:, None], -1, command.place)
        .clip(-1, params.terrain.size)
        .astype(jnp.int16),
        tree=tree.astype(jnp.int16),
        target=jnp.where((tree == _NO_TREE)[:, None], -1, target).astype(jnp.int16),
        civilian=crew.civilian.astype(jnp.int16),
        living=crew.living,
        bearer=crew.bearer,
        ground=explored_codes(bare, state.replace(crew=crew.replace(living=jnp.zeros_like(crew.living)))),
        seen=crew.seen if crew.seen.ndim == 2 else crew.seen.max(0),
        losses=jnp.stack([getattr(lost, name) for name in LOSSES]).astype(jnp.int32),
        score=achieved(params, state),
    )


def first_frame(params: Params) -> CrewFrame:
    """Return the frame of tick 0, in which no unit has a command yet."""
    return idle_frame(params, reset(params, jax.random.key(0)))  # a crew starts at one place, without random draws


def idle_frame(params: Params, state: State) -> CrewFrame:
    """Return a state in compact form, in which no unit has a command."""
    nothing = jnp.full(params.count, CrewCode.IDLE.value, jnp.int32)
    nowhere = jnp.zeros((params.count, 2), jnp.int32)
    return frame(params, state, CrewAction(code=nothing, place=nowhere), jnp.full_like(nothing, _NO_TREE), nowhere)


def gather(played: Played, title: str = "") -> FireRecording:
    """Return the recording of a game that was played with `watch`.

    Args:
        played: The finished game.
        title: Heading of the pictures; empty: the level and its seed.

    Raises:
        ValueError: The game was played without `watch`.
    """
    if played.log is None and played.ticks:
        raise ValueError("the game was played without `watch`, so there is nothing to gather")
    level = played.world.site.level
    return assemble(
        played.world,
        played.log,
        title=title or f"{level.title}, seed {played.world.site.seed}",
        outcome=played.outcome,
        plans=played.plans,
    )


def assemble(
    world: Fireground,
    log: CrewFrame | None,
    *,
    title: str,
    outcome: str,
    plans: tuple[tuple[int, str], ...] = (),
    start: CrewFrame | None = None,
) -> FireRecording:
    """Return the recording of a game.

    Args:
        world: The level.
        log: Frames with a leading axis of ticks from 1 on; None: no tick was played.
        title: Heading of the pictures.
        outcome: How the game ended.
        plans: Tick and text of each plan.
        start: The frame of tick 0; None: it is computed.
    """
    start = jax.jit(first_frame)(world.params) if start is None else start
    first = jax.tree.map(lambda leaf: np.asarray(leaf)[None], start)
    merged: Any = first
    if log is not None:
        merged = jax.tree.map(lambda *leaves: np.concatenate([np.asarray(leaf) for leaf in leaves]), first, log)
    level, ground = world.site.level, world.site.ground
    shared = {
        name: getattr(merged, name)
        for name in ("alive", "water", "aboard", "code", "place", "tree", "target", "civilian", "living", "bearer")
    }
    return FireRecording(
        title=title,
        game=level.game,
        best=level.best,
        outcome=outcome,
        known=known(world.site),
        land=ground.land.astype(np.uint8),
        building=ground.building,
        kind=np.asarray(world.params.units.type),
        tick=np.arange(len(merged.alive)),
        position=merged.position.astype(np.float32) * np.float32(level.size / _PARTS),
        behaviours=tuple(world.behaviours),
        ground=Layer.of(merged.ground),
        seen=Layer.of(merged.seen),
        score=merged.score,
        losses=merged.losses,
        plans=plans,
        **shared,
    )
