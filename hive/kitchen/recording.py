"""The recording of one run in a kitchen, timestep by timestep, with what the cooks said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, ClassVar

import jax
import numpy as np
from numpy.typing import NDArray

from hive.keep.archive import DataError
from hive.keep.columns import Framed, number_texts
from hive.kitchen.codes import Deed
from hive.kitchen.cookbook import NO_ITEM, UTENSIL_CAPACITY, Cookbook
from hive.kitchen.layout import COOKS, Layout
from hive.kitchen.menu import decode
from hive.kitchen.setting import Setting
from hive.kitchen.state import Actions, State
from hive.kitchen.talks import Conversation
from hive.kitchen.tasks import Task

_ITEMS = ("held", "counters", "contents", "product")


class LineKind(IntEnum):
    """What a line of a conversation is."""

    SAY = 0
    PLAN = 1
    ANALYSIS = 2
    REFUSAL = 3  # what the validator answered


@dataclass(frozen=True)
class Line:
    """One field of an agent's answer, or an answer of the validator to it.

    Attributes:
        tick: Timesteps that were over when it was written.
        cook: 0 or 1.
        kind: What it is.
        text: Its words.
    """

    tick: int
    cook: int
    kind: LineKind
    text: str


@dataclass(frozen=True, eq=False, kw_only=True)
class KitchenRecording(Framed):
    """One run, frame by frame. T frames, C cooks, K counters, U utensils.

    Frame t shows the kitchen when `tick[t]` timesteps are over, and what the cooks did in the last one of them. Items
    are the codes of the cookbook.

    Attributes:
        title: Heading of the pictures.
        order: Name of the item to deliver.
        limit: Last timestep, from 0, at which a delivery counts.
        book: What exists.
        layout: Where it stands.
        tick: `[T]`, ascending.
        tile: `[T, C]` as `y * width + x`.
        facing: `[T, C]` `Move.NORTH` to `Move.WEST`.
        held: `[T, C]` items.
        counters: `[T, K]` items.
        contents: `[T, U, 3]` items put in and not started.
        product: `[T, U]` item made or ready; 0: not started.
        work: `[T, U]` timesteps worked.
        notice: `[T, U]` whether contents that match no recipe were just deleted.
        served: `[T]` whether the order was delivered.
        doing: `[T, C]` index into `deeds` of the named action of the timestep before the frame, or -1.
        done: `[T, C]` whether that action was completed in it.
        deeds: Texts of named actions.
        lines: The conversations, in order.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str] = "hive-kitchen-recording/1"
    noun: ClassVar[str] = "kitchen recording"

    title: str
    order: str
    limit: int
    book: Cookbook
    layout: Layout
    tick: NDArray[np.integer]
    tile: NDArray[np.integer]
    facing: NDArray[np.integer]
    held: NDArray[np.integer]
    counters: NDArray[np.integer]
    contents: NDArray[np.integer]
    product: NDArray[np.integer]
    work: NDArray[np.integer]
    notice: NDArray[np.bool_]
    served: NDArray[np.bool_]
    doing: NDArray[np.integer]
    done: NDArray[np.bool_]
    deeds: tuple[str, ...]
    lines: tuple[Line, ...]

    def __post_init__(self) -> None:
        """Refuse fields that do not fit together."""
        t, u = len(self.tick), len(self.layout.utensils)
        wanted: dict[str, tuple[int, ...]] = dict.fromkeys(("tile", "facing", "held", "doing", "done"), (t, COOKS))
        wanted |= dict.fromkeys(("product", "work", "notice"), (t, u))
        wanted |= {"counters": (t, len(self.layout.counters)), "contents": (t, u, UTENSIL_CAPACITY), "served": (t,)}
        self.check_shapes(wanted)
        self.check_ticks()
        if self.order not in self.book.orders:
            raise DataError("kitchen recording: its order is not one of its cookbook")
        ranges = {"tile": (0, self.layout.width * self.layout.height), "facing": (0, 4), "doing": (-1, len(self.deeds))}
        self.check_ranges(dict.fromkeys(_ITEMS, (0, self.book.codes)) | ranges)
        made = {self.book.code[recipe.product] for recipe in self.book.recipes} | {NO_ITEM}
        if not made.issuperset(np.unique(self.product).tolist()):
            raise DataError("kitchen recording: product must be something that a utensil makes")
        if not all(0 <= line.cook < COOKS for line in self.lines):
            raise DataError(f"kitchen recording: a line belongs to cook 0 to {COOKS - 1}")

    def save(self, path: Path) -> None:
        """Write it as one file, atomically; see `hive.kitchen.replay_data`."""
        from hive.kitchen.replay_data import save_kitchen_recording

        save_kitchen_recording(self, path)

    @property
    def delivery(self) -> int | None:
        """Timestep of the correct delivery, from 0; None when there was none."""
        return int(self.tick[self.served.argmax()]) - 1 if self.served.any() else None

    @property
    def outcome(self) -> str:
        """How the run ended."""
        if self.delivery is None:
            return "not delivered"
        return f"delivered in timestep {self.delivery}" + (" (too late)" if self.delivery > self.limit else "")

    def needed(self, product: int) -> int:
        """Timesteps that a utensil works on a product."""
        return self.book.utensil[self.book.recipe[self.book.name(product)].utensil].timesteps


