"""How work is cut up for a platform. These choices change the speed of a program, never its results.

A processor is fastest with blocks that fit its caches. A GPU waits for the host at every turn of a loop whose length
depends on data and at every branch, and is nearly idle with small blocks: there, blocks are large, and loops and
branches are left out where all rows fit one block.

The choice is part of the context in which JAX traces a function: programs for different choices are cached separately.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from typing import Any

import jax

from dsl import UserError
from dsl.wording import did_you_mean, is_whole, listing, nearest, quoted

GRAPHS = "--xla_gpu_enable_command_buffer=+WHILE,+CONDITIONAL"
"""Flag of XLA with which loops and branches run as CUDA graphs on a GPU; a part of the variable `XLA_FLAGS`."""

_FRAMES = (1, 2, 5, 10, 25, 50)


@dataclass(frozen=True)
class Sizes:
    """Sizes of blocks; all but `frames` are powers of two. The defaults suit a processor.

    Attributes:
        dense: Largest number of units in a world for which all pairs are compared at once.
        matrix: Largest number of pairs, of all worlds together, for which the same is done for more units.
        tile: Units of a tile of the neighbour sweep.
        block: Tiles processed together.
        chunk: Candidates of a tile processed together.
        pairs: Lines of sight sampled together.
        lines: Steps sampled together.
        fans: Units whose 33 steps of `follow_map` are sampled together.
        units: Units whose candidates for `follow_map`, or whose columns of an explored map, are compared together.
        ways: Ways round danger tested together.
        leaves: Leaves of a tree in one turn of their loop.
        frames: Frames of a crew in one turn of their loop: 1, 2, 5, 10, 25 or 50.
        levels: Levels of a distance map in one turn of its loop, at least 2.
        adders: Units that add to one copy of a short table; additions to one word wait for each other.
        flat: Whether loops and branches are avoided, at the price of work that is not needed.
    """

    dense: int = 256
    matrix: int = 0
    tile: int = 8
    block: int = 32
    chunk: int = 32
    pairs: int = 256
    lines: int = 256
    fans: int = 32
    units: int = 1024
    ways: int = 256
    leaves: int = 1
    frames: int = 1
    levels: int = 4
    adders: int = 1 << 30
    flat: bool = False

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            UserError: A size is not a power of two, or `frames` is not one of the numbers it may be.
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "flat":
                good, allowed = isinstance(value, bool), "true or false"
            elif field.name == "frames":
                good, allowed = value in _FRAMES, listing(map(str, _FRAMES), "or")
            else:
                least = {"dense": 0, "matrix": 0, "levels": 2}.get(field.name, 1)
                good = type(value) is int and (value == least or (value > least and value & (value - 1) == 0))
                allowed = f"a power of two, at least {least}" if least else "0 or a power of two"
            if not good:
                raise UserError(f"size `{field.name}` is {value}\n  = help: it must be {allowed}")


CPU = Sizes()
GPU = Sizes(
    matrix=1 << 22,
    block=16384,
    chunk=128,
    pairs=65536,
    lines=65536,
    fans=4096,
    units=1 << 20,
    ways=16384,
    leaves=8,
    frames=10,
    levels=32,
    adders=64,
    flat=True,
)
_NAMED = {"cpu": CPU, "gpu": GPU}

_context = jax.make_user_context(None)


def current(platform: str | None = None) -> Sizes:
    """Return the sizes for the function that is being traced: those in use, else those of the platform.

    Args:
        platform: As JAX names it; None: that of the default device.
    """
    chosen: Sizes | str | None = _context.value
    if isinstance(chosen, Sizes):
        return chosen
    usual = CPU if (platform or _platform()) == "cpu" else GPU
    return usual if chosen is None else read_sizes(chosen, usual)


def _platform() -> str:
    device: Any = jax.config.jax_default_device  # type: ignore[attr-defined]
    if device is None:
        return jax.default_backend()
    return device if isinstance(device, str) else str(device.platform)


def use(sizes: Sizes) -> AbstractContextManager[None]:
    """Return a context manager in which programs are made with these sizes."""
    scope: AbstractContextManager[None] = _context(sizes)
    return scope


def use_always(sizes: Sizes | str | None) -> None:
    """Make programs of this process with these sizes wherever `use` does not say otherwise.

    Args:
        sizes: Sizes, text for `read_sizes` that changes those of the platform, or None: the platform's.
    """
    _context.set_global(sizes)


def read_sizes(text: str, base: Sizes = CPU) -> Sizes:
    """Read sizes from text such as `gpu`, `block=4096,chunk=64` or `gpu,chunk=64`.

    Args:
        text: Names of platforms and sizes, later ones over earlier ones.
        base: Sizes that the text does not name.

    Raises:
        UserError: The text names no size, or a value is not allowed.
    """
    sizes, names = base, [field.name for field in fields(Sizes)]
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (word.strip() for word in part.partition("="))
        if not value and name in _NAMED:
            sizes = _NAMED[name]
        elif name not in names:
            near = did_you_mean(nearest(name, [*names, *_NAMED]))
            advice = near or f"give `cpu`, `gpu` or NAME=NUMBER; the names are {listing(names, 'and')}"
            raise UserError(f"there is no size {quoted(part)}\n  = help: {advice}")
        else:
            changed: dict[str, Any] = {name: _value(name, value)}
            sizes = replace(sizes, **changed)
    return sizes


def _value(name: str, text: str) -> int | bool:
    if name == "flat":
        words = {"true": True, "false": False}
        if text.lower() not in words:
            raise UserError(f"size `flat` is {quoted(text)}\n  = help: it must be true or false")
        return words[text.lower()]
    if not is_whole(text) or len(text) > 9:
        raise UserError(f"size `{name}` is {quoted(text)}\n  = help: it must be a whole number, as in `{name}=64`")
    return int(text)
