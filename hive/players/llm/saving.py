"""Dialogues as files: one to take up again, one to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import dsl
from dsl import UserError
from hive.kit.keep.places import because, read_text
from hive.kit.plan_text import PlanText
from hive.kit.planned_world import Request
from hive.kit.seeds import SEEDS
from hive.players.llm.client import Message
from hive.players.llm.session import Session

FORMAT = "hive-dialogue-1"
MOST_BYTES = 64 * 2**20
_ROLES = ("user", "assistant")
_HELP = "give the dialogue.json of a run"


def saved(session: Session) -> dict[str, Any]:
    """Return a session in plain values: what is played, what was said, and the plans with their ticks."""
    request = session.request
    return {
        "format": FORMAT,
        "scenario": request.scenario,
        "seed": session.seed,
        "units": request.units,
        "written_for": list(request.written_for) if request.written_for else None,
        "rules": dict(request.numbers),
        "markers": {letter: list(place) for letter, place in request.markers},
        "lenient": request.lenient,
        "fire_rules": request.fire_rules,
        "tick": session.tick,
        "plans": [{"tick": tick, "text": plan.text} for tick, plan in session.plans],
        "messages": [message.json() for message in session.dialogue.messages],
        "order": session.dialogue.topic.order,
        **({"against": session.against[0], "against_every": session.against[1]().every} if session.against else {}),
    }


def dialogue_text(session: Session) -> str:
    """Return the exact text that was sent and received, with a heading before each message."""
    return messages_text([Message("system", session.dialogue.system), *session.dialogue.messages])


def messages_text(messages: Sequence[Message]) -> str:
    """Return messages with a heading before each."""
    return "\n".join(f"# {each.role}\n\n{each.text}\n" for each in messages)


def read_saved(path: Path) -> dict[str, Any]:
    """Read a file that `saved` was written to.

    Raises:
        UserError: It cannot be read, or it is something else.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UserError(f"{path} is larger than a dialogue may be, {MOST_BYTES:,} bytes\n  = help: {_HELP}")
        found = json.loads(read_text(path))
    except OSError as error:
        raise UserError(f"cannot read {path}: {because(error)}") from None
    except (ValueError, RecursionError):
        raise UserError(f"{path} is no dialogue: it is not JSON\n  = help: {_HELP}") from None
    problem = problem_of(found)
    if problem:
        raise UserError(f"{path} is no dialogue that can be resumed: {problem}\n  = help: {_HELP}")
    result: dict[str, Any] = found
    return result


def request_of(found: dict[str, Any]) -> Request:
    """Return what a saved dialogue is about."""
    return Request(
        scenario=found["scenario"],
        seed=found["seed"],
        units=found["units"],
        written_for=(found["written_for"][0], found["written_for"][1]) if found["written_for"] else None,
        numbers=tuple(found["rules"].items()),
        markers=tuple((letter, (place[0], place[1])) for letter, place in found["markers"].items()),
        lenient=found["lenient"],
        fire_rules=found["fire_rules"],
    )


def restore(session: Session, found: dict[str, Any]) -> None:
    """Take up a dialogue and its game: the game is played again to the tick at which it was saved.

    Raises:
        DslError: A plan of the file does not fit the world.
    """
    session.dialogue.messages = [Message(each["role"], each["text"]) for each in found["messages"]]
    session.dialogue.topic = replace(session.dialogue.topic, order=found.get("order", ""))
    context, written = session.dialogue.context, session.request.written_for
    for tick, text in ((each["tick"], each["text"]) for each in found["plans"]):
        report = dsl.check_plan(text, f"plan at {tick}", context, session.dialogue.lenient)
        if not report.ok:
            raise dsl.DslError(report.diagnostics)
        if tick:
            session.play(tick - session.tick)
        session.order(PlanText("reply", text, report, written), anew=True)
    if found["plans"] and found["tick"]:
        session.play(found["tick"] - session.tick)


def problem_of(found: Any) -> str | None:
    """Return what is wrong with the content of a file that `saved` should have written, or None."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return f"it has no `format` {FORMAT}"
    kinds: dict[str, tuple[type, ...]] = {
        "scenario": (str,),
        "seed": (int,),
        "units": (int, type(None)),
        "written_for": (list, type(None)),
        "rules": (dict,),
        "markers": (dict,),
        "lenient": (bool,),
        "fire_rules": (str, type(None)),
        "tick": (int,),
        "plans": (list,),
        "messages": (list,),
    }
    for name, kind in kinds.items():
        if name not in found or type(found[name]) not in kind:
            return f"`{name}` is missing or of the wrong type"
    if type(found.get("order", "")) is not str:
        return "`order` is of the wrong type"
    for name, what, good in _CHECKS:
        if not good(found[name]):
            return what
    return _disorder(found)


def _disorder(found: dict[str, Any]) -> str | None:
    """Return what is wrong with the ticks of plans that passed the other checks, or None."""
    ticks = [each["tick"] for each in found["plans"]]
    if ticks and (ticks[0] != 0 or sorted(set(ticks)) != ticks or ticks[-1] > found["tick"]):
        return "the ticks of the plans do not rise from 0 to the tick of the game"
    return None


def _each(**fields: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a test of a list of objects by tests of their fields."""

    def good(values: Any) -> bool:
        return all(
            isinstance(value, dict) and all(test(value.get(name)) for name, test in fields.items()) for value in values
        )

    return good


def _is_place(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value)


def _is_seed(value: Any) -> bool:
    return type(value) is int and 0 <= value < SEEDS


def _are_sizes(value: Any) -> bool:
    return value is None or (_is_place(value) and min(value) > 0)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not any(0xD800 <= ord(letter) < 0xE000 for letter in value)  # halves of one


_CHECKS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("scenario", "the name of its scenario is no UTF-8 text", _is_text),
    ("seed", "its seed is no whole number from 0 to below 2^32", _is_seed),
    ("tick", "its tick is negative", lambda tick: tick >= 0),
    ("written_for", "`written_for` is no pair of team sizes", _are_sizes),
    (
        "markers",
        "a marker is no letter with a pair of whole numbers",
        lambda markers: all(map(_is_text, markers)) and all(map(_is_place, markers.values())),
    ),
    ("rules", "a rule is no number", lambda rules: all(type(value) in (int, float) for value in rules.values())),
    (
        "messages",
        "a message is not a text of the user or the assistant",
        _each(role=lambda role: isinstance(role, str) and role in _ROLES, text=_is_text),
    ),
    ("plans", "a plan has no tick or no text", _each(tick=lambda tick: type(tick) is int and tick >= 0, text=_is_text)),
)
