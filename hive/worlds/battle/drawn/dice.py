"""Draws that are the same on every machine: whole numbers from BLAKE2b, by purpose and counter.

No generator of NumPy or of Python's `random` takes part, since their algorithms may change with a version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Draws for one purpose; draws for another purpose do not change them."""

    def __init__(self, purpose: str) -> None:
        """Begin the draws of a purpose, such as `battle/rivers/17/map`."""
        self._purpose = purpose
        self._count = 0

    def below(self, count: int) -> int:
        """Return a whole number from 0 to `count` - 1."""
        text = f"{self._purpose}#{self._count}".encode()
        self._count += 1
        return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") * count >> 64

    def between(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Return true in that many of a hundred cases."""
        return self.below(100) < percent

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options, all equally likely."""
        return options[self.below(len(options))]

    def weighted(self, weights: Mapping[T, int]) -> T:
        """Return one of the keys, likely in proportion to its weight; a weight of 0 is never drawn.

        Raises:
            ValueError: No key has a weight.
        """
        left = self.below(sum(weights.values()))
        for option, weight in weights.items():
            left -= weight
            if left < 0:
                return option
        raise ValueError("there is no option with a weight")

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Return the options in a random order."""
        rest = list(options)
        return [rest.pop(self.below(len(rest))) for _ in options]
