"""How often loops turn and branches are taken: the same program, with the same sizes, run on this machine and counted.

Loops and branches are numbered in the order in which they are traced, and each number is part of the name that JAX
gives the operation. So a loop of the compiled program is found again in the counts.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap
from jaxtyping import Array

_NUMBERED = re.compile(r"loop(\d+)\)*/(?:while|cond)$")
_HERE = __name__


class Counts:
    """What was counted of each loop and branch, by number."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._noted: dict[int, list[int]] = defaultdict(list)

    def note(self, number: int, value: Any) -> None:
        """Keep the turns of one run of a loop, or the branch that was taken once."""
        self._noted[number].append(int(value))

    def clear(self) -> None:
        """Forget all."""
        self._noted.clear()

    def turns(self, number: int) -> float:
        """Mean turns of a loop, each time that it ran; 0 if it never did."""
        noted = self._noted.get(number, [])
        return sum(noted) / max(len(noted), 1)

    def share(self, number: int, branch: int) -> float:
        """Share of the times at which a branch was taken; 0 if the choice was never made."""
        noted = self._noted.get(number, [])
        return noted.count(branch) / max(len(noted), 1)


def number_of(origin: str) -> int | None:
    """The number of a loop or branch by what JAX calls its operation; None if it was not numbered."""
    found = _NUMBERED.search(origin)
    return int(found[1]) if found else None


@contextmanager
def numbered(counts: Counts | None = None) -> Iterator[list[str]]:
    """Number the loops and branches of functions that are traced in this context.

    JAX keeps traces: clear its caches before, so that all is traced and numbered here, and after, so that programs
    made later do not count.

    Args:
        counts: Where programs that are traced here leave their counts when they run. None: they do not count.

    Yields:
        Where each loop or branch stands in the source, in the order of their numbers; complete after tracing.
    """
    sites: list[str] = []
    number = itertools.count()
    real = {name: getattr(lax, name) for name in ("while_loop", "fori_loop", "cond")}

    def begin(name: str) -> int:
        sites.append(f"{name} {_site()}")
        return next(number)

    def while_loop(test: Callable[[Any], Any], body: Callable[[Any], Any], start: Any) -> Any:
        mine = begin("while")
        with jax.named_scope(f"loop{mine}"):
            if counts is None:
                return real["while_loop"](test, body, start)
            out, turns = real["while_loop"](
                lambda state: test(state[0]), lambda state: (body(state[0]), state[1] + 1), (start, jnp.int32(0))
            )
        _note(counts, mine, turns)
        return out

    def fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], start: Any, **more: Any) -> Any:
        mine = begin("fori")
        if counts is not None:
            _note(counts, mine, jnp.maximum(jnp.asarray(upper, jnp.int32) - jnp.asarray(lower, jnp.int32), 0))
        with jax.named_scope(f"loop{mine}"):
            return real["fori_loop"](lower, upper, body, start, **more)

    def cond(choice: Any, *rest: Any, **more: Any) -> Any:
        mine = begin("cond")
        if counts is not None:
            _note(counts, mine, jnp.asarray(choice).astype(jnp.int32))
        with jax.named_scope(f"loop{mine}"):
            return real["cond"](choice, *rest, **more)

    for patched in (while_loop, fori_loop, cond):
        setattr(lax, patched.__name__, patched)
    try:
        yield sites
    finally:
        for name, function in real.items():
            setattr(lax, name, function)


def _note(counts: Counts, number: int, value: Array) -> None:
    """Have a program note a value when it runs; in a batch, the largest, since a loop of a batch turns that often."""

    @custom_vmap
    def tell(value: Array) -> Array:
        jax.debug.callback(partial(counts.note, number), value)
        return value

    @tell.def_vmap
    def _rule(size: int, mapped: list[bool], value: Array) -> tuple[Array, bool]:
        return tell(value.max(0)), False

    tell(value)


def _site() -> str:
    frame: Any = sys._getframe(1)
    while frame.f_globals.get("__name__") in (_HERE, "contextlib"):
        frame = frame.f_back
    return f"{frame.f_globals.get('__name__')}:{frame.f_lineno}"
