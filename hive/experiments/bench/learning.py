"""Row `learners`: steps of environments for learners, and training next to JaxMARL's.

JaxMARL's scripts are not part of its package: the variable `JAXMARL` names a checkout of its repository. Its script for
SMAX and ours train with networks of the same size on as many environments; both include a reset of ended games.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax import lax
from jaxtyping import Array, Key
from msgspec import structs

from hive.experiments.bench.peers.comparing import PeerProgram
from hive.experiments.bench.timing import build, measure, milliseconds, peak
from hive.kit.environment.env import Env, EnvState, LearnerView, random_actions, reset
from hive.rl.autoreset import step_and_reset
from hive.rl.policies import digest
from hive.rl.ppo import make_train
from hive.rl.registry import task
from hive.rl.settings import Config
from hive.rl.views.batched import BatchedView
from hive.worlds.battle.environment.units import make_env
from hive.worlds.battle.scenario import load_scenario
from hive.worlds.battle.world import Battle

ENVS, HORIZON, WIDTH = 64, 128, 128
MAP = "5m_vs_6m"  # SMAX's own name
STEPS = 100  # of a run without a network
SHORT = 16  # steps of a rollout with many environments
_NEEDED = ("distrax", "hydra", "jaxmarl", "omegaconf", "wandb")
_APART = "SMAX is five marines against six with 8 world steps under one action, ours five spearmen against six a tick"


def run(
    worlds: Sequence[int] = (), training: Sequence[int] = (), updates: int = 0, runs: int = 5
) -> Iterator[dict[str, Any]]:
    """Measure environments alone, in batches of so many `worlds`; then training.

    Args:
        worlds: Sizes of batches.
        training: Numbers of environments with which our learner trains twice; its policies are compared.
        updates: Updates of a timed run of a learner next to JaxMARL's; 0: none is measured.
        runs: Timed runs of each learner, one of each in turn.
    """
    env = five_against_six()
    for batch in worlds:
        yield steps_alone(env, batch)
        yield steps_shared(env, batch)
    for envs in training:
        yield trained_twice(env, envs)
    if updates:
        yield from beside(env, updates, runs)


def five_against_six() -> Env:
    """Return the environment of `skirmish_5v5` with a sixth enemy, as `5m_vs_6m` has it."""
    scenario = load_scenario(task("skirmish_5v5").of[0])
    enemy = replace(scenario.enemy, units=(structs.replace(scenario.enemy.units[0], count=6),))
    return make_env(Battle(replace(scenario, enemy=enemy)), nearest=6)


def steps_alone(env: Env, batch: int) -> dict[str, Any]:
    """Play `STEPS` steps of random available actions in so many worlds; ended games are reset."""
    keys = jax.random.split(jax.random.key(0), batch)
    state, view = jax.jit(jax.vmap(reset, (None, 0)))(env, keys)
    program = build(partial(_random_steps, batch=batch), env, state, view, jax.random.key(1))
    (timing,) = measure(partial(program.call, env, state, view, jax.random.key(1)), budget=10.0)
    rate = batch * STEPS / timing.median
    work = f"{batch:,} worlds, {env.num_agents} units"
    return {**_figures(work, rate), **milliseconds(timing, "run"), **program.figures, **peak()}


def steps_shared(env: Env, batch: int) -> dict[str, Any]:
    """Play the same through the batched view, with actions that NumPy draws, in turn with `steps_alone`'s program.

    Returns:
        A line; `of_native` is the share of that program's steps a second.
    """
    view, random, key = BatchedView(env, batch), np.random.default_rng(0), jax.random.key(1)
    state, first = jax.jit(jax.vmap(reset, (None, 0)))(env, jax.random.split(jax.random.key(0), batch))
    native = build(partial(_random_steps, batch=batch), env, state, first, key)
    mask = view.reset().action_mask

    def shared() -> None:
        nonlocal mask
        for _ in range(STEPS):
            mask = view.step((random.random(mask.shape, np.float32) * mask).argmax(-1)).action_mask

    alone, timing = measure(partial(native.call, env, state, first, key), shared, budget=20.0)
    work = f"{batch:,} worlds, {env.num_agents} units, in NumPy"
    share = {"of_native": round(alone.median / timing.median, 3)}
    return {**_figures(work, batch * STEPS / timing.median), **milliseconds(timing, "run"), **share, **peak()}


def _figures(work: str, ours: float) -> dict[str, Any]:
    """What every line has: environment steps a second, and nothing to compare it with."""
    return {"work": work, "ours": round(ours), "theirs": None, "ratio": None, "cpu_ratio": None, "same": None}


def _random_steps(
    env: Env, state: EnvState, view: LearnerView, key: Key[Array, ""], *, batch: int
) -> tuple[EnvState, LearnerView]:
    def body_fn(carry: tuple[EnvState, LearnerView], key: Key[Array, ""]) -> tuple[tuple[EnvState, LearnerView], Array]:
        state, view = carry
        choosing, starting = jax.random.split(key)
        actions = random_actions(choosing, view.action_mask)
        keys = jax.random.split(starting, batch)
        state, after = jax.vmap(step_and_reset, (None, 0, 0, 0))(env, state, actions, keys)
        return (state, after.timestep.view), after.timestep.reward.sum()

    return lax.scan(body_fn, (state, view), jax.random.split(key, STEPS))[0]


def trained_twice(env: Env, envs: int) -> dict[str, Any]:
    """Train with feed-forward IPPO for two updates, with so many environments and short rollouts, several times.

    Returns:
        A line; `same` is whether the first two runs gave equal policies to the bit, and `policy` is a digest of the
        first, with which runs of other processes are compared: with other flags of XLA, for instance.
    """
    config = Config(total_timesteps=2 * SHORT * envs, num_envs=envs, num_steps=SHORT)
    program = build(make_train(env, config), jax.random.key(0))
    policies = [digest(program.call(jax.random.key(0))[0]) for _ in range(2)]
    (timing,) = measure(partial(program.call, jax.random.key(0)), budget=10.0)
    rate = config.num_updates * SHORT * envs / timing.median
    found = {
        "envs": envs,
        "horizon": SHORT,
        "width": config.width,
        "agent_steps_per_s": round(rate * env.num_agents),
        "same": policies[0] == policies[1],
        "policy": policies[0],
    }
    figures = _figures(f"training, {envs:,} environments", rate)
    return {**figures, **milliseconds(timing, "run"), **found, **program.figures, **peak()}


def beside(env: Env, updates: int, runs: int) -> Iterator[dict[str, Any]]:
    """Train with our learners and, if it is there, with JaxMARL's script on SMAX and on our environment."""
    programs = {"recurrent": ours(env, updates, recurrent=1), "feed-forward": ours(env, updates, recurrent=0)}
    script = Path(os.environ.get("JAXMARL", "")) / "baselines" / "IPPO" / "ippo_rnn_smax.py"
    lacking = [name for name in _NEEDED if find_spec(name) is None]
    if not script.is_file() or lacking:
        what = f"install {', '.join(lacking)}" if lacking else "JAXMARL names no checkout of github.com/FLAIROx/JaxMARL"
        yield {"note": f"not measured: {what}"}
    else:
        programs |= {"theirs": theirs(script, updates), "theirs on ours": theirs(script, updates, env)}
    timed = dict(zip(programs, measure(*programs.values(), runs=runs), strict=True))
    steps = ENVS * HORIZON * updates
    size = f"{ENVS} environments, horizon {HORIZON}, width {WIDTH}"
    words = {
        "recurrent": f"IPPO with a GRU, {size}",
        "feed-forward": f"feed-forward IPPO, {size}; theirs with a GRU",
        "theirs on ours": f"JaxMARL's IPPO with a GRU on our environment, {size}",
    }
    for name, work in words.items():
        if name not in programs:
            continue
        own = timed[name]
        figures = {**_figures(work, steps / own.median), "cpu_s": round(own.spent, 2), "steps": steps}
        if other := timed.get("theirs"):
            figures |= {
                "theirs": round(steps / other.median),
                "ratio": round(other.median / own.median, 3),
                "cpu_ratio": round(other.spent / own.spent, 3),
                "jaxmarl": version("jaxmarl"),
                "not_comparable": _APART,
            }
        yield figures


