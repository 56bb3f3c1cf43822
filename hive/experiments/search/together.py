"""Searches for plans of many battles at once: their generations are lanes of the same batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hive.engine.batch.mixed import Entry, Shape, Tier, play_mixed, tier_of
from hive.engine.reading import compile_checked
from hive.engine.types import PLAYER
from hive.engine.world import EngineWorld
from hive.experiments.search.evolve import Search
from hive.experiments.search.playing import LEAST, worths
from hive.experiments.search.word_moves import EXTRAS

_PLACES = 128  # least room for the targets of a generation in one battle


@dataclass(frozen=True)
class BattleSearch:
    """A search and its battle.

    Attributes:
        search: The search; it knows its plan, budget and seed.
        world: The battle that it plays, of the size that its site was made for.
        written_for: Team sizes that plans are written for; None: those that the world names.
    """

    search: Search
    world: EngineWorld
    written_for: tuple[int, int] | None = None


def search_together(sites: Sequence[BattleSearch], progress: Callable[[int, int], None] | None = None) -> None:
    """Advance all searches until each is over; a search finds what it finds alone, to the bit.

    A generation of all searches that are not over is one call of `play_mixed`, and each tier of battles keeps one
    shape, so that it compiles once for all generations. The result is in the searches.

    Args:
        sites: The searches.
        progress: Called after each generation with the games played so far, and the most that all searches may play.
    """
    most = sum(site.search.settings.games for site in sites)
    shapes = shapes_of(sites)
    while left := [site for site in sites if not site.search.over]:
        for tier, shape in shapes.items():
            here = [site for site in left if tier_of(site.world.params) == tier]
            if not here:
                continue
            rounds = [site.search.propose() for site in here]
            entries = [
                Entry(site.world, compile_checked(plan, site.world, PLAYER, site.written_for), played.seeds)
                for site, played in zip(here, rounds, strict=True)
                for plan in played.plans
            ]
            found = iter(play_mixed(entries, shape=shape))
            for site, played in zip(here, rounds, strict=True):
                site.search.take(played, np.stack([worths(site.world, next(found)) for _ in played.plans]))
        if progress:
            progress(sum(site.search.games for site in sites), most)


def shapes_of(sites: Sequence[BattleSearch]) -> dict[Tier, Shape]:
    """Return the shape in which the searches of each tier are played: whole generations of all of them."""
    tiers: dict[Tier, list[BattleSearch]] = {}
    for site in sites:
        tiers.setdefault(tier_of(site.world.params), []).append(site)
    return {
        tier: replace(
            LEAST,
            lanes=sum(site.search.settings.batch for site in here),
            battles=len(here),
            plans=sum(site.search.settings.most_plans for site in here),
            places=_PLACES,
            extras=(*Shape.extras, *(EXTRAS if any(site.search.site.words for site in here) else ())),
        )
        for tier, here in tiers.items()
    }
