"""One game in which one side or both are asked for orders while it runs, what they said, and what that cost.

Rules: docs/arena.md.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

import dsl
from dsl import UserError
from dsl.wording import counted, listing, number_words, plural
from hive.engine.live import LiveGame
from hive.engine.types import ENEMY, PLAYER
from hive.experiments.commanders.events import EventWatch, words
from hive.experiments.commanders.known import staying
from hive.experiments.commanders.moments import NOTHING, Commander, Cost, Moment, Order, cost_of, steps_of
from hive.kit.facts import Running
from hive.kit.plan_text import PlanText
from hive.players.llm.campaign import FAILURES
from hive.worlds.battle.scenario.model import HOLD
from hive.worlds.battle.seat import Seat
from hive.worlds.battle.world import Battle

ROOM = {
    "steps": 16, "groups": 32, "memberships": 8, "places": 32, "figure": 1, "sighting": 1, "leash": 1, "choice": 1
}  # fmt: skip
"""Least capacities of both sides' plans, so that games share their programs."""


@dataclass(frozen=True)
class Terms:
    """When commanders are asked besides the start, and how much they may spend in one game.

    Attributes:
        every: Ticks between two moments; 0: there is no period.
        events: What else is a moment, as `hive.experiments.commanders.events.read_event` returns it.
        calls: Most calls of a model; None: any number.
        tokens: Most tokens sent and received; a commander that has spent them is asked no more. None: any number.
    """

    every: int = 50
    events: tuple[str, ...] = ()
    calls: int | None = None
    tokens: int | None = None

    @staticmethod
    def of(values: Mapping[str, Any]) -> Terms:
        """Return the terms of `dataclasses.asdict`, as JSON keeps that.

        Raises:
            ValueError: They are none.
        """
        if values.keys() != {"every", "events", "calls", "tokens"}:
            raise ValueError("it does not say when commanders were asked")
        every, events, *most = (values[name] for name in ("every", "events", "calls", "tokens"))
        if type(every) is not int or not isinstance(events, list) or not all(type(each) is str for each in events):
            raise ValueError("it does not say when commanders were asked")
        if not all(each is None or type(each) is int for each in most):
            raise ValueError("it does not say what commanders might spend")
        return Terms(every, tuple(events), *most)

    @property
    def once(self) -> bool:
        """Whether commanders are asked before the first tick only."""
        return not self.every and not self.events

    def words(self) -> str:
        """Return when commanders are asked, in words."""
        times = ["before the first tick", *([f"every {plural(self.every, 'tick')}"] if self.every else [])]
        times += [f"at {each}" for each in self.events]
        most = [f"{plural(self.calls, 'call')}"] if self.calls else []
        most += [f"{plural(self.tokens, 'token')}"] if self.tokens else []
        spent = f", at most {' and '.join(most)} a game" if most else ""
        return f"asked {', '.join(times)}{spent}"

    def later(self, calls: int) -> str:
        """Return in a sentence when a model is asked again that has been called so often, this call included."""
        times = [f"every {plural(self.every, 'tick')}"] if self.every else []
        times += [f"when {words(each)}" for each in self.events]
        if not times or (self.calls is not None and calls >= self.calls):
            return "This is the last time you are asked."
        left = None if self.calls is None else self.calls - calls
        more = "" if left is None else f", at most {number_words(left)} more time{'' if left == 1 else 's'}"
        return f"You are asked again {listing(phrases=times)}{more}."

    def spent(self, cost: Cost) -> bool:
        """Return whether a cost leaves nothing to spend."""
        calls = self.calls is not None and cost.calls >= self.calls
        return calls or (self.tokens is not None and cost.sent + cost.received >= self.tokens)


@dataclass(frozen=True)
class Said:
    """One exchange of a game.

    Attributes:
        tick: When.
        side: PLAYER or ENEMY.
        reason: Why it was asked.
        order: What was asked and answered.
        outcome: `plan`, `same` plan, `kept` (none was given), `silent` (no answer, or none that can be used) or
            `spent` (the budget is used up, so it was not asked).
    """

    tick: int
    side: int
    reason: str
    order: Order
    outcome: str


