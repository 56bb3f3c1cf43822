"""The end of `hive improve`: games of both plans on seeds that the search did not play, and what is saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import dsl
from dsl.wording import columns, plural
from hive.cli.keeping import words_of
from hive.cli.learning.settings import LARGE, TESTS, TESTS_OF_LARGE, Improve
from hive.cli.printing import tell
from hive.cli.setting import load_battle
from hive.engine.batch.playing import sweep
from hive.engine.reading import compile_checked
from hive.engine.types import PLAYER
from hive.experiments.plots.search import save_curve
from hive.experiments.search.evolve import Search, SearchSettings
from hive.experiments.search.family import family_page
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import json_lines, pretty
from hive.kit.keep.record import games_folder, plan_players
from hive.kit.keep.runfolder import RECORDING, Content
from hive.kit.plan_text import PlanText
from hive.kit.reporting import Watch
from hive.worlds.battle.recorder import record
from hive.worlds.battle.running import portable
from hive.worlds.battle.world import Battle
from hive.worlds.kept import pictures

if TYPE_CHECKING:
    from hive.engine.batch.result import Result


@dataclass(frozen=True)
class Tested:
    """Games of the first and of the improved plan at one size, on seeds that the search did not play."""

    units: int
    before: Result
    after: Result

    def json(self) -> dict[str, Any]:
        """Return wins, outcomes and scores in plain values."""
        return {"units": self.units, "before": self.before.brief(), "after": self.after.brief()}


def tested_worlds(settings: Improve, full: Battle, world: Battle) -> list[Battle]:
    """Return the battle at each size of the tests."""
    known = {each.sizes[0]: each for each in (world, full)}
    found = []
    for size in settings.test_units or known:
        if size not in known:
            known[size] = load_battle(replace(settings, units=size).request())
        found.append(known[size])
    return found


def play_test(settings: Improve, search: Search, world: Battle, watch: Watch) -> Tested:
    """Play the first and the improved plan on seeds that the search did not play."""
    number = settings.test_seeds or (TESTS if world.sizes[0] <= LARGE else TESTS_OF_LARGE)
    watch.stage(f"testing both plans with {plural(sum(world.sizes), 'unit')}", world.limit, "tick")
    plans = [compile_checked(search.plans[each], world, PLAYER, settings.written_for) for each in (0, search.best)]
    found = sweep(
        world, plans, range(number), names=["before", "after"], progress=lambda tick, _: watch.update(tick)
    ).results
    won = [result.outcomes["win"] for result in found]
    tell(f"  {world.sizes[0]} units: won {won[0]} of {plural(number, 'game')} before, {won[1]} after")
    return Tested(world.sizes[0], *found)


def table(search: Search, tests: Sequence[Tested]) -> str:
    """Return the wins and mean scores before and after as a readable table, with what was searched."""
    score = tests[0].before.score_is
    rows: list[tuple[str, ...]] = [("units", "games", "won before", "after", "mean score before", "after")]
    for each in tests:
        both = [each.before, each.after]
        wins, scores = [str(r.outcomes["win"]) for r in both], [f"{np.mean(r.score):.3g}" for r in both]
        rows.append((str(each.units), str(len(each.before.seed)), *wins, *scores))
    lines = columns(rows, left=()).splitlines()
    made = len(search.plans) - 1
    tried = f"{plural(search.games, 'game')} of {plural(made, 'changed plan')} and the first one"
    end = "" if search.best else "; none was better than the first plan"
    return "\n".join(
        [*lines, f"score: {score}; tested on seeds that the search did not play", f"searched: {tried}{end}"]
    )


def identity(settings: Improve, world: Battle, text: PlanText, how: SearchSettings) -> dict[str, Any]:
    """Return what decides a search, to be compared key by key."""
    scenario, files = portable(world.scenario, None)
    return {
        "search": asdict(how),
        "units": settings.units,
        "words": settings.words,
        "scenario": {"scenario.toml": scenario, **files},
        "plan": text.text,
        "written_for": list(settings.written_for or ()),
        "lenient": settings.lenient,
    }


def keep(
    out: Path,
    settings: Improve,
    full: Battle,
    text: PlanText,
    search: Search,
    tests: Sequence[Tested],
    report: Mapping[str, Any],
    watch: Watch,
) -> None:
    """Write the folder of a finished search atomically, and drop its progress.

    Raises:
        UserError: It cannot be written; the progress stays.
    """
    scenario, files_of_scenario = portable(full.scenario, "plan.plan")
    worlds = {full.id: {"scenario.toml": scenario, **files_of_scenario}}
    files: dict[str, Content] = {
        "plan.plan": dsl.format_plan(search.plans[search.best]) + "\n",
        "before.plan": text.text,
        "generations.jsonl": json_lines(generation.json() for generation in search.generations),
        "tests.json": pretty(report["tests"]),
        "tests.csv": csv_text(report["tests"]),
        "generations.csv": csv_text(generation.json() for generation in search.generations),
        "curve.png": lambda path: save_curve(
            search.generations, f"{text.name} in {full.name}, {settings.units} units", path
        ),
        "family.md": family_page(search, search.best),
        "scenario.toml": scenario,
        **files_of_scenario,
        **_best_game(settings, search, tests[0], watch),
    }
    players = plan_players({text.name: text.text})
    facts = {key: value for key, value in report.items() if key not in ("improved", "tests")}
    same = ("games", "units", "seed", "written_for", "test_seeds", "test_units", "words", "lenient")
    files = games_folder(
        settings.line,
        words_of("improve", settings, same, plan="before.plan", scenario="scenario.toml"),
        worlds,
        players,
        [settings.seed],
        files,
        settings=asdict(search.settings),
        **facts,
        arguments={"rules": dict(settings.numbers)},
    )
    settings.save_folder(out, files, finish=True)


def _best_game(settings: Improve, search: Search, test: Tested, watch: Watch) -> dict[str, Content]:
    """Play the best of the test games of the improved plan once more and return its recording and picture.

    The best is the shortest of those won, or the first of all if none was won.
    """
    won = np.flatnonzero(test.after.won)
    best = min(won, key=lambda at: test.after.ticks[at], default=0)
    number = int(test.after.seed[best])
    world = load_battle(replace(settings, units=test.units).request())
    plan = compile_checked(search.plans[search.best], world, PLAYER, settings.written_for)
    watch.stage(f"recording the game of seed {number}", world.limit, "tick")
    recording = record(world, plan, number, title=f"{world.title}: the improved plan, seed {number}")
    return {RECORDING: recording.save, **pictures(recording)}
