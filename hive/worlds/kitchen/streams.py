"""Streams of orders: after each delivery another order follows (docs/rules/kitchen.md 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

import jax

from dsl import UserError
from dsl.wording import is_whole, quoted
from hive.worlds.kitchen.cookbook import Cookbook
from hive.worlds.kitchen.layout import Layout
from hive.worlds.kitchen.tasks import HORIZON, LONGEST, Task, check_task, find_task

MOST_WEIGHT = 1_000
"""Largest weight of an order."""

_HELP = "\n  = help: write orders with weights, as in `order_probability=boiled_egg:2,baked_bell_pepper:1`"


@dataclass(frozen=True, kw_only=True)
class Stream:
    """Which orders follow the first one.

    Attributes:
        tasks: Orders that may follow, at least one.
        weights: How probable each of them is: whole numbers of 1 and more, relative to their sum.
        timesteps: How long a game lasts.
    """

    tasks: tuple[Task, ...]
    weights: tuple[int, ...]
    timesteps: int

    def following(self, seed: int, number: int) -> Task:
        """Return the order that follows `number` deliveries, from 1 on, in the game of a seed.

        It depends on these two and the weights alone, so streams of all players of a seed are the same.
        """
        key = jax.random.fold_in(jax.random.key(seed), number)
        drawn = int(jax.random.randint(key, (), 0, sum(self.weights)))
        return next(task for task, end in zip(self.tasks, accumulate(self.weights), strict=True) if drawn < end)


def read_stream(
    value: object, timesteps: object, book: Cookbook, layout: Layout, own: Mapping[str, Task] | None = None
) -> Stream:
    """Return the stream that settings ask for.

    Args:
        value: `ORDER:WEIGHT` for each order that may follow, separated by commas, or a mapping; a weight of 1 may be
            left out.
        timesteps: How long a game lasts; None: 120 timesteps.
        book: The cookbook.
        layout: Where each order has to be possible.
        own: Tasks of a file by their orders.

    Raises:
        UserError: An order does not exist or is impossible here, it is named twice, or a number is wrong.
    """
    if isinstance(value, Mapping):
        parts = [(str(order), weight) for order, weight in value.items()]
    else:
        words = ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
        split = [part.strip().partition(":") for part in words.split(",")]
        parts = [(order.strip(), weight.strip() if colon else "1") for order, colon, weight in split]
    names = [order for order, _ in parts]
    if not parts or "" in names:
        raise UserError(f"a stream needs an order, and {quoted(str(value))} names none{_HELP}")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"the stream names the order `{twice}` twice{_HELP}")
    tasks = tuple(find_task(name, book, own) for name in names)
    for name in names:
        check_task(name, book, layout)
    weights = tuple(_whole(weight, f"the weight of `{name}`", MOST_WEIGHT) for name, weight in parts)
    length = _whole(HORIZON if timesteps is None else timesteps, "`timesteps`", LONGEST)
    return Stream(tasks=tasks, weights=weights, timesteps=length)


def _whole(value: object, what: str, most: int) -> int:
    """Return a whole number from 1 to `most`."""
    number = int(value) if isinstance(value, str) and is_whole(value) else value
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
        raise UserError(f"{what} is a whole number from 1 to {most:,}, not {value}{_HELP}")
    return number
