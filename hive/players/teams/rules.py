"""Numbers of the frameworks, and switches for what the published program does otherwise (docs/rules/teams.md)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from dsl import UserError
from dsl.wording import listing
from hive.kit.agent_env import PERCEPTIONS

LONGEST_ANSWER = 50_000  # characters; a longer answer is malformed
_LATER = ("perception",)  # of `TeamRules`: results of before they were a choice have none of these


@dataclass(frozen=True, kw_only=True)
class Quirks:
    """What the published program does otherwise than its paper says; each is off by default.

    Attributes:
        review_ignored: CAMON: the leader's review is asked for and not read; every proposal passes.
        keeps_oldest: COELA: a full chat loses each new message and keeps its oldest.
        released_rounds: Embodied: one round of talks, and messages live two steps.
        last_digit_age: HMAS-2: the age of an entry of the history is computed from the last digits of steps.
        accept_anywhere: HMAS-2: feedback agrees wherever it contains the word ACCEPT.
        released_temperature: CAMON: all calls but perception have temperature 0.7.
    """

    review_ignored: bool = False
    keeps_oldest: bool = False
    released_rounds: bool = False
    last_digit_age: bool = False
    accept_anywhere: bool = False
    released_temperature: bool = False

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return the names of all switches."""
        return tuple(field.name for field in fields(Quirks))


@dataclass(frozen=True, kw_only=True)
class TeamRules:
    """How a team is run.

    Attributes:
        direct_perception: Whether agents read the world's own paragraph, without a call.
        perception: What a model reads that writes this paragraph in a call: one of `PERCEPTIONS`.
        direct_execution: Whether actions are read by their exact form, without a call.
        rounds: Embodied: rounds of talks before each step.
        lifespan: Embodied: steps in which a message can be read, that in which it was sent included.
        chat: COELA: most messages that an agent remembers.
        memory: HMAS-2: steps of the history that are shown.
        planning_rounds: HMAS-2: most plans in a step, until all agents accept one.
        reasks: HMAS-2: how often the planner is asked again for a plan that cannot be read.
        replies: Cook: most answers of the teammate in one conversation.
        corrections: Cook: how often a refused plan is corrected in one step.
        thoughts: Turns: most answers without a call of a tool in one turn; one more ends the episode.
        by_text: Turns: whether calls are asked for as text alone, and no tools are offered to the model.
        published: Turns, proposals and Cook: whether agents are asked, and their plans carried out, as in the published
            programs, without what this project adds or leaves out (docs/rules/rescue.md 3.1, 5.3,
            docs/rules/household.md 10.8, docs/rules/kitchen.md 10.5).
        temperature: Of all calls; None: what the framework says.
        top_p: Of all calls: share of the likeliest tokens that an answer is drawn from; None: the server's own.
        steps: Most steps of an episode; None: the world's own limit.
        max_tokens: Most tokens of an answer.
        seat: Name of the agent that a person plays, which decides for itself; empty: there is none.
        quirks: Switches for what the published program does otherwise.
    """

    direct_perception: bool = False
    perception: str = "text"
    direct_execution: bool = False
    rounds: int = 2
    lifespan: int = 3
    chat: int = 30
    memory: int = 5
    planning_rounds: int = 3
    reasks: int = 2
    replies: int = 5
    corrections: int = 1
    thoughts: int = 10
    by_text: bool = False
    published: bool = False
    temperature: float | None = None
    top_p: float | None = None
    steps: int | None = None
    max_tokens: int = 4096
    seat: str = ""
    quirks: Quirks = Quirks()

    def __post_init__(self) -> None:
        """Raise a `UserError` if a number is too small, or the kind of perception is none or not asked for."""
        least = {"rounds": 0, "lifespan": 1, "chat": 0, "memory": 0, "planning_rounds": 1, "reasks": 0}
        least |= {"replies": 1, "corrections": 0, "thoughts": 0, "temperature": 0}
        for name, number in {**least, "steps": 1, "max_tokens": 1}.items():
            value = getattr(self, name)
            if value is not None and value < number:
                raise UserError(f"{name} is {value}, and must be {number} or more")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise UserError(f"top_p is {self.top_p:g}, and must be above 0 and at most 1")
        if self.perception not in PERCEPTIONS:
            raise UserError(
                f"there is no perception `{self.perception[:80]}`\n  = help: it is {listing(PERCEPTIONS, 'or')}"
            )
        if self.direct_perception and self.pictured:
            raise UserError(
                f"`perception` is {self.perception}, and with `direct_perception` no model is asked what agents see\n"
                "  = help: leave out one of them"
            )

    def json(self) -> dict[str, Any]:
        """All numbers and switches; those of `_LATER` only where they differ from their defaults."""
        usual = TeamRules()
        return {
            name: value for name, value in asdict(self).items() if name not in _LATER or value != getattr(usual, name)
        }

    @property
    def pictured(self) -> bool:
        """Whether the model that turns what agents perceive into a paragraph is sent pictures."""
        return self.perception != "text"

    @property
    def talks(self) -> int:
        """Rounds of talks, as they are played."""
        return 1 if self.quirks.released_rounds else self.rounds

    @property
    def life(self) -> int:
        """Lifespan of a message, as it is played."""
        return 2 if self.quirks.released_rounds else self.lifespan
