"""What a world that the engine plays offers, and the text that a commander of it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import dsl
from hive.types import PLAYER, Params, State


@dataclass(frozen=True)
class Description:
    """A game in words.

    Attributes:
        system: What stays the same: role, rules, map, armies, plan language, mission.
        state: Where every unit stands, unit by unit.
        compact: All of it in short: a shorter map, and groups of units.
    """

    system: str
    state: str
    compact: str

    @property
    def full(self) -> str:
        """The complete text, in the published form."""
        return f"{self.system}\n\n{self.state}"

    @property
    def characters(self) -> dict[str, int]:
        """Length of the text in either form."""
        return {"full": len(self.full), "compact": len(self.compact)}


class World(Protocol):
    """A world ready to play: its names and sizes on the host, and the arrays made from it.

    `hive.load` returns one. Battles and wildfire levels are such worlds; plans, batches, recordings and swaps know
    nothing else about them.
    """

    @property
    def name(self) -> str:
        """Name that `hive.load` takes."""

    @property
    def title(self) -> str:
        """Heading of its pictures."""

    @property
    def plan(self) -> str | None:
        """The shipped plan or the path of the plan that the player follows when none is named."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Units of the player and of the enemy."""

    @property
    def written_for(self) -> tuple[int, int]:
        """Units of the player and of the enemy that plans for it count on; they are rescaled to `sizes`."""

    @property
    def behaviours(self) -> tuple[str, ...]:
        """Names of all trees that either side may use, in the order of their indices."""

    @property
    def unit_types(self) -> tuple[str, ...]:
        """Names of the K unit types, in the order of their indices."""

    @property
    def score_is(self) -> str:
        """What the score of a game measures."""

    @property
    def limit(self) -> int:
        """Ticks until a game times out."""

    @property
    def params(self) -> Params:
        """The arrays of the world; concrete, wherever it is first read."""

    def context(self, side: int = PLAYER, sizes: tuple[int, int] | None = None) -> dsl.PlanContext:
        """What a plan of a side is checked against.

        Args:
            side: PLAYER or ENEMY.
            sizes: Units of player and enemy that the plan was written for; `written_for` when None.
        """

    def describe(self, state: State) -> Description:
        """Put a game at one state into words, for a commander; units are in the order of their ids."""

    def rule_rows(self, rules: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
        """Return every combination of values of rules, the last rule fastest.

        Args:
            rules: Values to try for each rule, by name.

        Raises:
            UserError: There is no such rule, or a value is out of its range or given twice, or there is none.
        """
