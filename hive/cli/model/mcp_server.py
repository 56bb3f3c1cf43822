"""`hive mcp`: a server that makes any client of the Model Context Protocol the commander."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from dsl import UserError
from hive.cli.command import Command, CommandLine, option
from hive.cli.options import Cache
from hive.cli.values import count, seconds
from hive.kit.keep.places import make_folder, reason


@dataclass(frozen=True, kw_only=True)
class ServeClients(Cache):
    """Settings of `hive mcp`."""

    folder: Annotated[
        Path | None, option("save replays in this folder, made if needed; default: nothing is saved", "DIR")
    ] = None
    max_units: Annotated[int, option("most units of a game, both teams; default: 4000", "N", read=count)] = 4_000
    max_games: Annotated[int, option("most live games; default: 8", "N", read=count)] = 8
    max_seeds: Annotated[int, option("most games of a batch; default: 20", "N", read=count)] = 20
    max_ticks: Annotated[int, option("most ticks of a step; default: 1000", "N", read=count)] = 1_000
    max_calls: Annotated[int, option("most calls at a time; default: 4", "N", read=count)] = 4
    max_seconds: Annotated[
        int,
        option(
            "time for one call, without compiling a program for a batch or a replay; default: 50", "N", read=seconds
        ),
    ] = 50
    line: CommandLine = ""


def _run(settings: ServeClients) -> int:
    if find_spec("mcp") is None:
        raise UserError(
            "hive mcp needs the package mcp, which is not installed\n  = help: pip install 'hive-swarm[mcp]'"
        )
    from hive.mcp.limits import Limits
    from hive.mcp.server import serve

    settings.use_cache()
    limits = Limits(
        units=settings.max_units,
        games=settings.max_games,
        seeds=settings.max_seeds,
        ticks=settings.max_ticks,
        seconds=settings.max_seconds,
        calls=settings.max_calls,
    )
    serve(limits, None if settings.folder is None else _ready(settings.folder), settings.line)
    return 0


def _ready(folder: Path) -> Path:
    """Return the resolved path of a folder, which is made if needed."""
    try:
        make_folder(folder)
        return folder.resolve(strict=True)
    except OSError as error:
        raise UserError(f"cannot use the folder {folder}: {reason(error)}") from error


COMMAND = Command(
    settings=ServeClients,
    run=_run,
    about="""\
Serve tools over standard input and output, so that any client of the Model Context Protocol, such as a chat
program or an editor, becomes the commander: it lists and describes what is shipped, checks plans, runs them,
and commands games while they run. The client starts this command itself; docs/commander/mcp.md shows how to
register it. Clients name what is shipped or send plans as text. No file is read for them, and only replays in
the folder of --folder are written.""",
    examples=(
        "hive mcp                                    without saving",
        "hive mcp --folder replays                   replays are saved there",
        "hive mcp --max-units 20000 --max-seconds 300",
    ),
)
