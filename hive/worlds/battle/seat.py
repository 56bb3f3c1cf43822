"""A battle from either side's seat: the same facts and texts for both, with no more of the other side than was seen.

The seat of the enemy is the battle with both sides exchanged: its army is the player's there, and plans for it are
written in its own unit ids. Whatever describes a battle to the player describes it to the enemy, too.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Bool

from hive.engine.padding import pad_state
from hive.engine.types import ENEMY, PLAYER, Params, State
from hive.engine.units.senses import sight_matrix
from hive.kit.facts import Facts
from hive.kit.reporting import Description
from hive.worlds.battle.briefing import TRUE, Wording, describe
from hive.worlds.battle.mission import mission_text
from hive.worlds.battle.scenario import Scenario
from hive.worlds.battle.world import Battle


def exchanged(scenario: Scenario) -> Scenario:
    """Return the same battle with the enemy as the player, and its mission as the briefing."""
    return replace(
        scenario,
        player=scenario.enemy,
        enemy=scenario.player,
        written_for=scenario.written_for[::-1],
        briefing=mission_text(scenario, ENEMY),
    )


class Memory(NamedTuple):
    """The game as a side knows it, with its own units first.

    Attributes:
        state: The game.
        seen: `[N]` tick at which the side saw each unit last; -1: now.
    """

    state: State
    seen: np.ndarray


class Seat:
    """What one side knows during one game.

    It knows its own units. Of the other side it knows where each unit stood at the start, how many are left, and where
    each one was when one of its own units last saw it at a tick at which `look` was called (docs/arena.md).

    Attributes:
        side: PLAYER or ENEMY.
        world: The battle as it is played.
        own: The battle from this seat, in which the side is the player; for the player the same as `world`.
    """

    def __init__(self, world: Battle, side: int) -> None:
        """Begin a game of which nothing was seen yet."""
        self.world, self.side = world, side
        self.own = world if side == PLAYER else Battle(exchanged(world.scenario))
        self._memory: Memory | None = None  # rows as in `own`

    @cached_property
    def _rows(self) -> np.ndarray:
        """Row in the battle of each unit as this seat counts them, the own ones first."""
        mine, theirs = self.world.sizes
        rows = np.arange(mine + theirs)
        return rows if self.side == PLAYER else np.roll(rows, -mine)

    def look(self, state: State) -> Memory:
        """Take in what the side sees now, and return what it knows then.

        Args:
            state: The battle now, units in the order of their ids.
        """
        rows, count = self._rows, self.own.sizes[0]
        # On the host: on the device, each of these operations would be compiled for each size of an army.
        now = state.replace(
            **{name: np.asarray(getattr(state, name))[rows] for name in ("position", "health", "cooldown")}
        )
        last = np.full(len(rows), -1)
        if self._memory is not None:
            params = self.world.padded.replace(enemy=None)  # whose shape differs between battles
            seen = np.asarray(_sees(params, pad_state(state, params.count)))[np.ix_(rows[:count], rows[count:])].any(0)
            known = np.concatenate([np.ones(count, bool), seen])
            before, last = self._memory
            last = np.where(known, -1, np.where(last < 0, int(before.tick), last))
            now = now.replace(
                position=np.where(known[:, None], now.position, before.position),
                # The fallen are counted at once; who lives and is not seen is as well as it was.
                health=np.where(known | ~now.alive, now.health, before.health),
            )
        self._memory = Memory(now, last)
        return self._memory

    def back(self, memory: Memory | None) -> None:
        """Forget what was seen after some `look`, which returned `memory`; None: everything."""
        self._memory = memory

    @property
    def memory(self) -> Memory:
        """What the side knew at the last `look`.

        Raises:
            ValueError: It never looked.
        """
        if self._memory is None:
            raise ValueError("a seat knows nothing before its first look")
        return self._memory

    @property
    def known(self) -> State:
        """The game as the side knew it at the last `look`; see `memory`."""
        return self.memory.state

    @property
    def seen(self) -> np.ndarray:
        """`[N]` tick at which it saw each unit last, own units first; -1: at the last `look`; see `memory`."""
        return self.memory.seen

    def facts(self) -> Facts:
        """Return what a commander by rules knows now."""
        return self.own.facts(self.known)

    def describe(self, wording: Wording = TRUE) -> Description:
        """Describe the game in words as the side knows it."""
        return describe(self.own.scenario, self.own.params, self.known, wording, self.seen)


@jax.jit
def _sees(params: Params, state: State) -> Bool[Array, "n n"]:
    return sight_matrix(params.now(state), state)
