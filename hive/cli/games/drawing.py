"""`hive draw`: battles drawn from classes and seeds, as a table or as scenario files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from dsl.wording import columns
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.options import Folder, JsonOnly
from hive.cli.printing import print_json, tell
from hive.cli.values import seed_range


@dataclass(frozen=True, kw_only=True)
class Draw(Folder, JsonOnly):
    """Settings of `hive draw`."""

    classes: Annotated[
        tuple[str, ...],
        argument("a class of drawn battles, such as rivers", "CLASS", complete=names.classes),
    ] = field(kw_only=False)
    seeds: Annotated[range, option("the seeds A to B - 1 of each class; default: 0:10", "A:B", read=seed_range)] = (
        range(10)
    )


def _run(settings: Draw) -> int:
    """Draw the battles, and print or write them.

    Raises:
        UserError: There is no such class, or the folder cannot be written.
    """
    from hive.cli.progress import watching
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import Content, check_writable, write_run
    from hive.worlds.battle.drawn.classes import check_class
    from hive.worlds.battle.drawn.draw import draw_with_facts

    classes = tuple(dict.fromkeys(settings.classes))
    for name in classes:
        check_class(name, "hive draw")
    if settings.out:
        check_writable(settings.out, settings.overwrite)
    files: dict[str, Content] = {}
    rows = []
    with watching(settings.json) as watch:
        watch.stage("drawing", len(classes) * len(settings.seeds), "battles")
        for name in classes:
            for seed in settings.seeds:
                drawn = draw_with_facts(name, seed)
                rows.append(drawn.row())
                if settings.out:
                    files |= drawn.files()
                watch.update(len(rows))
    if settings.out:
        seeds = [*settings.seeds]
        write_run(settings.out, {**config_file(settings.line, seeds, classes=[*classes]), **files}, settings.overwrite)
        tell(f"wrote {settings.out}: {len(rows):,} scenario files with their plans")
    if settings.json:
        print_json({"battles": rows})
    elif not settings.out:
        heading = ("battle", "side", "player", "enemy", "mission", "enemy's plan", "intelligence")
        cells = [
            (
                row["name"], str(row["side"]), str(row["units"]["player"]), str(row["units"]["enemy"]),
                row["mission"], row["family"], row["intelligence"],
            )
            for row in rows
        ]  # fmt: skip
        print(columns([heading, *cells], {0, 4, 5, 6}))
    return 0


COMMAND = Command(
    settings=Draw,
    run=_run,
    about="""\
Draw battles: maps, armies, missions, plans of the enemy and briefings, each from a class and a seed. Without
--out it prints a table. With --out it writes each battle as a scenario file with the plans of both sides,
which every command takes as it takes the name: `hive run battle/rivers/17` plays what
`hive run DIR/rivers-17.toml` plays. A seed draws the same battle on every machine.""",
    examples=(
        "hive draw rivers towns                          a table of ten battles of each class",
        "hive draw open --seeds 0:200 --out battles      200 scenario files",
        "hive draw mixed --seeds 17:18 --json",
    ),
)
