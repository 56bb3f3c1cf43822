"""Players without training next to which policies are put: those of the world by rules, trees and plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError

if TYPE_CHECKING:
    from hive.kit.environment.env import Env
    from hive.kit.environment.tasks import LearningTask
    from hive.rl.evaluation import PlayerGames
    from hive.rl.policies import Policy

TREE = "tree "
"""Before the name of a tree in tables."""


@dataclass(frozen=True)
class References:
    """Players of one task besides those of `hive.rl.policies.POLICIES`; plans are checked.

    Attributes:
        env: The environment of its games.
        world: What that is made of.
        plans: Plans by their names in tables; of a set of battles, for each name the plans by battle.
    """

    env: Env
    world: Any
    plans: Mapping[str, Any]

    @cached_property
    def scripted(self) -> Mapping[str, Policy]:
        """Players by rules, some of which search for their plans in each world when they are made."""
        return self.env.scripted(self.world)

    def __len__(self) -> int:
        """Return the number of players."""
        return len(self.scripted) + len(self.plans)

    def play(self, seeds: Sequence[int]) -> list[PlayerGames]:
        """Play one game for each seed with each player: by rules in the environment, plans by the engine alone."""
        from hive.rl.evaluation import play_plans, play_plans_of, play_policy, worlds_of

        played = [play_policy(self.env, policy, seeds, name) for name, policy in self.scripted.items()]
        if not self.plans:
            return played
        if self.env.variants:
            battles = {battle.name: battle for battle in self.world.battles}
            return played + play_plans_of(battles, self.plans, seeds, worlds_of(self.env, seeds))
        return played + play_plans(self.world, self.plans, seeds)

    def player(self, name: str) -> dict[str, Any]:
        """Return a player as `hive.kit.keep.record.games_folder` takes it; one without a plan is what its name says."""
        from hive.kit.keep.record import digest_of
        from hive.kit.plan_text import plan_text

        if name not in self.plans:
            return {"name": name, "plays": "rules", "identity": name}
        own = self.plans[name]
        texts = own if isinstance(own, Mapping) else {"": own}
        return {
            "name": name,
            "plays": "plan",
            "identity": digest_of({world: plan_text(plan)[0] for world, plan in texts.items()}),
        }


def references(task: LearningTask, env: Env, world: Any, given: Sequence[str] = ()) -> References:
    """Return the players of a task: by rules, with each tree, with the scenario's own plan, with `given` plans.

    Raises:
        UserError: A plan is given for a task without plans, or for a set of battles.
        DslError: A plan has errors.
    """
    from hive.engine.reading import read_plan
    from hive.worlds import kinds
    from hive.worlds.battle.environment.tasks import tree_plans

    if not kinds()[task.kind].compared:
        if given:
            raise UserError("--plan is for tasks on battles\n  = help: leave it out")
        return References(env, world, {})
    if task.options.get("set"):
        from hive.cli.learning.set_evaluating import set_plans

        if given:
            raise UserError("--plan is for one battle, and each battle of a set has its own\n  = help: leave it out")
        return References(env, world, set_plans(world, TREE))
    named = {"the scenario's plan": world.plan} if world.plan is not None else {}
    named |= {f"plan {Path(plan).stem}": plan for plan in given}
    for plan in named.values():
        read_plan(plan, world)
    return References(env, world, {f"{TREE}{name}": plan for name, plan in tree_plans(world).items()} | named)
