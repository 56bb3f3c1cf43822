"""`hive household write`: episodes as files, to look at, to change and to play."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.options import Folder
from hive.cli.printing import tell


@dataclass(frozen=True, kw_only=True)
class WriteEpisodes(Folder):
    """Settings of `hive household write`."""

    episodes: Annotated[
        tuple[str, ...],
        argument(
            "a shipped episode such as cwah_0, or generated_N or transport_N for the episode of seed N",
            "EPISODE",
            complete=names.HOUSEHOLD,
        ),
    ] = field(kw_only=False)
    out: Annotated[Path, option("write the files into this folder", "DIR")] = field()


def _run(settings: WriteEpisodes) -> int:
    from hive.kit.keep.config import config_file
    from hive.worlds.household.named import find_episode
    from hive.worlds.household.writing import episode_files

    found = [find_episode(name) for name in dict.fromkeys(settings.episodes)]
    settings.check_folder(settings.out)
    files = {name: text for each in found for name, text in episode_files(each).items()}
    config = config_file(settings.line, [], episodes=[each.name for each in found])
    settings.save_folder(settings.out, {**config, **files})
    tell(f"`hive run {settings.out / found[0].name}.toml` plays the first episode")
    return 0


COMMAND = Command(
    settings=WriteEpisodes,
    run=_run,
    about="""\
Write episodes and their apartments as TOML files: shipped ones, or generated ones by their seed. The files
are read wherever an episode is named, so a changed copy is an episode of your own; errors name their place.""",
    examples=(
        "hive household write generated_7 --out mine          the housework of seed 7 and its apartment",
        "hive household write cwah_0 tdw_2_0_rare_food --out mine",
    ),
)
