"""Compilation of plans and trees from text to arrays, on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dsl
import scenarios
from dsl import UserError
from dsl.vocabulary import SIDES
from hive.engine.behaviours.tables import Behaviours, compile_behaviours
from hive.engine.leaves import encode
from hive.engine.plan.arrays import compile_plan
from hive.engine.plan.rescale import rescale_plan
from hive.engine.types import ENEMY, PLAYER, Plan
from hive.engine.world import EngineWorld
from hive.kit.plan_text import PlanText, plan_text


def read_plan(
    source: str | Path,
    world: EngineWorld,
    *,
    side: int = PLAYER,
    lenient: bool = False,
    written_for: tuple[int, int] | None = None,
) -> Plan:
    """Read, check and compile a plan for one side of a world.

    Ids are checked against the team sizes that the plan was written for, then rescaled to the teams of this world.

    Args:
        source: A shipped plan's name, a path, or the text of a plan (anything with a line break).
        world: The world that the plan is for.
        side: PLAYER or ENEMY.
        lenient: Whether a unit may stand in two groups of a step (the later wins).
        written_for: Team sizes (player, enemy) that the plan was written for; None: those of the scenario's file.

    Returns:
        The plan as arrays.

    Raises:
        DslError: The plan has errors; the error holds every diagnostic of the text.
        ScenarioError: There is no such plan or file.
        TypeError: `world` is no world of `hive.load`.
        UserError: `side` or `written_for` is something else.
    """
    if not hasattr(world, "behaviours"):
        raise TypeError(f"hive.read_plan takes a plan, then the world of hive.load, not {type(world).__name__}")
    if side not in (PLAYER, ENEMY):
        raise UserError(f"side is {PLAYER} for the player or {ENEMY} for the enemy, not {side!r:.80}")
    check_written_for(written_for)
    text, name = plan_text(source)
    return compile_checked(
        dsl.parse_plan(text, name, world.context(side, written_for), lenient), world, side, written_for
    )


def check_written_for(sizes: Any) -> None:
    """Check that the team sizes that a plan was written for are a pair; None is no sizes.

    Raises:
        UserError: They are something else.
    """
    if sizes is not None and not (isinstance(sizes, Sequence) and len(sizes) == len(SIDES)):
        raise UserError(f"written_for is how many units the player and the enemy have, not {sizes!r:.80}")


def compile_checked(
    plan: dsl.PlanSyntax, world: EngineWorld, side: int = PLAYER, written_for: tuple[int, int] | None = None
) -> Plan:
    """Rescale a checked plan to the teams of this world and compile it.

    Raises:
        UserError: The world is a wildfire, and the plan asks for what wildfires do not have (docs/rules/plans.md 3.12).
    """
    if not world.sizes[1]:  # arrays are not read here: those of a battle hold its enemy's plan
        _refuse_battles(plan)
    written, sizes = written_for or world.written_for, world.sizes
    plan = rescale_plan(plan, (written[side], sizes[side]), (written[1 - side], sizes[1 - side]))
    return compile_plan(plan, side, sizes, world.behaviours)


def _refuse_battles(plan: dsl.PlanSyntax) -> None:
    """Raise an error at the first thing in a plan that only battles have."""
    for step in plan.steps:
        found = [f"the objective `{step.objective.word}`"] * isinstance(step.objective, dsl.Sighted | dsl.EnemyLosses)
        for group in step.groups:
            found += ["a leash"] * (group.leash is not None) + ["a way under cover"] * group.cover
            found += ["a group behind another one"] * (group.behind is not None)
        if found:
            raise UserError(
                f"step {step.id} has {found[0]}, which only battles have\n"
                "  = help: leave it out; a crew has no other side, and no terrain stops or hides it"
            )


def rescaled(world: EngineWorld, written_for: tuple[int, int] | None = None) -> list[str]:
    """Return a line that reports the rescaling of plans to the teams of this world; empty when nothing is rescaled."""
    changes = [
        f"from {old} to {new} {side} units"
        for side, old, new in zip(SIDES, written_for or world.written_for, world.sizes, strict=True)
        if old != new
    ]
    return [f"plan bounds rescaled {' and '.join(changes)}"] if changes else []


def compile_text(plan: PlanText, world: EngineWorld, side: int = PLAYER) -> Plan:
    """Compile a playable plan of a side for the teams of this world."""
    return compile_checked(plan.root, world, side, plan.written_for)


def read_tree(name: str, own: Mapping[str, str] | None = None) -> dsl.Node:
    """Parse a tree by name: from `own`, which maps names to texts, or a shipped one."""
    return dsl.parse_tree((own or {}).get(name) or scenarios.tree(name), f"{name}.bt")


def read_behaviours(names: Sequence[str], own: Mapping[str, str] | None = None) -> Behaviours:
    """Compile trees by name; see `read_tree`."""
    return compile_behaviours([read_tree(name, own) for name in names], encode)
