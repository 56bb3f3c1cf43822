"""The frameworks of language agents of `hive team`: all seeds are played side by side by `hive.teams`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dsl.wording import plural
from hive.cli.team.conversation import with_conversation
from hive.cli.team.files import FinishedEpisode
from hive.cli.team.request import TITLES, TeamCell
from hive.contract import Kind, Watch
from hive.llm.client import Client
from hive.teams.frameworks import find
from hive.teams.kept import episode_of, play_kept
from hive.wildfire.result import LevelGameResult


def play_agents(
    cell: TeamCell, kind: Kind, client: Client, folder: Path, concurrent: int, show: Watch
) -> list[FinishedEpisode]:
    """Play an episode for each seed.

    Args:
        cell: What is played.
        kind: Kind of the level.
        client: Who answers.
        folder: Where finished steps are saved: the same call after an interruption resumes there.
        concurrent: Most requests at the same time.
        show: Receives the progress.

    Raises:
        ModelError: A model could not be asked; all finished steps are saved.
        UserError: The folder holds other episodes, or cannot be written.
    """
    framework = find(cell.framework)
    show.stage(f"beginning {plural(len(cell.seeds), 'episode')} of {cell.request.scenario}", 1, "step")
    troupe = kind.troupe(cell.request, cell.seeds)
    limit = troupe.stages[0].limit
    show.stage(f"playing {cell.request.scenario} with {TITLES[cell.framework]}", limit, "step")
    names = [str(seed) for seed in cell.seeds]
    live = play_kept(troupe, framework, client, cell.rules, cell.prompts, names, folder, concurrent, show)
    finished = []
    for number, each in enumerate(live):
        facts, stage, rows = troupe.results(number), each.stage, each.journal.rows
        scores = tuple(int(row["score"]) for row in rows)
        kept: Any = troupe.recording(number)
        played = episode_of(stage.seed, len(stage.seats), rows)
        finished.append(
            FinishedEpisode(
                game=LevelGameResult(
                    seed=stage.seed,
                    score=int(stage.score),
                    outcome=facts["outcome"],
                    ticks=stage.tick,
                    losses=facts["losses"],
                    scores=scores,
                    plans=(),
                ),
                episode=played,
                task=stage.task,
                recording=with_conversation(kept, played, [seat.name for seat in stage.seats]),
                files={"journal.jsonl": each.journal.text()},
            )
        )
    return finished
