"""Recordings of exchanges: one JSON line an exchange, keyed by the hash of its request, replayed without a network.

Each line ends with a digest of itself. Lines do not depend on each other, so recordings may be joined.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.lines import check_seal, read_line, seal, split_torn
from hive.kit.keep.places import PRIVATE, append, because, find_place, make_folder, open_stream, read_bytes, reason
from hive.players.llm.client import ChatRequest, Client, ModelError, Reply, TextSink, Usage, clean

FORMAT = 2
_START = b'{"format": '
_FIRST = (b'{"format": 2, "key": "',)
MOST_BYTES = 2**30  # of a recording that is read


class ReplyRecording:
    """The exchanges of a file; new ones are added at its end, each as one line that is written whole.

    A last line that a crash cut off is left out, and removed when the next one is added. A new file can be read by its
    owner only. A device or a pipe is written to, and not read.
    """

    def __init__(self, path: Path) -> None:
        """Read the file, if there is one.

        Raises:
            UserError: It cannot be read, or is no recording.
        """
        self.path = path
        self._lock = threading.Lock()
        self._replies: dict[str, list[Reply]] = {}
        self._models: list[str] = []
        self._torn = 0  # bytes of a last line that was not finished
        self._ragged = False  # whether the last line has no end
        self._stream: int | None = None  # a device or a pipe, which stays open
        if os.path.exists(path):
            self._read()

    @property
    def models(self) -> list[str]:
        """Names of the models that were asked."""
        return list(self._models)

    def __len__(self) -> int:
        """Number of exchanges."""
        return sum(map(len, self._replies.values()))

    def find(self, key: str, number: int = 0) -> Reply | None:
        """Return the reply to a request; where it was made several times, the one of that number, or the last."""
        with self._lock:
            replies = self._replies.get(key)
            return replies[min(number, len(replies) - 1)] if replies else None

    def check_writable(self) -> None:
        """Raise a `UserError` if nothing can be added, before a reply is paid for and lost."""
        try:
            self._close(self._open())
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {reason(error)}") from None

    def add(self, line: str) -> None:
        """Append one exchange.

        Raises:
            UserError: The file cannot be written.
        """
        with self._lock:
            try:
                file = self._open()
                try:
                    if self._torn:
                        os.ftruncate(file, os.fstat(file).st_size - self._torn)
                        self._torn = 0
                    append(file, (("\n" if self._ragged else "") + line + "\n").encode())
                finally:
                    self._close(file)
            except OSError as error:
                raise UserError(f"cannot write {self.path}: {reason(error)}") from None
            self._ragged = False
            self._keep(*_exchange(read_line(line.encode())))

    def close(self) -> None:
        """Close a device or a pipe; a file is closed after each exchange."""
        if self._stream is not None:
            os.close(self._stream)
            self._stream = None

    def _open(self) -> int:
        if self._stream is not None:
            return self._stream
        make_folder(self.path.parent)
        if find_place(self.path).stream:
            self._stream = open_stream(self.path)
            return self._stream
        return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE)

    def _close(self, file: int) -> None:
        if file != self._stream:
            os.close(file)

    def _keep(self, key: str, model: str, reply: Reply) -> None:
        self._replies.setdefault(key, []).append(reply)
        if model not in self._models:
            self._models.append(model)

    def _read(self) -> None:
        if find_place(self.path).stream:
            return
        try:
            if self.path.stat().st_size > MOST_BYTES:
                raise UserError(
                    f"{self.path} is larger than a recording may be, {MOST_BYTES:,} bytes\n  = help: name another file"
                )
            data = read_bytes(self.path)
        except OSError as error:
            raise UserError(f"cannot read {self.path}: {because(error)}") from None
        try:
            lines, torn = split_torn(data, _FIRST, _START)
        except DataError as error:
            raise UserError(f"{self.path} is no recording of a model: {error}\n  = help: name another file") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                self._read_line(number, line)
        try:
            read_line(torn)
        except DataError:
            self._torn = len(torn)
        else:
            self._read_line(len(lines) + 1, torn)
            self._ragged = True

    def _read_line(self, number: int, line: bytes) -> None:
        try:
            row = read_line(line)
            check_seal(line)
            self._keep(*_exchange(row))
        except DataError as error:
            raise UserError(
                f"{self.path}, line {number}: this is no exchange with a model: {error}\n"
                "  = help: name a file that `--record` has written"
            ) from None


class Recorder:
    """Asks another client and keeps every exchange."""

    def __init__(
        self, client: Client, lines: list[str], recording: ReplyRecording | None = None, reuse: bool = False
    ) -> None:
        """Record the exchanges of a client.

        Args:
            client: Who is asked.
            lines: Receives every exchange as the line of a recording.
            recording: Where exchanges are appended; None: they are only kept in `lines`.
            reuse: Whether a request that is recorded already is not made again.
        """
        self._client, self._lines, self._recording, self._reuse = client, lines, recording, reuse

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._client.name

    @property
    def about(self) -> str:
        """Who answers."""
        return self._client.about

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Ask and record; see `Client.complete`."""
        key = request.key(self.name)
        found = self._recording.find(key) if self._recording is not None and self._reuse else None
        if found and told:
            told(found.text)
        reply = found or self._client.complete(request, told)
        grammar = request.grammar.json() if request.grammar else None
        plain = request.json()
        asked = {"messages": plain["messages"], "grammar": grammar, **plain, "world": request.topic.world}
        line = _line(key, self.name, asked, reply)
        self._lines.append(line)
        if self._recording is not None and not found:
            self._recording.add(line)
        return reply


