"""Find the command that a command line names, run it, and turn its end into an exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, nearest
from hive.cli import completing
from hive.cli.command import Row, Table
from hive.cli.help_text import HELP_FLAGS, help_of, section, tables
from hive.cli.printing import error_text
from hive.cli.reading import find, read
from hive.kit.keep.places import refuse_paths
from hive.kit.terminal import escaped_output, raw_stream

COMMANDS = Table(
    {
        "play and watch": [
            Row(
                "list",
                "list what is shipped: scenarios, wildfire levels, orders, rescues, households, tasks, plans, trees",
                "hive.cli.games.listing",
            ),
            Row(
                "draw",
                "make random battles from a class and a seed, as a table or as scenario files",
                "hive.cli.games.drawing",
            ),
            Row("run", "let a player play a world, and print how the games ended", "hive.cli.games.playing"),
            Row(
                "sweep",
                "play many plans under many rules, on all devices; an interrupted run can be resumed",
                "hive.cli.games.sweeping",
            ),
            Row("replay", "make an HTML page that plays a saved game back in a browser", "hive.cli.games.replaying"),
            Row(
                "serve", "open a page in the browser that shows a live game and takes orders", "hive.cli.model.webpage"
            ),
            Row(
                "describe",
                "describe a scenario as text: rules, map, armies, positions of units; or the facts of a task",
                "hive.cli.games.describing",
            ),
            Row("explain", "explain what one unit decided at one tick", "hive.cli.games.explaining"),
        ],
        "plans and trees": [
            Row("check", "find the errors of plans and behaviour trees", "hive.cli.plans.checking"),
            Row("format", "print a plan or a behaviour tree in canonical layout", "hive.cli.plans.formatting"),
            Row(
                "grammar", "export a grammar under which a model can write only valid plans", "hive.cli.plans.grammars"
            ),
        ],
        "language models": [
            Row(
                "ask",
                "let a language model, or rules, write the plan for your order, and play it",
                "hive.cli.model.ordering",
            ),
            Row(
                "chat",
                "talk with a language model, or with rules, about a scenario, and play the plans",
                "hive.cli.model.chatting",
            ),
            Row(
                "mcp",
                "serve games to any client of the Model Context Protocol, which commands them",
                "hive.cli.model.mcp_server",
            ),
            Row(
                "abilities",
                "run the five tests of planning of the HIVE paper on plans of a folder or of language models",
                "hive.cli.measuring.abilities",
            ),
            Row(
                "study",
                "compare commanders on a set of drawn battles: scores by level, pairs, costs",
                "hive.cli.measuring.set_study",
            ),
        ],
        "teams of agents": [
            Row(
                "kitchen",
                "find least times and reference trajectories of orders, and where two cooks fail",
                "hive.cli.kitchen.command",
            ),
            Row(
                "rescue",
                "compare teams that rescue victims on a graph of rooms with proved optima",
                "hive.cli.rescue.command",
            ),
            Row(
                "household", "measure teams and policies that do housework in apartments", "hive.cli.household.command"
            ),
        ],
        "search and learning": [
            Row(
                "improve",
                "search for a better plan without a model, and test it on other seeds",
                "hive.cli.learning.improving",
            ),
            Row(
                "league",
                "play plans against plans, each on both sides of a mirrored battle, and rate them",
                "hive.cli.learning.leagues",
            ),
            Row(
                "arena",
                "let commanders play against each other, each on both sides of battles, and rate them",
                "hive.cli.learning.arenas",
            ),
            Row("train", "train policies on a task for learners", "hive.cli.learning.training"),
            Row(
                "evaluate",
                "compare trained policies with random actions, trees and plans",
                "hive.cli.learning.evaluating",
            ),
            Row(
                "baselines",
                "train algorithms on tasks and compare them in a table, with references",
                "hive.cli.learning.baselines",
            ),
        ],
        "measuring": [
            Row(
                "competency",
                "compute a method's competency at each behaviour from its scores on wildfire levels",
                "hive.cli.measuring.competency",
            ),
            Row(
                "perception",
                "compare descriptions of what agents see, from texts and from pictures, by a judge's scores",
                "hive.cli.measuring.perceiving",
            ),
            Row("panel", "measure how difficult drawn battles are, by who wins them", "hive.cli.measuring.paneling"),
            Row(
                "verify",
                "play the games of kept results again, and say whether they are the same",
                "hive.cli.measuring.verifying",
            ),
            Row(
                "conform",
                "replay conformance cases: recorded decisions of the published code",
                "hive.cli.measuring.conforming",
            ),
            Row("bench", "measure how fast this machine plays", "hive.cli.measuring.benching"),
            Row(
                "scale",
                "measure how the time of a tick grows with units, and throughput with the batch",
                "hive.cli.measuring.scaling",
            ),
        ],
        "the shell": [
            Row(
                "completion",
                "print the script that lets a shell complete commands, options and names",
                "hive.cli.completing",
            ),
        ],
    }
)
DONE, USERS_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 2, 130, 141
_NEW_OBJECTS = 500_000  # after which garbage is looked for

_ABOUT = """\
HIVE: command thousands of units with a short plan. A world is what is played: a battle (by its scenario), a
wildfire level, a kitchen order, a rescue or a household."""
_ENDING = """\
start here:
  hive list                                              list what can be played
  hive run coordinate --units 100                        play the shipped plan of a scenario
  hive ask coordinate "hold the middle" --units 100      command in your own words; no model is needed
  hive check my.plan                                     find the errors in a plan or a tree
  hive COMMAND --help                                    help for one command, with examples
  hive run WORLD --help                                  only what this world takes; also for serve, ask and others

