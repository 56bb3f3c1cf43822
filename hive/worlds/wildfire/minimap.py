"""Windows of the explored map as text, for agents that read (docs/rules/wildfire.md 6.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hive.engine.crews.explored import SYMBOLS, Explored
from hive.engine.types import Params, State
from hive.worlds.wildfire.observation import RADIUS, SlotType


def minimap_text(params: Params, state: State, unit: int) -> str:
    """Return the window round a unit as `window_text` writes it; from its own map where maps are not shared."""
    assert state.crew is not None
    seen = np.asarray(state.crew.seen)
    seen = seen if seen.ndim == 2 else seen[unit]
    radius = int(RADIUS[int(params.units.type[unit])])
    x, y = np.asarray(state.position[unit]).astype(int)
    padded = np.pad(seen, radius, constant_values=Explored.UNSEEN)
    return window_text(padded[x : x + 2 * radius + 1, y : y + 2 * radius + 1])


def window_text(window: NDArray[np.integer]) -> str:
    """Return a window of codes as text, north at the top.

    Args:
        window: `[W, W]` codes of `hive.engine.crews.explored`, `[x, y]`, W odd.

    Returns:
        One line for each row; each cell is its symbol and a comma. Wet cells are in quotes; the cell in the middle,
        where the unit is, is in asterisks.
    """
    middle = window.shape[0] // 2
    return "\n".join(
        "".join(
            f"*{SYMBOLS[code]}*," if x == y == middle else f"{SYMBOLS[code]}," for x, code in enumerate(row.tolist())
        )
        for y, row in enumerate(window.T)
    )


def window_of(observation: ArrayLike) -> NDArray[np.uint8] | None:
    """Return the window in a slot of `observe`, `[W, W]` codes `[x, y]`; None for the manager and empty slots."""
    numbers = np.asarray(observation)
    kind = int(numbers[0])
    if kind in (SlotType.MANAGER, SlotType.EMPTY):
        return None
    width = 2 * int(RADIUS[kind]) + 1
    return numbers[1 : 1 + width * width].astype(np.uint8).reshape(width, width).T
