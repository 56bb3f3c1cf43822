"""Who may command a side: the plain commander, a plan, units that stay, a search, or a language model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import dsl
from dsl import UserError
from hive.engine.plan.rescale import rescale_plan
from hive.engine.types import ENEMY, PLAYER
from hive.experiments.commanders.moments import NOTHING, Cost, Moment, Order, steps_of
from hive.experiments.league.seats import mirrored, why_no_mirror
from hive.experiments.panel.measuring import PanelSearch, Trial
from hive.experiments.panel.members import attack_plan
from hive.kit.plan_text import plan_text
from hive.kit.prompts import read_prompt
from hive.players.llm.campaign import FAILURES
from hive.players.llm.client import (
    PLAIN,
    REPAIRS,
    ChatRequest,
    Client,
    ModelError,
    Reply,
    Settings,
    TextSink,
    Topic,
)
from hive.players.llm.dialogue import Dialogue
from hive.players.llm.session import constraint_of
from hive.players.words.reading import interpret
from hive.worlds.battle.briefing import TRUE, Wording
from hive.worlds.battle.drawn.classes import is_drawn, read_name
from hive.worlds.battle.drawn.draw import draw_with_facts
from hive.worlds.battle.scenario.model import HOLD
from hive.worlds.battle.seat import Seat

TASK = (
    "Write one plan for the complete battle that fulfils the mission of the briefing. There will be no later order, "
    "so the plan must last until the battle is decided."
)
"""What a language model is asked that plans only once."""


ORDERS = {1: 1, 2: 1, 3: 2}
"""The version of the prompt for orders in a running game that goes with each version of the prompt of battles."""
KEEP = "KEEP PLAN"
"""A line of a reply in a running game: the present plan goes on."""


@dataclass(frozen=True)
class Words:
    """The plain commander, which reads one order in English again at every moment.

    Attributes:
        text: The order; empty: one that says the mission, see `mission_orders`.
        name: Its name in tables.
    """

    text: str = ""
    name: str = "words"

    def check(self, seat: Seat) -> None:
        """It commands any side; an order that it does not understand is silence."""

    def order(self, moment: Moment) -> Order:
        """Read the order with what is known now; see `Commander.order`."""
        orders, facts = [self.text] if self.text else mission_orders(moment.seat), moment.facts
        # An order that changes nothing in the present plan, such as to hold, is read as the first one.
        plans = [moment.running, None] if moment.running else [None]
        answers = ((text, interpret(text, facts, running)) for text in orders for running in plans)
        first = text, found = next(answers)
        if not found.plan:
            text, found = next((each for each in answers if each[1].plan), (first[0], first[1].decided))
        if found.plan:
            return Order(f"{found.plan}\n", text, found.text)
        problem = f"it asks back: {found.question.splitlines()[0]}"
        return Order(None, text, found.question, "no_plan", problem)


def mission_orders(seat: Seat) -> list[str]:
    """Return orders that say the mission of a side; the plain commander follows the first that it understands."""
    mine, other = seat.own.scenario.player.objective, seat.own.scenario.enemy.objective
    places = [f"({x}, {y})" for x, y in mine.places or other.places]
    if mine.kind == "elimination":
        return ["send each type against the enemy that it beats", "everyone attack the enemies"]
    if mine.places:
        return [f"everyone go to {places[0]}"]
    if places:
        return [f"share the army out over {' and '.join(places)} and hold them", f"everyone hold {places[0]}"]
    return ["everyone hold their position"]


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

    def check(self, seat: Seat) -> None:
        """Refuse a plan with errors in this seat; see `Commander.check`."""
        self._text(seat)

    def order(self, moment: Moment) -> Order:
        """Return the plan at the first moment; see `Commander.order`."""
        if moment.running is not None:
            return Order(None)
        return Order(self._text(moment.seat) or staying(moment.seat, HOLD))

    def _text(self, seat: Seat) -> str | None:
        """Return the plan for a seat, rescaled to its armies; None where the battle has none of its own.

        Raises:
            UserError: There is no such plan, or it does not fit the battle.
        """
        world, side = seat.world, seat.side
        turned = False
        source = self.player if side == PLAYER else self.enemy
        if self.player is None:
            source = world.side(side).plan
        elif source is None:
            source, turned = self.player, why_no_mirror(world.scenario) is None
        return None if source is None else _fitted(source, seat, turned)


def _fitted(source: str, seat: Seat, turned: bool = False) -> str:
    """Return a plan, rescaled to the armies of a battle; a `turned` one is the player's, mirrored."""
    world, side = seat.world, seat.side
    text, file = plan_text(source)
    plan = dsl.parse_plan(text, file, world.context(PLAYER if turned else side))
    written, sizes = world.written_for, world.sizes
    plan = rescale_plan(plan, (written[side], sizes[side]), (written[1 - side], sizes[1 - side]))
    return f"{dsl.format_plan(mirrored(plan, world.scenario.map.size) if turned else plan)}\n"


