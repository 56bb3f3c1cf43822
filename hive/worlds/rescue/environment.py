"""A rescue as an environment whose agents bring supplies to victims (docs/rules/learning.md 15).

A step is one step of the rescue: all agents take a turn, one after another. An action names a victim to go towards, a
resource to give, or the end of the mission; so the same policy plays on every map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from dsl import UserError
from dsl.wording import plural
from hive.ground.exact import rounded
from hive.kit.environment.checks import check_worlds, is_whole
from hive.kit.environment.env import STAND, Env, LearnerView, Policy, TimeStep, available, unstack
from hive.kit.environment.tasks import LearningTask, only
from hive.worlds.rescue.assembly import batch_params
from hive.worlds.rescue.codes import AGENTS, RESOURCES, STEPS, VICTIMS, Act, Reason, Refusal
from hive.worlds.rescue.dynamics import reset, step
from hive.worlds.rescue.generator import draw
from hive.worlds.rescue.instance import MOST, Instance
from hive.worlds.rescue.recording import RescueRecording, gather
from hive.worlds.rescue.shipped import load_instance
from hive.worlds.rescue.state import Params, State

_FAR = 16  # rooms of a way from which on an observation says the same
_TOWARDS, _GIVE = 1, 1 + VICTIMS  # first action of each kind; 0 stands
_END = _GIVE + len(RESOURCES)
_COUNT = _END + 1
_WORDS = (
    "stand",
    *(f"go towards victim {number}" for number in range(1, VICTIMS + 1)),
    *(f"give {resource}" for resource in RESOURCES),
    "end the mission",
)


class RescueEnvState(struct.PyTreeNode, kw_only=True):
    """An environment's state."""

    number: Int[Array, ""]  # of the instance that is played
    params: Params
    state: State


