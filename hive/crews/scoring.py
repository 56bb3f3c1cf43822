"""The games that a crew plays and what its losses cost, as plain data; loads no JAX (wildfire sheet 4, 12.3)."""

from __future__ import annotations

GAMES = ("cut", "scout", "transport", "suppress", "rescue", "full")  # in the published order
OPEN_ENDED = ("suppress", "full")  # where a fire is to be fought: the score is what was lost, and 0 the best

COSTS = {"trees": 1, "buildings": 10, "civilians": 100, "firefighters": 20, "bulldozers": 20}
"""Points that each loss costs where a fire is to be fought."""