@dataclass(frozen=True)
class Staying:
    """Units that stay where they are.

    Attributes:
        name: The tree that they follow: with `hold` they fight what comes into their reach, with `stand` nothing.
    """

    name: str

    def check(self, seat: Seat) -> None:
        """Refuse a battle that does not have the tree; see `Commander.check`."""
        if self.name not in seat.world.behaviours:
            raise UserError(
                f"`{self.name}` cannot command {seat.world.name}, whose units have no tree of that name\n"
                "  = help: `hold` commands every battle"
            )

    def order(self, moment: Moment) -> Order:
        """Return the plan at the first moment; see `Commander.order`."""
        return Order(staying(moment.seat, self.name) if moment.running is None else None)


def staying(seat: Seat, tree: str) -> str:
    """Return the plan in which all units of a seat stay where they are."""
    facts = seat.facts()
    x, y = (int(each) for each in facts.own.position[facts.own.alive].mean(0))
    group = dsl.Group(dsl.UnitList(None), (x, y), tree, ("any",))
    step = dsl.Step(0, (), dsl.Elimination(dsl.UnitList(None)), (group,))
    return f"{dsl.format_plan(dsl.PlanSyntax((step,)))}\n"


@dataclass(frozen=True)
class Attack:
    """All fighters go to the other side's nearest post of a drawn battle, and attack what they see on the way."""

    name: str = "attack"

    def check(self, seat: Seat) -> None:
        """Refuse a battle that is not drawn; see `Commander.check`."""
        _check_drawn(self.name, seat)

    def order(self, moment: Moment) -> Order:
        """Return the plan at the first moment; see `Commander.order`."""
        if moment.running is not None:
            return Order(None)
        seat = moment.seat
        self.check(seat)
        return Order(_fitted(attack_plan(draw_with_facts(*read_name(seat.world.name)), seat.side), seat))


@dataclass(frozen=True)
class Searched:
    """The best plan of a search of at most so many plans; its games have other seeds than those of a study.

    Attributes:
        most: Most plans.
    """

    most: int

    @property
    def name(self) -> str:
        """Its name with the budget, such as `search-64`."""
        return f"search-{self.most}"

    def check(self, seat: Seat) -> None:
        """Refuse the enemy's seat, and a battle that is not drawn or was changed; see `Commander.check`."""
        _check_drawn(self.name, seat)
        if seat.side == ENEMY or seat.world.sizes != seat.world.written_for:
            raise UserError(
                f"`{self.name}` cannot command this side of {seat.world.name}: the search plays drawn battles as they "
                "are, from the player's side\n  = help: `hive study` takes it; a duel has both sides"
            )

    def order(self, moment: Moment) -> Order:
        """Return the plan at the first moment; see `Commander.order`."""
        if moment.running is not None:
            return Order(None)
        self.check(moment.seat)
        text, games = _searched(moment.seat.world.name, self.most)
        return Order(text, cost=Cost(games=0 if moment.seed else games))  # one search serves all seeds of a study


@cache
def _searched(battle: str, most: int) -> tuple[str, int]:
    """Return the best plan of a search in a battle, and the games that it played; no game of a study changes it."""
    search = PanelSearch(Trial(battle), most, "default")
    while not search.ended:
        search.advance()
    return search.text, search.search.games


