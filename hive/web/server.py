"""The server around the application: its port, and the loop that answers."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from dsl import UserError
from hive.kit.keep.places import reason
from hive.web.app import WebRoutes
from hive.web.messages import MOST_BYTES

_TRIED = 100  # ports after the one that is in use


def listen(host: str, port: int, search: bool) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: The address to listen at.
        port: The port.
        search: Whether to take the next free port if it is in use.

    Raises:
        UserError: The port is in use, or the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(port, min(port + _TRIED, 65536)):
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, number))
            found.listen()
        except OSError as error:
            found.close()
            if error.errno != errno.EADDRINUSE:
                raise UserError(f"cannot listen at {host} port {number}: {reason(error)}") from None
            continue
        if number != port and not search:
            found.close()
            raise UserError(f"the port {port} is in use\n  = help: {number} is free, so give `--port {number}`")
        return found
    raise UserError(f"the ports {port} to {min(port + _TRIED, 65536) - 1} are in use\n  = help: give another --port")


def config_of(site: WebRoutes) -> uvicorn.Config:
    """Return how a site is served; its log is plain text."""
    return uvicorn.Config(
        site.app(),
        log_level="warning",
        use_colors=False,
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=MOST_BYTES,
        ws_per_message_deflate=False,  # frames are compressed already
        server_header=False,
        timeout_graceful_shutdown=1,
    )


def serve(site: WebRoutes, found: socket.socket, ready: Callable[[], None]) -> None:
    """Answer until the process is interrupted.

    Args:
        site: What is served.
        found: A socket that listens.
        ready: Called when the server answers.
    """

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    with suppress(KeyboardInterrupt):  # the way to end it
        Announced(config_of(site)).run(sockets=[found])
