"""Seeds of games: how many there are, and a check of those that are given from Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dsl import UserError

SEEDS = 2**32
"""Each seed is a whole number from 0 to below this."""


def check_seeds(seeds: Any) -> None:
    """Check that there is a seed, and that each is one of a game.

    Args:
        seeds: Whole numbers from 0 to 2^32 - 1, in a list, a range or an array.

    Raises:
        UserError: They are something else, or there is none.
    """
    if not isinstance(seeds, Iterable) or isinstance(seeds, str):
        help = f"range({seeds}) are as many games, [{seeds}] is the game of this seed"
        raise UserError(
            f"seeds are a list of whole numbers, not {seeds!r:.80}\n"
            f"  = help: {help if isinstance(seeds, int) else 'range(10) are ten games, one for each seed'}"
        )
    some = list(seeds)
    if not some:
        raise UserError("there is no seed, and so no game\n  = help: each seed is a game, as in seeds=[0] or range(10)")
    if (wrong := next((seed for seed in some if not _is_seed(seed)), None)) is not None:
        raise UserError(
            f"{wrong!r:.80} is no seed\n  = help: a seed is a whole number from 0 to {SEEDS - 1:,}; range(10) are ten"
        )


def _is_seed(seed: Any) -> bool:
    try:
        return bool(seed == int(seed) and 0 <= seed < SEEDS)
    except (TypeError, ValueError, OverflowError):
        return False
