"""The frameworks of language agents of `hive team`: all seeds are played side by side by `hive.players.teams`."""

from __future__ import annotations

from pathlib import Path

from hive.cli.team.files import FinishedEpisode
from hive.cli.team.request import TITLES, TeamCell
from hive.kit.contract import TeamRequest, Watch
from hive.players.llm.client import Client
from hive.players.teams.frameworks import find
from hive.players.teams.games import TeamPlayer, play_games
from hive.worlds.wildfire.teams import LevelTeams, level_game
from hive.worlds.wildfire.world import numbers_of


def play_agents(cell: TeamCell, client: Client, folder: Path, concurrent: int, show: Watch) -> list[FinishedEpisode]:
    """Play an episode for each seed.

    Args:
        cell: What is played.
        client: Who answers.
        folder: Where finished steps are saved: the same call after an interruption resumes there.
        concurrent: Most requests at the same time.
        show: Receives the progress.

    Raises:
        ModelError: A model could not be asked; all finished steps are saved.
        UserError: The folder holds other episodes, or cannot be written.
    """
    assert cell.rules is not None and cell.prompts is not None
    world = LevelTeams(TeamRequest(worlds=[cell.request.scenario], options=numbers_of(cell.request)))
    player = TeamPlayer(
        name=cell.framework,
        about=TITLES[cell.framework],
        plays=cell.framework,
        framework=find(cell.framework),
        client=client,
        rules=cell.rules,
        prompts=cell.prompts,
    )
    return [
        FinishedEpisode(
            game=level_game(game),
            episode=game.transcript,
            task=game.stage.task,
            recording=game.recording,
            files={"journal.jsonl": game.journal},
        )
        for game in play_games(world, player, cell.seeds, folder, concurrent, show)
    ]
