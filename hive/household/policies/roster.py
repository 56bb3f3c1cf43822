"""The policies that ask no model, by name: the rows of the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.household.options import Kind
from hive.household.planner.following import Planner
from hive.household.policies.cheapest import cheapest
from hive.household.policies.knowing import Knows
from hive.household.policies.learned import ByTexts
from hive.household.policies.policy import Player, Policy
from hive.household.policies.roaming import Roaming
from hive.household.policies.rules import RuleAgent
from hive.household.policies.subgoals import subgoal_planner
from hive.household.utility.estimator import Estimator


@dataclass(frozen=True)
class Costs:
    """What the rows with learned costs need.

    Attributes:
        estimator: Costs that were learned from texts.
        kinds: Mean ticks of each kind of option.
    """

    estimator: Estimator
    kinds: Mapping[Kind, float]


@dataclass(frozen=True)
class Row:
    """A policy of the tables.

    Attributes:
        about: What it is, for the table.
        make: Makes it.
        rules: Rules of the episodes that it plays.
        agents: Size of its team where that is part of the row; else the command's.
    """

    about: str
    make: Callable[[Costs], Policy | Player]
    rules: tuple[str, ...] = ("housework", "transport")
    agents: int | None = None


def _learned(knows: Knows) -> Callable[[Costs], ByTexts]:
    return lambda costs: ByTexts(costs.estimator, cheapest(knows))


_HOUSEWORK = ("housework",)

ROWS: dict[str, Row] = {
    "planner": Row("knows everything, best split and tours of straight walks", lambda _: Planner(), _HOUSEWORK),
    "known": Row("cheapest by true cost, everything is known", lambda _: cheapest(Knows.ALL)),
    "shared": Row("cheapest by true cost, all is shared for nothing", lambda _: cheapest()),
    "talking": Row("the same, and a fifth of the decisions spend a message", lambda _: cheapest(talk=0.2)),
    "own": Row("cheapest by true cost, nothing is shared", lambda _: cheapest(Knows.OWN)),
    "one-shared": Row("one object a trip, all is shared", lambda _: cheapest(hands=1)),
    "one-own": Row("one object a trip, nothing is shared", lambda _: cheapest(Knows.OWN, hands=1)),
    "learned-shared": Row("cheapest by learned cost, all is shared", _learned(Knows.SHARED), _HOUSEWORK),
    "learned-own": Row("cheapest by learned cost, nothing is shared", _learned(Knows.OWN), _HOUSEWORK),
    "kinds-shared": Row(
        "cheapest by the mean of its kind, all is shared", lambda costs: cheapest(prices=costs.kinds), _HOUSEWORK
    ),
    "kinds-own": Row(
        "cheapest by the mean of its kind, nothing is shared",
        lambda costs: cheapest(Knows.OWN, prices=costs.kinds),
        _HOUSEWORK,
    ),
    "subgoals": Row("MHP: search over subgoals, belief, regression", lambda _: subgoal_planner(), _HOUSEWORK),
    "subgoals-hearing": Row("MHP that hears the other's subgoal", lambda _: subgoal_planner(hears=True), _HOUSEWORK),
    "rules": Row("RHP: rules for containers, targets and the last delivery", lambda _: RuleAgent(), ("transport",)),
    "roaming": Row("any option at random", lambda _: Roaming()),
}


def find_row(name: str) -> Row:
    """Return a row by its name.

    Raises:
        UserError: There is none.
    """
    if name not in ROWS:
        help = did_you_mean(nearest(name, ROWS)) or f"policies are {listing(ROWS, 'and')}"
        raise UserError(f"there is no policy `{name}`\n  = help: {help}")
    return ROWS[name]
