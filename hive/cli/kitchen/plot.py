"""`hive kitchen plot`: pictures of runs, by the level of their tasks and by the time limit."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dsl import UserError
from hive.cli.command import Command, argument, option
from hive.cli.options import Folder
from hive.kit.keep.places import because, read_bytes

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class _Game(msgspec.Struct, frozen=True, kw_only=True):
    """What a picture shows of a game."""

    player: str = ""
    level: int
    task: str
    success: bool
    pc: _Share
    ic: _Share
    rc: _Share
    events: int


class _Limited(msgspec.Struct, frozen=True, kw_only=True):
    """Games of a level with one time limit."""

    level: int | None
    gamma: Annotated[float, msgspec.Meta(gt=0)]
    sr: _Share
    sr_low: _Share
    sr_high: _Share


class _Player(msgspec.Struct, frozen=True):
    name: str
    speaker: str


class _Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a picture shows of the `result.json` of a run."""

    players: Annotated[tuple[_Player, ...], msgspec.Meta(min_length=1)]
    games: Annotated[tuple[_Game, ...], msgspec.Meta(min_length=1)]
    gamma: tuple[_Limited, ...] | dict[str, tuple[_Limited, ...]] = ()


@dataclass(frozen=True, kw_only=True)
class Plot(Folder):
    """Settings of `hive kitchen plot`."""

    runs: Annotated[tuple[Path, ...], argument("a folder of `hive run kitchen/...`", "RUN")] = field(kw_only=False)
    out: Annotated[Path | None, option("save the pictures in this folder; default: a new one in runs/", "DIR")] = None


def _run(settings: Plot) -> int:
    """Draw the runs.

    Raises:
        UserError: A folder holds no run of the kitchen, or the pictures cannot be written.
    """
    from hive.experiments.plots.kitchen_levels import save_gammas, save_levels
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import folder_name

    out = settings.usable_folder("kitchen-plot")
    lines: dict[str, list[dict[str, Any]]] = {}
    limits: dict[str, list[dict[str, Any]]] = {}
    files: dict[str, Content] = {**config_file(settings.line, [], runs=list(map(str, settings.runs)))}
    for folder in settings.runs:
        run = _read(folder)
        sweeps = run.gamma if isinstance(run.gamma, dict) else {run.players[0].name: run.gamma} if run.gamma else {}
        for player in run.players:
            name = player.speaker if player.speaker not in lines else f"{player.speaker}, {folder.name} {player.name}"
            games = [game for game in run.games if game.player in ("", player.name)]
            if games:
                lines[name] = [msgspec.structs.asdict(game) for game in games]
            if rows := sweeps.get(player.name):
                limits[name] = [msgspec.structs.asdict(row) for row in rows]
    if not lines:
        raise UserError("these runs have no game of their players\n  = help: give folders of `hive run kitchen/...`")
    files["levels.png"] = partial(save_levels, lines)
    for name, sweep in limits.items():
        files[f"gamma-{folder_name(name)}.png" if len(limits) > 1 else "gamma.png"] = partial(save_gammas, sweep)
    settings.save_folder(out, files)
    return 0


def _read(folder: Path) -> _Result:
    """Return the results of a run.

    Raises:
        UserError: The folder holds no run of the kitchen with one order a game.
    """
    path = folder / "result.json"
    try:
        return msgspec.json.decode(read_bytes(path), type=_Result)
    except OSError as error:
        raise UserError(f"cannot read {path}: {because(error)}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        help = "give a folder that `hive run kitchen/TASK` wrote, of games with one order"
        raise UserError(f"{path} is not the result of a run of the kitchen\n  = help: {help}") from None


COMMAND = Command(
    settings=Plot,
    run=_run,
    about="""\
Draw runs of the kitchen. levels.png has the success rate, the progress completeness and both capabilities of
each player by the level of the tasks; gamma.png has the success rate by the time limit, for each player whose
games were scored with several values of `gamma`.""",
    examples=(
        "hive kitchen plot runs/planner runs/speaker",
        "hive kitchen plot runs/limits --out pictures       after `hive run kitchen/all --set gamma=1,1.5,2`",
    ),
)
