"""Cook: two agents write plans of several actions and talk without spending time (docs/rules/kitchen.md 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from hive.llm.client import Message
from hive.stage import Piece, PlanStage
from hive.teams.frameworks.framework import Framework
from hive.teams.perception import Asking
from hive.teams.rules import LONGEST_ANSWER
from hive.teams.slots import NO_TEXT
from hive.teams.tags import Malformed, read_tags
from hive.teams.team import Ask, Said, Team

END = "[END]"
"""What an agent writes into a message that ends a conversation."""

NO_MESSAGE = ("[NOTHING]", "[EMPTY]")
"""What an agent writes in place of a message when it has none."""

TEMPERATURE = 0.7
MEMORY, LATEST = 5, 4  # actions that are shown when there are at most so many, and when there are more
LESSONS = 3  # that are shown
LONGEST_LESSON = 50  # words
_ALONE = ("analysis", "plan")
_FIELDS = (*_ALONE, "say")

_Talk = list[str]
"""The lines of a conversation as agents read them."""


def step(team: Team) -> Asking[None]:
    """Each agent without an action goes on with its plan, or makes one and may talk to its teammate."""
    for agent in team.free():
        if agent not in team.doing:
            yield from _act(team, agent)


def _act(team: Team, agent: int) -> Asking[None]:
    """One agent begins its next action; where it is refused, the agent corrects its plan alone."""
    if not team.queues[agent]:
        yield from _plan(team, agent)
    why = _begin(team, agent)
    for _ in range(team.rules.corrections):
        if why is None:
            return
        refusal, why = why, (yield from _correct(team, agent, why))
        if why is None:
            yield from _reflect(team, agent, refusal)
    if why is not None:
        team.queues[agent].clear()
        team.idle(agent, f"its plan is refused: {why}")


def _plan(team: Team, agent: int) -> Asking[None]:
    """Ask an agent for a plan; a message in it opens a conversation, and the agent's last plan counts."""
    answer = yield from _answer(team, agent, "plan", "cook_plan", _FIELDS)
    if answer is None:
        return
    plan = answer["plan"]
    if not _silent(answer["say"]):
        plan = yield from _talk(team, agent, answer)
    team.queues[agent] = _own(team, agent, plan)


def _talk(team: Team, agent: int, opening: dict[str, str]) -> Asking[str]:
    """Let two agents talk until one ends it; return the last plan of the agent that began."""
    other = _mate(team, agent)
    talk: _Talk = []
    plan, said = opening["plan"], {agent: [""], other: [""]}
    _say(team, agent, other, opening, talk, opens=True)
    said[agent].append(opening["say"])
    for turn in range(2 * team.rules.replies - 1):
        speaker, listener = (other, agent) if turn % 2 == 0 else (agent, other)
        answer = yield from _answer(team, speaker, "talk", "cook_talk", _FIELDS, "\n".join(talk))
        if answer is None:
            break
        _say(team, speaker, listener, answer, talk)
        if speaker == agent:
            plan = answer["plan"]
        elif turn == 0 and not team.queues[other]:
            team.queues[other] = _own(team, other, answer["plan"])
        if _silent(answer["say"]) or END in answer["say"].upper() or answer["say"] in said[speaker]:
            break
        said[speaker].append(answer["say"])
    return plan


def _say(team: Team, speaker: int, to: int, answer: dict[str, str], talk: _Talk, opens: bool = False) -> None:
    """Deliver a message with its requests, and record it."""
    say = answer["say"]
    team.said.append(Said(team.stage.tick, speaker, opens, answer["analysis"], say, answer["plan"]))
    asked = "; ".join(piece.words for piece in _stage(team).read(speaker, answer["plan"]) if piece.request)
    line = say + (f" (requests: {asked})" if asked else "")
    if asked or not _silent(say):
        talk.append(f"- {team.name(speaker)}: {line}")
        team.send(speaker, to, line)


def _correct(team: Team, agent: int, refusal: str) -> Asking[str | None]:
    """Ask an agent for another plan after a refusal and begin it; return why that is refused too, or None."""
    team.note(agent, f"an action is refused: {refusal}")
    team.queues[agent].clear()
    answer = yield from _answer(team, agent, "correct", "cook_correct", _ALONE, refusal=refusal)
    if answer is None:
        return refusal
    team.queues[agent] = _own(team, agent, answer["plan"])
    return _begin(team, agent)


