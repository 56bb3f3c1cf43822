"""A game of a policy as a recording, for pictures, movies and replays."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import jax
import numpy as np

from dsl import UserError
from hive.battle.course import Course
from hive.battle.environment.orders import OrdersEnv
from hive.battle.environment.units import BattleEnv
from hive.battle.recording import BattleRecording
from hive.battle.world import Battle
from hive.behaviours.decision import Decision
from hive.engine.episode import Game
from hive.engine.objective import score
from hive.environment.env import Env
from hive.household.environment import HouseholdEnv, make_household_env
from hive.household.episode import AGENT_NAMES, HouseholdEpisode
from hive.household.recording import HouseRecording
from hive.household.recording import gather as gather_household
from hive.keep.recording import Recording
from hive.kitchen.environment import KitchenEnv
from hive.kitchen.recording import KitchenRecording, gather
from hive.kitchen.setting import Setting
from hive.kitchen.tasks import Task, find_task
from hive.rescue.codes import RESOURCES, Act, Reason, Refusal
from hive.rescue.dynamics import step as rescue_step
from hive.rescue.environment import RescueEnv
from hive.rescue.instance import Instance
from hive.rescue.recording import RescueRecording
from hive.rescue.recording import gather as gather_rescue
from hive.rl.evaluation import replay_states
from hive.rl.policies import Policy
from hive.types import OUTCOMES, Action, ActionKind, Params, State


@singledispatch
def record(env: Env, world: Any, policy: Policy, seed: int, title: str) -> Recording:
    """Play the game of a seed and keep its frames; below there is a function for each kind of environment.

    Args:
        env: The environment.
        world: What it was made of.
        policy: What chooses the actions.
        seed: Of the game.
        title: Heading of the pictures.

    Raises:
        UserError: Games of this kind of environment cannot be recorded; see `recordable`.
    """
    raise UserError("games of levels, and of environments of your own, cannot be recorded so far")


def recordable(env: Env) -> bool:
    """Return whether games of an environment can be recorded: all but those of levels."""
    return record.dispatch(type(env)) is not record.dispatch(Env)


@record.register
def _(env: BattleEnv, world: Battle, policy: Policy, seed: int, title: str) -> BattleRecording:
    plays, actions, steps = replay_states(env, policy, seed)
    before = jax.tree.map(lambda rows: rows[:steps], plays)
    decided = jax.jit(jax.vmap(lambda state, chosen: env.decided(state, chosen)))(before, actions[:steps])
    outcome = int(plays.game.outcome[steps])
    return _of_battle(world, env.params, jax.device_get(plays.game.state), decided, steps, outcome, env.own.goal, title)


@record.register
def _(env: OrdersEnv, world: Battle, policy: Policy, seed: int, title: str) -> BattleRecording:
    plays, actions, steps = replay_states(env, policy, seed)
    before = jax.tree.map(lambda rows: rows[:steps], plays)
    first: Any = jax.device_get(plays.game.state)
    kept = jax.jit(jax.vmap(lambda state, chosen: env.watched(state, chosen, _watch)[1]))(before, actions[:steps])
    flat = jax.tree.map(lambda rows: np.asarray(rows).reshape(-1, *rows.shape[2:]), kept)
    ticks = int(first.tick[steps])  # the last step may be cut short by the end of the game
    after, decided = jax.tree.map(lambda rows: rows[:ticks], flat)
    state = jax.tree.map(lambda first, rows: np.concatenate([first[:1], rows]), first, after)
    outcome = int(plays.game.outcome[steps])
    return _of_battle(world, env.params, state, decided, ticks, outcome, env.squads.goal, title)


@record.register
def _(env: KitchenEnv, world: Setting, policy: Policy, seed: int, title: str) -> KitchenRecording:
    plays, actions, steps = replay_states(env, policy, seed)
    before = jax.tree.map(lambda rows: rows[:steps], plays)
    _, doing, done = jax.device_get(jax.jit(jax.vmap(env.carried))(before, actions[:steps]))
    states: Any = jax.device_get(plays.state)
    name = world.book.name(int(states.order[0]))
    task: Task = find_task(name, world.book)
    kept = _rows(states, steps + 1), _rows(doing, steps), _rows(done, steps)
    return gather(world, task, *kept, title=title)


@record.register
def _(env: RescueEnv, world: list[Instance], policy: Policy, seed: int, title: str) -> RescueRecording:
    plays, actions, steps = replay_states(env, policy, seed)
    before = jax.tree.map(lambda rows: rows[:steps], plays)
    acts = jax.vmap(env.acts)(before, actions[:steps])
    refusals = jax.device_get(jax.jit(jax.vmap(rescue_step))(before.params, before.state, acts)[1])
    states: Any = jax.device_get(plays.state)
    instance = world[int(plays.number[0])]
    deeds = [
        [(_call(instance, int(act)), int(refusal) not in (Refusal.NONE, Refusal.NO_CALL)) for act, refusal in rows]
        for rows in (zip(*each, strict=True) for each in zip(np.asarray(acts), refusals, strict=True))
    ]
    reason = Reason(int(states.reason[steps])).name.lower().replace("_", " ")
    many = slice(0, len(instance.agents))
    done = [step[many] for step in deeds]
    return gather_rescue(instance, env.max_steps, _rows(states, steps + 1), done, reason, title=title)


@record.register
def _(env: HouseholdEnv, world: list[HouseholdEpisode], policy: Policy, seed: int, title: str) -> HouseRecording:
    plays, _, steps = replay_states(env, policy, seed)
    states: Any = jax.device_get(plays.state)
    episode = world[int(plays.number[0])]
    texts = make_household_env([episode], agents=env.team).texts
    rows = _rows(states, steps + 1)
    doing = [[texts[int(option)] for option in after.option[: env.team]] for after in rows[1:]]
    return gather_household(episode, AGENT_NAMES[: env.team], rows, doing, title=title)


def _rows(tree: Any, count: int) -> list[Any]:
    """Return the first rows of all leaves, one tree for each."""
    return [jax.tree.map(lambda leaf, t=t: leaf[t], tree) for t in range(count)]


def _call(instance: Instance, act: int) -> str:
    """Return an action of a rescue as a call; empty for none."""
    if act < Act.GIVE_WATER:
        return f"navigate_to({instance.rooms[act]})"
    if act < Act.END_MISSION:
        return f"give_{RESOURCES[act - Act.GIVE_WATER]}()"
    return "end_mission()" if act == Act.END_MISSION else ""


def _of_battle(
    world: Battle, params: Params, state: Any, decided: Action, ticks: int, outcome: int, goal: Any, title: str
) -> BattleRecording:
    """Return a battle's states, one more than ticks, and what its units did in each tick as a recording.

    Its course has the score and the outcome, and no step, since no plan commands the units of a policy.
    """
    frames, kinds = slice(0, ticks + 1), np.asarray(params.units.type)
    state = jax.tree.map(lambda rows: np.asarray(rows)[frames], state)
    nothing = np.full((ticks + 1, len(kinds)), -1, np.int16)
    attack = np.where(np.asarray(decided.kind) == ActionKind.ATTACK, np.asarray(decided.target), -1)
    attack = np.where(state.health[:ticks] > 0, attack, -1)
    x, y = (float(number) for number in np.asarray(goal))
    return BattleRecording(
        title=title,
        kind=world.kind,
        side=np.asarray(params.units.side),
        type=kinds,
        tick=state.tick.astype(int),
        position=state.position,
        health=state.health,
        max_health=np.asarray(params.types.max_health)[kinds],
        attack=np.concatenate([np.full((1, len(kinds)), -1), attack]).astype(np.int32),
        targets=[(x, y, "")],
        radius=np.asarray(params.types.radius),
        course=Course(
            steps=(),
            groups=(),
            leaves=(),
            active=np.zeros((ticks + 1, 0), bool),
            group=nothing,
            leaf=nothing,
            score=np.asarray(jax.jit(jax.vmap(score, (None, 0)))(params, state)),
            score_is=world.score_is,
            outcome=OUTCOMES[outcome],
        ),
    )


def _watch(game: Game, decision: Decision) -> tuple[State, Action]:
    return game.state, decision.action
