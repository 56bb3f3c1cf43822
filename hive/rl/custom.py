"""An environment with a reward or observations of your own, as functions; docs/custom.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from dsl import UserError
from hive.kit.environment.around import AroundEnv
from hive.kit.environment.env import Choice, EntityBlock, Env, EnvState, LearnerView, Policy, TimeStep

if TYPE_CHECKING:
    from hive.kit.keep.recording import Recording

Tree = Any

RewardFunction = Callable[[Any, Any, Any, TimeStep], Array]
"""`reward(env, before, after, timestep)`: the reward of the team for a step between two states, one number."""

ObservationFunction = Callable[[Any, Any, LearnerView], Array]
"""`observation(env, state, view)`: what the agents observe of a state, `[n, f]` numbers in [-1, 1]."""


class CustomEnvState(struct.PyTreeNode, kw_only=True):
    """The state of the environment inside, and whether its game has ended."""

    env_state: EnvState
    over: Bool[Array, ""]


class CustomEnv(AroundEnv[CustomEnvState], kw_only=True):
    """An environment whose reward or observations come from functions.

    Attributes:
        env: The environment; the functions get it, and its states.
        reward: The function of the reward; None: the environment's own.
        observation: The function of the observations; None: the environment's own.
        length: Numbers of an observation.
    """

    env: Env
    reward: RewardFunction | None = struct.field(pytree_node=False, default=None)
    observation: ObservationFunction | None = struct.field(pytree_node=False, default=None)
    length: int = struct.field(pytree_node=False)

    @property
    def inside(self) -> Env:
        """The environment that the functions get."""
        return self.env

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        return self.length

    @property
    def observation_form(self) -> Mapping[str, str]:
        """What an observation says where its meaning has changed; empty where observations are your own."""
        return self.env.observation_form if self.observation is None else {}

    @property
    def entity_blocks(self) -> tuple[EntityBlock, ...]:
        """Where an observation of the environment lists entities; empty where observations are your own."""
        return self.env.entity_blocks if self.observation is None else ()

    def reset(self, key: Key[Array, ""]) -> tuple[CustomEnvState, LearnerView]:
        """Begin a game."""
        state, view = self.env.reset(key)
        return CustomEnvState(env_state=state, over=jnp.zeros((), bool)), self._observed(state, view)

    def step(self, state: CustomEnvState, actions: Int[Array, " n"]) -> tuple[CustomEnvState, TimeStep]:
        """Play one step; a finished game gives no reward, whatever the function says."""
        after, timestep = self.env.step(state.env_state, actions)
        reward = timestep.reward
        if self.reward is not None:
            own = jnp.asarray(self.reward(self.env, state.env_state, after, timestep), jnp.float32)
            reward = jnp.broadcast_to(jnp.where(state.over, 0.0, own), (self.num_agents,))
        over = timestep.terminated | timestep.truncated
        view = self._observed(after, timestep.view)
        return CustomEnvState(env_state=after, over=over), timestep.replace(view=view, reward=reward)

    def global_state(self, state: CustomEnvState) -> Float[Array, " g"]:
        """Return the global state for critics: that of the environment."""
        return self.env.global_state(state.env_state)

    def record(
        self, world: Any, states: CustomEnvState, actions: Int[Array, "t n"], steps: int, title: str
    ) -> Recording:
        """Return a game that was played as a recording, as the environment makes it."""
        return self.env.record(world, states.env_state, actions, steps, title)

    def scripted(self, world: Any) -> Mapping[str, Policy]:
        """Return the players without training of the environment; they read its states."""
        return {
            name: _inside(policy.begin, policy.choose).replace(params=policy.params)
            for name, policy in self.env.scripted(world).items()
        }

    def against(self, rival: Any) -> Env:
        """Return the environment with policies on the other side.

        Raises:
            UserError: Its observations are your own, which the other side has not, or it has one side.
        """
        if self.observation is not None:
            raise UserError(
                "self-play needs the observations of the environment, since both sides have them\n"
                "  = help: leave `observation` out"
            )
        return self.replace(env=self.env.against(rival))

    def _observed(self, state: EnvState, view: LearnerView) -> LearnerView:
        if self.observation is None:
            return view
        return view.replace(observation=jnp.asarray(self.observation(self.env, state, view), jnp.float32))


@cache  # programs are compiled for each function object
def _inside(begin: Callable[..., Tree], choose: Callable[..., Choice]) -> Policy:
    """Return the policy of these functions, which read the environment inside, without its parameters."""

    def begin_inside(params: Tree, env: Any) -> Tree:
        return begin(params, env.env)

    def choose_inside(params: Tree, env: Any, memory: Tree, state: Any, view: LearnerView, key: Array) -> Choice:
        return choose(params, env.env, memory, state.env_state, view, key)

    return Policy((), begin_inside, choose_inside)


def customise(
    env: Env, *, reward: RewardFunction | None = None, observation: ObservationFunction | None = None
) -> CustomEnv:
    """Return an environment with functions of your own.

    Both are pure functions of JAX arrays, called for one game at a time. `hive.rl.check` tries them out. Programs are
    compiled for each function object, so define them once.

    Args:
        env: Any environment of `hive.rl`.
        reward: See `RewardFunction`; None: the environment's own.
        observation: See `ObservationFunction`; None: the environment's own.

    Raises:
        UserError: What is given is no function, fails, or returns no numbers or an array of another shape.
    """
    for name, given in (("reward", reward), ("observation", observation)):
        if given is not None and not callable(given):
            raise UserError(f"`{name}` is {given!r:.80}, and no function\n  = help: see docs/custom.md for one")

    def tried(key: Key[Array, ""]) -> tuple[Any, Any]:
        state, view = env.reset(key)
        after, timestep = env.step(state, jnp.zeros(env.num_agents, jnp.int32))
        seen = view.observation if observation is None else _tried("observation", observation, env, state, view)
        gained = timestep.reward[0] if reward is None else _tried("reward", reward, env, state, after, timestep)
        return seen, gained

    seen, gained = jax.eval_shape(tried, jax.random.key(0))
    if gained.shape != ():
        raise UserError(
            f"`reward` returns {list(gained.shape)} numbers, and the reward of a team is one\n"
            "  = help: return a scalar, such as the sum over the agents"
        )
    if len(seen.shape) != 2 or seen.shape[0] != env.num_agents:
        raise UserError(
            f"`observation` returns an array of the shape {list(seen.shape)}\n"
            f"  = help: return one row for each agent: [{env.num_agents}, f]"
        )
    return CustomEnv(env=env, reward=reward, observation=observation, length=seen.shape[1])


_TAKES = {"reward": "(env, before, after, timestep)", "observation": "(env, state, view)"}


def _tried(name: str, function: Callable[..., Any], *given: Any) -> Array:
    """Return what a function makes of traced arrays.

    Raises:
        UserError: It fails, or returns no numbers.
    """
    try:
        return jnp.asarray(function(*given), jnp.float32)
    except (TypeError, ValueError, AttributeError, IndexError, KeyError, jax.errors.JAXTypeError) as error:
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(
            f"`{name}` fails: {why:.200}\n"
            f"  = help: it is called as `{name}{_TAKES[name]}` with JAX arrays whose numbers are not known yet, and "
            "returns numbers; write conditions with `jnp.where`"
        ) from error
