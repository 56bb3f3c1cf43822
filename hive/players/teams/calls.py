"""Calls of tools in an answer: those of the server's protocol, which arrive in tags, and those written as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive.players.llm.client import TOOL_CALL, Tool, clean
from hive.players.teams.mail import one_line
from hive.players.teams.rules import LONGEST_ANSWER
from hive.players.teams.tags import Malformed, spoken

TEXT_CALL = "call"
"""Tag of a call that a model writes as text: `<call>navigate_to(room3)</call>`."""

_TAGGED = re.compile(rf"<({TOOL_CALL}|{TEXT_CALL})>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_FORM = re.compile(r"([A-Za-z_]\w{0,60})\s*\((.*)\)", re.DOTALL)
_SHOWN = 80  # characters of a text in a finding


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool, as an answer has it.

    Attributes:
        name: Name of the tool, which may be none that exists.
        arguments: Texts by name; in a call written as text those without a name have that of their place.
        words: The call in one line, such as `navigate_to(room3)`.
        others: How many more calls the answer has, which are not carried out.
    """

    name: str
    arguments: Mapping[str, str]
    words: str
    others: int = 0


def read_call(text: str, tools: Sequence[Tool]) -> ToolCall | Malformed:
    """Return the first call of an answer; what a model thought before `</think>` is ignored.

    A call stands in a tag `tool_call`, as JSON, or in a tag `call`, as `name(argument)`. Where there is no such tag, a
    line counts that is nothing but a call of a tool that exists.

    Args:
        text: The answer.
        tools: What the agent may call; a tagged call of something else is returned too.
    """
    if len(text) > LONGEST_ANSWER:
        return Malformed(f"is too long: {len(text):,} characters, and at most {LONGEST_ANSWER:,} are read")
    said = spoken(clean(text))
    if not said.strip():
        return Malformed("is empty")
    tagged = [inside for _, inside in _TAGGED.findall(said)]
    found = tagged or [line for line in map(_bare, said.splitlines()) if _calls(line, tools)]
    if not found:
        return Malformed("calls no tool")
    call = _read(found[0].strip(), {tool.name: tool for tool in tools})
    return call if isinstance(call, Malformed) else ToolCall(call.name, call.arguments, call.words, len(found) - 1)


def _bare(line: str) -> str:
    """Return a line without the marks of lists and of code around it."""
    return line.strip().lstrip("-*> ").strip("`").rstrip(".").strip()


def _calls(line: str, tools: Sequence[Tool]) -> bool:
    form = _FORM.fullmatch(line)
    return form is not None and any(form[1] == tool.name for tool in tools)


def _read(inside: str, tools: Mapping[str, Tool]) -> ToolCall | Malformed:
    """Read what is inside a tag."""
    if not inside.startswith("{"):
        return _read_form(_bare(inside), tools)
    try:
        found = json.loads(inside)
    except (ValueError, RecursionError):
        return Malformed(f"has a call that is no JSON: `{one_line(inside)[:_SHOWN]}`")
    name, arguments = found.get("name"), found.get("arguments", {})
    if not isinstance(name, str) or not name.strip():
        return Malformed("has a call without the name of a tool")
    if not isinstance(arguments, dict):
        return Malformed(f"calls {one_line(name)[:_SHOWN]} with arguments that are no object")
    texts = {one_line(str(key)): one_line(str(value)) for key, value in arguments.items()}
    return _call(one_line(name), texts)


def _read_form(inside: str, tools: Mapping[str, Tool]) -> ToolCall | Malformed:
    """Read `name(argument)` or `name(parameter=argument)`, with or without quotation marks."""
    form = _FORM.fullmatch(inside)
    if not form:
        return Malformed(f"has a call that is not of the form name(argument): `{one_line(inside)[:_SHOWN]}`")
    name, parts = form[1], [part for part in form[2].split(",") if part.strip()]
    places = tools[name].parameters if name in tools else ()
    texts: dict[str, str] = {}
    for place, part in enumerate(parts):
        before, equals, after = part.partition("=")
        key = before.strip() if equals else places[place] if place < len(places) else str(place + 1)
        texts[key] = one_line((after if equals else before).strip().strip("\"'"))
    return _call(name, texts)


def _call(name: str, arguments: Mapping[str, str]) -> ToolCall:
    return ToolCall(name, arguments, f"{name}({', '.join(arguments.values())})")


def without_calls(text: str) -> str:
    """Return what an answer says besides its tagged calls, as one line."""
    return one_line(_TAGGED.sub("", spoken(clean(text))))
