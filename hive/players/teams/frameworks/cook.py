"""Cook: two agents write plans of several actions and talk without spending time (docs/rules/kitchen.md 10)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hive.kit.agent_env import Awaited, Choice, Piece, PlanAgentEnv, Said
from hive.kit.keep.dialogue import Line, LineKind
from hive.players.llm.forms import Field, Form, Offer
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.perception import Asking
from hive.players.teams.roster import Hold, PastAction
from hive.players.teams.slots import NO_TEXT
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Ask, Team

END = "[END]"
"""What an agent writes into a message that ends a conversation."""

NO_MESSAGE = ("[NOTHING]", "[EMPTY]")
"""What an agent writes in place of a message when it has none."""

TEMPERATURE = 0.7
MEMORY, LATEST = 5, 4  # actions that are shown when there are at most so many, and when there are more
LESSONS = 3  # that are shown
LONGEST_LESSON = 50  # words
LONGEST_HOLD = 20
"""Most timesteps in a row for which an action that comes too early is tried again."""

_WAIT = "wait(1)"
_NOT_YET = "(nothing yet)"
_WAITS = re.compile(r"wait\((\d+)\)")
_CODE = re.compile(r"^[A-Z]\d+[a-z]?: ")
_IDLE = re.compile(r"\W*(nothing|empty|none|nothing (more|left|else)( to do)?|nothing to do)\W*", re.IGNORECASE)

# What a prompt says of plans: as they are carried out here, and as in the published program.
_PLANS = (
    "Your plan is carried out action by action, and you are asked again when it is done. An action whose item is not "
    "there yet, or for which no counter is empty, is not refused: you wait and try again in every timestep, for at "
    "most {longest}, as long as {mate} is busy or a utensil works on the item; the rest of the plan comes after it. "
    "If it is still not possible then, it is refused, as is any other action that is not possible when its turn comes: "
    "the rest of the plan is dropped, and you correct it without talking. If there is nothing to do for you, write the "
    "plan [NOTHING]: then you wait until {mate} gives you something to do, or has nothing more to do either."
)
_PUBLISHED_PLANS = (
    "Your plan is carried out action by action, until it is done or an action is refused, because it is not possible "
    "when its turn comes: wait for what is not ready."
)
_OPENED = "You opened this conversation: the last plan that you write in it is yours. [NOTHING] keeps the one before."
_FREE = (
    "You have no plan: the first plan that you write in this conversation becomes yours. Write into it what you were "
    "asked for, if you agree; requests to you are not carried out by themselves."
)
_HELD = "Your plan waits for something: a plan that you write now replaces it, and [NOTHING] keeps it."
_BOUND = (
    "You are carrying out a plan, and a conversation does not change it: a plan that you write now has no effect. You "
    "are asked for the next one when it is done; say if you will do something later."
)

_ALONE = ("analysis", "plan")
_FIELDS = (*_ALONE, "say")

_Talk = list[str]
"""The lines of a conversation as agents read them."""


def step(team: Team[PlanAgentEnv]) -> Asking[None]:
    """Each agent without an action goes on with its plan, or makes one and may talk to its teammate."""
    for agent in team.free():
        if agent not in team.doing:
            yield from _act(team, agent)


def _act(team: Team[PlanAgentEnv], agent: int) -> Asking[None]:
    """One agent begins its next action; where it is refused, the agent corrects its plan alone."""
    if _rests(team, agent):
        return
    _pass(team, agent)
    if not team.queues[agent] and not (yield from _plan(team, agent)):
        team.idle(agent, "its answer lacks a field, so it waits")
        return
    why = _begin(team, agent)
    for _ in range(team.rules.corrections):
        if why is None:
            return
        answer = yield from _correct(team, agent, why)
        if answer is None:
            break
        _take(team, agent, answer["plan"])
        refusal, why = why, _begin(team, agent)
        if why is None:
            yield from _reflect(team, agent, refusal)
    if why is not None:
        team.queues[agent].clear()
        team.idle(agent, f"its plan is refused: {why}")


def _plan(team: Team[PlanAgentEnv], agent: int) -> Asking[bool]:
    """Ask an agent for a plan; a message in it opens a conversation, and the agent's last plan counts.

    Return whether it answered: one whose answer lacks a field after its repair waits, and is not asked again.
    """
    answer = yield from _answer(team, agent, "plan", "cook_plan", _FIELDS)
    if answer is None:
        return False
    plan = answer["plan"]
    if not _silent(answer["say"]):
        plan = yield from _talk(team, agent, answer)
    _take(team, agent, plan)
    return True


def _talk(team: Team[PlanAgentEnv], agent: int, opening: dict[str, str]) -> Asking[str]:
    """Let two agents talk until one ends it; return the last plan of the agent that began."""
    other = _mate(team, agent)
    talk: _Talk = []
    plan, said = opening["plan"], {agent: [""], other: [""]}
    _say(team, agent, other, opening, talk, opens=True)
    said[agent].append(opening["say"])
    for turn in range(2 * team.rules.replies - 1):
        speaker, listener = (other, agent) if turn % 2 == 0 else (agent, other)
        draft = None if team.rules.published else (agent, plan)
        answer = yield from _answer(team, speaker, "talk", "cook_talk", _FIELDS, "\n".join(talk), draft=draft)
        if answer is None:
            break
        _say(team, speaker, listener, answer, talk)
        if speaker == agent:
            plan = plan if _nothing(team, answer["plan"]) else answer["plan"]
        elif (
            (turn == 0 or not team.rules.published)
            and _open(team, other)
            and not (team.queues[other] and _nothing(team, answer["plan"]))
        ):
            _take(team, other, answer["plan"])
        if _silent(answer["say"]) or END in answer["say"].upper() or answer["say"] in said[speaker]:
            break
        said[speaker].append(answer["say"])
    return plan


def _say(
    team: Team[PlanAgentEnv], speaker: int, to: int, answer: dict[str, str], talk: _Talk, opens: bool = False
) -> None:
    """Deliver a message with its requests, and record it."""
    say = answer["say"]
    team.said.append(Said(team.env.tick, speaker, opens, answer["analysis"], say, answer["plan"]))
    asked = "; ".join(piece.words for piece in team.env.read(speaker, answer["plan"]) if piece.request)
    line = say + (f" (requests: {asked})" if asked else "")
    if asked or not _silent(say):
        talk.append(f"- {team.name(speaker)}: {line}")
        team.send(speaker, to, line)


def _correct(team: Team[PlanAgentEnv], agent: int, refusal: str) -> Asking[dict[str, str] | None]:
    """Ask an agent for another plan after a refusal; None if its answer lacks a field after its repair."""
    team.note(agent, f"an action is refused: {refusal}")
    dropped = "; ".join(piece.words for piece in team.queues[agent][1:])
    team.queues[agent].clear()
    shown = _shown(refusal) + (
        f"\nThe rest of your plan was: {dropped}" if dropped and not team.rules.published else ""
    )
    return (yield from _answer(team, agent, "correct", "cook_correct", _ALONE, refusal=shown))


def _reflect(team: Team[PlanAgentEnv], agent: int, refusal: str) -> Asking[None]:
    """Ask an agent for a lesson after a mistake that it has corrected."""
    now = team.doing[agent].words
    texts = {**_texts(team, agent), "refusal": _shown(refusal), "corrected": now, "most_words": str(LONGEST_LESSON)}
    (text,) = yield [team.ask(agent, "reflect", "cook_reflect", TEMPERATURE, _lesson_form, **texts)]
    answer = read_tags(text, ("lesson",))
    if isinstance(answer, Malformed):
        team.note(agent, f"its lesson {answer.why}; none is kept")
        return
    words = answer["lesson"].split()
    if len(words) > LONGEST_LESSON:
        team.note(agent, f"its lesson has {len(words)} words; the first {LONGEST_LESSON} are kept")
    team.lessons[agent].append(" ".join(words[:LONGEST_LESSON]))


def _begin(team: Team[PlanAgentEnv], agent: int) -> str | None:
    """Begin the next action of a plan, or wait for what it needs; return why it is refused, or None."""
    queue = team.queues[agent]
    passed = _pass(team, agent)
    if not queue:
        if not passed and agent not in team.holds:
            return "N0: no action is given"
        _wait(team, agent, _WAIT)
        return None
    piece = queue[0]
    awaited = _awaited(team, agent, piece)
    if awaited is not None and _hopes(team, agent, awaited, piece.waits):
        _wait(team, agent, f"wait for {awaited.words}")
        return None
    team.holds.pop(agent, None)
    why = piece.why if piece.choice is None else team.env.check(agent, piece.choice, team.single)
    if piece.choice is None or why is not None:
        why = f"`{piece.words}`: {why}"
        team.refusals.append((team.env.tick, agent, why))
        return why
    del queue[0]
    team.begin(agent, piece.choice, "line")
    return None


def _pass(team: Team[PlanAgentEnv], agent: int) -> bool:
    """Leave out waits for what is there already; return whether there were any."""
    queue, count = team.queues[agent], len(team.queues[agent])
    while queue and queue[0].waits and _awaited(team, agent, queue[0]) is None:
        del queue[0]
    if len(queue) < count:
        team.holds.pop(agent, None)
    return len(queue) < count


def _awaited(team: Team[PlanAgentEnv], agent: int, piece: Piece) -> Awaited | None:
    """Return what an action waits for; in the published program no action waits."""
    return None if team.rules.published and not piece.waits else team.env.awaited(agent, piece)


def _hopes(team: Team[PlanAgentEnv], agent: int, awaited: Awaited, asked: bool = False) -> bool:
    """Return whether an agent goes on waiting: not for too long, and not when nothing can come of it.

    Args:
        team: The team.
        agent: Number.
        awaited: What it waits for.
        asked: Whether its plan asks for the wait, so that it need not see that something is on the way.
    """
    now, hold = team.env.tick, team.holds.get(agent)
    rests = not awaited.words
    coming = awaited.sure or asked or _busy(team, _mate(team, agent))
    if hold is None or hold.words != awaited.words:
        team.holds[agent] = Hold(awaited.words, awaited.sure, now, now if coming or rests else now - 1)
        return coming or rests or _decides_later(team, agent)
    hold = replace(hold, sure=awaited.sure, hoped=now if coming else hold.hoped)
    team.holds[agent] = hold
    return now - hold.since < LONGEST_HOLD and now - hold.hoped <= 1


def _decides_later(team: Team[PlanAgentEnv], agent: int) -> bool:
    """Return whether the teammate has nothing to do yet, and makes a plan in this step."""
    mate = _mate(team, agent)
    return mate > agent and mate not in team.doing and not team.queues[mate] and mate not in team.holds


def _busy(team: Team[PlanAgentEnv], agent: int) -> bool:
    """Return whether an agent is on the way to something, rather than waiting for its teammate."""
    if agent in team.holds:
        return team.holds[agent].sure
    now = team.doing.get(agent)
    return bool(team.queues[agent]) or (now is not None and _WAITS.fullmatch(now.words) is None)


def _rests(team: Team[PlanAgentEnv], agent: int) -> bool:
    """Let an agent that has nothing to do wait, as long as its teammate is busy; return whether it does."""
    hold = team.holds.get(agent)
    if hold is None or hold.words or team.queues[agent]:
        return False
    if _hopes(team, agent, Awaited("", False)):
        _wait(team, agent, _WAIT)
        return True
    del team.holds[agent]
    return False


def _wait(team: Team[PlanAgentEnv], agent: int, words: str) -> None:
    """Let an agent wait for one step."""
    (piece,) = team.env.read(agent, _WAIT)
    assert piece.choice is not None
    team.begin(agent, Choice(piece.choice.number, piece.choice.values, words), "line")


def _open(team: Team[PlanAgentEnv], agent: int) -> bool:
    """Return whether an answer of an agent gives it a plan: it has none, or its plan waits for what may not come."""
    hold = team.holds.get(agent)
    return not team.queues[agent] or (hold is not None and not hold.sure)


def _take(team: Team[PlanAgentEnv], agent: int, plan: str) -> None:
    """Give an agent the plan that it wrote; one that says that there is nothing to do lets it rest."""
    team.holds.pop(agent, None)
    team.queues[agent] = [] if _nothing(team, plan) else _own(team, agent, plan)
    if _nothing(team, plan):
        _hopes(team, agent, Awaited("", False))


def _nothing(team: Team[PlanAgentEnv], plan: str) -> bool:
    """Return whether a plan says that there is nothing to do."""
    return not team.rules.published and _IDLE.fullmatch(plan) is not None


def _shown(refusal: str) -> str:
    """Return a refusal as agents read it, without its code."""
    words, colon, why = refusal.partition("`: ")
    return words + colon + _CODE.sub("", why) if colon else _CODE.sub("", refusal)


def _own(team: Team[PlanAgentEnv], agent: int, plan: str) -> list[Piece]:
    """Return the agent's own actions of a plan; one that only asks for something waits for a step."""
    env = team.env
    pieces = env.read(agent, "" if plan.upper() in NO_MESSAGE else plan)
    own = [piece for piece in pieces if not piece.request]
    return own if own or not pieces else list(env.read(agent, "wait(1)"))


