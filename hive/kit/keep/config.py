"""`config.json` of a run folder: the command that wrote it, its seeds, its settings and the versions of what ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hive.kit.keep.json_text import pretty
from hive.kit.keep.runfolder import MARK, versions

Seeds = Iterable[int] | Mapping[str, Iterable[int]]


def config_file(command: str, seeds: Seeds, **facts: Any) -> dict[str, str]:
    """Return the file that every run folder holds, by its name.

    Args:
        command: The complete command line, as a shell reads it.
        seeds: Every seed that was played or drawn from, also by the name of what was played; empty where nothing is
            random.
        **facts: What else decides the results, in values that JSON keeps.

    Raises:
        ValueError: A fact is not a finite number.
    """
    if isinstance(seeds, Mapping):
        plain: Any = {name: [int(seed) for seed in some] for name, some in seeds.items()}
    else:
        plain = [int(seed) for seed in dict.fromkeys(seeds)]
    config = {"command": command, **facts, "seeds": plain, "versions": versions()}
    return {MARK: pretty(config)}
