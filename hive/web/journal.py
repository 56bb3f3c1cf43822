"""The file of a session: one JSON object a line, on disk before what it says takes effect.

The first line says what is played and by which versions. The others are what the page received of orders and their
answers, in order (`said`, `answer`, `plan`, `marked`, `line`, `event`), and how far the game had come (`at`). Games are
deterministic, so a session is resumed by playing its plans again. Each line ends with a digest of itself and of the
line before. A last line that a killed process left incomplete is dropped.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.lines import LineChain, read_line, split_torn
from hive.kit.keep.places import append, because, find_place, read_bytes, reason
from hive.kit.keep.runfolder import whole_file
from hive.kit.planned_world import Request
from hive.players.llm import saving
from hive.players.llm.session import Session

try:
    import fcntl
except ImportError:  # Windows; there two servers can share a session by mistake
    fcntl = None  # type: ignore[assignment]

FORMAT = "hive-session-2"
_PACKAGES = ("hive-swarm", "jax", "jaxlib")
_HELP = "name a session that `hive serve` has written, or begin another one"
_TOLD: dict[str, dict[str, type]] = {  # what entries must hold to be resumed
    "said": {"tick": int, "text": str},
    "answer": {"kind": str, "text": str, "messages": list},
    "plan": {"number": int, "tick": int, "text": str, "steps": list, "groups": list},
    "marked": {"markers": dict, "put": dict},
    "line": {"line": int, "tick": int, "again": bool},
    "event": {"event": str, "tick": int, "text": str},
    "at": {"tick": int},
}

Entry = dict[str, Any]


@dataclass
class Past:
    """What a journal tells of a session.

    Attributes:
        start: The first line's dialogue, as `hive.players.llm.saving` writes it: what is played.
        log: What tabs are told of the past.
        messages: The dialogue with the commander.
        plans: Tick and text of each plan of the last line of the game.
        markers: The markers that were put on the map; None: those of `start`.
        tick: Tick that the game had come to.
        line: Number of the last line of the game.
        unanswered: Ids of the prompts that no answer followed.
        chain: The lines that were read, so that the next one can follow.
    """

    start: dict[str, Any]
    log: list[Entry] = field(default_factory=list)
    messages: list[dict[str, str]] = field(default_factory=list)
    plans: list[tuple[int, str]] = field(default_factory=list)
    markers: dict[str, list[int]] | None = None
    tick: int = 0
    line: int = 0
    unanswered: list[str | int | None] = field(default_factory=list)
    chain: LineChain = field(default_factory=LineChain)

    def dialogue(self) -> dict[str, Any]:
        """Return the session as `hive.players.llm.saving` writes it."""
        now = {
            "tick": self.tick,
            "plans": [{"tick": tick, "text": text} for tick, text in self.plans],
            "messages": self.messages,
        }
        return self.start | now | ({} if self.markers is None else {"markers": self.markers})

    def request(self) -> Request:
        """Return what is played, with the markers as they are now."""
        return saving.request_of(self.dialogue())

    def add(self, entry: Entry) -> None:
        """Take the next line."""
        told = entry["is"]
        if told == "at":
            self.tick = max(self.tick, entry["tick"])
            return
        if told == "plan":
            self.plans = [plan for plan in self.plans if plan[0] < entry["tick"]] + [(entry["tick"], entry["text"])]
            self.tick = max(self.tick, entry["tick"])
        elif told == "said":
            self.unanswered = [entry.get("id")]
        elif told == "answer":
            self.unanswered = []
            self.messages += entry["messages"]
        elif told == "marked":
            self.markers = entry["put"]
            return
        elif told == "line":
            self.plans = [] if entry["again"] else [plan for plan in self.plans if plan[0] <= entry["tick"]]
            self.tick, self.line = entry["tick"], entry["line"]
            self.log = [each for each in self.log if each["is"] != "event" or each["tick"] <= entry["tick"]]
        elif told == "event":
            self.tick = max(self.tick, entry["tick"])
        self.log.append({name: value for name, value in entry.items() if name != "messages"})


class SessionJournal:
    """An open session file. One server writes it at a time."""

    def __init__(self, path: Path, chain: LineChain) -> None:
        """Open a file that `begin` made or `read` has read.

        Args:
            path: The file.
            chain: Its lines so far.

        Raises:
            UserError: Another server uses it, or has written it since it was read, or it cannot be written.
        """
        self.path, self._chain, self._lock = path, chain, threading.Lock()
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"another server uses the session {path}\n  = help: end that server, or name another file"
            ) from None
        except OSError as error:
            raise UserError(f"cannot write the session {path}: {reason(error)}") from None
        if os.fstat(self._file).st_size != chain.size:
            self.close()
            raise UserError(f"another server has just written the session {path}\n  = help: give the command again")

    def write(self, *entries: Entry, sure: bool = True) -> None:
        """Append entries; with `sure` they are on the disk when this returns.

        Raises:
            UserError: The disk is full, or the like; nothing was ordered then.
        """
        lines = [json.dumps(entry, ensure_ascii=False, allow_nan=False) for entry in entries]
        with self._lock:
            chain = self._chain.copy()
            data = "".join(chain.write(line) + "\n" for line in lines).encode()
            try:
                append(self._file, data)
                self._chain = chain
                if sure:
                    os.fsync(self._file)
            except OSError as error:
                raise UserError(f"cannot write the session {self.path}: {reason(error)}") from None

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def begin(path: Path, session: Session) -> SessionJournal:
    """Make the file of a new session.

    Raises:
        UserError: It cannot be written.
    """
    head = {"format": FORMAT, "versions": _versions(), "start": saving.saved(session)}
    if find_place(path).stream:
        raise UserError(f"{path} is a device or a pipe, so no session can be kept there\n  = help: name a file")
    chain = LineChain()
    line = chain.write(json.dumps(head, ensure_ascii=False, allow_nan=False))
    with whole_file(path, private=True) as part:
        part.write_text(line + "\n", encoding="utf-8", newline="\n")
    return SessionJournal(path, chain)


def read(path: Path) -> Past:
    """Read a session file; an incomplete last line is cut off.

    Raises:
        UserError: It cannot be read, is damaged or no session, or was made by other versions.
    """
    try:
        if find_place(path).stream:
            raise UserError(f"{path} is a device or a pipe, so it is no session\n  = help: {_HELP}")
        data = read_bytes(path)
    except OSError as error:
        raise UserError(f"cannot read {path}: {because(error)}") from None
    head = _head(path, data)
    chain = LineChain()
    try:
        lines, torn = split_torn(data, ())
        chain.read(lines[0])
    except DataError as error:
        raise UserError(f"{path} is damaged: {error}\n  = help: {_HELP}") from None
    past = Past(_start(path, head), chain=chain)
    for number, line in enumerate(lines[1:], start=2):
        try:
            entry = chain.read(line)
        except DataError as error:
            raise UserError(f"{path} is damaged: line {number}: {error}\n  = help: {_HELP}") from None
        told = entry.get("is")
        wanted = _TOLD.get(told) if isinstance(told, str) else None
        if wanted is None or not all(type(entry.get(name)) is kind for name, kind in wanted.items()):
            raise UserError(f"{path} is damaged: line {number} is no entry of a session\n  = help: {_HELP}")
        past.add(entry)
    problem = saving.problem_of(past.dialogue())
    if problem:
        raise UserError(f"{path} is damaged: {problem}\n  = help: {_HELP}")
    if torn:
        os.truncate(path, len(data) - len(torn))
    return past


def _head(path: Path, data: bytes) -> dict[str, Any]:
    """Return the first line of a session; without one nothing says that the file is one.

    Raises:
        UserError: It is missing, or of another format.
    """
    line, end, _ = data.partition(b"\n")
    try:
        head = read_line(line) if end else {}
    except DataError:
        head = {}
    found = head.get("format")
    if found != FORMAT:
        what = (
            f"its format is {found[:40]!a}" if isinstance(found, str) else f"it does not begin with the format {FORMAT}"
        )
        raise UserError(f"{path} is no session that this version of HIVE resumes: {what}\n  = help: {_HELP}")
    return head


def _start(path: Path, head: dict[str, Any]) -> dict[str, Any]:
    problem = saving.problem_of(head.get("start"))
    if problem:
        raise UserError(f"{path} is no session that can be resumed: {problem}\n  = help: {_HELP}")
    mine, theirs = _versions(), head.get("versions")
    if theirs != mine:
        names = [name for name in mine if not isinstance(theirs, dict) or theirs.get(name) != mine[name]]
        other = ", ".join(f"{name} {theirs.get(name) if isinstance(theirs, dict) else 'unknown'}" for name in names)
        here = ", ".join(f"{name} {mine[name]}" for name in names)
        raise UserError(
            f"{path} was made with {other}, and here is {here}: its game might go on otherwise\n"
            "  = help: resume it with the versions that it was made with, or begin another session"
        )
    start: dict[str, Any] = head["start"]
    return start


def _versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in _PACKAGES}
