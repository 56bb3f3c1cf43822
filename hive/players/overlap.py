"""Overlap and repetition in a team: agents with the same action at once, actions and messages that repeat themselves.

Rules: docs/rules/teams.md 4.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.runfolder import Content
from hive.kit.team_world import TeamGame
from hive.kit.transcript import EpisodeTranscript

_AIMED = re.compile(r"\d|\(\s*\w")  # an action that names a place, a number or a thing
_STANDS = re.compile(r"do nothing|wait\b")


def overlap_of(episode: EpisodeTranscript) -> dict[str, int]:
    """Return how often agents of an episode do the same, and repeat themselves (docs/rules/teams.md 4.3).

    Returns:
        `aimed`: pairs of agent and step in which the agent's last chosen action names a target; `overlapping`: those
        of them in which another agent's last chosen action is the same; `actions`: chosen actions, standing still
        left out; `repeated_actions`: those that their agent chose the time before, too; `messages`;
        `repeated_messages`: those whose sender has sent the same text before.
    """
    present: dict[str, str] = {}
    sent: set[tuple[str, str]] = set()
    found = dict.fromkeys(("aimed", "overlapping", "actions", "repeated_actions", "messages", "repeated_messages"), 0)
    for step in episode.steps:
        for agent, words in step.actions:
            if not _STANDS.match(words):
                found["actions"] += 1
                found["repeated_actions"] += present.get(agent) == words
            present[agent] = words
        aimed = [words for words in present.values() if _AIMED.search(words) and not _STANDS.match(words)]
        found["aimed"] += len(aimed)
        found["overlapping"] += sum(aimed.count(words) > 1 for words in aimed)
        for sender, _, text in step.messages:
            found["messages"] += 1
            found["repeated_messages"] += (sender, text) in sent
        sent |= {(sender, text) for sender, _, text in step.messages}
    return found


def overlap_rows(games: Sequence[TeamGame]) -> list[dict[str, Any]]:
    """Return a row for each game of several agents that chose actions: counts and shares, None where nothing counts."""
    rows = []
    for game in games:
        counts = overlap_of(game.transcript)
        if game.transcript.agents < 2 or not counts["actions"]:
            continue
        rows.append(
            {
                "world": game.env.name,
                "player": game.player,
                "seed": game.env.seed,
                "agents": game.transcript.agents,
                "steps": len(game.transcript.steps),
                **counts,
                "overlap": _share(counts, "overlapping", "aimed"),
                "action_repetition": _share(counts, "repeated_actions", "actions"),
                "message_repetition": _share(counts, "repeated_messages", "messages"),
            }
        )
    return rows


def overlap_files(rows: Sequence[Mapping[str, Any]]) -> dict[str, Content]:
    """Return `overlap.csv` if there are rows."""
    return {"overlap.csv": csv_text(rows)} if rows else {}


def _share(counts: Mapping[str, int], some: str, all_of: str) -> float | None:
    return counts[some] / counts[all_of] if counts[all_of] else None
