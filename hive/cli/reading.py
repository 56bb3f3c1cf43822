"""The words of a command line as the settings of a command; errors in them become one sentence."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from cyclopts.exceptions import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.cli.command import Command, DashError, Table
from hive.cli.help_text import HELP_FLAGS, arguments_of, is_positional, see_help, shown_name, takes_many

_MOST = 3  # commands that are named as owners of an option


def find(commands: Table, words: Sequence[str], path: str = "hive") -> tuple[str, Any, list[str]]:
    """Return the command that some words name, the words of its name, and the words that are left.

    Raises:
        UserError: There is no such command or sub-command.
    """
    name, *rest = words
    if name not in commands:
        advice = did_you_mean(nearest(name, commands)) or f"commands are {listing(commands, 'and')}"
        raise UserError(f"there is no command `{' '.join([*path.split()[1:], name])}`\n  = help: {advice}")
    command, path = commands[name], f"{path} {name}"
    parts = command.parts
    if parts is None or (rest and rest[0] in HELP_FLAGS):
        return path, command, rest
    if not rest or rest[0].startswith("-"):
        raise UserError(f"say what `{path}` is to do: {listing(parts, 'or')}\n  = help: see `{path} --help`")
    return find(parts, rest, path)


def read(path: str, command: Command[Any], words: Sequence[str], commands: Table) -> Any:
    """Return the settings of a command.

    Args:
        path: The words that name it, such as `hive rescue draw`.
        command: The command.
        words: The words after its name.
        commands: All commands; a message about an option of another one names it.

    Raises:
        UserError: An argument is unknown, missing or wrong.
    """
    app = command.app(path)
    try:
        make, bound, ignored = app.parse_args(list(words), exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise UserError(_explain(error, path, command, words, commands)) from None
    known = {"line": shlex.join([*path.split(), *without_keys(words)]), "commands": commands}
    settings = make(*bound.args, **bound.kwargs, **{name: value for name, value in known.items() if name in ignored})
    _refuse_foreign(path, command, settings)
    return settings


def _refuse_foreign(path: str, command: Command[Any], settings: Any) -> None:
    """Refuse options that what a command is about does not take, see `hive.cli.subjects`.

    Raises:
        UserError: One is given.
    """
    if command.subjects is None or not (name := settings.scenario):
        return
    usual = {each.name: each.default for each in fields(settings)}
    changed = {field for field in usual if getattr(settings, field) != usual[field]}
    every = command.subjects.every()
    foreign = {field for each in every for field in each.refused}
    try:
        subject = command.subjects.of(name) if changed & foreign else None
    except UserError:  # there is no such world, which the command says
        return
    refused = changed.intersection(subject.refused) if subject else set()
    wrong = [each.name for each in arguments_of(command) if each.field_info.name in refused]
    if subject and wrong:
        takers = listing(joint="and", phrases=[each.several for each in every if not refused & {*each.refused}])
        whose = f"{'it is' if len(wrong) == 1 else 'they are'} for {takers}" if takers else ""
        advice = "; ".join(
            filter(None, [whose, subject.advice, f"{see_help(path, command, name)} lists what it takes"])
        )
        raise UserError(f"{listing(wrong, 'and')} cannot be used here: {name} is a {subject.noun}\n  = help: {advice}")


def without_keys(words: Sequence[str]) -> list[str]:
    """Return the words of a command line with the values of `--api-key` replaced, so that they can be written down."""
    from hive.players.llm.client import Secret

    hidden = str(Secret(""))
    shown: list[str] = []
    for word in words:
        if shown and shown[-1] == "--api-key":
            shown.append(hidden)
        else:
            shown.append(f"--api-key={hidden}" if word.startswith("--api-key=") else word)
    return shown


def _explain(error: CycloptsError, path: str, command: Command[Any], words: Sequence[str], commands: Table) -> str:
    """Return the message about a wrong command line."""
    see = f"see `{path} --help`"
    unknown = _unknown(error)
    if unknown:
        name = unknown[0].partition("=")[0]
        options = [each.name.removeprefix("--") for each in arguments_of(command) if not is_positional(each)]
        near = nearest(name.removeprefix("--"), options) if name.startswith("--") else None
        advice = f"{did_you_mean(f'--{near}')} {see}" if near else see
        owners = list(_owners(commands, name))
        siblings = [each for each in owners if each.rpartition(" ")[0] == path.rpartition(" ")[0] != "hive"]
        if owners := siblings or owners:
            shown = listing(owners[:_MOST], "and", ["others"] if owners[_MOST:] else [])
            return f"{name} belongs to {shown}, not to `{path}`\n  = help: {advice}"
        return f"unrecognized arguments: {' '.join(unknown)}\n  = help: {advice}"
    argument = error.argument
    if argument is None:
        return f"{error}\n  = help: {see}"
    name = shown_name(argument)
    if isinstance(error, MissingArgumentError):
        if error.keyword or any(token.keyword for token in argument.tokens):
            return f"argument {name}: expected {'at least ' * takes_many(argument)}one argument\n  = help: {see}"
        missing = [each for each in arguments_of(command) if each.required and not _given(each.names, words)]
        named = [name, *(shown_name(each) for each in missing if not is_positional(each) and each.name != name)]
        return f"the following arguments are required: {', '.join(named)}\n  = help: {see}"
    if not isinstance(error, CoercionError) or error.token is None:
        return f"argument {name}: {error}\n  = help: {see}"
    value, choices = error.token.value, argument.get_choices(force=True) or ()
    if error.msg is not None:
        return f"argument {name}: {error.msg}\n  = help: {see}"
    if choices:
        near = nearest(value, choices)
        allowed = ", ".join(map(repr, choices))
        advice = f"{did_you_mean(near)} {see}" if near else see
        return f"argument {name}: invalid choice: {value!r} (choose from {allowed})\n  = help: {advice}"
    if argument.is_flag():
        return f"argument {name}: takes no value, `{value}` was given\n  = help: {see}"
    return f"argument {name}: `{value}` is not allowed here\n  = help: {see}"


def _unknown(error: CycloptsError) -> list[str]:
    """Return the words that no argument takes."""
    if isinstance(error, UnknownOptionError):
        word = error.token.keyword or error.token.value
        joined = next((each for each in error.root_input_tokens or () if each.startswith(f"{word}=")), word)
        return [joined]
    if isinstance(error, UnusedCliTokensError):
        return list(error.unused_tokens or ())
    return [str(error.__cause__)] if isinstance(error.__cause__, DashError) else []


def _given(names: Iterable[str], words: Sequence[str]) -> bool:
    return any(word.partition("=")[0] in names for word in words)


def _owners(commands: Table, option: str, path: str = "hive") -> Iterator[str]:
    """Yield the commands that have an option."""
    for name, command in commands.items():
        if command.parts is not None:
            yield from _owners(command.parts, option, f"{path} {name}")
        elif any(option in each.names and not is_positional(each) for each in arguments_of(command)):
            yield f"{path} {name}"
