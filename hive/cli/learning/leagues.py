"""`hive league`: every plan against every other one in both seats of a mirrored battle, and their ratings."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from dsl import UserError
from dsl.wording import plural
from hive.cli.command import Command
from hive.cli.learning.settings import League
from hive.cli.printing import tell
from hive.cli.progress import duration, watching
from hive.cli.setting import load_battle, tell_rescaled
from hive.cli.values import MOST_GAMES
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.cli.learning.league_files import LeagueProgress
    from hive.experiments.league.entering import Entrant
    from hive.experiments.league.entries import LeagueEntry, LeftOut
    from hive.experiments.league.games import Fixture, LeagueGame
    from hive.experiments.league.standings import Standings
    from hive.worlds.battle.world import Battle


def _run(settings: League) -> int:
    from hive.experiments.league.games import Fixture, pairs_of
    from hive.experiments.league.standings import Standings

    settings.use_cache()
    if settings.policies and (settings.out or settings.search):
        raise UserError(
            "a league with a policy can neither be saved nor searched\n"
            "  = help: leave out --out and --search; --json prints all results"
        )
    settings.check_folder(settings.out)
    world = _mirrored_world(settings)
    policies = _policies(settings, world)
    entries, left = _enter(settings, world)
    if settings.search:
        from hive.cli.learning.league_search import check_budget

        check_budget(settings.search, entries)
    fixture = Fixture(world, [entry.plan for entry in entries], range(settings.seeds), settings.written_for)
    if fixture.games > MOST_GAMES:
        raise UserError(
            f"{plural(len(entries), 'plan')} with {plural(settings.seeds, 'seed')} make {fixture.games:,} games\n"
            f"  = help: a league has at most {MOST_GAMES:,}: give fewer plans or fewer seeds"
        )
    tell_rescaled(world, settings.written_for)
    kept = None
    if settings.out:
        from hive.cli.learning.league_files import resume

        kept = resume(settings.out, settings, fixture, entries)
    began = time.perf_counter()
    with watching(quiet=settings.json) as watch:
        played = _play(fixture, kept, 0, watch)
        if settings.search:
            from hive.cli.learning.league_search import search_plan

            first = Standings(world.name, [entry.name for entry in entries], played).order[0]
            found = search_plan(settings, settings.search, world, entries, first, kept, watch)
            if found:
                entries.append(found)
                plans, old = [entry.plan for entry in entries], set(fixture.pairs)
                more = [pair for pair in pairs_of(len(plans)) if pair not in old]
                played += _play(replace(fixture, plans=plans, only=more), kept, len(fixture.batches), watch)
                fixture = replace(fixture, plans=plans)
        played += _play_policies(settings, policies, entries, watch)
        standings = Standings(world.name, [*(entry.name for entry in entries), *policies], played)
        report = {
            **standings.json(),
            "seeds": settings.seeds,
            "units": world.sizes[0],
            "left_out": {each.name: each.reason for each in left},
        }
        settings.output(report, f"\n{standings.table()}\n{_closest(standings)}", watch.say)
        if kept and settings.out:
            from hive.cli.learning.league_files import keep

            spent = time.perf_counter() - began
            keep(settings.out, kept, settings, fixture, entries, standings, report, spent, watch)
    return 0


def _mirrored_world(settings: League) -> Battle:
    """Load the battle of the league.

    Raises:
        UserError: There is no such battle, or its seats are not equal.
    """
    from hive.experiments.league.seats import why_no_mirror

    world = load_battle(settings.request())
    reason = why_no_mirror(world.scenario)
    if reason:
        raise UserError(
            f"the two sides of {world.name} are not mirror images of each other: {reason}\n"
            "  = help: leave out --scenario, or mirror the map, the armies and the start boxes at the middle row"
        )
    return world


def _policies(settings: League, world: Battle) -> dict[str, Entrant]:
    """Read the policies that take part, by their names in the league.

    Raises:
        UserError: Two have the same name, one is no policy for the battle of the league, or two cannot play each other.
    """
    if not settings.policies:
        return {}
    from hive.cli.learning.learners import need

    need()
    from hive.experiments.league.entering import read_entrant
    from hive.rl.runs import read_run

    found: dict[str, Entrant] = {}
    for path in settings.policies:
        name = f"policy {path.resolve().name}"
        if name in found:
            raise UserError(f"two policies are called `{name}`\n  = help: give each run a folder of another name")
        found[name] = read_entrant(read_run(path), world)
        found[name].check_meets(next(iter(found.values())))
    return found


def _play_policies(
    settings: League, policies: dict[str, Entrant], entries: Sequence[LeagueEntry], watch: Watch
) -> list[LeagueGame]:
    """Play each policy against all plans and against the policies before it, in both seats."""
    plans, played = list(enumerate(entry.plan for entry in entries)), []
    for number, (name, policy) in enumerate(policies.items()):
        own, seeds = len(entries) + number, range(settings.seeds)
        watch.stage(f"compiling and playing {name}", 2 * len(seeds) * (len(entries) + number), "game")
        found = policy.games(own, plans, seeds, settings.written_for, watch.update)
        for other, opponent in enumerate(list(policies.values())[:number], len(entries)):
            found += policy.games_against(own, other, opponent, seeds)
            watch.update(len(found))
        played += found
    return played


def _enter(settings: League, world: Battle) -> tuple[list[LeagueEntry], list[LeftOut]]:
    """Return the plans of the league, and those that do not fit, which are listed.

    Raises:
        UserError: There are fewer than two plans that fit.
    """
    from hive.experiments.league.entries import enter, folder_texts, shipped_texts

    if settings.folder is None and not settings.shipped:
        raise UserError("no plans are given\n  = help: name a folder of .plan files, or give --shipped, or both")
    texts = chain(folder_texts(settings.folder) if settings.folder else (), shipped_texts() if settings.shipped else ())
    entries, left = enter(texts, world, settings.lenient, settings.written_for)
    for each in left:
        tell(f"left out {each.name}: {each.reason}")
    if len(entries) < 2:
        few = f"only `{entries[0].name}` fits" if entries else "none of the plans fits"
        raise UserError(
            f"a league needs at least two plans for {world.name}, and {few}\n"
            "  = help: add plans to the folder, or enter the shipped ones with --shipped; "
            f"`hive check PLAN --scenario {settings.scenario}` shows what is wrong with one"
        )
    return entries, left


def _play(fixture: Fixture, kept: LeagueProgress | None, saved: int, watch: Watch) -> list[LeagueGame]:
    """Play the batches of a fixture that are not saved yet, and save each one when it ends.

    Args:
        fixture: The games.
        kept: The saved batches, if they are saved.
        saved: Number of the fixture's first batch among them.
        watch: Receives the progress.

    Returns:
        All games of the fixture.
    """
    played: list[LeagueGame] = []
    done = 0
    while kept and done < len(fixture.batches) and kept.has(saved + done):
        played += kept.read(saved + done, fixture.expected(done))
        done += 1
    if done:
        tell(f"resuming after {len(played):,} of {plural(fixture.games, 'game')}")
    if done == len(fixture.batches):
        return played
    some = f"{plural(fixture.games - len(played), 'game')} of {plural(sum(fixture.world.sizes), 'unit')}"
    watch.stage(f"playing {some}", fixture.games, "game")
    began, left = time.monotonic(), ""
    for number in range(done, len(fixture.batches)):
        before = len(played)

        def on_progress(tick: int, outcome: Sequence[str], before: int = before, left: str = left) -> None:
            watch.update(before + sum(end != "running" for end in outcome), f"tick {tick}{left}")

        batch = fixture.play(number, on_progress)
        played += batch
        if kept:
            kept.add(saved + number, batch)
        each = (time.monotonic() - began) / (number + 1 - done)
        left = f", about {duration(each * (len(fixture.batches) - number - 1))} left"
    return played


def _closest(standings: Standings) -> str:
    """Return a line about the closest game."""
    game = standings.game_json(standings.closest)
    live = " to ".join(str(sum(game["alive"][side].values())) for side in ("player", "enemy"))
    return (
        f"{plural(len(standings.games), 'game')}; the closest: {game['player']} (player's seat) against "
        f"{game['enemy']} (enemy's seat), seed {game['seed']}, {live} units alive after {game['ticks']} ticks"
    )


COMMAND = Command(
    settings=League,
    run=_run,
    repeats=True,
    about="""\
