"""What a framework works with: a team that looks, asks, sends messages and begins actions, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hive.kit.agent_env import IDLE, Choice, SomeEnv
from hive.players.llm.client import Image, Message, Tool
from hive.players.llm.forms import Form, any_answer
from hive.players.teams.mail import ALL, Mail
from hive.players.teams.prompting import Prompts
from hive.players.teams.roster import PastAction, Record, Roster
from hive.players.teams.rules import LONGEST_ANSWER, TeamRules
from hive.players.teams.slots import Slots


@dataclass(frozen=True)
class Ask:
    """A call of a model that an episode waits for.

    Attributes:
        agent: Number of the agent that asks, or `PLANNER`.
        purpose: What for, such as `perceive` or `plan`.
        messages: What is sent.
        temperature: 0 for the likeliest answer.
        tools: What the model may call.
        seed: Seed of the draw of the answer, which the episode gives to each call.
        form: Returns the form that a person fills in to answer the call, for the state of its step.
        images: Pictures that belong to the last message.
    """

    agent: int
    purpose: str
    messages: tuple[Message, ...]
    temperature: float = 0.0
    tools: tuple[Tool, ...] = ()
    seed: int = 0
    form: Callable[[], Form] = field(default=any_answer, repr=False, compare=False)
    images: tuple[Image, ...] = ()

    def after(self, earlier: Ask, answer: str) -> Ask:
        """Return the call at the end of the conversation of an earlier one and its answer."""
        said = Message("assistant", answer.strip()[:LONGEST_ANSWER] or "(empty)")
        return replace(self, messages=(*earlier.messages, said, *self.messages))


class Team(Roster[SomeEnv]):
    """A team and what it does.

    Attributes:
        prompts: Its prompts.
    """

    def __init__(self, env: SomeEnv, rules: TeamRules, prompts: Prompts, single: bool) -> None:
        """Begin an episode."""
        super().__init__(env, rules, single)
        self.prompts = prompts

    def begin_step(self) -> None:
        """Look: who lives, what each living agent sees, and which actions are done."""
        self.record = Record()
        self.living = self.env.living()
        self.observations = {agent: self.env.observe(agent) for agent in self.living}
        self.perceptions = {}
        for agent, action in list(self.doing.items()):
            if agent not in self.observations or not self._goes_on(agent, action):
                self._finish(agent)
        for agent in self.living:
            bound = self.env.bound(agent)
            if bound is not None and agent not in self.doing:
                self._do(agent, bound)
                self.record.acts.append({"agent": self.name(agent), "words": bound, "read": "bound"})
        if self.living and self.leader not in self.observations:
            self.leader = self.living[0]

    def ask(
        self,
        agent: int,
        purpose: str,
        prompt: str,
        temperature: float = 0.0,
        form: Callable[[], Form] = any_answer,
        **texts: str,
    ) -> Ask:
        """Return a call with a prompt.

        Args:
            agent: Who asks.
            purpose: What for.
            prompt: Name of the prompt.
            temperature: 0 for the likeliest answer.
            form: Returns the form that a person fills in.
            **texts: Slots that `Slots` cannot fill.
        """
        messages = tuple(self.prompts.write(prompt, Slots(self, agent, texts)))
        return Ask(agent, purpose, messages, temperature, form=form)

    def send(self, sender: int, to: int | None, text: str) -> Mail:
        """Return a message that is delivered now: recorded, but in no chat yet; `to` is None for all."""
        mail = Mail(self.step, self.name(sender), ALL if to is None else self.name(to), text)
        self.record.mail.append(mail)
        return mail

    def note(self, agent: int, what: str) -> None:
        """Add a line about an agent to the log."""
        self.record.log.append(f"step {self.step}, {self.name(agent)}: {what}")

    def begin(self, agent: int, choice: Choice, read: str) -> None:
        """Give an agent an action that `env.check` has accepted; it replaces the agent's present one.

        Args:
            agent: Number.
            choice: The action.
            read: How it was read: `call`, `line`, `idle` for one that stands for a malformed answer, or `sent`.
        """
        if agent in self.doing:
            self._finish(agent)
        self.env.begin(agent, choice, self.single)
        self._do(agent, choice.words)
        self.record.acts.append(
            {
                "agent": self.name(agent),
                "number": choice.number,
                "values": list(choice.values),
                "words": choice.words,
                "read": read,
            }
        )

    def idle(self, agent: int, why: str) -> None:
        """Let an agent do nothing in this step, since its answer cannot be used; a busy agent goes on."""
        busy = agent in self.doing
        self.note(agent, f"{why}; {'it goes on with its action' if busy else 'it does nothing'}")
        if not busy:
            self.begin(agent, IDLE, "idle")

    def _do(self, agent: int, words: str) -> None:
        self.doing[agent] = PastAction(self.step, self.step, self.observations[agent].place, words)

    def _goes_on(self, agent: int, action: PastAction) -> bool:
        bound = self.env.bound(agent)
        return self.env.busy(agent) if bound is None else bound == action.words

    def _finish(self, agent: int) -> None:
        """Move an agent's action to its history; one that is replaced in the step in which it began never was."""
        action = self.doing.pop(agent)
        if action.begun < self.step:
            self.histories[agent].append(PastAction(action.begun, self.step - 1, action.place, action.words))
