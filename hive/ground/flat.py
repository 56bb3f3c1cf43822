"""One flat run over the units of all worlds: an efficient `vmap` for functions with data-dependent loops.

`vmap` of a `while_loop` carries every world through every trip and copies the carry each time, and `vmap` of a `cond`
runs both sides. The neighbour sweeps and the line sampler therefore see a batch of worlds as one longer list of
units: `over_worlds` gives their inputs a leading world axis `W` and, under any nesting of `vmap`, merges the mapped
axes into it. Loops keep one scalar trip count and a `cond` stays a real branch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.custom_batching import custom_vmap
from jax.sharding import get_abstract_mesh, use_abstract_mesh

Tree = Any


def over_worlds(function: Callable[[Tree, Tree], Tree]) -> Callable[[Tree, Tree], Tree]:
    """Wrap `function(shared, own)` so that a batch of worlds runs as one flat call.

    Args:
        function: Takes two pytrees. Leaves of `own` have shape `[W, ...]`, leaves of `shared` `[1, ...]` (one value
            for all worlds) or `[W, ...]`. Returns a pytree of leaves `[W, ...]`. World `w` of the result may depend
            on world `w` of the inputs only.

    Returns:
        The same function for one world (leaves without the axis `W`), which `vmap` batches by merging axes.
    """
    traced_once = custom_vmap(jax.jit(function, inline=True))  # for equal shapes

    def flat(shared: Tree, own: Tree) -> Tree:
        # Some of JAX's rules set the mesh even where there is none, and do not find the trace of a call without it.
        with use_abstract_mesh(get_abstract_mesh()):
            return traced_once(shared, own)

    @traced_once.def_vmap
    def _rule(size: int, mapped: Sequence[Tree], shared: Tree, own: Tree) -> tuple[Tree, Tree]:
        shared_mapped, own_mapped = mapped
        first = jax.tree.leaves(own)[0].shape
        worlds = first[1] if jax.tree.leaves(own_mapped)[0] else first[0]
        own = jax.tree.map(functools.partial(_merge, size, worlds), own, own_mapped)
        shared = jax.tree.map(functools.partial(_merge_shared, size, worlds), shared, shared_mapped)
        out = flat(shared, own)
        return jax.tree.map(lambda a: a.reshape(size, worlds, *a.shape[1:]), out), jax.tree.map(lambda _: True, out)

    def one_world(shared: Tree, own: Tree) -> Tree:
        lift = functools.partial(jax.tree.map, lambda a: jnp.asarray(a)[None])
        return jax.tree.map(lambda a: a[0], flat(lift(shared), lift(own)))

    return functools.wraps(function)(one_world)


def _merge(size: int, worlds: int, leaf: Array, mapped: bool) -> Array:
    rest = leaf.shape[2:] if mapped else leaf.shape[1:]
    return jnp.broadcast_to(leaf, (size, worlds, *rest)).reshape(size * worlds, *rest)


def _merge_shared(size: int, worlds: int, leaf: Array, mapped: bool) -> Array:
    if not mapped and leaf.shape[0] == 1:
        return leaf
    if mapped and leaf.shape[1] == worlds:
        return leaf.reshape(size * worlds, *leaf.shape[2:])
    return _merge(size, worlds, leaf, mapped)
