"""`hive completion`: the script with which a shell completes a command line, and the names that it asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from hive.cli.command import AllCommands, App, Command, Table, argument
from hive.cli.help_text import HELP_FLAGS

ASKED = "__complete"  # the word before a command line whose completions the script of a shell asks for


@dataclass(frozen=True, kw_only=True)
class Completion:
    """Settings of `hive completion`."""

    shell: Annotated[Literal["bash", "zsh", "fish"], argument("bash, zsh or fish", "SHELL")] = field(kw_only=False)
    commands: AllCommands = None


def complete(commands: Table, words: Sequence[str]) -> None:
    """Print the names that may stand in place of the last word, in the form that the script reads. Loads no JAX.

    Args:
        commands: All commands by name.
        words: The words after `hive`; of the other commands only names are needed, so they are not loaded.
    """
    known = {words[0]: commands[words[0]]} if words and words[0] in commands else {}
    _tree("hive", known)([ASKED, *words])


def _tree(name: str, commands: Mapping[str, Any]) -> App:
    """Return what completes some commands and their parts."""
    tree = App(name=name, help_flags=HELP_FLAGS, version_flags=(), result_action="return_value")
    for word in commands:
        command = commands[word]
        part = _tree(word, command.parts) if command.parts else command.app(word)
        part.help_flags = HELP_FLAGS
        tree.command(part)
    return tree


def _run(settings: Completion) -> int:
    tree = _tree("hive", settings.commands)
    tree.version_flags = ("--version",)
    helped = App(name="help", help="all about one command", help_flags=(), version_flags=())
    for name in settings.commands:
        helped.command(App(name=name, help_flags=(), version_flags=()))
    tree.command(helped)
    print(tree.generate_completion(shell=settings.shell).strip())
    return 0


COMMAND = Command(
    settings=Completion,
    run=_run,
    about="""\
Print a script for bash, zsh or fish. Once the shell has read it, the Tab key completes commands, options,
and the names of scenarios, wildfire levels, tasks, plans and rows of `hive bench`.""",
    examples=(
        "hive completion fish | source     in ~/.config/fish/config.fish",
        'eval "$(hive completion bash)"    in ~/.bashrc',
        'eval "$(hive completion zsh)"     in ~/.zshrc, after compinit',
    ),
)