@dataclass(frozen=True)
class Account:
    """What a side has spent in a game, and how often it was silent.

    Attributes:
        moments: How often it was asked.
        plans: How often it gave a plan that differs from the one before.
        silent: How often no answer came, or none that can be used.
        spent: How often it was not asked, since its budget was used up.
        cost: What its orders cost.
    """

    moments: int = 0
    plans: int = 0
    silent: int = 0
    spent: int = 0
    cost: Cost = NOTHING

    def __add__(self, other: Account) -> Account:
        """Return both together."""
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Account(**counts, cost=self.cost + other.cost)

    def json(self) -> dict[str, Any]:
        """Return the counts and the cost in one object."""
        return {**{name: getattr(self, name) for name in _COUNTS}, **asdict(self.cost)}

    @staticmethod
    def of(values: Mapping[str, Any]) -> Account:
        """Return the account of `dataclasses.asdict`.

        Raises:
            ValueError: It is none.
        """
        counts: dict[str, Any] = {name: values.get(name) for name in _COUNTS}
        if values.keys() != {*_COUNTS, "cost"} or not all(type(each) is int for each in counts.values()):
            raise ValueError("it does not say what a game cost")
        return Account(**counts, cost=cost_of(values["cost"]))


_COUNTS = ("moments", "plans", "silent", "spent")


@dataclass(frozen=True)
class CommandedGame:
    """A finished game.

    Attributes:
        outcome: Of the player: `win`, `lose` or `timeout`.
        ticks: Its length.
        alive: Live units of both sides at the end, by type.
        plans: Plans of the player with the ticks from which they were followed.
        enemy_plans: The same for the enemy; empty where the battle's own plan commands it.
        chat: Everything that was asked and answered, in order.
        accounts: What both sides spent.
    """

    outcome: str
    ticks: int
    alive: tuple[tuple[int, ...], tuple[int, ...]]
    plans: Sequence[tuple[int, str]] = field(repr=False)
    enemy_plans: Sequence[tuple[int, str]] = field(repr=False)
    chat: Sequence[Said] = field(repr=False)
    accounts: tuple[Account, Account]


Armies = tuple[Counter[str], Counter[str]]  # live units of a side's own army and of the other one, by type


