"""One game of the kitchen as its two cooks know it; see `hive.stage.PlanStage`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dsl import UserError
from dsl.diagnostics import Diagnostic
from hive.kitchen.action import NamedAction
from hive.kitchen.action_text import PlanEntry, read_plan
from hive.kitchen.agents import knowing
from hive.kitchen.agents.views import IN_A_DISH, UtensilView, View, view_text, words
from hive.kitchen.codes import Place
from hive.kitchen.setting import Setting
from hive.kitchen.snapshot import Snapshot, UtensilState
from hive.kitchen.tasks import Task
from hive.kitchen.validator import Validator
from hive.stage import IDLE, Choice, Option, Piece, Seat, Sight

REWARD = 20.0
"""Score of a correct delivery (docs/rules/kitchen.md 5.2)."""


@dataclass(frozen=True)
class Rulebook:
    """What all games of a kitchen share: its validator, and every action by number from 1; 0 is doing nothing."""

    setting: Setting

    @cached_property
    def validator(self) -> Validator:
        """The validator."""
        return Validator(self.setting.book, self.setting.layout)

    @cached_property
    def actions(self) -> tuple[NamedAction, ...]:
        """Every well-formed action; action number n stands at n - 1."""
        return self.validator.words.every_action()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Numbers of the actions by their texts."""
        return {str(action): number for number, action in enumerate(self.actions, 1)}


