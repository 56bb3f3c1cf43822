"""A server on the loopback that speaks the wire protocol of chat completions, with any fault that a test asks for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


class Handler(BaseHTTPRequestHandler):
    """Keeps each request and gives the next answer of its server; the last one again and again."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        self.server.models(self)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.paths.append(self.path)
        self.server.requests.append(body)
        self.server.keys.append(self.headers.get("authorization", ""))
        answers = self.server.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""

    def begin(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "content_length" not in headers:
            self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()


Answer = Callable[[Handler], None]


class Server(ThreadingHTTPServer):
    """Answers `POST /v1/chat/completions` with `answers`, and `GET /v1/models` with `models`.

    Attributes:
        requests: The bodies that arrived.
        keys: Their `Authorization` headers.
        paths: All paths that were asked for.
        over: Set when the test has ended, for answers that wait.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = [stream("Hello.")]
        self.models: Answer = reply({"object": "list", "data": [{"id": "m", "owned_by": "test"}]})
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone is no error here."""


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    with Server() as server:
        if answers:
            server.answers = list(answers)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


def raw(data: bytes, kind: str, status: int = 200, **headers: str) -> Answer:
    """Bytes as they are."""

    def answer(handler: Handler) -> None:
        handler.begin(status, kind, content_length=str(len(data)), **headers)
        handler.wfile.write(data)

    return answer


def reply(content: object, status: int = 200, **headers: str) -> Answer:
    """A JSON object."""
    return raw(json.dumps(content).encode(), "application/json", status, **headers)


def event(content: object) -> bytes:
    return b"data: " + (content if isinstance(content, bytes) else json.dumps(content).encode()) + b"\n\n"


def choice(text: object, finish: object = None) -> dict[str, Any]:
    """An event of a stream with a piece of text."""
    return {"model": "m-1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


def events(*parts: object, kind: str = "text/event-stream", end: bool = True) -> Answer:
    """Any events; without `end` the connection breaks after them."""

    def answer(handler: Handler) -> None:
        handler.begin(kind=kind)
        for part in parts:
            handler.chunk(event(part))
        if end:
            handler.chunk(event(b"[DONE]"))
            handler.chunk(b"")
        else:
            handler.close_connection = True
            handler.connection.close()

    return answer


def stream(text: str, finish: object = "stop", pieces: int = 3, kind: str = "text/event-stream") -> Answer:
    """A good reply in pieces, with its usage at the end."""
    size = len(text) // pieces + 1
    parts: Sequence[object] = [choice(text[at : at + size]) for at in range(0, len(text), size)]
    usage = {"model": "m-1", "choices": [], "usage": USAGE}
    return events(
        *parts, {"model": "m-1", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}, usage, kind=kind
    )


def complete(text: object, finish: object = "stop") -> Answer:
    """A reply in one object, as a server gives that does not stream."""
    message = {"role": "assistant", "content": text}
    return reply(
        {"model": "m-1", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": USAGE}
    )


def error(status: int, message: str, code: str | None = None, param: str | None = None, **headers: str) -> Answer:
    """An error as the protocol words it."""
    return reply({"error": {"message": message, "type": "error", "code": code, "param": param}}, status, **headers)


def silence(handler: Handler) -> None:
    """No answer until the test has ended."""
    handler.server.over.wait(20)
    handler.close_connection = True
