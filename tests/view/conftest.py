"""Recordings made up for the tests of pictures and movies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hive.worlds.battle.recording import BattleRecording


def _make(positions: Any, *, metres: int = 20, **fields: Any) -> BattleRecording:
    position = np.asarray(positions, float)
    if position.ndim == 2:
        position = position[None]
    t, n = position.shape[:2]
    values: dict[str, Any] = {
        "title": "test", "kind": np.zeros((metres, metres), np.uint8), "side": np.zeros(n, int),
        "type": np.zeros(n, int), "tick": np.arange(t), "position": position, "health": np.ones((t, n)),
        "max_health": np.ones(n), "attack": np.full((t, n), -1),
    }  # fmt: skip
    lists = {name: np.asarray(value) for name, value in fields.items() if name != "targets" and isinstance(value, list)}
    return BattleRecording(**(values | fields | lists))


@pytest.fixture
def make_recording() -> Callable[..., BattleRecording]:
    """Give a function from positions, [T, N, 2] or [N, 2], to a recording; other fields by name."""
    return _make
