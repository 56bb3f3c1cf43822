"""The slots of prompts as texts: what an agent knows of its team at this moment."""

from __future__ import annotations

from collections.abc import Mapping

from hive.kit.agent_env import AgentEnv, Option
from hive.players.teams.roster import Roster

SEND = "SEND MESSAGE"
"""The choice of sending a message in place of acting."""

NO_TEXT = "(none)"
"""What an empty section holds."""


class Slots(dict[str, str]):
    """Texts of slots by name; those that were not given are made by the method of their name when a prompt asks.

    Texts that an agent wrote are one line each, so none of them can begin a section.
    """

    def __init__(self, team: Roster[AgentEnv], agent: int, texts: Mapping[str, str]) -> None:
        """Fill slots for an agent.

        Args:
            team: Its team.
            agent: Its number, or `PLANNER`.
            texts: Slots that depend on the call, such as `proposal`.
        """
        super().__init__(texts)
        self._team, self._agent, self._env = team, agent, team.env

    def __missing__(self, slot: str) -> str:
        """Make a text."""
        text: str = getattr(self, slot)()
        return text

    def name(self) -> str:
        """Name of the agent."""
        return self._team.name(self._agent)

    def a_kind(self) -> str:
        """Its type with an article."""
        kind = self._team.kind(self._agent)
        return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"

    def role(self) -> str:
        """What its type is."""
        return self._env.roles[self._team.kind(self._agent)]

    def task(self) -> str:
        """The task."""
        return self._env.task

    def step(self) -> str:
        """Number of the step, from 1."""
        return str(self._team.step)

    def limit(self) -> str:
        """Most steps."""
        return str(self._team.limit)

    def leader(self) -> str:
        """Name of the leader."""
        return self._team.name(self._team.leader)

    def team(self) -> str:
        """Living agents by type."""
        rows: dict[str, list[str]] = {}
        for agent in self._team.living:
            mark = " (you)" if agent == self._agent else ""
            rows.setdefault(self._team.kind(agent), []).append(self._team.name(agent) + mark)
        return "\n".join(f"- {kind}: {', '.join(names)}. {self._env.roles[kind]}" for kind, names in rows.items())

    def mates(self) -> str:
        """Names of the other living agents."""
        living = self._env.living()  # an agent may leave within a step
        mates = [self._team.name(agent) for agent in self._team.living if agent != self._agent and agent in living]
        return ", ".join(mates) or "none"

    def free(self) -> str:
        """Names of the agents that can choose an action."""
        return ", ".join(map(self._team.name, self._team.free()))

    def perception(self) -> str:
        """Where the agent is and what it sees."""
        return f"You are at {self._team.observations[self._agent].place}. {self._team.perceptions[self._agent]}"

    def states(self) -> str:
        """Place, perception, action and history of every living agent."""
        return "\n".join(map(self._state, self._team.living))

    def views(self) -> str:
        """Place and perception of every living agent, and what those do that cannot choose now."""
        return "\n".join(map(self._view, self._team.living))

    def messages(self) -> str:
        """The messages that the agent remembers."""
        return "\n".join(mail.line() for mail in self._team.chats[self._agent]) or NO_TEXT

    def history(self) -> str:
        """What the agent did."""
        return "\n".join(f"- {action.line()}" for action in self._team.histories[self._agent]) or NO_TEXT

    def actions(self) -> str:
        """The actions of the agent's type."""
        return self._list(self._team.kind(self._agent))

    def actions_or_send(self) -> str:
        """The same, and sending the message, if there is one."""
        send = f"\n- {SEND}: send the message above to the group chat and do nothing else in this step"
        return self.actions() + ("" if self["message"] == NO_TEXT else send)

    def team_actions(self) -> str:
        """The actions of every type of the team."""
        kinds = dict.fromkeys(map(self._team.kind, self._team.living))
        return "\n".join(map(self._list, kinds))

    def numbered_actions(self) -> str:
        """The actions of the agent's type with numbers and parameters."""
        kind = self._team.kind(self._agent)
        options = self._env.options(kind, self._team.single)
        return "\n".join([f"## {kind}", *map(_numbered, options)])

    def _list(self, kind: str) -> str:
        options = self._env.options(kind, self._team.single)
        return "\n".join([f"## {kind}", *(f"- {option.example}: {option.words}" for option in options)])

    def _view(self, agent: int) -> str:
        team = self._team
        head = f"## {team.name(agent)}, {team.kind(agent)}, at {team.observations[agent].place}"
        bound = self._env.bound(agent)
        rows = [head, f"Sees: {team.perceptions[agent]}", *([f"Does: {bound}; it cannot choose"] if bound else [])]
        return "\n".join(rows)

    def _state(self, agent: int) -> str:
        team = self._team
        now = team.doing[agent].words if agent in team.doing else "IDLE"
        past = "; ".join(action.line() for action in team.histories[agent]) or "nothing yet"
        row = self._view(agent).split("\nDoes: ")[0]
        return f"{row}\nDoes: {now}\nDid: {past}"


def _numbered(option: Option) -> str:
    parameters = "".join(f"; param_{place} = {value}" for place, value in enumerate(option.values, 1))
    return f"- type {option.number}: {option.name}{parameters}; example: {option.example}; {option.words}"
