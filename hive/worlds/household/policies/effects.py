"""What sharing, a second hand and further agents are worth: pairs of teams on the same episodes.

All teams follow the cheapest-option rule, so a difference comes from what the teams differ in; the rules of the
comparison are docs/rules/household.md 8.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float

from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.policies.cheapest import Cheapest, cheapest
from hive.worlds.household.policies.figures import Mean, difference, mean_of
from hive.worlds.household.policies.knowing import Knows
from hive.worlds.household.policies.trials import try_out

TEAMS: dict[str, tuple[Cheapest, int]] = {
    "2 agents, all known": (cheapest(Knows.ALL), 2),
    "2 agents, shared": (cheapest(), 2),
    "2 agents, shared, a fifth of the decisions are messages": (cheapest(talk=0.2), 2),
    "2 agents, nothing shared": (cheapest(Knows.OWN), 2),
    "2 agents, shared, one object a trip": (cheapest(hands=1), 2),
    "2 agents, nothing shared, one object a trip": (cheapest(Knows.OWN, hands=1), 2),
    "1 agent": (cheapest(), 1),
    "1 agent, one object a trip": (cheapest(hands=1), 1),
    "3 agents, shared": (cheapest(), 3),
    "4 agents, shared": (cheapest(), 4),
}
"""Policy and size of each team."""


@dataclass(frozen=True)
class Claim:
    """One team needs fewer ticks than another."""

    text: str
    better: str
    worse: str


EFFECT_CLAIMS = (
    Claim("sharing helps", "2 agents, shared", "2 agents, nothing shared"),
    Claim(
        "sharing helps with one object a trip",
        "2 agents, shared, one object a trip",
        "2 agents, nothing shared, one object a trip",
    ),
    Claim("knowing everything helps", "2 agents, all known", "2 agents, shared"),
    Claim("messages have a price", "2 agents, shared", "2 agents, shared, a fifth of the decisions are messages"),
    Claim("two hands help two agents", "2 agents, shared", "2 agents, shared, one object a trip"),
    Claim("two hands help one agent", "1 agent", "1 agent, one object a trip"),
    Claim("two agents help", "2 agents, shared", "1 agent"),
    Claim("two agents help without sharing", "2 agents, nothing shared", "1 agent"),
    Claim("a third agent helps", "3 agents, shared", "2 agents, shared"),
    Claim("a fourth agent helps", "4 agents, shared", "3 agents, shared"),
)
"""What the light world is expected to show."""


@dataclass(frozen=True)
class Effect:
    """A claim and what was measured.

    Attributes:
        claim: What is compared.
        gain: Mean ticks that the better team saves per episode, with its interval.
    """

    claim: Claim
    gain: Mean

    @property
    def verdict(self) -> str:
        """`holds` or `contradicted` if the interval lies on one side of 0, else `open`."""
        if self.gain.low > 0:
            return "holds"
        return "contradicted" if self.gain.high < 0 else "open"


@dataclass(frozen=True)
class Effects:
    """All claims on one set of episodes.

    Attributes:
        ticks: Mean ticks of each team; an episode that is not finished counts its limit.
        share: Mean share of the wanted objects that each team brought.
        unfinished: Episodes that each team did not finish.
        effects: The claims.
    """

    ticks: dict[str, Mean]
    share: dict[str, Mean]
    unfinished: dict[str, int]
    effects: tuple[Effect, ...]


def measure_effects(
    episodes: Sequence[HouseholdEpisode], seed: int, update: Callable[[str, int], None], detection: float = 1.0
) -> Effects:
    """Let all teams play the same episodes, each once.

    Args:
        episodes: At least two.
        seed: Of ties, races, messages and detections.
        update: Receives the team that plays, and the number of its episodes that are done.
        detection: Chance that an agent detects a thing that it sees in a tick.
    """
    ticks: dict[str, Float[np.ndarray, " e"]] = {}
    share: dict[str, Mean] = {}
    unfinished: dict[str, int] = {}
    for name, (policy, agents) in TEAMS.items():
        update(name, 0)
        trial = try_out(policy, episodes, agents, [seed], partial(update, name), detection)
        ticks[name], share[name], unfinished[name] = trial.ticks.mean(1), mean_of(trial.share.mean(1)), trial.unfinished
    effects = tuple(Effect(each, difference(ticks[each.worse], ticks[each.better])) for each in EFFECT_CLAIMS)
    return Effects({name: mean_of(each) for name, each in ticks.items()}, share, unfinished, effects)
