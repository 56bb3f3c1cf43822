"""The policies that ask no model, by name: the rows of the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.worlds.household.options import OptionKind
from hive.worlds.household.planner.following import Planner
from hive.worlds.household.policies.cheapest import cheapest
from hive.worlds.household.policies.knowing import Knows
from hive.worlds.household.policies.learned import ByTexts
from hive.worlds.household.policies.policy import Player, TeamPolicy
from hive.worlds.household.policies.roaming import Roaming
from hive.worlds.household.policies.rules import RuleAgent
from hive.worlds.household.policies.subgoals import subgoal_planner
from hive.worlds.household.utility.estimator import Estimator


@dataclass(frozen=True)
class LearnedCosts:
    """What the rows with learned costs need.

    Attributes:
        estimator: Costs that were learned from texts.
        kinds: Mean ticks of each kind of option.
    """

    estimator: Estimator
    kinds: Mapping[OptionKind, float]


@dataclass(frozen=True)
class PolicyRow:
    """A policy of the tables.

    Attributes:
        make: Makes it.
        rules: Rules of the episodes that it plays.
    """

    make: Callable[[LearnedCosts], TeamPolicy | Player]
    rules: tuple[str, ...] = ("housework", "transport")


def _learned(knows: Knows) -> Callable[[LearnedCosts], ByTexts]:
    return lambda costs: ByTexts(costs.estimator, cheapest(knows))


def _kinds(knows: Knows) -> Callable[[LearnedCosts], TeamPolicy]:
    return lambda costs: cheapest(knows, prices=costs.kinds)


_HOUSEWORK, _TRANSPORT = ("housework",), ("transport",)

POLICY_ROWS: dict[str, PolicyRow] = {
    "planner": PolicyRow(lambda _: Planner(), _HOUSEWORK),
    "known": PolicyRow(lambda _: cheapest(Knows.ALL)),
    "shared": PolicyRow(lambda _: cheapest()),
    "talking": PolicyRow(lambda _: cheapest(talk=0.2)),
    "own": PolicyRow(lambda _: cheapest(Knows.OWN)),
    "one-shared": PolicyRow(lambda _: cheapest(hands=1)),
    "one-own": PolicyRow(lambda _: cheapest(Knows.OWN, hands=1)),
    "learned-shared": PolicyRow(_learned(Knows.SHARED), _HOUSEWORK),
    "learned-own": PolicyRow(_learned(Knows.OWN), _HOUSEWORK),
    "kinds-shared": PolicyRow(_kinds(Knows.SHARED), _HOUSEWORK),
    "kinds-own": PolicyRow(_kinds(Knows.OWN), _HOUSEWORK),
    "subgoals": PolicyRow(lambda _: subgoal_planner(), _HOUSEWORK),
    "subgoals-hearing": PolicyRow(lambda _: subgoal_planner(hears=True), _HOUSEWORK),
    "rules": PolicyRow(lambda _: RuleAgent(), _TRANSPORT),
    "roaming": PolicyRow(lambda _: Roaming()),
}
"""The policies, in the order of the tables; `names.ABOUT` says what they are."""


def find_row(name: str) -> PolicyRow:
    """Return a row by its name.

    Raises:
        UserError: There is none.
    """
    if name not in POLICY_ROWS:
        help = did_you_mean(nearest(name, POLICY_ROWS)) or f"policies are {listing(POLICY_ROWS, 'and')}"
        raise UserError(f"there is no policy `{name}`\n  = help: {help}")
    return POLICY_ROWS[name]
