"""A tab without a browser: it sends messages, draws frames, and keeps what it is told."""

from __future__ import annotations

import base64
import json
import struct
import time
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import numpy as np
from websockets.sync.client import connect

from hive.kit.view.frame import Frame
from hive.web.frames import COLUMNS

Words = dict[str, Any]
Column = tuple[str, int, int]
"""Name, bytes and number of values of a column."""
_HEAD = struct.Struct("<BBHiI")


def live(address: str) -> str:
    """The address of the live connection, given that of the page."""
    return address.replace("http://", "ws://").replace("/?", "/live?")


class Tab:
    """One connection; use it in a `with`."""

    def __init__(self, address: str, draws: bool = True, **options: Any) -> None:
        self._open = ExitStack()
        self._socket = self._open.enter_context(connect(live(address), max_size=None, max_queue=None, **options))
        self.told: list[Words] = []
        self.frames: list[Frame] = []
        self.sizes: list[int] = []
        self._draws = draws
        self._count = 0
        try:
            self.hello = self.hear("hello")
        except BaseException:
            self._open.close()
            raise

    def __enter__(self) -> Tab:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """Close the tab."""
        self._open.close()

    def send(self, do: str, **fields: Any) -> None:
        self.send_text(json.dumps({"do": do, **fields}))

    def send_text(self, text: str | bytes) -> None:
        self._socket.send(text)

    def ask(self, do: str, **fields: Any) -> Words:
        """The text that answers a message."""
        self._count += 1
        self.send(do, id=self._count, **fields)
        return self.until(lambda words: words.get("id") == self._count and words["is"] not in ("said", "piece"))

    def hear(self, *kinds: str) -> Words:
        """The next text of some kinds."""
        return self.until(lambda words: words["is"] in kinds)

    def status(self, **wanted: Any) -> Words:
        """The next status with these fields."""
        return self.until(lambda words: words["is"] == "status" and wanted.items() <= words.items())

    def until(self, right: Any, seconds: float = 120) -> Words:
        """The next text of which a condition holds; frames on the way are drawn."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self._socket.recv(timeout=seconds)
            if isinstance(found, bytes):
                self._draw(found)
                continue
            words: Words = json.loads(found)
            self.told.append(words)
            if right(words):
                return words
        raise AssertionError(f"not told within {seconds} s; last: {self.told[-3:]}")

    def draw(self, tick: int) -> Frame:
        """The frame of a tick, once it is there; the game stands at that tick."""
        while not self.frames or self.frames[-1].tick != tick:
            self.status(tick=tick)
        return self.frames[-1]

    def _draw(self, data: bytes) -> None:
        frame, number = decode(data, self.frames[-1] if self.frames else None, self._columns(data))
        assert number == len(self.frames) % 65536
        self.frames.append(frame)
        self.sizes.append(len(data))
        if self._draws:
            self.send("seen", tick=frame.tick)

    def look(self, tick: int) -> Frame:
        """The frame of an earlier tick."""
        told = self.ask("look", tick=tick)
        data = base64.b64decode(told["frame"])
        return decode(data, None, self._columns(data))[0]

    def _columns(self, data: bytes) -> list[Column]:
        meta = self.hello["meta"]
        return meta["columns"] if "columns" in meta else battle_columns(data, meta["units"], meta["metres"] ** 2)


def battle_columns(data: bytes, units: int, cells: int = 0) -> list[Column]:
    """The columns of a battle's frame."""
    wide, fire = data[1] & 1, data[1] & 2
    widths = {"health": 1, "attack": 4 if wide else 2}
    columns = [(name, widths.get(name, 2), units) for name in COLUMNS]
    return [*columns, ("fire", 1, cells)] if fire else columns


def decode(data: bytes, before: Frame | None, columns: Sequence[Column]) -> tuple[Frame, int]:
    """The frame that `hive.web.frames.encode` turned into bytes, which may build on the one before, and its number."""
    kind, _, number, tick, line = _HEAD.unpack_from(data)
    assert before or not kind, "a frame of changes needs the frame before it"
    rest = np.frombuffer(zlib.decompress(data[_HEAD.size :]), np.uint8)
    at, masks, found = 0, {}, {}
    for name, _, count in columns:
        masks[name] = np.unpackbits(rest[at : at + -(-count // 8)], count=count, bitorder="little").astype(bool)
        at += -(-count // 8)
    for name, width, _ in columns:
        mask = masks[name]
        size = int(mask.sum()) * width
        planes = rest[at : at + size].reshape(width, -1)
        at += size
        dtype = np.dtype(f"<u{width}")
        new = np.ascontiguousarray(planes.T).view(dtype).reshape(-1)
        now = before.columns[name].copy() if kind and before else np.zeros(len(mask), dtype)
        if name in ("x", "y"):
            new = now[mask] + ((new >> 1) ^ -(new & 1))
        now[mask] = new
        found[name] = now
    assert at == len(rest), "the frame is longer or shorter than its masks say"
    return Frame(line, tick, found), number
