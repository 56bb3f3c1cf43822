"""The scenario and the plan that a command line names, checked before anything is compiled."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dsl
from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.cli.printing import tell
from hive.plan.text import PlanText, plan_text
from hive.worlds import is_level

if TYPE_CHECKING:
    from hive.battle.scenario import Scenario
    from hive.battle.world import Battle
    from hive.engine.world import World
    from hive.types import Plan
    from hive.wildfire.world import Fireground

_LEVEL_NUMBERS = (  # what `--set` changes of a level
    "firefighters", "bulldozers", "drones", "helicopters", "size", "offset", "limit", "civilians", "chance",
    "burnt_kills",
)  # fmt: skip
_FOR_BATTLES = {
    "units": "--units",
    "markers": "--marker",
    "swaps": "--swap",
    "every": "--every",
    "lenient": "--lenient",
}


def read_world(args: argparse.Namespace) -> Battle:
    """Load the scenario with the changes that the command line asks for.

    Raises:
        UserError: A rule is unknown or given twice, or anything is wrong with the scenario.
    """
    if is_level(args.scenario):
        raise UserError(
            f"{args.scenario} is a wildfire level, and this command is for battles\n"
            "  = help: `hive run`, `hive describe` and `hive check` know levels; there each seed has a map of its own"
        )
    from hive.battle.scenario.schema import RULES

    changes = _changes(args, tuple(RULES.keys), "rule")
    if args.units is not None:
        changes["units"] = args.units
    from hive.battle.scenario import with_markers
    from hive.battle.world import Battle, load

    try:
        world = load(args.scenario, **changes)
    except UserError:
        from hive.wildfire.levels import levels

        if args.scenario in levels():
            help = f"did you mean `wildfire/{args.scenario}`?"
            raise UserError(f"there is no scenario `{args.scenario}`\n  = help: {help}") from None
        raise
    markers = dict(getattr(args, "markers", ()))
    return Battle(with_markers(world.scenario, markers)) if markers else world


def read_level(args: argparse.Namespace, name: str, seed: int | None) -> Fireground:
    """Load a level on the map of a seed with the changes that the command line asks for.

    Args:
        args: The command line.
        name: Of the level, `wildfire/` included.
        seed: None: the first published one.

    Raises:
        UserError: Anything is wrong with them, or there is an option that only battles have.
    """
    wrong = [flag for option, flag in _FOR_BATTLES.items() if getattr(args, option, None)]
    if wrong:
        raise UserError(
            f"{listing(wrong, 'and')} cannot be used here: {name} is a wildfire level\n"
            "  = help: numbers of a level are changed with --set, as in `--set firefighters=20 --set limit=50`"
        )
    changes: dict[str, Any] = _changes(args, _LEVEL_NUMBERS, "level number")
    if "burnt_kills" in changes:
        if changes["burnt_kills"] not in (0, 1):
            raise UserError(f"`burnt_kills` is 0 or 1, not {changes['burnt_kills']}")
        changes["burnt_kills"] = bool(changes["burnt_kills"])
    from hive.wildfire.world import load_level

    return load_level(name, seed, **changes)


def _changes(args: argparse.Namespace, known: Collection[str], what: str) -> dict[str, float]:
    """Return what `--set` asks for, by name."""
    changes: dict[str, float] = {}
    for name, value in args.rules:
        if name not in known:
            advice = did_you_mean(nearest(name, known)) or f"{what}s are {listing(known, 'and')}"
            raise UserError(f"there is no {what} `{name}`\n  = help: {advice}")
        if name in changes:
            raise UserError(f"the {what} `{name}` is set twice")
        changes[name] = value
    return changes


def read_plan(args: argparse.Namespace, world: World) -> PlanText:
    """Read the plan that the player will follow and check it against the sizes that it is written for.

    Raises:
        UserError: There is no such plan, or none was named and the scenario has none.
    """
    source = world.plan if args.plan is None else args.plan
    if source is None:
        raise UserError(f"the scenario {world.name} has no plan of its own: name one with --plan")
    return _read(source, args, world)


def read_swaps(args: argparse.Namespace, world: World) -> list[tuple[int, PlanText]]:
    """Read the plans of `--swap` with their ticks, in the order of time.

    Raises:
        UserError: There is no such plan, or two are given for one tick.
    """
    swaps = sorted(args.swaps, key=lambda swap: swap[0])
    for (tick, one), (again, other) in pairwise(swaps):
        if tick == again:
            raise UserError(f"at tick {tick} there is one plan at most, and {one} and {other} are given for it")
    return [(tick, _read(source, args, world)) for tick, source in swaps]


def _read(source: str | Path, args: argparse.Namespace, world: World) -> PlanText:
    text, name = plan_text(source)
    return PlanText(Path(source).stem, text, dsl.check_plan(text, name, world.context(), args.lenient))


def read_good_plan(args: argparse.Namespace, world: World) -> PlanText:
    """Read the player's plan as `read_plan` does, and tell its warnings.

    Raises:
        DslError: The plan cannot be played; holds every diagnostic.
        UserError: As `read_plan`.
    """
    text = read_plan(args, world)
    if text.failure:
        raise dsl.DslError(text.report.diagnostics)
    if text.report.diagnostics:
        tell(dsl.render(text.report.diagnostics))
    return text


def compile_text(plan: PlanText, world: World) -> Plan:
    """Compile a plan that can be played for the teams of this world."""
    from hive.engine.reading import compile_checked

    assert isinstance(plan.report.root, dsl.Plan), "a plan without failure has a root"
    return compile_checked(plan.report.root, world)


def portable(scenario: Scenario, plan: str | None) -> tuple[str, dict[str, str]]:
    """Return a scenario file whose plans lie beside it, and the file of the enemy's plan, if it has one.

    Args:
        scenario: The scenario.
        plan: File name of the player's plan; None: it has none of its own.
    """
    from hive.battle.scenario import to_toml

    files, enemy = {}, scenario.enemy
    if enemy.plan is not None:
        files["enemy.plan"] = plan_text(enemy.plan)[0]
        enemy = replace(enemy, plan="enemy.plan")
    return to_toml(replace(scenario, player=replace(scenario.player, plan=plan), enemy=enemy)), files


def tell_rescaled(world: World) -> None:
    """Say so when plans are rescaled to the teams of this world."""
    changes = [
        f"from {old} to {new} {side} units"
        for side, old, new in zip(("player", "enemy"), world.written_for, world.sizes, strict=True)
        if old != new
    ]
    if changes:
        tell(f"plan bounds rescaled {' and '.join(changes)}")
