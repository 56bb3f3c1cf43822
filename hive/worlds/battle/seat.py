"""A battle from either side's seat: the same facts and texts for both, with no more of the other side than was seen.

The seat of the enemy is the battle with both sides exchanged: its army is the player's there, and plans for it are
written in its own unit ids. Whatever describes a battle to the player describes it to the enemy, too.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

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


class Seat:
    """What one side knows during one game.

    It knows its own units. Of the other side it knows where each unit stood at the start, how many are left, and where
    each one was when one of its own units last saw it at a tick at which `look` was called (docs/arena.md).

    Attributes:
        side: PLAYER or ENEMY.
        world: The battle as it is played.
        own: The battle from this seat, in which the side is the player; for the player the same as `world`.
        seen: `[N]` tick at which it saw each unit last, rows as in `own`; -1: now.
    """

    def __init__(self, world: Battle, side: int) -> None:
        """Begin a game of which nothing was seen yet."""
        self.world, self.side = world, side
        self.own = world if side == PLAYER else Battle(exchanged(world.scenario))
        self._known: State | None = None  # rows as in `own`
        self.seen = np.full(sum(world.sizes), -1)

    @cached_property
    def _rows(self) -> np.ndarray:
        """Row in the battle of each unit as this seat counts them, the own ones first."""
        mine, theirs = self.world.sizes
        rows = np.arange(mine + theirs)
        return rows if self.side == PLAYER else np.roll(rows, -mine)

    def look(self, state: State) -> State:
        """Take in what the side sees now, and return the game as it knows it, with the own units first.

        Args:
            state: The battle now, units in the order of their ids.
        """
        rows, count = self._rows, self.own.sizes[0]
        # On the host: on the device, each of these operations would be compiled for each size of an army.
        now = state.replace(
            **{name: np.asarray(getattr(state, name))[rows] for name in ("position", "health", "cooldown")}
        )
        if self._known is not None:
            params = self.world.padded.replace(enemy=None)  # whose shape differs between battles
            seen = np.asarray(_sees(params, pad_state(state, params.count)))[np.ix_(rows[:count], rows[count:])].any(0)
            known = np.concatenate([np.ones(count, bool), seen])
            before = self._known
            self.seen = np.where(known, -1, np.where(self.seen < 0, int(before.tick), self.seen))
            now = now.replace(
                position=np.where(known[:, None], now.position, before.position),
                # The fallen are counted at once; who lives and is not seen is as well as it was.
                health=np.where(known | ~now.alive, now.health, before.health),
            )
        self._known = now
        return now

    def back(self, known: State | None) -> None:
        """Forget what was seen after some `look`, which returned `known`; None: everything."""
        self._known, self.seen = known, np.full_like(self.seen, -1) if known is None else self.seen

    @property
    def known(self) -> State:
        """The game as the side knew it at the last `look`.

        Raises:
            ValueError: It never looked.
        """
        if self._known is None:
            raise ValueError("a seat knows nothing before its first look")
        return self._known

    def facts(self) -> Facts:
        """Return what a commander by rules knows now."""
        return self.own.facts(self.known)

    def describe(self, wording: Wording = TRUE) -> Description:
        """Describe the game in words as the side knows it."""
        return describe(self.own.scenario, self.own.params, self.known, wording, self.seen)


@jax.jit
def _sees(params: Params, state: State) -> Bool[Array, "n n"]:
    return sight_matrix(params.now(state), state)
