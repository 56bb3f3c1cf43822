"""Messages between the page and the server: JSON texts, read strictly, and what a browser may ask for.

A browser sends one JSON object of at most 64 kB with the field `do`; `id` (a whole number or a short text) comes back
with the answer. The fields of each are in `FIELDS`:

    run, pause, again, command, save       no further field; `command` takes the command from another tab
    step         ticks                     play so many ticks, then pause
    speed        ticks_per_second
    until        event                     play to the next event: `step`, `contact` or `loss`; then pause
    say          text                      a prompt to the commander
    plan         text                      this plan holds from now on
    check        text, at                  what is wrong with a plan, and what may stand at the offset `at` (or null)
    mark         letter, x, y              put a marker; `x` null (or left out) removes it
    branch       tick                      another line of the game from an earlier tick
    seen         tick                      the browser has drawn the frame of this tick
    look         tick                      what was there at an earlier tick
    answer       number, fields            in a game of a team: the answer of the person to a question, texts by name

The server sends binary frames (`hive/web/frames.py`) and JSON texts with the field `is`:

    hello        role (commander or viewer), meta (the static part of a replay's meta, with leaves, scoreIs, limit,
                 markers, and burns: whether frames hold a fire), data (what meta.arrays says, in base64, packed as in a
                 replay: kind, side, type, max_health), terrain (the map's picture, a data URL), commander (who answers,
                 in words), orders (that are suggested), line, plan (the `plan` in force, or null), draft (what the
                 editor begins with: text and origin, `shipped` or `template`), log (the `said`, `answer`, `plan`,
                 `event` and `line` of the session so far), curves (the `point` of each tick), progress (rows of tick,
                 number of the plan, and its `steps`, wherever these changed), status
    status       tick, line, outcome, running, preparing (null, or what is said of a compilation: words, and the seconds
                 that it has taken so far), end (null, or of an ended game why and advice), asking (whether the
                 commander is thinking), speed (measured), asked_speed, alive (by side and type), score (or null),
                 point (of the curves: tick, live units of player and enemy, score; in a wildfire also the cells that
                 burn and those explored), steps (0 waiting, 1 active, 2 achieved), plan (its number, from 1; 0: none)
    plan         number, tick, text, steps and groups (as in a replay's course): what commands the units from now on
    said         id, tick, text            the prompt of the tab that commands, for all tabs
    piece        id, text                  a piece of the commander's reply as it comes
    answer       id, kind, text, diagnostics   kind: plan, no_plan, invalid_plan, cut_off, or failed (text says why)
    checked      id, diagnostics, colours, steps, groups, completions (`hive/web/editing.py`)
    looked       id, steps, score, frame   a whole frame in base64, of the tick or the last one before it that is kept
    marked       markers
    event        event (step, contact, loss, end, or alone: no tab was open, so the game paused), tick, text
    line         line, tick                another line of the game began at this tick; later ticks are forgotten
    command      role, free                another tab commands now, or (free) none does
    saving       id, path, doing, done, total  the run is being recorded for this folder: the first is sent at once
    saved        id, path                  the run folder is written
    refused      id, why                   the message with this id changed nothing

A game of a team (`hive/web/team.py`) sends texts alone:

    hello        role, title, seat (name of the person's agent, or empty), about (who plays), what `SceneStream.hello`
                 holds (`hive/web/scenes.py`), and status, question and results as below
    frames       what `SceneStream.take` returns, and status
    status       tick, limit, score, over, running, pace (ticks a second; 0: as fast as possible), failure (or null)
    answer       id, kind                  kind: taken
    question     question: number, agent, purpose, messages and form of what the person is asked; null: nothing
    results      table (in words), place (where the run is kept)

A frame is sent only after `seen` for one of the last two, and only the newest: a slow browser skips ticks.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest

MOST_BYTES = 64 * 1024
EVENTS = ("step", "contact", "loss")
FASTEST = 1000.0  # ticks a second
SLOWEST = 0.1
_MOST_TICKS = 1_000_000
_MOST_PROMPT = 20_000  # characters
_MOST_FIELDS, _MOST_NAME = 64, 80  # of an answer: fields, and characters of the name of one
_SHOWN = 40  # characters of a wrong value in a message

ServerMessage = dict[str, Any]
"""A message of the server; `is` says what it is."""

Tell = Callable[[ServerMessage], None]
"""Sends a text to the tab that asked; safe from any thread."""

Value = Any
Reader = Callable[[Value], Value]
"""Returns a value that was sent, checked; raises `ValueError` with the rule that it breaks."""


class RefusedError(UserError):
    """A message that is refused; it changes nothing.

    Attributes:
        id: The id of the message, if it could be read.
    """

    def __init__(self, why: str, id: str | int | None = None) -> None:
        """Keep the reason and the id."""
        super().__init__(why)
        self.id = id


@dataclass(frozen=True)
class BrowserMessage:
    """One message of a browser.

    Attributes:
        do: What is asked.
        id: What the answer repeats; None: nothing.
        fields: The fields of `do`, checked.
    """

    do: str
    id: str | int | None
    fields: Mapping[str, Value]


def read_message(text: str | bytes) -> BrowserMessage:
    """Read what a browser sent.

    Raises:
        RefusedError: It is no message, or a value is missing, unknown or out of range.
    """
    if isinstance(text, bytes):
        raise RefusedError("a browser sends JSON texts, not bytes")
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise RefusedError(f"a message has at most {MOST_BYTES:,} bytes")
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RefusedError("the message is not JSON") from None
    if not isinstance(found, dict):
        raise RefusedError("a message is a JSON object with the field `do`")
    id = found.pop("id", None)
    if not (id is None or (type(id) is int and abs(id) < 2**53) or (isinstance(id, str) and _printable(id, 64))):
        raise RefusedError("`id` is a whole number or a text of at most 64 characters")
    do = found.pop("do", None)
    if not isinstance(do, str) or do not in FIELDS:
        near = nearest(do, FIELDS) if isinstance(do, str) and len(do) <= _SHOWN else None
        help = did_you_mean(near) or f"known are {listing(FIELDS, 'and')}"
        raise RefusedError(f"`do` names no action: {_shown(do)}\n  = help: {help}", id)
    wanted = FIELDS[do]
    unknown = next((name for name in found if name not in wanted), None)
    if unknown is not None:
        raise RefusedError(f"`{do}` has no field {_shown(unknown)}", id)
    fields = {}
    for name, read in wanted.items():
        if name not in found and name not in _OPTIONAL.get(do, ()):
            raise RefusedError(f"`{do}` needs the field `{name}`", id)
        try:
            fields[name] = read(found.get(name))
        except ValueError as error:
            raise RefusedError(f"`{name}` of `{do}` {error}, not {_shown(found.get(name))}", id) from None
    return BrowserMessage(do, id, fields)


def _no_constant(word: str) -> Value:
    raise ValueError(f"{word} is no JSON")


def _printable(text: str, most: int) -> bool:
    return len(text) <= most and not any(0xD800 <= ord(letter) < 0xE000 for letter in text)


def _shown(value: Value) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _whole(least: int, most: int, none: bool = False) -> Reader:
    def read(value: Value) -> int | None:
        if none and value is None:
            return None
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"is a whole number from {least:,} to {most:,}")
        return value

    return read


def _speed(value: Value) -> float:
    if type(value) not in (int, float) or not SLOWEST <= value <= FASTEST:
        raise ValueError(f"is a number from {SLOWEST:g} to {FASTEST:,.0f}")
    return float(value)


def _event(value: Value) -> str:
    if not isinstance(value, str) or value not in EVENTS:
        raise ValueError(f"is {listing(EVENTS)}")
    return value


def _text(most: int, what: str) -> Reader:
    def read(value: Value) -> str:
        if not isinstance(value, str) or not _printable(value, most):
            raise ValueError(f"is a text of at most {most:,} characters")
        if what and not value.strip():
            raise ValueError(f"is {what}")
        return value

    return read


def _texts(value: Value) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > _MOST_FIELDS:
        raise ValueError("is an object of texts by name")
    if not all(_printable(name, _MOST_NAME) and isinstance(text, str) for name, text in value.items()):
        raise ValueError("is an object of texts by name")
    return {name: _text(_MOST_PROMPT, "")(text) for name, text in value.items()}


def _letter(value: Value) -> str:
    if not isinstance(value, str) or not re.fullmatch("[A-Z]", value):
        raise ValueError("is a letter from A to Z")
    return value


FIELDS: dict[str, dict[str, Reader]] = {
    "run": {},
    "pause": {},
    "step": {"ticks": _whole(1, _MOST_TICKS)},
    "speed": {"ticks_per_second": _speed},
    "until": {"event": _event},
    "say": {"text": _text(_MOST_PROMPT, "what you want, in words")},
    "plan": {"text": _text(MOST_BYTES, "a plan")},
    "check": {"text": _text(MOST_BYTES, ""), "at": _whole(0, MOST_BYTES, none=True)},
    "mark": {"letter": _letter, "x": _whole(0, 10**6, none=True), "y": _whole(0, 10**6, none=True)},
    "again": {},
    "branch": {"tick": _whole(0, _MOST_TICKS)},
    "command": {},
    "save": {},
    "seen": {"tick": _whole(0, _MOST_TICKS)},
    "look": {"tick": _whole(0, _MOST_TICKS)},
    "answer": {"number": _whole(1, _MOST_TICKS), "fields": _texts},
}
"""The fields of each action, with their readers."""

_OPTIONAL = {"check": ("at",), "mark": ("x", "y")}
VIEWERS = ("check", "command", "look", "seen")
"""What a tab that does not command may ask."""


def own_fault(error: Exception) -> str:
    """Return what the page is sent about an error of ours; the terminal of the server shows its traceback."""
    traceback.print_exception(error, file=sys.stderr)
    return f"an error of HIVE itself: {error!r}"
