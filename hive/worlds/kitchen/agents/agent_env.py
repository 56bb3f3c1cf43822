"""One game of the kitchen as its two cooks know it; see `hive.kit.agent_env.PlanAgentEnv`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dsl import UserError
from dsl.diagnostics import Diagnostic
from hive.kit.agent_env import IDLE, Awaited, Choice, Observation, Option, Piece, Seat
from hive.worlds.kitchen.action import COUNTER, KitchenWords, NamedAction
from hive.worlds.kitchen.action_text import PlanEntry, read_plan
from hive.worlds.kitchen.agents import knowing
from hive.worlds.kitchen.agents.views import IN_A_DISH, UtensilView, View, view_text, words
from hive.worlds.kitchen.assembly import grid, ways
from hive.worlds.kitchen.codes import ActionKind, Place
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.snapshot import Snapshot, UtensilState, UtensilStatus
from hive.worlds.kitchen.tasks import Task
from hive.worlds.kitchen.validator import Validator

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
    def words(self) -> KitchenWords:
        """The words of the cooks' plans."""
        return replace(self.validator.words, wait_for=self.setting.switches.wait_for)

    @cached_property
    def costs(self) -> np.ndarray:
        """Moves and turns from each pose until a station is faced, `[P, S]`; `FAR` if it cannot be."""
        costs, _ = ways(*grid(self.setting.layout), len(self.setting.layout.stations))
        return costs

    @cached_property
    def actions(self) -> tuple[NamedAction, ...]:
        """Every well-formed action; action number n stands at n - 1."""
        return self.validator.words.every_action()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Numbers of the actions by their texts."""
        return {str(action): number for number, action in enumerate(self.actions, 1)}


class KitchenAgentEnv:
    """One game.

    Attributes:
        chosen: Number of the action that each cook begins in the next timestep.
        snapshot: The kitchen now.
        tiles: Where the cooks are.
        facings: Where they look, `Move.NORTH` to `Move.WEST`.
    """

    def __init__(self, rulebook: Rulebook, task: Task, limit: int, seed: int) -> None:
        """Begin a game; `look` has to follow.

        Args:
            rulebook: The kitchen.
            task: What is ordered.
            limit: Last timestep at which a delivery counts.
            seed: Number of the game; a kitchen has no chance in it.
        """
        self.rulebook, self.order, self.seed = rulebook, task, seed
        self.name = f"kitchen/{task.order}"
        self.task = " ".join(words().fill("Task", order=task.order, last=limit).split())
        cooks = rulebook.setting.layout.cooks
        self.seats = tuple(Seat(cook.name, kind) for cook, kind in zip(cooks, knowing.KINDS, strict=True))
        self.roles: Mapping[str, str] = words().table("Roles")
        self.limit = limit + 1  # a delivery in the last timestep counts
        self.chosen: dict[int, int] = {}
        self.delivery: int | None = None
        self.tick = 0
        self._done: tuple[list[tuple[int, str]], ...] = ([], [])
        self._busy: tuple[bool, ...] = (False, False)
        self.snapshot: Snapshot
        self.tiles: tuple[tuple[int, int], ...]
        self.facings: tuple[int, ...]

    @property
    def score(self) -> float:
        """`REWARD` after a correct delivery, else 0."""
        return 0.0 if self.delivery is None else REWARD

    @property
    def over(self) -> bool:
        """Whether the order was delivered or the time is over."""
        return self.delivery is not None or self.tick >= self.limit

    def living(self) -> tuple[int, ...]:
        """Both cooks."""
        return (0, 1)

    def observe(self, agent: int) -> Observation:
        """Return what a cook perceives now."""
        view = view_text(self.view(agent))
        role = f"You tell {self.seats[agent].name}, a cook, in one paragraph what can be seen in the kitchen."
        return Observation(role, view, " ".join(view.split()), str(self.tiles[agent]))

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
        """The recipe, for a cook that has it, and how long actions take."""
        times = knowing.times(self.rulebook.setting, self.rulebook.costs)
        return "\n\n".join([knowing.knowledge(self.rulebook.setting, self.order, agent), *times])

    def manual(self, agent: int) -> str:
        """The actions of a cook, a line each."""
        return knowing.manual(self.rulebook.setting, agent)

    def read(self, agent: int, text: str) -> tuple[Piece, ...]:
        """Read a plan of actions separated by `;`."""
        return tuple(map(self._piece, read_plan(text, self.rulebook.words).entries))

    def awaited(self, agent: int, piece: Piece) -> Awaited | None:
        """Return what an action needs that may come while the cook waits (docs/rules/kitchen.md 10.5)."""
        action = read_plan(piece.words, self.rulebook.words).entries[0].action
        if action is None:
            return None
        now, item = self.snapshot, action.item
        number = self.rulebook.setting.layout.numbers.get(action.place)
        there = None if number is None else now.utensils[number]
        product = self.rulebook.setting.book.code.get(item)
        works = there is not None and there.status == UtensilStatus.WORKING and there.product == product
        found = Awaited(f"{item} {'on a counter' if there is None else f'in {action.place}'}", works)
        if piece.waits:
            return None if self._there(agent, action) else found
        code = self.rulebook.validator.code(now, agent, action)
        if code == "K2":
            return Awaited("an empty counter", False)
        early = code == "P4b" or (
            code == "P1" and works and not self.rulebook.validator.leaves_in_dish(action.place, item)
        )
        return found if early and not now.held[agent] else None

    def done(self, agent: int) -> Sequence[tuple[int, str]]:
        """Timestep and text of every action that a cook completed; a wait completes nothing."""
        return tuple(self._done[agent])

    def view(self, agent: int) -> View:
        """Return what a cook sees now, as facts."""
        setting, now = self.rulebook.setting, self.snapshot
        layout = setting.layout
        poses = [4 * (y * layout.width + x) + facing for (x, y), facing in zip(self.tiles, self.facings, strict=True)]
        mine = layout.reach[agent] - layout.reach[1 - agent]
        items = dict(zip(layout.counters, map(self._item, now.counters), strict=True))
        return View(
            order=self.order.order,
            timestep=self.tick,
            spaces=tuple((cook.name, self._space(number)) for number, cook in enumerate(layout.cooks)),
            hands=tuple((cook.name, self._item(item)) for cook, item in zip(layout.cooks, now.held, strict=True)),
            times=tuple(
                (cook.name, knowing.reach_times(layout, number, self.rulebook.costs[poses[number]]))
                for number, cook in enumerate(layout.cooks)
            ),
            tools=tuple(map(self._tool, layout.instances, layout.utensils, now.utensils)),
            shared=tuple(items[station] for station in layout.shared),
            own=tuple(items[station] for station in layout.counters if station in mine and items[station]),
            notices=tuple(each.message for each in self.rulebook.validator.notices(now)),
        )

    def look(
        self,
        snapshot: Snapshot,
        tiles: tuple[tuple[int, int], ...],
        busy: tuple[bool, ...] = (False, False),
        facings: tuple[int, ...] | None = None,
    ) -> None:
        """Take what is to be seen of the game now; without facings, cooks face as at the start."""
        cooks = self.rulebook.setting.layout.cooks
        self.facings = tuple(cook.facing for cook in cooks) if facings is None else facings
        self.snapshot, self.tiles, self._busy, self.chosen = snapshot, tiles, busy, {}

    def advance(self, completed: Sequence[NamedAction | None], served: bool) -> None:
        """Take what was completed in a timestep."""
        for log, action in zip(self._done, completed, strict=True):
            if action is not None:
                log.append((self.tick, str(action)))
        if served and self.delivery is None:
            self.delivery = self.tick
        self.tick += 1

    def _there(self, cook: int, action: NamedAction) -> bool:
        """Whether the item of a wait is where it is waited for."""
        book, layout, now = self.rulebook.setting.book, self.rulebook.setting.layout, self.snapshot
        if action.place == COUNTER:
            reached = [
                each
                for station, each in zip(layout.counters, now.counters, strict=True)
                if station in layout.reach[cook]
            ]
            return book.code[action.item] in map(book.plain, reached)
        number = self.rulebook.setting.layout.numbers.get(action.place)
        if number is None:
            return True  # dispensers never run out
        there = now.utensils[number]
        return there.status == UtensilStatus.READY and there.product == book.code.get(action.item)

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
        waits = action.kind == ActionKind.WAIT and bool(action.item)
        name = str(NamedAction(ActionKind.WAIT, timesteps=1)) if waits else str(action)
        choice = Choice(self.rulebook.numbers[name], (), str(action))
        return Piece(str(action), choice, entry.request, None, waits)

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
