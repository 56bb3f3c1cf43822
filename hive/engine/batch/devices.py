"""Where games run: the devices of this process, or those of several processes joined by `jax.distributed`.

All code uses a mesh with a single axis, the games, whatever the number of devices: arrays that every game reads are
copied to each device, and arrays of a game lie on the device that plays it.
"""

from __future__ import annotations

import os
import re
import socket
import threading
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
_FOREVER = 10**6  # seconds
_MOST_PORT = 65_535
_ADDRESS = "give the address of the first process, as in `node0:1234`"


def mesh_of(devices: Sequence[jax.Device] | None = None) -> Mesh:
    """Return the mesh of these devices; None: of all devices of all processes."""
    return Mesh(np.array(jax.devices() if devices is None else devices), ("games",))


def memories(mesh: Mesh) -> int:
    """Return the number of separate memories of the devices: host devices of one process share one."""
    return len({(d.process_index, None if d.platform == "cpu" else d.id) for d in mesh.devices.flat})


def put_shared(mesh: Mesh, tree: Tree) -> Tree:
    """Copy arrays that every game reads to each device; all processes must give the same values."""
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
    """Copy arrays that were split over the devices to the host, complete, in every process."""
    if jax.process_count() == 1:
        return jax.tree.map(np.asarray, tree)
    return multihost_utils.process_allgather(tree, tiled=True)


def agree(number: int) -> int:
    """Return the number that the first process gave, in every process."""
    return number if jax.process_count() == 1 else int(multihost_utils.broadcast_one_to_all(np.int32(number)))


def first_devices(number: int | None) -> list[jax.Device]:
    """Return the first devices of this process; None: all devices.

    On a machine without an accelerator, as many host devices are made; that is possible only before JAX has started.

    Raises:
        UserError: There are fewer devices, or there are several processes.
    """
    if number is None:
        return jax.devices()
    if jax.distributed.is_initialized():
        raise UserError("--devices is for a single process: with several processes, each uses all its devices")
    with suppress(RuntimeError):  # JAX runs already, and its devices cannot change
        jax.config.update("jax_num_cpu_devices", number)
    devices = jax.devices()
    if len(devices) < number:
        raise UserError(
            f"there are only {len(devices)} devices of the kind {devices[0].device_kind}, not {number}\n"
            f"  = help: --devices is at most {len(devices)} here"
        )
    return devices[:number]


def connect(coordinator: str | None, processes: int | None, process: int | None, timeout: int = 300) -> None:
    """Join the processes of a run on several hosts; does nothing for a run of one process.

    Args:
        coordinator: HOST:PORT of the first process; None: taken from Slurm, in a step of several tasks.
        processes: The number of processes.
        process: The number of this process, from 0.
        timeout: Seconds to wait until all processes have joined.

    Raises:
        UserError: Some of the three are given and some are not, one is out of range, or the processes did not all join
            in time. In the last case JAX continues to wait in the background, so this process should end.
    """
    given = [value is not None for value in (coordinator, processes, process)]
    if any(given) and not all(given):
        raise UserError("--coordinator, --processes and --process go together: give all three or none")
    if coordinator is not None and processes is not None and process is not None:
        _check_place(coordinator, processes, process)
    elif int(os.environ.get("SLURM_STEP_NUM_TASKS", "1")) < 2:
        return
    failures: list[Exception] = []

    def join() -> None:
        try:
            jax.distributed.initialize(coordinator, processes, process, initialization_timeout=_FOREVER)
        except Exception as error:
            failures.append(error)

    # When JAX's own timeout runs out, its C++ client aborts the process. So a thread waits here instead.
    thread = threading.Thread(target=join, daemon=True)
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        raise UserError(_missing(coordinator, processes, process, timeout))
    if failures:
        if not isinstance(failures[0], RuntimeError | ValueError):
            raise failures[0]
        reason = str(failures[0]).strip().partition("\n")[0]
        raise UserError(
            f"cannot join the other processes: {reason}\n"
            "  = help: start every process once, with the same --coordinator and --processes"
        ) from failures[0]


def _check_place(coordinator: str, processes: int, process: int) -> None:
    """Refuse an address or a number on which JAX would hang or crash.

    Raises:
        UserError: Says what is wrong.
    """
    host, port = _split(coordinator)
    if process >= processes:
        raise UserError(
            f"--process {process} is out of range\n  = help: --processes {processes} are numbered 0 to {processes - 1}"
        )
    try:
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UserError(f"--coordinator {coordinator}: the host {host} is not known\n  = help: {_ADDRESS}") from None
    if process > 0:
        return
    try:
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as JAX does: a port that was just left is free
            free.bind(("", port))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(
            f"--coordinator {coordinator}: the first process cannot listen on port {port}: {reason}\n"
            "  = help: give a free port of this host, the same to every process"
        ) from None


def _split(coordinator: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; an IPv6 address stands in brackets."""
    read = re.fullmatch(r"([\w.-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,9})", coordinator, re.ASCII)
    if not read:
        raise UserError(f"--coordinator `{coordinator}` is not of the form HOST:PORT\n  = help: {_ADDRESS}")
    host, port = read.group(1).strip("[]"), int(read.group(2))
    if not 1 <= port <= _MOST_PORT:
        raise UserError(
            f"--coordinator {coordinator}: port {port} is out of range\n"
            f"  = help: give a whole number from 1 to {_MOST_PORT}, as in `node0:1234`"
        )
    return host, port


def _missing(coordinator: str | None, processes: int | None, process: int | None, timeout: int) -> str:
    """Return a message about processes that did not join in time."""
    wait = f"within {timeout} s\n  = help:"
    longer = "--coordinator-timeout sets how long to wait"
    if coordinator and process:
        try:
            socket.create_connection(_split(coordinator), timeout=2).close()
        except OSError:
            return (
                f"the coordinator {coordinator} did not answer {wait} start the command with --process 0 on that host, "
                f"and check that its port is open; {longer}"
            )
    every = f"the {processes} processes" if processes else "the tasks of the Slurm step"
    return f"not all of {every} joined {wait} start each of them with the same --coordinator; {longer}"
