"""A wildfire level for the live page: what is known before it begins, each tick as a frame and in numbers."""

from __future__ import annotations

import base64
from typing import Any

import jax
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int
from numpy.typing import NDArray

from hive.engine.behaviours.decision import Decision
from hive.engine.course import PlanTable, step_states
from hive.engine.crews.explored import Explored
from hive.engine.episode import Game
from hive.engine.page_view import PageView, Snapshot
from hive.engine.types import OUTCOMES, CrewAction, Orders, Params, State
from hive.kit.view.frame import Frame
from hive.kit.view.pages import pack
from hive.worlds.wildfire.recording import CrewFrame, assemble, first_frame, idle_frame, watch
from hive.worlds.wildfire.view.replay import page_meta
from hive.worlds.wildfire.world import Fireground

_PLUS_ONE = ("aboard", "code", "tree", "place", "target", "bearer")  # -1 is none there


class PageTick(struct.PyTreeNode, kw_only=True):
    """What the page is told of a tick; P steps of the plan."""

    crew: CrewFrame
    tick: Int[Array, ""]
    outcome: Int[Array, ""]
    achieved: Int[Array, " p"]
    active: Bool[Array, " p"]


def watch_crew(params: Params, orders: Orders, game: Game, decision: Decision | None) -> PageTick:
    """Return what the page is told of a tick; an `Observer`. Without a decision no unit has a command."""
    decided = decision is not None and isinstance(decision.action, CrewAction)
    crew = watch(params, orders, game, decision) if decided and decision else idle_frame(params, game.state)
    progress = game.progress
    return PageTick(
        crew=crew, tick=game.state.tick, outcome=game.outcome, achieved=progress.achieved, active=progress.active
    )


class FirePageView(PageView[Fireground]):
    """One level as the page sees it."""

    kind, contact = "fire", "the team sees fire"
    watch = staticmethod(watch_crew)
    terrain = None

    def __init__(self, world: Fireground) -> None:
        """Prepare what does not change."""
        super().__init__(world)
        first = assemble(world, None, title=world.title, outcome="running")
        self._type = np.asarray(first.kind)
        self._arrays, packed = pack(
            {
                "land": first.land,
                "building": first.building.astype(np.uint8),
                "kind": first.kind.astype(np.uint8),
            }
        )
        self.data = base64.b64encode(packed).decode()
        self._start: CrewFrame = jax.tree.map(np.asarray, jax.jit(first_frame)(world.params))
        self._meta = page_meta(first, whole=True) | {
            "briefing": world.briefing,
            "limit": world.limit,
            "columns": [[name, values.itemsize, values.size] for name, values in self._columns(self._start).items()],
            "arrays": self._arrays,
        }

    def meta(self) -> dict[str, Any]:
        """Return the static part of a replay's `meta`, and the columns of frames: name, bytes and values of each."""
        return dict(self._meta)

    def markers(self, world: Fireground) -> dict[str, list[int]]:
        """Return no markers: levels take none."""
        return {}

    def snapshots(self, seen: PageTick, count: int, table: PlanTable, line: int) -> list[Snapshot]:
        """Return the ticks that the engine has played; see `PageView.snapshots`."""
        rows: PageTick = jax.tree.map(np.asarray, seen)
        states = step_states(np.asarray(rows.achieved)[:, table.rows], np.asarray(rows.active)[:, table.rows])
        found = []
        for t in range(count):
            crew = jax.tree.map(lambda leaf: leaf[t], rows.crew)  # noqa: B023  # used at once
            found.append(self._snapshot(crew, int(rows.tick[t]), int(rows.outcome[t]), states[t].tolist(), line))
        return found

    def start(self, state: State, line: int) -> Snapshot:
        """Return tick 0 of a game that has no plan yet."""
        return self._snapshot(self._start, 0, 0, [], line)

    def _snapshot(self, crew: CrewFrame, tick: int, outcome: int, steps: list[int], line: int) -> Snapshot:
        alive = np.bincount(self._type[np.asarray(crew.alive)], minlength=4).tolist()
        on_fire = (crew.ground >= Explored.IGNITED) & (crew.ground < Explored.BURNT)
        burning = (crew.seen >= Explored.IGNITED) & (crew.seen < Explored.BURNT)
        return Snapshot(
            frame=Frame(line, tick, self._columns(crew)),
            outcome=OUTCOMES[outcome],
            alive=[alive, []],
            steps=steps,
            score=float(crew.score),
            fought=bool(burning.any()),
            counts=(int(on_fire.sum()), int((crew.seen != Explored.UNSEEN).sum())),
        )

    def _columns(self, crew: CrewFrame) -> dict[str, NDArray[np.unsignedinteger]]:
        columns: dict[str, NDArray[Any]] = {}
        for name, value in vars(crew).items():
            values = np.asarray(value)
            if name == "score":
                continue
            wide = np.uint8 if values.dtype in (np.uint8, np.bool_) or name in ("code", "tree") else np.uint16
            values = (values.astype(np.int32) + (name in _PLUS_ONE)).astype(wide)
            if name == "position":
                columns |= {"x": values[:, 0], "y": values[:, 1]}
            elif name in ("place", "target", "civilian"):
                columns |= {f"{name}_x": values[:, 0], f"{name}_y": values[:, 1]}
            else:
                columns[name] = values.reshape(-1)
        return columns