class RescueEnv(Env[RescueEnvState], kw_only=True):
    """Rescues of one team size, of which each game draws one.

    Attributes:
        instances: Arrays of all instances, with a leading axis.
        sparse: Whether only the end is rewarded.
        team: Number of agents, the largest team of the instances; smaller ones are padded with agents that only stand.
        longest: Most steps of a game.
    """

    instances: Params
    sparse: bool = struct.field(pytree_node=False)
    team: int = struct.field(pytree_node=False)
    longest: int = struct.field(pytree_node=False)

    @property
    def num_agents(self) -> int:
        """Number of agents."""
        return self.team

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return _COUNT

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action in words."""
        return _WORDS

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        kinds = len(RESOURCES)
        return self.team + kinds + 2 + VICTIMS * (kinds + 4) + (self.team - 1) * (kinds + 2 + VICTIMS)

    @property
    def max_steps(self) -> int:
        """Steps after which a game surely has ended."""
        return self.longest

    def reset(self, key: Key[Array, ""]) -> tuple[RescueEnvState, LearnerView]:
        """Begin a game of an instance that the key draws."""
        number = jax.random.randint(key, (), 0, self.instances.limit.shape[0])
        params = jax.tree.map(lambda each: each[number], self.instances)
        game = RescueEnvState(number=number, params=params, state=reset(params))
        return game, self._view(game)

    def step(self, state: RescueEnvState, actions: Int[Array, " n"]) -> tuple[RescueEnvState, TimeStep]:
        """Play one step; an action that is not available stands."""
        before, params = state.state, state.params
        after = state.replace(state=step(params, before, self.acts(state, actions)))
        won = after.state.reason == Reason.SERVED
        score = _met(params, after.state)
        gained = jnp.where(won, 1.0, 0.0) + (0.0 if self.sparse else rounded(score - _met(params, before)))
        late = after.state.reason == Reason.LIMIT
        return after, TimeStep(
            view=self._view(after),
            reward=jnp.broadcast_to(jnp.where(before.done, 0.0, gained), (self.team,)).astype(jnp.float32),
            terminated=after.state.done & ~late,
            truncated=late,
            won=won,
            score=score,
        )

    def global_state(self, state: RescueEnvState) -> Float[Array, " g"]:
        """Return what all agents observe, for critics."""
        return self._observe(state).reshape(-1)

    def record(
        self, world: list[Instance], states: RescueEnvState, actions: Int[Array, "t n"], steps: int, title: str
    ) -> RescueRecording:
        """Return a game that was played as a recording."""

        def acts_of(env: RescueEnv, states: RescueEnvState, actions: Int[Array, "t n"]) -> Int[Array, "t a"]:
            return jax.vmap(env.acts)(jax.tree.map(lambda rows: rows[: len(actions)], states), actions)

        acts = np.asarray(jax.jit(acts_of)(self, states, actions))[:steps]  # one program in place of many small ones
        shown: Any = jax.device_get(states.state)
        instance = world[int(states.number[0])]
        refusals = shown.refusal[1 : steps + 1]
        deeds = [
            [(instance.call(int(act)), int(refusal) not in (Refusal.NONE, Refusal.NO_CALL)) for act, refusal in rows]
            for rows in (zip(*each, strict=True) for each in zip(acts, refusals, strict=True))
        ]
        reason = Reason(int(shown.reason[steps])).words
        done = [each[: len(instance.agents)] for each in deeds]
        return gather(instance, self.max_steps, unstack(shown, steps + 1), done, reason, title=title)

    def scripted(self, world: list[Instance]) -> dict[str, Policy]:
        """Return the heuristic team and the team that follows a plan of the fewest steps."""
        from hive.worlds.rescue.scripted import scripted

        return scripted(self, world)

    def acts(self, state: RescueEnvState, actions: Int[Array, " n"]) -> Int[Array, " a"]:
        """Return the room to navigate to, or the `Act`, that each action of an agent means; see `dynamics`."""
        chosen = jnp.where(available(self._mask(state), actions), actions, STAND)
        victim = state.params.victim_room[jnp.clip(chosen - _TOWARDS, 0, VICTIMS - 1)]
        room = state.params.first_room[state.state.position[: self.team], jnp.maximum(victim, 0)]
        given = Act.GIVE_WATER + jnp.clip(chosen - _GIVE, 0, len(RESOURCES) - 1)
        act = jnp.where(chosen < _GIVE, room, jnp.where(chosen < _END, given, Act.END_MISSION))
        act = jnp.where(chosen == STAND, Act.NOTHING, act)
        return jnp.full(AGENTS, Act.NOTHING.value, jnp.int32).at[: self.team].set(act.astype(jnp.int32))

    def _mask(self, game: RescueEnvState) -> Bool[Array, "n a"]:
        """Return which actions agents can take: those that have an effect, and standing."""
        params, state = game.params, game.state
        room, stand = state.position[: self.team], jnp.ones((self.team, 1), bool)
        open_needs = state.needs & params.victim_there[:, None]  # [V, 3]
        here = params.victim_room[None] == room[:, None]
        towards = open_needs.any(1)[None] & ~here
        gives = (here[..., None] & open_needs[None]).any(1) & (state.supplies[: self.team] > 0)
        able = (state.active[: self.team] & ~state.done)[:, None]
        return jnp.concatenate([stand, able & towards, able & gives, able], axis=1)

    def _view(self, game: RescueEnvState) -> LearnerView:
        alive = game.state.active[: self.team]
        return LearnerView(observation=self._observe(game), action_mask=self._mask(game), alive=alive)

    def _observe(self, game: RescueEnvState) -> Float[Array, "n f"]:
        """What each agent sees: itself, all victims and its team mates."""
        params, state, team = game.params, game.state, self.team
        room, supplies = state.position[:team], state.supplies[:team].astype(jnp.float32) * np.float32(1 / MOST)
        active = state.active[:team].astype(jnp.float32)
        spent = jnp.broadcast_to(state.step.astype(jnp.float32) * np.float32(1 / STEPS), (team, 1))
        there = params.victim_there
        far = jnp.minimum(params.distance[room[:, None], jnp.maximum(params.victim_room, 0)[None]], _FAR)
        near = there[None].astype(jnp.float32) * (1 - far.astype(jnp.float32) * np.float32(1 / _FAR))  # [n, V]
        facts = jnp.concatenate(
            [(state.needs & there[:, None]), there[:, None], (params.urgent & there)[:, None]], axis=1
        ).astype(jnp.float32)
        shown = jnp.broadcast_to(facts, (team, *facts.shape))
        here = (far == 0) & there[None]
        victims = jnp.concatenate([shown, near[..., None], here[..., None].astype(jnp.float32)], axis=2)
        mates = jnp.concatenate([supplies, active[:, None], (room[:, None] >= 0).astype(jnp.float32), near], axis=1)
        others = jnp.asarray([[mate for mate in range(team) if mate != agent] for agent in range(team)], jnp.int32)
        parts = [jnp.eye(team, dtype=jnp.float32), supplies, active[:, None], spent, victims.reshape(team, -1)]
        parts += [mates[others.reshape(-1)].reshape(team, -1)] if team > 1 else []
        return jnp.clip(jnp.concatenate(parts, axis=1), -1.0, 1.0)


def make_rescue_env(instances: Sequence[Instance], *, sparse: bool = False, limit: int = STEPS) -> RescueEnv:
    """Return the environment of some rescues.

    Args:
        instances: At least one; each game draws one of them.
        sparse: Whether only the end is rewarded.
        limit: Most steps of a game.

    Raises:
        UserError: There is no instance, something given is none, or the limit is out of range.
    """
    check_worlds(instances, Instance, "rescue")
    if not instances:
        raise UserError("an environment of rescues needs one instance at least")
    if not is_whole(limit, 1, STEPS):
        raise UserError(f"a rescue has 1 to {STEPS} steps, not {limit}")
    team = max(len(instance.agents) for instance in instances)
    return RescueEnv(instances=batch_params(instances, limit=limit), sparse=sparse, team=team, longest=limit)


def load_world(task: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> list[Instance]:
    """Load the instances of a task; see `hive.kit.environment.tasks.TaskKind`."""
    only("a rescue", overrides, ("limit",))
    if task.mapped:
        return [draw(seed, 0) for seed in (range(task.maps) if seeds is None else seeds)]
    return [load_instance(name) for name in task.of]


def make_task_env(task: LearningTask, *, sparse: bool, seeds: Sequence[int] | None, **overrides: Any) -> RescueEnv:
    """Make the environment of a task; see `hive.kit.environment.tasks.TaskKind`."""
    return make_rescue_env(load_world(task, seeds, **overrides), sparse=sparse, limit=overrides.get("limit", STEPS))


def task_facts(task: LearningTask) -> list[tuple[str, str]]:
    """Return the facts of rescues; see `hive.kit.environment.tasks.TaskKind`."""
    instances = load_world(task)
    first = instances[0]
    size = f"{plural(len(first.rooms), 'room')}, {plural(len(first.victims), 'victim')}"
    sizes = sorted({len(instance.agents) for instance in instances})
    return [
        ("World", f"a rescue: {size}" if len(instances) == 1 else "a rescue on a graph of rooms"),
        *([("Maps", f"{task.maps} generated ones")] if task.mapped else []),
        ("Team", f"{' or '.join(map(str, sizes))} agents"),
        ("Opponent", "none"),
        ("A step", "a turn of each agent, one after another"),
        ("Won when", "all needs of all victims are met"),
        ("Reward", "share of all needs that were met in the step, + 1 when all are met"),
        ("Sparse reward", "1 when all needs are met"),
    ]


def _met(params: Params, state: State) -> Float[Array, ""]:
    """Return the share of all needs that are met."""
    needed = jnp.sum(params.needs & params.victim_there[:, None], dtype=jnp.int32)
    left = jnp.sum(state.needs & params.victim_there[:, None], dtype=jnp.int32)
    return rounded((needed - left).astype(jnp.float32) / jnp.maximum(needed, 1).astype(jnp.float32))
