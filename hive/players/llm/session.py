"""A commander's session: a dialogue about a world, and the game that its plans play, which may pause for new orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import dsl
from dsl import UserError
from dsl.narrowing import narrow
from hive.engine.instant import state_at_start
from hive.engine.live import LiveGame, Opponent
from hive.engine.types import PLAYER, State
from hive.engine.world import EngineWorld, ReadableWorld
from hive.kit.contract import Kind
from hive.kit.facts import Facts, Running
from hive.kit.plan_text import PlanText
from hive.kit.planned_world import Request, Run
from hive.kit.reporting import Description
from hive.players.llm.client import PLAIN, REPAIRS, Client, Constraint, Image, Settings, TextSink, Topic
from hive.players.llm.dialogue import Answer, Dialogue


@dataclass(frozen=True)
class DialogueConfig:
    """How a model is told about a game and how its replies are read.

    Attributes:
        full: Whether every unit is listed and the map is complete; else groups of units and a shorter map.
        repairs: How often a plan with errors is sent back for one prompt.
        settings: How replies are drawn.
        grammar: Whether servers that can are given the grammar of plans for this world.
        converse: Whether the first reply to a prompt is free text all the same.
    """

    full: bool = False
    repairs: int = REPAIRS
    settings: Settings = PLAIN
    grammar: bool = True
    converse: bool = False


class Session:
    """A player, a model, and one game of a world.

    Plans are written for the present team sizes, unless the request names others.

    Attributes:
        request: What is played; it holds no plan.
        world: The world.
        dialogue: What was said.
        plans: Every plan with the tick from which it is followed, the first from 0.
        suggestions: Orders that a person may begin with, such as those that a recording answers.
        room: Least capacities of the game for plans to follow (`hive.engine.swapping.with_room`); empty: the defaults.
        against: Name of the commander of the enemy, and what makes one for a new game; None: the scenario's plan.
    """

    def __init__(self, request: Request, kind: Kind, client: Client, config: DialogueConfig) -> None:
        """Load the world and begin a dialogue.

        Args:
            request: The world, its changes and the seed.
            kind: The kind of the world.
            client: Who answers.
            config: How it is told and read.

        Raises:
            UserError: Anything is wrong with the request.
        """
        world, self.seed = kind.load(request)
        self.world = cast(EngineWorld, world)  # the engine plays all kinds that take plans
        actual = self.world.sizes if self.world.sizes != self.world.written_for else None
        self.request = replace(request, written_for=request.written_for or actual)
        self.kind, self.config = kind, config
        self.plans: list[tuple[int, PlanText]] = []
        self.suggestions: tuple[str, ...] = ()
        self.room: Mapping[str, int] = {}
        self.against: tuple[str, Callable[[], Opponent]] | None = None
        self._live: LiveGame | None = None
        self._start = state_at_start(self.world, self.seed)
        context = self.world.context(0, self.request.written_for)
        self.dialogue = Dialogue(
            client,
            self._system(),
            context,
            repairs=config.repairs,
            grammar=constraint_of(context) if config.grammar else None,
            converse=config.converse,
            settings=config.settings,
            topic=Topic(world=self.world.name, plan=kind.own_plan(self.request)),
            lenient=request.lenient,
            written_for=self.request.written_for,
        )

    @property
    def tick(self) -> int:
        """Ticks played."""
        return self._live.tick if self._live else 0

    @property
    def outcome(self) -> str:
        """How the game stands; `running` before it began."""
        return self._live.outcome if self._live else "running"

    @property
    def over(self) -> bool:
        """Whether the game takes no more orders; one whose plan is finished does."""
        return self._live is not None and self._live.over

    def _system(self) -> str:
        words = self.words()
        return words.system if self.config.full else words.short_system

    def words(self) -> Description:
        """Describe the game now."""
        return self.world.describe(self.state)

    def images(self) -> list[Image]:
        """Return the picture that replaces the map in words in the next prompt; none where the map is in words."""
        form = self.request.map_picture
        return [] if form is None else [Image(f"map-{form}", self.world.map_png(self.state, form))]

    @property
    def state(self) -> State:
        """Units and map now."""
        return self._live.state if self._live else self._start

    def prompt(
        self, text: str, images: Sequence[Image] = (), told: TextSink | None = None, returned: TextSink | None = None
    ) -> Answer:
        """Send a prompt with the present state of the game; a plan in the reply holds from now on.

        The arguments are those of `Dialogue.ask`.

        Raises:
            ModelError: The model could not be asked; the dialogue and the game are kept.
            UserError: The game is over, or the prompt cannot be sent.
        """
        answer = self.dialogue.ask(text, self.state_for(text), images, told, returned)
        if answer.plan and answer.kind == "plan":
            self.order(answer.plan)
        return answer

    def state_for(self, prompt: str) -> str:
        """Return the present state of the game in words, which follows a prompt.

        Raises:
            UserError: The game is over, or the prompt cannot be sent.
        """
        if self.over:
            raise UserError(
                f"the game is over after {self.tick} ticks: {self.outcome}\n"
                "  = help: begin again; `/again` does so in `hive chat`"
            )
        try:
            prompt.encode()
        except UnicodeEncodeError:  # Python keeps bytes that are no UTF-8 as halves of characters
            raise UserError("the prompt is not UTF-8 text") from None
        self.dialogue.topic = replace(self.dialogue.topic, game=self._game())
        words = self.words()
        return words.state if self.config.full else words.short_state

    def _game(self) -> Callable[[], tuple[Facts, Running | None]] | None:
        """Return what reads the facts of the present game, also later and on another thread."""
        if not isinstance(self.world, ReadableWorld) or self.request.written_for not in (None, self.world.sizes):
            return None  # ids of a plan for other sizes are not those of the facts
        world, state, running = self.world, self.state, None
        if self._live:
            running = running_of(self._live)
        elif self.plans and isinstance(plan := self.plans[-1][1].report.root, dsl.PlanSyntax):
            running = Running(plan)
        return lambda: (world.facts(state), running)

    def formatted(self, plan: PlanText) -> PlanText:
        """Return a plan without errors in the form in which it is followed and kept."""
        assert isinstance(plan.report.root, dsl.PlanSyntax), "only plans without errors are followed"
        text = f"{plan.report.written}\n"
        report = dsl.check_plan(text, plan.report.file, self.dialogue.context, self.dialogue.lenient)
        return PlanText("reply", text, report, self.request.written_for)

    def order(self, plan: PlanText, anew: bool = False) -> None:
        """Follow a plan without errors from now on; the present plan, given again, just goes on unless `anew`."""
        plan = self.formatted(plan)
        if not anew and self.plans and self.plans[-1][1].text == plan.text:
            return
        if self._live:
            self._live.order(plan)
            self.plans = list(self._live.plans)
        else:
            self.plans = [(0, plan)]

    def play(self, ticks: int) -> int:
        """Play so many ticks under the present plan, fewer if the game ends; return how many were played.

        Raises:
            UserError: There is no plan yet.
        """
        return self.live.play(ticks)

    @property
    def live(self) -> LiveGame:
        """The game; it begins with the first plan.

        Raises:
            UserError: There is no plan yet.
        """
        if not self.plans:
            raise UserError("there is no plan yet, so nothing can be played\n  = help: ask for a plan first")
        if self._live is None:
            self._live = self.begin(self.plans[0][1])
        return self._live

    def begin(self, plan: PlanText) -> LiveGame:
        """Return a new game with a plan, beside that of this session."""
        opponent = self.against[1]() if self.against else None
        return LiveGame(self.world, plan, self.seed, self.room, both=opponent is not None, opponent=opponent)

    def back(self, tick: int) -> None:
        """Go back to an earlier tick of the game and forget the plans that were given after it.

        Raises:
            UserError: There is no plan yet.
            ValueError: The game has not come so far.
        """
        self.live.back(tick)
        self.plans = list(self.live.plans)

    def again(self) -> None:
        """Go back to tick 0 and forget all plans; the dialogue is kept."""
        self.plans, self._live = [], None

    def mark(self, letter: str, place: tuple[int, int] | None) -> None:
        """Set or move a marker, or remove it (`place` None); the model reads of it with the next prompt.

        Raises:
            UserError: The world takes no markers, the letter or place is wrong, or there is no such marker to remove.
        """
        markers = dict(self.request.markers)
        if place is None and markers.pop(letter, None) is None:
            raise UserError(f"no marker {letter} was put on the map\n  = help: those of the scenario itself stay")
        if place:
            markers[letter] = place
        request = replace(self.request, markers=tuple(sorted(markers.items())))
        world, _ = self.kind.load(request)
        self.request, self.world = request, cast(EngineWorld, world)
        self.dialogue.system = self._system()

    def run(self, keep: bool, seeds: int | None = None, every: int | None = None, only_so_far: bool = False) -> Run:
        """Return the complete game, or games with several seeds, under the plans of this session.

        It repeats the game of this session exactly and goes on to its end; with `only_so_far` it times out at the tick
        that the game has come to.

        Raises:
            UserError: There is no plan yet.
        """
        if not self.plans:
            raise UserError("there is no plan yet, so nothing can be played\n  = help: ask for a plan first")
        (_, first), *later = self.plans
        numbers = self.request.numbers
        if only_so_far and self.outcome == "running":
            numbers = [*(each for each in numbers if each[0] != "limit"), ("limit", self.tick)]
        request = replace(
            self.request,
            numbers=numbers,
            plan=first.text,
            swaps=[(tick, plan.text) for tick, plan in later],
            enemy_swaps=[(tick, plan.text) for tick, plan in self._live.enemy_plans] if self._live else [],
            keep=keep,
            every=every,
            seeds=seeds,
            seed=self.seed if seeds is None else None,
        )
        return self.kind.prepare(request)


def running_of(live: LiveGame) -> Running:
    """Return the plan that a game follows now, with the steps that are achieved."""
    return Running(live.plans[-1][1].root, live.achieved(PLAYER))


def constraint_of(context: dsl.PlanContext) -> Constraint:
    """Return the grammar of a world's plans in both forms."""
    narrowed = narrow(context)
    return Constraint(narrowed.gbnf, narrowed.lark)