def _answer(
    team: Team[PlanAgentEnv],
    agent: int,
    purpose: str,
    prompt: str,
    need: Sequence[str],
    talk: str = NO_TEXT,
    refusal: str = NO_TEXT,
    draft: tuple[int, str] | None = None,
) -> Asking[dict[str, str] | None]:
    """Ask for tags, and once more for each that is missing; None if one is still missing.

    Args:
        team: The team.
        agent: Who is asked.
        purpose: What for.
        prompt: Name of the prompt.
        need: Tags that are asked for.
        talk: The conversation so far.
        refusal: Why an action was refused.
        draft: Who opened the conversation, and the plan that it has written in it, which is not begun yet.
    """
    known = _texts(team, agent, draft)
    form = partial(_plan_form, team, agent, need)
    ask = team.ask(agent, purpose, prompt, TEMPERATURE, form, **known, conversation=talk, refusal=refusal)
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


def _plan_form(team: Team[PlanAgentEnv], agent: int, need: Sequence[str]) -> Form:
    """Return the form of a plan: the actions of the manual as they are written, and those that are possible now."""
    env = team.env
    heads = [line.lstrip("- ").partition(": ")[0].split(" or ") for line in env.manual(agent).splitlines()]
    now = [
        option.example
        for option in env.options(team.kind(agent), team.single)
        if option.number and env.check(agent, Choice(option.number, (), option.example), team.single) is None
    ]
    actions = dict.fromkeys([*(form for head in heads for form in head), *now])
    fields = {
        "plan": Field(
            name="plan",
            words="Your plan, actions separated by semicolons; empty: nothing",
            offers=[Offer(action, does="add") for action in actions],
            empty=NO_MESSAGE[0],
        ),
        "say": Field(
            name="say",
            words=f"Your message to {team.name(_mate(team, agent))}; empty: none",
            empty=NO_MESSAGE[0],
        ),
        "analysis": Field(name="analysis", words="Your thoughts", empty="(none)", aside=True),
    }
    return [fields[name] for name in ("say", "plan", "analysis") if name in need]


