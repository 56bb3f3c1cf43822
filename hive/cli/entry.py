"""Find the command that a command line names, run it, and turn its end into an exit code."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, nearest
from dsl.wording import listing as enumerate_words
from hive.cli import completing
from hive.cli.arguments import Parser, Subcommand
from hive.cli.asking import without_keys
from hive.cli.games import describing, explaining, listing, playing, replaying, sweeping, teaming
from hive.cli.household import command as household
from hive.cli.kitchen import command as kitchen
from hive.cli.learning import evaluating, improving, leagues, training
from hive.cli.measuring import abilities, benching, competency, conforming, scaling
from hive.cli.model import chatting, mcp_server, ordering, webpage
from hive.cli.plans import checking, formatting, grammars
from hive.cli.printing import error_text
from hive.cli.rescue import command as rescue
from hive.kit.keep.places import refuse_paths
from hive.kit.terminal import escaped_output

COMMANDS: dict[str, Subcommand] = {
    command.name: command
    for command in (
        listing.COMMAND,
        playing.COMMAND,
        sweeping.COMMAND,
        improving.COMMAND,
        training.COMMAND,
        evaluating.COMMAND,
        ordering.COMMAND,
        teaming.COMMAND,
        kitchen.COMMAND,
        rescue.COMMAND,
        household.COMMAND,
        chatting.COMMAND,
        webpage.COMMAND,
        checking.COMMAND,
        formatting.COMMAND,
        explaining.COMMAND,
        describing.COMMAND,
        grammars.COMMAND,
        replaying.COMMAND,
        abilities.COMMAND,
        leagues.COMMAND,
        competency.COMMAND,
        conforming.COMMAND,
        benching.COMMAND,
        scaling.COMMAND,
        mcp_server.COMMAND,
        completing.COMMAND,
    )
}
DONE, USERS_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 2, 130, 141

_ABOUT = "HIVE: command thousands of units with a short plan."
_ENDING = """\
start here:
  hive list                            list what can be played
  hive run coordinate --units 100      play the shipped plan of a scenario
  hive check my.plan                   find the errors in a plan or a tree
  hive COMMAND --help                  help for one command, with examples

exit codes: 0 done, 1 an error of HIVE itself (with a traceback), 2 an error in your input (with a message)"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; when a shell asks how to complete one, answer and end the process.

    Args:
        argv: Words after `hive`; those of the process when None.

    Returns:
        0 when done, 2 for an error in the user's input, 130 after an interrupt, 141 when the reader of the output has
        closed it. `hive conform` returns 1 when a case fails. An error of our own raises.
    """
    if completing.completes():
        completing.complete(COMMANDS)
    with escaped_output():
        return _run(list(sys.argv[1:] if argv is None else argv))


def _run(words: list[str]) -> int:
    try:
        with refuse_paths():
            code = _dispatch(words)
        sys.stdout.flush()
        return code
    except UserError as error:
        sys.stdout.flush()
        print(error_text(error), file=sys.stderr)
        return USERS_INPUT
    except (RuntimeError, AssertionError) as error:
        platform = os.environ.get("JAX_PLATFORMS")
        if not platform or not _raised_for_a_platform(error):
            raise
        print(f"error: JAX cannot use the platform `{platform}` of JAX_PLATFORMS. {error}".rstrip(), file=sys.stderr)
        print(
            "  = help: unset JAX_PLATFORMS, or install JAX for it, as in `pip install 'jax[cuda13]'`", file=sys.stderr
        )
        return USERS_INPUT
    except KeyboardInterrupt:
        print(_interrupted(words), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The rest of the buffer would raise again when Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def _interrupted(words: list[str]) -> str:
    """Return the message after an interrupt: whether a command with `--out` has kept its progress."""
    from hive.kit.keep.finishing import progress_of

    for word, value in zip(words, [*words[1:], ""], strict=True):
        name, _, joined = word.partition("=")
        folder = progress_of(Path(joined or value)) if name == "--out" and (joined or value) else None
        if folder and folder.is_dir():
            same = "the same command without --restart" if "--restart" in words else "the same command"
            return f"interrupted: {folder} keeps what is finished, and {same} goes on from there"
    return "interrupted"


def _raised_for_a_platform(error: BaseException) -> bool:
    """Whether the function of JAX that starts a platform raised this; where it is not installed, that asserts."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and Path(frames[-1].filename).stem == "xla_bridge"


def _dispatch(words: list[str]) -> int:
    if words and not words[0].startswith("-"):
        name, *rest = words
        if name == "help":
            return _dispatch([*rest[:1], "--help"])
        if name not in COMMANDS:
            advice = did_you_mean(nearest(name, COMMANDS)) or f"commands are {enumerate_words(COMMANDS, 'and')}"
            raise UserError(f"there is no command `{name}`\n  = help: {advice}")
        command = COMMANDS[name]
        parser, words = command.parser(), rest
    else:
        command, parser = None, _parser()
    try:
        arguments = parser.parse_args(words)
    except SystemExit:  # after `--help` or `--version`; errors raise `UserError`
        return DONE
    if command is None:
        parser.print_help()
        return DONE
    arguments.words = without_keys(words)
    arguments.line = shlex.join(["hive", command.name, *arguments.words])
    return command.run(arguments)


def _parser() -> Parser:
    width = max(len(name) for name in COMMANDS)
    lines = "\n".join(f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items())
    parser = Parser(prog="hive", description=_ABOUT, epilog=f"commands:\n{lines}\n\n{_ENDING}")
    parser.usage = "hive COMMAND [ARGUMENTS]"
    parser.add_argument("--version", action="version", version=_version())
    return parser


def _version() -> str:
    """Return the versions of this package, JAX and Python, without loading JAX."""
    from importlib.metadata import PackageNotFoundError, version
    from platform import python_version

    def known(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "(not installed)"

    return f"hive {known('hive-swarm')}, jax {known('jax')}, jaxlib {known('jaxlib')}, Python {python_version()}"
