"""A household as an environment whose agents choose options (docs/rules/learning.md 16).

A step is one tick. An agent whose option goes on can only stand, which lets it go on. An agent that sends a message
tells everything that it knows; so agents learn when it is worth a tick.
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
from hive.ground.exact import rounded
from hive.kit.environment.checks import check_worlds
from hive.kit.environment.env import Env, LearnerView, Policy, TimeStep, available, stack, unstack
from hive.kit.environment.tasks import LearningTask, only
from hive.worlds.household import dynamics, options
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import AGENTS, GOALS, HANDS, HELD, OBJECTS, RECEPTACLES, ROOMS
from hive.worlds.household.episode import AGENT_NAMES, SWITCHES, HouseholdEpisode, switched
from hive.worlds.household.generator import generate
from hive.worlds.household.legality import cost, held_count, legal, still_needed
from hive.worlds.household.named import find_episode
from hive.worlds.household.recording import HouseRecording, gather
from hive.worlds.household.state import Messages, Params, State
from hive.worlds.household.ways import DIRECTIONS

_LONG = 64  # ticks of an option from which on an observation says the same
_WANTED = 8  # objects of one class that an observation counts


class HouseholdEnvState(struct.PyTreeNode, kw_only=True):
    """An environment's state."""

    number: Int[Array, ""]  # of the episode that is played
    params: Params
    state: State
    key: Key[Array, ""]


