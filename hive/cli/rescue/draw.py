"""`hive rescue draw`: a picture of each instance before its first step, and one of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hive.cli.command import Command, option
from hive.cli.options import Folder
from hive.cli.printing import print_json
from hive.cli.rescue.instances import Instances

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content

_COLUMNS = 3


@dataclass(frozen=True, kw_only=True)
class Draw(Instances, Folder):
    """Settings of `hive rescue draw`."""

    out: Annotated[Path | None, option("save the pictures in this folder; default: a new one in runs/", "DIR")] = None


def _run(settings: Draw) -> int:
    """Draw each instance, and all of them side by side if there are several.

    Raises:
        UserError: No instance is named, or the folder cannot be written.
    """
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import folder_name
    from hive.kit.view.pictures import save_picture
    from hive.kit.view.sheets import tile
    from hive.worlds.rescue.view.drawing import draw_instance

    instances = settings.load("draw")
    out = settings.usable_folder("rescue-pictures")
    drawn = {folder_name(instance.name): draw_instance(instance) for instance in instances}
    if len(drawn) > 1:
        drawn["all"] = tile(list(drawn.values()), _COLUMNS)
    files: dict[str, Content] = {**config_file(settings.line, [], instances=[instance.name for instance in instances])}
    files |= {f"{name}.png": partial(save_picture, picture) for name, picture in drawn.items()}
    settings.save_folder(out, files)
    if settings.json:
        print_json({"pictures": [str(out / f"{name}.png") for name in drawn]})
    return 0


COMMAND = Command(
    settings=Draw,
    run=_run,
    about="Draw a picture of each instance before its first step, and one of all of them if there are several.",
    examples=(
        "hive rescue draw map_7/agents-1",
        "hive rescue draw all --out pictures    pictures of the shipped instances",
    ),
)
