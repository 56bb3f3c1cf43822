"""Cookbook and layout become arrays, made on the host."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import jax
import numpy as np

from hive.worlds.kitchen.codes import FACINGS, Move, Place
from hive.worlds.kitchen.cookbook import UTENSIL_CAPACITY, Cookbook
from hive.worlds.kitchen.layout import Layout
from hive.worlds.kitchen.state import Params

FAR = 10_000
"""Cost of a station that cannot be faced."""


def make_params(book: Cookbook, layout: Layout, *, freeze: bool = False) -> Params:
    """Return the arrays of a kitchen.

    Args:
        book: What exists.
        layout: Where it stands.
        freeze: Whether starting a utensil stops others for that timestep, the published defect
            (docs/rules/kitchen.md 7.2).
    """
    arrays = {**_of_layout(layout), **_of_cookbook(book, layout), "freeze": np.bool_(freeze)}
    return Params(**jax.device_put({key: np.asarray(value) for key, value in arrays.items()}))


def _of_layout(layout: Layout) -> dict[str, object]:
    step_to, facing_at = grid(layout)
    cost, first = ways(step_to, facing_at, len(layout.stations))
    numbers = {station: number for number, station in enumerate(layout.counters)}
    places = [station.place for station in layout.stations]
    return {
        "step_to": step_to,
        "facing_at": facing_at,
        "start": _ints(cook.start[1] * layout.width + cook.start[0] for cook in layout.cooks),
        "start_facing": _ints(cook.facing for cook in layout.cooks),
        "place": _ints(places),
        "slot": _ints(numbers.get(n, max(place - Place.UTENSIL, 0)) for n, place in enumerate(places)),
        "counter": _ints(layout.counters),
        "reach": np.array([[n in reach for n in range(len(places))] for reach in layout.reach]),
        "cost": cost,
        "first": first,
    }


def grid(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return where a step in each direction leads and which station is faced, -1 for none; both `[T, 4]`."""
    tiles = layout.width * layout.height
    step_to = np.repeat(np.arange(tiles, dtype=np.int32)[:, None], 4, axis=1)
    facing_at = np.full((tiles, 4), -1, np.int32)
    stations = {station.tile: number for number, station in enumerate(layout.stations)}
    for x, y in layout.floor:
        for direction, (east, south) in enumerate(FACINGS):
            other = x + east, y + south
            if other in layout.floor:
                step_to[y * layout.width + x, direction] = other[1] * layout.width + other[0]
            facing_at[y * layout.width + x, direction] = stations.get(other, -1)
    return step_to, facing_at


def ways(step_to: np.ndarray, facing_at: np.ndarray, stations: int) -> tuple[np.ndarray, np.ndarray]:
    """Search the shortest way from each pose to each station.

    Args:
        step_to: `[T, 4]`, from `grid`.
        facing_at: `[T, 4]`, from `grid`.
        stations: Number of stations S.

    Returns:
        Moves and turns until a station is faced, `FAR` if it cannot be, and the first of them; both `[4 T, S]`.
    """
    poses = facing_at.size
    after = np.array([[4 * step_to[pose // 4, move] + move for move in range(4)] for pose in range(poses)])
    before: list[list[int]] = [[] for _ in range(poses)]
    for pose, reached in enumerate(after):
        for each in reached:
            before[each].append(pose)
    cost = np.full((poses, stations), FAR, np.int32)
    first = np.full((poses, stations), Move.STAY.value, np.int32)
    for station in range(stations):
        open_ = deque(np.flatnonzero(facing_at.ravel() == station).tolist())
        cost[[*open_], station] = 0
        while open_:
            pose = open_.popleft()
            for each in before[pose]:
                if cost[each, station] == FAR:
                    cost[each, station] = cost[pose, station] + 1
                    open_.append(each)
        for pose in range(poses):
            if 0 < cost[pose, station] < FAR:
                first[pose, station] = np.argmin(cost[after[pose], station])
    return cost, first


def _of_cookbook(book: Cookbook, layout: Layout) -> dict[str, object]:
    kinds = {utensil.name: number for number, utensil in enumerate(book.utensils)}
    timesteps, plain, plated = np.zeros((3, book.codes), np.int32)
    raw, needs_dish, ordered = np.zeros((3, book.codes), bool)
    plain[:] = [book.plain(code) for code in range(book.codes)]
    raw[1 : 1 + len(book.ingredients)] = True
    for name in book.orders:
        ordered[book.code[name]] = True
        needs_dish[book.code[name]] = book.needs_dish(name)
    for recipe in book.recipes:
        timesteps[book.code[recipe.product]] = book.utensil[recipe.utensil].timesteps
        plated[book.code[recipe.product]] = book.plated(recipe.product)
    return {
        "inputs": np.array(
            [sorted_codes([book.code[name] for name in each.inputs]) for each in book.recipes], np.int32
        ),
        "made_in": _ints(kinds[recipe.utensil] for recipe in book.recipes),
        "product": _ints(book.code[recipe.product] for recipe in book.recipes),
        "kind": _ints(kinds[name] for name in layout.utensils),
        "timesteps": timesteps,
        "raw": raw,
        "needs_dish": needs_dish,
        "ordered": ordered,
        "plain": plain,
        "plated": plated,
        "dish": np.int32(book.dish_code),
    }


def sorted_codes(codes: list[int]) -> list[int]:
    """Contents as the state keeps them: highest codes first, filled up with nothing."""
    return sorted([*codes, *[0] * (UTENSIL_CAPACITY - len(codes))], reverse=True)


def _ints(values: Iterable[int]) -> np.ndarray:
    return np.array([*values], np.int32)
