"""What went wrong at an endpoint: the errors of the `openai` package and of servers, in words for a user."""

from __future__ import annotations

import json
import math
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx2
import openai

from dsl.wording import is_whole
from hive.players.llm.client import ModelError, Secret, clean

T = TypeVar("T")

MOST_WORDS = 300  # characters of a server's own words in a message
BUSY = (408, 409, 425, 429)  # and all from 500: the same request may succeed later
TOO_LONG = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "too many tokens",
)
NO_PICTURES = re.compile(
    r"image.{0,60}(support|allow|accept|enabled)|(support|accept).{0,60}image|multimodal"
    r"|at most 0 image|unknown variant .{0,3}image"
)
_AWRY = "look at --base-url, which mostly ends with /v1, and at the server's log"
_COMPACT = "describe the game in compact form, start a new dialogue, or lower --max-tokens"


class ProtocolError(ValueError):
    """What a server sent is not what the protocol says."""


class WireError(ModelError):
    """A `ModelError` that remembers what the server said, so that the request can be made in another way.

    Attributes:
        status: The HTTP status; None where there was none.
        said: Everything that the server said, in lower case.
        too_long: Whether the request is longer than the model can read.
    """

    def __init__(
        self,
        message: str,
        *,
        transient: bool = False,
        wait: float | None = None,
        status: int | None = None,
        said: str = "",
    ) -> None:
        """Keep the message and its cause."""
        super().__init__(message, transient=transient, wait=wait)
        self.status, self.said = status, said
        self.too_long = status == 413 or any(phrase in said for phrase in TOO_LONG)


@dataclass(frozen=True)
class ModelAddress:
    """Where a model is served, as messages name it."""

    model: str
    url: str
    timeout: float
    key: Secret | None

    def guard(self, call: Callable[[], T]) -> T:
        """Call the `openai` package.

        Raises:
            WireError: Anything went wrong. It holds no other exception, since their frames hold the key.
        """
        try:
            return call()
        except WireError as error:
            fault = error.with_traceback(None)
        except Exception as error:  # the package lets errors of six libraries through
            fault = self._explain(error)
        fault.__cause__ = fault.__context__ = None
        raise fault

    def fault(self, what: str, advice: str = "", **more: Any) -> WireError:
        """Return an error that names this place."""
        return WireError(f"{what} ({self.model} at {self.url})" + (f"\n  = help: {advice}" if advice else ""), **more)

    def quote(self, said: object) -> str:
        """Return a server's words on one line, shortened, without the key and without control characters."""
        line = " ".join(clean(said if isinstance(said, str) else json.dumps(said)).split())
        line = self.key.hide(line) if self.key else line
        return line if len(line) <= MOST_WORDS else line[:MOST_WORDS] + " ... (shortened)"

    def refused(self, status: int | None, body: object, wait: float | None = None) -> WireError:
        """Return the error for what a server answered in place of a reply.

        Args:
            status: The HTTP status, or the code of an error inside a stream.
            body: What it said, read from JSON if it is that.
            wait: Seconds that it asked to wait.
        """
        said = (body if isinstance(body, str) else json.dumps(body))[:10_000].lower()
        words = _words_of(body)
        if isinstance(words, str) and words.lstrip()[:1] == "<":
            words = "a web page"
        more: dict[str, Any] = {"status": status, "said": said}
        quoted = f": {self.quote(words)}" if words else ""
        if status in (401, 403):
            what = "the server refused this key" if self.key else "the server wants a key"
            return self.fault(f"{what}{quoted}", "set OPENAI_API_KEY, or name a variable with --api-key-env", **more)
        long = self.fault(f"the request is longer than the model can read{quoted}", _COMPACT, **more)
        if long.too_long:
            return long
        if NO_PICTURES.search(said):
            return self.fault(
                f"the model takes no pictures{quoted}", "ask a model that reads pictures, or send texts", **more
            )
        if "insufficient_quota" in said:
            return self.fault(f"the account has no credit left{quoted}", **more)
        if status == 404:
            advice = (
                "look at the name of the model, and whether --base-url ends as the server's manual says, mostly /v1"
            )
            what = "there is no such model" if "model" in said else "there is no chat endpoint"
            return self.fault(f"{what}{quoted}", advice, **more)
        if status in BUSY or (status is not None and status >= 500):
            what = "the server is busy" if status in (429, 503) else f"the server failed with status {status}"
            return self.fault(f"{what}{quoted}", transient=True, wait=wait, **more)
        return self.fault(f"the server refused the request{quoted or f' with status {status}'}", **more)

    def _explain(self, error: Exception) -> WireError:
        """Return the error for an exception."""
        if isinstance(error, openai.APIStatusError):
            return self.refused(error.status_code, error.body, _wait(error.response.headers))
        if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
            what = f"nothing arrived for {self.timeout:g} s"
            return self.fault(what, "raise --timeout if the model is slow", transient=True)
        if isinstance(error, openai.APIConnectionError):
            return self._unconnected(error.__cause__)
        if isinstance(error, httpx2.RequestError):
            return self._unconnected(error)
        if type(error) is openai.APIError:  # an error inside a stream
            code = error.code or ""
            status = int(code) if is_whole(code) else 500 if "server" in (error.type or "") else None
            return self.refused(status, error.body or error.message)
        if isinstance(error, UnicodeDecodeError):
            return self.fault("the server sent text that is not UTF-8", _AWRY)
        if isinstance(error, json.JSONDecodeError):
            return self.fault("the server sent JSON that is broken or cut off", _AWRY)
        what = str(error) if isinstance(error, ProtocolError) else type(error).__name__
        return self.fault(f"the server sent something that is no chat completion: {what}", _AWRY)

    def _unconnected(self, cause: BaseException | None) -> WireError:
        words = f": {self.quote(str(cause))}" if cause is not None and str(cause) else ""
        if isinstance(cause, ssl.SSLError) or "[SSL" in words:
            advice = "look at http or https in --base-url, and at the server's certificate"
            return self.fault(f"there is no safe connection to the server{words}", advice)
        if isinstance(cause, httpx2.ConnectError):
            advice = "start one, as in `llama-server -m MODEL.gguf --port 8080`, or look at --base-url"
            return self.fault(f"no server answers{words}", advice)
        if isinstance(cause, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
            return self.fault(
                f"this is no address of a server{words}", "give --base-url as in http://127.0.0.1:8080/v1"
            )
        if isinstance(cause, httpx2.RequestError) and not isinstance(cause, httpx2.TransportError):
            return self.fault(f"the server's answer cannot be read{words}", _AWRY)
        return self.fault(f"the connection broke off{words}", transient=True)


def _words_of(body: object) -> object:
    """Return the message in an error, which servers put in different places."""
    for _ in range(3):
        if not isinstance(body, dict):
            break
        inner = next((body[name] for name in ("error", "message", "detail") if body.get(name)), None)
        if inner is None:
            break
        body = inner
    return body


def _wait(headers: httpx2.Headers) -> float | None:
    """Return the seconds of a `Retry-After` header, which holds a number or a date."""
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