class _Side:
    """One side of a game while it is played."""

    def __init__(self, world: Battle, side: int, commander: Commander, terms: Terms, seed: int) -> None:
        self.world, self.side, self.commander, self.terms, self.seed = world, side, commander, terms, seed
        self.seat, self.account = Seat(world, side), Account()
        self.chat: list[Said] = []
        self.text, self._began = "", 0  # the plan that it follows, as it was given, and from which tick
        self._context = world.context(side, world.sizes)
        self._last: tuple[int, Armies] | None = None  # when it was asked last, and who lived then

    def _changes(self, tick: int) -> str:
        """Return in sentences what happened since it was asked last; empty at the start."""
        facts, last = self.seat.facts(), self._last
        mine, theirs = (Counter(compress(army.types, army.alive)) for army in (facts.own, facts.foe))
        self._last = tick, (mine, theirs)
        if last is None:
            return ""
        since, before = last
        lost, killed = (
            counted((was - now).elements()) or "nothing" for was, now in zip(before, (mine, theirs), strict=True)
        )
        found = [f"Since tick {since} you lost {lost}, and the enemy lost {killed}."]
        if theirs:
            count, live = len(facts.own.types), facts.foe.alive
            sees, left = int((self.seat.seen[count:] < 0)[live].sum()), plural(theirs.total(), "live unit")
            found.append(
                f"You see {sees} of its {left} now; others are shown where they were seen last, or at the start."
            )
        return " ".join(found)

    def ask(self, tick: int, reason: str, achieved: Mapping[int, int]) -> bool:
        """Ask for orders; return whether a new plan is followed from now on. The side must have looked.

        Args:
            tick: Ticks played.
            reason: Why it is asked.
            achieved: The steps of its plan that are achieved, with their ticks.
        """
        running = None
        if self.text:
            plan = dsl.parse_plan(self.text, "plan", self._context)
            running = Running(plan, frozenset(step.id for step in plan.steps if step.id in achieved))
            if running.achieved == {step.id for step in plan.steps}:
                reason = f"{reason} All steps of your plan are achieved."
        if self.terms.spent(self.account.cost):
            return self._note(tick, reason, Order(None), "spent", Account(spent=1))
        began = time.perf_counter()
        moment = Moment(
            self.seat,
            tick=tick,
            running=running,
            text=self.text,
            began=self._began,
            ticks=achieved,
            reason=reason,
            changes=self._changes(tick),
            later=self.terms.later(self.account.cost.calls + 1),
            seed=self.seed,
            last=self.terms.once,
        )
        order = self.commander.order(moment)
        if not order.cost.seconds:
            order = replace(order, cost=replace(order.cost, seconds=round(time.perf_counter() - began, 3)))
        self.account += Account(moments=1, cost=order.cost)
        if order.problem:
            return self._note(tick, reason, order, "silent", Account(silent=1))
        if order.plan is None:
            return self._note(tick, reason, order, "kept")
        report = dsl.check_plan(order.plan, self.commander.name, self._context)
        if not isinstance(report.root, dsl.PlanSyntax) or not report.ok:
            order = replace(order, plan=None, kind="invalid_plan", problem=FAILURES["invalid_plan"])
            return self._note(tick, reason, order, "silent", Account(silent=1))
        text = f"{report.written}\n"
        if text == self.text:
            return self._note(tick, reason, order, "same")
        self.text, self._began = text, tick
        return self._note(tick, reason, order, "plan", Account(plans=1))

    def _note(self, tick: int, reason: str, order: Order, outcome: str, count: Account = Account()) -> bool:
        """Keep an exchange, and let the units hold where there was never a plan; return whether there is a new one."""
        self.account += count
        if order.asked or order.said or outcome != "kept":
            self.chat.append(Said(tick, self.side, reason, order, outcome))
        if not self.text:
            self.text = staying(self.seat, HOLD)
            return True
        return outcome == "plan"

    def plan(self) -> PlanText:
        """The plan that it follows, as it is played: that of the player never ends."""
        text = endless(self.text, self.seat) if self.side == PLAYER else self.text
        return PlanText.read(text, self._context, written_for=self.world.sizes)


def play_commanded(
    world: Battle,
    player: Commander,
    enemy: Commander | None,
    seed: int,
    terms: Terms = Terms(),
    watch: Callable[[int], None] | None = None,
) -> CommandedGame:
    """Play one game with a commander in the player's seat, and one in the enemy's or the battle's own plan.

    Commanders are asked before the first tick and at each later moment, with what their side knows then, before any of
    their answers is carried out. One that gives no answer goes on with its present plan, or lets its units hold where
    it never gave one, and is counted.

    Args:
        world: The battle.
        player: Commands the player.
        enemy: Commands the enemy; None: the battle's own plan does.
        seed: Of the game.
        terms: When they are asked, and what they may spend.
        watch: Called with the tick at every moment.

    Raises:
        UserError: A commander cannot command this battle.
    """
    if terms.every < 0:
        raise UserError("ticks between two moments are a whole number from 0 on")
    sides = [_Side(world, side, who, terms, seed) for side, who in enumerate((player, enemy)) if who is not None]
    start = world.first_state(seed)
    for side in sides:
        side.seat.look(start)
    for side in sides:
        side.ask(0, "The game begins.", {})
    theirs = sides[ENEMY].plan() if enemy else None
    live = _begun(world, sides[PLAYER].plan(), seed, theirs)
    written = {side.side: steps_of(side.text) for side in sides}
    events = EventWatch(live, terms.events, written) if terms.events else None
    while moments := _next_moments(live, terms.every, events):
        asked = [side for side in sides if side.side in moments]
        for side in asked:
            side.seat.look(live.state)
        given = [side for side in asked if side.ask(live.tick, moments[side.side], live.achieved_at(side.side))]
        for side in given:
            live.order(side.plan(), side.side)
            if events:
                events.follow(side.side, steps_of(side.text))
        if watch:
            watch(live.tick)
    mine, other = sides[PLAYER].account, sides[ENEMY].account if enemy else Account()
    return CommandedGame(
        outcome=live.outcome,
        ticks=live.tick,
        alive=(tuple(live.alive[PLAYER]), tuple(live.alive[ENEMY])),
        plans=[(tick, plan.text) for tick, plan in live.plans],
        enemy_plans=[(tick, plan.text) for tick, plan in live.enemy_plans],
        chat=sorted((said for side in sides for said in side.chat), key=lambda said: said.tick),
        accounts=(mine, other),
    )


