"""The contract of an environment for learners (docs/rules/learning.md): arrays `[n, ...]` over the learner's agents.

All functions are pure and unbatched: `jax.vmap` over keys and states makes batches. `step` never resets; see
`hive.rl.autoreset`. Each world has its environments in its own folder; `hive.worlds` has their row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from dsl import UserError

if TYPE_CHECKING:
    from hive.kit.keep.recording import Recording

EnvState = Any
"""The state of some environment, which only this environment reads: a tree of arrays."""

OwnState = TypeVar("OwnState")
"""The same where the environment is known, as in `Env[CrewEnvState]`."""

STAND = 0  # an action that every environment has: do nothing


class LearnerView(struct.PyTreeNode, kw_only=True):
    """What learners read of a state."""

    observation: Float[Array, "n f"]  # in [-1, 1]
    action_mask: Bool[Array, "n a"]  # actions that can be taken; a dead agent can only stand
    alive: Bool[Array, " n"]


class TimeStep(struct.PyTreeNode, kw_only=True):
    """The result of a step."""

    view: LearnerView
    reward: Float[Array, " n"]  # the same for all agents of the team
    terminated: Bool[Array, ""]  # won, lost
    truncated: Bool[Array, ""]  # the limit was reached
    won: Bool[Array, ""]
    score: Float[Array, ""]  # how far the team has come, 0 to 1


class EntityBlock(NamedTuple):
    """Entities of one kind that an observation lists in rows of equal length.

    Attributes:
        start: Index of the first number of the first row.
        rows: Number of rows, for as many entities at most.
        size: Numbers of a row; the first is 1, or 0 where there is no entity and the row is zeros.
        targets: Whether the last `rows` actions are on these entities, in their order.
    """

    start: int
    rows: int
    size: int
    targets: bool = False


Tree = Any
Choice = tuple[Tree, Int[Array, " n"]]


class Policy(struct.PyTreeNode):
    """Chooses the actions of a game's agents; a tree, so that policies of one form share a compiled program.

    Attributes:
        params: Arrays of the policy.
        begin: `begin(params, env)` returns its memory at the start of a game, a tree of arrays.
        choose: `choose(params, env, memory, state, view, key)` returns the memory and the actions `[n]`. A learned
            policy reads the view alone.
    """

    params: Tree
    begin: Callable[[Tree, Env], Tree] = struct.field(pytree_node=False)
    choose: Callable[[Tree, Env, Tree, EnvState, LearnerView, Key[Array, ""]], Choice] = struct.field(pytree_node=False)


class Env(struct.PyTreeNode, Generic[OwnState]):
    """An environment: a tree of arrays that may be an argument of a compiled function, which can read its properties.

    An environment of your own is a subclass of `Env`, or of `Env[MyState]` so that type checkers know its state;
    `hive.rl.check` says whether it keeps the contract.
    """

    def __init_subclass__(cls, **settings: Any) -> None:
        """Register the class as a tree, of which its class is a part.

        JAX takes trees of two classes with the same fields for equal, so that now and then a compiled function would
        serve one environment with the program of another.
        """
        cls.__annotations__ = {**inspect.get_annotations(cls), "_class": type}
        cls._class = struct.field(pytree_node=False, default=cls, kw_only=True, repr=False)  # type: ignore[attr-defined]
        super().__init_subclass__(**settings)

    @property
    def num_agents(self) -> int:
        """Number of agents."""
        raise NotImplementedError

    @property
    def num_actions(self) -> int:
        """Number of actions of an agent; 0 stands."""
        raise NotImplementedError

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action in words, for people."""
        return tuple("stand" if number == STAND else f"action {number}" for number in range(self.num_actions))

    @property
    def action_table(self) -> tuple[tuple[str, str], ...]:
        """Number or numbers of each action, and what it does, for tables."""
        return tuple((str(number), words) for number, words in enumerate(self.action_names))

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        raise NotImplementedError

    @property
    def observation_form(self) -> Mapping[str, str]:
        """Names of what an observation says in places whose meaning has changed while their number has not."""
        return {}

    @property
    def entity_blocks(self) -> tuple[EntityBlock, ...]:
        """Where an observation lists entities, for networks that attend over them; empty where none are listed."""
        return ()

    @property
    def max_steps(self) -> int:
        """Steps after which a game surely has ended."""
        raise NotImplementedError

    @property
    def every(self) -> int:
        """Ticks of a step."""
        return 1

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the worlds of which the key of a game draws one; empty where there are none with names."""
        return ()

    def variant(self, key: Key[Array, ""]) -> Int[Array, ""]:
        """Return the number of the world among `variants` that the game with this key is played in."""
        raise NotImplementedError

    def reset(self, key: Key[Array, ""]) -> tuple[OwnState, LearnerView]:
        """Begin a game."""
        raise NotImplementedError

    def step(self, state: OwnState, actions: Int[Array, " n"]) -> tuple[OwnState, TimeStep]:
        """Play one step; a finished game stays as it is, bit for bit, and gives no more reward.

        Raises:
            UserError: The actions are no array of whole numbers, or of another shape than `[n]`; `available` says so.
        """
        raise NotImplementedError

    def global_state(self, state: OwnState) -> Float[Array, " g"]:
        """Return the global state for critics, in [-1, 1]."""
        raise NotImplementedError

    @property
    def recordable(self) -> bool:
        """Whether games can be recorded: by default whether there is a method `record`."""
        return type(self).record is not Env.record

    def record(self, world: Any, states: OwnState, actions: Int[Array, "t n"], steps: int, title: str) -> Recording:
        """Return a game that was played as a recording; environments without this method have none.

        Args:
            world: What the environment was made of.
            states: Leaves `[t + 1, ...]`: before the first step, and after each.
            actions: What was chosen in each step.
            steps: How many steps the game had; what follows repeats its end.
            title: Heading of the pictures.
        """
        raise NotImplementedError

    def scripted(self, world: Any) -> Mapping[str, Policy]:
        """Return players without training by their names, such as the world's own rules and best plans.

        They play the same games as learned policies, and their actions obey the same masks. What they read of a state
        is up to them.

        Args:
            world: What the environment was made of.
        """
        return {}

    def against(self, rival: Any) -> Env:
        """Return the environment with a `hive.kit.environment.rivals.Rival` on the other side, if there is one.

        Raises:
            UserError: The environment has one side, or no policy of the learner's form can play the other one.
        """
        raise UserError("self-play needs two sides, and this task has one\n  = help: train with --algorithm ippo")


def reset(env: Env[OwnState], key: Key[Array, ""]) -> tuple[OwnState, LearnerView]:
    """Begin a game."""
    return env.reset(key)


def step(env: Env[OwnState], state: OwnState, actions: Int[Array, " n"]) -> tuple[OwnState, TimeStep]:
    """Play one step.

    A finished game stays as it is, bit for bit, and gives no more reward.

    Args:
        env: The environment.
        state: Its state, from `reset` or `step`.
        actions: `[n]` whole numbers, one of `env.num_actions` for each agent. An action that is not available stands,
            and so does a number that is none.

    Returns:
        The next state, and the timestep.

    Raises:
        UserError: The actions are no array of whole numbers, or of another shape.
    """
    _check_actions(actions, env.num_agents)
    return env.step(state, narrowed(actions, env.num_actions))


def available(action_mask: Bool[Array, "n a"], actions: Int[Array, " n"]) -> Bool[Array, " n"]:
    """Return whether each agent can take its action; a number outside 0 to a - 1 is never available.

    Raises:
        UserError: The actions are no array of whole numbers, or of another shape.
    """
    _check_actions(actions, action_mask.shape[0])
    number = action_mask.shape[1]
    chosen = narrowed(actions, number)[:, None] == jnp.arange(number)[None]
    return (action_mask & chosen).any(1)


def narrowed(actions: Any, number: int) -> Int[Array, "*b"]:
    """Return actions as int32, in which those that would be cut to another number are -1, which is no action.

    Args:
        actions: An array of whole numbers of any type.
        number: How many actions there are.
    """
    if actions.dtype.itemsize > jnp.int32.dtype.itemsize:
        actions = jnp.where((actions >= 0) & (actions < number), actions, -1)
    return jnp.asarray(actions, jnp.int32)


def _check_actions(actions: Any, agents: int) -> None:
    """Check the form of actions, which compiled functions know when they are traced.

    Raises:
        UserError: They are no array of whole numbers, or of another shape.
    """
    if not hasattr(actions, "dtype"):
        raise UserError(
            f"actions are a {type(actions).__name__}, and no array\n"
            f"  = help: give an array of the shape [{agents}], a whole number for each agent in turn"
        )
    if actions.shape != (agents,) or not jnp.issubdtype(actions.dtype, jnp.integer):
        raise UserError(
            f"actions are {actions.dtype}{list(actions.shape)}\n"
            f"  = help: give whole numbers of the shape [{agents}]; jax.vmap steps several games"
        )


def sample_actions(key: Key[Array, ""], logits: Float[Array, "*b a"]) -> Int[Array, "*b"]:
    """Return actions drawn by their logits, those of `jax.random.categorical`.

    The noise is drawn as one row: on a CPU its program compiles sooner than that of an array whose last axis is short.
    """
    noise = jax.random.gumbel(key, (logits.size,), logits.dtype).reshape(logits.shape)
    return jnp.argmax(logits + noise, axis=-1).astype(jnp.int32)


def random_actions(key: Key[Array, ""], action_mask: Bool[Array, "*b a"]) -> Int[Array, "*b"]:
    """Return available actions, drawn with equal chances."""
    return sample_actions(key, jnp.where(action_mask, 0.0, -jnp.inf))


def global_state(env: Env[OwnState], state: OwnState) -> Float[Array, " g"]:
    """Return the global state for critics, in [-1, 1]."""
    return env.global_state(state)


def stack(trees: Sequence[Any]) -> Any:
    """Return trees of one form as one, whose leaves have an axis of rows in front."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)


def unstack(tree: Any, count: int | None = None) -> list[Any]:
    """Return the first `count` rows of all leaves, one tree for each; None: all rows."""
    count = len(jax.tree.leaves(tree)[0]) if count is None else count
    return [jax.tree.map(lambda leaf, row=row: leaf[row], tree) for row in range(count)]
