"""Who may command a side of a duel: the plain commander, a plan, units that hold, or a client of a language model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

import dsl
from hive.engine.plan.rescale import rescale_plan
from hive.engine.types import PLAYER
from hive.experiments.league.seats import mirrored, why_no_mirror
from hive.kit.facts import Facts, Running
from hive.kit.plan_text import plan_text
from hive.kit.prompts import read_prompt
from hive.players.llm.campaign import FAILURES, VERSION
from hive.players.llm.client import PLAIN, REPAIRS, Client, Settings, Topic
from hive.players.llm.dialogue import Dialogue
from hive.players.llm.session import constraint_of
from hive.players.words.reading import interpret
from hive.worlds.battle.seat import Seat


@dataclass(frozen=True)
class Moment:
    """What a commander is asked with.

    Attributes:
        seat: Its side of the game, which has looked at this tick.
        tick: Ticks played.
        running: The plan that it follows now, with the steps achieved; None before the first one.
        reason: Why it is asked, in a sentence.
    """

    seat: Seat
    tick: int
    running: Running | None
    reason: str

    @property
    def facts(self) -> Facts:
        """What a commander by rules knows."""
        return self.seat.facts()


@dataclass(frozen=True)
class Order:
    """What a commander answered.

    Attributes:
        plan: Text of a plan without errors, in the unit ids of its side; None: the present one goes on.
        asked: What it was asked, if anything was said.
        said: What it said.
        problem: Why it gave no plan though it was asked for one; empty otherwise.
        calls: Calls of a model.
        tokens: Tokens sent and received, as the server counted them.
    """

    plan: str | None
    asked: str = ""
    said: str = ""
    problem: str = ""
    calls: int = 0
    tokens: int = 0


class Commander(Protocol):
    """Commands one side of a duel. It keeps nothing from one game to the next."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    def order(self, moment: Moment) -> Order:
        """Return the orders for this moment.

        Raises:
            ModelError: A model could not be asked.
        """


@dataclass(frozen=True)
class Words:
    """The plain commander, which reads one order in English again at every moment.

    Attributes:
        text: The order; empty: `attack`, and towards the place of the side's objective where there is one.
        name: Its name in tables.
    """

    text: str = ""
    name: str = "words"

    def order(self, moment: Moment) -> Order:
        """Read the order with what is known now; see `Commander.order`."""
        facts = moment.facts
        text = self.text or ("Attack." if facts.goal is None else "Everyone attack toward the objective.")
        found = interpret(text, facts, moment.running)
        problem = "" if found.plan else f"it asks back: {found.question.splitlines()[0]}"
        return Order(found.plan, text, found.text, problem)


@dataclass(frozen=True)
class Fixed:
    """Plans that were written before; none changes during a game.

    Attributes:
        player: Name, path or text of the plan in the player's seat; None: the battle's own.
        enemy: The same in the enemy's seat. Where the seats of a battle are mirror images, the mirrored plan of the
            player takes its place; else it is that plan as it is, which then has to fit both armies.
        name: Its name in tables.
    """

    player: str | None
    enemy: str | None
    name: str

    def order(self, moment: Moment) -> Order:
        """Return the plan at the first moment; see `Commander.order`.

        Raises:
            UserError: There is no such plan, or it does not fit the battle.
        """
        if moment.running is not None:
            return Order(None)
        return Order(self.text(moment.seat))

    def text(self, seat: Seat) -> str:
        """Return the plan for a seat, rescaled to its armies.

        Raises:
            UserError: There is no such plan, or it does not fit the battle.
        """
        world, side = seat.world, seat.side
        scenario = world.scenario
        turned = False
        source = self.player if side == PLAYER else self.enemy
        if self.player is None:
            source = world.side(side).plan
        elif source is None:
            source, turned = self.player, why_no_mirror(scenario) is None
        if source is None:
            return holding(seat)
        text, file = plan_text(source)
        plan = dsl.parse_plan(text, file, world.context(PLAYER if turned else side))
        written, sizes = world.written_for, world.sizes
        plan = rescale_plan(plan, (written[side], sizes[side]), (written[1 - side], sizes[1 - side]))
        return f"{dsl.format_plan(mirrored(plan, scenario.map.size) if turned else plan)}\n"


@dataclass(frozen=True)
class Hold:
    """Units that stay where they are and fight what comes into their reach."""

    name: str = "hold"

    def order(self, moment: Moment) -> Order:
        """Return the plan at the first moment; see `Commander.order`."""
        return Order(holding(moment.seat) if moment.running is None else None)


def holding(seat: Seat) -> str:
    """Return the plan in which all units of a seat stay where they are."""
    facts = seat.facts()
    x, y = (int(each) for each in facts.own.position[facts.own.alive].mean(0))
    group = dsl.Group(dsl.UnitList(None), (x, y), "hold", ("any",))
    step = dsl.Step(0, (), dsl.Elimination(dsl.UnitList(None)), (group,))
    return f"{dsl.format_plan(dsl.PlanSyntax((step,)))}\n"


@dataclass
class Model:
    """A client of a language model, asked from scratch at every moment, with its present plan.

    Attributes:
        client: Who answers.
        name: Its name in tables.
        settings: How replies are drawn.
        repairs: How often a plan with errors is sent back.
        grammar: Whether servers that can are given the grammar of plans.
        full: Whether every unit is listed; else groups of units.
    """

    client: Client
    name: str
    settings: Settings = PLAIN
    repairs: int = REPAIRS
    grammar: bool = False
    full: bool = False
    _calls: int = field(default=0, repr=False)

    def order(self, moment: Moment) -> Order:
        """Ask for a plan; see `Commander.order`."""
        seat = moment.seat
        context = seat.own.context(0, seat.own.sizes)
        words, prompt = seat.describe(), read_prompt("hive.players.llm", VERSION)
        if moment.running is None:
            asked = prompt.fill("Order", count=context.team_size, reason=moment.reason)
        else:
            done = ", ".join(map(str, sorted(moment.running.achieved))) or "none"
            plan = dsl.format_plan(moment.running.plan)
            asked = prompt.fill("Present plan", reason=moment.reason, achieved=done, plan=plan.strip())
        facts, running = moment.facts, moment.running
        dialogue = Dialogue(
            self.client,
            words.system if self.full else words.short_system,
            context,
            repairs=self.repairs,
            grammar=constraint_of(context) if self.grammar else None,
            settings=self.settings,
            topic=Topic(world=seat.world.name, game=lambda: (facts, running)),
            written_for=seat.own.sizes,
        )
        answer = dialogue.ask(asked, words.state if self.full else words.short_state)
        tokens = sum((reply.usage.prompt or 0) + (reply.usage.reply or 0) for reply in answer.replies)
        spent = Order(None, asked, answer.text, "", len(answer.replies), tokens)
        if answer.kind != "plan" or answer.plan is None:
            return replace(spent, problem=FAILURES.get(answer.kind, answer.kind))
        return replace(spent, plan=f"{answer.plan.report.written}\n")


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
