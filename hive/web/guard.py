"""Which requests are answered: those that know the token, and come from the page itself."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Guard:
    """The rules of one server.

    Attributes:
        token: What every request must know, except for the page's own files.
        port: The port of the server.
        remote: Whether the server listens to other machines, which call it by names that it does not know.
    """

    token: str
    port: int
    remote: bool = False

    def problem(self, headers: Mapping[str, str]) -> str | None:
        """Return what is wrong with the headers `host` and `origin` of a request, or None.

        A page of another site reaches a server of this machine by a name that it makes resolve to the loopback, or as
        another origin; the browser says both.
        """
        host, origin = headers.get("host", ""), headers.get("origin")
        port = "" if self.port == 80 else f":{self.port}"  # browsers leave out the port of HTTP
        if not self.remote and host not in {f"{name}{port}" for name in LOOPBACK}:
            return "the request names another host: open the address that `hive serve` printed"
        if origin is not None and _place(origin) != host:
            return "the request comes from another page"
        return None

    def knows(self, token: str | None) -> bool:
        """Return whether a token is the right one; the time does not tell how much of it is."""
        return token is not None and hmac.compare_digest(token.encode(errors="replace"), self.token.encode())


def _place(origin: str) -> str | None:
    """Return host and port of an origin; None: it is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:  # such as `http://[`
        return None


def new_token() -> str:
    """Return a random token that may stand in a URL."""
    return secrets.token_urlsafe(24)
