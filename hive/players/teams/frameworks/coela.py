"""COELA: every idle agent writes a message, then either sends it or acts (docs/rules/teams.md 6)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hive.kit.agent_env import AgentEnv, Choice
from hive.players.llm.forms import Field, Form, Offer
from hive.players.teams.execution import action_field, execute
from hive.players.teams.frameworks.framework import Framework, perceptions, translations
from hive.players.teams.mail import keep_latest, keep_oldest
from hive.players.teams.perception import Asking, perceive
from hive.players.teams.rules import TeamRules
from hive.players.teams.slots import NO_TEXT, SEND
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Team


def step(team: Team[AgentEnv]) -> Asking[None]:
    """Each idle agent in turn writes a message and chooses; messages are read at once, actions are translated last."""
    yield from perceive(team)
    actions = {}
    for agent in team.living:
        if agent in team.doing:
            continue
        message = yield from _write(team, agent)
        (text,) = yield [
            team.ask(agent, "choose", "coela_choose", form=partial(_choice_form, team, agent, message), message=message)
        ]
        answer = read_tags(text, ("action",))
        if isinstance(answer, Malformed):
            team.idle(agent, f"its choice {answer.why}")
        elif not _sends(answer["action"]):
            actions[agent] = answer["action"]
        elif message == NO_TEXT:
            team.idle(agent, "it sends a message and has none")
        else:
            _send(team, agent, message)
    yield from execute(team, actions)


def _write(team: Team[AgentEnv], agent: int) -> Asking[str]:
    """Return the message that an agent may send."""
    (text,) = yield [team.ask(agent, "message", "coela_message", form=_message_form)]
    answer = read_tags(text, ("message",))
    if isinstance(answer, Malformed):
        team.note(agent, f"its message {answer.why}; it has none to send")
        return NO_TEXT
    return answer["message"]


def _message_form() -> Form:
    return (Field(name="message", words="A message that you may send in place of acting"),)


def _choice_form(team: Team[AgentEnv], agent: int, message: str) -> Form:
    action = action_field(team, agent)
    send = [] if message == NO_TEXT else [Offer(SEND, "send the message")]
    return (replace(action, offers=[*send, *action.offers]),)


def _sends(action: str) -> bool:
    return SEND in action.upper().replace("_", " ")


def _send(team: Team[AgentEnv], agent: int, message: str) -> None:
    """Add a message to the chat of every living agent; sending takes the step."""
    mail = team.send(agent, None, message)
    keep = keep_oldest if team.rules.quirks.keeps_oldest else keep_latest
    for each in team.living:
        team.chats[each].append(mail)
        keep(team.chats[each], team.rules.chat)
    team.begin(agent, Choice(0, (), f"{SEND}: {message}"), "sent")


def _calls(rules: TeamRules, living: int, idle: int) -> int:
    return perceptions(rules, living) + 2 * idle + translations(rules, idle)


FRAMEWORK = Framework("coela", "COELA", "Every idle agent sends a message to all, or acts.", False, step, _calls)
