"""A conformance kit for environments that users add: what learners rely on, tried out on random games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Key

from dsl import UserError
from dsl.wording import differing
from hive.kit.environment.env import STAND, Env, EnvState, LearnerView, TimeStep, global_state, random_actions, reset
from hive.kit.environment.step_env import differ, form

Tree = Any


def check(env: Env, *, games: int = 4, steps: int | None = None, seed: int = 0) -> list[str]:
    """Play random games and return what breaks the contract of an environment, in words; empty if nothing does.

    Tested are shapes and dtypes, ranges of observations and of the global state, masks of actions (standing is always
    possible, a dead unit only stands), that a number that is no action stands, that a compiled function can read the
    properties, rewards that are finite and the same for the whole team, that a game ends in one way, after `max_steps`
    at the latest, and then stays as it is without reward, and that a game in a batch is to the bit the game alone.
    Where a program cannot be made of the environment, or a property or `global_state` is missing, nothing is played.

    Args:
        env: The environment.
        games: Games side by side.
        steps: Ticks of each; None: two more than the limit of a game.
        seed: Of the games and of the random actions.

    Raises:
        UserError: There is no game, or no step.
    """
    for name, number in (("games", games), ("steps", steps)):
        if number is not None and number < 1:
            raise UserError(f"`{name}` is {number}\n  = help: it is at least 1")
    if unread := list(_traced(env)) or list(_forms(env)):
        return unread
    ticks = env.max_steps + 2 if steps is None else steps
    keys = jax.random.split(jax.random.key(seed), games)
    *batch, stands = jax.device_get(_side_by_side(env, keys, ticks))
    *alone, _ = jax.device_get(_alone(env, keys[-1], ticks))
    first, plays, timesteps, seen = batch
    views = jax.tree.map(lambda one, others: np.concatenate([one[:, None], others], 1), first, timesteps.view)
    found = list(_shapes(env, timesteps, (games, ticks)))
    if any(flag.dtype != bool for flag in (views.alive, timesteps.terminated, timesteps.truncated)):
        return found  # neither units nor ends can be told
    found += [*_ranges(timesteps.replace(view=views)), *_range("the global state", seen)]
    found += [*_ends(plays, timesteps), *_limit(env, timesteps)]
    last = jax.tree.map(lambda leaf: leaf[-1], tuple(batch))
    paths = jax.tree_util.tree_flatten_with_path(last)[0]
    others = jax.tree.leaves(alone)
    apart = [jax.tree_util.keystr(path) for (path, a), b in zip(paths, others, strict=True) if not _equal(a, b).all()]
    if apart:
        found.append(f"a game in a batch is not the game alone, bit for bit: {differing(apart)}")
    if not stands.all():
        first = stands.all(axis=0).argmin() + 1
        found.append(f"-1 and {env.num_actions} are no actions, and differ from standing in step {first}")
    return found


def _traced(env: Env) -> Iterator[str]:
    """Read all properties of an environment that is an argument of a compiled function: its arrays have no values."""
    for name in (name for name, value in vars(Env).items() if isinstance(value, property)):
        found: list[Any] = []
        try:
            jax.eval_shape(partial(_read, name=name, found=found), env)
            fixed = not any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(found))
        except NotImplementedError:
            yield f"there is no `{name}`"
            continue
        except jax.errors.JAXTypeError:
            fixed = False
        if not fixed:
            yield f"`{name}` depends on an array, so a compiled function cannot read it: make it of static fields"


def _read(env: Env, name: str, found: list[Any]) -> None:
    found.append(getattr(env, name))


def _forms(env: Env) -> Iterator[str]:
    """Return what a compiled loop of steps cannot be made of, by shapes alone."""
    state, view = jax.eval_shape(reset, env, jax.random.key(0))
    after, timestep = jax.eval_shape(env.step, state, jax.ShapeDtypeStruct((env.num_agents,), jnp.int32))
    if other := differ(after, state):
        yield f"`step` returns another state than `reset`: {other}"
    if other := differ(view, timestep.view):
        yield f"`reset` returns another view than `step`: {other}"
    try:
        seen = jax.eval_shape(env.global_state, state)
    except NotImplementedError:
        yield "there is no `global_state`, which centralised critics and the views of other libraries read"
    else:
        if len(seen.shape) != 1 or seen.dtype != jnp.float32:
            yield f"`global_state` returns {form(seen)}, not one row of float32"


Played = tuple[LearnerView, Tree, TimeStep, Array, Bool[Array, " t"]]


def _play(env: Env, key: Key[Array, ""], ticks: int, tried: bool) -> Played:
    """Play one game with random available actions.

    Args:
        env: The environment.
        key: Of the game and of the actions.
        ticks: Steps.
        tried: Whether each step is also taken with numbers that are no action, and with standing: as rows of one step,
            which compiles hardly longer.

    Returns:
        The view of the reset; the states after each step, with numbers for keys; the timesteps; the global states; and
        in which steps the numbers next to those of the actions did what standing does.
    """
    others = jnp.array([[STAND], [-1], [env.num_actions]], jnp.int32)

    def body_fn(carry: tuple[EnvState, Array], key: Key[Array, ""]) -> tuple[tuple[EnvState, Array], Tree]:
        state, action_mask = carry
        action = random_actions(key, action_mask)
        same = jnp.array(True)
        if tried:
            rows = jnp.vstack([action, jnp.broadcast_to(others, (3, *action.shape))])
            steps = jax.vmap(env.step, (None, 0))(state, rows)  # not `step`, which refuses actions of a wrong mask
            found = jax.tree.leaves(jax.tree.map(_numbers, steps))
            same = jnp.array([_equal(leaf[1:], leaf[1:2]).all() for leaf in found]).all()
            after, timestep = jax.tree.map(lambda leaf: leaf[0], steps)
        else:
            after, timestep = env.step(state, action)
        shown = jax.tree.map(_numbers, after), timestep, global_state(env, after), same
        return (after, timestep.view.action_mask), shown

    state, view = reset(env, key)
    plays, timesteps, seen, same = jax.lax.scan(body_fn, (state, view.action_mask), jax.random.split(key, ticks))[1]
    return view, plays, timesteps, jnp.vstack([global_state(env, state), seen]), same


@partial(jax.jit, static_argnums=2)
def _side_by_side(env: Env, keys: Key[Array, " g"], ticks: int) -> Played:
    return jax.vmap(partial(_play, ticks=ticks, tried=True), (None, 0))(env, keys)


@partial(jax.jit, static_argnums=2)
def _alone(env: Env, key: Key[Array, ""], ticks: int) -> Played:
    return _play(env, key, ticks, tried=False)


def _equal(one: Any, other: Any) -> Any:
    """Return where arrays have the same numbers; a NaN, which `_ranges` names, is the same as another one."""
    return (one == other) | ((one != one) & (other != other))


def _numbers(leaf: Array) -> Array:
    return jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf


def _shapes(env: Env, timesteps: TimeStep, batch: tuple[int, int]) -> Iterator[str]:
    team = (*batch, env.num_agents)
    wanted = {
        "observation": (timesteps.view.observation, (*team, env.observation_size), np.float32),
        "action_mask": (timesteps.view.action_mask, (*team, env.num_actions), np.bool_),
        "alive": (timesteps.view.alive, team, np.bool_),
        "reward": (timesteps.reward, team, np.float32),
        "terminated": (timesteps.terminated, batch, np.bool_),
        "truncated": (timesteps.truncated, batch, np.bool_),
        "won": (timesteps.won, batch, np.bool_),
        "score": (timesteps.score, batch, np.float32),
    }
    for name, (found, shape, kind) in wanted.items():
        if found.shape != shape or found.dtype != kind:
            yield f"{name} is {found.dtype}{list(found.shape)}, not {np.dtype(kind)}{list(shape)}"


def _ranges(timesteps: TimeStep) -> Iterator[str]:
    view = timesteps.view
    yield from _range("an observation", view.observation)
    if not view.action_mask[..., STAND].all():
        yield "standing is not always available"
    if view.action_mask[~view.alive][:, STAND + 1 :].any():
        yield "a dead unit can do more than stand"
    if not ((timesteps.score >= 0) & (timesteps.score <= 1)).all():
        yield "a score is outside 0 to 1"
    if not np.isfinite(timesteps.reward).all():
        yield "a reward is not finite"
    elif (timesteps.reward != timesteps.reward[..., :1]).any():
        yield "units of one team get different rewards"


def _range(name: str, numbers: Any) -> Iterator[str]:
    if not np.isfinite(numbers).all():
        yield f"{name} is not finite"
    elif np.abs(numbers).max() > 1:
        yield f"{name} is {np.abs(numbers).max():g}, outside -1 to 1"


def _limit(env: Env, timesteps: TimeStep) -> Iterator[str]:
    over = (timesteps.terminated | timesteps.truncated)[:, env.max_steps - 1 : env.max_steps]
    if not over.all():
        yield f"a game is not over after `max_steps`, which is {env.max_steps}"


def _ends(plays: Tree, timesteps: TimeStep) -> Iterator[str]:
    if (timesteps.terminated & timesteps.truncated).any():
        yield "a game is terminated and truncated at once"
    if (timesteps.won & ~timesteps.terminated).any():
        yield "a game is won and has not terminated"
    over = timesteps.terminated | timesteps.truncated
    if (over[:, :-1] & ~over[:, 1:]).any():
        yield "a game that has ended goes on"
    after = over[:, :-1]
    if timesteps.reward[:, 1:][after].any():
        yield "a game that has ended gives a reward"
    pairs = (((leaf[:, :-1][after], leaf[:, 1:][after])) for leaf in jax.tree.leaves(plays))
    if not all(_equal(old, new).all() for old, new in pairs):
        yield "a game that has ended changes"
