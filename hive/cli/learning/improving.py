"""`hive improve`: search for a better plan without a model, and test what was found on other seeds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dsl
import scenarios
from dsl import UserError
from dsl.wording import listing, plural
from hive.cli.command import Command
from hive.cli.learning.settings import UNITS, Improve
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.setting import load_battle, load_good_plan, tell_rescaled
from hive.cli.subjects import BattlesAndSets
from hive.kit.reporting import Watch
from hive.worlds import kind_of

if TYPE_CHECKING:
    from hive.cli.learning.improved import Tested
    from hive.cli.learning.search_files import SearchProgress
    from hive.experiments.search.evolve import Search, SearchSettings
    from hive.kit.plan_text import PlanText
    from hive.worlds.battle.world import Battle

_NOT_OF_SETS = ("units", "numbers", "markers", "written_for", "test_units")  # fields of options


def _run(settings: Improve) -> int:
    from hive.cli.learning.improved import keep, play_test, table, tested_worlds
    from hive.experiments.search.evolve import Search, SearchSettings
    from hive.experiments.search.playing import Arena, capacities_for
    from hive.experiments.search.site import site_of
    from hive.experiments.search.word_moves import EXTRAS
    from hive.worlds.battle.drawn.sets import is_set

    settings.use_cache()
    if settings.scenario and is_set(settings.scenario):
        from hive.cli.learning.set_improving import improve_set

        return improve_set(settings)
    if settings.plan is None:
        raise UserError(
            "which plan is to be improved?\n"
            "  = help: name it; only with a set, as in `hive improve --scenario battles-v0/test`, is there one already"
        )
    how = SearchSettings(games=settings.games, seed=settings.seed)
    settings = replace(settings, scenario=settings.scenario or _scenario_of(settings.plan))
    full = load_battle(replace(settings, units=None).request())
    settings = replace(settings, units=settings.units or min(UNITS, full.sizes[0]))
    world = load_battle(settings.request())
    sizes = tested_worlds(settings, full, world)
    text = load_good_plan(settings.request(), world)
    assert isinstance(text.report.root, dsl.PlanSyntax), "a plan without failure has a root"
    kept = None
    if settings.out:
        settings.check_folder(settings.out)
        kept = _resume(settings.out, settings, world, text, how)
    tell_rescaled(world, settings.written_for)
    capacities = capacities_for(text.report.root, how.most_plans)
    site = site_of(full, world.sizes, capacities, settings.written_for, words=settings.words)
    search = Search(text.report.root, site, how, list(kept.found) if kept else [])
    with watching(quiet=settings.json) as watch:
        began = time.monotonic()
        arena = Arena(world, capacities, how.batch, settings.written_for, EXTRAS if settings.words else ())
        _search(search, arena, kept, world, watch)
        tests = [play_test(settings, search, each, watch) for each in sizes]
        report = _report(settings, world, text, search, tests, time.monotonic() - began)
        settings.output(report, f"{dsl.format_plan(search.plans[search.best])}\n\n{table(search, tests)}", watch.say)
        if settings.out:
            keep(settings.out, settings, full, text, search, tests, report, watch)
    return 0


def _scenario_of(plan: str) -> str:
    """Return the scenario of a shipped plan of the player, by its name.

    Raises:
        UserError: It is none.
    """
    from hive.worlds.battle.abilities import ABILITIES

    if not kind_of(plan).compared:
        raise UserError(f"{plan} is a {kind_of(plan).noun}: `hive improve` takes a plan of a battle")
    homes = {name: name for name in scenarios.names()} | {ability.name: ability.scenario for ability in ABILITIES}
    home = homes.get(plan.removesuffix("_bad"))
    if home is None:
        known = sorted(name for name in scenarios.plans() if name.removesuffix("_bad") in homes)
        raise UserError(
            f"which scenario is {plan} for?\n"
            f"  = help: name it with --scenario; without it, shipped plans can be improved: {listing(known, 'and')}"
        )
    return home


def _resume(out: Path, settings: Improve, world: Battle, text: PlanText, how: SearchSettings) -> SearchProgress:
    """Return what is saved of the search so far."""
    from hive.cli.learning.improved import identity
    from hive.cli.learning.search_files import resume

    kept = resume(out, identity(settings, world, text, how), settings.restart)
    if kept.found:
        tell(f"resuming after {plural(len(kept.found), 'generation')} from {kept.folder}")
    return kept


def _search(search: Search, arena: Any, kept: SearchProgress | None, world: Battle, watch: Watch) -> None:
    """Play the generations that are left, and save each of them."""
    from hive.experiments.search.comparing import bounded

    watch.stage(f"searching with {plural(sum(world.sizes), 'unit')}", search.settings.games, "game")

    def note() -> str:
        best = search.values.get(search.best)
        return (
            f"best value {bounded(best).mean():.2f} after {plural(len(search.generations), 'generation')}"
            if best
            else ""
        )

    arena = replace(arena, progress=lambda tick: watch.update(search.games, note()))
    while not search.over:
        generation = search.advance(arena)
        if kept:
            kept.add(generation)
        watch.update(search.games, note())


def _report(
    settings: Improve, world: Battle, text: PlanText, search: Search, tests: Sequence[Tested], spent: float
) -> dict[str, Any]:
    """Return everything in plain values."""
    return {
        "scenario": world.name,
        "plan": text.name,
        "units": settings.units,
        "seed": settings.seed,
        **search.json(),
        "tests": [each.json() for each in tests],
        "seconds": round(spent, 3),
    }


COMMAND = Command(
    settings=Improve,
    run=_run,
    subjects=BattlesAndSets(_NOT_OF_SETS),
    repeats=True,
    about="""\
Change a plan in many ways, play the changed plans against the scenario's enemy, keep the best and change
those, until the games are used up or the best plan has won 35 games without a loss. Targets move, also to
bridges, forests and markers; groups are divided, merged and trade their targets; behaviours, target types
and steps change. Each generation plays its plans with the same fresh seeds in one batch, and the last
quarter of the games is a final of the plans that promise most. The value of a game is 1 for a win; else it is
the share of enemies eliminated, or how much of the way to the objective was covered. At the end the improved
plan is printed, and both plans play on seeds that the search did not play, at the size of the search and at
that of the scenario.""",
    examples=(
        "hive improve coordinate_bad                            a shipped plan, 1,000 games of 40 units",
        "hive improve my.plan --scenario exploit_weakness       your plan",
        "hive improve coordinate_bad --games 3000 --seed 1      a longer search, other draws",
        "hive improve coordinate_bad --words                    also leashes, cover, and steps that end by time",
        "hive improve coordinate_bad --test-units 40,200,1000   test the plans at three sizes",
        "hive improve coordinate_bad --out runs/better          save plans, curve, family and a game",
        "hive improve --scenario battles-v0/test --games 300    a search in each battle, from its own plan",
    ),
    notes="""\
With --out each finished generation is saved in DIR.progress, and the same command resumes from there, with
the same result. At the end that folder is removed and DIR is written atomically: config.json, plan.plan (the
improved plan), before.plan, generations.jsonl (every plan that was played, with the values of its games),
tests.json, curve.png, family.md (the improved plan's ancestors as text differences), scenario.toml, and the
best of the first test games as recording.npz with picture.png. `hive replay DIR` makes an HTML page of it.

In the battles of a set all searches play in common batches, and each finds what it finds alone. Armies have
their full size, and both plans play eight test games. The folder then has results.json, results.csv,
set.toml, and for each battle plans/CLASS-SEED.plan, which `hive study --by plans:DIR/plans` plays, and
generations/CLASS-SEED.jsonl.""",
)