class Replay:
    """Answers from a recording alone."""

    def __init__(self, path: Path, model: str | None = None) -> None:
        """Open a recording.

        Args:
            path: The file.
            model: Whose replies; None: the only model of the recording.

        Raises:
            UserError: There is no such file, it is no recording, or it does not tell the model.
        """
        if not path.is_file():
            raise UserError(f"there is no recording {path}\n  = help: `--record FILE` makes one")
        self._recording = ReplyRecording(path)
        models = self._recording.models
        if model is None and len(models) != 1:
            some = ", ".join(models) if models else "no model"
            raise UserError(f"{path} holds replies of {some}\n  = help: name one with --model")
        self.name = model or models[0]
        self._asked: dict[str, int] = {}

    @property
    def about(self) -> str:
        """Who answers."""
        return f"replies of {self.name} are replayed from {self._recording.path}; no model is asked"

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Return the recorded reply; a request that was made several times gets its replies in turn.

        Raises:
            ModelError: This request was not recorded.
        """
        key = request.key(self.name)
        reply = self._recording.find(key, self._asked.get(key, 0))
        if reply is None:
            raise ModelError(
                f"{self._recording.path} holds no reply of {self.name} to this request\n"
                "  = help: a recording answers the very same messages, pictures and settings; record it again"
            )
        self._asked[key] = self._asked.get(key, 0) + 1
        if told:
            told(reply.text)
        return reply


def _line(key: str, model: str, request: dict[str, Any], reply: Reply) -> str:
    return seal(json.dumps({"format": FORMAT, "key": key, "model": model, "request": request, "reply": _plain(reply)}))


def _plain(reply: Reply) -> dict[str, Any]:
    return {**vars(reply), "usage": reply.usage.json(), "seconds": round(reply.seconds, 3)}


def _exchange(line: Mapping[str, Any]) -> tuple[str, str, Reply]:
    """Read the fields of a line.

    Raises:
        DataError: It is something else.
    """
    if line.get("format") != FORMAT:
        raise DataError(f"it has no `format` {FORMAT}")
    reply, key, model = line.get("reply"), line.get("key"), line.get("model")
    if not (isinstance(reply, dict) and isinstance(key, str) and isinstance(model, str)):
        raise DataError("`key`, `model` or `reply` is missing")
    kinds = {"text": str, "model": str, "finish": str, "seconds": float | int, "constrained": bool, "usage": dict}
    for name, kind in kinds.items():
        if not isinstance(reply.get(name), kind):
            raise DataError(f"`{name}` of the reply is missing or of the wrong type")
    counts = [reply["usage"].get(name) for name in ("prompt", "reply")]
    if any(not isinstance(count, int | None) for count in counts):
        raise DataError("`usage` holds something else than counts")
    texts = {name: clean(reply[name]) for name, kind in kinds.items() if kind is str}
    return key, clean(model), Reply(**{name: reply[name] for name in kinds} | texts | {"usage": Usage(*counts)})
