"""Replays of live games, as run folders inside the folder that the user gave."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import quoted
from hive.kit.keep.config import config_file
from hive.kit.keep.record import games_folder
from hive.kit.keep.runfolder import RECORDING, Content, check_writable, write_run
from hive.kit.planned_world import Run
from hive.mcp.clock import CallClock
from hive.mcp.games import Held
from hive.mcp.limits import POSITIONS, check_whole
from hive.mcp.teams import HeldTeam
from hive.worlds.kept import write_page

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_PAGE = "replay.html"


def save(held: Held, folder: Path | None, name: str, every: int, clock: CallClock, command: str) -> dict[str, Any]:
    """Repeat a live game, which is deterministic, record it, and write the run folder with a page.

    Args:
        held: The game.
        folder: The user's folder; None: nothing can be saved.
        name: Name of the run folder to make in it.
        every: Ticks between two frames, for battles.
        clock: Watches the call.
        command: The command line of the server.

    Returns:
        What was written, by names inside the folder.

    Raises:
        UserError: There is no folder, the name cannot be used, nothing was played, or the replay is too large.
    """
    path = _free(folder, name)
    check_whole("every", every, 1)
    live, request = held.live, held.request
    if not live.tick:
        raise UserError("there is nothing to save yet: play the game first, with `step`")
    positions = sum(held.asked.world.sizes) * (live.tick // every + 1)
    if positions > POSITIONS:
        raise UserError(
            f"a replay holds at most {POSITIONS:,} positions of units, and this one has {positions:,}\n"
            f"  = help: keep fewer frames, as in `every` = {every * -(-positions // POSITIONS)}"
        )
    with _hiding(path.parent):
        check_writable(path)
    remarks = []
    if live.outcome == "running":
        numbers = [(rule, value) for rule, value in request.numbers if rule != "limit"]
        request = replace(request, numbers=[*numbers, ("limit", live.tick)])
        remarks = [f"the game is still running: its replay stops at tick {live.tick} and calls that a timeout"]
    run = held.asked.kind.prepare(replace(request, keep=True, every=every if every > 1 else None))
    for _ in run.play(clock):
        pass
    files = _files(run, clock, command)
    with _hiding(path.parent):
        write_run(path, files)
    return {"folder": name, "page": f"{name}/{_PAGE}", "files": sorted(files), "remarks": remarks}


def save_team(held: HeldTeam, folder: Path | None, name: str, command: str) -> dict[str, Any]:
    """Write the run folder of a game of agents with a page: all files of a finished game, else the game so far.

    Raises:
        UserError: There is no folder, or the name cannot be used.
    """
    path = _free(folder, name)
    with _hiding(path.parent):
        check_writable(path)
    run, recording = held.live.run, held.live.moment.recording
    env = held.live.moment.env
    files: dict[str, Content] = {
        **config_file(command, [env.seed], world=env.name, seat=held.seat),
        **(run.files() if run else {}),
        RECORDING: recording.save,
        _PAGE: _page,
    }
    with _hiding(path.parent):
        write_run(path, files)
    remarks = [] if run else ["the game is still running: its replay stops at its present step"]
    return {"folder": name, "page": f"{name}/{_PAGE}", "files": sorted(files), "remarks": remarks}


def _free(folder: Path | None, name: str) -> Path:
    """Return the path of a new run folder, which is inside the user's folder and does not exist."""
    if folder is None:
        raise UserError(
            "this server was started without a folder, so it cannot save\n  = help: start it as `hive mcp --folder DIR`"
        )
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{quoted(name)} is not a name for a replay\n"
            "  = help: write 1 to 64 letters, digits, `-` and `_`, as in `battle-1`; it becomes a folder"
        )
    path = folder / name
    if os.path.lexists(path):  # a link that leads nowhere counts too
        raise UserError(f"`{name}` exists already, and nothing is replaced\n  = help: choose another name")
    return path


@contextmanager
def _hiding(folder: Path) -> Iterator[None]:
    """Leave the place of the user's folder out of messages."""
    try:
        yield
    except UserError as error:
        inside = str(error).replace(f"{folder}{os.sep}", "")
        raise UserError(inside.replace(str(folder), "the folder for replays")) from error


def _files(run: Run, clock: CallClock, command: str) -> dict[str, Content]:
    ((_, recording),) = run.recordings(clock).items()  # one game of one world
    config = run.config()
    again = ["run", *config.pop("again")]
    files = {**run.files(), RECORDING: recording.save, _PAGE: _page}
    return games_folder(
        command, again, config.pop("worlds"), config.pop("players"), config.pop("seeds"), files, **config
    )


def _page(path: Path) -> None:
    """Write the page of the recording next to it, which was written before."""
    write_page(path.with_name(RECORDING), path)
