"""Turns: one agent after another calls a tool, which takes effect at once, and may send all others a message.

Rules: docs/rules/rescue.md 5 and docs/rules/rescue.md 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from hive.kit.agent_env import Choice, TurnAgentEnv
from hive.kit.keep.dialogue import Line, LineKind
from hive.players.llm.client import Tool, clean
from hive.players.llm.forms import Field, Form, Offer
from hive.players.teams.calls import TEXT_CALL, ToolCall, read_call, without_calls
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.mail import one_line
from hive.players.teams.perception import Asking
from hive.players.teams.rules import LONGEST_ANSWER
from hive.players.teams.slots import NO_TEXT
from hive.players.teams.tags import Malformed, spoken
from hive.players.teams.team import Ask, Team

TurnEnv = TypeVar("TurnEnv", bound=TurnAgentEnv)

PREFIX = "communicate:"
"""What an answer with a message begins with; the message is what follows."""

SILENCE = "nothing"
"""What an agent writes in place of a message that it does not send."""

LONGEST_MEMORY = 120
"""Characters of its own message that an agent is shown with a turn."""

_BY_TEXT = f"\nWrite the call as text in a tag, such as\n<{TEXT_CALL}>{{example}}</{TEXT_CALL}>"
_OR_NOTHING = f"\nNo message is needed where it would tell them nothing new; then write:\n{PREFIX} {SILENCE}"
_SHARED = "All agents see what you see, so write what they\ncannot see: "
_OWN_VIEW = "The others see only what is in their own rooms, so write\nwhat you did and saw, and "
_NEXT_TURN = "Each message is shown until its sender's next turn.\n"
_LATER_TURN = "Each message is shown until its sender has had {turns} more turns.\n"
_NO_EXPIRY = "All messages so far are shown.\n"
_ALONE = "the map and of the needs"
_MUTE = "the map, of the needs and of your team"
_TALKING = "the map, of the needs, of your team and of its messages"
_INTENT = "what you intend to do next, or what you ask of them"
_FAREWELL = "what you leave to them; you have ended your mission and act no more"
_EITHER = f"\nWhere you cannot call tools, write the call in a tag, such as\n<{TEXT_CALL}>{{example}}</{TEXT_CALL}>"


def step(team: Team[TurnAgentEnv]) -> Asking[None]:
    """Each agent that still acts has one turn; a message is deleted at a later turn of its sender, usually the next.

    An agent has no turn once the task is done, and is asked for no message that no agent would read.
    """
    env = team.env
    for agent in range(len(team.env.seats)):
        if env.settled:
            return
        _expire(team, agent)
        if agent in team.living and agent in team.env.living():
            acted = yield from _act(team, agent)
            if acted is None:
                team.note(agent, f"it answered {team.rules.thoughts + 1} times without a call; the episode ends")
                env.halt(agent)
                return
            if env.talk.expiry != 0 and not env.settled and set(env.living()) - {agent}:
                yield from _tell(team, agent, *acted)


def _act(team: Team[TurnAgentEnv], agent: int) -> Asking[tuple[Ask, str] | None]:
    """Ask an agent until it calls a tool; return what it was asked last with its answer, or None if it never calls."""
    ask = _ask(team, agent)
    for thoughts in range(1, team.rules.thoughts + 2):
        (text,) = yield [ask]
        call = read_call(text, ask.tools or _tools(team, agent))
        if isinstance(call, ToolCall):
            _carry_out(team, agent, call)
            return ask, text
        team.note(agent, f"its answer {call.why}")
        if thoughts <= team.rules.thoughts:
            texts = {"why": call.why, "thoughts": str(thoughts), "most_thoughts": str(team.rules.thoughts)}
            form = partial(_call_form, team, agent)
            ask = _with_tools(team, _go_on(team, ask, text, "again", "turns_again", form, **texts))
    return None


def _carry_out(team: Team[TurnAgentEnv], agent: int, call: ToolCall) -> None:
    """Do what was called; a call that means nothing takes the turn too."""
    env = team.env
    if call.others:
        team.note(agent, f"its answer has {call.others + 1} calls; the first one counts")
    choice = env.call(agent, call.name, call.arguments)
    if isinstance(choice, str):
        team.begin(agent, Choice(0, (), call.words), "refused")
        words, refused = choice, True
    else:
        team.begin(agent, choice, "call")
        outcome = env.outcome(agent)
        words, refused = outcome.words, outcome.refused
    if refused:
        team.refusals.append((env.tick, agent, f"`{call.words}`: {words}"))
        team.note(agent, f"`{call.words}` is refused: {words}")
    team.effects[agent].append((env.tick, f"{call.words}: {'refused: ' if refused else ''}{words}"))


def _tell(team: Team[TurnAgentEnv], agent: int, ask: Ask, text: str) -> Asking[None]:
    """Ask an agent for its message, and put it into the channel of all others, unless it has nothing to say."""
    texts = {
        "effect": team.effects[agent][-1][1],
        "situation": team.env.situation(agent),
        "or_nothing": "" if team.rules.published else _OR_NOTHING,
        "shared": _SHARED if team.env.talk.shared else _OWN_VIEW,
        "content": _INTENT if agent in team.env.living() else _FAREWELL,
    }
    (said,) = yield [_go_on(team, ask, text, "message", "turns_message", _message_form, **texts)]
    message = read_message(said)
    if message == SILENCE and not team.rules.published:
        return
    if isinstance(message, Malformed):
        team.note(agent, f"its message {message.why}; nothing is sent")
        return
    mail = team.send(agent, None, message)
    team.told[agent][team.env.tick] = message
    for other in range(len(team.chats)):
        if other != agent:
            team.chats[other].append(mail)


def read_message(text: str) -> str | Malformed:
    """Return a message without its prefix: the rest of the answer after the first `communicate:`, or all of it.

    An answer that says in one of several forms that there is no message is read as `SILENCE`.
    """
    if len(text) > LONGEST_ANSWER:
        return Malformed(f"is too long: {len(text):,} characters, and at most {LONGEST_ANSWER:,} are read")
    said = spoken(clean(text))
    at = said.lower().find(PREFIX)
    message = one_line(said if at < 0 else said[at + len(PREFIX) :])
    if message.strip("().<>*`\"' ").lower() in (SILENCE, "none", "no message"):
        return SILENCE
    return message or Malformed("is empty")


def _expire(team: Team[TurnAgentEnv], sender: int) -> None:
    """Delete the expired messages of an agent whose turn comes, or would come if it still acted."""
    name, expiry = team.name(sender), team.env.talk.expiry
    if expiry is not None:
        for chat in team.chats:
            chat[:] = [mail for mail in chat if mail.sender != name or team.step - mail.step < expiry]


def _ask(team: Team[TurnAgentEnv], agent: int) -> Ask:
    """Return the call with which a turn begins; the environment is looked at now, after the turns before."""
    env = team.env
    alone = not set(env.living()) - {agent}
    texts = {
        "view": env.observe(agent).view,
        "effects": "\n".join(_past(team, agent)) or ("" if env.talk.memory == 0 else NO_TEXT),
        "knowledge": _ALONE if alone else _MUTE if env.talk.expiry == 0 else _TALKING,
        "manual": "\n".join(tool.line() for tool in _tools(team, agent)) if team.rules.by_text else "",
    }
    if alone or env.talk.expiry == 0:  # the message of an agent that has just ended its mission may still be there
        texts["messages"] = "\n".join(mail.line() for mail in team.chats[agent])
    texts["expiry"] = _expiry(env.talk.expiry) if texts.get("messages", NO_TEXT) else ""
    ask = team.ask(
        agent, "act", "turns_act", 0.0, partial(_call_form, team, agent), **texts, calling=_calling(team, agent)
    )
    return _with_tools(team, ask)


def _expiry(turns: int | None) -> str:
    """Say how long messages are shown."""
    return _NO_EXPIRY if turns is None else _NEXT_TURN if turns == 1 else _LATER_TURN.format(turns=turns)


def _past(team: Team[TurnAgentEnv], agent: int) -> Iterator[str]:
    """Say what an agent did in its latest turns, and in short what it told the others; the latter is ours."""
    memory, turns = team.env.talk.memory, team.effects[agent]
    for tick, words in turns if memory is None else turns[max(0, len(turns) - memory) :]:
        said = "" if team.rules.published else team.told[agent].get(tick, "")
        short = said if len(said) <= LONGEST_MEMORY else f"{said[:LONGEST_MEMORY].rstrip()} ..."
        yield f"- step {tick + 1}: {words}" + (f'; you told the others: "{short}"' if said else "")


def _call_form(team: Team[TurnAgentEnv], agent: int) -> Form:
    offers = [Offer(call) for call in team.env.calls(agent)]
    return (Field(name=TEXT_CALL, words="Your action", offers=offers, empty=None),)


def _message_form() -> Form:
    nothing = f"{PREFIX} {SILENCE}"
    return (Field(name="message", words="Your message to the others", empty=nothing, tagged=False),)


def _go_on(
    team: Team[TurnAgentEnv], ask: Ask, text: str, purpose: str, prompt: str, form: Callable[[], Form], **texts: str
) -> Ask:
    """Return a call that continues a turn's conversation after an answer."""
    calling = _calling(team, ask.agent)
    return team.ask(ask.agent, purpose, prompt, ask.temperature, form, **texts, calling=calling).after(ask, text)


