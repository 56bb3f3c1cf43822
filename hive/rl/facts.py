"""What a task is, in numbers and words: its page in the documentation, and the answer to `describe`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import jax

from dsl.vocabulary import CREW_TYPES
from dsl.wording import listing
from hive.battle.world import Battle
from hive.crews.frames import FRAMES
from hive.kitchen.setting import Setting
from hive.rl.crew_actions import ringed
from hive.rl.orders import OrdersEnv
from hive.rl.tasks import make, task, training_seeds
from hive.wildfire.world import Fireground

_REWARDS = {  # rule of each kind of reward, shaped and sparse (docs/rules/learning.md 4, 9)
    "elimination": (
        "share of the enemy's health lost in the step, + 1 for a win",
        "1 for a win",
    ),
    "place": ("share of the way to the place that the closest approach gained, + 1 for a win", "1 for a win"),
    "known": ("points gained / highest score, + 1 for a win", "1 for a win"),
    "unknown": (
        "points gained / highest score, + half the share of the map newly seen until fire or civilians are found, "
        "+ 1 for a win",
        "1 for a win",
    ),
    "ringed": (
        "points lost in the step / 100, as a negative number, + 2 times the share of a ring round the start of the "
        "fire that was made safe",
        "points lost in the game / 100, at its end",
    ),
    "kitchen": (
        "how much nearer the order is to its delivery, in shares of 1, + 1 for the delivery",
        "1 for the delivery",
    ),
    "fire": ("points lost in the step / 100, as a negative number", "points lost in the game / 100, at its end"),
}


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A task, for people.

    Attributes:
        name: Name in `make`.
        summary: One line.
        rows: What is asked, and the answer.
        actions: Number or numbers of each action, and what it does, in words.
    """

    name: str
    summary: str
    rows: tuple[tuple[str, str], ...]
    actions: tuple[tuple[str, str], ...]


def facts(name: str) -> Facts:
    """Return the facts of a task.

    Raises:
        UserError: There is no such task.
    """
    chosen = task(name)
    env: Any = jax.eval_shape(lambda: make(name, seeds=[0])) if chosen.mapped else make(name)
    state = jax.eval_shape(lambda env, key: env.global_state(env.reset(key)[0]), env, jax.random.key(0)).shape[0]
    if chosen.mapped:
        told = _of_level(chosen.fireground(), chosen.maps)
    elif chosen.kitchen:
        told = _of_kitchen(chosen.setting(), chosen.kitchen)
    else:
        told = _of_battle(chosen.battle())
    ordered = chosen.orders is not None
    rows = (
        *told,
        *(_of_orders(env) if ordered else ()),
        ("Agents", f"{env.agents}"),
        ("Actions", f"{env.actions} per agent"),
        ("Observation", f"{env.features} numbers per agent"),
        ("Global state", f"{state} numbers, for critics"),
        ("Limit", f"{env.limit} steps"),
    )
    actions = _entries(env) if ordered else tuple((str(number), words) for number, words in enumerate(env.words))
    return Facts(name=name, summary=chosen.summary, rows=rows, actions=actions)


def describe(name: str) -> str:
    """Return the facts of a task as text.

    Raises:
        UserError: There is no such task.
    """
    found = facts(name)
    wide = max(len(head) for head, _ in found.rows)
    lines = [f"{found.name}: {found.summary}", "", *(f"{head:<{wide}}  {text}" for head, text in found.rows)]
    return "\n".join([*lines, "", "Actions", *(f"{number:>7}  {words}" for number, words in found.actions)])


def _entries(env: OrdersEnv) -> tuple[tuple[str, str], ...]:
    """Return the orders in words; those that differ in their waypoint alone are one entry."""
    found, first = [], 0
    for (behaviour, types), rows in groupby(env.squads.rows, key=lambda row: (row.behaviour, row.types)):
        ways = [row.way for row in rows]
        last = first + len(ways) - 1
        words = " ".join([f"`{behaviour}`" if behaviour else "keep the order", *types])
        names = [way for way in ways if way]
        found.append((f"{first}" if first == last else f"{first}-{last}", f"{words}; {', '.join(names)}".rstrip("; ")))
        first = last + 1
    return tuple(found)


def _of_orders(env: OrdersEnv) -> list[tuple[str, str]]:
    """What is different where squads are ordered."""
    sizes = sorted({int(count) for count in env.squads.member.sum(1)})
    return [
        ("An agent", f"a squad of {' or '.join(map(str, sizes))} units of one type"),
        ("A step", f"an order for each squad, and {env.every} ticks"),
    ]


def _of_battle(world: Battle) -> list[tuple[str, str]]:
    scenario = world.scenario
    player, enemy = scenario.player, scenario.enemy
    place = player.objective.at
    plan: Any = world.params.enemy.source
    behaviours = sorted({group.behaviour for step in plan.steps for group in step.groups}) if plan else []
    shaped, sparse = _REWARDS["elimination" if place is None else "place"]
    return [
        ("World", f"a battle on {scenario.map.size} x {scenario.map.size} m"),
        ("Team", _count({}, [(group.type, group.count) for group in player.units])),
        ("Opponent", _count({}, [(group.type, group.count) for group in enemy.units])),
        ("Opponent follows", listing(behaviours, "and") or "no plan: it stands"),
        ("Won when", "all enemies are dead" if place is None else f"one unit is at {place[0]:g}, {place[1]:g}"),
        ("Reward", shaped),
        ("Sparse reward", sparse),
    ]


def _of_kitchen(setting: Setting, orders: tuple[str, ...]) -> list[tuple[str, str]]:
    layout = setting.layout
    shaped, sparse = _REWARDS["kitchen"]
    return [
        ("World", f"a kitchen of {layout.width} x {layout.height} tiles"),
        ("Orders", f"{listing([name.replace('_', ' ') for name in orders], 'or')}; the key of a game draws one"),
        ("Team", listing([cook.name for cook in layout.cooks], "and")),
        ("Opponent", "none"),
        ("A step", "a timestep, in which each cook goes one move further with the action that it names"),
        ("Won when", "the order is delivered"),
        ("Reward", shaped),
        ("Sparse reward", sparse),
    ]


def _of_level(world: Fireground, maps: int) -> list[tuple[str, str]]:
    level = world.site.level
    kind = ("ringed" if ringed(level) else "fire") if level.open_ended else "known" if level.known else "unknown"
    shaped, sparse = _REWARDS[kind]
    seeds = training_seeds(world, maps)
    won = "the fire is out" if level.open_ended else f"the highest score is reached, {level.best}"
    ticks = level.period // FRAMES
    fire = f"a fire that spreads every {f'{ticks} steps' if ticks > 1 else 'step'}" if ticks else "no fire"
    return [
        ("World", f"`{level.name}`, {level.size} x {level.size} cells"),
        ("Maps", f"{maps}, of the seeds {seeds[0]} to {seeds[-1]} without the published ones"),
        ("Team", _count({}, list(zip(CREW_TYPES, level.agents, strict=True)))),
        ("Opponent", f"none; {fire}"),
        ("Won when", won),
        ("Reward", shaped),
        ("Sparse reward", sparse),
    ]


def _count(total: dict[str, int], groups: list[tuple[str, int]]) -> str:
    for kind, count in groups:
        total[kind] = total.get(kind, 0) + count
    return ", ".join(f"{count} {kind}" for kind, count in total.items() if count)
