"""The algorithms by which policies are trained: one row each. Read without JAX, by command lines too.

Two rows may share a module and differ in settings: published ones have rows of their own, so that they have names.
An algorithm is a module with three pure functions, which `hive.rl.training` calls and which may be compiled:

- `begin(env, config, key, hyper)` returns a `hive.rl.ppo.Runner` (or a subclass) before the first update.
- `update(env, config, runner)` returns the runner after one update, and its `hive.rl.ppo.TrainingMetrics`.
- `network_of(env, config)` returns the network of `runner.params`: `initial_memory(*batch, agents)` is its memory at
  the start of games, and `apply(params, memory, observation, action_mask, starts)` returns the memory, the logits of
  the actions and anything else; see `hive.rl.networks`. Policies, opponents and leagues play with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType

from dsl import UserError
from dsl.wording import listing


@dataclass(frozen=True)
class Algorithm:
    """An algorithm.

    Attributes:
        name: On the command line.
        summary: What it does, in a few words.
        module: The module with its functions.
        settings: Settings that it fixes: fields of `hive.rl.settings.Config`.
        usual: Settings that suit it, in place of those of a task; a run may change them.
        unread: Settings that change nothing of it, so that a run cannot change them.
    """

    name: str
    summary: str
    module: str
    settings: Mapping[str, int] = field(default_factory=dict)
    usual: Mapping[str, float] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    def load(self) -> ModuleType:
        """Import its module."""
        return import_module(self.module)

    def check_read(self, changes: Mapping[str, float], usual: Mapping[str, float] | None = None) -> None:
        """Check that it reads the settings that a run changes.

        Args:
            changes: What they are changed to.
            usual: What they are otherwise; None: each counts as a change.

        Raises:
            UserError: It does not read one of them.
        """
        for name in self.unread:
            if name in changes and (usual is None or changes[name] != usual[name]):
                others = listing([row.name for row in _ROWS if name not in {*row.unread, *row.settings}], "and")
                raise UserError(f"{self.name} does not read `{name}`\n  = help: leave it out; it is read by {others}")


_JAXMARL = {  # what its recurrent IPPO and MAPPO for SMAX share
    "num_envs": 128, "num_steps": 128, "update_epochs": 4, "num_minibatches": 4, "width": 128,
    "gamma": 0.99, "gae_lambda": 0.95, "vf_coef": 0.5, "max_grad_norm": 0.25,
}  # fmt: skip

_OF_PQN = ("rew_scale", "eps_start", "eps_finish", "eps_decay")
_OF_SELFPLAY = ("pool", "entry")
_OF_PPO = ("clip_eps", "ent_coef", "vf_coef")
_OTHERS = (*_OF_PQN, *_OF_SELFPLAY)  # what PPO against a plan does not read

_ROWS = (
    Algorithm("ippo", "each unit learns for itself", "hive.rl.ppo", {"centralised": 0}, unread=_OTHERS),
    Algorithm("mappo", "the critic reads the global state", "hive.rl.ppo", {"centralised": 1}, unread=_OTHERS),
    Algorithm(
        "pqn_vdn",
        "Q-learning of summed values, without a replay buffer",
        "hive.rl.pqn_vdn",
        {"centralised": 0, "attention": 0, "value_active_masks": 0},
        {"learning_rate": 3e-3, "num_steps": 16, "gae_lambda": 0.85, "max_grad_norm": 1.0, "rew_scale": 10.0},
        (*_OF_PPO, *_OF_SELFPLAY),
    ),
    Algorithm(
        "ippo_rnn",
        "recurrent ippo, settings of JaxMARL for SMAX",
        "hive.rl.ppo",
        {"centralised": 0, "recurrent": 1},
        {**_JAXMARL, "learning_rate": 4e-3, "clip_eps": 0.05, "ent_coef": 0.01},
        _OTHERS,
    ),
    Algorithm(
        "mappo_rnn",
        "recurrent mappo, likewise",
        "hive.rl.ppo",
        {"centralised": 1, "recurrent": 1},
        {**_JAXMARL, "learning_rate": 2e-3, "clip_eps": 0.2, "ent_coef": 0.0},
        _OTHERS,
    ),
    Algorithm("selfplay", "ippo against its own past policies", "hive.rl.selfplay", unread=_OF_PQN),
)

ALGORITHMS: Mapping[str, Algorithm] = {row.name: row for row in _ROWS}
"""All algorithms by name; the first is the default."""

BEST, NEWEST = "best", "newest"
"""The checkpoints of a run that can play."""

DEFAULT = _ROWS[0].name
"""The algorithm of a command line that names none."""


def algorithm(name: str) -> Algorithm:
    """Return an algorithm.

    Raises:
        UserError: There is no such algorithm.
    """
    if name not in ALGORITHMS:
        known = listing(list(ALGORITHMS), "and")
        raise UserError(f"there is no algorithm `{name}`\n  = help: algorithms are {known}")
    return ALGORITHMS[name]


def split_checkpoint(place: str) -> tuple[str, str | None]:
    """Return the folder of a training run, and the checkpoint that a player's name asks for: `best`, `newest` or None.

    Args:
        place: A folder, or one with `@best` or `@newest` behind it.
    """
    folder, _, which = place.rpartition("@")
    return (folder, which) if folder and which in (BEST, NEWEST) else (place, None)
