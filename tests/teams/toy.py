"""A tiny world for teams: walkers light lamps on a grid, porters carry walkers. Pure Python, no luck but the seed's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hive.kit.agent_env import ActionOutcome, Awaited, Choice, Observation, Option, Piece, Proposal, Seat, Talk

SIZE = 8
_NOTHING = Option(0, "do nothing", (), "stays", "do nothing")
_WAIT = Option(3, "wait n steps", ("n",), "stays for n steps", "wait n steps 2")


def _walk(words: str) -> Option:
    return Option(1, "walk to", ("x", "y"), words, "walk to 3 4")


_WALKER = (_walk("walks there, one cell a step"), Option(2, "light lamp", (), "lights a lamp here", "light lamp"))
_PORTER = (_walk("walks there, two cells a step"), Option(2, "load", (), "takes the walkers here along", "load"))
_UNLOAD = Option(4, "unload", (), "lets the walkers off", "unload")


class Toy:
    """One episode; lamps stand at (seed + agent, 0) modulo the grid."""

    name = "toy/lamps"
    task = "Light the lamps."
    roles: Mapping[str, str] = {"walker": "Walkers light lamps.", "porter": "Porters carry walkers."}

    def __init__(self, walkers: int = 2, porters: int = 0, seed: int = 0, limit: int = 6) -> None:
        kinds = ["walker"] * walkers + ["porter"] * porters
        self.seats = tuple(Seat(f"AGENT_{number}", kind) for number, kind in enumerate(kinds, 1))
        self.seed, self.limit, self.tick = seed, limit, 0
        self.lamps = {((seed + agent) % SIZE, 0) for agent in range(walkers)}
        self.lit: set[tuple[int, int]] = set()
        self.places = [(0, 1)] * len(kinds)
        self.doing: dict[int, tuple[Choice, int, bool]] = {}  # with the tick of its begin
        self.carrier: dict[int, int] = {}
        self.dead: set[int] = set()
        self.deaths: dict[int, list[int]] = {}  # by the tick at whose end they happen
        self.begun: list[tuple[int, int, Choice]] = []

    @property
    def score(self) -> float:
        return float(len(self.lit))

    @property
    def over(self) -> bool:
        return self.lit == self.lamps or self.tick >= self.limit

    def living(self) -> tuple[int, ...]:
        return tuple(agent for agent in range(len(self.seats)) if agent not in self.dead)

    def observe(self, agent: int) -> Observation:
        kind = self.seats[agent].kind
        lamps = ", ".join(map(str, sorted(self.lamps - self.lit)))
        place = str(self.places[agent])
        return Observation(
            f"You turn what {self.seats[agent].name}, a {kind}, sees into a paragraph.",
            f"# Position\n{place}\n\n# Lamps\n{lamps}",
            f"Dark lamps: {lamps}.",
            place,
        )

    def bound(self, agent: int) -> str | None:
        return f"ride {self.seats[self.carrier[agent]].name}" if agent in self.carrier else None

    def options(self, kind: str, single: bool) -> tuple[Option, ...]:
        mine = _WALKER if kind == "walker" else (*_PORTER, _UNLOAD)
        return (*mine, *(() if single else (_WAIT,)), _NOTHING)

    def check(self, agent: int, choice: Choice, single: bool) -> str | None:
        if choice.number == 1 and not all(0 <= value < SIZE for value in choice.values):
            return f"the cell {choice.values} is outside the map"
        return None

    def begin(self, agent: int, choice: Choice, single: bool) -> None:
        assert agent not in self.carrier and agent not in self.dead
        self.doing[agent] = (choice, self.tick, single)
        self.begun.append((self.tick, agent, choice))

    def busy(self, agent: int) -> bool:
        return agent in self.doing

    def advance(self) -> None:
        for agent, (choice, begun, single) in list(self.doing.items()):
            kind = self.seats[agent].kind
            if choice.number == 1:
                for _ in range(1 if kind == "walker" else 2):
                    self.places[agent] = _toward(self.places[agent], choice.values)
                done = self.places[agent] == choice.values
            elif choice.number == 3:
                done = self.tick - begun + 1 >= choice.values[0]
            else:
                self._work(agent, kind, choice.number)
                done = True
            if (done or single) and agent in self.doing:
                del self.doing[agent]
        for rider, carrier in self.carrier.items():
            self.places[rider] = self.places[carrier]
        for agent in self.deaths.get(self.tick, ()):
            self.dead.add(agent)
            self.doing.pop(agent, None)
        self.tick += 1

    def _work(self, agent: int, kind: str, number: int) -> None:
        if kind == "walker" and number == 2 and self.places[agent] in self.lamps:
            self.lit.add(self.places[agent])
        elif kind == "porter" and number == 2:
            for other in self.living():
                if self.seats[other].kind == "walker" and self.places[other] == self.places[agent]:
                    self.carrier[other] = agent
                    self.doing.pop(other, None)
        elif kind == "porter" and number == 4:
            self.carrier = {rider: carrier for rider, carrier in self.carrier.items() if carrier != agent}


def _toward(place: tuple[int, int], target: Sequence[int]) -> tuple[int, int]:
    x, y = place
    return (x + (target[0] > x) - (target[0] < x), y + (target[1] > y) - (target[1] < y))


class PlanToy(Toy):
    """The same for two agents that write plans; `request(...)` asks the other one. A gate opens at a tick."""

    name = "toy/plans"
    gate = 0
    sure = False  # whether the gate opens by itself

    def check(self, agent: int, choice: Choice, single: bool) -> str | None:
        if choice.number == 2 and self.places[agent] not in self.lamps:
            return "L1: there is no lamp here"
        if choice.words == "open gate" and self.tick < self.gate:
            return "G1: the gate is shut"
        return super().check(agent, choice, single)

    def knowledge(self, agent: int) -> str:
        return "You know the secret." if agent == 0 else "You know nothing."

    def manual(self, agent: int) -> str:
        return "- light lamp: lights a lamp here"

    def read(self, agent: int, text: str) -> tuple[Piece, ...]:
        return tuple(self._piece(part.strip()) for part in text.split(";") if part.strip())

    def awaited(self, agent: int, piece: Piece) -> Awaited | None:
        gates = piece.words in ("open gate", "wait for gate") and self.tick < self.gate
        return Awaited("gate", self.sure) if gates else None

    def done(self, agent: int) -> Sequence[tuple[int, str]]:
        done = [(tick, choice.words) for tick, who, choice in self.begun if who == agent]
        return [each for each in done if not each[1].startswith("wait")]

    def _piece(self, text: str) -> Piece:
        request = text.startswith("request(")
        words = text.removeprefix("request(").removesuffix(")") if request else text
        if words in ("wait(1)", "wait for gate", "open gate"):
            return Piece(words, Choice(0, (), words), request, None, words == "wait for gate")
        for option in self.options("walker", False):
            name, numbers = option.name, re.findall(r"\d+", words)
            if words.startswith(name.removesuffix(" n steps")) and len(numbers) == len(option.values):
                return Piece(words, Choice(option.number, tuple(map(int, numbers)), words), request, None)
        return Piece(words, None, request, "F1: this is no action")


class ToyEpisodes:
    """Several episodes."""

    def __init__(self, envs: Sequence[Toy]) -> None:
        self.envs = list(envs)

    def step(self, playing: Sequence[int]) -> None:
        for number in playing:
            self.envs[number].advance()

    def results(self, env: int) -> Mapping[str, Any]:
        return {"lit": len(self.envs[env].lit)}


class TurnToy(Toy):
    """The same with actions that work at once; lamps out of reach refuse, and `leave` ends an agent's part."""

    name = "toy/turns"
    talk = Talk()

    def __init__(self, walkers: int = 2, seed: int = 0, limit: int = 6) -> None:
        super().__init__(walkers, seed=seed, limit=limit)
        self.outcomes: dict[int, ActionOutcome] = {}
        self.halted: list[int] = []

    @property
    def over(self) -> bool:
        return super().over or bool(self.halted) or not self.living()

    @property
    def settled(self) -> bool:
        return self.lit == self.lamps

    def example(self, agent: int) -> str:
        return next(each.example for each in self.options(self.seats[agent].kind, True) if each.number)

    def calls(self, agent: int) -> Sequence[str]:
        return [each.example for each in self.options(self.seats[agent].kind, True) if each.number]

    def situation(self, agent: int) -> str:
        return f"Dark lamps: {sorted(self.lamps - self.lit)}"

    def options(self, kind: str, single: bool) -> tuple[Option, ...]:
        return (
            Option(1, "walk_to", ("x", "y"), "walks towards a cell", "walk_to(3, 4)"),
            Option(2, "light_lamp", (), "lights a lamp here", "light_lamp()"),
            Option(5, "leave", (), "leaves for good", "leave()"),
            _NOTHING,
        )

    def call(self, agent: int, name: str, arguments: Mapping[str, str]) -> Choice | str:
        found = {"walk_to": 1, "light_lamp": 2, "leave": 5}.get(name)
        if found is None:
            return f"there is no tool {name}"
        if found == 1 and not (set(arguments) == {"x", "y"} and all(value.isdigit() for value in arguments.values())):
            return "walk_to needs x and y"
        values = tuple(int(arguments[key]) for key in ("x", "y")) if found == 1 else ()
        return Choice(found, values, name)

    def begin(self, agent: int, choice: Choice, single: bool) -> None:
        self.begun.append((self.tick, agent, choice))
        if choice.number == 1:
            self.places[agent] = _toward(self.places[agent], choice.values)
            self.outcomes[agent] = ActionOutcome(f"you are at {self.places[agent]}", False)
        elif choice.number == 2:
            dark = self.places[agent] in self.lamps - self.lit
            self.lit |= {self.places[agent]} if dark else set()
            self.outcomes[agent] = ActionOutcome("it burns" if dark else "there is no dark lamp here", not dark)
        elif choice.number == 5:
            self.dead.add(agent)
            self.outcomes[agent] = ActionOutcome("you left", False)

    def outcome(self, agent: int) -> ActionOutcome:
        return self.outcomes[agent]

    def halt(self, agent: int) -> None:
        self.halted.append(agent)

    def busy(self, agent: int) -> bool:
        return False


