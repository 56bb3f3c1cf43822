"""`hive arena duel`: every pair of commanders in both seats of every battle, and their ratings."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import nearest, plural
from hive.cli.command import Command
from hive.cli.learning.duel_settings import DuelSettings, is_model, plan_files
from hive.cli.model_options import split_model
from hive.cli.printing import print_json, tell
from hive.cli.progress import duration, watching
from hive.cli.setting import load_battle
from hive.cli.values import MOST_GAMES
from hive.kit.contract import Watch
from hive.players.llm.client import Settings

if TYPE_CHECKING:
    from hive.cli.learning.arena_files import ArenaProgress
    from hive.experiments.arena.commanders import Commander
    from hive.experiments.arena.duel import Duel, Terms
    from hive.experiments.arena.games import ArenaGame, Pairing
    from hive.players.llm.calling import Ledger
    from hive.worlds.battle.world import Battle

_KNOWN = ("words", "hold", "default")


def _run(settings: DuelSettings) -> int:
    from hive.experiments.arena.duel import Terms
    from hive.experiments.arena.games import ArenaStandings, pairings
    from hive.kit.keep.finishing import check_results
    from hive.players.llm.calling import Ledger

    settings.use_cache()
    if settings.out:
        check_results(settings.out, settings.overwrite, settings.restart)
    if not settings.scenarios:
        raise UserError("no battle is named\n  = help: name one, as in `hive arena duel battle/open/3 --by words`")
    if len(settings.by) < 2:
        raise UserError("a duel needs two commanders\n  = help: give --by twice, as in `--by words --by hold`")
    ledger = Ledger()
    commanders = [_commander(settings, who, ledger) for who in settings.by]
    called = [each.name for each in commanders]
    if twice := [one for one, other in combinations(called, 2) if one == other]:
        raise UserError(f"two commanders are called `{twice[0]}`\n  = help: leave one out, or rename its file")
    worlds = {name: load_battle(settings.request(name)) for name in dict.fromkeys(_battles(settings.scenarios))}
    rows = pairings(len(commanders), list(worlds), range(settings.seeds))
    if len(rows) > MOST_GAMES:
        raise UserError(
            f"{plural(len(commanders), 'commander')} make {len(rows):,} games\n"
            f"  = help: an arena has at most {MOST_GAMES:,}: give fewer commanders, battles or seeds"
        )
    _check_plans(commanders, worlds)
    terms = Terms(settings.every, settings.calls, settings.tokens)
    kept = None
    if settings.out:
        from hive.cli.learning.arena_files import resume

        kept = resume(settings.out, settings, called, worlds, terms)
    began = time.perf_counter()
    with watching(quiet=settings.json) as watch:
        played = _play(commanders, worlds, rows, terms, kept, watch)
        standings = ArenaStandings(called, list(worlds), played)
        report = {**standings.json(), "seeds": settings.seeds, "every": settings.every}
        if settings.json:
            print_json(report)
        else:
            watch.say(f"\n{standings.table()}\n{plural(len(played), 'game')}")
        if kept and settings.out:
            from hive.cli.learning.arena_files import keep

            tell(keep(settings, kept, worlds, rows, standings, report, ledger, time.perf_counter() - began, watch))
    return 0


def _commander(settings: DuelSettings, who: str, ledger: Ledger) -> Commander:
    """Return the commander of one `--by`.

    Raises:
        UserError: There is none of that name, or its model cannot be asked.
    """
    from hive.experiments.arena.commanders import Fixed, Hold, Model, Words
    from hive.players.llm.opening import open_client

    kind, colon, rest = who.partition(":")
    if who == "hold":
        return Hold()
    if who == "default":
        return Fixed(None, None, "default")
    if is_model(who):
        drawn = Settings(temperature=settings.temperature, top_p=settings.top_p, max_tokens=settings.max_tokens)
        client = open_client(settings.choice(model=who), ledger, tell)
        asked = split_model(who)[0]
        return Model(client, asked, drawn, settings.repairs, settings.grammar != "off")
    if kind == "words" and (rest or not colon):
        return Words(rest, who)
    if kind == "plan" and rest:
        mine, theirs = plan_files(rest)
        return Fixed(mine, theirs, Path(mine).stem)
    near = nearest(kind, (*_KNOWN, "plan"))
    hint = f"did you mean `{near[0]}`? " if near else ""
    raise UserError(
        f"--by {who}: there is no such commander\n  = help: {hint}"
        "commanders are words, words:ORDER, plan:FILE, default, hold, and models as NAME@URL"
    )


def _battles(names: Sequence[str]) -> list[str]:
    """Return the names of battles, with those of a set in its place."""
    from hive.worlds.battle.drawn.sets import is_set, load_set

    return [each for name in names for each in (load_set(name).names if is_set(name) else [name])]


def _check_plans(commanders: Sequence[Commander], worlds: dict[str, Battle]) -> None:
    """Check before anything is played that plans fit both seats of all battles.

    Raises:
        UserError: One does not.
    """
    from hive.engine.instant import state_at_start
    from hive.experiments.arena.commanders import Fixed
    from hive.worlds.battle.seat import Seat

    for world in worlds.values():
        for side in (0, 1):
            seat = Seat(world, side)
            for each in commanders:
                if isinstance(each, Fixed):
                    seat.look(state_at_start(world, 0))
                    try:
                        each.text(seat)
                    except UserError as error:
                        what = ("player", "enemy")[side]
                        tell(f"{each.name} in the {what}'s seat of {world.name}:")
                        raise error


def _play(
    commanders: Sequence[Commander],
    worlds: dict[str, Battle],
    rows: Sequence[Pairing],
    terms: Terms,
    kept: ArenaProgress | None,
    watch: Watch,
) -> list[ArenaGame]:
    """Play the games that are not saved yet, and save each when it ends."""
    from hive.experiments.arena.duel import play_duel

    found: list[Duel] = kept.read() if kept else []
    if found:
        tell(f"resuming after {plural(len(found), 'game')} of {len(rows):,}")
    watch.stage(f"playing {plural(len(rows) - len(found), 'game')}", len(rows), "game")
    began, done = time.monotonic(), len(found)
    for number in range(done, len(rows)):
        row = rows[number]
        pair = commanders[row.player], commanders[row.enemy]
        what = f"{pair[0].name} against {pair[1].name}, {row.battle}, seed {row.seed}"

        def on_moment(tick: int, number: int = number, what: str = what) -> None:
            watch.update(number, f"{what}, tick {tick}")

        on_moment(0)
        duel = play_duel(worlds[row.battle], pair, row.seed, terms, on_moment)
        found.append(duel)
        if kept:
            kept.add(number, duel)
        each = (time.monotonic() - began) / (number + 1 - done)
        watch.update(number + 1, f"about {duration(each * (len(rows) - number - 1))} left")
    return [row.result(duel) for row, duel in zip(rows, found, strict=True)]


COMMAND: Command[Any] = Command(
    settings=DuelSettings,
    run=_run,
    about="""\
