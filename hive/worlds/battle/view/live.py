"""A battle for the live page: what is known before it begins, and each of its ticks as a frame and in numbers."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.vocabulary import UNIT_TYPES
from hive.engine.course import PlanTable, step_states
from hive.engine.page_view import PageView, Snapshot
from hive.engine.types import OUTCOMES, State
from hive.kit.view.frame import Frame
from hive.kit.view.pages import pack
from hive.worlds.battle.burning import fire_codes
from hive.worlds.battle.recorder import BattleFrame, leaf_table, watch_tick
from hive.worlds.battle.view.replay import ground_picture, page_palette
from hive.worlds.battle.world import Battle

_FULL, _SIDE = 255, 65535  # steps of a health share and of a coordinate
_MOST_INDEX = 65535  # groups or leaves


class BattlePageView(PageView[Battle]):
    """One battle as the page sees it."""

    kind, contact = "battle", "first contact"
    watch = staticmethod(watch_tick)

    def __init__(self, world: Battle) -> None:
        """Prepare what does not change."""
        super().__init__(world)
        units = world.params.units
        self._side, self._type = np.asarray(units.side), np.asarray(units.type)
        self._max_health = np.asarray(world.params.types.max_health)[self._type]
        self.terrain = f"data:image/png;base64,{ground_picture(world.kind)}"
        self._leaves, self._place = leaf_table(world)
        self._attack = np.dtype(np.uint16 if len(self._side) < _MOST_INDEX else np.uint32)
        self._arrays, packed = pack(
            {
                "kind": world.kind,
                "side": self._side.astype(np.uint8),
                "type": self._type.astype(np.uint8),
                "max_health": self._max_health.astype(np.float32),
            }
        )
        self.data = base64.b64encode(packed).decode()

    def meta(self) -> dict[str, Any]:
        """Return the static part of a replay's `meta`; see `PageView.meta`."""
        world = self._world
        return {
            "title": world.title,
            "briefing": world.scenario.briefing.strip(),
            "metres": len(world.kind),
            "units": len(self._side),
            "terrain": int(np.bitwise_or.reduce(world.kind, axis=None)),
            "palette": page_palette(np.asarray(world.params.types.radius)),
            "leaves": self._leaves,
            "scoreIs": world.score_is,
            "limit": world.limit,
            "burns": world.params.blaze is not None,
            "arrays": self._arrays,
        }

    def markers(self, world: Battle) -> dict[str, list[int]]:
        """Return the markers of the battle as it is told now."""
        return {letter: [int(x), int(y)] for letter, (x, y) in sorted(world.scenario.markers.items())}

    def snapshots(self, seen: BattleFrame, count: int, table: PlanTable, line: int) -> list[Snapshot]:
        """Return the ticks that the engine has played; see `PageView.snapshots`."""
        rows = {name: np.asarray(value) for name, value in vars(seen).items() if value is not None}
        group = table.numbers[rows["group"]] + 1
        leaf = self._place[rows["leaf"]] + 1
        states = step_states(rows["achieved"][:, table.rows], rows["active"][:, table.rows])
        found = []
        for t in range(count):
            columns = self._columns(rows["position"][t], rows["health"][t], rows.get("fire", (None,) * count)[t])
            columns |= {
                "group": group[t].astype(np.uint16),
                "leaf": leaf[t].astype(np.uint16),
                "attack": (rows["attack"][t].astype(np.int64) + 1).astype(self._attack),
            }
            score = float(rows["score"][t])
            found.append(
                Snapshot(
                    frame=Frame(line, int(rows["tick"][t]), columns),
                    outcome=OUTCOMES[int(rows["outcome"][t])],
                    alive=self._alive(rows["health"][t] > 0),
                    steps=states[t].tolist(),
                    score=score if np.isfinite(score) else None,
                    fought=bool((rows["attack"][t] >= 0).any()),
                )
            )
        return found

    def start(self, state: State, line: int) -> Snapshot:
        """Return tick 0 of a game that has no plan yet."""
        side = self._world.params.terrain.size
        position = np.clip(np.round(np.asarray(state.position) * (_SIDE / side)), 0, _SIDE)
        fire = None if state.fire is None else np.asarray(fire_codes(state.fire.condition))
        columns = self._columns(position, np.asarray(state.health), fire)
        nothing = np.zeros(len(self._side), np.uint16)
        columns |= {"group": nothing, "leaf": nothing, "attack": nothing.astype(self._attack)}
        return Snapshot(Frame(line, 0, columns), "running", self._alive(np.asarray(state.health) > 0), [], None, False)

    def _columns(self, position: NDArray[Any], health: NDArray[Any], fire: NDArray[Any] | None) -> dict[str, Any]:
        share = np.ceil(health.astype(np.float32) * (_FULL / self._max_health)).clip(0, _FULL)
        columns = {
            "x": position[:, 0].astype(np.uint16),
            "y": position[:, 1].astype(np.uint16),
            "health": share.astype(np.uint8),
        }
        empty: dict[str, Any] = dict.fromkeys(("group", "leaf", "attack"))  # filled in by the caller, in this order
        if fire is None:
            return columns | empty
        return columns | empty | {"fire": fire.flatten()}  # a copy: a view would keep all ticks of its segment

    def _alive(self, alive: NDArray[np.bool_]) -> list[list[int]]:
        kinds = len(UNIT_TYPES)
        counts = np.bincount(self._side[alive] * kinds + self._type[alive], minlength=2 * kinds)
        found: list[list[int]] = counts.reshape(2, kinds).tolist()
        return found
