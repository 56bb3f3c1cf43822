"""The help of a command: plain text of a fixed width, with its options in groups."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from hive.cli.command import Command, Table

if TYPE_CHECKING:
    from cyclopts.argument import Argument

_WIDTH = 100
_COLUMN = 26  # the last one at which a text about an option begins
HELP_FLAGS = ("-h", "--help")
HELP = (", ".join(HELP_FLAGS), "show this help message and exit")


def help_of(path: str, command: Command[Any]) -> str:
    """Return the help of a command.

    Args:
        path: The words that name it, such as `hive rescue draw`.
        command: The command.
    """
    if command.parts is not None:
        usage = f"usage: {path} ACTION [ARGUMENTS]"
        blocks = [usage, command.about, *tables(command.parts), section("options", [HELP])]
    else:
        blocks = _of_settings(path, command)
    blocks.append("\n".join(["examples:", *(f"  {line}" for line in command.examples)]))
    return "\n\n".join([*blocks, command.notes] if command.notes else blocks) + "\n"


def tables(commands: Table) -> Iterator[str]:
    """Yield the list of commands of each group, under its title."""
    width = max(len(row.name) for rows in commands.groups.values() for row in rows)
    for title, rows in commands.groups.items():
        yield "\n".join([f"{title}:", *(f"  {row.name:<{width}}  {row.summary}" for row in rows)])


def arguments_of(command: Command[Any]) -> list[Argument]:
    """Return the arguments of a command, its own before those that it shares."""
    settings: Any = command.settings
    return [] if settings is None else _arguments(settings)


@cache
def _arguments(settings: Any) -> list[Argument]:
    app = Command("", (), settings).app("hive")
    found = {each.field_info.name: each for each in app.assemble_argument_collection() if each.show}
    return [found[name] for name in _fields(settings) if name in found]


def shown_name(argument: Argument) -> str:
    """Return how help and messages call an argument."""
    return str(argument.parameter.metavar) if is_positional(argument) else argument.name


def is_positional(argument: Argument) -> bool:
    """Return whether the place of an argument says which one it is."""
    return argument.index is not None


def takes_many(argument: Argument) -> bool:
    """Return whether an argument takes any number of values."""
    return bool(argument.token_count()[1]) and (is_positional(argument) or _span(argument) == (1, None))


def may_be_bare(argument: Argument) -> bool:
    """Return whether the value of an option may be left out."""
    return _span(argument) == (0, 1)


def _span(argument: Argument) -> Any:
    """Return the least and the most values that may follow an option once, as `option` has set them; else None."""
    return argument.parameter.consume_multiple


def _fields(settings: type) -> dict[str, str]:
    """Return the title of the group of each field by its name, the class's own fields first."""
    found: dict[str, str] = {}
    for each in settings.__mro__[:-1]:
        title = "options" if each is settings else getattr(each, "title", "options")
        found |= {name: title for name in vars(each).get("__annotations__", ()) if name not in ("title", "line")}
    return found


def _of_settings(path: str, command: Command[Any]) -> list[str]:
    found = {each.field_info.name: each for each in arguments_of(command)}
    titles = _fields(command.settings) if command.settings else {}
    positional = [each for each in found.values() if is_positional(each)]
    options = [each for each in found.values() if not is_positional(each)]
    column = min(max(len(HELP[0]), *(len(_invocation(each)) for each in found.values()), 0) + 4, _COLUMN)
    blocks = [_usage(path, positional, options), command.about]
    if positional:
        blocks.append(section("positional arguments", [_row(each) for each in positional], column))
    groups: dict[str, list[tuple[str, str]]] = {"options": [HELP]}
    for each in options:
        groups.setdefault(titles[each.field_info.name], []).append(_row(each))
    return [*blocks, *(section(title, rows, column) for title, rows in groups.items())]


def _usage(path: str, positional: list[Argument], options: list[Argument]) -> str:
    start = f"usage: {path}"
    flags = ["[-h]", *(f"{_invocation(each)}" if each.required else f"[{_invocation(each)}]" for each in options)]
    places = [_place(each) for each in positional]
    whole = " ".join([start, *flags, *places])
    if len(whole) <= _WIDTH:
        return whole
    lines, line = [], start
    for words in (flags, places):
        for number, word in enumerate(words):
            if len(line) + 1 + len(word) > _WIDTH or (words is places and not number):
                lines.append(line)
                line = " " * len(start)
            line += f" {word}"
    return "\n".join([*lines, line])


def _row(argument: Argument) -> tuple[str, str]:
    return _invocation(argument), str(argument.parameter.help)


def section(title: str, rows: Sequence[tuple[str, str]], column: int = 0) -> str:
    """Return a titled list of arguments with their texts; column 0: as far to the left as the names allow."""
    column = column or max(len(name) for name, _ in rows) + 4
    lines = [f"{title}:"]
    for name, text in rows:
        wrapped = textwrap.wrap(text, _WIDTH - column)
        if len(name) <= column - 4:
            lines.append(f"  {name:<{column - 2}}{wrapped.pop(0)}")
        else:
            lines.append(f"  {name}")
        lines += [" " * column + line for line in wrapped]
    return "\n".join(lines)


def _invocation(argument: Argument) -> str:
    """Return an argument as the help lists it."""
    if argument.is_flag():
        return argument.name
    value = _value(argument)
    if is_positional(argument):
        return value
    if may_be_bare(argument):
        return f"{argument.name} [{value}]"
    return f"{argument.name} {value}{f' [{value} ...]' if takes_many(argument) else ''}"


def _place(argument: Argument) -> str:
    """Return a positional argument as the usage shows it."""
    value = _value(argument)
    if takes_many(argument):
        return f"{value} [{value} ...]" if argument.required else f"[{value} ...]"
    return value if argument.required else f"[{value}]"


def _value(argument: Argument) -> str:
    choices = argument.get_choices(force=True) or ()
    return argument.parameter.metavar or f"{{{','.join(choices)}}}"
