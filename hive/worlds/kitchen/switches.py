"""What is needed to compare with published figures, each behind one name (docs/rules/kitchen.md 7)."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True)
class Switches:
    """Published behaviour that can be chosen.

    Attributes:
        oven_fill_is_put: Histories name a dish filled at the oven as a put into it.
        published_limits: Time limits follow from the published times rather than from the least ones.
        freeze: Starting a utensil stops, for that timestep, the working ones that were loaded later.
        drop_unknown: Scores leave out actions that the published evaluator does not know; they are counted.
        wait_for: Plans of language agents may wait for an item.
    """

    oven_fill_is_put: bool = False
    published_limits: bool = True
    freeze: bool = False
    drop_unknown: bool = True
    wait_for: bool = True


SWITCH_NAMES = tuple(each.name for each in fields(Switches))
"""Names of the switches."""
