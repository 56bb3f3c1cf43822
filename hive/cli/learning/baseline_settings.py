"""The settings of `hive baselines`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from dsl.wording import listing
from hive.cli import names
from hive.cli.command import argument, option
from hive.cli.learning.evaluating import EPISODES
from hive.cli.learning.learners import OfCheckpoint
from hive.cli.learning.settings import FirstSeed, Steps, of_setting, of_values
from hive.cli.options import Cache, Folder, JsonOnly
from hive.cli.values import BadValueError, games, world_name
from hive.rl.algorithms import ALGORITHMS

MEMORIES = {"no": (False,), "yes": (True,), "both": (False, True)}


def _algorithms(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(text.split(",")))
    for name in found:
        if name not in ALGORITHMS:
            raise BadValueError(f"there is no algorithm `{name}`; they are {listing(list(ALGORITHMS), 'and')}")
    return found


@dataclass(frozen=True, kw_only=True)
class Baselines(OfCheckpoint, Folder, JsonOnly, Cache):
    """Settings of `hive baselines`."""

    tasks: Annotated[
        tuple[str, ...],
        argument("tasks, as `hive train` lists them", "TASK", read=world_name, complete=names.TASK),
    ] = field(kw_only=False)
    algorithms: Annotated[
        tuple[str, ...],
        option("algorithms; default: ippo,mappo", "A,B,...", read=_algorithms, joined=True),
    ] = ("ippo", "mappo")
    memory: Annotated[
        str,
        option("whether networks have a memory (a GRU): no, yes or both; default: no", "M", choices=tuple(MEMORIES)),
    ] = "no"
    steps: Steps = None
    seed: FirstSeed = 0
    seeds: Annotated[int, option("policies of each algorithm on each task; default: 3", "K", read=games)] = 3
    settings: Annotated[
        tuple[tuple[str, float], ...],
        option(
            "change a setting of all runs whose algorithm reads it, as in `num_envs=128`; may be given several times",
            "NAME=VALUE",
            name="--setting",
            read=of_setting,
        ),
    ] = ()
    vary: Annotated[
        tuple[tuple[str, list[float]], ...],
        option(
            "train with several values of a setting, in runs of their own where a run has one, and choose by held-out "
            "games for each algorithm and task; may be repeated",
            "NAME=V,W,...",
            read=of_values,
        ),
    ] = ()
    prune: Annotated[
        bool, option("stop settings of --vary that win fewest held-out games during training; see `hive train`")
    ] = False
    episodes: Annotated[int, option(f"games of each player; default: {EPISODES}", "G", read=games)] = EPISODES
    runs: Annotated[
        Path, option("the folder of the training runs, which are not made again; default: runs/baselines", "DIR")
    ] = Path("runs/baselines")
    no_training: Annotated[bool, option("take runs that are finished alone, and train none")] = False

    def again(self, folder: Path) -> list[str]:
        """Return the words after `hive` that make this table again inside a folder, from the same runs."""
        from hive.cli.keeping import task_inside, words_of

        same = ("algorithms", "memory", "episodes", "seed", "seeds", "steps", "checkpoint", "prune", "settings", "vary")
        tasks = [task_inside(task, folder) for task in self.tasks]
        runs = os.path.relpath(self.runs, folder)
        return words_of("baselines", self, same, tasks=tasks, runs=runs, no_training=True)
