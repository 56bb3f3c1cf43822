"""Checkpoints of a training run, written by orbax: the complete state of all lanes, so that it resumes bit for bit."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import jax
import jax.numpy as jnp

from dsl import UserError
from hive.kit.keep.digests import check_digests, write_digests

try:
    import orbax.checkpoint as ocp
except ImportError as error:  # pragma: no cover
    raise UserError(f"checkpoints cannot be used: {error}\n  = help: pip install 'hive-swarm[rl]'") from None

Tree = Any
OTHER_FORM = "it has another form"
_STEP = re.compile(r"\['([^']*)'\]")  # in the path of a leaf of nested dicts


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep orbax from logging what our errors say of a damaged file; the user's own settings return afterwards."""
    logger = logging.getLogger("absl")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


class Checkpoints:
    """The checkpoints in a folder, each named by the updates that it has behind it; only the last one is kept.

    Use it in a `with` block. Orbax writes a checkpoint under a temporary name and renames it at the end. The digests of
    its files are written then, and checked before it is read.
    """

    def __init__(self, folder: Path) -> None:
        """Open a folder, or create it."""
        self.folder = folder.resolve()
        with _unlogged():
            self._manager = ocp.CheckpointManager(
                self.folder,
                options=ocp.CheckpointManagerOptions(max_to_keep=1, enable_async_checkpointing=False),
                item_handlers=ocp.StandardCheckpointHandler(),
            )

    def __enter__(self) -> Checkpoints:
        """Return the checkpoints."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the folder."""
        self._manager.close()

    @property
    def newest(self) -> int | None:
        """Updates behind the newest checkpoint; None if there is none."""
        found: int | None = self._manager.latest_step()
        return found

    def save(self, update: int, tree: Tree) -> None:
        """Write a checkpoint, in place of one of the same update.

        Args:
            update: Updates behind it.
            tree: Arrays and keys; Python numbers and static fields are not kept.
        """
        if update in self._manager.all_steps():  # of a command that was stopped between this and its next file
            self._manager.delete(update)
        self._manager.save(update, args=ocp.args.StandardSave(_named(tree)))
        write_digests(self.folder / str(update))

    def restore(self, like: Tree) -> Tree:
        """Return the newest checkpoint.

        Args:
            like: A tree of arrays or `jax.ShapeDtypeStruct`s of the same form; a sharding that it has is used.

        Raises:
            UserError: There is none, it is damaged, or it has another form.
        """
        wanted = {name: _as_data(leaf) for name, leaf in _leaves(like).items()}
        found = self._read(wanted)
        flat, form = jax.tree_util.tree_flatten_with_path(like)
        leaves = [_like(found.get(jax.tree_util.keystr(path)), leaf) for path, leaf in flat]
        return jax.tree_util.tree_unflatten(form, leaves)

    def arrays(self) -> dict[str, Any]:
        """Return the arrays of the newest checkpoint by path, in the forms that they have there.

        Raises:
            UserError: There is none, or it is damaged.
        """
        return self._read(None)

    def _read(self, wanted: dict[str, jax.ShapeDtypeStruct] | None) -> dict[str, Any]:
        """Return the arrays of the newest checkpoint, of these forms if some are wanted."""
        if self.newest is None:
            raise UserError(
                f"there is no checkpoint in {self.folder}\n  = help: `hive train` writes one after its first updates"
            )
        try:
            check_digests(self.folder / str(self.newest))
            stored = self._manager.item_metadata(self.newest).tree
            kept = {name: jax.ShapeDtypeStruct(each.shape, each.dtype) for name, each in stored.items()}
            if wanted is not None and kept != {
                name: jax.ShapeDtypeStruct(each.shape, each.dtype) for name, each in wanted.items()
            }:
                raise ValueError(OTHER_FORM)
            found: dict[str, Any] = self._manager.restore(self.newest, args=ocp.args.StandardRestore(wanted or kept))
        except (ValueError, KeyError, OSError, AttributeError) as error:
            line = str(error).strip().partition("\n")[0]
            raise UserError(
                f"cannot read the checkpoint {self.folder / str(self.newest)}: {line}\n"
                "  = help: it is damaged, or another version of HIVE wrote it"
            ) from None
        return found


def nested(arrays: Mapping[str, Any], field: str) -> Tree:
    """Return a field of a checkpoint that is made of nested dicts, such as the parameters of networks.

    Args:
        arrays: Of `Checkpoints.arrays`.
        field: Its name.
    """
    found: Tree = {}
    for path, leaf in arrays.items():
        if path.startswith(f".{field}["):
            *outer, last = _STEP.findall(path)
            inner = found
            for name in outer:
                inner = inner.setdefault(name, {})
            inner[last] = leaf
    return found


def _leaves(tree: Tree) -> dict[str, Any]:
    """All leaves by path, but for empty ones, which orbax cannot keep."""
    flat = jax.tree_util.tree_flatten_with_path(tree)[0]
    return {jax.tree_util.keystr(path): leaf for path, leaf in flat if leaf.size}


def _named(tree: Tree) -> dict[str, Any]:
    return {name: jax.random.key_data(leaf) if _is_key(leaf) else leaf for name, leaf in _leaves(tree).items()}


def _is_key(leaf: Any) -> bool:
    return bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def _as_data(leaf: Any) -> jax.ShapeDtypeStruct:
    data = jax.eval_shape(jax.random.key_data, leaf) if _is_key(leaf) else leaf
    return jax.ShapeDtypeStruct(data.shape, data.dtype, sharding=getattr(leaf, "sharding", None))


def _like(found: Any, leaf: Any) -> Any:
    if found is None:
        return jnp.zeros(leaf.shape, leaf.dtype)
    return jax.random.wrap_key_data(found) if _is_key(leaf) else found
