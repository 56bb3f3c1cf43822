"""Games of a `StepEnv` for a team of language agents, and a scripted speaker that follows a rule in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Protocol

import jax
import numpy as np

from dsl import UserError
from dsl.wording import listing
from hive.kit.agent_env import IDLE, ActionOutcome, Choice, Observation, Option, Seat, Speaker, Talk
from hive.kit.environment.env import STAND, stack
from hive.kit.environment.step_env import StepEnv, StepRecording
from hive.kit.keep.dialogue import Line
from hive.kit.prompts import tags

Rule = Callable[[str, Sequence[str]], str]
"""Returns the name of an action, given where an agent is and what it sees, and the names of the possible actions."""

_CAN = "Possible now: "
_YOU = re.compile(r"You are (.+?),")
_DECISION = re.compile(r"^Decide: (.+)$", re.MULTILINE)
_STATE = re.compile(r"^## (.+?), .+?, at (.*)\nSees: (.*)(?:\nDoes: (.*))?", re.MULTILINE)
_UNKNOWN = "I do not know this kind of prompt."
_PROPOSAL = re.compile(r"^# Proposal\n.+? proposes: (.*)", re.MULTILINE)


class Worded(Protocol):
    """What an `AgentEnv` needs of a kind of world, a `StepWorld`: its words."""

    agent: ClassVar[str]
    role: ClassVar[str]

    def task(self, env: StepEnv) -> str:
        """Return the rules and the aim in words."""

    def sees(self, env: StepEnv, world: Any, agent: int) -> tuple[str, str]:
        """Return where an agent is, and what it sees."""


class StepAgentEnv:
    """One game; see `AgentEnv` of `hive.kit.agent_env`, and `TurnAgentEnv` for agents asked for an action alone.

    Attributes:
        env: The environment.
        worlds: The state of the world before each step and at the end, on the host.
        actions: `[n]` for each step, what agents did.
    """

    talk = Talk()

    def __init__(self, kind: Worded, name: str, env: StepEnv, seed: int) -> None:
        """Begin a game.

        Args:
            kind: Its kind of world, which has the words.
            name: Name of the world.
            env: The environment.
            seed: Of the game, which begins as that of a policy with this seed.
        """
        self.name, self.seed, self.env, self._kind = name, seed, env, kind
        self.task = " ".join(kind.task(env).split())
        self.seats = tuple(Seat(f"AGENT_{number}", kind.agent) for number in range(1, env.team + 1))
        self.roles: Mapping[str, str] = {kind.agent: kind.role}
        self.limit = env.limit
        self.worlds: list[Any] = []
        self.actions: list[np.ndarray] = []
        self._chosen: dict[int, int] = {}
        self._halted = False
        self._keep(*_reset(env, jax.random.key(seed)))

    @property
    def tick(self) -> int:
        """Steps so far."""
        return len(self.actions)

    @property
    def over(self) -> bool:
        """Whether the game has ended, or was broken off."""
        return bool(self._state.over) or self._halted

    @property
    def settled(self) -> bool:
        """Whether the game has ended."""
        return self.over

    @property
    def outcome_words(self) -> str:
        """How the game stands, in words."""
        return "broken off" if self._halted else self.env.outcome(self.worlds[-1], self.tick)

    def living(self) -> tuple[int, ...]:
        """Agents that still act."""
        return tuple(np.flatnonzero(self._view.alive).tolist())

    def observe(self, agent: int) -> Observation:
        """Return what an agent sees, and which actions are possible."""
        place, seen = self._kind.sees(self.env, self.worlds[-1], agent)
        view = f"{seen}\n{_CAN}{', '.join(self.possible(agent))}."
        role = f"You tell {self.seats[agent].name}, a {self._kind.agent}, in one paragraph what can be seen."
        return Observation(role, view, " ".join(view.split()), place)

    def possible(self, agent: int) -> list[str]:
        """Return the names of the actions that an agent can begin now."""
        return [name for name, can in zip(self.env.actions, self._view.action_mask[agent], strict=True) if can]

    def bound(self, agent: int) -> str | None:
        """None: an agent can always choose."""
        return None

    def options(self, kind: str, single: bool) -> tuple[Option, ...]:
        """Return the actions; each lasts one step."""
        return tuple(Option(n, name, (), about, name) for n, (name, about) in enumerate(self.env.actions.items()))

    def check(self, agent: int, choice: Choice, single: bool) -> str | None:
        """Return why an agent cannot begin an action now."""
        names = self.env.action_names
        if not 0 <= choice.number < len(names) or choice.values:
            return f"there is no action {choice.number} with {len(choice.values)} values"
        if not self._view.action_mask[agent, choice.number]:
            can = listing((), "and", self.possible(agent))
            return f"`{names[choice.number]}` is not possible now; possible are {can}"
        return None

    def begin(self, agent: int, choice: Choice, single: bool) -> None:
        """Give an agent its action of this step.

        Raises:
            ValueError: `check` refuses it.
        """
        if wrong := self.check(agent, choice, single):
            raise ValueError(wrong)
        self._chosen[agent] = choice.number

    def busy(self, agent: int) -> bool:
        """False: an action lasts one step."""
        return False

    def call(self, agent: int, name: str, arguments: Mapping[str, str]) -> Choice | str:
        """Return the action that a call of a tool means, or why it means none."""
        if name not in self.env.actions or arguments:
            return f"there is no tool `{name[:80]}` with {len(arguments)} arguments"
        choice = self._named(name)
        return self.check(agent, choice, True) or choice

    def calls(self, agent: int) -> list[str]:
        """Return the calls of the actions that are possible now."""
        return [f"{name}()" for name in self.possible(agent)]

    def example(self, agent: int) -> str:
        """Return a call of an action that is possible now."""
        return self.calls(agent)[-1]

    def situation(self, agent: int) -> str:
        """Return what an agent sees."""
        return self.observe(agent).view

    def halt(self, agent: int) -> None:
        """Break the game off, because an agent does not act."""
        self._halted = True

    def outcome(self, agent: int) -> ActionOutcome:
        """Return what the action will do that an agent began in this step."""
        return ActionOutcome(list(self.env.actions.values())[self._chosen.get(agent, STAND)], False)

    def advance(self) -> None:
        """Play the step; agents without an action stand."""
        actions = np.array([self._chosen.get(agent, STAND) for agent in range(self.env.team)], np.int32)
        self._chosen = {}
        self.actions.append(actions)
        self._keep(*_step(self.env, self._state, actions))

    def choice(self, agent: int, rule: Rule) -> Choice:
        """Return the action that a rule in words chooses for an agent.

        Raises:
            UserError: The rule chooses an action that is not possible.
        """
        place, seen = self._kind.sees(self.env, self.worlds[-1], agent)
        return self._named(_follow(rule, place, " ".join(seen.split()), self.possible(agent)))

    def history(self) -> Any:
        """Return the states of the world as leaves `[t + 1, ...]`."""
        return stack(self.worlds)

    def _named(self, name: str) -> Choice:
        number = self.env.action_names.index(name)
        return Choice(number, (), name) if number != STAND else IDLE

    def _keep(self, state: Any, view: Any, score: Any) -> None:
        self._state, self._view = state, jax.device_get(view)
        self.score = float(score)  # how far the team has come, 0 to 1
        self.worlds.append(jax.device_get(state.world))


class StepEpisodes:
    """Games side by side; see `hive.kit.agent_env.Episodes`.

    Attributes:
        envs: One for each game.
    """

    def __init__(self, envs: Sequence[StepAgentEnv], player: str) -> None:
        """Take the games, and who plays them, for the titles of recordings."""
        self.envs, self._player = tuple(envs), player

    def step(self, playing: Sequence[int]) -> None:
        """Play one step of the games with these numbers."""
        for number in playing:
            self.envs[number].advance()

    def results(self, env: int) -> dict[str, Any]:
        """Return how a game ended."""
        game = self.envs[env]
        outcome = game.outcome_words
        return {"outcome": outcome, "won": outcome == "won", "steps": game.tick, "score": game.score}

    def recording(self, env: int, lines: Sequence[Line] = ()) -> StepRecording:
        """Return what was recorded of a game so far, with what its agents said as lines."""
        game = self.envs[env]
        names, title = [seat.name for seat in game.seats], f"{game.name}: {self._player}, game {game.seed}"
        actions = np.array(game.actions, np.int32).reshape(-1, len(names))
        return game.env.gather(names, game.history(), actions, game.outcome_words, title, lines)


def speaker(rule: Rule) -> Speaker:
    """Return the scripted team: it answers the prompts of all frameworks by a rule, from their texts alone."""
    return partial(_answer, rule)


def _answer(rule: Rule, system: str, texts: Sequence[str]) -> str:
    """Return the tagged answer to a prompt; for one that it does not know, a sentence without tags.

    Raises:
        UserError: The rule chooses an action that is not possible.
    """
    decisions, you = _DECISION.findall(texts[-1]), _YOU.match(system)
    if not decisions or you is None:
        return _UNKNOWN
    me, decision = you[1], decisions[0]
    seen = {name: (place, sees, does) for name, place, sees, does in _STATE.findall(texts[0])}
    own = re.search(r"^# What you see\nYou are at (.*?)\. (.*)", texts[0], re.MULTILINE)
    if own:
        seen[me] = (own[1], own[2], "")
    acts = {name: _chosen(rule, place, sees) for name, (place, sees, _) in seen.items()}
    if decision == "plan for everyone":
        return tags(reasoning="Each agent follows its rule.", **acts)
    if me not in acts:
        return _UNKNOWN
    said = f"My action is `{acts[me]}`."
    if decision == "plan for the team":
        idle = [name for name, (*_, does) in seen.items() if does == "IDLE" and name != me]
        orders = {f"{name}-action": acts[name] for name in idle}
        orders |= {f"{name}-message": f"Please do `{acts[name]}`." for name in idle}
        return tags(reasoning=said, action=acts[me], **orders)
    if decision.startswith("review"):
        proposed = _PROPOSAL.findall(texts[0])
        return tags(reasoning="I agree.", decision="ACCEPT", action=proposed[0] if proposed else "", message="Do so.")
    if decision == "feedback":
        return tags(reasoning="I agree.", feedback="ACCEPT")
    if decision == "communicate":
        return tags(reasoning=said, GLOBAL=said)
    if decision == "write a message":
        return tags(reasoning=said, message=said)
    return tags(reasoning=said, action=acts[me])


def _chosen(rule: Rule, place: str, sees: str) -> str:
    seen, _, can = sees.partition(_CAN)
    return _follow(rule, place, seen.strip(), can.strip().removesuffix(".").split(", "))


def _follow(rule: Rule, place: str, seen: str, possible: Sequence[str]) -> str:
    """Return the action that a rule chooses, which has to be possible."""
    chosen = rule(f"You are at {place}. {seen}", possible)
    if chosen not in possible:
        raise UserError(
            f"the rule of the scripted players chose `{chosen}`, which is not possible at {place}\n"
            f"  = help: `rule` of a `StepWorld` returns one of the names that it is given: {listing(possible, 'and')}"
        )
    return chosen


@jax.jit
def _reset(env: StepEnv, key: Any) -> tuple[Any, Any, Any]:
    state, view = env.reset(key)
    return state, view, env.score(state.world)


@jax.jit
def _step(env: StepEnv, state: Any, actions: Any) -> tuple[Any, Any, Any]:
    after, timestep = env.step(state, actions)
    return after, timestep.view, timestep.score
