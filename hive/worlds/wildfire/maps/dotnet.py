"""The seeded random numbers of .NET, from which the published wildfire maps are drawn.

Rules: docs/rules/wildfire_levels.md 1.3.

Knuth's subtractive generator with 55 lags. The order of draws is part of a map, so one generator object is passed on.
"""

from __future__ import annotations

_MODULUS = 2**31 - 1
_LAGS = 55
_START = 161803398


class DotNetRandom:
    """The random generator of a seed; every method takes one draw."""

    MOST_SEED = 10**8  # beyond 161,803,398 the published generator overflows, which no published data covers

    def __init__(self, seed: int) -> None:
        """Fill the table.

        Args:
            seed: 0 to `MOST_SEED`.

        Raises:
            ValueError: The seed is out of range.
        """
        if not 0 <= seed <= self.MOST_SEED:
            raise ValueError(f"the seed {seed} is not 0 to {self.MOST_SEED}")
        table = [0] * (_LAGS + 1)  # counted from 1, as the published rules count
        before, now = _START - seed, 1
        table[_LAGS] = before
        for i in range(1, _LAGS):
            table[21 * i % _LAGS] = now
            before, now = now, (before - now) % _MODULUS
        for _ in range(4):
            for i in range(1, _LAGS + 1):
                table[i] = (table[i] - table[1 + (i + 30) % _LAGS]) % _MODULUS
        self._table = table
        self._at = 0

    def raw(self) -> int:
        """Draw a whole number from 0 to 2^31 - 2."""
        self._at = self._at % _LAGS + 1
        other = (self._at + 20) % _LAGS + 1
        self._table[self._at] = value = (self._table[self._at] - self._table[other]) % _MODULUS
        return value

    def uniform(self) -> float:
        """Draw a number in [0, 1)."""
        return self.raw() / _MODULUS

    def below(self, end: int) -> int:
        """Draw a whole number in [0, end)."""
        return int(self.uniform() * end)

    def between(self, start: int, end: int) -> int:
        """Draw a whole number in [start, end)."""
        return start + self.below(end - start)