def ours(env: Env, updates: int, *, recurrent: int) -> PeerProgram:
    """Train with `hive.rl.ppo` from a key."""
    steps = ENVS * HORIZON * updates
    config = Config(total_timesteps=steps, num_envs=ENVS, num_steps=HORIZON, width=WIDTH, recurrent=recurrent)
    return partial(jax.jit(make_train(env, config)), jax.random.key(0))


def theirs(script: Path, updates: int, env: Env | None = None) -> PeerProgram:
    """Train with JaxMARL's script, as it is, on SMAX or on an environment of ours."""
    import wandb
    from omegaconf import OmegaConf

    wandb.init(mode="disabled")  # the script reports to it
    spec = spec_from_file_location("ippo_rnn_smax", script)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    settings: Any = OmegaConf.to_container(OmegaConf.load(script.parent / "config" / "ippo_rnn_smax.yaml"))
    settings |= {"MAP_NAME": MAP, "NUM_ENVS": ENVS, "NUM_STEPS": HORIZON, "TOTAL_TIMESTEPS": ENVS * HORIZON * updates}
    settings |= {"GRU_HIDDEN_DIM": WIDTH, "FC_DIM_SIZE": WIDTH}
    if env is not None:
        from hive.rl.views.jaxmarl import MultiAgentView

        vars(module)["HeuristicEnemySMAX"] = lambda scenario, **settings: MultiAgentView(env)
    return partial(jax.jit(module.make_train(settings)), jax.random.PRNGKey(0))
