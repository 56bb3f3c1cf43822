"""When the player `plans`, one commander that writes plans, is asked for one (docs/rules/teams.md 10)."""

from __future__ import annotations

from dataclasses import dataclass

PLANS = "plans"
"""The name of this player."""

PERIOD = 10
"""Ticks from one plan to the next, where nothing else is said."""


@dataclass(frozen=True, kw_only=True)
class Occasions:
    """When a commander is asked for a plan, besides the start.

    Attributes:
        period: Ticks from one plan to the next; None: `PERIOD`, or no period with events.
        events: Whether a first sight, a loss or an achieved step is a reason.
    """

    period: int | None = None
    events: bool = False

    @property
    def every(self) -> int | None:
        """Ticks from one plan to the next; None: there is no period."""
        return self.period or (None if self.events else PERIOD)


DEFAULT_OCCASIONS = Occasions()
