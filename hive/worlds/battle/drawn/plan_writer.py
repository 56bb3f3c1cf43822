"""Plans as text in the plan language, written step by step for an army."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.vocabulary import UNIT_TYPES
from hive.worlds.battle.drawn.armies import Army, Post
from hive.worlds.battle.drawn.sketch import Point

ELIMINATION = "elimination all"

_FIGHTS = {
    "spearmen": "attack_in_close_range any",
    "archer": "attack_in_long_range any",
    "cavalry": "attack_in_close_range any",
    "balista": "hold any",
    "dragon": "attack_in_close_range any",
}


class PlanWriter:
    """A plan for an army, as far as it is written."""

    def __init__(self, army: Army) -> None:
        """Begin an empty plan."""
        self.army = army
        self._steps: list[str] = []

    def step(self, objective: str, groups: Sequence[str], after: Sequence[int] = ()) -> int:
        """Write a step.

        Args:
            objective: Its objective.
            groups: Results of `fight` and `march`.
            after: Numbers of the steps that come before it.

        Returns:
            Its number.
        """
        number = len(self._steps)
        waits = ", ".join(map(str, after))
        lines = [f"Step {number}:", f"prerequisites: [{waits}]", f"objective: {objective}", *groups]
        self._steps.append("\n".join(lines))
        return number

    def fight(
        self, posts: Sequence[Post], target: str, within: int | None = None, behind: int | None = None
    ) -> list[str]:
        """Return groups that go to a target and fight on their way: one for each type in some posts.

        Args:
            posts: Whose units go.
            target: Where they go, as a plan says it.
            within: Metres that they stray from it at most.
            behind: Metres that archers stay behind others of the posts.
        """
        groups, leader = [], ""
        for kind in UNIT_TYPES:
            units = self.army.units(posts, kind)
            if not units or kind == "civilian":
                continue
            leash = f" within {within}" if within is not None and kind != "balista" else ""
            at = f"behind {leader} by {behind}" if behind is not None and kind == "archer" and leader else target
            groups.append(_group(units, at, f"{_FIGHTS[kind]}{leash}"))
            leader = leader or (units if kind in ("spearmen", "cavalry") else "")
        return groups

    def march(self, posts: Sequence[Post], target: str, kinds: Sequence[str] = UNIT_TYPES) -> list[str]:
        """Return groups that go to a target and fight nobody; balistas, which cannot walk, go on fighting."""
        groups = []
        for kind in kinds:
            if units := self.army.units(posts, kind):
                groups.append(_group(units, target, _FIGHTS[kind] if kind == "balista" else "follow_map"))
        return groups

    def text(self) -> str:
        """Return the plan."""
        return "\n\n".join(["BEGIN PLAN\n" + self._steps[0], *self._steps[1:]]) + "\nEND PLAN\n"


def spot(place: Point, via: Sequence[Point] = ()) -> str:
    """Return a target as a plan says it, with places on the way."""
    on_the_way = f" via {', '.join(map(str, via))}" if via else ""
    return f"{place}{on_the_way}"


def _group(units: str, target: str, behaviour: str) -> str:
    return f"units: {units}\n- target position: {target}\n- behavior: {behaviour}"
