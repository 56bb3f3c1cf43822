"""Address and key of an endpoint, checked before anything is sent."""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from dsl import UserError
from hive.players.llm.client import Secret

HOSTED = "https://api.openai.com/v1"  # where the `openai` package asks by default
_OWN_NETWORK = (".local", ".localhost", ".internal", ".lan")


def find_address(base_url: str | None) -> tuple[str, bool]:
    """Return the address of an endpoint, and whether it is this computer or its own network.

    Args:
        base_url: None: `OPENAI_BASE_URL`, else that of the hosted service.

    Raises:
        UserError: It is no address, or holds a password.
    """
    url = (base_url or os.environ.get("OPENAI_BASE_URL") or HOSTED).rstrip("/")
    if "@" in url or "?" in url:
        raise UserError(
            "the address of the server holds a password or a query, which would be shown\n"
            "  = help: leave it out, and set OPENAI_API_KEY"
        )
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:  # the port is no number
        host = None
    if not host or parts.scheme not in ("http", "https") or not url.isprintable():
        raise UserError(f"{url!r} is no address of a server\n  = help: give one such as http://127.0.0.1:8080/v1")
    try:
        return url, ip_address(host).is_private
    except ValueError:
        return url, "." not in host or host.endswith(_OWN_NETWORK)


def find_key(key: Secret | None, url: str, near: bool) -> Secret | None:
    """Return the key for an endpoint: the given one, else that of `OPENAI_API_KEY`; servers nearby may need none.

    Raises:
        UserError: There is none, or it cannot be sent.
    """
    value = os.environ.get("OPENAI_API_KEY")
    key = key or (Secret(value) if value else None)
    if key is None and not near:
        raise UserError(
            f"there is no key for {url}\n  = help: set OPENAI_API_KEY, or name another variable with --api-key-env"
        )
    if key and not re.fullmatch(r"[!-~]+", key.reveal()):
        raise UserError("the key holds spaces or letters that no key has\n  = help: copy it again")
    return key
