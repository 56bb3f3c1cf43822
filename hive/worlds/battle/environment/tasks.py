"""Tasks of learners that are battles: the agents are units, or squads with `orders`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dsl.wording import listing, plural
from hive.engine.types import ENEMY, PLAYER
from hive.kit.environment.tasks import ORDERS, count_units
from hive.worlds.battle.drawn.classes import is_drawn, read_name
from hive.worlds.battle.drawn.sets import load_set
from hive.worlds.battle.environment.orders import OrdersEnv, make_orders_env
from hive.worlds.battle.environment.sets import BattleSetEnv, LoadedSet, make_set_env, make_set_orders_env
from hive.worlds.battle.environment.team import goal_of
from hive.worlds.battle.environment.units import BattleEnv, make_env
from hive.worlds.battle.mission import won_text
from hive.worlds.battle.world import Battle, load

if TYPE_CHECKING:
    from hive.kit.environment.tasks import LearningTask

_SET_ORDERS = ("parts", "every", "stride", "behaviours", "nearest")  # options of a task that `make_set_orders_env` has
_ORDERS = (*_SET_ORDERS, "general")  # and `make_orders_env`
_LISTED = ("nearest", "detail")  # options of a task that `make_env` has


def ordered(task: LearningTask) -> bool:
    """Whether the agents of a task are squads that are given orders."""
    return bool(task.options.get("orders"))


def orders_options(task: LearningTask) -> dict[str, Any]:
    """Return the arguments of `make_orders_env` that a task names."""
    return {name: each for name, each in task.options.items() if name in _ORDERS}


def load_world(task: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> Battle | LoadedSet:
    """Load the battle of a task, or the battles of a set; see `hive.kit.environment.tasks.TaskKind`."""
    if task.options.get("set"):
        found = load_set(task.of[0])
        return LoadedSet(found, tuple(load(name, **overrides) for name in found.names))
    own = {"units": task.options["units"]} if "units" in task.options else {}
    name = task.name.removeprefix(ORDERS)
    return load(name if is_drawn(name) else task.of[0], **{**own, **overrides})


def make_task_env(
    task: LearningTask, *, sparse: bool, seeds: Sequence[int] | None, **overrides: Any
) -> BattleEnv | BattleSetEnv | OrdersEnv:
    """Make the environment of a task; see `hive.kit.environment.tasks.TaskKind`."""
    world = load_world(task, **overrides)
    if isinstance(world, LoadedSet):
        if ordered(task):
            return make_squads_of_set(world, task, sparse=sparse)
        return make_set_env(world, sparse=sparse)
    if ordered(task):
        return make_orders_env(world, sparse=sparse, **orders_options(task))
    return make_env(world, sparse=sparse, **{name: each for name, each in task.options.items() if name in _LISTED})


def make_squads_of_set(loaded: LoadedSet, task: LearningTask, *, sparse: bool = False) -> BattleSetEnv:
    """Return a set of battles whose squads are given the orders of a task.

    Args:
        loaded: The set.
        task: A task of orders, in this set or in other battles.
        sparse: Whether only the end of a game is rewarded.

    Raises:
        UserError: As `make_set_orders_env`.
    """
    own = {name: each for name, each in task.options.items() if name in _SET_ORDERS}
    return make_set_orders_env(loaded, sparse=sparse, **own)


def task_facts(task: LearningTask) -> list[tuple[str, str]]:
    """Return the facts of a battle, and of its squads; see `hive.kit.environment.tasks.TaskKind`."""
    world = load_world(task)
    if isinstance(world, LoadedSet):
        found = _set_facts(world)
        if ordered(task):
            found.append(("An agent", "a squad: a group of units of the battle's file, of one type"))
            found.append(("A step", f"an order for each squad, and {task.options['every']} ticks"))
        return found
    scenario = world.scenario
    player, enemy = scenario.player, scenario.enemy
    plan: Any = world.params.enemy.source
    behaviours = sorted({group.behaviour for step in plan.steps for group in step.groups}) if plan else []
    way = "the way to the place that the closest approach gained"
    share = f"half of the share of {way}, and half of that of the units needed that are there"
    gained = {
        "elimination": "share of the enemy's health lost in the step",
        "position": f"share of {way}" if player.needed == 1 else share,
        "survive": "share of the ticks to survive that have passed in the step",
    }[player.objective.kind]
    found = [
        ("World", f"a battle on {scenario.map.size} x {scenario.map.size} m"),
        ("Team", count_units((group.type, group.count) for group in player.units)),
        ("Opponent", count_units((group.type, group.count) for group in enemy.units)),
        ("Opponent follows", listing(behaviours, "and") or "no plan: it stands"),
        ("Won when", won_text(player)),
        ("Reward", f"{gained}, + 1 for a win"),
        ("Sparse reward", "1 for a win"),
    ]
    if not ordered(task):
        return found
    env = make_orders_env(world, **orders_options(task))
    sizes = sorted({int(count) for count in env.squads.member.sum(1)})
    return [
        *found,
        ("An agent", f"a squad of {listing(phrases=map(str, sizes))} units of one type"),
        ("A step", f"an order for each squad, and {env.every} ticks"),
    ]


def _set_facts(loaded: LoadedSet) -> list[tuple[str, str]]:
    """Return the facts of a set of battles."""
    classes = Counter(read_name(name)[0] for name in loaded.found.names)
    kinds = Counter(battle.scenario.player.objective.kind for battle in loaded.battles)
    teams = [[battle.sizes[side] for battle in loaded.battles] for side in (PLAYER, ENEMY)]
    team, enemy = (f"{min(each)} to {max(each)} units" for each in teams)
    sizes = sorted({battle.scenario.map.size for battle in loaded.battles})
    ground = " and ".join(f"{size} x {size} m" for size in sizes)
    return [
        ("World", f"{plural(len(loaded.battles), 'battle')} on {ground}, of which each game draws one"),
        ("Classes", ", ".join(f"{count} {name}" for name, count in classes.items())),
        ("Missions", ", ".join(f"{count} {kind}" for kind, count in kinds.items())),
        ("Team", team),
        ("Opponent", enemy),
        ("Opponent follows", "the plan of its battle"),
        ("Won when", "the mission of the battle is fulfilled, which is part of the observation"),
        ("Reward", "as in each battle (docs/rules/learning.md 4), + 1 for a win"),
        ("Sparse reward", "1 for a win"),
        ("Digest", loaded.found.digest),
    ]


def tree_plans(world: Battle) -> dict[str, str]:
    """Return a plan of one step for each tree that the player may use.

    All units follow the tree, with the place of the objective as target, or the middle of the enemy's start boxes.
    """
    x, y = (int(number) for number in np.asarray(goal_of(world, PLAYER)))
    side = world.side(PLAYER)
    objective = "elimination all" if side.objective.at is None else "position"
    return {
        tree: f"Step 0:\nprerequisites: []\nobjective: {objective}\nunits: all\n"
        f"- target position: ({x}, {y})\n- behavior: {tree}\n"
        for tree in side.behaviours
    }
