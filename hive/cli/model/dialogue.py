"""What `hive ask`, `chat` and `serve` share: how a model is told about a game, a prompt and its reply, what is kept."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from dsl import render
from hive.cli.arguments import Parser, add_wording
from hive.cli.asking import settings_of
from hive.cli.printing import pretty, tell
from hive.cli.values import index
from hive.players.llm.client import REPAIRS

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.players.llm.calling import Caller
    from hive.players.llm.dialogue import Answer
    from hive.players.llm.session import Manner, Session


def add_manner(parser: Parser) -> None:
    """Add the options that say how a model is told about a game."""
    parser.add_argument(
        "--info",
        choices=("compact", "full"),
        default="compact",
        help="describe groups of units to the model, or every unit as published; default: compact",
    )
    add_wording(parser)
    parser.add_argument(
        "--repairs",
        type=index,
        default=REPAIRS,
        metavar="N",
        help=f"how often a plan with errors is sent back, 0 as published; default: {REPAIRS}",
    )


def manner_of(args: argparse.Namespace, converse: bool = False) -> Manner:
    """Return how a model is told about a game, by the options of a command; `converse` lets it ask and advise."""
    from hive.players.llm.session import Manner

    return Manner(
        full=args.info == "full",
        repairs=args.repairs,
        settings=settings_of(args),
        grammar=args.grammar != "off",
        converse=converse,
    )


def ask(session: Session, prompt: str, quiet: bool) -> Answer:
    """Send a prompt, print the reply as it comes (with `quiet` on standard error), and say what is wrong with it."""
    stream = sys.stderr if quiet else sys.stdout

    def told(piece: str) -> None:
        stream.write(piece)
        stream.flush()

    def returned(text: str) -> None:
        print(file=stream, flush=True)
        tell("\n".join(f"| {line}" for line in ["sent back to the model:", *text.splitlines()]) + "\n")

    answer = session.prompt(prompt, session.images(), told, returned)
    print(file=stream, flush=True)
    if answer.plan and answer.plan.report.diagnostics:
        tell(render(answer.plan.report.diagnostics))
    return answer


def exchange_files(session: Session, client: Caller) -> dict[str, Content]:
    """Return the files of a run folder that hold what was sent and what came back."""
    from hive.kit.keep.runfolder import EXCHANGES
    from hive.players.llm.saving import dialogue_text, saved

    return {
        "dialogue.md": dialogue_text(session),
        "dialogue.json": pretty(saved(session)),
        EXCHANGES: "".join(line + "\n" for line in client.ledger.lines),
        "usage.json": pretty(client.ledger.json()),
    }
