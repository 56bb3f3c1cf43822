"""A client for tests: it answers each call by a table from decisions to answers, and keeps what it was asked."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hive.players.llm.client import ChatRequest, Reply, Settings, TextSink, Usage


@dataclass(frozen=True)
class Asked:
    """One call as the speaker sees it."""

    agent: str
    decision: str
    text: str
    settings: Settings
    turns: int

    def section(self, title: str) -> str:
        """What stands under a title."""
        return self.text.split(f"# {title}\n", 1)[1].split("\n\n# ")[0]


Answer = str | Callable[[Asked], str]

PLAIN_ANSWERS: Mapping[str, Answer] = {
    "perceive": "It sees lamps.",
    "plan for the team": "<reasoning>r</reasoning><action>wait n steps 2</action>",
    "propose your action": "<reasoning>r</reasoning><action>wait n steps 2</action>",
    "review": "<reasoning>r</reasoning><decision>ACCEPT</decision><action>-</action><message>good</message>",
    "write a message": "<reasoning>r</reasoning><message>hello</message>",
    "choose": "<reasoning>r</reasoning><action>wait n steps 2</action>",
    "communicate": "<reasoning>r</reasoning><GLOBAL>hello</GLOBAL>",
    "act": "<reasoning>r</reasoning><action>light lamp</action>",
    "plan for everyone": lambda asked: "".join(f"<{name}>light lamp</{name}>" for name in asked_for(asked)),
    "feedback": "<reasoning>r</reasoning><feedback>ACCEPT</feedback>",
    "plan your actions": "<analysis>a</analysis><plan>walk to 3 0</plan><say>[NOTHING]</say>",
    "answer in the conversation": "<analysis>a</analysis><plan>walk to 1 0</plan><say>fine [END]</say>",
    "correct your plan": "<analysis>a</analysis><plan>walk to 0 0</plan>",
    "note a lesson": "<lesson>look first</lesson>",
    "call": "<call>light_lamp()</call>",
    "tell": "communicate: hello",
    "translate": lambda asked: translated(asked),
}


def asked_for(asked: Asked) -> list[str]:
    """The agents that a plan has to name."""
    line = re.search(r"for each of (AGENT[^:\n]*):", asked.text)
    assert line
    return line[1].split(", ")


def translated(asked: Asked) -> str:
    """What a faithful translator answers: the option whose name begins the sentence."""
    sentence = asked.section("Sentence")
    numbers = re.findall(r"-?\d+", sentence)
    for number, name in re.findall(r"^- type (\d+): ([^;]+);", asked.text, re.M):
        if sentence.startswith(name):
            parts = "".join(f"<param_{place}>{value}</param_{place}>" for place, value in enumerate(numbers, 1))
            return f"<type>{number}</type>{parts}<description>{sentence}</description>"
    return "<type>0</type><description>unsure</description>"


class Speaker:
    """Answers by decision; a key such as `AGENT_2 act` goes before the key `act`."""

    name = "speaker"
    about = "a table of answers, no model"

    def __init__(self, answers: Mapping[str, Answer] | None = None, stop_after: int | None = None) -> None:
        self.answers = {**PLAIN_ANSWERS, **(answers or {})}
        self.asked: list[Asked] = []
        self.stop_after = stop_after
        self._lock = threading.Lock()

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        messages = request.messages
        system, text = messages[0].text, messages[-1].text
        decision = re.search(r"^Decide: (.+)$", text, re.M)
        agent = re.search(r"(AGENT_\d+|PLANNER)", system)
        assert agent
        asked = Asked(agent[1], decision[1] if decision else "perceive", text, request.settings, len(messages))
        with self._lock:
            if self.stop_after is not None and len(self.asked) >= self.stop_after:
                raise KeyboardInterrupt
            self.asked.append(asked)
        answer = self._answer(asked)
        reply = answer if isinstance(answer, str) else answer(asked)
        return Reply(
            reply, self.name, Usage(sum(len(message.text.split()) for message in messages), len(reply.split()))
        )

    def _answer(self, asked: Asked) -> Answer:
        keys = [asked.decision, asked.decision.split()[0]]
        for key in [*(f"{asked.agent} {key}" for key in keys), *keys]:
            if key in self.answers:
                return self.answers[key]
        raise AssertionError(f"no answer to {asked.decision}")

    def of(self, decision: str, agent: str | None = None) -> list[Asked]:
        """The calls of a decision, in the order in which they came."""
        return [each for each in self.asked if each.decision.startswith(decision) and agent in (None, each.agent)]
