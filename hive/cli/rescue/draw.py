"""`hive rescue draw`: a picture of each instance before its first step, and one of all of them."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from dsl import UserError
from hive.cli.arguments import Parser
from hive.cli.printing import print_json, tell

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.worlds.rescue.instance import Instance

ABOUT = "draw instances before their first step"
OPTIONS: tuple[str, ...] = ()

_COLUMNS = 3


def add_options(parser: Parser) -> None:
    """Add nothing: `--out` and the instances are enough."""


def run(args: argparse.Namespace, instances: list[Instance]) -> int:
    """Draw each instance, and all of them side by side if there are several.

    Raises:
        UserError: No instance is named, or the folder cannot be written.
    """
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import check_writable, folder_name, free_folder, write_run
    from hive.kit.view.pictures import save_picture
    from hive.kit.view.sheets import tile
    from hive.worlds.rescue.view.drawing import draw_instance

    if not instances:
        raise UserError("name a rescue\n  = help: hive rescue draw map_7/agents-1; `all` means all that are shipped")
    out = args.out or free_folder("rescue-pictures", args.overwrite)
    check_writable(out, args.overwrite)
    drawn = {folder_name(instance.name): draw_instance(instance) for instance in instances}
    if len(drawn) > 1:
        drawn["all"] = tile(list(drawn.values()), _COLUMNS)
    files: dict[str, Content] = {**config_file(args.line, [], instances=[instance.name for instance in instances])}
    files |= {f"{name}.png": partial(save_picture, picture) for name, picture in drawn.items()}
    write_run(out, files, args.overwrite)
    if args.json:
        print_json({"pictures": [str(out / f"{name}.png") for name in drawn]})
    tell(f"wrote {out}: {', '.join(files)}")
    return 0
