"""Episodes of a team that are kept while they are played: journals, all exchanges, and what was said and done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dsl.wording import plural
from hive.kit.agent_env import AgentEnv, Episodes
from hive.kit.keep.lines import split_lines
from hive.kit.keep.runfolder import EXCHANGES, whole_file
from hive.kit.reporting import Watch
from hive.players.llm.client import Client
from hive.players.llm.recorded import Recorder, ReplyRecording
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.journal import Journal
from hive.players.teams.playing import Watch as Seen
from hive.players.teams.playing import play
from hive.players.teams.prompting import Prompts
from hive.players.teams.rules import TeamRules


def play_kept(
    episodes: Episodes[AgentEnv],
    framework: Framework[Any],
    client: Client,
    rules: TeamRules,
    prompts: Prompts,
    names: Sequence[str],
    folder: Path,
    concurrent: int,
    show: Watch,
    seen: Seen | None = None,
) -> list[TeamEpisode]:
    """Play all episodes, and keep a journal of each by its name, and all exchanges, in a folder.

    The same call after an interruption resumes there. Its progress says how many episodes go on, and the calls so far;
    `seen` receives the episodes after each step.
    """
    calls = 0

    def note(episodes: Sequence[TeamEpisode]) -> str:
        going = sum(not each.over for each in episodes)
        return f"{going} of {plural(len(episodes), 'episode')} to go, {plural(calls, 'call')}"

    def heard(episode: TeamEpisode, *answer: object) -> None:
        nonlocal calls
        calls += 1
        show.update(episode.env.tick, plural(calls, "call"))

    def stepped(episodes: Sequence[TeamEpisode]) -> None:
        show.update(max(each.env.tick for each in episodes), note(episodes))
        if seen:
            seen(episodes)

    journals = [Journal(folder / f"{name}.journal.jsonl") for name in names]
    live = play(
        episodes,
        framework,
        Recorder(client, [], ReplyRecording(folder / EXCHANGES)),
        rules,
        prompts=prompts,
        journals=journals,
        concurrent=concurrent,
        watch=stepped,
        answered=heard,
    )
    earlier = sorted(set(folder.glob("*.journal.jsonl")) - {journal.path for journal in journals})
    every = [*map(Journal, earlier), *journals]
    keep_counted(folder / EXCHANGES, [row for journal in every for row in journal.rows])
    return live


def keep_counted(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Keep the exchanges of finished steps, in the order of episodes, steps and calls.

    Exchanges of steps that were interrupted and asked again are removed, so that a recording repeats the episodes.
    Exchanges are added as answers arrive, which depends on threads; the order of the calls does not.
    """
    if not path.exists():
        return
    lines: dict[tuple[str, str], list[str]] = {}
    for line in split_lines(path.read_text(encoding="utf-8")):
        found = json.loads(line)
        lines.setdefault((found["key"], found["reply"]["text"]), []).append(line + "\n")
    calls = [(call["digest"], call["text"]) for row in rows for call in row.get("asked", ())]
    kept = [lines[call].pop(0) for call in calls if lines.get(call)]
    with whole_file(path) as part:
        part.write_text("".join(kept), encoding="utf-8", newline="\n")