exit codes: 0 done, 1 an error of HIVE itself (with a traceback), 2 an error in your input (with a message)"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, or tell the script of a shell what may follow in one.

    Args:
        argv: Words after `hive`; those of the process when None.

    Returns:
        0 when done, 2 for an error in the user's input, 130 after an interrupt, 141 when the reader of the output has
        closed it. `hive conform` returns 1 when a case fails, and
        `hive verify` when a result is different. An error of our own raises.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == [completing.ASKED]:
        completing.complete(COMMANDS, words[1:])
        return DONE
    with escaped_output():
        return _run(words)


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
    except (KeyboardInterrupt, ImportError) as error:  # compiled modules turn an interrupt of their start into these
        if not isinstance(error, KeyboardInterrupt) and not isinstance(
            error.__cause__ or error.__context__, KeyboardInterrupt
        ):
            raise
        print(_interrupted(words), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The rest of the buffer would raise again when Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def _interrupted(words: list[str]) -> str:
    """Return the message after an interrupt: whether the command has kept its progress."""
    from hive.kit.keep.finishing import held_progress

    folder = held_progress()
    if folder is None:
        return "interrupted"
    same = "the same command without --restart" if "--restart" in words else "the same command"
    return f"interrupted: {folder} keeps what is finished, and {same} goes on from there"


def _raised_for_a_platform(error: BaseException) -> bool:
    """Whether the function of JAX that starts a platform raised this; where it is not installed, that asserts."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and Path(frames[-1].filename).stem == "xla_bridge"


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if not words or words[0] in HELP_FLAGS:
        return _print_help(_help())
    if words[0] == "--version":
        print(_version())
        return DONE
    if words[0].startswith("-"):
        near = did_you_mean(nearest(words[0], [*HELP_FLAGS, "--version"]))
        raise UserError(f"unrecognized arguments: {words[0]}\n  = help: {f'{near} ' if near else ''}see `hive --help`")
    # Loading JAX and tracing make many objects that stay. Looked over as often as Python does, they cost a fifth of its
    # time, and at the end, where Python looks over all of them several times, as long as two thirds of the tracing.
    gc.set_threshold(_NEW_OBJECTS)
    atexit.register(gc.freeze)
    path, command, rest = find(COMMANDS, words)
    if any(word in HELP_FLAGS for word in rest[: rest.index("--") if "--" in rest else None]):
        return _print_help(help_of(path, command, rest))
    return command.run(read(path, command, rest, COMMANDS))


def _print_help(text: str) -> int:
    """Print a text that holds nothing from outside."""
    print(text, end="", file=raw_stream(sys.stdout))
    return DONE


def _help() -> str:
    options = section("options", [("-h, --help", "show this help message and exit"), ("--version", "print versions")])
    return "\n\n".join(["usage: hive COMMAND [ARGUMENTS]", _ABOUT, *tables(COMMANDS), options, _ENDING]) + "\n"


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