class KitchenStage:
    """One game.

    Attributes:
        chosen: Number of the action that each cook begins in the next timestep.
        snapshot: The kitchen now.
        tiles: Where the cooks are.
    """

    def __init__(self, rulebook: Rulebook, task: Task, limit: int, seed: int) -> None:
        """Begin a game; `look` has to follow.

        Args:
            rulebook: The kitchen.
            task: What is ordered.
            limit: Last timestep at which a delivery counts.
            seed: Number of the game; a kitchen has no chance in it.
        """
        self.rulebook, self.order, self._last, self._seed = rulebook, task, limit, seed
        self.chosen: dict[int, int] = {}
        self.delivery: int | None = None
        self._tick = 0
        self._done: tuple[list[tuple[int, str]], ...] = ([], [])
        self._busy: tuple[bool, ...] = (False, False)
        self.snapshot: Snapshot
        self.tiles: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        """Such as `kitchen/boiled_egg`."""
        return f"kitchen/{self.order.order}"

    @property
    def seed(self) -> int:
        """Number of the game."""
        return self._seed

    @property
    def task(self) -> str:
        """The order, the kitchen and the limit in words."""
        return " ".join(words().fill("Task", order=self.order.order, last=self._last).split())

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """The two cooks by their names."""
        cooks = self.rulebook.setting.layout.cooks
        return tuple(Seat(cook.name, kind) for cook, kind in zip(cooks, knowing.KINDS, strict=True))

    @property
    def roles(self) -> Mapping[str, str]:
        """A line about each of the two."""
        return words().table("Roles")

    @property
    def limit(self) -> int:
        """Most timesteps; a delivery in the last one counts."""
        return self._last + 1

    @property
    def tick(self) -> int:
        """Timesteps so far."""
        return self._tick

    @property
    def score(self) -> float:
        """`REWARD` after a correct delivery, else 0."""
        return 0.0 if self.delivery is None else REWARD

    @property
    def over(self) -> bool:
        """Whether the order was delivered or the time is over."""
        return self.delivery is not None or self._tick >= self.limit

    def living(self) -> tuple[int, ...]:
        """Both cooks."""
        return (0, 1)

    def sight(self, agent: int) -> Sight:
        """Return what a cook perceives now."""
        view = view_text(self.view(agent))
        role = f"You tell {self.seats[agent].name}, a cook, in one paragraph what can be seen in the kitchen."
        return Sight(role, view, " ".join(view.split()), str(self.tiles[agent]))

    def bound(self, agent: int) -> str | None:
        """None: a cook can always choose when it is free."""
        return None

    def options(self, kind: str, single: bool) -> tuple[Option, ...]:
        """Return every action of a cook, 0 for doing nothing.

        Raises:
            UserError: Actions of a single timestep are asked for.
        """
        if single:
            raise UserError(
                "an action of a cook runs until it is done, and this framework wants one in every timestep\n"
                "  = help: use the framework `cook`"
            )
        found = [Option(0, IDLE.words, (), "stay for one timestep", IDLE.words)]
        cook = knowing.KINDS.index(kind)
        for number, action in enumerate(self.rulebook.actions, 1):
            if self._within(cook, action):
                found.append(Option(number, str(action), (), "", str(action)))
        return tuple(found)

    def check(self, agent: int, choice: Choice, single: bool) -> str | None:
        """Return the code and the sentence of a refusal (docs/rules/kitchen.md 9.3), or None."""
        if choice.number == 0:
            return None
        if not 1 <= choice.number <= len(self.rulebook.actions):
            return f"there is no action {choice.number}"
        return _words(self.rulebook.validator.check(self.snapshot, agent, self.rulebook.actions[choice.number - 1]))

    def begin(self, agent: int, choice: Choice, single: bool) -> None:
        """Give a cook an action from the next timestep on.

        Raises:
            ValueError: `check` refuses the action.
        """
        if wrong := self.check(agent, choice, single):
            raise ValueError(wrong)
        self.chosen[agent] = choice.number

    def busy(self, agent: int) -> bool:
        """Whether a cook's action goes on."""
        return agent in self.chosen or self._busy[agent]

    def knowledge(self, agent: int) -> str:
        """The recipe, for a cook that has it."""
        return knowing.knowledge(self.rulebook.setting, self.order, agent)

    def manual(self, agent: int) -> str:
        """The actions of a cook, a line each."""
        return knowing.manual(self.rulebook.setting, agent)

    def read(self, agent: int, text: str) -> tuple[Piece, ...]:
        """Read a plan of actions separated by `;`."""
        return tuple(map(self._piece, read_plan(text, self.rulebook.validator.words).entries))

    def done(self, agent: int) -> Sequence[tuple[int, str]]:
        """Timestep and text of every action that a cook completed; a wait completes nothing."""
        return tuple(self._done[agent])

    def view(self, agent: int) -> View:
        """Return what a cook sees now, as facts."""
        setting, now = self.rulebook.setting, self.snapshot
        layout = setting.layout
        mine = layout.reach[agent] - layout.reach[1 - agent]
        items = dict(zip(layout.counters, map(self._item, now.counters), strict=True))
        return View(
            order=self.order.order,
            timestep=self._tick,
            spaces=tuple((cook.name, self._space(number)) for number, cook in enumerate(layout.cooks)),
            hands=tuple((cook.name, self._item(item)) for cook, item in zip(layout.cooks, now.held, strict=True)),
            tools=tuple(map(self._tool, layout.instances, layout.utensils, now.utensils)),
            shared=tuple(items[station] for station in layout.shared),
            own=tuple(items[station] for station in layout.counters if station in mine and items[station]),
            notices=tuple(each.message for each in self.rulebook.validator.notices(now)),
        )

    def look(
        self, snapshot: Snapshot, tiles: tuple[tuple[int, int], ...], busy: tuple[bool, ...] = (False, False)
    ) -> None:
        """Take what is to be seen of the game now."""
        self.snapshot, self.tiles, self._busy, self.chosen = snapshot, tiles, busy, {}

    def advance(self, completed: Sequence[NamedAction | None], served: bool) -> None:
        """Take what was completed in a timestep."""
        for log, action in zip(self._done, completed, strict=True):
            if action is not None:
                log.append((self._tick, str(action)))
        if served and self.delivery is None:
            self.delivery = self._tick
        self._tick += 1

    def _within(self, cook: int, action: NamedAction) -> bool:
        """Whether a cook ever can do an action here."""
        validator, place = self.rulebook.validator, action.place
        if action.operation:
            return validator.may_operate(cook, place)
        return not place or validator.reaches(cook, place)

    def _piece(self, entry: PlanEntry) -> Piece:
        action = entry.action
        if action is None:
            return Piece(entry.span.text, None, entry.request, _words(entry.findings[-1]))
        return Piece(str(action), Choice(self.rulebook.numbers[str(action)], (), str(action)), entry.request, None)

    def _space(self, cook: int) -> tuple[str, ...]:
        setting = self.rulebook.setting
        layout, book, found = setting.layout, setting.book, list[str]()
        for number in sorted(layout.reach[cook], key=lambda station: layout.stations[station].place, reverse=True):
            station = layout.stations[number]
            if station.place >= Place.UTENSIL:
                kind = book.utensil[layout.utensils[station.place - Place.UTENSIL]]
                found.append(f"{station.name} ({kind.operation}, {kind.timesteps} timesteps)")
            elif station.place != Place.COUNTER:
                found.append(station.name)
        return tuple(found)

    def _item(self, code: int) -> str:
        book = self.rulebook.setting.book
        return book.name(code) + (IN_A_DISH if code > book.dish_code else "")

    def _tool(self, name: str, kind: str, now: UtensilState) -> UtensilView:
        book = self.rulebook.setting.book
        contents = tuple(map(book.name, now.contents))
        if now.product:
            return UtensilView(name, product=book.name(now.product), left=now.left)
        return UtensilView(name, contents, self._remark(kind, contents) if contents else "")

    def _remark(self, kind: str, contents: tuple[str, ...]) -> str:
        """Say what items in a type of utensil are good for."""
        book = self.rulebook.setting.book
        within = [
            each
            for each in book.recipes
            if each.utensil == kind and all(each.inputs.count(item) >= contents.count(item) for item in contents)
        ]
        whole = next((each.product for each in within if len(each.inputs) == len(contents)), None)
        if whole:
            return f"all that {whole} needs"
        return "something is missing" if within else "no product is made of this"


def _words(finding: Diagnostic | None) -> str | None:
    """Return a refusal as agents read it: code, sentence, and what to do instead."""
    if finding is None:
        return None
    more = [each for each in (finding.hint, finding.help) if each]
    return "; ".join([f"{finding.code}: {finding.message}", *more])
