"""HMAS-2: a central planner commands, and agents give feedback until all accept (docs/rules/teams.md 8)."""

from __future__ import annotations

from hive.kit.agent_env import AgentEnv
from hive.players.llm.client import Message
from hive.players.llm.forms import Field, Form, Offer
from hive.players.teams.execution import execute
from hive.players.teams.frameworks.framework import Framework, perceptions, translations
from hive.players.teams.perception import Asking, perceive
from hive.players.teams.roster import PLANNER
from hive.players.teams.rules import LONGEST_ANSWER, TeamRules
from hive.players.teams.slots import NO_TEXT
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Ask, Team

_PROMPTS, _PAIRS = 2, 3  # messages that a conversation keeps: its first two, and the latest answers with replies


def step(team: Team[AgentEnv]) -> Asking[None]:
    """The planner writes a plan, agents accept or object, and it plans again until all accept or rounds are over."""
    yield from perceive(team)
    _forget(team)
    free = team.free()
    if free:
        past = "\n".join(f"- step {number}: {line}" for number, line in team.past) or NO_TEXT
        talk = list(team.ask(PLANNER, "plan", "hmas2_plan", past=past).messages)
        for _ in range(team.rules.planning_rounds):
            plan = yield from _plan(team, free, talk)
            objections = yield from _feedback(team, free, plan, past)
            if not objections:
                break
            _reply(team, talk, "\n".join(objections))
        for agent in free:
            if agent not in plan:
                team.idle(agent, "the plan has no action for it")
        yield from execute(team, plan)
    acts = (f"{team.name(agent)} at {action.place}: {action.words}" for agent, action in sorted(team.doing.items()))
    team.past.append((team.step, "; ".join(acts)))


def _plan(team: Team[AgentEnv], free: list[int], talk: list[Message]) -> Asking[dict[int, str]]:
    """Ask the planner, and ask again while actions are missing; the answer is added to the conversation."""
    for attempt in range(team.rules.reasks + 1):
        (text,) = yield [Ask(PLANNER, "plan", tuple(talk))]
        talk.append(Message("assistant", _said(text)))
        answer = read_tags(text, (), map(team.name, free))
        found = {} if isinstance(answer, Malformed) else answer
        plan = {agent: found[team.name(agent)] for agent in free if team.name(agent) in found}
        missing = [team.name(agent) for agent in free if agent not in plan]
        if not missing:
            break
        why = answer.why if isinstance(answer, Malformed) else f"lacks {', '.join(missing)}"
        team.note(PLANNER, f"its plan {why}")
        if attempt < team.rules.reasks:
            _reply(team, talk, f"- Your plan {why}.")
    return plan


def _feedback(team: Team[AgentEnv], free: list[int], plan: dict[int, str], past: str) -> Asking[list[str]]:
    """Return what the agents object to; feedback that cannot be read is no objection."""
    lines = "\n".join(f"- {team.name(agent)}: {plan.get(agent, NO_TEXT)}" for agent in free)
    texts = yield [
        team.ask(agent, "feedback", "hmas2_feedback", form=_feedback_form, plan=lines, past=past) for agent in free
    ]
    said, agreed = [], True
    for agent, text in zip(free, texts, strict=True):
        answer = read_tags(text, ("feedback",))
        if isinstance(answer, Malformed):
            team.note(agent, f"its feedback {answer.why}; it counts as ACCEPT")
            continue
        agreed = agreed and _accepts(answer["feedback"], team.rules)
        said.append(f"- {team.name(agent)}: {answer['feedback']}")
    return [] if agreed else said


def _feedback_form() -> Form:
    return (Field(name="feedback", words="What you say to the plan", offers=[Offer("ACCEPT")], empty=None),)


def _accepts(feedback: str, rules: TeamRules) -> bool:
    if rules.quirks.accept_anywhere:
        return "ACCEPT" in feedback
    return feedback.strip(" .!`'\"").upper() == "ACCEPT"


def _reply(team: Team[AgentEnv], talk: list[Message], feedback: str) -> None:
    """Add feedback to the conversation, and drop the oldest answers from one that has become long."""
    talk.extend(team.ask(PLANNER, "plan", "hmas2_replan", feedback=feedback).messages)
    del talk[_PROMPTS : max(_PROMPTS, len(talk) - 2 * _PAIRS)]


def _said(text: str) -> str:
    """Return an answer as the conversation keeps it."""
    if len(text) > LONGEST_ANSWER:
        return f"(an answer of {len(text):,} characters, which is too long)"
    return text.strip() or "(empty)"


def _forget(team: Team[AgentEnv]) -> None:
    """Drop entries of the history that are too old."""
    digits = 10 if team.rules.quirks.last_digit_age else team.step + 1
    now = team.step % digits
    team.past = [(number, line) for number, line in team.past if now - number % digits <= team.rules.memory]


def _calls(rules: TeamRules, living: int, idle: int) -> int:
    return perceptions(rules, living) + 1 + living + translations(rules, living)


FRAMEWORK = Framework("hmas2", "HMAS-2", "A central planner commands; agents give feedback.", True, step, _calls)
