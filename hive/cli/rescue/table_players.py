"""The players of `hive rescue table`: teams that play the instances of the table, kept so that the command resumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from dsl import UserError
from dsl.wording import listing
from hive.cli.command import option
from hive.cli.model_options import SeveralModels
from hive.cli.options import ResumedFolder
from hive.cli.printing import tell
from hive.cli.rescue.instances import Instances
from hive.cli.team_options import TeamAsked
from hive.cli.values import setting, setting_values
from hive.kit.contract import Watch

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


def play_players(settings: Players, out: Path, watch: Watch) -> TeamRun | VariedRun:
    """Let the players play what is not kept yet.

    Args:
        settings: Who plays what.
        out: The folder of the table; finished steps are saved beside it.
        watch: Receives the progress.

    Raises:
        UserError: A player or a setting is wrong, the progress belongs to another table, or a model cannot be asked.
    """
    from hive.cli.games.team_playing import variants_of
    from hive.cli.progress_folder import deciding_versions, open_progress
    from hive.cli.team_runs import clients_of, players_of, team_settings
    from hive.kit.contract import TeamRequest
    from hive.players.running import identity_of, play_team_run
    from hive.players.teams.rules import TeamRules
    from hive.players.varied import Variant, identity_of_variants, play_variants
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

    changes = variants_of(settings.vary, options)
    some = [variant(varied) for varied in changes or [{}]]
    one = some[0]
    identity = identity_of_variants(some, [0]) if changes else identity_of(one.world, one.players, [0])
    kept, _ = open_progress(out, {**identity, "versions": deciding_versions()}, "table", settings.restart)
    try:
        if changes:
            return play_variants(some, [0], kept, settings.concurrent, watch)
        return play_team_run(one.world, one.players, [0], kept, settings.concurrent, watch)
    except (UserError, KeyboardInterrupt):
        tell(f"what was asked and played so far is kept in {kept}; the same command resumes from there")
        raise


def scores_of(run: TeamRun | VariedRun, instances: list[Instance]) -> list[RescueScore]:
    """Return the scores of what was played; a team that played with varied settings has them in its name."""
    from hive.players.costs import shown_value
    from hive.players.varied import VariedRun
    from hive.worlds.rescue.score_files import scores_of_runs

    found = []
    for each in run.runs if isinstance(run, VariedRun) else [run]:
        words = ", ".join(f"{name}={shown_value(value)}" for name, value in each.varied.items())
        rows = [{**row, "team": f"{row['team']} [{words}]" if words else row["team"]} for row in each.results.rows()]
        found += scores_of_runs(rows, instances, "the table")
    return found
