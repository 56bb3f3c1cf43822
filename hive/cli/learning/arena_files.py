"""What `hive arena duel` saves: finished games while it runs, and its folder at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.cli.commanders import GamesProgress, copy_of, exchanges_file, identity_of
from hive.cli.keeping import run_files
from hive.cli.progress_folder import open_progress
from hive.experiments.arena.games import ArenaStandings, Pairing
from hive.experiments.commanders.chat import chat_lines, chat_text
from hive.experiments.commanders.playing import ROOM, CommandedGame, Terms
from hive.kit.keep.config import config_file
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import json_lines, pretty
from hive.kit.keep.record import digest_of
from hive.kit.keep.runfolder import Content, folder_name, write_run
from hive.kit.planned_world import Request
from hive.kit.reporting import Unwatched
from hive.worlds.battle.host import Battles
from hive.worlds.battle.scenario import portable
from hive.worlds.battle.world import Battle

if TYPE_CHECKING:
    from hive.cli.learning.duel_settings import DuelSettings
    from hive.worlds.battle.running import BattleRun


@dataclass(frozen=True)
class ArenaFolder:
    """What an arena keeps while it is played, in a progress folder next to the place of its results.

    Attributes:
        settings: Of the command.
        out: The place of the results.
        progress: The finished games, and the replies of models.
        names: Names of the commanders.
        terms: When they were asked.
    """

    settings: DuelSettings
    out: Path
    progress: GamesProgress
    names: Sequence[str]
    terms: Terms

    def count(self, games: int) -> int:
        """Return how many of so many games are finished.

        Raises:
            UserError: A file is damaged.
        """
        return sum(self.progress.find(number) is not None for number in range(games))

    def keep_game(self, number: int, row: Pairing, world: Battle, game: CommandedGame) -> None:
        """Keep a finished game as a folder of `hive run`, unless an earlier run of the arena did.

        It is played once more from its plans, as `hive run` plays it, which gives its recording.

        Raises:
            UserError: The folder cannot be written.
            RuntimeError: The game ended in another way, which is a fault of ours.
        """
        pair = (self.names[row.player], self.names[row.enemy])
        folder = self._games / f"{number:04}-{folder_name(pair[0])}-{folder_name(pair[1])}"
        if not folder.exists():
            request = request_of(self.settings.request(row.battle), world, row.seed, game)
            write_run(folder, _game_files(request, game, pair, self.settings.line))

    def finish(
        self,
        rows: Sequence[Pairing],
        standings: ArenaStandings,
        report: Mapping[str, Any],
        record: Path | None,
        seconds: float,
    ) -> None:
        """Write the folder of a finished arena atomically, and drop its progress.

        Raises:
            UserError: It cannot be written; the progress stays.
        """
        settings = self.settings
        files: dict[str, Content] = {
            **config_file(
                settings.line,
                range(settings.seeds),
                battles=list(standings.battles),
                by=list(settings.by),
                terms=asdict(self.terms),
                units=settings.units,
                rules=dict(settings.numbers),
                games=len(rows),
                seconds=round(seconds, 3),
                begun_at_commit=self.progress.commit,
            ),
            "games.jsonl": json_lines(standings.games_json()),
            "ratings.json": pretty(report),
            "ratings.csv": csv_text([{**row, **row["costs"], "costs": ""} for row in report["ratings"]]),
            "table.txt": standings.table() + "\n",
            **exchanges_file(record),
        }
        for path in sorted(self._games.rglob("*")):
            if path.is_file():
                files[f"games/{path.relative_to(self._games).as_posix()}"] = copy_of(path)
        settings.save_folder(self.out, files, ", and the games", finish=True)

    @property
    def _games(self) -> Path:
        return self.progress.folder / "games"


def open_folder(
    settings: DuelSettings, out: Path, worlds: Mapping[str, Battle], names: Sequence[str], terms: Terms
) -> ArenaFolder:
    """Find the progress folder of an earlier run of the same arena, or begin one.

    Raises:
        UserError: The folder is no progress folder, belongs to another arena, or cannot be read or written.
    """
    identity = {
        "commanders": list(names),
        "battles": {name: digest_of(portable(world.scenario, None)) for name, world in worlds.items()},
        **identity_of(settings, terms),
    }
    progress = GamesProgress(*open_progress(out, identity, "arena", settings.restart))
    return ArenaFolder(settings, out, progress, names, terms)


def request_of(request: Request, world: Battle, seed: int, game: CommandedGame) -> Request:
    """Return what plays a game once more: its world, its seed and the plans of both sides with their ticks."""
    (_, first), *later = game.plans
    return replace(
        request,
        written_for=None if world.sizes == world.written_for else world.sizes,
        plan=first,
        swaps=list(later),
        enemy_swaps=list(game.enemy_plans),
        seed=seed,
        keep=True,
    )


def prepare(request: Request) -> BattleRun:
    """Return what plays a game of an arena once more, in the shapes that battles share."""
    return replace(Battles().prepare(request), room=ROOM)


def _game_files(request: Request, game: CommandedGame, names: tuple[str, str], command: str) -> dict[str, Content]:
    from hive.worlds.battle.view.replay import make_page

    run = prepare(request)
    quiet = Unwatched()
    for result in run.play(quiet):
        ended = (result.outcome[0], int(result.ticks[0]))
        if ended != (game.outcome, game.ticks):
            raise RuntimeError(f"a game ended as {game.outcome} at {game.ticks}, and ends as {ended} when repeated")
    page = make_page(run.recordings(quiet)[""], names, chat_lines(game))
    extra: dict[str, Content] = {"chat.md": chat_text(game, names), "replay.html": page}
    return run_files(run, quiet, command, extra=extra)
