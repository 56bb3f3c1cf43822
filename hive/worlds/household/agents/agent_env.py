"""One episode of housework as its agents know it; see `hive.kit.agent_env.ProposalAgentEnv`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from dsl import UserError
from hive.kit.agent_env import IDLE, Choice, Observation, Option, Proposal, Seat
from hive.kit.prompts import Prompt, read_prompt
from hive.worlds.household import options
from hive.worlds.household.agents.telling import Names, Told, read_message
from hive.worlds.household.codes import AGENTS, DELIVERED, HELD, INSIDE, OBJECTS, OptionStatus
from hive.worlds.household.episode import AGENT_NAMES, HouseholdEpisode
from hive.worlds.household.state import State
from hive.worlds.household.texts import LONGEST, Texts, held, proposals
from hive.worlds.household.utility.exploring import told

VERSION = 2  # of the words that agents read
KIND = "helper"
SENT = "send message"
"""Beginning of the words of a choice that sends a message."""

LONGEST_WAIT = 10
"""Most steps of a wait that an agent chooses."""

Estimate = Callable[[Sequence[str], Sequence[str]], Float[np.ndarray, " m"]]
"""Estimates ticks from observations and options as texts, one of each for every number."""


def words() -> Prompt:
    """Return the words that agents read."""
    return read_prompt("hive.worlds.household.agents", VERSION)


class HouseAgentEnv:
    """One episode.

    Attributes:
        episode: What is played.
        state: The household now, on the host.
        chosen: Option that each agent begins in the next tick.
        told: What each agent says in a message that it begins to send.
        ended: How many options ended as each `OptionStatus`.
        breaks: For each agent why options were abandoned, by their last tick.
        rests: For each agent that waits the tick at which that ends, and what it knew when it began.
    """

    def __init__(
        self,
        episode: HouseholdEpisode,
        agents: int,
        seed: int,
        estimate: Estimate | None = None,
        exact: bool = False,
        tips: str = "",
    ) -> None:
        """Begin an episode; `look` has to follow.

        Args:
            episode: What is played.
            agents: Number of agents.
            seed: Seed of everything random.
            estimate: Estimates the ticks of proposals from texts.
            exact: Whether proposals have their true ticks in place of estimates.
            tips: The shared list with which the team begins.
        """
        self.episode, self.seed, self.tips = episode, seed, tips
        self._estimate, self._exact, self._count = estimate, exact, agents
        self.name, self.limit, self.longest = f"household/{episode.name}", episode.limit, LONGEST
        self.texts = Texts(episode)
        self.task = " ".join(words().fill("Task", goal=self.texts.goal()).split())
        self.seats = tuple(Seat(name, KIND) for name in AGENT_NAMES[:agents])
        self.roles: Mapping[str, str] = words().table("Roles")
        self.names = Names(self.texts)
        self.chosen: dict[int, int] = {}
        self.told: dict[int, Told] = {}
        self.ended = dict.fromkeys(OptionStatus, 0)
        self.breaks: list[dict[int, str]] = [{} for _ in range(agents)]
        self.rests: dict[int, tuple[int, str]] = {}
        self.state: State
        self._legal: NDArray[np.bool_]
        self._cost: NDArray[np.integer]

    @property
    def tick(self) -> int:
        """Ticks so far."""
        return int(self.state.clock)

    @property
    def score(self) -> float:
        """Objects of the goal that are where they are wanted."""
        goal, kinds = (self.episode.goal_place, DELIVERED), [thing.kind for thing in self.episode.things]
        there = [kind for kind, place in zip(kinds, self.state.place, strict=False) if place in goal]
        return float(sum(min(there.count(kind), count) for kind, count in self.episode.goals))

    @property
    def over(self) -> bool:
        """Whether the goal is met or the time is over."""
        return bool(self.state.finished) or self.tick >= self.limit

    def living(self) -> tuple[int, ...]:
        """All agents."""
        return tuple(range(self._count))

    def observe(self, agent: int) -> Observation:
        """Return what an agent knows now; its `view` is the progress of the task."""
        progress = self.texts.briefing(self.state, agent)
        role = f"You tell {self.seats[agent].name} in one paragraph what it knows."
        return Observation(role, progress, progress, self.texts.room(int(self.state.room[agent])))

    def bound(self, agent: int) -> str | None:
        """None: an agent can always choose when it is free."""
        return None

    def options(self, kind: str, single: bool) -> tuple[Option, ...]:
        """Return every action that names a thing of the episode.

        Raises:
            UserError: Actions of a single tick are asked for.
        """
        if single:
            raise UserError(
                "an action in a household runs until it is done, and this framework wants one in every step\n"
                "  = help: use a framework whose agents may be busy, such as LIET, COELA or RoCo"
            )
        found = [Option(0, IDLE.words, (), "stay for one step", IDLE.words)]
        return tuple([*found, *(Option(number + 1, name, (), "", name) for name, number in self.names.options.items())])

    def proposals(self, agent: int) -> tuple[Proposal, ...]:
        """Return the options of an agent that begin now, with the ticks that they are estimated to take."""
        every = proposals(self._legal[agent], self.texts.transport)
        offered = [option for option in every if option not in (options.SEND, options.WAIT)]
        texts = [self.option(agent, option) for option in offered]
        ticks: Sequence[float | None] = [None] * len(offered)
        if self._exact:
            ticks = [float(self._cost[agent, option]) for option in offered]
        elif self._estimate is not None and offered:
            observation = told(self.texts, self.state, agent)
            ticks = [float(each) for each in self._estimate([observation] * len(texts), texts)]
        return tuple(
            Proposal(Choice(option + 1, (), text), steps)
            for option, text, steps in zip(offered, texts, ticks, strict=True)
        )

    @property
    def wait(self) -> Choice:
        """Waiting until something is seen or heard."""
        return Choice(options.WAIT + 1, (), words().fill("Wait", steps=LONGEST_WAIT))

    def waiting(self, agent: int) -> Proposal | None:
        """Return the proposal to wait for several ticks; None where both hands are full and only putting is legal."""
        return Proposal(self.wait) if self._legal[agent, options.WAIT] else None

    def forced(self, agent: int) -> Choice | None:
        """Going on with a wait; putting things down, with both hands full; waiting, where nothing is left to do."""
        if self._rests(agent):
            return self.wait
        left = set(proposals(self._legal[agent])) - {options.SEND}
        full = len(held(self.state, agent)) == self.state.hands.shape[1]
        if left <= {options.WAIT} or (left == {options.PUT} and full):
            option = options.PUT if full and left else options.WAIT
            return Choice(option + 1, (), self.option(agent, option))
        return None

    def cancelled(self, agent: int) -> Mapping[int, str]:
        """Return why options of an agent were abandoned, by the last tick of each."""
        return self.breaks[agent]

    def sending(self, agent: int, text: str) -> Choice:
        """Return the option of sending a message to all others."""
        return Choice(options.SEND + 1, (), f"{SENT}: {text}")

    def report(self, agent: int) -> str:
        """What an agent knows as a message: objects that it found, and where it is."""
        know, kinds = self.state.beliefs, {kind for kind, _ in self.episode.goals}
        found = [
            f"{self.texts.thing(number)} {self._where(int(know.place[agent, number]))}"
            for number, thing in enumerate(self.episode.things)
            if thing.kind in kinds
            and 0 <= know.place[agent, number] < HELD
            and know.place[agent, number] != self.episode.goal_place
        ]
        return words().fill(
            "Report",
            room=self.texts.room(int(self.state.room[agent])),
            found=", ".join(found) or "nothing",
            held=", ".join(map(self.texts.thing, held(self.state, agent))) or "nothing",
        )

    def meets(self, agent: int, other: int) -> bool:
        """Whether two agents are in one room."""
        return bool(self.state.room[agent] == self.state.room[other])

    def check(self, agent: int, choice: Choice, single: bool) -> str | None:
        """Return why an option is not legal now, in a sentence, or None."""
        option = choice.number - 1
        if choice.number == 0:
            return None
        if not 0 <= option < self._legal.shape[1]:
            return f"there is no action {choice.number}"
        return None if self._legal[agent, option] else words().table("Illegal")[options.kind_of(option)[0].name.lower()]

    def begin(self, agent: int, choice: Choice, single: bool) -> None:
        """Give an agent an option from the next tick on.

        Raises:
            ValueError: `check` refuses the option.
        """
        if wrong := self.check(agent, choice, single):
            raise ValueError(wrong)
        self.chosen[agent] = max(choice.number - 1, options.WAIT)
        if choice != self.wait:
            self.rests.pop(agent, None)
        elif agent not in self.rests:
            self.rests[agent] = self.tick + LONGEST_WAIT, self.texts.progress(self.state, agent)
        if self.chosen[agent] == options.SEND:
            self.told[agent] = read_message(choice.words.removeprefix(f"{SENT}: "), self.names)

    def busy(self, agent: int) -> bool:
        """Whether an agent's option goes on."""
        return agent in self.chosen or bool(self.state.busy[agent])

    def option(self, agent: int, option: int) -> str:
        """Return an option in the words of an agent."""
        return self.texts.option(option, held(self.state, agent))

    def look(self, state: State, legal: NDArray[np.bool_], cost: NDArray[np.integer]) -> None:
        """Take the household as it is now, with the options `[N, O]` that are legal in it and what they cost.

        Arrays have no axis of episodes; those of the state are as in `hive.worlds.household.state.State`.
        """
        if hasattr(self, "state") and state.clock > self.state.clock:
            for agent in self.living():
                self.ended[OptionStatus(int(state.result[agent]))] += int(not state.busy[agent])
                if not state.busy[agent] and state.result[agent] == OptionStatus.ABANDONED:
                    self.breaks[agent][int(state.clock)] = self._break(state, agent)
        self.state, self._legal, self._cost = state, legal, cost
        self.chosen, self.told = {}, {}

    def facts(self) -> dict[str, Any]:
        """Return how the episode stands, for its result file."""
        return {
            "episode": self.episode.name,
            "agents": self._count,
            "seed": self.seed,
            "finished": bool(self.state.finished),
            "ticks": self.tick,
            "limit": self.limit,
            "placed": int(self.score),
            "wanted": self.episode.wanted,
            "abandoned": self.ended[OptionStatus.ABANDONED],
        }

    def _rests(self, agent: int) -> bool:
        """Whether an agent goes on with a wait: its time is not over, and it saw and heard nothing since it began."""
        until, known = self.rests.get(agent, (0, ""))
        heard = any(self.state.sent[other] for other in self.living() if other != agent)
        rests = self.tick < until and not heard and self.texts.progress(self.state, agent) == known
        if not rests:
            self.rests.pop(agent, None)
        return rests

    def _break(self, state: State, agent: int) -> str:
        """Say why the option of an agent was abandoned in the last tick."""
        kind, thing = options.kind_of(int(state.option[agent]))
        why = words().table("Cancelled")
        if kind is not options.OptionKind.GRAB:
            return why["goto"]
        place = int(state.beliefs.place[agent, thing])
        if HELD <= place < HELD + AGENTS:
            return f"{AGENT_NAMES[place - HELD]} {why['held']}"
        if INSIDE <= place < INSIDE + OBJECTS:
            return f"{why['inside']} {self.texts.thing(place - INSIDE)}"
        return why["delivered" if place == DELIVERED else "missing"]

    def _where(self, place: int) -> str:
        furniture = self.episode.apartment.receptacles
        if place >= len(furniture):
            return "on the floor"
        return f"{'in' if furniture[place].closes else 'on'} {self.texts.furniture(place)}"
