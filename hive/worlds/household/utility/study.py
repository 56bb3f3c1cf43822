"""Costs learned from exploratory episodes, and how far they carry: to other options and to other apartments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from hive.kit.reporting import Unwatched, Watch
from hive.worlds.household.episode import HouseholdEpisode, episode, episodes, switched, transports
from hive.worlds.household.generator import generate
from hive.worlds.household.houses import generate_transport
from hive.worlds.household.utility.errors import Error, errors
from hive.worlds.household.utility.estimator import Estimator
from hive.worlds.household.utility.exploring import Pairs, explore, split
from hive.worlds.household.utility.regression import TextSettings, TextUtility, learn

HOMES = 100
"""Generated episodes that costs are learned from, each in an apartment of its own: seeds from 0."""

UNSEEN, FIRST_UNSEEN = 50, 10_000
"""Generated episodes whose apartments were not learned from: their number, and the first seed."""

PLAYS = 2
"""Exploratory plays of a generated episode."""

PUBLISHED_PLAYS = 8
"""Exploratory plays of each of the ten published episodes."""

PUBLISHED_TRANSPORTS = 3
"""Exploratory plays of each of the 24 published episodes of transport."""


@dataclass(frozen=True)
class CostStudy:
    """Learned costs and their errors.

    Attributes:
        utility: What was learned.
        learned: Pairs that it was learned from.
        tables: For each set of held-out options: the errors of each estimate.
        sets: The held-out options of each set.
    """

    utility: TextUtility
    learned: Pairs
    tables: dict[str, dict[str, Error]]
    sets: dict[str, Pairs]


def learn_costs(
    watch: Watch, transport: bool = False, first: int = 0, switches: Mapping[str, Any] | None = None
) -> TextUtility:
    """Learn costs from exploratory episodes in generated apartments, with seed 0.

    Args:
        watch: Receives the progress.
        transport: Whether the episodes are those of transport; else of housework.
        first: Seed of the first episode.
        switches: Of the episodes, as `switched` takes them.
    """
    homes = [switched(each, switches or {}) for each in _generated(first, HOMES, transport)]
    pairs = _explore("exploring generated apartments", homes, _seeds(0, PLAYS), watch)
    watch.stage("learning costs", 1, "regression")
    return learn(pairs, jax.random.key(0))


def study(
    published: bool = False,
    homes: int = HOMES,
    seed: int = 0,
    settings: TextSettings | None = None,
    watch: Watch | None = None,
    transport: bool = False,
    further: tuple[str, Estimator] | None = None,
) -> CostStudy:
    """Learn costs from 80% of the pairs and tell the errors on the others and on other apartments.

    Args:
        published: Learn in the published apartments, by exploratory plays of the published episodes; else in
            generated ones.
        homes: Number of generated apartments, where these are learned from.
        seed: Of plays, split and regression.
        settings: Of the regression.
        watch: Receives the progress.
        transport: Whether the episodes are those of transport; else of housework.
        further: Name of another estimator, and that estimator, whose errors are told, too.
    """
    show = watch or Unwatched()
    shipped = [episode(name) for name in (transports() if transport else episodes())]
    plays = PUBLISHED_TRANSPORTS if transport else PUBLISHED_PLAYS
    if published:
        pairs = _explore("exploring the published apartments", shipped, _seeds(seed, plays), show)
    else:
        made = _generated(0, homes, transport)
        pairs = _explore("exploring generated apartments", made, _seeds(seed, PLAYS), show)
    others = _generated(FIRST_UNSEEN, UNSEEN, transport)
    unseen = _explore("exploring other apartments", others, _seeds(seed, 1), show)
    learned, held_out = split(pairs, seed=seed)
    sets = {"other options, same apartments": held_out, "unseen generated apartments": unseen}
    if not published:
        name = "the published houses" if transport else "the two published apartments"
        sets[name] = _explore("exploring the published apartments", shipped, _seeds(seed, plays), show)
    show.stage("learning costs", 1, "regression")
    utility = learn(learned, jax.random.key(seed), settings)
    name, own = further or ("", None)
    tables = {each: errors(utility, learned, some, name, own) for each, some in sets.items()}
    return CostStudy(utility, learned, tables, sets)


def _generated(first: int, count: int, transport: bool) -> list[HouseholdEpisode]:
    make = generate_transport if transport else generate
    return [make(first + number) for number in range(count)]


def _seeds(seed: int, plays: int) -> range:
    return range(plays * seed, plays * (seed + 1))


def _explore(name: str, some: Sequence[HouseholdEpisode], seeds: Sequence[int], show: Watch) -> Pairs:
    show.stage(name, len(some) * len(seeds), "play")
    return explore(some, seeds, update=show.update)