Play every plan against every other one on the mirrored map of `duel`, in both seats and with the same seeds,
and print ratings on the Elo scale (mean 1500) with 95% intervals. All plans are written from the player's
side, the south; in the enemy's seat their targets are mirrored. The side with more units alive at the end
wins a game, and equal numbers are a draw. Plans that do not fit are listed with the reason and left out.""",
    examples=(
        "hive league mine                             the plans of a folder against each other",
        "hive league mine --shipped --units 40        the shipped plans too, small armies",
        "hive league --shipped --seeds 20 --out runs/league",
        "hive league mine --search 5000               and a plan that is searched for against them",
        "hive league --shipped --units 40 --policy runs/mine   a policy of `hive train orders_duel` too",
        "hive league --shipped --units 40 --policy runs/mine --policy runs/other   and two against each other",
        "hive league mine --json                      one JSON object",
    ),
    notes="""\
With --out a folder is written atomically: config.json, games.jsonl (every game), ratings.json, table.txt,
league.png (the ratings next to the shares of points), the plans, and the closest game, which `hive replay`
plays. Finished batches are saved in DIR.progress meanwhile, and the same command resumes from there.

Plans come from anywhere: `hive ask --out` and `hive improve --out` leave theirs as plan.plan in their
folders; copy it under a name of its own. docs/rules/league.md has the rules, and docs/league.md a league of
the shipped plans.""",
)