def _lesson_form() -> Form:
    return (Field(name="lesson", words="A lesson from your mistake, which you read again; empty: none"),)


def _repair(team: Team[PlanAgentEnv], ask: Ask, text: str, name: str) -> Ask:
    """Return the call that asks for a missing tag; it follows the conversation of the first one."""
    return team.ask(ask.agent, "repair", "cook_repair", TEMPERATURE, tag=name).after(ask, text)


def _texts(team: Team[PlanAgentEnv], agent: int, draft: tuple[int, str] | None = None) -> dict[str, str]:
    """Return what every prompt of an agent shows."""
    env, mate = team.env, team.name(_mate(team, agent))
    return {
        "mate": mate,
        "plan_rule": _PUBLISHED_PLANS if team.rules.published else _PLANS.format(mate=mate, longest=LONGEST_HOLD),
        "talk_rule": _talk_rule(team, agent),
        "knowledge": env.knowledge(agent),
        "manual": env.manual(agent),
        "view": team.observations[agent].view,
        "plans": "\n".join(_intention(team, each, each == agent, draft) for each in team.living),
        "memory": _memory(team, agent),
        "lessons": "\n".join(f"- {lesson}" for lesson in team.lessons[agent][-LESSONS:]),
    }


def _talk_rule(team: Team[PlanAgentEnv], agent: int) -> str:
    """Say what becomes of a plan that an agent writes in a conversation."""
    if team.said and team.said[-1].tick == team.env.tick and _opener(team) == agent:
        return _OPENED
    if team.rules.published or not team.queues[agent]:
        return _FREE if not team.queues[agent] else _BOUND
    return _HELD if _open(team, agent) else _BOUND


