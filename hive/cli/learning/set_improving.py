"""`hive improve --scenario SET`: a search for a plan in each battle of a set, all of them in common batches."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import dsl
from dsl.wording import columns, plural
from hive.cli.keeping import words_of
from hive.cli.learning.search_files import SearchProgress, resume_all
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.setting import load_good_plan
from hive.engine.batch.mixed import Entry, play_mixed, tier_of
from hive.engine.reading import compile_checked
from hive.engine.types import PLAYER
from hive.experiments.commanders.kept import stem_of
from hive.experiments.search.evolve import Search, SearchSettings
from hive.experiments.search.playing import capacities_for
from hive.experiments.search.site import site_of
from hive.experiments.search.together import BattleSearch, search_together, shapes_of
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import json_lines, pretty
from hive.kit.keep.record import games_folder, plan_players
from hive.kit.planned_world import Request
from hive.kit.reporting import Watch
from hive.worlds.battle.drawn.sets import BattleSet, digest_of_battle, load_set
from hive.worlds.battle.world import Battle, load

if TYPE_CHECKING:
    from pathlib import Path

    from hive.cli.learning.settings import Improve
    from hive.engine.batch.result import Result
    from hive.kit.keep.runfolder import Content
    from hive.kit.plan_text import PlanText

_TESTS = 8  # test games of each plan, as many as the panel plays (docs/rules/sets.md 2)
_FILES = ("set.toml", "before.plan")  # what the words that search again name inside the folder


@dataclass(frozen=True)
class Improved:
    """One battle of a set: its search, and games of the first and of the best plan on seeds that it did not play."""

    world: Battle
    level: int | None
    text: PlanText
    search: Search
    before: Result
    after: Result

    def json(self) -> dict[str, Any]:
        """Return everything in plain values."""
        return {
            "battle": self.world.name,
            "level": self.level,
            **self.search.json(),
            "before": self.before.brief(),
            "after": self.after.brief(),
        }


def improve_set(settings: Improve) -> int:
    """Search in each battle of the set `settings.scenario`, and print what was found by battle and level.

    Raises:
        UserError: The plan cannot be played in one of the battles, or the
            folder cannot be written.
    """
    how = SearchSettings(games=settings.games, seed=settings.seed)
    found = load_set(settings.scenario)
    worlds = [load(name) for name in found.names]
    texts = [_text(settings, world) for world in worlds]
    kept: Mapping[str, SearchProgress] = {}
    if settings.out:
        settings.check_folder(settings.out)
        kept = _resume(settings.out, settings, found, texts, how)
    began = time.monotonic()
    sites = [
        BattleSearch(_search(settings, world, text, how, kept.get(world.name)), world)
        for world, text in zip(worlds, texts, strict=True)
    ]
    with watching(quiet=settings.json) as watch:
        _play(sites, kept, watch)
        tests = _test(sites, settings.test_seeds or _TESTS, watch)
        every = [
            Improved(world, level, text, site.search, *games)
            for world, site, level, text, games in zip(worlds, sites, found.levels, texts, tests, strict=True)
        ]
        report = {
            "set": found.name,
            "digest": found.digest,
            "seed": settings.seed,
            "words": settings.words,
            "battles": [each.json() for each in every],
            "seconds": round(time.monotonic() - began, 3),
        }
        settings.output(report, _table(every), watch.say)
        if settings.out:
            files = _files(settings, found, every, report)
            settings.save_folder(settings.out, files, ", and plans and generations by battle", finish=True)
    return 0


def _text(settings: Improve, world: Battle) -> PlanText:
    """Return the plan that the search in a battle begins with: the one that was named, or the battle's own."""
    return load_good_plan(Request(scenario=world.name, plan=settings.plan, lenient=settings.lenient), world)


def _search(
    settings: Improve, world: Battle, text: PlanText, how: SearchSettings, kept: SearchProgress | None
) -> Search:
    plan = text.report.root
    assert isinstance(plan, dsl.PlanSyntax), "a plan without failure has a root"
    site = site_of(world, world.sizes, capacities_for(plan, how.most_plans), None, words=settings.words)
    return Search(plan, site, how, list(kept.found) if kept else [])


def _resume(
    out: Path, settings: Improve, found: BattleSet, texts: Sequence[PlanText], how: SearchSettings
) -> dict[str, SearchProgress]:
    """Return what is saved of the searches so far, by battle."""
    identity = {
        "search": asdict(how),
        "words": settings.words,
        "set": found.digest,
        "plans": [text.text for text in texts],
        "lenient": settings.lenient,
    }
    saved = resume_all(out, identity, [stem_of(name) for name in found.names], settings.restart)
    if number := sum(len(each.found) for each in saved):
        tell(f"resuming after {plural(number, 'generation')} from {saved[0].folder}")
    return dict(zip(found.names, saved, strict=True))


