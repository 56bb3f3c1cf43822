"""`hive household utility`: learn what options cost from texts, and print the errors next to two references."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hive.cli.command import Command, option
from hive.cli.options import Cache, Folder, JsonOnly
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.cli.values import count, index, seed
from hive.kit.keep.csv_text import csv_text

if TYPE_CHECKING:
    from hive.worlds.household.utility.study import CostStudy

FILE = "utility.npz"


@dataclass(frozen=True, kw_only=True)
class LearnCosts(Folder, JsonOnly, Cache):
    """Settings of `hive household utility`."""

    published: Annotated[
        bool,
        option("learn in the two published apartments, from plays of their ten episodes; default: in generated ones"),
    ] = False
    homes: Annotated[int, option("generated apartments to learn from; default: 100", "N", read=count)] = 100
    epochs: Annotated[int, option("passes over the pairs; default: 20", "N", read=count)] = 20
    seed: Annotated[int, option("seed of plays and regression; default: 0", "N", read=seed)] = 0
    show: Annotated[int, option("print N pairs of texts with their ticks; default: 0", "N", read=index)] = 0
    out: Annotated[
        Path | None,
        option(f"save the costs as {FILE} and the table as errors.txt and errors.json in this folder", "DIR"),
    ] = None


def _run(settings: LearnCosts) -> int:
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import Content, check_writable, write_run
    from hive.worlds.household.utility.regression import TextSettings, save
    from hive.worlds.household.utility.study import study

    settings.use_cache()
    if settings.out:
        check_writable(settings.out, settings.overwrite)
    with watching(quiet=settings.json) as watch:
        found = study(settings.published, settings.homes, settings.seed, TextSettings(epochs=settings.epochs), watch)
        text = _text(found)
        if settings.json:
            print_json(_object(found))
        else:
            for row in range(min(settings.show, len(found.learned))):
                watch.say(f"\n{found.learned.observations[row]}")
                watch.say(f"  {found.learned.options[row]}: {found.learned.ticks[row]} ticks")
            watch.say("\n" + text)
    if settings.out:
        files: dict[str, Content] = {
            **config_file(
                settings.line,
                [settings.seed],
                homes=settings.homes,
                epochs=settings.epochs,
                published=settings.published,
            ),
            "errors.txt": text + "\n",
            "errors.json": pretty(_object(found)),
            "errors.csv": csv_text(
                {"where": where, "estimate": name, **error}
                for where, table in _object(found)["errors"].items()
                for name, error in table.items()
            ),
            FILE: partial(save, found.utility),
        }
        write_run(settings.out, files, settings.overwrite)
        tell(f"wrote {settings.out}: {', '.join(files)}")
    return 0


def _text(found: CostStudy) -> str:
    from dsl.wording import columns

    rows = [["mean absolute error, ticks", *found.tables]]
    rows += [
        [name, *(f"{table[name].absolute:.2f}" for table in found.tables.values())]
        for name in next(iter(found.tables.values()))
    ]
    rows.append(["options", *(f"{next(iter(table.values())).count:,}" for table in found.tables.values())])
    kinds = ", ".join(f"{kind.name.lower()} {mean:.1f}" for kind, mean in found.utility.kinds.items())
    return (
        f"{columns(rows, left=(0,))}\n\nlearned from {len(found.learned):,} options; mean ticks of each kind: {kinds}"
    )


def _object(found: CostStudy) -> dict[str, Any]:
    return {
        "learned": len(found.learned),
        "kinds": {kind.name.lower(): mean for kind, mean in found.utility.kinds.items()},
        "losses": list(found.utility.losses),
        "errors": {
            where: {
                name: {"absolute": error.absolute, "root_mean_square": error.square, "options": error.count}
                for name, error in table.items()
            }
            for where, table in found.tables.items()
        },
    }


COMMAND = Command(
    settings=LearnCosts,
    run=_run,
    about="Let agents roam, learn how many ticks options take from their texts alone, and compare the errors with\n"
    "the mean of each kind of option and with a straight line through the doors.",
    examples=(
        "hive household utility                         learn in 100 generated apartments",
        "hive household utility --published             learn in the two published ones",
        "hive household utility --out runs/costs        save costs for hive household table --utility FILE",
    ),
)
