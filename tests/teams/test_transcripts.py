"""Two steps of each framework in full: every message that is sent, every answer, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from hive.players.llm.client import Message, Reply
from hive.players.llm.saving import messages_text
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from hive.players.teams.team import Ask
from tests.teams.speaking import Answer, Speaker
from tests.teams.toy import Toy, ToyEpisodes

GOLDEN = Path(__file__).with_name("golden")
ANSWERS: dict[str, Answer] = {
    "perceive": "Two lamps are dark,\nin the north.",
    "plan for the team": lambda asked: (
        "<reasoning>AGENT_2 is near.</reasoning><action>walk to 0 0</action>"
        "<AGENT_2-action>walk to 1 0</AGENT_2-action><AGENT_2-message>take the second lamp</AGENT_2-message>"
        if "step 1 of" in asked.text
        else "<reasoning>I am there.</reasoning><action>light lamp</action>"
    ),
    "AGENT_2 propose": "<reasoning>I am there.</reasoning><action>light lamp</action>",
    "AGENT_1 propose": "<reasoning>I like the west.</reasoning><action>walk to 0 7</action>",
    "review": "<decision>ACCEPT</decision><action>light lamp</action><message>yes, the lamp first</message>",
    "AGENT_1 choose": "<action>SEND MESSAGE</action>",
    "AGENT_2 choose": "<action>walk to 1 0</action>",
    "AGENT_1 communicate": "<AGENT_2>take the second lamp</AGENT_2>",
    "AGENT_2 communicate": "<GLOBAL>I go east</GLOBAL>",
    "AGENT_1 act": "<action>walk to 0 0</action>",
    "AGENT_2 act": "<action>walk to 1 0</action>",
}


def _twice(speaker: Speaker) -> Answer:
    """Feedback of AGENT_2: an objection to the first plan only."""
    return lambda _: f"<feedback>{'ACCEPT' if len(speaker.of('plan')) > 1 else 'I am nearer to the first'}</feedback>"


@pytest.mark.parametrize("framework", ["camon", "coela", "embodied", "hmas2"])
def test_two_steps_read_as_they_were_approved(framework: str) -> None:
    """`UPDATE_GOLDEN=1` rewrites the texts."""
    parts: list[str] = []
    speaker = Speaker(ANSWERS)
    del speaker.answers["propose your action"], speaker.answers["choose"]
    speaker.answers["AGENT_2 feedback"] = _twice(speaker)

    def answered(episode: TeamEpisode, ask: Ask, reply: Reply) -> None:
        title = f"===== step {episode.team.step}: {episode.team.name(ask.agent)}, {ask.purpose}"
        parts.append(f"{title}\n\n{messages_text([*ask.messages, Message('assistant', reply.text)])}")

    def watch(episodes: Sequence[TeamEpisode]) -> None:
        row = episodes[0].journal.rows[episodes[0].env.tick - 1]
        told = [f"{mail['sender']} to {mail['to']}: {mail['text']}" for mail in row["mail"]]
        acts = [f"{act['agent']} does: {act['words']} ({act['read']})" for act in row["acts"]]
        parts.append("\n".join([f"===== end of step {row['step']}", *told, *acts, *row["log"]]) + "\n")

    env = ToyEpisodes([Toy(2)])
    play(env, FRAMEWORKS[framework], speaker, TeamRules(steps=2), concurrent=1, answered=answered, watch=watch)
    text, path = "\n".join(parts), GOLDEN / f"{framework}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
