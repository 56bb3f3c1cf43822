"""One rescue as its agents know it, whose actions take effect at once; see `hive.kit.agent_env.TurnAgentEnv`."""

from __future__ import annotations

from collections.abc import Mapping

import jax
import numpy as np

from hive.kit.agent_env import IDLE, ActionOutcome, Choice, Observation, Option, Seat
from hive.worlds.rescue.agents.beliefs import first_beliefs, looked
from hive.worlds.rescue.agents.shown import BELIEVED, DEFAULT, Shown
from hive.worlds.rescue.agents.views import (
    HIDDEN,
    AgentView,
    VictimView,
    View,
    situation_text,
    task_text,
    view_text,
    words,
)
from hive.worlds.rescue.assembly import make_params
from hive.worlds.rescue.codes import AGENTS, RESOURCES, SENTENCES, Act, Reason, Refusal
from hive.worlds.rescue.dynamics import END_OF_STEP, reset, step
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.state import Params, State

KIND = "rescue agent"
GIVES = tuple(f"give_{kind}" for kind in RESOURCES)
NAVIGATE, GIVE, END, WAIT = 1, 2, 2 + len(GIVES), 3 + len(GIVES)
"""Numbers of the options: to navigate, the first of those that give, to end the mission, and to wait."""


class RescueAgentEnv:
    """One run.

    Attributes:
        instance: What is played.
        params: The same as arrays.
        state: The rescue now, on the host; inside a step between two turns.
        halted: Whether an agent's thoughts have broken the run off.
        deeds: What each agent did in its last turn, and whether that was refused.
    """

    def __init__(self, instance: Instance, seed: int, limit: int, waits: bool = True, shown: Shown = DEFAULT) -> None:
        """Begin a run.

        Args:
            instance: What is played.
            seed: Number of the run; a rescue has no chance in it.
            limit: Most steps.
            waits: Whether the tool `wait` is offered, which the study does not have.
            shown: What agents are shown.
        """
        self.instance, self.seed, self._waits, self._shown = instance, seed, waits, shown
        self.name, self.limit, self.talk = f"rescue/{instance.name}", limit, shown.talk
        self._believes = shown.sight == BELIEVED
        self.task = " ".join(task_text(limit, shown.urgency, self._believes).split())
        self.seats = tuple(Seat(agent.name, KIND) for agent in instance.agents)
        self.roles: Mapping[str, str] = words().table("Roles")
        self.params: Params = make_params(instance, limit=limit)
        self.state: State = jax.device_get(_reset(self.params))
        self.halted = False
        self._beliefs = first_beliefs(instance, self.state)
        self.deeds: list[tuple[str, bool]] = [("", False)] * len(instance.agents)
        self._outcomes: dict[int, ActionOutcome] = {}

    @property
    def tick(self) -> int:
        """Complete steps so far."""
        return int(self.state.step)

    @property
    def score(self) -> float:
        """Victims without a need."""
        return float(sum(self.state.served_at[: len(self.instance.victims)] >= 0))

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return bool(self.state.done)

    @property
    def settled(self) -> bool:
        """Whether every victim is helped."""
        return not self.state.needs.any()

    def living(self) -> tuple[int, ...]:
        """Agents that have not ended their mission; nobody once the run is broken off."""
        if self.halted:
            return ()
        return tuple(agent for agent in range(len(self.instance.agents)) if self.state.active[agent])

    def observe(self, agent: int) -> Observation:
        """Return what an agent perceives now, the turns before its own included."""
        view = view_text(self.view(agent))
        role = f"You tell {self.seats[agent].name}, a {KIND}, in one paragraph what can be seen."
        return Observation(role, view, " ".join(view.split()), self.instance.rooms[int(self.state.position[agent])])

    def situation(self, agent: int) -> str:
        """Return the victims and the agents as an agent sees them now; the rooms stay as they are."""
        return situation_text(self.view(agent))

    def bound(self, agent: int) -> str | None:
        """None: an agent can always choose."""
        return None

    def options(self, kind: str, single: bool) -> tuple[Option, ...]:
        """Return the tools, and 0 for a turn without a valid call."""
        about, near = words().table("Tools"), self.instance.rooms[0]
        gives = [Option(GIVE + kind, name, (), about[name], f"{name}()") for kind, name in enumerate(GIVES)]
        return (
            Option(0, IDLE.words, (), "waste the turn", IDLE.words),
            Option(NAVIGATE, "navigate_to", ("room",), about["navigate_to"], f"navigate_to({near})"),
            *gives,
            Option(END, "end_mission", (), about["end_mission"], "end_mission()"),
            *([Option(WAIT, "wait", (), about["wait"], "wait()")] if self._waits else []),
        )

    def call(self, agent: int, name: str, arguments: Mapping[str, str]) -> Choice | str:
        """Return the action of a tool's call, or what is wrong with the call; any room may be named."""
        tools = {option.name: option for option in self.options(KIND, True) if option.number}
        option = tools.get(name)
        if option is None:
            return f"there is no tool `{name[:80]}`; the tools are {', '.join(tools)}"
        given = list(arguments.values())
        if len(given) != len(option.values):
            return f"{name} takes {'one room' if option.values else 'nothing'}, not {len(given)} arguments"
        if not given:
            return Choice(option.number, (), f"{name}()")
        rooms = {room.lower(): number for number, room in enumerate(self.instance.rooms)}
        room = rooms.get(given[0].lower())
        if room is None:
            return f"there is no room `{given[0][:80]}`"
        return Choice(option.number, (room,), f"{name}({self.instance.rooms[room]})")

    def example(self, agent: int) -> str:
        """Return a move to a room next to the agent's own."""
        near = self.instance.neighbours(int(self.state.position[agent]))
        return f"navigate_to({self.instance.rooms[next(iter(near), 0)]})"

    def calls(self, agent: int) -> list[str]:
        """Return the moves to the next rooms, the supplies that a victim here needs, and what is always possible."""
        here = int(self.state.position[agent])
        needed = [each.needs for each in self.view(agent).victims if each.room == self.instance.rooms[here]]
        units = self.state.supplies[agent]
        found = [f"navigate_to({self.instance.rooms[room]})" for room in self.instance.neighbours(here)]
        found += [
            f"{name}()"
            for kind, (name, resource) in enumerate(zip(GIVES, RESOURCES, strict=True))
            if units[kind] > 0 and any(resource in needs for needs in needed)
        ]
        return [*found, *(["wait()"] if self._waits else []), "end_mission()"]

    def check(self, agent: int, choice: Choice, single: bool) -> str | None:
        """Return why an agent cannot choose an action; one that the world refuses is begun and takes the turn."""
        if not 0 <= choice.number <= (WAIT if self._waits else END) or len(choice.values) != (
            choice.number == NAVIGATE
        ):
            return f"there is no action {choice.number} with {len(choice.values)} values"
        if choice.values and not 0 <= choice.values[0] < len(self.instance.rooms):
            return f"there is no room number {choice.values[0]}"
        return None

    def begin(self, agent: int, choice: Choice, single: bool) -> None:
        """Play an agent's turn at once.

        Raises:
            ValueError: `check` refuses the action.
        """
        if wrong := self.check(agent, choice, single):
            raise ValueError(wrong)
        before, self.state = self.state, self._step(agent, action_of(choice))
        self._beliefs = [
            looked(self.instance, belief, number, before, self.state) for number, belief in enumerate(self._beliefs)
        ]
        self._outcomes[agent] = self._tell(agent, choice, Refusal(int(self.state.refusal[agent])))
        self.deeds[agent] = (choice.words, self._outcomes[agent].refused)

    def busy(self, agent: int) -> bool:
        """False: an action is over when it begins."""
        return False

    def outcome(self, agent: int) -> ActionOutcome:
        """Return what an agent's last action did."""
        return self._outcomes[agent]

    def halt(self, agent: int) -> None:
        """Break the run off at the end of this step (docs/rules/rescue.md 6.3)."""
        self.halted = True

    def close(self) -> None:
        """End the step."""
        self.state = self._step(END_OF_STEP, Act.NOTHING)

    def view(self, agent: int) -> View:
        """Return what an agent sees now, or believes, as facts."""
        instance, state, belief = self.instance, self.state, self._beliefs[agent]
        seen = belief if self._believes else state
        return View(
            me=agent,
            doors={
                room: tuple(instance.rooms[other] for other in instance.neighbours(number))
                for number, room in enumerate(instance.rooms)
            },
            victims=tuple(
                VictimView(
                    victim.name,
                    instance.rooms[victim.room],
                    _kinds(seen.needs[number]),
                    None if self._shown.urgency == HIDDEN else victim.urgent,
                    self._last(int(belief.victim_seen[number]), victim.room, agent),
                )
                for number, victim in enumerate(instance.victims)
            ),
            agents=tuple(
                AgentView(
                    each.name,
                    instance.rooms[int(seen.position[number])],
                    tuple(int(units) for units in seen.supplies[number]),
                    bool(state.active[number]),
                    self._last(int(belief.agent_seen[number]), int(state.position[number]), agent),
                )
                for number, each in enumerate(instance.agents)
            ),
        )

    def _last(self, step: int, room: int, agent: int) -> int | None:
        """Return the step in which an agent saw something that is in a room; None where it sees it now."""
        return step if self._believes and room != int(self.state.position[agent]) else None

    def _step(self, turn: int, action: int) -> State:
        """Return the rescue after the turn of one agent, or after the end of the step."""
        actions = np.full(AGENTS, action, np.int32)
        reason = Reason.THOUGHT_LOOP if self.halted else Reason.RUNNING
        found: State = jax.device_get(_step(self.params, self.state, actions, np.int32(turn), np.int32(reason)))
        return found

    def _tell(self, agent: int, choice: Choice, refusal: Refusal) -> ActionOutcome:
        """Say what a turn did."""
        if refusal:
            return ActionOutcome(SENTENCES[refusal], True)
        room = int(self.state.position[agent])
        if choice.number == WAIT:
            return ActionOutcome(f"you stay in {self.instance.rooms[room]}", False)
        here = next((n for n, victim in enumerate(self.instance.victims) if victim.room == room), None)
        if choice.number == NAVIGATE:
            there = "" if here is None else f", where {self.instance.victims[here].name} is"
            return ActionOutcome(f"you are now in {self.instance.rooms[room]}{there}", False)
        if choice.number == END or here is None:
            return ActionOutcome("you have ended your mission", False)
        rest = ", ".join(_kinds(self.state.needs[here]))
        name, kind = self.instance.victims[here].name, RESOURCES[choice.number - GIVE]
        return ActionOutcome(f"{name} has got {kind} and {f'still needs {rest}' if rest else 'is helped'}", False)


def action_of(choice: Choice) -> int:
    """Return the action of a choice as the world numbers it: a room, or an `Act`."""
    if choice.number == NAVIGATE:
        return choice.values[0]
    if choice.number == WAIT:
        return int(Act.WAIT)
    return int(Act.NOTHING if choice.number == 0 else Act.GIVE_WATER + choice.number - GIVE)


def choice_of(instance: Instance, action: int) -> Choice:
    """Return the choice of an action of the world."""
    if action == Act.NOTHING:
        return IDLE
    words = instance.call(action)
    if action < Act.GIVE_WATER:
        return Choice(NAVIGATE, (action,), words)
    return Choice(WAIT if action == Act.WAIT else GIVE + action - Act.GIVE_WATER, (), words)


def _kinds(needs: object) -> tuple[str, ...]:
    return tuple(kind for kind, needed in zip(RESOURCES, needs, strict=True) if needed)  # type: ignore[call-overload]


_reset, _step = jax.jit(reset), jax.jit(step)
