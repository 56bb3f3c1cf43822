"""`hive draw`: battles drawn from classes and seeds, or those of a set, as a table or as scenario files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dsl import UserError
from dsl.wording import columns
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.options import Folder, JsonOnly
from hive.cli.printing import print_json, tell
from hive.cli.values import map_sides, seed_range

if TYPE_CHECKING:
    from hive.worlds.battle.drawn.sets import BattleSet


@dataclass(frozen=True, kw_only=True)
class Draw(Folder, JsonOnly):
    """Settings of `hive draw`."""

    classes: Annotated[
        tuple[str, ...],
        argument("a class of drawn battles, such as rivers", "CLASS", complete=names.classes),
    ] = field(kw_only=False, default=())
    seeds: Annotated[
        range | None, option("the seeds A to B - 1 of each class; default: 0:10", "A:B", read=seed_range)
    ] = None
    sides: Annotated[
        tuple[int, ...],
        option(
            "only battles whose maps have these sides, in metres; default: all", "N,N,...", read=map_sides, joined=True
        ),
    ] = ()
    set: Annotated[
        str | None,
        option(
            "draw the battles of a set from `hive list`, or of its file, and check its digest",
            "SET",
            complete=names.SET,
        ),
    ] = None
    save_set: Annotated[Path | None, option("write the battles as a set to this .toml file", "FILE")] = None

    def __post_init__(self) -> None:
        """Refuse classes together with a set.

        Raises:
            UserError: Both are given, or neither; or the file of a set does not end in .toml.
        """
        if self.set and (self.classes or self.seeds or self.sides or self.save_set):
            raise UserError("a set names its battles: leave out --set, or CLASS, --seeds, --sides and --save-set")
        if not self.set and not self.classes:
            raise UserError("what is to be drawn?\n  = help: name classes, as in `hive draw rivers`, or --set SET")
        if self.save_set and self.save_set.suffix != ".toml":
            raise UserError(f"{self.save_set} is no name for the file of a set\n  = help: it must end in .toml")


def _run(settings: Draw) -> int:
    """Draw the battles, and print or write them.

    Raises:
        UserError: There is no such class or set, the digest of the set differs, or a file cannot be written.
    """
    from hive.cli.progress import watching
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import Content, write_run
    from hive.worlds.battle.drawn.classes import check_class, read_name
    from hive.worlds.battle.drawn.draw import draw_theme, draw_with_facts
    from hive.worlds.battle.drawn.sets import load_set

    classes = tuple(dict.fromkeys(settings.classes))
    for name in classes:
        check_class(name, "hive draw")
    settings.check_folder(settings.out)
    found: BattleSet | None = None
    seeds = settings.seeds or range(10)
    which = [(name, seed) for name in classes for seed in seeds]
    if settings.sides:
        which = [each for each in which if draw_theme(*each).frame.size in settings.sides]
        if not which:
            raise UserError("none of these battles has a map of such a side\n  = help: give more --seeds")
    if settings.set:
        found = load_set(settings.set)
        which = [read_name(name) for name in found.names]
    elif settings.save_set:
        found = _save_set(settings.save_set, which, settings.overwrite)
    files: dict[str, Content] = {}
    rows = []
    with watching(settings.json) as watch:
        watch.stage("drawing", len(which), "battles")
        for name, seed in which:
            drawn = draw_with_facts(name, seed)
            rows.append(drawn.row())
            if settings.out:
                files |= drawn.files()
            watch.update(len(rows))
    if found and settings.set:
        rows = [{**row, "level": level} for row, level in zip(rows, found.levels, strict=True)]
    about = {"set": {"name": found.name, "digest": found.digest}} if found else {}
    if settings.out:
        config = config_file(settings.line, [seed for _, seed in which], classes=[*classes], **about)
        write_run(settings.out, {**config, **files}, settings.overwrite)
        tell(f"wrote {settings.out}: {len(rows):,} scenario files with their plans")
    if settings.json:
        print_json({**about, "battles": rows})
    elif not settings.out:
        heading = ["battle", "side", "player", "enemy", "mission", "enemy's plan", "intelligence"]
        cells = [
            [
                row["name"], str(row["side"]), str(row["units"]["player"]), str(row["units"]["enemy"]),
                row["mission"], row["family"], row["intelligence"],
            ]
            for row in rows
        ]  # fmt: skip
        if rows and "level" in rows[0]:
            heading.append("level")
            cells = [[*each, _level(row["level"])] for each, row in zip(cells, rows, strict=True)]
        print(columns([heading, *cells], {0, 4, 5, 6}))
    if found and settings.set:
        tell(f"{found.name} has the digest that it should have: {found.digest}")
    return 0


def _level(level: int | None) -> str:
    return "-" if level is None else str(level)


def _save_set(file: Path, which: list[tuple[str, int]], overwrite: bool) -> BattleSet:
    """Write battles as a set, named like its file.

    Raises:
        UserError: The file exists or cannot be written, or its name is none for a set.
    """
    from hive.kit.keep.runfolder import whole_file
    from hive.worlds.battle.drawn.classes import name_of
    from hive.worlds.battle.drawn.sets import SetBattle, make_set

    if file.exists() and not overwrite:
        raise UserError(f"{file} exists\n  = help: give --overwrite to replace it, or another name")
    battles = [SetBattle(name_of(name, seed)) for name, seed in which]
    made = make_set(file.stem, f"{len(battles):,} drawn battles", battles)
    with whole_file(file) as part:
        part.write_text(made.toml(), encoding="utf-8")
    tell(f"wrote {file}: the set {made.name} of {len(battles):,} battles, with the digest {made.digest}")
    return made


COMMAND = Command(
    settings=Draw,
    run=_run,
    about="""\
Draw battles: maps, armies, missions, plans of the enemy and briefings, each from a class and a seed. Without
--out it prints a table. With --out it writes each battle as a scenario file with the plans of both sides,
which every command takes as it takes the name: `hive run battle/rivers/17` plays what
`hive run DIR/rivers-17.toml` plays. A seed draws the same battle on every machine.

A set is a list of drawn battles with a digest of all their bytes. --set draws the battles of one, and refuses
a set whose digest differs. --save-set writes a set of one's own.""",
    examples=(
        "hive draw rivers towns                          a table of ten battles of each class",
        "hive draw open --seeds 0:200 --out battles      200 scenario files",
        "hive draw mixed --seeds 17:18 --json",
        "hive draw --set battles-v1/duels                the battles of a shipped set, whose digest is checked",
        "hive draw rivers towns --sides 80 --seeds 0:90 --save-set my.toml    a set for learners, on maps of one size",
    ),
)