def _opener(team: Team[PlanAgentEnv]) -> int:
    return next(said.speaker for said in reversed(team.said) if said.opens)


def _memory(team: Team[PlanAgentEnv], agent: int) -> str:
    """Say what an agent completed lately, and how long it waited in between."""
    done = list(team.env.done(agent))
    shown = done if len(done) <= MEMORY else done[-LATEST:]
    rows = [(tick, f"- timestep {tick}: {words}") for tick, words in shown]
    since = shown[0][0] if len(shown) < len(done) else 0
    waits = [each for each in _waited(team.histories[agent]) if each.begun > since]
    for each in waits if shown else waits[-LATEST:]:
        first, last = each.begun - 1, each.ended - 1
        when = f"timestep {first}" if first == last else f"timesteps {first} to {last}"
        rows.append((first, f"- {when}: {each.words}"))
    return "\n".join(row for _, row in sorted(rows, key=lambda row: row[0])) or _NOT_YET


def _waited(history: Sequence[PastAction]) -> list[PastAction]:
    """Return the waits of a history; those that follow each other for the same reason are one."""
    found: list[PastAction] = []
    for each in history:
        reason = "wait" if each.words == _WAIT else each.words
        if not reason.startswith("wait"):
            continue
        if found and found[-1].words == reason and found[-1].ended + 1 == each.begun:
            found[-1] = replace(found[-1], ended=each.ended)
        else:
            found.append(replace(each, words=reason))
    return found