class HouseholdEnv(Env[HouseholdEnvState], kw_only=True):
    """Episodes of a household, of which each game draws one.

    Attributes:
        episodes: Arrays of all episodes, with a leading axis.
        sparse: Whether only the end is rewarded.
        team: Number of agents.
        longest: Most ticks of a game.
        texts: Each action in words.
    """

    episodes: Params
    sparse: bool = struct.field(pytree_node=False)
    team: int = struct.field(pytree_node=False)
    longest: int = struct.field(pytree_node=False)
    texts: tuple[str, ...] = struct.field(pytree_node=False)

    @property
    def num_agents(self) -> int:
        """Number of agents."""
        return self.team

    @property
    def num_actions(self) -> int:
        """Number of actions: the options of `hive.worlds.household.options`, of which 0 waits."""
        return len(self.texts)

    @property
    def _kinds(self) -> int:
        """Number of kinds of actions."""
        return options.FULL_KIND[self.num_actions - 1] + 1

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action in words."""
        return self.texts

    @property
    def action_table(self) -> tuple[tuple[str, str], ...]:
        """Each action in words; where episodes differ, one entry for all options of a kind."""
        if self.episodes.limit.shape[0] == 1:
            return super().action_table
        found = []
        for kind in range(self._kinds):
            rows = [number for number in range(self.num_actions) if options.FULL_KIND[number] == kind]
            words = self.texts[rows[0]].removesuffix(" 0")
            numbers = f"{rows[0]}-{rows[-1]}" if len(rows) > 1 else f"{rows[0]}"
            found.append((numbers, f"{words} 0 to {len(rows) - 1}" if len(rows) > 1 else words))
        return tuple(found)

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        own = self.team + 5 + self._kinds + (0 if self.episodes.switches is None else len(DIRECTIONS))
        return own + 2 * self.num_actions + 3 * OBJECTS + GOALS + RECEPTACLES + 2 * ROOMS + (self.team - 1) * ROOMS

    @property
    def max_steps(self) -> int:
        """Ticks after which a game surely has ended."""
        return self.longest

    def reset(self, key: Key[Array, ""]) -> tuple[HouseholdEnvState, LearnerView]:
        """Begin a game of an episode that the key draws."""
        drawn, key = jax.random.split(key)
        number = jax.random.randint(drawn, (), 0, self.episodes.limit.shape[0])
        params = jax.tree.map(lambda each: each[number], self.episodes)
        state = dynamics.reset(params, jax.random.fold_in(key, 0))
        game = HouseholdEnvState(number=number, params=params, state=state, key=key)
        return game, self._view(game)

    def step(self, state: HouseholdEnvState, actions: Int[Array, " n"]) -> tuple[HouseholdEnvState, TimeStep]:
        """Play one tick; an action that is not available waits."""
        params, before = state.params, state.state
        over = dynamics.done(params, before)
        allowed = available(self._mask(state), actions)
        chosen = jnp.full(AGENTS, int(options.WAIT), jnp.int32)
        chosen = chosen.at[: self.team].set(jnp.where(allowed, actions, options.WAIT).astype(jnp.int32))
        key = jax.random.fold_in(state.key, before.clock + 1)
        after = state.replace(state=dynamics.step(params, before, chosen, key, _everything(before)))
        won, score = after.state.finished, _placed(params, after.state)
        gained = jnp.where(won, 1.0, 0.0) + (0.0 if self.sparse else rounded(score - _placed(params, before)))
        return after, TimeStep(
            view=self._view(after),
            reward=jnp.broadcast_to(jnp.where(over, 0.0, gained), (self.team,)).astype(jnp.float32),
            terminated=won,
            truncated=~won & (after.state.clock >= params.limit),
            won=won,
            score=score,
        )

    def global_state(self, state: HouseholdEnvState) -> Float[Array, " g"]:
        """Return what all agents observe, for critics."""
        return self._observe(state).reshape(-1)

    def record(
        self,
        world: list[HouseholdEpisode],
        states: HouseholdEnvState,
        actions: Int[Array, "t n"],
        steps: int,
        title: str,
    ) -> HouseRecording:
        """Return a game that was played as a recording."""
        episode = world[int(states.number[0])]
        names, rows = _texts([episode]), unstack(jax.device_get(states.state), steps + 1)
        doing = [[names[int(option)] for option in after.option[: self.team]] for after in rows[1:]]
        return gather(episode, AGENT_NAMES[: self.team], rows, doing, title=title)

    def scripted(self, world: list[HouseholdEpisode]) -> dict[str, Policy]:
        """Return the team that takes the cheapest option, and where things are carried that of rules."""
        from hive.worlds.household.scripted import scripted

        return scripted(self, world)

    def _mask(self, game: HouseholdEnvState) -> Bool[Array, "n a"]:
        over = dynamics.done(game.params, game.state)
        waits = jnp.arange(self.num_actions) == options.WAIT
        return jnp.where(over, waits[None], legal(game.params, game.state)[: self.team] | waits[None])

    def _view(self, game: HouseholdEnvState) -> LearnerView:
        alive = jnp.ones(self.team, bool)
        return LearnerView(observation=self._observe(game), action_mask=self._mask(game), alive=alive)

    def _observe(self, game: HouseholdEnvState) -> Float[Array, "n f"]:
        """What each agent knows: itself, what it can do and how long it takes, objects, furniture, rooms, its mates."""
        params, state, team = game.params, game.state, self.team
        know = jax.tree.map(lambda each: each[:team], state.beliefs)
        can = self._mask(game).astype(jnp.float32)
        soon = 1 - jnp.minimum(cost(params, state)[:team], _LONG).astype(jnp.float32) * np.float32(1 / _LONG)
        kind = jnp.asarray(options.FULL_KIND)[state.option[:team]]
        mine = HELD + jnp.arange(team, dtype=jnp.int32)[:, None]
        asked = (params.object_goal >= 0)[None]
        lies = (know.place >= 0) & (know.place < HELD) & (know.place != params.goal_place)
        settled, held = know.place == params.goal_place, know.place == mine
        wanted = still_needed(params, state)[:team].astype(jnp.float32) * np.float32(1 / _WANTED)
        own = (
            jnp.eye(team, dtype=jnp.float32),
            state.busy[:team, None],
            know.goal_known[:, None],
            held_count(state)[:team, None].astype(jnp.float32) * np.float32(1 / HANDS),
            jnp.minimum(state.elapsed[:team, None], _LONG).astype(jnp.float32) * np.float32(1 / _LONG),
            jnp.broadcast_to(state.clock.astype(jnp.float32) / params.limit.astype(jnp.float32), (team, 1)),
            kind[:, None] == jnp.arange(self._kinds)[None],
            *([] if state.facing is None else [state.facing[:team, None] == jnp.arange(len(DIRECTIONS))[None]]),
        )
        things = (lies & asked, settled & asked, held & asked)
        places = (know.checked, know.visited, know.known_room)
        parts = [*own, can, soon * can, *things, wanted, *places]
        if team > 1:
            others = jnp.asarray([[mate for mate in range(team) if mate != agent] for agent in range(team)], jnp.int32)
            rooms = jnp.take_along_axis(know.mate_room[:, :team], others, axis=1)
            parts.append((rooms[..., None] == jnp.arange(ROOMS)[None, None]).reshape(team, -1))
        return jnp.clip(jnp.concatenate([part.astype(jnp.float32) for part in parts], axis=1), -1.0, 1.0)


def make_household_env(episodes: Sequence[HouseholdEpisode], *, agents: int = 2, sparse: bool = False) -> HouseholdEnv:
    """Return the environment of some episodes.

    Args:
        episodes: At least one; each game draws one of them.
        agents: Size of the team, 1 to 4.
        sparse: Whether only the end is rewarded.

    Raises:
        UserError: There is no episode, something given is none, the size is out of range, or switches differ.
    """
    check_worlds(episodes, HouseholdEpisode, "household episode")
    if not episodes:
        raise UserError("an environment of households needs one episode at least")
    if len({(each.closing, each.turning) for each in episodes}) > 1:
        raise UserError(
            "the switches `closing` and `turning` are the same for all episodes of an environment, and some differ\n"
            "  = help: make all episodes with the same switches"
        )
    rows: list[Any] = [jax.device_get(make_params(episode, agents)) for episode in episodes]
    arrays = jax.device_put(stack(rows))
    longest = max(episode.limit for episode in episodes)
    return HouseholdEnv(episodes=arrays, sparse=sparse, team=agents, longest=longest, texts=_texts(episodes))


def load_world(task: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> list[HouseholdEpisode]:
    """Load the episodes of a task; see `hive.kit.environment.tasks.TaskKind`."""
    only("a household", overrides, ("agents", *SWITCHES))
    if task.mapped:
        found = [generate(seed) for seed in (range(task.maps) if seeds is None else seeds)]
    else:
        found = [find_episode(name) for name in task.of]
    return [switched(each, overrides) for each in found]


def make_task_env(task: LearningTask, *, sparse: bool, seeds: Sequence[int] | None, **overrides: Any) -> HouseholdEnv:
    """Make the environment of a task; see `hive.kit.environment.tasks.TaskKind`."""
    episodes = load_world(task, seeds, **overrides)
    return make_household_env(episodes, agents=overrides.get("agents", 2), sparse=sparse)


def task_facts(task: LearningTask) -> list[tuple[str, str]]:
    """Return the facts of households; see `hive.kit.environment.tasks.TaskKind`."""
    episodes = load_world(task)
    first = episodes[0]
    return [
        ("World", f"{first.apartment.name}: {first.task}" if len(episodes) == 1 else "housework in an apartment"),
        *([("Maps", f"{task.maps} generated ones")] if task.mapped else []),
        ("Team", "2 agents; `agents` changes that, 1 to 4"),
        ("Switches", "`closing` and `turning` let agents close containers, and turn to see"),
        ("Opponent", "none"),
        ("A step", "a tick; an agent whose action takes longer can only stand until it is done"),
        ("Won when", "the wanted objects are where they are wanted"),
        ("Reward", "share of the wanted objects that were placed in the step, + 1 when all are"),
        ("Sparse reward", "1 when all wanted objects are placed"),
    ]


def _texts(episodes: Sequence[HouseholdEpisode]) -> tuple[str, ...]:
    """Return each option in words, with names where there is one episode alone."""
    home = episodes[0].apartment
    single = len(episodes) == 1
    rooms = [room.name for room in home.rooms] if single else []
    furniture = [each.name for each in home.receptacles] if single else []
    things = [each.name for each in episodes[0].things] if single else []
    names: dict[options.OptionKind | options.ExtraKind, tuple[str, list[str], str]] = {
        options.OptionKind.EXPLORE: ("explore", rooms, "room"),
        options.OptionKind.CHECK: ("check", furniture, "container"),
        options.OptionKind.GRAB: ("grab", things, "object"),
        options.OptionKind.GOTO: ("go to", rooms, "room"),
        options.ExtraKind.CLOSE: ("close", furniture, "container"),
    }
    plain: dict[options.OptionKind | options.ExtraKind, str] = {
        options.OptionKind.WAIT: "stand",
        options.OptionKind.SEND: "tell everything that it knows",
        options.OptionKind.PUT: "put what it holds at the goal place",
        options.OptionKind.PUT_IN: "put one thing into the container in the other hand",
        options.ExtraKind.TURN_LEFT: "turn left",
        options.ExtraKind.TURN_RIGHT: "turn right",
    }
    found = []
    for number in range(options.FULL if episodes[0].closing or episodes[0].turning else options.COUNT):
        kind, argument = options.kind_of(number)
        if kind in plain:
            found.append(plain[kind])
            continue
        verb, known, what = names[kind]
        found.append(f"{verb} {known[argument] if argument < len(known) else f'{what} {argument}'}")
    return tuple(found)


def _everything(state: State) -> Messages:
    """Return messages in which every agent tells all that it knows."""
    know = state.beliefs
    return Messages(objects=know.seen_at >= 0, containers=know.checked, rooms=know.known_room)


def _placed(params: Params, state: State) -> Float[Array, ""]:
    """Return the share of the wanted objects that are at the goal place."""
    wanted = jnp.sum(params.needs, dtype=jnp.int32)
    there = dynamics.placed(params, state)
    return rounded(there.astype(jnp.float32) / jnp.maximum(wanted, 1).astype(jnp.float32))
