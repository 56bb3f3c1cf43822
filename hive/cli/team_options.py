"""The options of commands whose teams of agents play a world, see `hive.cli.team_runs`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from hive.cli.command import option
from hive.cli.model_options import Endpoint, prompts_option
from hive.cli.options import JsonOnly, ResumedFolder


@dataclass(frozen=True, kw_only=True)
class TeamAsked(Endpoint):
    """Who answers for the agents of a team, and with which prompts."""

    title: ClassVar[str] = "teams of agents"
    prompts: Annotated[Path | None, prompts_option("turns_act.md")] = None


@dataclass(frozen=True, kw_only=True)
class TeamPlay(TeamAsked, ResumedFolder, JsonOnly):
    """What `hive.cli.team_runs` reads of the settings of a command: who answers, and where the run is kept."""

    title: ClassVar[str] = "the folder of results"
    movie: Annotated[bool, option("make a movie of the first game")] = False
