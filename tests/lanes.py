"""Structs of a batch, put together and taken apart on the host.

The same in JAX compiles a small program for each shape and place, which takes longer than most tests that need one.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np


def stack_lanes(*structs: Any) -> Any:
    """One struct of all, with a new leading axis."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *structs)


def lane_of(batch: Any, place: Any) -> Any:
    """The struct at this place, or at these places, of the leading axes."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[place], batch)
