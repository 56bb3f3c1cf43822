"""Where games run: the devices of this process, or those of several processes joined by `jax.distributed`.

All code goes through a mesh with one axis, games, whether there is one device or many: what every game reads is on each
device, what belongs to a game on the device that plays it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from dsl import UserError

Tree = Any

SHARED = PartitionSpec()
OWN = PartitionSpec("games")


def mesh_of(devices: Sequence[jax.Device] | None = None) -> Mesh:
    """Return the mesh of these devices; None: of all that JAX sees, those of other processes included."""
    return Mesh(np.array(jax.devices() if devices is None else devices), ("games",))


def memories(mesh: Mesh) -> int:
    """Return how many memories the devices have: host devices of one process share one."""
    return len({(d.process_index, None if d.platform == "cpu" else d.id) for d in mesh.devices.flat})


def put_shared(mesh: Mesh, tree: Tree) -> Tree:
    """Copy what every game reads to each device; in several processes all must give the same."""
    where = NamedSharding(mesh, SHARED)

    def put(leaf: Any) -> jax.Array:
        copies = [jax.device_put(leaf, device) for device in mesh.local_devices]
        return jax.make_array_from_single_device_arrays(leaf.shape, where, copies)

    return jax.tree.map(put, tree)


def put_own(mesh: Mesh, tree: Tree) -> Tree:
    """Split arrays `[B, ...]` of the host over the devices; B must be a multiple of their number."""
    where = NamedSharding(mesh, OWN)
    return jax.tree.map(lambda leaf: jax.make_array_from_callback(leaf.shape, where, lambda at: leaf[at]), tree)


def gather(tree: Tree) -> Tree:
    """Return arrays that were split over the devices to the host, whole, in every process."""
    if jax.process_count() == 1:
        return jax.tree.map(np.asarray, tree)
    return multihost_utils.process_allgather(tree, tiled=True)


def agree(number: int) -> int:
    """Return the number that the first process has, in every process."""
    return number if jax.process_count() == 1 else int(multihost_utils.broadcast_one_to_all(np.int32(number)))


def first_devices(number: int | None) -> list[jax.Device]:
    """Return the first devices of this process, or with None all that there are.

    On a machine without an accelerator as many host devices are made, which is possible only before JAX has begun.

    Raises:
        UserError: There are fewer, or several processes take part.
    """
    if number is None:
        return jax.devices()
    if jax.distributed.is_initialized():
        raise UserError("--devices is for a single process: several use all of theirs")
    with suppress(RuntimeError):  # JAX runs already: its devices stand
        jax.config.update("jax_num_cpu_devices", number)
    devices = jax.devices()
    if len(devices) < number:
        raise UserError(f"there are only {len(devices)} devices of the kind {devices[0].device_kind}, not {number}")
    return devices[:number]


def connect(coordinator: str | None, processes: int | None, process: int | None) -> None:
    """Join the processes of a run on several hosts; does nothing for a run of one process.

    Args:
        coordinator: HOST:PORT of the first process; None: as Slurm says, in a step of several tasks.
        processes: How many there are.
        process: Number of this one, from 0.

    Raises:
        UserError: Some of the three are given and some are not, or the others cannot be reached.
    """
    given = [value is not None for value in (coordinator, processes, process)]
    if any(given) and not all(given):
        raise UserError("--coordinator, --processes and --process go together: give all three or none")
    if not any(given) and int(os.environ.get("SLURM_STEP_NUM_TASKS", "1")) < 2:
        return
    try:
        jax.distributed.initialize(coordinator, processes, process)
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UserError(f"cannot join the other processes: {reason}") from error
