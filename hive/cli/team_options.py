"""The options of commands whose teams of agents play a world, see `hive.cli.team_runs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from hive.cli.command import option
from hive.cli.model_options import Endpoint, OwnPrompts
from hive.cli.options import JsonOnly, ResumedFolder
from hive.cli.values import quirks
from hive.kit.agent_env import PERCEPTIONS
from hive.players.teams.rules import Quirks


@dataclass(frozen=True, kw_only=True)
class TeamAsked(Endpoint, OwnPrompts):
    """Who answers for the agents of a team, and with which prompts."""


@dataclass(frozen=True, kw_only=True)
class TeamPlay(TeamAsked, ResumedFolder, JsonOnly):
    """What `hive.cli.team_runs` reads of the settings of a command: who answers, and where the run is kept."""

    title: ClassVar[str] = "the folder of results"
    movie: Annotated[bool, option("make a movie of the first game")] = False


@dataclass(frozen=True, kw_only=True)
class Frameworks:
    """How the frameworks of teams are played."""

    title: ClassVar[str] = "teams of agents"
    direct_perception: Annotated[bool, option("agents read a paragraph that is made by rules, without a call")] = False
    perception: Annotated[
        str,
        option(
            "what is sent to the model that describes an agent's view: a text, a bare picture, a picture with a grid, "
            "or the text and that picture; default: text",
            choices=PERCEPTIONS,
        ),
    ] = "text"
    direct_execution: Annotated[
        bool, option("agents name an action by its exact form, which is read without a call")
    ] = False
    quirks: Annotated[
        tuple[str, ...],
        option(
            f"do as the published program does, where it differs from its paper: {', '.join(Quirks.names())}, or all",
            "A,B",
            read=quirks,
            joined=True,
        ),
    ] = ()
