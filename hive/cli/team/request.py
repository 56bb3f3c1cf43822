"""What a command line of `hive team` asks for: one cell of the table for each framework and number of agents."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.contract import PUBLISHED, Request
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.prompting import Prompts
from hive.players.teams.rules import Quirks, TeamRules

PLANS = "plans"  # the framework of one commander that writes plans
TITLES = {name: each.title for name, each in FRAMEWORKS.items()} | {"nothing": "Do Nothing", PLANS: "plans"}
PERIOD = 10  # ticks from one plan to the next, where nothing else is said


@dataclass(frozen=True, kw_only=True)
class TeamCell:
    """One framework on one level with one number of agents.

    Attributes:
        framework: A key of `TITLES`.
        request: The level with its changes, without a seed.
        seeds: Seeds of its episodes.
        rules: How a team is run; None for plans.
        prompts: The prompts of a team; None for plans.
        every: For plans: ticks from one plan to the next, if there is a period.
        events: For plans: whether events are reasons for a new plan.
        several: Whether the command has cells of several sizes.
    """

    framework: str
    request: Request
    seeds: tuple[int, ...]
    rules: TeamRules | None = None
    prompts: Prompts | None = None
    every: int | None = None
    events: bool = False
    several: bool = False

    @property
    def name(self) -> str:
        """Name of its folder."""
        if not self.several:
            return self.framework
        return f"{self.framework}-{int(dict(self.request.numbers)['firefighters'])}"

    def manner(self) -> dict[str, Any]:
        """Return what decides how the framework plays, in plain values."""
        if self.framework == PLANS:
            return {"every": self.every, "events": self.events}
        return {**asdict(self.rules), "prompts": self.prompts.source} if self.rules and self.prompts else {}

    def identity(self) -> dict[str, Any]:
        """Return what decides the episodes, in plain values."""
        return {
            "framework": self.framework,
            "level": self.request.scenario,
            "changes": dict(self.request.numbers),
            "rules": self.request.fire_rules,
            "seeds": list(self.seeds),
            **self.manner(),
        }


def cells_of(args: argparse.Namespace, request: Request, published: Sequence[int]) -> list[TeamCell]:
    """Return what a command line asks for.

    Args:
        args: The command line.
        request: The level with its changes.
        published: Published seeds of the level.

    Raises:
        UserError: A framework does not exist or is named twice, or options contradict each other.
    """
    frameworks = [_known(name) for name in args.framework or ["camon"]]
    if len(set(frameworks)) < len(frameworks):
        raise UserError("a framework is named twice\n  = help: name each framework once")
    plans_only = [option for option, given in (("--every", args.every), ("--events", args.events)) if given]
    if plans_only and PLANS not in frameworks:
        raise UserError(f"{listing(plans_only, 'and')} cannot be used here: only `--framework plans` writes plans")
    if args.prompts and not set(frameworks) - {PLANS, "nothing"}:
        raise UserError("--prompts cannot be used here: it holds the prompts of teams, and no team plays")
    prompts, given = Prompts(args.prompts), dict(request.numbers)
    if args.agents and "firefighters" in given:
        raise UserError("--agents sets the number of firefighters\n  = help: leave out --set firefighters=N")
    if args.steps and "limit" in given:
        raise UserError("--steps sets the limit of the level\n  = help: leave out --set limit=N")
    cells = []
    for framework in frameworks:
        for agents in args.agents or [None]:
            numbers = [*request.numbers]
            numbers += [("firefighters", agents)] if agents else []
            numbers += [("limit", args.steps)] if args.steps else []
            cells.append(
                TeamCell(
                    framework=framework,
                    request=Request(
                        scenario=request.scenario, numbers=tuple(numbers), fire_rules=request.fire_rules, keep=True
                    ),
                    seeds=_seeds(args, published),
                    rules=_rules(args) if framework != PLANS else None,
                    prompts=prompts if framework != PLANS else None,
                    every=args.every or (None if args.events else PERIOD),
                    events=args.events,
                    several=bool(args.agents),
                )
            )
    return cells


def _rules(args: argparse.Namespace) -> TeamRules:
    return TeamRules(
        direct_perception=args.direct_perception,
        direct_execution=args.direct_execution,
        temperature=args.temperature,
        top_p=args.top_p,
        max_tokens=args.max_tokens,
        quirks=Quirks(**dict.fromkeys(args.quirks, True)),
    )


def _seeds(args: argparse.Namespace, published: Sequence[int]) -> tuple[int, ...]:
    if args.seed is not None:
        return (args.seed,)
    if args.seeds is None:
        return (published[0],)
    return tuple(published) if args.seeds == PUBLISHED else tuple(range(int(args.seeds)))


def _known(name: str) -> str:
    if name not in TITLES:
        advice = did_you_mean(nearest(name, TITLES)) or f"the frameworks are {listing(TITLES, 'and')}"
        raise UserError(f"there is no framework `{name}`\n  = help: {advice}")
    return name
