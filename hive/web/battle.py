"""A battle for the page: what is known before it begins, and each of its ticks as a frame and in numbers."""

from __future__ import annotations

import base64
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from dsl.vocabulary import UNIT_TYPES
from hive.battle.course import StepState
from hive.battle.recorder import Frame as Seen
from hive.battle.recorder import Table, fire_codes, leaf_table, watch_tick
from hive.battle.world import Battle
from hive.engine.live import LiveGame
from hive.engine.world import EngineWorld
from hive.types import OUTCOMES, Plan, State
from hive.view.battle.replay import ground_picture, page_palette
from hive.view.pages import pack
from hive.web.frames import Frame

_FULL, _SIDE = 255, 65535  # steps of a health share and of a coordinate
_MOST_INDEX = 65535  # groups or leaves


@dataclass(frozen=True, eq=False)
class Shot:
    """One tick of a game.

    Attributes:
        frame: What browsers draw.
        outcome: How the game stands after the tick.
        alive: Live units by side and type.
        steps: `StepState` of each step of the plan in force.
        score: The player's score; None where it has none.
        fought: Whether a unit attacked in the tick; in a wildfire, whether the team sees a cell that burns.
    """

    frame: Frame
    outcome: str
    alive: list[list[int]]
    steps: list[int]
    score: float | None
    fought: bool

    @property
    def tick(self) -> int:
        """Its tick."""
        return self.frame.tick


class BattleStage:
    """One battle as the page sees it.

    Attributes:
        watch: What the engine keeps of each tick.
        terrain: The picture of the map as a `data:` URL.
        kind: Kind of the world.
        contact: What the first contact is.
    """

    watch = staticmethod(watch_tick)
    kind, contact = "battle", "first contact"

    def __init__(self, world: Battle) -> None:
        """Prepare what does not change."""
        self._world = world
        units = world.params.units
        self._side, self._type = np.asarray(units.side), np.asarray(units.type)
        self._max_health = np.asarray(world.params.types.max_health)[self._type]
        self.terrain = f"data:image/png;base64,{ground_picture(world.kind)}"
        self._leaves, self._place = leaf_table(world)
        self._attack = np.dtype(np.uint16 if len(self._side) < _MOST_INDEX else np.uint32)

    def meta(self) -> dict[str, Any]:
        """Return the static part of a replay's `meta`; `arrays` says where in `data` of `hello` each array lies."""
        world = self._world
        return {
            "title": world.title,
            "briefing": world.scenario.briefing.strip(),
            "metres": len(world.kind),
            "units": len(self._side),
            "terrain": int(np.bitwise_or.reduce(world.kind, axis=None)),
            "palette": page_palette(),
            "leaves": self._leaves,
            "scoreIs": world.score_is,
            "limit": world.limit,
            "burns": world.params.blaze is not None,
            "arrays": self._packed[0],
        }

    @cached_property
    def data(self) -> str:
        """Kind, side, type and max_health, as a replay packs them, in base64."""
        return base64.b64encode(self._packed[1]).decode()

    def markers(self, world: EngineWorld) -> dict[str, list[int]]:
        """Return the markers of the battle as it is told now."""
        assert isinstance(world, Battle), "a session keeps its kind of world"
        return {letter: [int(x), int(y)] for letter, (x, y) in sorted(world.scenario.markers.items())}

    def table(self, live: LiveGame) -> Table:
        """Describe what commands the units now."""
        return Table.of(self._world, live.plan, live.own_sizes)

    def table_of(self, plan: Plan) -> Table:
        """Describe a plan that is not followed yet."""
        return Table.of(self._world, plan, (plan.exists.shape[0], plan.tree.shape[0]))

    def shots(self, seen: Seen, count: int, table: Table, line: int) -> list[Shot]:
        """Return the ticks that the engine has played.

        Args:
            seen: From `LiveGame.play_watched`.
            count: How many of its rows are real.
            table: What commanded the units meanwhile.
            line: Number of the line of the game.
        """
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
                Shot(
                    frame=Frame(line, int(rows["tick"][t]), columns),
                    outcome=OUTCOMES[int(rows["outcome"][t])],
                    alive=self._alive(rows["health"][t] > 0),
                    steps=states[t].tolist(),
                    score=score if np.isfinite(score) else None,
                    fought=bool((rows["attack"][t] >= 0).any()),
                )
            )
        return found

    def now(self, live: LiveGame, table: Table, line: int) -> Shot:
        """Return the game's present tick, before the units decide."""
        rows: Seen = jax.tree.map(lambda leaf: leaf[None], live.look(watch_tick))
        return self.shots(rows, 1, table, line)[0]

    def start(self, state: State, line: int) -> Shot:
        """Return tick 0 of a game that has no plan yet."""
        side = self._world.params.terrain.size
        position = np.clip(np.round(np.asarray(state.position) * (_SIDE / side)), 0, _SIDE)
        fire = None if state.fire is None else np.asarray(fire_codes(state.fire.condition))
        columns = self._columns(position, np.asarray(state.health), fire)
        nothing = np.zeros(len(self._side), np.uint16)
        columns |= {"group": nothing, "leaf": nothing, "attack": nothing.astype(self._attack)}
        return Shot(Frame(line, 0, columns), "running", self._alive(np.asarray(state.health) > 0), [], None, False)

    def _columns(self, position: NDArray[Any], health: NDArray[Any], fire: NDArray[Any] | None) -> dict[str, Any]:
        share = np.ceil(health.astype(np.float32) * (_FULL / self._max_health)).clip(0, _FULL)
        columns = {
            "x": position[:, 0].astype(np.uint16),
            "y": position[:, 1].astype(np.uint16),
            "health": share.astype(np.uint8),
        }
        empty: dict[str, Any] = dict.fromkeys(("group", "leaf", "attack"))  # filled in by the caller, in this order
        return columns | empty | ({} if fire is None else {"fire": fire.reshape(-1)})

    def _alive(self, alive: NDArray[np.bool_]) -> list[list[int]]:
        kinds = len(UNIT_TYPES)
        counts = np.bincount(self._side[alive] * kinds + self._type[alive], minlength=2 * kinds)
        found: list[list[int]] = counts.reshape(2, kinds).tolist()
        return found

    @cached_property
    def _packed(self) -> tuple[list[dict[str, Any]], bytes]:
        return pack(
            {
                "kind": self._world.kind,
                "side": self._side.astype(np.uint8),
                "type": self._type.astype(np.uint8),
                "max_health": self._max_health.astype(np.float32),
            }
        )


def plan_words(table: Table) -> dict[str, Any]:
    """Return steps and groups in the words of a replay's course."""
    return {"steps": [asdict(step) for step in table.steps], "groups": [asdict(group) for group in table.groups]}


def step_states(achieved: NDArray[Any], active: NDArray[Any]) -> NDArray[np.integer]:
    """Return the `StepState` of each step, by the tick when it was achieved (-1: not yet) and whether it is active."""
    return np.where(achieved >= 0, StepState.ACHIEVED, np.where(active, StepState.ACTIVE, StepState.WAITING))