class ProposalToy(Toy):
    """The same where agents choose among proposals: dark lamps to walk to, and the lamp here to light."""

    name = "toy/proposals"
    longest = 40

    def __init__(self, walkers: int = 2, tips: str = "", limit: int = 9) -> None:
        super().__init__(walkers, limit=limit)
        self.tips = tips
        self.full: set[int] = set()  # agents that have no choice
        self.waits = False  # whether waiting is a proposal
        self.breaks: dict[int, str] = {}  # why actions of all agents were cancelled, by their last step

    def proposals(self, agent: int) -> Sequence[Proposal]:
        here = self.places[agent]
        found = [
            Proposal(Choice(1, lamp, f"go to <lamp> ({lamp[0]})"), float(max(abs(lamp[0] - here[0]), 1)))
            for lamp in sorted(self.lamps - self.lit)
            if lamp != here
        ]
        if here in self.lamps - self.lit:
            found.append(Proposal(Choice(2, (), f"light <lamp> ({here[0]})"), 1.0))
        return found

    def waiting(self, agent: int) -> Proposal | None:
        return Proposal(Choice(0, (), "wait a little")) if self.waits else None

    def cancelled(self, agent: int) -> Mapping[int, str]:
        return self.breaks

    def forced(self, agent: int) -> Choice | None:
        return Choice(0, (), "rest") if agent in self.full or not self.proposals(agent) else None

    def sending(self, agent: int, text: str) -> Choice:
        return Choice(0, (), f"send message: {text}")

    def report(self, agent: int) -> str:
        return f"I am at {self.places[agent]}."

    def meets(self, agent: int, other: int) -> bool:
        return self.places[agent] == self.places[other]
