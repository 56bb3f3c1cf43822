"""Settings of training runs, under the names that the literature and PureJaxRL give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from numbers import Real
from typing import Any

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest

SHORT = {
    "steps": "total_timesteps",
    "lr": "learning_rate",
    "lam": "gae_lambda",
    "ent": "ent_coef",
    "vf": "vf_coef",
    "fc_dim_size": "width",
    "gru_hidden_dim": "width",
}
"""Short names of settings and those of JaxMARL, accepted wherever a setting is named by a person."""

ELSEWHERE = {
    "activation": "networks of PPO have tanh, recurrent ones and those of PQN have ReLU",
    "seed": "a run has the seeds of its policies apart from its settings",
    "num_seeds": "a run has the seeds of its policies apart from its settings",
    "env_name": "a run has the name of its task apart from its settings",
    "map_name": "a run has the name of its task apart from its settings",
    "env_kwargs": "a run has changes of its task apart from its settings",
    "obs_with_agent_id": "observations of a task are the same for all learners",
    "scale_clip_eps": "the clip range does not depend on the number of agents",
}
"""What PureJaxRL and JaxMARL set and HIVE has no setting for: where it is, or what holds instead."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Settings of a training run; every field is a number.

    Attributes:
        total_timesteps: Environment steps of the whole run, over all environments; rounded down to whole updates.
        num_envs: Environments side by side.
        num_steps: Steps of a rollout.
        update_epochs: Passes over a rollout.
        num_minibatches: Parts of a pass; they divide `num_envs`.
        learning_rate: At the start.
        anneal_lr: Whether the learning rate falls linearly to zero over the run: 0 or 1.
        gamma: Discount of a step.
        gae_lambda: Lambda of the generalised advantage estimate; of PQN, that of the returns.
        clip_eps: Clip range of the probability ratio and of the value.
        ent_coef: Weight of the entropy.
        vf_coef: Weight of the value loss.
        max_grad_norm: Largest global norm of a gradient.
        width: Units of a layer, and of the memory of a recurrent network.
        recurrent: Whether the networks have a GRU: 0 or 1.
        attention: Heads of attention over the entities that observations list, 0 to 16; 0: the network reads an
            observation as one row. With attention its parameters do not depend on the number of entities listed.
        value_active_masks: Whether dead agents are left out of the value loss of a decentralised critic (MAPPO's name):
            0 or 1. They never teach the policy. A centralised critic has one value for the team, so that 1 is refused.
        centralised: The critic: 0, one value for each agent by what it observes (IPPO); 1, one value for the team by
            the global state (MAPPO).
        rew_scale: PQN: factor of rewards in the returns that values are fitted to.
        eps_start: PQN: share of random actions at the start, 0 to 1.
        eps_finish: PQN: the same at the end, and when drawn actions are played.
        eps_decay: PQN: share of the run over which it falls linearly, 0 to 1.
        pool: Self-play: most past policies that are opponents.
        entry: Self-play: updates after which the policy becomes one of them.
    """

    total_timesteps: int = 1_000_000
    num_envs: int = 64
    num_steps: int = 64
    update_epochs: int = 4
    num_minibatches: int = 4
    learning_rate: float = 1e-3
    anneal_lr: int = 1
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_eps: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    width: int = 64
    recurrent: int = 0
    centralised: int = 0
    attention: int = 0
    value_active_masks: int = 0
    rew_scale: float = 1.0
    eps_start: float = 1.0
    eps_finish: float = 0.05
    eps_decay: float = 0.1
    pool: int = 8
    entry: int = 10

    def __post_init__(self) -> None:
        """Check the ranges, and take whole numbers such as `8.0` for `8`.

        Raises:
            UserError: A setting is no number or out of range, or two settings exclude each other.
        """
        for each in fields(self):
            number, (low, high) = getattr(self, each.name), _range(each.name, each.type == "int")
            if not _is_number(number):
                raise UserError(f"`{each.name}` is {number!r:.80}, and no number\n  = help: write it without quotes")
            whole = each.type != "int" or number % 1 == 0
            if each.type == "int" and whole and abs(number) < 2**53:  # larger ones are refused as they were written
                object.__setattr__(self, each.name, int(number))
            if not (low <= number <= (high or number) and whole):
                words = f"from {low} to {high}" if high else f"a whole number, at least {low}"
                raise UserError(f"`{each.name}` is {number:g}: it is {words}")
            if number > (most := _MOST.get(each.name, number)):
                raise UserError(f"`{each.name}` is {number:g}: it is at most {most:,}")
        if self.centralised and self.value_active_masks:
            raise UserError(
                "`value_active_masks` has no effect on a centralised critic, which values the team, not each agent\n"
                "  = help: leave it out, or train with `ippo`"
            )
        if self.num_envs % self.num_minibatches:
            raise UserError(
                f"{self.num_envs} environments cannot be split into {self.num_minibatches} minibatches\n"
                "  = help: `num_envs` is a multiple of `num_minibatches`"
            )
        size = f"{self.num_envs} x {self.num_steps}"
        if self.batch_size > _MOST_STEPS:
            raise UserError(
                f"one update of {size} steps is too large: at most {_MOST_STEPS:,}\n"
                "  = help: lower `num_envs` or `num_steps`"
            )
        if self.num_updates < 1:
            raise UserError(
                f"{self.total_timesteps} steps are less than one update of {size}\n"
                f"  = help: give at least {self.batch_size:,} steps"
            )

    @property
    def batch_size(self) -> int:
        """Environment steps of an update."""
        return self.num_envs * self.num_steps

    @property
    def num_updates(self) -> int:
        """Updates of the run."""
        return self.total_timesteps // self.batch_size

    def json(self) -> dict[str, float]:
        """Return all settings; those of `_LATER` only where they differ from their defaults, as in earlier runs."""
        usual = {each.name: each.default for each in fields(self) if each.name in _LATER}
        return {name: number for name, number in asdict(self).items() if number != usual.get(name)}

    def hyper(self) -> Hyper:
        """Return the settings that may differ between runs of one program."""
        return Hyper(**{name: jnp.float32(getattr(self, name)) for name in VARYING})


class Hyper(struct.PyTreeNode, kw_only=True):
    """Settings as arrays, so that `jax.vmap` trains with several at once; see `Config`."""

    learning_rate: Float[Array, ""]
    gamma: Float[Array, ""]
    gae_lambda: Float[Array, ""]
    clip_eps: Float[Array, ""]
    ent_coef: Float[Array, ""]
    vf_coef: Float[Array, ""]
    max_grad_norm: Float[Array, ""]


NAMES = tuple(each.name for each in fields(Config))
"""Names of all settings."""

VARYING = tuple(Hyper.__dataclass_fields__)
"""Names of the settings that may differ between runs of one program."""

_LATER = ("anneal_lr",)
_SHARES = ("gamma", "gae_lambda", "eps_start", "eps_finish", "eps_decay")
_MOST = {"update_epochs": 1_000, "width": 4_096, "attention": 16, "pool": 1_000, "entry": 1_000_000}
_MOST_STEPS = 1 << 28  # of one update, which memory holds all at once


def _is_number(value: Any) -> bool:
    return isinstance(value, Real)


def _range(name: str, whole: bool) -> tuple[int, int | None]:
    if name in ("recurrent", "centralised", "value_active_masks", "anneal_lr"):
        return 0, 1
    if name == "attention":
        return 0, None
    return (1, None) if whole else (0, 1 if name in _SHARES else 1_000 if name == "rew_scale" else 10)


def setting_name(name: str) -> str:
    """Return the name of a setting that a person has written: in any case, as in `NUM_ENVS`, or a short one.

    Raises:
        UserError: There is no such setting, or something else says it.
    """
    plain = name.lower().replace("-", "_")
    found = SHORT.get(plain, plain)
    if found in NAMES:
        return found
    if found in ELSEWHERE:
        raise UserError(f"`{name}` is no setting\n  = help: leave it out: {ELSEWHERE[found]}")
    advice = did_you_mean(nearest(plain, [*NAMES, *SHORT])) or f"settings are {listing(NAMES, 'and')}"
    raise UserError(f"there is no setting `{name}`\n  = help: {advice}")


def read_settings(rows: Mapping[str, float]) -> dict[str, float]:
    """Return settings with their names in full; see `setting_name`.

    Raises:
        UserError: A setting is unknown, or given under two names.
    """
    found: dict[str, float] = {}
    for name, number in rows.items():
        full = setting_name(name)
        if full in found:
            raise UserError(f"the setting `{full}` is given twice\n  = help: give it once")
        found[full] = number
    return found
