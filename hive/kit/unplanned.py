"""What the kinds of worlds share that agents play and no plan commands."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import dsl
from dsl import UserError
from dsl.wording import plural
from hive.kit.keep.runfolder import Content
from hive.kit.planned_world import OF_PLANS, Request, Run, World
from hive.kit.team_world import Cast


class Unplanned:
    """A kind of such worlds: it refuses everything that concerns plans and games."""

    planned = sized = compared = seeded = readable = pictured = False
    foreign: Collection[str] = (
        *OF_PLANS,
        *("fire_rules", "rules_text", "printed_speeds", "map_picture", "prompt_version"),
    )
    undescribed: Collection[str] = ("numbers", "seed")
    beat = "step"
    notes = ""
    noun: str

    def members(self, name: str) -> Sequence[str]:
        """Return the name alone; see `Kind`."""
        return (name,)

    def version(self, name: str) -> int:
        """Return 1: no world of this kind has played differently since it was published; see `Kind`."""
        return 1

    def set_summary(self, name: str) -> None:
        """Return None: there are no sets of such worlds."""

    def refusal(self, scenario: str) -> UserError:
        """Return what is raised when a world of this kind is named where plans are played."""
        help = f"`hive run {scenario}` lets a team play it, and `hive describe {scenario}` describes it"
        return UserError(f"{scenario} is a {self.noun}, which agents play and no plan commands\n  = help: {help}")

    def refuse_game(self, request: Request, tick: int, keeps: str) -> None:
        """Refuse to describe what only games have.

        Args:
            request: Which world to describe.
            tick: The tick to describe; only the start of a world can be described.
            keeps: What `--out` keeps.

        Raises:
            UserError: An option of games is set, or the tick is not 0.
        """
        noun, scenario = self.noun, request.scenario
        refused = (*self.foreign, *self.undescribed)
        request.refuse(refused, f"{scenario} is a {noun}", f"another {noun} has another name")
        if tick:
            raise UserError(
                f"a {noun} is described at its start, not after {plural(tick, self.beat)}\n"
                f"  = help: `hive run {scenario} --out FOLDER` keeps {keeps}"
            )

    def context(self, request: Request, side: int) -> tuple[dsl.PlanContext, str]:
        """Refuse; see `Kind`."""
        raise self.refusal(request.scenario)

    def load(self, request: Request) -> tuple[World, int]:
        """Refuse; see `Kind`."""
        raise self.refusal(request.scenario)

    def own_plan(self, request: Request) -> str | None:
        """Refuse; see `Kind`."""
        raise self.refusal(request.scenario)

    def prepare(self, request: Request) -> Run:
        """Refuse; see `Kind`."""
        raise self.refusal(request.scenario)


class AnyTeam:
    """What a `TeamWorld` has where every team can play, nothing is published and nothing is saved."""

    @property
    def seeds(self) -> Sequence[int]:
        """0 alone."""
        return (0,)

    def check(self, cast: Cast) -> None:
        """Every team can play."""

    def files(self, folder: Path) -> Mapping[str, Content]:
        """Nothing is saved."""
        return {}


class Unscored:
    """What `hive.kit.team_world.TeamResults` have where no published scores are compared."""

    def scores(self) -> Sequence[Mapping[str, Any]]:
        """Return nothing."""
        return ()
