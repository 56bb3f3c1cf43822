"""Orders for units on the ground: fell their part of a firebreak, and avoid cells where the fire comes next."""

from __future__ import annotations

import numpy as np

from dsl.nodes import Cell, Cut
from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.crew_schedule import Hand
from hive.worlds.wildfire.commanders.fire_watch import FireWatch, widen
from hive.worlds.wildfire.commanders.plan_writer import Order
from hive.worlds.wildfire.commanders.terrain_facts import STRIDE, Bools, Ints, apart, cell_at, slowness
from hive.worlds.wildfire.commanders.ways import SIDES, next_stop, time_to
from hive.worlds.wildfire.reports import Report

_ROW = 5  # cells that a bulldozer fells in one order
_ROUND = 26  # cells round a unit and its goal in which a path is searched


class CrewOrders:
    """The orders of one plan.

    Args:
        watch: The fire.
        report: The units.
        cells: `[K, 2]` cells of the firebreak.
        every: Ticks until the next plan.
    """

    def __init__(self, watch: FireWatch, report: Report, cells: Ints, every: int) -> None:
        """Compute what all orders need."""
        self._watch, self._report, self._every = watch, report, every
        self._wanted = {cell_at(cell) for cell in cells}
        self._left = watch.next_update - watch.tick
        self._threatened: Bools = widen(watch.sources, 1) & watch.fuel

    def of(self, hand: Hand, hands: list[Hand]) -> list[Order]:
        """Return what a unit does next; it stands if it has neither work nor danger."""
        orders = self._drive(hand) if hand.kind == CrewType.BULLDOZER else self._walk(hand, hands)
        return orders or [Order(cell_at(hand.place), "stand")]

    def _walk(self, hand: Hand, hands: list[Hand]) -> list[Order]:
        """A firefighter fells its own cell, then goes to its next cell and fells it."""
        own = cell_at(hand.place)
        others = sum(each.kind == CrewType.FIREFIGHTER and cell_at(each.place) == own for each in hands)
        in_time = not self._threatened[own] or self._watch.trees[own] <= self._left * others
        if hand.jobs[:1] == [own] and in_time:
            later = [cell for cell in hand.jobs[1:2] if not self._threatened[cell] or self._left > self._every]
            return [Order(cell, "cut", Cut((cell,))) for cell in (own, *later)]
        return self._go(hand, hand.jobs[0] if hand.jobs else None)

    def _drive(self, hand: Hand) -> list[Order]:
        """A bulldozer fells along rows of the firebreak."""
        if not hand.jobs:
            return self._go(hand, None)
        watch, here, goal = self._watch, hand.place, hand.jobs[0]
        dx, dy = (int(np.sign(goal[axis] - here[axis])) for axis in (0, 1))
        gap = int(apart(here, goal))
        if gap == 0:
            ends = [self._row(goal, side) for side in SIDES]
            return [Order(max(ends, key=lambda end: int(apart(end, here))), "clear_line")]
        if (dx == 0 or dy == 0) and gap <= _ROW and self._free(here, (dx, dy), gap):
            return [Order(self._row(goal, (dx, dy)), "clear_line")]
        if gap == 1 and not (watch.deadly[goal[0], here[1]] or watch.deadly[here[0], goal[1]]):
            return [Order(goal, "clear_line")]
        return self._go(hand, goal)

    def _free(self, here: Ints, side: Cell, gap: int) -> bool:
        """Whether driving to a cell in the same row fells only cells of the firebreak."""
        way = [(int(here[0]) + side[0] * i, int(here[1]) + side[1] * i) for i in range(1, gap)]
        bare = (self._watch.trees == 0) & ~self._watch.deadly
        return all(cell in self._wanted or bare[cell] for cell in way)

    def _row(self, start: Cell, side: Cell) -> Cell:
        """The last cell of a row of the firebreak."""
        end = start
        for _ in range(_ROW):
            ahead = (end[0] + side[0], end[1] + side[1])
            if ahead not in self._wanted:
                break
            end = ahead
        return end

    def _go(self, hand: Hand, goal: Cell | None) -> list[Order]:
        """Return the next stop on the path to a cell, or to safety; before the fire spreads, a safe stop."""
        watch, seen, here = self._watch, self._report.seen, hand.place
        safe = ~(self._threatened | watch.deadly)
        mark = np.zeros(seen.shape, bool)
        if goal is None:
            mark |= ~(widen(watch.sources, 2) & watch.fuel) & ~watch.deadly
            if mark[cell_at(here)]:
                return []
        else:
            mark[goal] = True
        ends = np.array([here, here if goal is None else goal])
        low, high = np.maximum(ends.min(0) - _ROUND, 0), np.minimum(ends.max(0) + _ROUND + 1, seen.shape)
        part = slice(low[0], high[0]), slice(low[1], high[1])
        pace = slowness(seen) if hand.kind == CrewType.FIREFIGHTER else np.full(seen.shape, 1 / STRIDE[hand.kind])
        slow = np.where(watch.deadly, np.inf, pace)[part]
        soon = self._left <= self._every
        ticks = float(self._left if soon else self._every)
        stop = next_stop(slow, time_to(slow, mark[part]), here - low, ticks, safe=safe[part] if soon else None)
        return [] if stop is None else [Order((stop[0] + int(low[0]), stop[1] + int(low[1])))]
