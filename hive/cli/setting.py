"""The world and the plan that a command line names, checked before anything is compiled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import dsl
import scenarios
from dsl import UserError
from hive.cli.printing import tell
from hive.kit.contract import Kind
from hive.kit.plan_text import PlanText
from hive.kit.planned_world import Request
from hive.worlds import kind_of, kinds

if TYPE_CHECKING:
    from hive.worlds.battle.world import Battle


def folder_stem(world: str) -> str:
    """Return the name or path of a world as part of the name of a folder."""
    return world.removesuffix(".toml").replace("/", "-").replace(":", "-").strip(".-")


def host_of(request: Request) -> Kind:
    """Return the kind of world that a request is for.

    Raises:
        UserError: The name is one of another kind without its prefix, a plan, or a task for learners.
    """
    from hive.rl.registry import tasks

    if Path(request.scenario).suffix == ".plan" or request.scenario in {*scenarios.plans()} - {*scenarios.names()}:
        raise UserError(
            f"`{request.scenario}` is a plan, and a scenario is to be named here\n"
            f"  = help: name the plan with --plan, as in `hive run coordinate --plan {request.scenario}`"
        )
    kind = kind_of(request.scenario)
    if request.scenario in kind.names() or Path(request.scenario).exists():
        return kind
    for other in kinds().values():
        full = next((name for name in other.names() if name.split("/", 1)[1:] == [request.scenario]), None)
        if full and not other.planned:
            other.load(Request(scenario=full))  # raises
        if full:
            raise UserError(f"there is no {kind.noun} `{request.scenario}`\n  = help: did you mean `{full}`?")
    if (name := request.scenario) in tasks():
        raise UserError(
            f"`{name}` is a task for learners, and no {kind.noun}\n"
            f"  = help: `hive train {name}` trains a policy, `hive run {name} --player policy:RUN` plays it "
            f"(`--player random` needs no RUN), and `hive describe {name}` prints its facts"
        )
    return kind


def load_battle(request: Request) -> Battle:
    """Load the battle that a command for battles asks for.

    Raises:
        UserError: It is another kind of world, a rule is unknown or given twice, or the scenario is wrong.
    """
    from hive.worlds.battle.host import Battles

    kind = host_of(request)
    if not kind.planned:
        kind.load(request)  # raises
    if not kind.compared:
        raise UserError(
            f"{request.scenario} is a {kind.noun}, and this command is for battles\n"
            f"  = help: `hive run`, `hive describe` and `hive check` take a {kind.noun} too"
        )
    world, _ = Battles().load(request)
    return world


def load_good_plan(request: Request, world: Battle) -> PlanText:
    """Read the player's plan, check it, and print its warnings.

    Raises:
        DslError: The plan cannot be played; holds every diagnostic.
        UserError: There is no such plan, or none was named and the scenario has none.
    """
    from hive.worlds.battle.host import read_plan

    text = read_plan(request, world)
    if text.failure:
        raise dsl.DslError(text.report.diagnostics)
    if text.report.diagnostics:
        tell(dsl.render(text.report.diagnostics))
    return text


def tell_rescaled(world: Battle, written_for: tuple[int, int] | None = None) -> None:
    """Tell the user when plans are rescaled to the teams of this world."""
    from hive.engine.reading import rescaled

    for line in rescaled(world, written_for):
        tell(line)
