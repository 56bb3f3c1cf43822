"""Language models: clients, recordings, the ledger, the dialogue, sessions, campaigns, samples, rewards for trainers.

    rewards = hive.players.llm.reward("coordinate", texts, seeds=range(4))

Names are loaded when first used: clients need no JAX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach

if TYPE_CHECKING:
    from hive.players.llm.prompting import conversations
    from hive.players.llm.rewards import Rewards, Score, reward
    from hive.players.llm.set_rewards import SetRewards

__all__ = ["Rewards", "Score", "SetRewards", "conversations", "reward"]

__getattr__, __dir__ = attach(
    globals(),
    {
        "prompting": ("conversations",),
        "rewards": ("Rewards", "Score", "reward"),
        "set_rewards": ("SetRewards",),
    },
)
