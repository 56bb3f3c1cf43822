"""`hive arena duel`: every pair of commanders in both seats of every battle, and their ratings."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.vocabulary import SIDES
from dsl.wording import plural
from hive.cli.command import Command
from hive.cli.commanders import check_names, is_model, model_opener
from hive.cli.learning.duel_settings import DuelSettings
from hive.cli.model_options import split_model
from hive.cli.printing import tell
from hive.cli.progress import duration, watching
from hive.cli.setting import load_battle
from hive.cli.values import MOST_GAMES
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.cli.learning.arena_files import ArenaFolder
    from hive.experiments.arena.games import ArenaGame, Pairing
    from hive.experiments.commanders.moments import Commander
    from hive.experiments.commanders.playing import Terms
    from hive.worlds.battle.world import Battle


def _run(settings: DuelSettings) -> int:
    from hive.cli.learning.arena_files import open_folder
    from hive.experiments.arena.games import ArenaStandings, pairings
    from hive.experiments.commanders.naming import read_commander
    from hive.players.llm.calling import Ledger

    settings.use_cache()
    settings.check_folder(settings.out)
    if not settings.scenarios:
        raise UserError("no battle is named\n  = help: name one, as in `hive arena duel battle/open/3 --by words`")
    if len(settings.by) < 2:
        raise UserError("a duel needs two commanders\n  = help: give --by twice, as in `--by words --by hold`")
    terms = settings.terms()
    plain = {who: read_commander(who) for who in settings.by if not is_model(who)}
    check_names([plain[who].name for who in settings.by if who in plain], settings.models)
    called = [plain[who].name if who in plain else split_model(who)[0] for who in settings.by]
    worlds = {name: load_battle(settings.request(name)) for name in dict.fromkeys(_battles(settings.scenarios))}
    rows = pairings(len(called), list(worlds), range(settings.seeds))
    if len(rows) > MOST_GAMES:
        raise UserError(
            f"{plural(len(called), 'commander')} make {len(rows):,} games\n"
            f"  = help: an arena has at most {MOST_GAMES:,}: give fewer commanders, battles or seeds"
        )
    _check([*plain.values()], worlds)
    kept = open_folder(settings, settings.out, worlds, called, terms) if settings.out else None
    record = settings.record or (kept.progress.record if kept else None)
    grammar = settings.grammar != "off"
    drawn, version = settings.drawn(), settings.prompt_version
    model = model_opener(settings, drawn, settings.repairs, grammar, version, Ledger(), record)
    commanders = [plain[who] if who in plain else model(who) for who in settings.by]
    began = time.perf_counter()
    with watching(quiet=settings.json) as watch:
        played = _play(commanders, worlds, rows, terms, kept, watch)
        standings = ArenaStandings(called, list(worlds), played)
        report = {**standings.json(), "seeds": settings.seeds, "terms": asdict(terms)}
        settings.output(report, f"\n{standings.table()}\n{plural(len(played), 'game')}", watch.say)
        if kept:
            kept.finish(rows, standings, report, record, time.perf_counter() - began)
    return 0


def _battles(names: Sequence[str]) -> list[str]:
    """Return the names of battles, with those of a set in its place."""
    from hive.worlds.battle.drawn.sets import is_set, load_set

    return [each for name in names for each in (load_set(name).names if is_set(name) else [name])]


def _check(commanders: Sequence[Commander], worlds: dict[str, Battle]) -> None:
    """Check before anything is played that all commanders can command both seats of all battles.

    Raises:
        UserError: One cannot.
    """
    from hive.worlds.battle.seat import Seat

    for world in worlds.values():
        for side, what in enumerate(SIDES):
            seat = Seat(world, side)
            for each in commanders:
                try:
                    each.check(seat)
                except UserError:
                    tell(f"{each.name} in the {what}'s seat of {world.name}:")
                    raise


def _play(
    commanders: Sequence[Commander],
    worlds: dict[str, Battle],
    rows: Sequence[Pairing],
    terms: Terms,
    kept: ArenaFolder | None,
    watch: Watch,
) -> list[ArenaGame]:
    """Play the games that are not saved yet, and save each when it ends."""
    from hive.experiments.commanders.playing import play_commanded

    found: list[ArenaGame] = []
    done = kept.count(len(rows)) if kept else 0
    if done:
        tell(f"resuming after {plural(done, 'game')} of {len(rows):,}")
    watch.stage(f"playing {plural(len(rows) - done, 'game')}", len(rows), "game")
    began = time.monotonic()
    for number, row in enumerate(rows):
        game = kept.progress.find(number) if kept else None
        if game is None:
            pair = commanders[row.player], commanders[row.enemy]
            what = f"{pair[0].name} against {pair[1].name}, {row.battle}, seed {row.seed}"

            def on_moment(tick: int, number: int = number, what: str = what) -> None:
                watch.update(number, f"{what}, tick {tick}")

            on_moment(0)
            game = play_commanded(worlds[row.battle], *pair, row.seed, terms, on_moment)
            if kept:
                kept.progress.add(number, game)
        if kept:
            kept.keep_game(number, row, worlds[row.battle], game)
        found.append(row.result(game))
        each = (time.monotonic() - began) / max(1, number + 1 - done)
        watch.update(number + 1, f"about {duration(each * (len(rows) - number - 1))} left")
    return found


COMMAND: Command[Any] = Command(
    settings=DuelSettings,
    run=_run,
    about="""\
Play every commander against every other one in both seats of every battle, with the same seeds, and print
ratings on the Elo scale (mean 1500) with 95% intervals. Both commanders are asked for orders at the same
ticks, with --at also when something happens to their side, and each knows its own units and what they have
seen of the others. A win counts 1 point, a game that runs out of time 1/2. A commander that gives no answer,
or no plan that can be used, is counted as silent, and its last plan goes on; units that were never given one
hold their place.""",
    examples=(
        "hive arena duel duel --units 40 --by words --by hold",
        "hive arena duel battle/rivers/17 --by words --by default --seeds 10",
        "hive arena duel battles-v1/duels --by words --by hold --by default",
        "hive arena duel battle/open/3 --by words --by attack --at sighted --at 'losses 30%' --at step",
        "hive arena duel duel --by words --by plan:mine.plan --by 'words:archers hold, the rest attack'",
        "hive arena duel battle/open/3 --by words --by MODEL@http://127.0.0.1:8080/v1 --calls 5 --out runs/arena",
    ),
    notes="""\
With --out a folder is written atomically: config.json, games.jsonl, ratings.json, table.txt, what models were
asked (exchanges.jsonl), and for each game a folder as of `hive run` with the plans of both sides, the
recording, and what both commanders were asked and said (chat.md, replay.html). `hive verify DIR/games` plays
all of them again, without the commanders. Finished games are saved meanwhile, and the same command resumes.""",
)
