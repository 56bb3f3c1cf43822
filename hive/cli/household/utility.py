"""`hive household utility`: learn what options cost from texts, and print the errors next to two references."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hive.cli.command import Command, option
from hive.cli.options import Cache, Folder, JsonOnly
from hive.cli.printing import print_json
from hive.cli.progress import watching
from hive.cli.values import count, index, seed
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty

if TYPE_CHECKING:
    from hive.worlds.household.policies.figures import Mean
    from hive.worlds.household.utility.study import CostStudy

FILE, PAIRS = "utility.npz", "pairs.jsonl"


@dataclass(frozen=True, kw_only=True)
class LearnCosts(Folder, JsonOnly, Cache):
    """Settings of `hive household utility`."""

    published: Annotated[
        bool,
        option("learn in the published apartments, from plays of the published episodes; default: in generated ones"),
    ] = False
    transport: Annotated[bool, option("transport episodes (TDW-MAT) instead of housework")] = False
    costs: Annotated[
        str | None,
        option(
            "tell the errors of an estimator of your own, too, a Python function of texts of observations and options",
            "MODULE:FUNCTION",
        ),
    ] = None
    homes: Annotated[int, option("generated apartments to learn from; default: 100", "N", read=count)] = 100
    epochs: Annotated[int, option("passes over the pairs; default: 20", "N", read=count)] = 20
    seed: Annotated[int, option("seed of plays and regression; default: 0", "N", read=seed)] = 0
    show: Annotated[int, option("print N pairs of texts with their ticks; default: 0", "N", read=index)] = 0
    out: Annotated[
        Path | None,
        option(
            f"save the costs as {FILE}, the table as errors.txt and errors.json, and all pairs of texts and ticks as "
            f"{PAIRS} in this folder",
            "DIR",
        ),
    ] = None


def _run(settings: LearnCosts) -> int:
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import Content
    from hive.worlds.household.utility.own import own_costs
    from hive.worlds.household.utility.regression import TextSettings, save
    from hive.worlds.household.utility.study import study

    further = (settings.costs, own_costs(settings.costs)) if settings.costs else None
    settings.use_cache()
    settings.check_folder(settings.out)
    with watching(quiet=settings.json) as watch:
        learning = TextSettings(epochs=settings.epochs)
        found = study(settings.published, settings.homes, settings.seed, learning, watch, settings.transport, further)
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
                transport=settings.transport,
            ),
            "errors.txt": text + "\n",
            "errors.json": pretty(_object(found)),
            "errors.csv": csv_text(
                {"where": where, "estimate": name, **error}
                for where, table in _object(found)["errors"].items()
                for name, error in table.items()
            ),
            FILE: partial(save, found.utility),
            PAIRS: "".join(_pairs(found)),
        }
        settings.save_folder(settings.out, files)
    return 0


def _text(found: CostStudy) -> str:
    from dsl.wording import columns
    from hive.worlds.household.utility.errors import MEAN, gain

    rows = [["mean absolute error, ticks", *found.tables]]
    names = [*next(iter(found.tables.values()))]
    rows += [[name, *(_shown(table[name].mean) for table in found.tables.values())] for name in names]
    rows += [
        [f"{MEAN} less {name}", *(_shown(gain(table[MEAN], table[name])) for table in found.tables.values())]
        for name in names
        if name != MEAN
    ]
    rows.append(["options", *(f"{next(iter(table.values())).count:,}" for table in found.tables.values())])
    kinds = ", ".join(f"{kind.name.lower()} {mean:.1f}" for kind, mean in found.utility.kinds.items())
    return (
        f"{columns(rows, left=(0,))}\n\n± half of the 95% interval, by episodes; a difference is paired by option\n"
        f"learned from {len(found.learned):,} options; mean ticks of each kind: {kinds}"
    )


def _object(found: CostStudy) -> dict[str, Any]:
    return {
        "learned": len(found.learned),
        "kinds": {kind.name.lower(): mean for kind, mean in found.utility.kinds.items()},
        "losses": list(found.utility.losses),
        "errors": {
            where: {
                name: {
                    "absolute": error.absolute,
                    "margin": error.mean.margin if error.mean.count > 1 else None,
                    "root_mean_square": error.square,
                    "options": error.count,
                }
                for name, error in table.items()
            }
            for where, table in found.tables.items()
        },
    }


def _shown(mean: Mean) -> str:
    return f"{mean.value:.2f} ± {mean.margin:.2f}" if mean.count > 1 else f"{mean.value:.2f}"


def _pairs(found: CostStudy) -> Iterator[str]:
    """Yield a line of JSON for each pair: its texts, its ticks, and the set that it is in."""
    from hive.worlds.household.options import OptionKind

    for name, pairs in {"learned": found.learned, **found.sets}.items():
        for number in range(len(pairs)):
            row = {
                "set": name,
                "home": int(pairs.homes[number]),
                "observation": pairs.observations[number],
                "option": pairs.options[number],
                "kind": OptionKind(int(pairs.kinds[number])).name.lower(),
                "ticks": int(pairs.ticks[number]),
            }
            yield json.dumps(row, ensure_ascii=False) + "\n"


COMMAND = Command(
    settings=LearnCosts,
    run=_run,
    about="Let agents roam, learn how many ticks options take from their texts alone, and compare the errors with\n"
    "the mean of each kind of option and with a straight line through the doors.",
    examples=(
        "hive household utility                         learn in 100 generated apartments",
        "hive household utility --published             learn in the two published ones",
        "hive household utility --transport             learn what options of transport cost",
        "hive household utility --costs mine:ticks      the errors of a function of your own next to the others",
        "hive household utility --out runs/costs        save costs for hive household table --utility FILE",
    ),
)
