"""The recording of one run in a kitchen, timestep by timestep, with what the cooks said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import numpy as np
from numpy.typing import NDArray

from dsl.wording import plural
from hive.kit.errors import DataError
from hive.kit.keep import toml
from hive.kit.keep.dialogue import Line
from hive.kit.keep.fields import codes, flags, index, lines, ticks, word, words
from hive.kit.keep.recording import Recording, number_texts
from hive.worlds.kitchen.codes import ActionKind, Move, Place
from hive.worlds.kitchen.cookbook import NO_ITEM, UTENSIL_CAPACITY, Cookbook, read_cookbook
from hive.worlds.kitchen.layout import COOKS, Layout, read_layout
from hive.worlds.kitchen.menu import decode
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.state import Actions, State
from hive.worlds.kitchen.tasks import Task


@dataclass(frozen=True, eq=False, kw_only=True)
class KitchenRecording(Recording):
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
        served: `[T]` whether the order was delivered; of a stream, whether one was in the timestep before.
        doing: `[T, C]` index into `deeds` of the named action of the timestep before the frame, or -1.
        done: `[T, C]` whether that action was completed in it.
        deeds: Texts of named actions.
        lines: The conversations, in order.
        orders: Of a stream, all orders in turn, the last one not delivered; empty: `order` is the only one.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str] = "hive-kitchen-recording/1"
    noun: ClassVar[str] = "kitchen recording"

    title: str = word(str)
    order: str = word(str)
    limit: int = word(int)
    book: Cookbook = words(
        {"cookbook": str},
        dump=lambda run: {"cookbook": cookbook_text(run.book)},
        read=lambda said, _: read_cookbook(said["cookbook"], "cookbook of the recording"),
    )
    layout: Layout = words(
        {"layout": str},
        dump=lambda run: {"layout": layout_text(run.layout, run.book)},
        read=lambda said, done: read_layout(said["layout"], done["book"], "layout of the recording"),
    )
    tick: NDArray[np.integer] = ticks()
    tile: NDArray[np.integer] = codes("T C", end="tiles")
    facing: NDArray[np.integer] = codes("T C", end=4)
    held: NDArray[np.integer] = codes("T C", end="items")
    counters: NDArray[np.integer] = codes("T K", end="items")
    contents: NDArray[np.integer] = codes(f"T U {UTENSIL_CAPACITY}", end="items")
    product: NDArray[np.integer] = codes("T U", end="items")
    work: NDArray[np.integer] = codes("T U")
    notice: NDArray[np.bool_] = flags("T U")
    served: NDArray[np.bool_] = flags("T")
    doing: NDArray[np.integer] = index("T C", of="deeds")
    done: NDArray[np.bool_] = flags("T C")
    deeds: tuple[str, ...] = word([str], read=tuple)
    lines: tuple[Line, ...] = lines("C", "cook")
    orders: tuple[str, ...] = words(
        {"orders?": [str]},
        dump=lambda run: {"orders": list(run.orders)} if run.orders else {},
        read=lambda said, _: tuple(said.get("orders", ())),
        default=(),
    )

    def lengths(self) -> Mapping[str, int]:
        """Cooks, counters, utensils, tiles, items and texts of actions."""
        plan = self.layout
        found = {"C": COOKS, "K": len(plan.counters), "U": len(plan.utensils), "tiles": plan.width * plan.height}
        return found | {"items": self.book.codes, "deeds": len(self.deeds)}

    def check(self) -> None:
        """Check that the order exists and that utensils hold what they make; errors are those of `Recording.check`."""
        if self.order not in self.book.orders:
            raise DataError("kitchen recording: its order is not one of its cookbook")
        if self.orders and (len(self.orders) != self.served.sum() + 1 or not set(self.orders) <= set(self.book.orders)):
            raise DataError("kitchen recording: orders must be those of its cookbook, one more than deliveries")
        made = {self.book.code[recipe.product] for recipe in self.book.recipes} | {NO_ITEM}
        if not made.issuperset(np.unique(self.product).tolist()):
            raise DataError("kitchen recording: product must be something that a utensil makes")

    @property
    def delivery(self) -> int | None:
        """Timestep of the correct delivery, from 0; None when there was none."""
        return int(self.tick[self.served.argmax()]) - 1 if self.served.any() else None

    def order_at(self, t: int) -> str:
        """Return the order that is to be delivered in frame `t`."""
        return self.orders[int(self.served[: t + 1].sum())] if self.orders else self.order

    @property
    def outcome(self) -> str:
        """How the run ended."""
        if self.orders:
            return f"{plural(len(self.orders) - 1, 'order')} delivered"
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
        doing: What the cooks were doing in each timestep, as given to `controller.drive`.
        done: What they completed in it, `State.completed`.
        lines: What was said.
        title: Heading; empty: that of the task.
        limit: Last timestep at which a delivery counts; None: that of the task.

    Raises:
        ValueError: There is not one state more than timesteps.
    """
    if not len(states) == len(doing) + 1 == len(done) + 1:
        raise ValueError(f"{len(doing)} timesteps have {len(doing) + 1} states, not {len(states)}")
    states, doing, done = jax.device_get((list(states), list(doing), list(done)))
    index, deeds = number_texts([[_kind(setting, actions, cook) for cook in range(COOKS)] for actions in doing], COOKS)
    completed = [np.zeros(COOKS, bool), *(np.asarray(each.kind) != ActionKind.NOTHING for each in done)]
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


def _kind(setting: Setting, actions: Actions, cook: int) -> str:
    """Return the named action of a cook; empty for none."""
    columns = actions.kind, actions.item, actions.place, actions.left
    return str(decode(setting, *(int(each[cook]) for each in columns)) or "")


def cookbook_text(book: Cookbook) -> str:
    """Return a cookbook as the text of a file that `read_cookbook` reads."""
    rows = ["schema = 1", *toml.pairs({"dish": book.dish, "ingredients": book.ingredients})]
    for utensil in book.utensils:
        about = {"letter": utensil.letter, "operation": utensil.operation, "timesteps": utensil.timesteps}
        rows += [f"[utensils.{utensil.name}]", *toml.pairs(about), f"[utensils.{utensil.name}.recipes]"]
        rows += toml.pairs({each.product: each.inputs for each in book.recipes if each.utensil == utensil.name})
    rows += ["[orders]", *toml.pairs({"with_dish": book.with_dish, "without_dish": book.without_dish})]
    return "\n".join([*rows, ""])


def layout_text(layout: Layout, book: Cookbook) -> str:
    """Return a layout as the text of a file that `read_layout` reads; what no cook reaches becomes a counter."""
    letters = {Place.COUNTER: "X", Place.INGREDIENTS: "I", Place.DISHES: "D", Place.DELIVERY: "S"}
    tiles = dict.fromkeys(layout.floor, " ")
    for station in layout.stations:
        kind = None if station.place < Place.UTENSIL else layout.utensils[station.place - Place.UTENSIL]
        tiles[station.tile] = book.utensil[kind].letter if kind else letters[Place(station.place)]
    tiles |= {cook.start: str(number) for number, cook in enumerate(layout.cooks, start=1)}
    drawn = ["".join(tiles.get((x, y), "X") for x in range(layout.width)) for y in range(layout.height)]
    rows = ["schema = 1", f"map = {toml.value(drawn)}"]
    for cook in layout.cooks:
        about = {"name": cook.name, "facing": Move(cook.facing).name.lower(), "operations": cook.operations}
        rows += ["[[cooks]]", *toml.pairs(about | {"delivers": cook.delivers, "knows_recipe": cook.knows_recipe})]
    return "\n".join([*rows, ""])
