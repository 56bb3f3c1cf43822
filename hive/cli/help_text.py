"""The help of a command: plain text of a fixed width, with its options in groups."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from dsl.wording import listing
from hive.cli.command import Command, Table

if TYPE_CHECKING:
    from cyclopts.argument import Argument

    from hive.cli.subjects import Subject

_WIDTH = 100
_COLUMN = 26  # the last one at which a text about an option begins
_FIRST = "what is played"  # the title of the group that follows the options of the command itself
HELP_FLAGS = ("-h", "--help")
HELP = (", ".join(HELP_FLAGS), "show this help message and exit")


def help_of(path: str, command: Command[Any], words: Sequence[str] = ()) -> str:
    """Return the help of a command: about one world where the words name one, else with options grouped by worlds.

    Args:
        path: The words that name it, such as `hive rescue draw`.
        command: The command.
        words: The words after its name; any may be wrong or missing.

    Raises:
        UserError: They name a world of a kind that there is not.
    """
    named = subject_of(command, words)
    notes = [command.notes, named[1].notes if named else ""]
    if command.parts is not None:
        usage = f"usage: {path} ACTION [ARGUMENTS]"
        blocks = [usage, command.about, *tables(command.parts), section("options", [HELP])]
    elif command.subjects is None:
        blocks = [_usage(path, *_split(command)), *_of_settings(command)]
    elif named is None:
        blocks = [_usage(path, *_split(command), short=True), *_of_subjects(command, command.subjects.every())]
        notes.append(f"{see_help(path, command)} shows the options for one world, with examples and notes.")
    else:
        name, subject = named
        about = f"This is the help for {subject.several}, as {name} is one; `{path} --help` is that for all worlds."
        blocks = [_usage(path, *_split(command, subject.refused)), about, *_of_settings(command, subject)]
    examples = [line for line in command.examples if named is None or _is_about(path, command, line, named[1])]
    if examples:
        blocks.append("\n".join(["examples:", *(f"  {line}" for line in examples)]))
    return "\n\n".join([*blocks, *filter(None, notes)]) + "\n"


def subject_of(command: Command[Any], words: Sequence[str]) -> tuple[str, Subject] | None:
    """Return the name that a command line gives its argument `scenario`, and what that is, for a help about it.

    Args:
        command: The command.
        words: The words after its name, of which any may be wrong or missing.

    Raises:
        UserError: There is no such kind of world.
    """
    if command.subjects is None:
        return None
    every = arguments_of(command)
    named = {name: each for each in every if not is_positional(each) for name in each.names}
    places = iter([each for each in every if is_positional(each)])
    takes: Argument | None
    found, left = None, iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if name in named:
            takes = named[name]
            if not (equals or takes.is_flag() or may_be_bare(takes)):
                value = next(left, "")
        elif word.startswith("-"):
            continue
        else:
            takes, value = next(places, None), word
        if takes and takes.field_info.name == "scenario" and value and value not in HELP_FLAGS:
            found = value
    subject = command.subjects.of(found) if found else None
    return (found, subject) if found and subject else None


def see_help(path: str, command: Command[Any], name: str = "") -> str:
    """Return the words, in quotes, that print the help of a command about one world; without a name, of any."""
    scenario = next(each for each in arguments_of(command) if each.field_info.name == "scenario")
    flag = "" if is_positional(scenario) else f"{scenario.name} "
    return f"`{path} {flag}{name or _value(scenario)} --help`"


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


def _of_settings(command: Command[Any], subject: Subject | None = None) -> list[str]:
    """Return what a command does and its arguments by group, in the help about a subject those that it takes."""
    positional, options = _split(command, subject.refused if subject else ())
    titles = _fields(command.settings) if command.settings else {}
    groups: dict[str, list[Argument]] = {"options": [], _FIRST: []}
    for each in options:
        groups.setdefault(titles[each.field_info.name], []).append(each)
    return [command.about, *_sections(positional, groups)]


def _of_subjects(command: Command[Any], subjects: Sequence[Subject]) -> list[str]:
    """Return what a command does, its arguments that serve every subject by group, and those of some by subjects."""
    positional, options = _split(command)
    titles = _fields(command.settings) if command.settings else {}
    groups: dict[str, list[Argument]] = {"options": [], _FIRST: []}
    own: dict[tuple[str, ...], list[Argument]] = {}
    for each in options:
        field = each.field_info.name
        takers = tuple(one.several for one in subjects if field not in one.refused)
        if len(takers) in (0, len(subjects)):
            groups.setdefault(titles[field], []).append(each)
        else:
            own.setdefault(takers, []).append(each)
    for takers in sorted(own, key=len, reverse=True):
        groups["for " + listing(joint="and", phrases=takers)] = own[takers]
    return [command.about, *_sections(positional, groups)]


def _sections(positional: Sequence[Argument], groups: Mapping[str, Sequence[Argument]]) -> list[str]:
    """Return the lists of arguments, all with one column of texts."""
    every = [*positional, *chain.from_iterable(groups.values())]
    column = min(max(len(HELP[0]), *(len(_invocation(each)) for each in every), 0) + 4, _COLUMN)
    found = [section("positional arguments", [_row(each) for each in positional], column)] if positional else []
    for number, (title, options) in enumerate(groups.items()):
        if rows := [*([HELP] if number == 0 else []), *map(_row, options)]:
            found.append(section(title, rows, column))
    return found


def _split(command: Command[Any], refused: Collection[str] = ()) -> tuple[list[Argument], list[Argument]]:
    """Return the positional arguments of a command, and its options without those that are refused."""
    every = arguments_of(command)
    options = [each for each in every if not is_positional(each) and each.field_info.name not in refused]
    return [each for each in every if is_positional(each)], options


def _is_about(path: str, command: Command[Any], line: str, subject: Subject) -> bool:
    """Return whether an example is about worlds of a subject, or about none."""
    words = line.split("  ")[0].removeprefix(path).split()
    named = subject_of(command, words)
    return named is None or named[1] == subject


def _usage(path: str, positional: list[Argument], options: list[Argument], short: bool = False) -> str:
    """Return the first lines of a help; with `short` without the names of options that may be left out."""
    start = f"usage: {path}"
    if short:
        flags = [_invocation(each) for each in options if each.required] + ["[OPTIONS]"]
    else:
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
