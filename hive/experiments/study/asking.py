"""The study of commanders: every prompt of every condition is asked, several at a time, and the answers are kept.

Rules: docs/rules/scenarios.md 2.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal

import dsl
import scenarios
from dsl import Diagnostic
from hive.engine.instant import state_at_start
from hive.engine.plan.rescale import rescale_plan
from hive.kit.facts import Facts, Running
from hive.kit.reporting import Description
from hive.players.llm.client import PLAIN, Client, Image, ModelError, Reply, Settings, Topic
from hive.players.llm.dialogue import AnswerKind, Dialogue
from hive.players.llm.session import constraint_of
from hive.players.llm.threads import side_by_side
from hive.worlds.battle.abilities import Ability
from hive.worlds.battle.world import Battle

_MARKED = "follow_markers"  # the only ability whose prompts speak of markers


def without_hints(world: Battle, ability: Ability) -> Battle:
    """Return the world as a prompt of an ability shows it: with markers only where the prompts speak of them."""
    return world if ability.name == _MARKED else replace(world, scenario=replace(world.scenario, markers={}))


@dataclass(frozen=True)
class StudyCondition:
    """What is asked about, and how it is shown to the model.

    Attributes:
        ability: The ability that is tested.
        world: The battle that is described, and played.
        task: Whose prompts are asked: the ability's, or `hive.worlds.battle.study_prompts.ALONE`.
        prompts: The prompts, in their order.
        label: What distinguishes it from other conditions of the same ability in a study; empty for the only one.
        full: Whether every unit is listed and the map is complete; else groups of units and a shorter map.
        images: Pictures that are sent with each prompt.
    """

    ability: Ability
    world: Battle
    task: str
    prompts: tuple[str, ...] = field(repr=False)
    label: str = ""
    full: bool = True
    images: tuple[Image, ...] = ()

    @property
    def title(self) -> str:
        """Ability and label in words."""
        return f"{self.ability.title}, {self.label}" if self.label else self.ability.title

    @cached_property
    def words(self) -> Description:
        """The first state of the game with seed 0, described."""
        return self.world.describe(state_at_start(self.world, 0))

    def game(self) -> tuple[Facts, Running | None]:
        """Return what is known of the game with seed 0 before its first tick; no plan is followed."""
        return self.world.facts(state_at_start(self.world, 0)), None


@dataclass(frozen=True)
class PromptResult:
    """What came of one prompt.

    Attributes:
        condition: What it was about.
        number: Number of the prompt in its condition, from 0.
        model: Name of the model.
        kind: As in `hive.players.llm.dialogue.Answer`, or `no_reply` when the request failed.
        replies: Every reply, the last of which counts; none for `no_reply`.
        sent: Characters of all its requests.
        findings: Remarks about the last plan, if there is one.
        error: Why there is no reply.
    """

    condition: StudyCondition
    number: int
    model: str
    kind: AnswerKind | Literal["no_reply"]
    replies: tuple[Reply, ...] = ()
    sent: int = 0
    findings: tuple[Diagnostic, ...] = ()
    error: str = ""

    @property
    def text(self) -> str:
        """The last reply."""
        return self.replies[-1].text if self.replies else ""

    @property
    def received(self) -> int:
        """Characters of all replies."""
        return sum(len(reply.text) for reply in self.replies)

    @property
    def seconds(self) -> float:
        """Wall time of all its exchanges; for recorded ones, that of the recording."""
        return sum(reply.seconds for reply in self.replies)

    def tokens(self, which: Literal["prompt", "reply"]) -> int | None:
        """Tokens sent or received in all exchanges, as the server counted them; None if it did not."""
        counts = [getattr(reply.usage, which) for reply in self.replies]
        return None if None in counts or not counts else sum(counts)


@dataclass(frozen=True)
class Procedure:
    """How all prompts of a study are asked; the default is the published procedure.

    Attributes:
        settings: How replies are drawn.
        repairs: How often a plan with errors is sent back.
        lenient: Whether a unit may stand in two groups of a step.
        written_for: Team sizes that plans are written for; None: the present ones, which the model is told.
        concurrent: Most prompts that are asked at the same time.
        grammar: Whether servers that can are given the grammar of plans for the world.
    """

    settings: Settings = PLAIN
    repairs: int = 0
    lenient: bool = False
    written_for: tuple[int, int] | None = None
    concurrent: int = 4
    grammar: bool = False


def ask_all(
    client: Client, conditions: Sequence[StudyCondition], procedure: Procedure, heard: Callable[[PromptResult], None]
) -> list[PromptResult]:
    """Ask one model every prompt of every condition, each in a dialogue of its own.

    A prompt whose request fails is counted as `no_reply` and stops nothing. After an interrupt, or an error that is not
    the model's, no further prompt is asked.

    Args:
        client: Asks the model; called from several threads.
        conditions: What is asked about.
        procedure: How.
        heard: Called in this thread with each answer as it comes.

    Returns:
        The answers in the order of the conditions and their prompts.
    """
    tasks: list[Callable[[], PromptResult]] = []
    for condition in conditions:
        words, plan = condition.words, _shipped(condition, procedure)
        first = _dialogue(client, condition, procedure)
        state = words.state if condition.full else words.short_state
        for number in range(len(condition.prompts)):
            world, ability = condition.world.name, condition.ability.name
            topic = Topic(world, ability, number, plan, answers=False, game=condition.game)
            tasks.append(partial(_ask, replace(first, messages=[], topic=topic), state, condition, number))
    return side_by_side(tasks, procedure.concurrent, heard)


def _shipped(condition: StudyCondition, procedure: Procedure) -> str:
    """Return the shipped plan for an ability, written for the team sizes for which plans are read."""
    world, name = condition.world, condition.ability.name
    plan = dsl.parse_plan(scenarios.plan(name), f"{name}.plan", world.context())
    player, enemy = zip(world.written_for, procedure.written_for or world.sizes, strict=True)
    return dsl.format_plan(rescale_plan(plan, player, enemy)) + "\n"


def _dialogue(client: Client, condition: StudyCondition, procedure: Procedure) -> Dialogue:
    world, words = condition.world, condition.words
    written = procedure.written_for or world.sizes
    context = world.context(0, written)
    return Dialogue(
        client,
        words.system if condition.full else words.short_system,
        context,
        repairs=procedure.repairs,
        grammar=constraint_of(context) if procedure.grammar else None,
        settings=procedure.settings,
        lenient=procedure.lenient,
        written_for=written,
    )


def _ask(dialogue: Dialogue, state: str, condition: StudyCondition, number: int) -> PromptResult:
    model = dialogue.client.name
    try:
        answer = dialogue.ask(condition.prompts[number], state, condition.images)
    except ModelError as error:
        return PromptResult(condition, number, model, "no_reply", error=str(error))
    sent, above = 0, len(dialogue.system)
    for message in dialogue.messages:
        above += len(message.text)
        sent += above if message.role == "user" else 0
    findings = answer.plan.report.diagnostics if answer.plan else ()
    return PromptResult(condition, number, model, answer.kind, answer.replies, sent, tuple(findings))
