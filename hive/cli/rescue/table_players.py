"""The players of `hive rescue table`: teams that play the instances of the table, kept so that the command resumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from dsl import UserError
from dsl.wording import listing
from hive.cli.command import option
from hive.cli.model_options import SeveralModels
from hive.cli.options import ResumedFolder
from hive.cli.rescue.instances import Instances
from hive.cli.team_options import TeamAsked
from hive.cli.values import setting, setting_values
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.players.running import TeamRun
    from hive.players.varied import VariedRun
    from hive.worlds.rescue.instance import Instance
    from hive.worlds.rescue.scores import RescueScore

_OF_PLAYERS = {"numbers": "--set", "vary": "--vary", "published": "--published", "prompts": "--prompts"}
_OF_PLAYERS |= {"restart": "--restart"}


def _values(text: str) -> tuple[str, list[float | str]]:
    return setting_values(text, "NAME=A,B with numbers or words, as in `urgency=named,hidden`")


@dataclass(frozen=True, kw_only=True)
class Players(Instances, SeveralModels, TeamAsked, ResumedFolder):
    """Who plays besides the heuristic, and with which settings."""

    title: ClassVar[str] = "further players"
    player: Annotated[
        tuple[str, ...],
        option(
            "a player of `hive run` such as speaker, optimal or team; may be given several times; default: team with "
            "--model or --replay, else none",
            "NAME",
        ),
    ] = ()
    numbers: Annotated[
        tuple[tuple[str, float | str], ...],
        option(
            "a setting of what they are shown: memory, expiry, urgency or sight (docs/rules/rescue.md 12), or limit",
            "NAME=VALUE",
            name="--set",
            read=setting,
        ),
    ] = ()
    vary: Annotated[
        tuple[tuple[str, list[float | str]], ...],
        option(
            "they play once with each of these values of a setting; several settings are combined",
            "NAME=A,B",
            read=_values,
        ),
    ] = ()
    published: Annotated[
        bool, option("the actions and messages of the study: no tool `wait`, and a message after every action")
    ] = False

    @property
    def plays(self) -> bool:
        """Whether there are such players."""
        return bool(self.player or self.models or self.recording)

    def check_players(self) -> None:
        """Refuse options of players where there are none.

        Raises:
            UserError: One is given.
        """
        self.check_drawn(bool(self.models or self.recording))
        defaults = {each.name: each.default for each in fields(self)}
        given = [flag for name, flag in _OF_PLAYERS.items() if getattr(self, name) != defaults[name]]
        if given and not self.plays:
            raise UserError(
                f"{listing(given, 'and')} cannot be used here: no further player is named\n"
                "  = help: add `--player speaker`, or a model with --model NAME"
            )


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
    from hive.cli.games.team_playing import variants_of
    from hive.cli.team_runs import clients_of, play_or_resume, players_of, team_settings
    from hive.kit.team_world import TeamRequest
    from hive.players.teams.rules import TeamRules
    from hive.players.varied import Variant
    from hive.worlds.rescue.score_files import check_single, run_of
    from hive.worlds.rescue.shipped import load_instances
    from hive.worlds.rescue.teams import RescueTeams

    options = team_settings(settings.numbers, None)
    rules = TeamRules(published=settings.published, max_tokens=settings.max_tokens, top_p=settings.top_p)
    names = list(dict.fromkeys(settings.player))
    models = clients_of(settings)
    temperatures = settings.temperature or ([0.0] if models else [])

    def variant(varied: Mapping[str, float | str]) -> Variant:
        wanted = TeamRequest(
            worlds=settings.instances or ("all",), options={**options, **varied}, published=settings.published
        )
        world = RescueTeams(wanted)
        return Variant(varied, world, players_of(settings, world, names, rules, temperatures, watch, models=models))

    some = [variant(varied) for varied in variants_of(settings.vary, options) or [{}]]
    runs = [
        (_team(player.name, each.varied), instance.name)
        for each in some
        for player in each.players
        for instance in load_instances(settings.instances or ("all",))
    ]
    check_single([*map(run_of, others), *runs])
    return play_or_resume(some, [0], out, "table", settings.restart, settings.concurrent, watch)


def scores_of(run: TeamRun | VariedRun, instances: list[Instance]) -> list[RescueScore]:
    """Return the scores of what was played; a team that played with varied settings has them in its name."""
    from hive.players.varied import VariedRun
    from hive.worlds.rescue.score_files import scores_of_runs

    found = []
    for each in run.runs if isinstance(run, VariedRun) else [run]:
        rows = [{**row, "team": _team(row["team"], each.varied)} for row in each.results.rows()]
        found += scores_of_runs(rows, instances, "the table")
    return found


def _team(player: str, varied: Mapping[str, float | str]) -> str:
    """Return the name of a player in the table, with the settings that are varied."""
    from hive.players.costs import shown_value

    words = ", ".join(f"{name}={shown_value(value)}" for name, value in varied.items())
    return f"{player} [{words}]" if words else player
