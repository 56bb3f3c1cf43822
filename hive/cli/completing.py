"""`hive completion`: what a shell needs to complete the words of a command line, and the words that it is offered."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO, cast

import scenarios
from hive.cli.arguments import Parser, Subcommand
from hive.cli.command import Command, Table
from hive.cli.help_text import arguments_of, is_positional, takes_many

_SHELLS = ("bash", "zsh", "fish")


def completes() -> bool:
    """Return whether a shell started this process to complete a command line."""
    return "_ARGCOMPLETE" in os.environ


def complete(commands: Table, output: TextIO | None = None) -> None:
    """Write the words that may follow in the command line of a shell, then end the process. Loads no JAX.

    Args:
        commands: All commands by name.
        output: Where to write; None: the file descriptor that the shell reads. Only without it the process ends.
    """
    import argcomplete

    leave: dict[str, Any] = {} if output is None else {"exit_method": lambda code: None, "output_stream": output}
    argcomplete.autocomplete(_parser(commands), always_complete_options=False, **leave)


def _parser(commands: Table) -> argparse.ArgumentParser:
    """Return one parser of all commands, whose arguments know the names that they accept."""
    parser = argparse.ArgumentParser("hive")
    parser.add_argument("--version", action="store_true", help="print versions")
    parts = parser.add_subparsers()
    for name, command in commands.items():
        part = parts.add_parser(name)
        if isinstance(command, Command):
            add_arguments(part, command)
            continue
        command.options(cast(Parser, part))
        for action in part._actions:
            names = _NAMES.get(f"{name} {action.dest}") or _NAMES.get(action.dest)
            if names and action.type is not Path:  # else it is a folder
                vars(action)["completer"] = names
            elif action.type not in (None, Path):  # a number, or NAME=VALUE
                vars(action)["completer"] = lambda **_: ()
    parts.add_parser("help", help="all about one command").add_argument("command", choices=commands)
    return parser


def add_arguments(parser: argparse.ArgumentParser, command: Command[Any]) -> None:
    """Add the arguments of a command that is read by its settings."""
    if command.parts is not None:
        parts = parser.add_subparsers()
        for name, part in command.parts.items():
            add_arguments(parts.add_parser(name), part)
    for each in arguments_of(command):
        given: dict[str, Any] = {"help": str(each.parameter.help).replace("%", "%%")}
        given |= {"action": "store_true"} if each.is_flag() else {"choices": each.get_choices(force=True)}
        given |= {} if each.is_flag() else {"metavar": each.parameter.metavar}
        given |= {"nargs": "*" if takes_many(each) else "?"} if is_positional(each) else {}
        given |= {"nargs": "+"} if takes_many(each) and not is_positional(each) else {}
        action = parser.add_argument(each.field_info.name if is_positional(each) else each.name, **given)
        if offer := each.parameter.completer:
            vars(action)["completer"] = _offering(offer)
        elif not each.is_flag() and "accepts_keys" in each.parameter._provided_args:  # it is read as no file
            vars(action)["completer"] = lambda **_: ()


def _offering(offer: Callable[[Any], Iterable[str]]) -> Callable[..., Iterable[str]]:
    return lambda prefix, **_: offer(SimpleNamespace(incomplete=prefix))


def _or_files(names: Callable[[], Iterable[str]], ending: str) -> Callable[..., list[str]]:
    """Return a completer that offers shipped names, and files with an ending."""

    def offer(prefix: str, **_: Any) -> list[str]:
        from argcomplete.completers import FilesCompleter

        return [*names(), *FilesCompleter(ending)(prefix)]

    return offer


def _worlds(planned: bool = True) -> list[str]:
    """Return the worlds that plans command, or those that agents play alone."""
    from hive.worlds import kinds

    found = [name for kind in kinds().values() if kind.planned == planned for name in kind.names()]
    return [*found, *(["wildfire/all"] if planned else [])]


def _of_kind(name: str) -> list[str]:
    """Return the shipped worlds of one kind."""
    from hive.worlds import kinds

    return [*kinds()[name].names()]


def _tasks() -> list[str]:
    from hive.rl.tasks import tasks

    return list(tasks())


def _rows(**_: Any) -> list[str]:
    from hive.experiments.bench.rows import ROWS

    return list(ROWS)


def _orders(**_: Any) -> list[str]:
    from hive.worlds.kitchen.tasks import LEVELS, tasks

    return [*tasks(), *(f"level{level}" for level in LEVELS), "all"]


_NAMES: dict[str, Callable[..., list[str]]] = {  # by the attribute of an argument, or by command and attribute
    "scenario": _or_files(_worlds, "toml"),
    "run scenario": _or_files(lambda: [*_worlds(), *_worlds(False)], "toml"),
    "describe scenario": _or_files(lambda: [*_worlds(), *_worlds(False), *_tasks()], "toml"),
    "rescue instances": _or_files(lambda: [*_of_kind("rescue"), "all"], "toml"),
    "household episodes": _or_files(lambda: _of_kind("household"), "toml"),
    "kitchen tasks": _orders,
    "task": _or_files(_tasks, "toml"),
    "plan": _or_files(scenarios.plans, "plan"),
    "plans": _or_files(scenarios.plans, "plan"),
    "rows": _rows,
}


def _options(parser: Parser) -> None:
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help="bash, zsh or fish")


def _run(args: argparse.Namespace) -> int:
    import argcomplete

    print(argcomplete.shellcode(["hive"], shell=args.shell).strip())
    return 0


COMMAND = Subcommand(
    name="completion",
    summary="print the script that lets a shell complete commands, options and names",
    about="""\
Print a script for bash, zsh or fish. Once the shell has read it, the Tab key completes commands, options,
and the names of scenarios, wildfire levels, tasks, plans and rows of `hive bench`.""",
    examples=(
        "hive completion fish | source     in ~/.config/fish/config.fish",
        'eval "$(hive completion bash)"    in ~/.bashrc',
        'eval "$(hive completion zsh)"     in ~/.zshrc, after compinit',
    ),
    options=_options,
    run=_run,
)
