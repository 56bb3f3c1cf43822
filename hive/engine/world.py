"""What a world that the engine plays offers in addition to the host's contract: its sizes, names and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from hive.engine.types import Params, State
from hive.kit.facts import Facts
from hive.kit.planned_world import World


class EngineWorld(World, Protocol):
    """A world of units, trees and plans; `hive.load` returns one.

    Battles and wildfire levels are such worlds; plans, batches, recordings and swaps use nothing else of them.
    """

    @property
    def sizes(self) -> tuple[int, int]:
        """Units of the player and of the enemy."""

    @property
    def written_for(self) -> tuple[int, int]:
        """Team sizes (player, enemy) that plans for this world are written for; plans are rescaled to `sizes`."""

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
    def params(self) -> Params:
        """The arrays of the world; concrete, even when first read inside a trace."""

    def map_png(self, state: State, form: str, size: int = 1024) -> bytes:
        """Return the map with its live units as a PNG; only for worlds that take `Request.map_picture`.

        Args:
            state: The world now.
            form: One of `hive.kit.planned_world.MAP_PICTURES`.
            size: Pixels of a side of the picture, 512 or more.
        """

    def rule_rows(self, rules: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
        """Return every combination of values of rules, the last rule fastest.

        Args:
            rules: Values to try for each rule, by name.

        Raises:
            UserError: A rule does not exist, or its values are missing, out of range or given twice.
        """


@runtime_checkable
class ReadableWorld(EngineWorld, Protocol):
    """A world whose orders rules can read: it offers its facts as numbers and names."""

    def facts(self, state: State) -> Facts:
        """Return what a commander by rules knows of a game: no more than `describe` says in words.

        Args:
            state: The world now.
        """