def _begun(world: Battle, plan: PlanText, seed: int, enemy: PlanText | None = None) -> LiveGame:
    """Begin a game in shapes that battles share, with room for plans of both sides."""
    return LiveGame(world, plan, seed, ROOM, enemy, both=True, params=world.padded)


def _next_moments(live: LiveGame, every: int, events: EventWatch | None) -> dict[int, str]:
    """Play up to the next moment; return why each side is asked that is asked then, or nothing after the end."""
    until = (live.tick // every + 1) * every if every else live.world.limit
    while (events or live).play(until - live.tick) and not live.over:
        period = f"{live.tick} ticks were played." if every and live.tick == until else ""
        news = events.news() if events else ([], [])
        found = {side: " ".join(filter(None, (period, *own))) for side, own in enumerate(news)}
        if any(found.values()):
            return {side: reason for side, reason in found.items() if reason}
    return {}


def replay_commanded(world: Battle, plans: Sequence[tuple[int, str]], seed: int) -> tuple[str, int]:
    """Return the outcome and the length of a game under plans of the player, with the ticks from which they hold.

    Raises:
        DslError: A plan has errors.
        UserError: The game is over before one of the ticks.
    """
    context = world.context(PLAYER, world.sizes)
    (_, first), *later = [(tick, PlanText.read(text, context, written_for=world.sizes)) for tick, text in plans]
    live = _begun(world, first, seed)
    for tick, plan in later:
        live.play(tick - live.tick)
        live.order(plan)
    live.play(world.limit)
    return live.outcome, live.tick


def endless(text: str, seat: Seat) -> str:
    """Return a plan of the player that is never finished, as the enemy's are (docs/rules/battles.md 4.2).

    It gets one step more, which lasts until all enemies are dead, and whose group has no units: those in a corner of
    the map where none is.
    """
    context = seat.world.context(PLAYER, seat.world.sizes)
    plan = dsl.parse_plan(text, "plan", context)
    edge = seat.world.scenario.map.size - 1
    at = np.asarray(seat.known.position)[: seat.own.sizes[0]].astype(int)
    taken = {(int(x), int(y)) for x, y in at}
    free = [(x, y) for x in (0, edge) for y in (0, edge) if (x, y) not in taken]
    x, y = free[0] if free else next((x, 0) for x in range(edge) if (x, 0) not in taken)
    choice = dsl.Inside((x, y), (x + 1, y + 1))
    group = dsl.Group(dsl.UnitList(None), (x, y), "hold", ("any",), choice=choice)
    number = max((step.id for step in plan.steps), default=-1) + 1
    last = dsl.Step(number, (), dsl.Elimination(dsl.UnitList(None)), (group,))
    return f"{dsl.format_plan(replace(plan, steps=(*plan.steps, last)))}\n"
