"""`hive household utility`: learn what options cost from texts, and print the errors next to two references."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from hive.cli.arguments import Parser, Subcommand, add_cache, add_json, add_out
from hive.cli.cache import use_cache
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.cli.values import count, index, seed
from hive.kit.keep.csv_text import csv_text

if TYPE_CHECKING:
    from hive.worlds.household.utility.study import CostStudy

FILE = "utility.npz"


def _options(parser: Parser) -> None:
    parser.add_argument(
        "--published",
        action="store_true",
        help="learn in the two published apartments, from plays of their ten episodes; default: in generated ones",
    )
    parser.add_argument(
        "--homes", type=count, default=100, metavar="N", help="generated apartments to learn from; default: 100"
    )
    parser.add_argument("--epochs", type=count, default=20, metavar="N", help="passes over the pairs; default: 20")
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of plays and regression; default: 0")
    parser.add_argument(
        "--show", type=index, default=0, metavar="N", help="print N pairs of texts with their ticks; default: 0"
    )
    add_out(parser, f"save the costs as {FILE} and the table as errors.txt and errors.json in this folder")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import Content, check_writable, write_run
    from hive.worlds.household.utility.regression import TextSettings, save
    from hive.worlds.household.utility.study import study

    use_cache(args)
    if args.out:
        check_writable(args.out, args.overwrite)
    with watching(quiet=args.json) as watch:
        found = study(args.published, args.homes, args.seed, TextSettings(epochs=args.epochs), watch)
        text = _text(found)
        if args.json:
            print_json(_object(found))
        else:
            for row in range(min(args.show, len(found.learned))):
                watch.say(f"\n{found.learned.observations[row]}")
                watch.say(f"  {found.learned.options[row]}: {found.learned.ticks[row]} ticks")
            watch.say("\n" + text)
    if args.out:
        files: dict[str, Content] = {
            **config_file(args.line, [args.seed], homes=args.homes, epochs=args.epochs, published=args.published),
            "errors.txt": text + "\n",
            "errors.json": pretty(_object(found)),
            "errors.csv": csv_text(
                {"where": where, "estimate": name, **error}
                for where, table in _object(found)["errors"].items()
                for name, error in table.items()
            ),
            FILE: partial(save, found.utility),
        }
        write_run(args.out, files, args.overwrite)
        tell(f"wrote {args.out}: {', '.join(files)}")
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


COMMAND = Subcommand(
    name="household utility",
    summary="learn from texts what options cost, and print the errors",
    about="Let agents roam, learn how many ticks options take from their texts alone, and compare the errors with\n"
    "the mean of each kind of option and with a straight line through the doors.",
    examples=(
        "hive household utility                         learn in 100 generated apartments",
        "hive household utility --published             learn in the two published ones",
        "hive household utility --out runs/costs        save costs for hive household table --utility FILE",
    ),
    options=_options,
    run=_run,
)
