"""The live games of a server: their number is limited, and one call at a time uses a game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

import dsl
from dsl import UserError
from dsl.vocabulary import SIDES
from dsl.wording import did_you_mean, listing, nearest, plural, quoted
from hive.engine.live import LiveGame
from hive.engine.world import ReadableWorld
from hive.kit.planned_world import Request
from hive.mcp.asking import RequestedWorld
from hive.mcp.clock import CallClock, OutOfTimeError
from hive.mcp.limits import Limits, check_most, check_whole
from hive.mcp.teams import HeldTeam
from hive.players.llm.session import running_of
from hive.players.words.reading import interpret

_SEGMENT = 10  # ticks between two looks at the clock
_RUNNING = "running"


@dataclass
class Held:
    """One live game.

    Attributes:
        name: Its name for clients.
        asked: The world.
        request: Repeats the game as it was commanded so far.
        live: The game.
        busy: Held by the call that uses the game.
    """

    name: str
    asked: RequestedWorld
    request: Request
    live: LiveGame
    busy: threading.Lock = field(default_factory=threading.Lock)

    def summary(self) -> dict[str, Any]:
        """Return what the game is and how it stands, in plain values."""
        live, world = self.live, self.asked.world
        state = live.state
        side, alive = np.asarray(world.params.units.side), np.asarray(state.alive)
        return {
            "game": self.name,
            "scenario": world.name,
            "seed": live.seed,
            "tick": int(state.tick),
            "limit": world.limit,
            "outcome": live.outcome,
            "alive": {word: int((alive & (side == number)).sum()) for number, word in enumerate(SIDES)},
            "ordered_at": [tick for tick, _ in live.plans],
        }

    def step(self, ticks: int, limits: Limits, clock: CallClock) -> dict[str, Any]:
        """Play on, for as long as the game and the call's time last.

        Raises:
            UserError: The number is out of range, or the game is over.
        """
        check_whole("ticks", ticks, 1)
        check_most("the longest step", ticks, limits.ticks, "tick")
        live, played, remark = self.live, 0, ""
        if live.outcome != _RUNNING:
            help = "\n  = help: `order` gives it another plan" if live.outcome == "plan_finished" else ""
            raise UserError(f"the game is over after {plural(live.tick, 'tick')}: {live.outcome}{help}")
        clock.begin("playing", ticks)
        try:
            while played < ticks and live.outcome == _RUNNING:
                played += live.play(min(_SEGMENT, ticks - played))
                clock.update(played)
        except OutOfTimeError:
            if played < ticks and live.outcome == _RUNNING:
                some = plural(limits.seconds, "second")
                remark = f"stopped early, since a call takes at most {some}: step again to go on"
        return {**self.summary(), "played": played} | ({"remark": remark} if remark else {})

    def say(self, words: str) -> dict[str, Any]:
        """Follow an order in English, if rules can read it; return the answer in plain values.

        A question that was read in part has a `draft`: the plan that would be written without what is asked about.

        Raises:
            UserError: No rules read orders in this world.
        """
        world = self.asked.world
        if not isinstance(world, ReadableWorld):
            raise UserError(f"no rules read orders in {world.name}\n  = help: write a plan and give it with `order`")
        reading = interpret(words, world.facts(self.live.state), running_of(self.live))
        if reading.plan is not None:
            self.order(f"{reading.plan}\n")
        draft = {"draft": reading.draft} if reading.draft else {}
        return {**self.summary(), "answer": reading.text, "followed": reading.plan is not None, **draft}

    def order(self, source: str) -> None:
        """Follow another plan from now on.

        Args:
            source: From `RequestedWorld.source`.

        Raises:
            DslError: The plan has errors.
            UserError: The game is over.
        """
        tick = self.live.tick
        if tick:
            later = [(when, plan) for when, plan in self.request.swaps if when != tick]
            request = replace(self.request, swaps=[*later, (tick, source)])
        else:
            request = replace(self.request, plan=source)
        text = self.asked.kind.prepare(request).texts[-1]
        if text.failure:
            raise dsl.DslError(text.report.diagnostics)
        self.live.order(text)
        self.request = request


Game = TypeVar("Game", Held, HeldTeam)


class Games:
    """The live games by name."""

    def __init__(self, most: int) -> None:
        """Keep at most so many games."""
        self._most = most
        self._held: dict[str, Held | HeldTeam] = {}
        self._begun = self._beginning = 0
        self._lock = threading.Lock()

    def start(self, asked: RequestedWorld, source: str) -> Held:
        """Begin a game.

        Args:
            asked: What is played.
            source: The first plan, from `RequestedWorld.source`.

        Raises:
            DslError: The plan has errors.
            UserError: There are as many games as the server allows.
        """
        request = replace(asked.request, plan=source, seed=asked.seed)
        return self.add(lambda: Held("", asked, request, LiveGame(asked.world, asked.read(source), asked.seed)))

    def add(self, make: Callable[[], Game]) -> Game:
        """Begin a game and give it a name.

        Raises:
            UserError: There are as many games as the server allows.
        """
        with self._lock:
            if len(self._held) + self._beginning >= self._most:
                raise UserError(
                    f"this server keeps at most {plural(self._most, 'game')}\n  = help: end one with `end_game`"
                )
            self._beginning += 1
        try:
            held = make()
        except BaseException:
            with self._lock:
                self._beginning -= 1
            raise
        with self._lock:
            self._beginning -= 1
            self._begun += 1
            held.name = f"g{self._begun}"
            self._held[held.name] = held
        return held

    @contextmanager
    def use_planned(self, name: str) -> Iterator[Held]:
        """Yield a game that plans command, as `use` does.

        Raises:
            UserError: There is no such game, another call uses it, or agents play it.
        """
        with self.use(name) as held:
            if isinstance(held, HeldTeam):
                raise UserError(f"agents play the game {name}, and no plan commands it\n  = help: act with `answer`")
            yield held

    @contextmanager
    def use_team(self, name: str) -> Iterator[HeldTeam]:
        """Yield a game of agents, as `use` does.

        Raises:
            UserError: There is no such game, another call uses it, or plans command it.
        """
        with self.use(name) as held:
            if isinstance(held, Held):
                raise UserError(
                    f"plans command the game {name}, which has no seat\n  = help: use `order`, and `step` to play on"
                )
            yield held

    @contextmanager
    def use(self, name: str) -> Iterator[Held | HeldTeam]:
        """Yield a game that no other call uses meanwhile.

        Raises:
            UserError: There is no such game, or another call uses it.
        """
        with self._lock:
            held = self._held.get(name)
        if held is None:
            raise UserError(f"there is no game {quoted(name)}\n  = help: {self._advice(name)}")
        if not held.busy.acquire(blocking=False):
            raise UserError(f"another call uses the game {name}\n  = help: wait until it has ended")
        try:
            yield held
        finally:
            held.busy.release()

    def end(self, name: str) -> dict[str, Any]:
        """Forget a game and return how it stood.

        Raises:
            UserError: There is no such game, or a call uses it.
        """
        with self.use(name) as held:
            summary = held.summary()
            with self._lock:
                self._held.pop(name, None)
            if isinstance(held, HeldTeam):
                held.close()
        return summary

    def list(self) -> list[dict[str, Any]]:
        """Return how all games stand."""
        with self._lock:
            every = [*self._held.values()]
        return [held.summary() for held in every]

    def _advice(self, name: str) -> str:
        with self._lock:
            known = list(self._held)
        if not known:
            return "there is none now: begin one with `start_game`"
        return did_you_mean(nearest(name, known)) or f"games are {listing(known, 'and')}"
