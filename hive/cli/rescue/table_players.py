"""The players of `hive rescue table`: teams that play the instances of the table, kept so that the command resumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hive.cli.command import option
from hive.cli.rescue.instances import Instances
from hive.cli.table_players import OF_PLAYERS, TablePlayers, label_of, variants_of_table
from hive.cli.values import setting
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.kit.team_world import TeamWorld
    from hive.players.running import TeamRun
    from hive.players.varied import VariedRun
    from hive.worlds.rescue.instance import Instance
    from hive.worlds.rescue.scores import RescueScore


@dataclass(frozen=True, kw_only=True)
class Players(Instances, TablePlayers):
    """Who plays besides the heuristic, and with which settings."""

    numbers: Annotated[
        tuple[tuple[str, float | str], ...],
        option(
            "a setting of what they are shown: memory, expiry, urgency or sight (docs/rules/rescue.md 12), or limit",
            "NAME=VALUE",
            name="--set",
            read=setting,
        ),
    ] = ()

    def check_players(self, of_players: Sequence[str] = (*OF_PLAYERS, "restart")) -> None:
        """Refuse options of players where there are none; see `TablePlayers`."""
        super().check_players(of_players)


def play_players(settings: Players, out: Path, watch: Watch, others: Sequence[RescueScore]) -> TeamRun | VariedRun:
    """Let the players play what is not kept yet.

    Args:
        settings: Who plays what.
        out: The folder of the table; finished steps are saved beside it.
        watch: Receives the progress.
        others: Scores that stand next to theirs.

    Raises:
        UserError: A player or a setting is wrong, one of the runs is among the others, the progress belongs to
            another table, or a model cannot be asked.
    """
    from hive.cli.team_runs import play_or_resume, terms_of
    from hive.kit.team_world import TeamRequest
    from hive.players.teams.rules import TeamRules
    from hive.worlds.rescue.score_files import check_single, run_of
    from hive.worlds.rescue.shipped import load_instances
    from hive.worlds.rescue.teams import RescueTeams

    def load(options: Mapping[str, object]) -> TeamWorld:
        worlds = settings.instances or ("all",)
        return RescueTeams(TeamRequest(worlds=worlds, options=options, published=settings.published))

    rules = TeamRules(published=settings.published, max_tokens=settings.max_tokens, top_p=settings.top_p)
    temperatures = settings.temperature or ([0.0] if settings.asks_models else [])
    some = variants_of_table(settings, load, terms_of(settings, rules, temperatures), [0], watch)
    runs = [
        (label_of(player.name, each.varied), instance.name)
        for each in some
        for player in each.players
        for instance in load_instances(settings.instances or ("all",))
    ]
    check_single([*map(run_of, others), *runs])
    return play_or_resume(some, out, "table", settings.restart, settings.concurrent, watch)


def scores_of(run: TeamRun | VariedRun, instances: list[Instance]) -> list[RescueScore]:
    """Return the scores of what was played; a team that played with varied settings has them in its name."""
    from hive.players.varied import VariedRun
    from hive.worlds.rescue.score_files import scores_of_runs

    found = []
    for each in run.runs if isinstance(run, VariedRun) else [run]:
        rows = [{**row, "team": label_of(row["team"], each.varied)} for row in each.results.rows()]
        found += scores_of_runs(rows, instances, "the table")
    return found