def _reflect(team: Team, agent: int, refusal: str) -> Asking[None]:
    """Ask an agent for a lesson after a mistake that it has corrected."""
    now = team.doing[agent].words
    texts = {**_texts(team, agent), "refusal": refusal, "corrected": now, "most_words": str(LONGEST_LESSON)}
    (text,) = yield [team.ask(agent, "reflect", "cook_reflect", TEMPERATURE, **texts)]
    answer = read_tags(text, ("lesson",))
    if isinstance(answer, Malformed):
        team.note(agent, f"its lesson {answer.why}; none is kept")
        return
    words = answer["lesson"].split()
    if len(words) > LONGEST_LESSON:
        team.note(agent, f"its lesson has {len(words)} words; the first {LONGEST_LESSON} are kept")
    team.lessons[agent].append(" ".join(words[:LONGEST_LESSON]))


def _begin(team: Team, agent: int) -> str | None:
    """Begin the next action of a plan; return why it is refused, or None."""
    queue = team.queues[agent]
    if not queue:
        return "N0: no action is given"
    piece = queue[0]
    why = piece.why if piece.choice is None else team.stage.check(agent, piece.choice, team.single)
    if piece.choice is None or why is not None:
        why = f"`{piece.words}`: {why}"
        team.refusals.append((team.stage.tick, agent, why))
        return why
    del queue[0]
    team.begin(agent, piece.choice, "line")
    return None


def _own(team: Team, agent: int, plan: str) -> list[Piece]:
    """Return the agent's own actions of a plan; one that only asks for something waits for a step."""
    stage = _stage(team)
    pieces = stage.read(agent, "" if plan.upper() in NO_MESSAGE else plan)
    own = [piece for piece in pieces if not piece.request]
    return own if own or not pieces else list(stage.read(agent, "wait(1)"))


def _answer(
    team: Team,
    agent: int,
    purpose: str,
    prompt: str,
    need: Sequence[str],
    talk: str = NO_TEXT,
    refusal: str = NO_TEXT,
) -> Asking[dict[str, str] | None]:
    """Ask for tags, and once more for each that is missing; None if one is still missing."""
    ask = team.ask(agent, purpose, prompt, TEMPERATURE, **_texts(team, agent), conversation=talk, refusal=refusal)
    (text,) = yield [ask]
    found = read_tags(text, (), need)
    if isinstance(found, Malformed):
        team.note(agent, f"its answer {found.why}")
        found = {}
    missing = [name for name in need if name not in found]
    if missing:
        team.note(agent, f"its answer lacks {', '.join(missing)}")
        texts = yield [_repair(team, ask, text, name) for name in missing]
        for name, text in zip(missing, texts, strict=True):
            answer = read_tags(text, (name,))
            if isinstance(answer, Malformed):
                team.note(agent, f"its repaired answer {answer.why}")
                return None
            found |= answer
    return found


def _repair(team: Team, ask: Ask, text: str, name: str) -> Ask:
    """Return the call that asks for a missing tag; it follows the conversation of the first one."""
    again = team.ask(ask.agent, "repair", "cook_repair", TEMPERATURE, tag=name)
    said = Message("assistant", text.strip()[:LONGEST_ANSWER] or "(empty)")
    return Ask(ask.agent, "repair", (*ask.messages, said, *again.messages), TEMPERATURE)


def _texts(team: Team, agent: int) -> dict[str, str]:
    """Return what every prompt of an agent shows."""
    stage = _stage(team)
    done = stage.done(agent)
    shown = done if len(done) <= MEMORY else done[-LATEST:]
    return {
        "mate": team.name(_mate(team, agent)),
        "knowledge": stage.knowledge(agent),
        "manual": stage.manual(agent),
        "view": team.sights[agent].view,
        "plans": "\n".join(_intention(team, each, each == agent) for each in team.living),
        "memory": "\n".join(f"- timestep {tick}: {words}" for tick, words in shown) or NO_TEXT,
        "lessons": "\n".join(f"- {lesson}" for lesson in team.lessons[agent][-LESSONS:]) or NO_TEXT,
    }


def _intention(team: Team, agent: int, me: bool) -> str:
    """Say what an agent does and has planned."""
    now = team.doing[agent].words if agent in team.doing else "nothing"
    planned = "; ".join(piece.words for piece in team.queues[agent]) or "nothing"
    return f"- {team.name(agent)}{' (you)' if me else ''} does: {now}. Then: {planned}"


def _silent(say: str) -> bool:
    return say.upper() in NO_MESSAGE


def _mate(team: Team, agent: int) -> int:
    return next(each for each in team.living if each != agent)


def _stage(team: Team) -> PlanStage:
    return cast(PlanStage, team.stage)


FRAMEWORK = Framework(
    "cook",
    "Cook",
    "Two agents plan several actions each, and talk without spending time.",
    False,
    step,
    lambda rules, living, idle: idle,
)
