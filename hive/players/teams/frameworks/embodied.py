"""Embodied: rounds of talks before every step, then every agent acts on its own (docs/rules/teams.md 7)."""

from __future__ import annotations

from functools import partial

from hive.kit.agent_env import AgentEnv
from hive.players.llm.forms import Field, Form
from hive.players.teams.execution import action_form, execute
from hive.players.teams.frameworks.framework import Framework, perceptions, translations
from hive.players.teams.mail import ALL, Mail, drop_old
from hive.players.teams.perception import Asking, perceive
from hive.players.teams.rules import TeamRules
from hive.players.teams.slots import NO_TEXT
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Team

_GLOBAL = "GLOBAL"


def step(team: Team[AgentEnv]) -> Asking[None]:
    """Old messages are dropped, agents talk in rounds, and all that can choose act at the same time."""
    for chat in team.chats:
        drop_old(chat, team.step, team.rules.life)
    yield from perceive(team)
    free = team.free()
    if not free:
        return
    for number in range(1, team.rules.talks + 1):
        for agent in free:
            yield from _communicate(team, agent, number)
    texts = yield [
        team.ask(agent, "act", "embodied_act", form=partial(action_form, team, agent), messages=_threads(team, agent))
        for agent in free
    ]
    actions = {}
    for agent, text in zip(free, texts, strict=True):
        answer = read_tags(text, ("action",))
        if isinstance(answer, Malformed):
            team.idle(agent, f"its choice {answer.why}")
        else:
            actions[agent] = answer["action"]
    yield from execute(team, actions)


def _communicate(team: Team[AgentEnv], agent: int, number: int) -> Asking[None]:
    """One agent writes to single agents or to all; messages are delivered at once."""
    others = [each for each in team.living if each != agent]
    texts = {"round": str(number), "rounds": str(team.rules.talks), "messages": _threads(team, agent)}
    form = partial(_message_form, [team.name(other) for other in others])
    (text,) = yield [team.ask(agent, "communicate", "embodied_communicate", 0.0, form, **texts)]
    answer = read_tags(text, (), (*map(team.name, others), _GLOBAL))
    if isinstance(answer, Malformed):
        team.note(agent, f"its message {answer.why}; nothing is delivered")
        return
    for other in others:
        if team.name(other) in answer:
            _deliver(team, team.send(agent, other, answer[team.name(other)]), (agent, other))
    if _GLOBAL in answer:
        _deliver(team, team.send(agent, None, answer[_GLOBAL]), team.living)


def _message_form(others: list[str]) -> Form:
    all_others = Field(name=_GLOBAL, words="Your message to all")
    return (all_others, *(Field(name=name, words=f"Your message to {name}", aside=True) for name in others))


def _deliver(team: Team[AgentEnv], mail: Mail, agents: tuple[int, ...]) -> None:
    for agent in agents:
        team.chats[agent].append(mail)


def _threads(team: Team[AgentEnv], agent: int) -> str:
    """Return an agent's messages: a thread for each other agent, and that of all."""
    me, threads = team.name(agent), dict[str, list[str]]()
    for mail in team.chats[agent]:
        other = _GLOBAL if mail.to == ALL else mail.to if mail.sender == me else mail.sender
        threads.setdefault(other, []).append(mail.line())
    return "\n".join(f"## {other}\n" + "\n".join(threads[other]) for other in sorted(threads)) or NO_TEXT


def _calls(rules: TeamRules, living: int, idle: int) -> int:
    return perceptions(rules, living) + living * (rules.talks + 1) + translations(rules, living)


FRAMEWORK = Framework("embodied", "Embodied", "All agents talk in rounds before every step.", True, step, _calls)
