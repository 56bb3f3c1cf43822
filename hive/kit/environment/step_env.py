"""An environment from the rules of a small world: what a step is, what agents see, and how its games are kept.

A world whose agents act at the same time says in pure functions how a game begins and what a step does. `StepEnv` makes
of that the contract of an environment: limits, ends, rewards, masks, draws, and recordings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key
from numpy.typing import NDArray

from dsl import UserError
from hive.ground.exact import rounded
from hive.kit.environment.env import STAND, Env, LearnerView, TimeStep, available
from hive.kit.keep.dialogue import Line
from hive.kit.keep.fields import index, lines, ticks, word
from hive.kit.keep.recording import Recording, fields_of, number_texts

World = Any
"""The state of a world by its own rules: a tree of arrays."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StepRecording(Recording):
    """One game, step by step: T frames, A agents; a world adds fields of its own.

    Whole numbers among its words are lengths and ends of ranges by their names. A field of its own is filled with what
    the state of the world, or else the environment, has by the same name.

    Attributes:
        title: Heading of the pictures.
        agents: Names of the agents.
        limit: Most steps.
        outcome: How the game ended, in words.
        tick: `[T]`, ascending from 0.
        doing: `[T, A]` index into `deeds` of what an agent did in the step before the frame, or -1.
        deeds: Texts of actions.
        lines: What was said, done and thought, in order.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    title: str = word(str)
    agents: tuple[str, ...] = word([str], read=tuple)
    limit: int = word(int)
    outcome: str = word(str)
    tick: NDArray[np.integer] = ticks()
    doing: NDArray[np.integer] = index("T A", of="deeds")
    deeds: tuple[str, ...] = word([str], read=tuple)
    lines: tuple[Line, ...] = lines("A")

    def lengths(self) -> Mapping[str, int]:
        """Agents, texts of actions, and every whole number by its name."""
        numbers = {name: value for name, value in vars(self).items() if isinstance(value, int)}
        return {"A": len(self.agents), "deeds": len(self.deeds), **numbers}

    def did(self, t: int, agent: int) -> str:
        """Return what an agent did in the step before frame `t`, in words."""
        done = int(self.doing[t, agent])
        return self.deeds[done] if done >= 0 else ("stands" if t else "starts")


class StepState(struct.PyTreeNode, kw_only=True):
    """The state of a game."""

    key: Key[Array, ""]
    step: Int[Array, ""]
    world: World
    over: Bool[Array, ""]


class StepEnv(Env[StepState], kw_only=True):
    """An environment whose agents act at the same time; a subclass has the rules, and its settings as fields.

    Attributes:
        actions: Name of each action without digits, and what it does, in a sentence; the first one does nothing.
        recording: The class of its recordings.
        team: Number of agents.
        limit: Most steps of a game.
        sparse: Whether only the end is rewarded.
    """

    actions: ClassVar[Mapping[str, str]]
    recording: ClassVar[type[StepRecording]]

    team: int = struct.field(pytree_node=False)
    limit: int = struct.field(pytree_node=False)
    sparse: bool = struct.field(pytree_node=False, default=False)

    def begin(self, key: Key[Array, ""]) -> World:
        """Return the world before the first step."""
        raise NotImplementedError

    def advance(self, world: World, actions: Int[Array, " n"], key: Key[Array, ""]) -> World:
        """Return the world after one step; `actions` `[n]` are all possible, and `key` is for its draws."""
        raise NotImplementedError

    def possible(self, world: World) -> Bool[Array, "n a"]:
        """Return which actions agents can take; doing nothing always is one."""
        raise NotImplementedError

    def observe(self, world: World) -> Float[Array, "n f"]:
        """Return what agents observe, in [-1, 1]."""
        raise NotImplementedError

    def score(self, world: World) -> Float[Array, ""]:
        """Return how far the team has come, 0 to 1."""
        raise NotImplementedError

    def won(self, world: World) -> Bool[Array, ""]:
        """Return whether the team has reached its aim, which ends the game."""
        raise NotImplementedError

    def lost(self, world: World) -> Bool[Array, ""]:
        """Return whether the team cannot reach its aim any more, which ends the game; by default it always can."""
        return jnp.array(False)

    def alive(self, world: World) -> Bool[Array, " n"]:
        """Return which agents still act; by default all of them."""
        return jnp.ones(self.team, bool)

    @property
    def num_agents(self) -> int:
        """Number of agents."""
        return self.team

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return len(self.actions)

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action by its name."""
        return tuple(self.actions)

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        return int(jax.eval_shape(lambda: self.observe(self.begin(jax.random.key(0)))).shape[1])

    @property
    def max_steps(self) -> int:
        """Steps after which a game surely has ended."""
        return self.limit

    def reset(self, key: Key[Array, ""]) -> tuple[StepState, LearnerView]:
        """Begin a game."""
        first, rest = jax.random.split(key)
        state = StepState(key=rest, step=jnp.int32(0), world=self.begin(first), over=jnp.array(False))
        return state, self._view(state)

    def step(self, state: StepState, actions: Int[Array, " n"]) -> tuple[StepState, TimeStep]:
        """Play one step; an action that is not possible stands."""
        world = self.advance(state.world, self.taken(state, actions), jax.random.fold_in(state.key, state.step))
        world = jax.tree.map(lambda new, old: jnp.where(state.over, old, new), world, state.world)
        number = jnp.where(state.over, state.step, state.step + 1)
        won, score = self.won(world), self.score(world)
        ended = won | self.lost(world)
        after = state.replace(step=number, world=world, over=ended | (number >= self.limit))
        gained = won.astype(jnp.float32) + (0.0 if self.sparse else rounded(score - self.score(state.world)))
        return after, TimeStep(
            view=self._view(after),
            reward=jnp.broadcast_to(jnp.where(state.over, 0.0, gained), (self.team,)).astype(jnp.float32),
            terminated=ended,
            truncated=after.over & ~ended,
            won=won,
            score=score,
        )

    def taken(self, state: StepState, actions: Int[Array, " n"]) -> Int[Array, " n"]:
        """Return the actions `[n]` that agents take: those that are chosen, where they are possible."""
        return jnp.where(available(self._mask(state), actions), actions, STAND).astype(jnp.int32)

    def global_state(self, state: StepState) -> Float[Array, " g"]:
        """Return what all agents observe, for critics."""
        return self.observe(state.world).reshape(-1)

    def record(
        self, world: Any, states: StepState, actions: Int[Array, "t n"], steps: int, title: str
    ) -> StepRecording:
        """Return a game that was played as a recording."""
        before = jax.tree.map(lambda rows: rows[:steps], states)
        done: Any = np.asarray(jax.vmap(self.taken)(before, actions[:steps]))
        shown: Any = jax.device_get(jax.tree.map(lambda rows: rows[: steps + 1], states.world))
        names = [f"AGENT_{number}" for number in range(1, self.team + 1)]
        last = jax.tree.map(lambda rows: rows[steps], states.world)
        return self.gather(names, shown, done, self.outcome(last, steps), title)

    def outcome(self, world: World, step: int) -> str:
        """Return how a game stands after a step, in words."""
        won, lost = bool(self.won(world)), bool(self.lost(world))
        return "won" if won else "lost" if lost else "step limit" if step >= self.limit else "running"

    def gather(
        self,
        names: Sequence[str],
        worlds: World,
        actions: NDArray[np.integer],
        outcome: str,
        title: str,
        lines: Sequence[Line] = (),
    ) -> StepRecording:
        """Return a game as a recording.

        Args:
            names: Of the agents.
            worlds: Leaves `[t + 1, ...]` on the host: before the first step, and after each one.
            actions: `[t, n]` what agents did in each step.
            outcome: How it ended, in words.
            title: Heading of the pictures.
            lines: What the agents said, did and thought.

        Raises:
            UserError: The recording has a field of its own that neither the state nor the environment has.
            DataError: A field does not fit what the recording says of it.
        """
        words = self.action_names
        doing, deeds = number_texts([[words[act] if act != STAND else "" for act in row] for row in actions], self.team)
        own = fields_of(self.recording).keys() - fields_of(StepRecording).keys()
        return self.recording(
            title=title,
            agents=tuple(names),
            limit=self.limit,
            outcome=outcome,
            tick=np.arange(len(actions) + 1),
            doing=doing,
            deeds=deeds,
            lines=tuple(lines),
            **{name: self._own(worlds, name) for name in own},
        )

    def check_form(self) -> None:
        """Check the names of the actions, and what the functions of the rules return, by their shapes alone.

        Raises:
            UserError: One of them is of another form than a game needs.
        """
        if wrong := next((name for name in self.actions if re.search(r"\d", name)), None):
            raise UserError(
                f"the action `{wrong}` has a digit in its name\n"
                "  = help: write the number as a word; digits in an answer are read as values of an action"
            )
        world = jax.eval_shape(self.begin, jax.random.key(0))
        actions = jax.ShapeDtypeStruct((self.team,), jnp.int32)
        after = jax.eval_shape(self.advance, world, actions, jax.random.key(0))
        if other := differ(after, world):
            raise UserError(
                f"`advance` returns another state than `begin`: {other}\n"
                "  = help: return the same tree with arrays of the same shapes and types"
            )
        seen = jax.eval_shape(self.observe, world)
        width = seen.shape[1] if len(getattr(seen, "shape", ())) == 2 else 1
        for name, shape, kind in (
            ("possible", (self.team, self.num_actions), np.bool_),
            ("observe", (self.team, width), np.float32),
            ("score", (), np.float32),
            ("won", (), np.bool_),
            ("lost", (), np.bool_),
            ("alive", (self.team,), np.bool_),
        ):
            found, wanted = form(jax.eval_shape(getattr(self, name), world)), form(jax.ShapeDtypeStruct(shape, kind))
            if found != wanted:
                raise UserError(
                    f"`{name}` returns {found}, not {wanted}\n"
                    f"  = help: {wanted} is a type and a shape; `jnp.asarray`, `.astype` and `.reshape` change these"
                )

    def _own(self, worlds: World, name: str) -> Any:
        """Return what fills a field of the recording: what the state, or else the environment, has by its name."""
        for place in (worlds, self):
            if hasattr(place, name):
                return getattr(place, name)
        state, environment, kept = type(worlds).__name__, type(self).__name__, self.recording.__name__
        raise UserError(
            f"`{kept}` keeps `{name}`, which neither the state `{state}` nor the environment `{environment}` has\n"
            f"  = help: give one of them an attribute `{name}`, or take the field out of `{kept}`"
        )

    def _mask(self, state: StepState) -> Bool[Array, "n a"]:
        can = (self.alive(state.world) & ~state.over)[:, None]
        return (self.possible(state.world) & can).at[:, STAND].set(True)

    def _view(self, state: StepState) -> LearnerView:
        alive = self.alive(state.world)
        return LearnerView(observation=self.observe(state.world), action_mask=self._mask(state), alive=alive)


def form(found: Any) -> str:
    """Return the type and shape of an array in words, such as `bool[2, 5]`."""
    if not hasattr(found, "dtype"):
        return f"{type(found).__name__}, and no array"
    return f"{found.dtype}{list(found.shape)}"


def differ(tree: Any, wanted: Any) -> str | None:
    """Return in words where a tree has another form than the one that is wanted; None if it has that form."""
    forms: list[Any] = [jax.tree.structure(each) for each in (tree, wanted)]
    if forms[0] != forms[1]:
        return f"a tree with other parts, {type(tree).__name__}"
    leaves = zip(jax.tree_util.tree_leaves_with_path(tree), jax.tree.leaves(wanted), strict=True)
    for (path, leaf), own in leaves:
        if form(leaf) != form(own):
            return f"`{jax.tree_util.keystr(path)}` is {form(leaf)}, not {form(own)}"
    return None