def _play(sites: Sequence[BattleSearch], kept: Mapping[str, SearchProgress], watch: Watch) -> None:
    """Play the generations that are left, and save those of each round."""
    total = sum(site.search.settings.games for site in sites)
    watch.stage(f"searching in {plural(len(sites), 'battle')}", total, "game")
    saved = {site.world.name: len(site.search.generations) for site in sites}

    def save(done: int, most: int) -> None:
        for site in sites:
            name, generations = site.world.name, site.search.generations
            for generation in generations[saved[name] :]:
                if kept:
                    kept[name].add(generation)
            saved[name] = len(generations)
        over = sum(site.search.over for site in sites)
        watch.update(done, f"{over} of {len(sites)} searches are over")

    search_together(sites, save)


def _test(sites: Sequence[BattleSearch], seeds: int, watch: Watch) -> list[tuple[Result, Result]]:
    """Play the first and the best plan of each battle on seeds that no search plays, with the searches' programs."""
    watch.stage("testing the first and the best plans", 2 * len(sites) * seeds, "game")
    found: dict[int, tuple[Result, Result]] = {}
    for tier, shape in shapes_of(sites).items():
        here = [number for number, site in enumerate(sites) if tier_of(site.world.params) == tier]
        entries = [
            Entry(site.world, compile_checked(site.search.plans[plan], site.world, PLAYER), range(seeds), name=name)
            for site in (sites[number] for number in here)
            for name, plan in (("before", 0), ("after", site.search.best))
        ]
        played = play_mixed(entries, shape=shape)
        found |= zip(here, zip(played[::2], played[1::2], strict=True), strict=True)
        watch.update(2 * len(found) * seeds)
    return [found[number] for number in range(len(sites))]


def _table(every: Sequence[Improved]) -> str:
    """Return a line for each battle, and for each level and all battles the share of test games won."""
    rows = [["battle", "level", "games", "plans", "won before", "after"]]
    for each in every:
        search, won = each.search, [_won(result) for result in (each.before, each.after)]
        level = "-" if each.level is None else str(each.level)
        rows.append([each.world.name, level, str(search.games), str(len(search.plans)), *map(str, won)])
    levels = sorted({each.level for each in every if each.level is not None})
    parts = [(f"level {level}", [each for each in every if each.level == level]) for level in levels]
    shares = [["", "battles", "won before", "after"]]
    for name, some in [*parts, ("all", [*every])]:
        both = ([each.before for each in some], [each.after for each in some])
        shares.append([name, str(len(some)), *(f"{np.mean([_share(each) for each in side]):.0%}" for side in both)])
    tests = len(every[0].before.seed)
    about = f"{plural(tests, 'test game')} of either plan in each battle, on seeds that the searches did not play"
    return "\n".join([columns(rows, left=(0,)), "", columns(shares, left=(0,)), about])


def _won(result: Result) -> int:
    return result.outcomes["win"]


def _share(result: Result) -> float:
    return _won(result) / len(result.seed)


def _files(
    settings: Improve, found: BattleSet, every: Sequence[Improved], report: Mapping[str, Any]
) -> dict[str, Content]:
    """Return the files of the folder: set, plans, what was played, and the words that search again."""
    set_file, plan_file = _FILES
    name, first = ("own plans", {each.world.name: each.text.text for each in every})
    files: dict[str, Content] = {
        "results.json": pretty({key: value for key, value in report.items() if key != "seconds"}),
        "results.csv": csv_text(_rows(every)),
        set_file: found.toml(),
    }
    if settings.plan:
        name, files[plan_file] = every[0].text.name, every[0].text.text
    same = ("games", "seed", "test_seeds", "words", "lenient")
    again = words_of("improve", settings, same, plan=settings.plan and plan_file, scenario=set_file)
    for each in every:
        stem, search = stem_of(each.world.name), each.search
        files[f"plans/{stem}.plan"] = dsl.format_plan(search.plans[search.best]) + "\n"
        files[f"generations/{stem}.jsonl"] = json_lines(each.json() for each in search.generations)
    worlds = {each.world.id: digest_of_battle(each.world.name) for each in every}
    players = plan_players({name: "\n".join(first.values())})
    return games_folder(
        settings.line,
        again,
        worlds,
        players,
        [settings.seed],
        files,
        settings=asdict(every[0].search.settings),
        games=sum(each.search.games + 2 * len(each.before.seed) for each in every),
        seconds=report["seconds"],
        arguments={"scenario": settings.scenario},
    )


def _rows(every: Sequence[Improved]) -> list[dict[str, Any]]:
    """Return a row for each battle."""
    return [
        {
            "battle": each.world.name,
            "level": each.level,
            "games": each.search.games,
            "plans": len(each.search.plans),
            "tests": len(each.before.seed),
            "won_before": _won(each.before),
            "won_after": _won(each.after),
        }
        for each in every
    ]