Play every commander against every other one in both seats of every battle, with the same seeds, and print
ratings on the Elo scale (mean 1500) with 95% intervals. Both commanders are asked for orders at the same
ticks, and each knows its own units and what they have seen of the others. A win counts 1 point, a game that
runs out of time 1/2. A commander that gives no answer, or no plan that can be used, is counted as silent,
and its last plan goes on; units that were never given one hold their place.""",
    examples=(
        "hive arena duel duel --units 40 --by words --by hold",
        "hive arena duel battle/rivers/17 --by words --by default --seeds 10",
        "hive arena duel battles-v1/duels --by words --by hold --by default",
        "hive arena duel duel --by words --by plan:mine.plan --by 'words:archers hold, the rest attack'",
        "hive arena duel battle/open/3 --by words --by MODEL@http://127.0.0.1:8080/v1 --calls 5 --out runs/arena",
    ),
    notes="""\
With --out a folder is written atomically: config.json, games.jsonl, ratings.json, table.txt, what models were
asked (exchanges.jsonl), and for each game a folder as of `hive run` with the plans of both sides, the
recording, and what both commanders were asked and said (chat.md, replay.html). `hive verify DIR/games` plays
all of them again, without the commanders. Finished games are saved meanwhile, and the same command resumes.""",
)