def _check_drawn(name: str, seat: Seat) -> None:
    if not is_drawn(seat.world.name):
        raise UserError(
            f"`{name}` cannot command {seat.world.name}, which is no drawn battle\n"
            "  = help: name a drawn one, as in battle/rivers/17"
        )


@dataclass(frozen=True)
class Model:
    """A client of a language model, asked from scratch at every moment, with its present plan.

    Attributes:
        client: Who answers.
        settings: How replies are drawn; the seed of the game takes the place of theirs.
        repairs: How often a plan with errors is sent back.
        grammar: Whether servers that can are given the grammar of plans.
        wording: How a battle is described to it.
    """

    client: Client
    settings: Settings = PLAIN
    repairs: int = REPAIRS
    grammar: bool = False
    wording: Wording = TRUE

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.client.name

    def check(self, seat: Seat) -> None:
        """It is asked about any side."""

    def order(self, moment: Moment) -> Order:
        """Ask for a plan; see `Commander.order`."""
        seat, facts, running = moment.seat, moment.facts, moment.running
        context, words = seat.own.context(0, seat.own.sizes), seat.describe(self.wording)
        counted = _Counted(self.client)
        dialogue = Dialogue(
            counted,
            words.short_system,
            context,
            repairs=self.repairs,
            grammar=constraint_of(context) if self.grammar else None,
            settings=replace(self.settings, seed=moment.seed),
            topic=Topic(world=seat.world.name, plan=seat.own.plan, answers=False, game=lambda: (facts, running)),
            written_for=seat.own.sizes,
        )
        asked = _asked(moment, context, ORDERS[self.wording.prompt])
        try:
            answer = dialogue.ask(asked, words.short_state)
        except ModelError as error:
            return Order(None, asked, kind="no_reply", problem=str(error), cost=counted.cost)
        cost = counted.cost
        if answer.kind == "no_plan" and running is not None and _keeps(answer.text):
            return Order(None, asked, answer.text, cost=cost)
        if answer.kind != "plan" or answer.plan is None:
            return Order(None, asked, answer.text, answer.kind, FAILURES[answer.kind], cost)
        return Order(f"{answer.plan.report.written}\n", asked, answer.text, cost=cost)


def _keeps(text: str) -> bool:
    return any(line.strip("`*. ") == KEEP for line in text.splitlines())


class _Counted:
    """A client that adds up what its requests cost, those that failed included."""

    def __init__(self, client: Client) -> None:
        self._client, self.cost = client, NOTHING
        self.name, self.about = client.name, client.about

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Ask the client; see `Client.complete`."""
        self.cost += Cost(calls=1)
        reply = self._client.complete(request, told)
        counts = reply.usage.prompt, reply.usage.reply
        self.cost += Cost(0, counts[0] or 0, counts[1] or 0, int(None in counts), seconds=reply.seconds)
        return reply


def _asked(moment: Moment, context: dsl.PlanContext, version: int) -> str:
    if moment.last:
        return TASK
    prompt, title = read_prompt("hive.players.llm", version), "Order"
    values: dict[str, object] = {"count": context.team_size, "reason": moment.reason, "later": moment.later}
    if moment.running is not None:
        title, plan, over = "Present plan", moment.running.plan, moment.running.achieved
        own, ticks = steps_of(moment.text), moment.ticks
        active = (step for step in plan.steps if step.id in own - over and over.issuperset(step.prerequisites))
        since = {step.id: max([moment.began, *(ticks[each] for each in step.prerequisites)]) for step in active}
        values |= {
            "tick": moment.tick,
            "limit": moment.seat.world.limit,
            "changes": moment.changes,
            "achieved": ", ".join(map(str, sorted(over))) or "none",
            "plan": dsl.format_plan(plan).strip(),
            "over": ", ".join(f"{step} (at tick {ticks[step]})" for step in sorted(over & own)) or "none",
            "active": ", ".join(f"{step} (for {moment.tick - at} ticks)" for step, at in since.items()) or "none",
            "words": moment.text.strip(),
        }
    return prompt.fill_from(title, values)


def plan_name(file: str) -> str:
    """Return the name in tables of a plan in a file."""
    return Path(file).stem
