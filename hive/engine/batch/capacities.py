"""Capacities of a batch of plans, so that a batch of other plans runs the same programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from bt import capacity
from hive.engine.plan.arrays import EXTRAS, extras_of, pad_plan, ways_of
from hive.engine.swapping import sizes_of
from hive.engine.types import Plan


@dataclass(frozen=True)
class Capacities:
    """Capacities that plans are padded to, rounded up to powers of two.

    Batches with the same capacities, world and number of seeds have one shape, whatever their plans: after the first of
    them, nothing is compiled. Padding changes no game. The defaults hold all shipped plans of battles. Trees need no
    capacity: a world holds all that its plans may name. Neither do the fields of `hive.engine.plan.arrays.EXTRAS`: the
    plans of a job get those that one of them uses, and the first job with one compiles programs that have it.

    Attributes:
        plans: Plans of one batch; more are played in several batches, fewer leave lanes idle.
        steps: Steps of one plan.
        groups: Groups of one plan, over all its steps.
        memberships: Groups that one unit belongs to, over all steps of a plan.
        places: Distinct targets of all plans of a batch; a batch whose plans have more is split. A target that is
            also a way under cover counts twice.
        cells: Cells that the objectives of one plan list.
    """

    plans: int = 16
    steps: int = 16
    groups: int = 64
    memberships: int = 16
    places: int = 128
    cells: int = 1

    def __post_init__(self) -> None:
        """Round up.

        Raises:
            ValueError: A capacity is no whole number, or below 1.
        """
        for each in fields(self):
            value = getattr(self, each.name)
            if value < 1 or int(value) != value:
                raise ValueError(f"the capacity for {each.name} is {value}; it is a whole number from 1")
            object.__setattr__(self, each.name, capacity(int(value)))

    def why_not(self, plan: Plan) -> str | None:
        """Return why a plan does not fit, in words, or None for one that fits."""
        for name, size in sizes_of(plan).items():
            if name not in EXTRAS and size > getattr(self, name):
                return f"its {name} need a capacity of {size}, and the batch has room for {getattr(self, name)}"
        return None

    def pad(self, plans: Sequence[Plan]) -> list[Plan]:
        """Return the same plans padded to these capacities, except for `places`, which a batch shares.

        Raises:
            ValueError: One does not fit.
        """
        used = [extras_of(plan) for plan in plans]
        sizes: dict[str, int] = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "plans"}
        sizes |= {name: max(each[name] for each in used) for name in EXTRAS if plans}
        for plan in plans:
            if why := self.why_not(plan):
                raise ValueError(why)
        return [pad_plan(plan, **(sizes | {"places": plan.place.shape[0]})) for plan in plans]

    def batches(self, plans: Sequence[Plan], enemies: Sequence[Plan] | None = None) -> list[range]:
        """Cut plans, in their order, into batches that fit; `enemies` are the other side's plans in the same rows."""
        batches, first = [], 0
        known: list[set[tuple[int, int, bool]]] = [set(), set()]
        for number, both in enumerate(zip(plans, enemies or plans, strict=True)):
            new = [places_of(plan) for plan in both]
            more = [old | add for old, add in zip(known, new, strict=True)]
            if number - first == self.plans or max(map(len, more)) > self.places:
                batches.append(range(first, number))
                first, more = number, new
            known = more
        return [*batches, range(first, len(plans))]


def places_of(plan: Plan) -> set[tuple[int, int, bool]]:
    """Return the distinct targets of a plan, x, y and whether the way is under cover."""
    return set(ways_of(plan))
