"""What `hive league` saves: finished batches while it runs, and its folder at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.cli.keeping import words_of
from hive.cli.progress_folder import cannot_resume, open_progress
from hive.cli.setting import load_battle
from hive.experiments.league.entries import SEARCHED, LeagueEntry
from hive.experiments.league.games import Fixture, LeagueGame
from hive.experiments.league.seats import Facing
from hive.experiments.league.standings import Standings
from hive.experiments.plots.league import save_league
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.digests import read_value, write_value
from hive.kit.keep.json_text import json_lines, pretty
from hive.kit.keep.record import games_folder, plan_players
from hive.kit.keep.runfolder import RECORDING, Content
from hive.kit.reporting import Watch
from hive.worlds.battle.recorder import record
from hive.worlds.battle.running import portable
from hive.worlds.battle.world import Battle
from hive.worlds.kept import pictures

if TYPE_CHECKING:
    from hive.cli.learning.settings import League


@dataclass(frozen=True)
class LeagueProgress:
    """The finished batches of a league, in a folder next to the place of its results.

    Attributes:
        folder: The progress folder.
        commit: That of the run which began the league; None where unknown.
    """

    folder: Path
    commit: str | None

    def has(self, number: int) -> bool:
        """Return whether a batch is saved."""
        return self._file(number).exists()

    def read(self, number: int, expected: Sequence[tuple[int, int, int]]) -> list[LeagueGame]:
        """Return the games of a saved batch.

        Args:
            number: Of the batch.
            expected: The plans and the seed of each of its games.

        Raises:
            UserError: The file is damaged.
        """
        path = self._file(number)
        try:
            found = [_game(row) for row in read_value(path)]
            if [(game.player, game.enemy, game.seed) for game in found] != list(expected):
                raise ValueError("its games are not those of this batch")
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise cannot_resume(self.folder, f"{path.name} is damaged: {error}") from None
        return found

    def add(self, number: int, games: Sequence[LeagueGame]) -> None:
        """Save one more batch; its file is written atomically."""
        rows = [[game.player, game.enemy, game.seed, game.ended, game.ticks, game.alive] for game in games]
        write_value(self._file(number), rows)

    def _file(self, number: int) -> Path:
        return self.folder / f"batch-{number:05}.json"


def resume(out: Path, settings: League, fixture: Fixture, entries: Sequence[LeagueEntry]) -> LeagueProgress:
    """Find the progress folder of an earlier run of the same league, or begin one.

    Raises:
        UserError: The folder is no progress folder, belongs to another league, or cannot be read or written.
    """
    identity = {
        "scenario": _scenario(fixture.world),
        "plans": {entry.name: entry.text for entry in entries},
        "written_for": list(settings.written_for) if settings.written_for else None,
        "seeds": settings.seeds,
        "rows": fixture.rows,
        "search": settings.search,
    }
    return LeagueProgress(*open_progress(out, identity, "league", settings.restart))


def keep(
    out: Path,
    kept: LeagueProgress,
    settings: League,
    fixture: Fixture,
    entries: Sequence[LeagueEntry],
    standings: Standings,
    ratings: Mapping[str, Any],
    seconds: float,
    watch: Watch,
) -> None:
    """Write the folder of a finished league atomically, and drop its progress.

    Raises:
        UserError: It cannot be written; the progress stays.
    """
    full = load_battle(replace(settings, units=None).request())
    files: dict[str, Content] = {
        "games.jsonl": json_lines(standings.games_json()),
        "games.csv": csv_text(standings.games_json()),
        "ratings.json": pretty(ratings),
        "ratings.csv": csv_text(ratings["ratings"]),
        "table.txt": standings.table() + "\n",
        "league.png": lambda path: save_league(standings, path),
        **_scenario(full),
        **{
            f"{SEARCHED}.plan" if entry.name == SEARCHED else f"plans/{entry.name}.plan": entry.text
            for entry in entries
        },
        **_recordings(fixture, standings, watch),
    }
    same, units = ("seeds", "search", "written_for", "lenient"), fixture.world.sizes[0]
    again = words_of("league", settings, same, folder="plans", scenario="scenario.toml", units=units)
    files = games_folder(
        settings.line,
        again,
        {full.id: _scenario(full)},
        plan_players({entry.name: entry.text for entry in entries if entry.name != SEARCHED}),
        range(settings.seeds),
        files,
        scenario=fixture.world.name,
        plans=[entry.name for entry in entries],
        search=settings.search,
        lenient=settings.lenient,
        games=fixture.games,
        seconds=round(seconds, 3),
        begun_at_commit=kept.commit,
        arguments={"units": settings.units, "rules": dict(settings.numbers)},
    )
    settings.save_folder(out, files, ", and the plans", finish=True)


def _recordings(fixture: Fixture, standings: Standings, watch: Watch) -> dict[str, Content]:
    """Play the closest game once more and return its recording and its picture, under the names that `run` uses."""
    game, (player, enemy) = standings.closest, fixture.seats
    title = f"{standings.names[game.player]} against {standings.names[game.enemy]}, seed {game.seed}"
    watch.stage("recording the closest game", fixture.world.limit, "tick")
    world = Facing(fixture.world.scenario, fixture.world.wording, enemy[game.enemy])
    kept = record(world, player[game.player], game.seed, title=title, progress=lambda tick, _: watch.update(tick))
    return {RECORDING: kept.save, **pictures(kept)}


def _game(row: Sequence[Any]) -> LeagueGame:
    player, enemy, seed, ended, ticks, (mine, theirs) = row
    return LeagueGame(player, enemy, seed, ended, ticks, (tuple(mine), tuple(theirs)))


def _scenario(world: Battle) -> dict[str, str]:
    """Return the scenario as a file, with the scenario's own trees and the enemy's plan as further files."""
    scenario, files = portable(world.scenario, None)
    return {"scenario.toml": scenario, **files}
