"""Teams of households that act by rules on what their agents know themselves, as policies of the environment."""

from __future__ import annotations

from typing import Any

from jaxtyping import Array, Int, Key

from hive.kit.environment.env import LearnerView, Policy
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.policies.cheapest import cheapest
from hive.worlds.household.policies.knowing import Knows
from hive.worlds.household.policies.policy import TeamPolicy
from hive.worlds.household.policies.rules import RuleAgent


def scripted(env: Any, episodes: list[HouseholdEpisode]) -> dict[str, Policy]:
    """Return the players of households without training, by their names in `policies.roster`.

    Those that are told more than their agents know are not among them, since the environment allows only what an agent
    knows.

    Args:
        env: The environment, a `HouseholdEnv`.
        episodes: Of which its games draw one.
    """
    found: dict[str, TeamPolicy] = {"own": cheapest(Knows.OWN)}
    if all(each.rules == "transport" for each in episodes):
        found["rules"] = RuleAgent()
    return {name: Policy(policy, _begin, _choose) for name, policy in found.items()}


def _begin(policy: TeamPolicy, env: Any) -> tuple[()]:
    return ()


def _choose(
    policy: TeamPolicy,
    env: Any,
    memory: tuple[()],
    state: Any,
    view: LearnerView,
    key: Key[Array, ""],
) -> tuple[Any, Int[Array, " n"]]:
    """Choose for the agents that are free; of the others the option goes on, which the environment does of itself."""
    chosen, _, memory = policy.act(state.params, state.state, memory, key)
    return memory, chosen[: env.team]
