"""What a search played, generation by generation: plain values that are saved and read again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Candidate:
    """A plan and its games in one generation.

    Attributes:
        id: Number of the plan; 0 is the plan that the search began with.
        values: Values of its games in this generation, in the order of the seeds, as `Evaluate` returned them.
        parent: Number of the plan that it was made from; None for the first plan.
        moves: Names of the moves that made it.
        text: The plan; empty where an earlier generation has it.
    """

    id: int
    values: tuple[float, ...]
    parent: int | None = None
    moves: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Generation:
    """Plans that were played with the same seeds.

    Attributes:
        number: From 0.
        first_seed: The seeds count up from here.
        games: Games of the search so far, this generation included.
        candidates: Every plan that was played.
        kept: Numbers of the plans that are kept, the best first.
    """

    number: int
    first_seed: int
    games: int
    candidates: tuple[Candidate, ...]
    kept: tuple[int, ...]

    def json(self) -> dict[str, Any]:
        """Return it in plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Generation:
        """Return the generation of `json`.

        Raises:
            ValueError: It is not one.
        """
        try:
            candidates = tuple(
                Candidate(**{**each, "values": tuple(map(float, each["values"])), "moves": tuple(each["moves"])})
                for each in found["candidates"]
            )
            generation = cls(**{**found, "candidates": candidates, "kept": tuple(found["kept"])})
            if not (candidates and generation.kept):
                raise ValueError("it played or kept no plan")
            return generation
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it is no generation of a search: {error}") from None
