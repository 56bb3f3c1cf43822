"""Players of `hive run` in the table of a world: who plays, with which settings, kept so that the command resumes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from hive.cli.command import option
from hive.cli.model_options import SeveralModels
from hive.cli.options import ResumedFolder, refuse
from hive.cli.team_options import TeamAsked
from hive.cli.values import setting, setting_values

if TYPE_CHECKING:
    from hive.kit.reporting import Watch
    from hive.kit.team_world import TeamWorld
    from hive.players.choosing import Terms
    from hive.players.varied import Variant

OF_PLAYERS = ("numbers", "vary", "published", "prompts")
"""Fields of options that need a player."""


def _values(text: str) -> tuple[str, list[float | str]]:
    return setting_values(text, "NAME=A,B with numbers or words, as in `urgency=named,hidden`")


@dataclass(frozen=True, kw_only=True)
class TablePlayers(SeveralModels, TeamAsked, ResumedFolder):
    """Who plays besides what a table measures by default, and with which settings."""

    title: ClassVar[str] = "further players"
    player: Annotated[
        tuple[str, ...],
        option(
            "a player of `hive run` such as speaker, team or team:FRAMEWORK; may be given several times; default: team "
            "with --model or --replay, else none",
            "NAME",
        ),
    ] = ()
    numbers: Annotated[
        tuple[tuple[str, float | str], ...],
        option("a setting of their world, as in `hive run`", "NAME=VALUE", name="--set", read=setting),
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
        bool, option("actions, messages and calls as in the published programs, without what is added here")
    ] = False

    @property
    def plays(self) -> bool:
        """Whether there are such players."""
        return bool(self.player) or self.asks_models

    def check_players(self, of_players: Sequence[str] = OF_PLAYERS) -> None:
        """Refuse options of players where there are none.

        Args:
            of_players: Options that need a player, by their fields.

        Raises:
            UserError: One is given.
        """
        self.check_drawn(self.asks_models)
        if not self.plays:
            advice = "add `--player speaker`, or a model with --model NAME"
            refuse(self, of_players, "no further player is named", advice)


def variants_of_table(
    settings: TablePlayers,
    load: Callable[[Mapping[str, object]], TeamWorld],
    terms: Terms,
    seeds: Sequence[int],
    watch: Watch,
    vary: Sequence[tuple[str, Sequence[float | str]]] = (),
) -> list[Variant]:
    """Return what is played with each combination of varied settings, and by whom.

    Args:
        settings: Who plays with what.
        load: Returns the world with some settings.
        terms: Who answers for players, and how they are asked.
        seeds: Of each world.
        watch: Receives the progress.
        vary: Settings that are varied besides those of the command line.

    Raises:
        UserError: A player or a setting is wrong.
    """
    from hive.cli.team_runs import team_settings, variants_of
    from hive.players.choosing import check_asked, team_players
    from hive.players.varied import Variant

    options = team_settings(settings.numbers, None)
    names = list(dict.fromkeys(settings.player))
    if terms.models:
        check_asked(names)

    def variant(varied: Mapping[str, float | str]) -> Variant:
        world = load({**options, **varied})
        return Variant(varied, world, team_players(world, names, terms, watch), seeds)

    return [variant(varied) for varied in variants_of([*vary, *settings.vary], options) or [{}]]


def label_of(player: str, varied: Mapping[str, float | str]) -> str:
    """Return the name of a player in a table, with the settings that are varied."""
    from hive.players.costs import shown_value

    words = ", ".join(f"{name}={shown_value(value)}" for name, value in varied.items())
    return f"{player} [{words}]" if words else player
