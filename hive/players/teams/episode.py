"""One episode step by step: its calls wait for answers, which come from a model or from its journal."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from dsl import UserError
from hive.kit.agent_env import AgentEnv
from hive.kit.keep.dialogue import Line
from hive.players.llm.client import ChatRequest, Reply, Settings, Topic, Usage
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.journal import Journal
from hive.players.teams.ledger import Totals
from hive.players.teams.prompting import Prompts
from hive.players.teams.rules import TeamRules
from hive.players.teams.team import Ask, Team


def call_seed(seed: int, agent: int, number: int) -> int:
    """Return the seed with which the answer to a call is drawn (docs/rules/teams.md 1.3).

    Args:
        seed: Of the episode.
        agent: Number of the agent that asks, or `PLANNER`.
        number: Calls of this agent in the episode before this one.

    Returns:
        0 to 2**31 - 1, which every server takes.
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {agent} {number}".encode()).digest()[:4], "big") >> 1


class TeamEpisode:
    """A team that plays one episode.

    Attributes:
        team: The team.
        journal: What happened so far.
        totals: Calls and tokens so far.
        temperatures: Of the calls so far.
        pending: Calls that wait for answers; empty when the step is finished.
    """

    def __init__(
        self, env: AgentEnv, framework: Framework[Any], rules: TeamRules, prompts: Prompts, journal: Journal, model: str
    ) -> None:
        """Begin or resume an episode.

        Args:
            env: The episode as its world knows it, at its beginning.
            framework: How the team talks and decides.
            rules: How the team is run.
            prompts: Its prompts.
            journal: Receives a line for each finished step; the steps that it holds are repeated without calls.
            model: Name of the model that is asked.

        Raises:
            UserError: The journal is of another episode.
        """
        self.team = Team(env, rules, prompts, framework.single)
        self.journal, self.totals = journal, Totals()
        self.pending: list[Ask] = []
        self.temperatures: set[float] = set()
        self._framework, self._model = framework, model
        self._numbers: Counter[int] = Counter()  # calls of each agent so far
        self._steps: Generator[list[Ask], list[str], None]
        self._asked: list[dict[str, Any]] = []
        self._row: dict[str, Any] = {}
        self._kept: dict[str, Any] | None = None
        journal.open(
            {
                "world": env.name,
                "seed": env.seed,
                "framework": framework.name,
                "model": model,
                "prompts": prompts.source,
                "rules": rules.json(),
                "agents": [[seat.name, seat.kind] for seat in env.seats],
            }
        )

    @property
    def env(self) -> AgentEnv:
        """The episode as its world knows it."""
        return self.team.env

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.env.over or self.env.tick >= self.team.limit

    @property
    def repeats(self) -> bool:
        """Whether the journal holds further steps than were played so far, so that they are repeated."""
        return len([row for row in self.journal.rows if not row.get("end")]) > self.env.tick

    def lines(self) -> list[Line]:
        """Return what the team thought, said and did so far, as lines of a recording."""
        end = {"end": True, "step": self.team.step, "score": self.env.score}
        return self._framework.lines(self.team, [*self.journal.rows[: self.env.tick], end])

    def begin_step(self) -> None:
        """Look, and go on to the first calls that the journal does not answer."""
        self._row = {"step": self.team.step, "score": self.env.score, **self.totals.json()}
        self._kept = self._kept_row()
        self._asked = []
        self.team.begin_step()
        self._row |= {"living": len(self.team.living), "idle": len(self.team.living) - len(self.team.doing)}
        self._steps = self._framework.step(self.team)
        self._advance(None)

    def request(self, ask: Ask) -> ChatRequest:
        """Return what a model is sent for a call; an empty answer costs its agent a step, and not the episode."""
        rules = self.team.rules
        settings = Settings(
            temperature=self._temperature(ask),
            seed=ask.seed,
            max_tokens=rules.max_tokens,
            tools=ask.tools,
            may_be_empty=True,
            top_p=rules.top_p,
        )
        topic = Topic(
            world=self.env.name,
            task=self._framework.name,
            number=self.env.seed,
            agent=self.team.name(ask.agent),
            purpose=ask.purpose,
            form=ask.form,
        )
        return ChatRequest(ask.messages, images=ask.images, settings=settings, topic=topic)

    def hear(self, replies: list[Reply]) -> None:
        """Receive the answers to the pending calls, in their order, and go on to the next calls."""
        self._count(replies)
        self._advance([reply.text for reply in replies])

    def end(self) -> None:
        """Write the last line: the score after the last step."""
        row = {"end": True, "step": self.team.step, "score": self.env.score, **self.totals.json()}
        if len(self.journal.rows) < self.team.step:
            self.journal.add(row)
        elif self.journal.rows[-1] != row:
            raise self._foreign("its last line")

    def _advance(self, texts: list[str] | None) -> None:
        """Run the framework to its next calls that are not in the journal, or to the end of the step."""
        while True:
            try:
                asks = next(self._steps) if texts is None else self._steps.send(texts)
            except StopIteration:
                self.pending = []
                self._finish()
                return
            self.pending = list(map(self._seeded, asks))
            if self.pending and self._kept is None:
                return
            replies = self._recall()
            self._count(replies)
            texts = [reply.text for reply in replies]

    def _seeded(self, ask: Ask) -> Ask:
        """Return a call with the seed of its answer."""
        number = self._numbers[ask.agent]
        self._numbers[ask.agent] += 1
        self.temperatures.add(self._temperature(ask))
        return replace(ask, seed=call_seed(self.env.seed, ask.agent, number))

    def _temperature(self, ask: Ask) -> float:
        own = self.team.rules.temperature
        return ask.temperature if own is None else own

    def _recall(self) -> list[Reply]:
        """Return the answers that the journal holds to the pending calls."""
        if not self.pending:
            return []
        assert self._kept is not None
        begin = len(self._asked)
        calls = self._kept["asked"][begin : begin + len(self.pending)]
        digests = [self._digest(ask) for ask in self.pending]
        if [call["digest"] for call in calls] != digests:
            raise self._foreign(f"a call of step {self.team.step}")
        return [_reply(call) for call in calls]

    def _count(self, replies: list[Reply]) -> None:
        for ask, reply in zip(self.pending, replies, strict=True):
            self.totals.add(reply)
            self._asked.append(
                {
                    "agent": self.team.name(ask.agent),
                    "purpose": ask.purpose,
                    "digest": self._digest(ask),
                    "text": reply.text,
                    "model": reply.model,
                    "finish": reply.finish,
                    "seconds": round(reply.seconds, 3),
                    **reply.usage.json(),
                }
            )

    def _finish(self) -> None:
        """Write the line of the step, or compare it with the one that is there."""
        record = self.team.record
        mail = [each.json() for each in record.mail]
        row = {**self._row, "asked": self._asked, "mail": mail, "acts": record.acts, "log": record.log}
        if self._kept is None:
            self.journal.add(row)
        elif self._kept != row:
            raise self._foreign(f"step {self.team.step}")

    def _kept_row(self) -> dict[str, Any] | None:
        """Return the line of this step, if the journal has it."""
        if len(self.journal.rows) < self.team.step:
            return None
        row = self.journal.rows[self.team.step - 1]
        if row.get("end") or row["score"] != self.env.score:
            raise self._foreign(f"the score at step {self.team.step}")
        return row

    def _digest(self, ask: Ask) -> str:
        return self.request(ask).key(self._model)

    def _foreign(self, what: str) -> UserError:
        return UserError(
            f"{self.journal.path or 'the journal'} does not repeat: {what} differs from what is played now\n"
            "  = help: it was written by another version of the program or of the prompts; begin in another folder"
        )


def _reply(call: dict[str, Any]) -> Reply:
    usage = Usage(call["prompt"], call["reply"])
    return Reply(call["text"], call["model"], usage, call["finish"], call["seconds"])