def _with_tools(team: Team[TurnAgentEnv], ask: Ask) -> Ask:
    tools = () if team.rules.by_text else _tools(team, ask.agent)
    return replace(ask, tools=tools)


def _tools(team: Team[TurnAgentEnv], agent: int) -> tuple[Tool, ...]:
    """Return the actions of an agent's type as tools; doing nothing is none."""
    options = team.env.options(team.kind(agent), team.single)
    return tuple(Tool(each.name, each.words, each.values) for each in options if each.number)


def _calling(team: Team[TurnAgentEnv], agent: int) -> str:
    return (_BY_TEXT if team.rules.by_text else _EITHER).format(example=team.env.example(agent))


def lines(team: Team[TurnAgentEnv], rows: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return what the agents thought, did and said as lines of a recording, turn by turn."""
    found = []
    for row in rows[:-1]:
        step = int(row["step"])
        for agent, seat in enumerate(team.env.seats):
            thoughts = [call for call in row["asked"] if call["agent"] == seat.name and call["purpose"] != "message"]
            said = [without_calls(call["text"]) for call in thoughts]
            found += [Line(step, agent, LineKind.THOUGHT, text) for text in said if text]
            refused = any((tick + 1, who) == (step, agent) for tick, who, _ in team.refusals)
            kind = LineKind.PROBLEM if refused else LineKind.ACT
            found += [Line(step, agent, kind, words) for tick, words in team.effects[agent] if tick + 1 == step]
            sent = [mail["text"] for mail in row["mail"] if mail["sender"] == seat.name]
            found += [Line(step, agent, LineKind.SAY, text) for text in sent]
    return found


FRAMEWORK = Framework(
    "turns",
    "Turns",
    "One agent after another calls a tool, and tells all others what it does.",
    True,
    step,
    lambda rules, living, idle: 2 * living,
    lines,
)


def silent(name: str, about: str, choose: Callable[[TurnEnv, int], Choice], seat: str = "") -> Framework[TurnEnv]:
    """Return a framework of agents that follow a policy, without a word, and without a call but for one seat.

    Args:
        name: Of the framework.
        about: What the agents do, in a sentence.
        choose: Returns the action of an agent whose turn it is.
        seat: Name of an agent that is asked for its action instead; empty: none is.
    """

    def act(team: Team[TurnEnv]) -> Asking[None]:
        for agent in team.living:
            if team.name(agent) == seat:
                if agent in team.env.living() and not team.env.settled and not (yield from _act(team, agent)):
                    team.env.halt(agent)
                    return
            elif agent in team.env.living():
                choice = choose(team.env, agent)
                team.begin(agent, choice, "line")
                outcome = team.env.outcome(agent)
                team.effects[agent].append((team.env.tick, f"{choice.words}: {outcome.words}"))
        yield from ()

    return Framework(name, name.capitalize(), about, True, act, lambda *_: 0, lines)