def _intention(team: Team[PlanAgentEnv], agent: int, me: bool, draft: tuple[int, str] | None = None) -> str:
    """Say what an agent does and has planned; the plan that it has just written in a conversation counts."""
    now, queue = _now(team, agent), team.queues[agent]
    if draft is not None and draft[0] == agent:
        queue = [] if _nothing(team, draft[1]) else _own(team, agent, draft[1])
    planned = "; ".join(piece.words for piece in queue) or "nothing"
    return f"- {team.name(agent)}{' (you)' if me else ''} does: {now}. Then: {planned}"


def _now(team: Team[PlanAgentEnv], agent: int) -> str:
    """Say what an agent does, with what is left of a wait."""
    doing, hold = team.doing.get(agent), team.holds.get(agent)
    if hold is not None:
        return f"wait for {hold.words}" if hold.words else "nothing"
    if doing is None:
        return "nothing"
    wait = _WAITS.fullmatch(doing.words)
    left = int(wait[1]) - (team.step - doing.begun) if wait else 0
    return f"{doing.words}, {left} timestep{'s' * (left != 1)} left" if wait else doing.words


def _silent(say: str) -> bool:
    return say.upper() in NO_MESSAGE


def _mate(team: Team[PlanAgentEnv], agent: int) -> int:
    return next(each for each in team.living if each != agent)


def lines(team: Team[PlanAgentEnv], rows: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return the conversations and refusals of a team as lines of its recording, in the order of time."""
    found = [Line(tick, agent, LineKind.PROBLEM, why) for tick, agent, why in team.refusals]
    for each in team.said:
        kinds = {LineKind.THOUGHT: each.analysis, LineKind.ACT: each.plan, LineKind.SAY: each.say}
        found += [
            Line(each.tick, each.speaker, kind, text)
            for kind, text in kinds.items()
            if kind != LineKind.SAY or text.upper() not in NO_MESSAGE
        ]
    return sorted(found, key=lambda line: line.tick)


FRAMEWORK = Framework(
    "cook",
    "Cook",
    "Two agents plan several actions each, and talk without spending time.",
    False,
    step,
    lambda rules, living, idle: idle,
    lines,
)
