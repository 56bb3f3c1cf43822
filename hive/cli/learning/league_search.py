"""The plan that `hive league --search` finds: the best against the other plans of the league."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import dsl
from dsl import UserError
from dsl.wording import plural
from hive.cli.learning.search_files import resume
from hive.cli.printing import tell
from hive.cli.setting import load_battle
from hive.experiments.league.against import Against
from hive.experiments.league.entries import SEARCHED, LeagueEntry
from hive.experiments.search.evolve import Search, SearchSettings
from hive.experiments.search.playing import capacities_for
from hive.experiments.search.site import site_of
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.cli.learning.league_files import LeagueProgress
    from hive.cli.learning.settings import League
    from hive.worlds.battle.world import Battle

_SEEDS = 2  # of each plan in a generation; each of them is a game against every opponent in both seats
_PLANS, _PARENTS = 16, 4  # a plan's mean over all opponents varies little, so there is no final either


def check_budget(games: int, entries: Sequence[LeagueEntry]) -> None:
    """Refuse a search that cannot compare two plans, and a plan of the name that the search will use.

    Raises:
        UserError: Says which.
    """
    if any(entry.name == SEARCHED for entry in entries):
        raise UserError(f"a plan is called `{SEARCHED}`, as the plan of --search will be\n  = help: rename the file")
    least = 2 * _SEEDS * 2 * len(entries)
    if games < least:
        raise UserError(
            f"--search {games} cannot compare two plans\n"
            f"  = help: each plays {2 * len(entries)} games a seed against {plural(len(entries), 'plan')}, "
            f"so give it {least} games or more"
        )


def search_plan(
    settings: League,
    games: int,
    world: Battle,
    entries: Sequence[LeagueEntry],
    first: int,
    kept: LeagueProgress | None,
    watch: Watch,
) -> LeagueEntry | None:
    """Search for a plan that does better against all plans of the league than the best of them.

    Args:
        settings: Of the league.
        games: Most games of the search.
        world: The battle.
        entries: The plans of the league.
        first: Index of the plan that the search begins with.
        kept: The progress folder; an interrupted search resumes from there.
        watch: Receives the progress.

    Returns:
        The plan that was found; None where none did better than the first.
    """
    start = entries[first]
    how = SearchSettings(
        games=games // (2 * len(entries)),
        plans=_PLANS,
        parents=_PARENTS,
        seeds=_SEEDS,
        first_seeds=_SEEDS,
        final=0.0,
    )
    capacities = capacities_for(start.plan, how.plans)
    one = replace(capacities, places=capacities.places // how.plans)
    against = Against(world, [entry.plan for entry in entries], one, settings.written_for)
    saved = None
    if kept:
        saved = resume(kept.folder / "search", {"search": games, "start": start.name}, restart=False)
    full = load_battle(replace(settings, units=None).request())
    site = site_of(full, world.sizes, capacities, settings.written_for)
    search = Search(start.plan, site, how, list(saved.found) if saved else [])
    watch.stage(f"searching from {start.name}", games, "game")

    def note() -> str:
        found = search.values.get(search.best)
        return (
            f"best result {np.mean(found):.3f} after {plural(len(search.generations), 'generation')}" if found else ""
        )

    while not search.over:
        before = search.games * against.games

        def tell_games(ended: int, before: int = before) -> None:
            watch.update(before + ended, note())

        generation = search.advance(replace(against, progress=tell_games))
        if saved:
            saved.add(generation)
        watch.update(search.games * against.games, note())
    return _entry(search, start.name, against.games)


def _entry(search: Search, start: str, games: int) -> LeagueEntry | None:
    """Return the best plan of a search, if it is another than the first, and say what it reached."""
    if search.best == 0:
        tell(f"the search found no better plan than {start} in {plural(search.games * games, 'game')}: none is entered")
        return None
    text = dsl.format_plan(search.plans[search.best])
    began, best = (float(np.mean(search.values[number])) for number in (0, search.best))
    tell(
        f"{SEARCHED}: mean result {best:.3f} in {plural(len(search.values[search.best]) * games, 'game')}, where "
        f"{start} had {began:.3f}; {plural(search.games * games, 'game')} in all"
    )
    return LeagueEntry(SEARCHED, text + "\n", search.plans[search.best])