def gather(
    setting: Setting,
    task: Task,
    states: Sequence[State],
    doing: Sequence[Actions],
    done: Sequence[Actions],
    lines: Iterable[Line] = (),
    title: str = "",
    limit: int | None = None,
) -> KitchenRecording:
    """Return the recording of a run.

    Args:
        setting: The kitchen.
        task: What was ordered.
        states: The state before the first timestep, and after each one.
        doing: What the cooks were doing in each timestep, as given to `controller.advance`.
        done: What they completed in it, as returned by it.
        lines: What was said.
        title: Heading; empty: that of the task.
        limit: Last timestep at which a delivery counts; None: that of the task.

    Raises:
        ValueError: There is not one state more than timesteps.
    """
    if not len(states) == len(doing) + 1 == len(done) + 1:
        raise ValueError(f"{len(doing)} timesteps have {len(doing) + 1} states, not {len(states)}")
    states, doing, done = jax.device_get((list(states), list(doing), list(done)))
    index, deeds = number_texts([[_deed(setting, actions, cook) for cook in range(COOKS)] for actions in doing], COOKS)
    completed = [np.zeros(COOKS, bool), *(np.asarray(each.deed) != Deed.NOTHING for each in done)]
    stacked: dict[str, Any] = {
        name: np.stack([np.asarray(getattr(state, name)) for state in states])
        for name in ("tile", "facing", "held", "counters", "contents", "product", "work", "notice", "served")
    }
    level = f" (level {task.level})" if task.level else ""
    return KitchenRecording(
        title=title or f"{task.title}{level}",
        order=task.order,
        limit=task.limit() if limit is None else limit,
        book=setting.book,
        layout=setting.layout,
        tick=np.array([int(state.clock) for state in states]),
        doing=index,
        done=np.stack(completed),
        deeds=deeds,
        lines=tuple(lines),
        **stacked,
    )


def lines_of(conversations: Iterable[Conversation]) -> tuple[Line, ...]:
    """Return conversations as lines; empty messages and plans are left out."""
    return tuple(
        Line(each.timestep, utterance.speaker, kind, text)
        for each in conversations
        for utterance in each.utterances
        for kind, text in ((LineKind.PLAN, utterance.plan), (LineKind.SAY, utterance.say))
        if text
    )


def _deed(setting: Setting, actions: Actions, cook: int) -> str:
    """Return the named action of a cook; empty for none."""
    columns = actions.deed, actions.item, actions.place, actions.left
    return str(decode(setting, *(int(each[cook]) for each in columns)) or "")


__all__ = ["KitchenRecording", "Line", "LineKind", "gather", "lines_of"]
