"""CAMON: a leader plans and reviews, and whichever agent has just proposed leads next (docs/rules/teams.md 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from hive.kit.agent_env import AgentEnv
from hive.players.llm.forms import Field, Form, Offer
from hive.players.teams.execution import action_field, action_form, execute
from hive.players.teams.frameworks.framework import Framework, perceptions, translations
from hive.players.teams.perception import Asking, perceive
from hive.players.teams.rules import TeamRules
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Team

_RELEASED_TEMPERATURE = 0.7


def step(team: Team[AgentEnv]) -> Asking[None]:
    """Each idle agent in turn: the leader plans, another proposes to the leader and then leads itself."""
    yield from perceive(team)
    for agent in team.living:
        if agent in team.doing:
            continue
        if agent == team.leader:
            yield from _plan(team)
        else:
            yield from _propose(team, agent)


def _plan(team: Team[AgentEnv]) -> Asking[None]:
    """The leader chooses an action for itself, and may replace those of others."""
    leader, temperature = team.leader, _temperature(team)
    (text,) = yield [team.ask(leader, "plan", "camon_plan", temperature, partial(_plan_form, team))]
    answer = read_tags(text, ("action",), _assignable(team, leader))
    if isinstance(answer, Malformed):
        team.idle(leader, f"its plan {answer.why}")
        return
    yield from execute(team, {leader: answer["action"]} | _assigned(team, leader, answer), temperature)


def _propose(team: Team[AgentEnv], agent: int) -> Asking[None]:
    """An agent proposes an action, the leader reviews it, and the agent becomes the leader at once."""
    temperature = _temperature(team)
    (text,) = yield [team.ask(agent, "propose", "camon_propose", temperature, partial(action_form, team, agent))]
    proposed = read_tags(text, ("action",))
    if isinstance(proposed, Malformed):
        team.idle(agent, f"its proposal {proposed.why}")
        return
    leader, proposal = team.leader, proposed["action"]
    texts = {"proposer": team.name(agent), "proposal": proposal}
    (text,) = yield [
        team.ask(leader, "review", "camon_review", temperature, partial(_review_form, team, agent), **texts)
    ]
    team.leader = agent
    if team.rules.quirks.review_ignored:
        yield from execute(team, {agent: proposal}, temperature)
        return
    review = _review(team, leader, agent, text)
    if isinstance(review, Malformed):
        team.idle(agent, f"the review of {team.name(leader)} {review.why}")
        return
    if "message" in review:
        _tell(team, leader, agent, review["message"])
    action = proposal if review["decision"] == "ACCEPT" else review["action"]
    yield from execute(team, {agent: action} | _assigned(team, leader, review), temperature)


def _review(team: Team[AgentEnv], leader: int, agent: int, text: str) -> dict[str, str] | Malformed:
    review = read_tags(text, ("decision",), ("action", "message", *_assignable(team, leader, agent)))
    if isinstance(review, Malformed):
        return review
    said = [word for word in ("ACCEPT", "REJECT") if word in review["decision"].upper()]
    if len(said) != 1:
        return Malformed("says neither ACCEPT nor REJECT" if not said else "says both ACCEPT and REJECT")
    if said == ["REJECT"] and "action" not in review:
        return Malformed("rejects the proposal and names no other action")
    return review | {"decision": said[0]}


def _plan_form(team: Team[AgentEnv]) -> Form:
    return (action_field(team, team.leader), *_orders(team, team.leader))


def _review_form(team: Team[AgentEnv], agent: int) -> Form:
    decision = Field(
        name="decision",
        words="Your decision",
        offers=[Offer("ACCEPT"), Offer("REJECT", "REJECT, with the action below", does="write")],
        empty=None,
        written=False,
    )
    action = replace(action_field(team, agent, words=f"What {team.name(agent)} does instead"), empty="")
    action = replace(action, offers=[replace(offer, does="write") for offer in action.offers])
    message = Field(name="message", words=f"Your message to {team.name(agent)}")
    return (decision, action, message, *_orders(team, team.leader, agent))


def _orders(team: Team[AgentEnv], *without: int) -> list[Field]:
    """Return the fields that assign actions to other agents."""
    fields = []
    for agent in team.living:
        if agent not in without and not team.bound(agent):
            name = team.name(agent)
            action = action_field(team, agent, f"{name}-action", f"Another action of {name}, with a message")
            offers = [replace(offer, does="write") for offer in action.offers]
            fields.append(replace(action, offers=offers, empty="", aside=True))
            fields.append(Field(name=f"{name}-message", words=f"Why, for {name}", aside=True))
    return fields


def _assignable(team: Team[AgentEnv], *without: int) -> list[str]:
    """Return the tags that assign actions to other agents."""
    others = [team.name(agent) for agent in team.living if agent not in without]
    return [f"{name}-{part}" for name in others for part in ("action", "message")]


def _assigned(team: Team[AgentEnv], leader: int, answer: Mapping[str, str]) -> dict[int, str]:
    """Return the actions that a leader assigns, and deliver the messages that come with them.

    A person is told the message, and then proposes an action as if none had been assigned.
    """
    actions = {}
    for agent in team.living:
        action, message = (answer.get(f"{team.name(agent)}-{part}") for part in ("action", "message"))
        if action and message and not team.bound(agent):
            _tell(team, leader, agent, message)
            if team.name(agent) != team.rules.seat:
                actions[agent] = action
        elif action or message:
            why = "it cannot choose an action now" if team.bound(agent) else "it needs an action and a message"
            team.note(agent, f"the assignment of {team.name(leader)} is not applied: {why}")
    return actions


def _tell(team: Team[AgentEnv], leader: int, agent: int, text: str) -> None:
    team.chats[agent].append(team.send(leader, agent, text))


def _temperature(team: Team[AgentEnv]) -> float:
    return _RELEASED_TEMPERATURE if team.rules.quirks.released_temperature else 0.0


def _calls(rules: TeamRules, living: int, idle: int) -> int:
    return perceptions(rules, living) + min(idle, 1) + 2 * max(idle - 1, 0) + translations(rules, idle)


FRAMEWORK = Framework(
    "camon", "CAMON", "A leader plans and reviews; the agent that proposed last leads next.", False, step, _calls
)
