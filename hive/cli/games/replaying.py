"""`hive replay`: an HTML page that plays a saved game back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from hive.cli.command import Command, argument, option
from hive.cli.options import Json
from hive.cli.printing import print_json
from hive.cli.values import count


@dataclass(frozen=True, kw_only=True)
class ReplayPage(Json):
    """Settings of `hive replay`."""

    run: Annotated[Path, argument("a folder that a command wrote, such as `hive run --out`", "RUN")] = field(
        kw_only=False
    )
    episode: Annotated[
        str | None,
        option(
            "which of the folder's games, by the name that this command prints, such as boiled_egg/1; default: the "
            "first",
            "NAME",
        ),
    ] = None
    every: Annotated[int | None, option("for battles: show only every K-th tick; default: 1", "K", read=count)] = None
    page: Annotated[Path | None, option("file to write; default: replay.html next to the game's recording", "FILE")] = (
        None
    )


def _run(settings: ReplayPage) -> int:
    from hive.kit.keep.games import find_game, list_names
    from hive.worlds.kept import write_page

    name, kept, names = find_game(settings.run, settings.episode)
    page = settings.page or kept.with_name("replay.html")
    size = write_page(kept, page, settings.every)
    if settings.json:
        print_json({"page": str(page), "bytes": size, "episode": name, "episodes": names})
        return 0
    if len(names) > 1:
        print(f"{settings.run} keeps {len(names):,} games: {list_names(names)}")
        print(f"this is the page of {name}; --episode NAME makes that of another")
    print(f"wrote {page}, {size / 1e6:.1f} MB: open it in a browser, it needs no network")
    return 0


COMMAND = Command(
    settings=ReplayPage,
    run=_run,
    about="""\
Make one HTML page of a game that a command has saved. RUN is the folder of any command that keeps games:
hive run, ask, chat, serve, kitchen study, evaluate, improve, league and arena duel. Where it keeps several
games, their names are printed, and the page is that of the first, or of --episode. The page plays, pauses,
scrubs and zooms. In battles a tooltip shows for every unit the step and the leaf that moved it, and curves
show losses and progress; the page of a wildfire has layers to switch, the plan of each tick and the score
over time. Where language agents played, their messages stand next to the map.""",
    examples=(
        "hive replay runs/mine            after `hive run coordinate --out runs/mine`",
        "hive replay runs/mine --every 2  half the ticks, about half the size",
        "hive replay runs/cooks --episode boiled_egg/1",
    ),
)
