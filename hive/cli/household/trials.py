"""The plays of `hive household table`: each policy on each set of episodes, kept so that the command resumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsl.wording import plural
from hive.cli.printing import tell
from hive.cli.progress_folder import Parts, open_progress
from hive.kit.keep.packing import read_npz, write_npz
from hive.kit.reporting import Watch
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.planner.following import Planner
from hive.worlds.household.policies.figures import Mean, mean_of
from hive.worlds.household.policies.names import ABOUT
from hive.worlds.household.policies.trials import PolicyTrial, Trial, try_out

if TYPE_CHECKING:
    from hive.worlds.household.policies.roster import LearnedCosts, PolicyRow

_TRIAL = {  # E episodes, S seeds, K kinds of options, P plans; P is 0 for all policies but the planner
    "ticks": ("i", "E S"),
    "finished": ("b", "E S"),
    "share": ("f", "E S"),
    "count": ("i", "E S K"),
    "spent": ("i", "E S K"),
    "least": ("i", "P"),
}


@dataclass(frozen=True)
class TableLine:
    """A line of the table: a policy or a player, the size of its team, and its plays of each set of episodes.

    `least` is of the planner alone: for each set, a mean that no team of straight tours falls below.
    """

    name: str
    agents: int
    about: str
    trials: Mapping[str, Trial]
    least: dict[str, Mean]


@dataclass(frozen=True, eq=False)
class Part:
    """The plays of one policy and size on one set of episodes; `least` has a number for each plan of the planner."""

    trial: PolicyTrial
    least: np.ndarray


def resume(out: Path, asked: Mapping[str, Any], restart: bool) -> Parts[Part]:
    """Find the parts that an earlier run of the same table finished, or begin a progress folder.

    Args:
        out: Where the results will go.
        asked: What decides the results, in plain values.
        restart: Whether to drop the progress that there is.

    Raises:
        UserError: The folder is no progress folder, belongs to another table, or cannot be read or written.
    """
    folder, _ = open_progress(out, asked, "table", restart)
    return Parts(folder, "part-{}.npz", _read, _write)


def measure(
    rows: Mapping[str, PolicyRow],
    sizes: Sequence[int],
    seeds: int,
    sets: Mapping[str, Sequence[HouseholdEpisode]],
    costs: LearnedCosts | None,
    kept: Parts[Part] | None,
    watch: Watch,
) -> list[TableLine]:
    """Play everything that is not kept yet.

    Args:
        rows: The policies by name.
        sizes: Of the teams.
        seeds: Plays of each episode; a generated one is played once.
        sets: Episodes, by the name of their set.
        costs: Learned costs, for the policies that need them.
        kept: What is finished; each further part is added. None: nothing is saved.
        watch: Receives the progress.
    """
    parts, number, found = list(kept.found) if kept else [], 0, list[TableLine]()
    if kept and parts and rows:
        tell(f"resuming after {len(parts)} of {plural(len(rows) * len(sizes) * len(sets), 'part')} from {kept.folder}")
    for name, row in rows.items():
        for agents in sizes:
            policy = row.make(costs)  # type: ignore[arg-type]
            trials, least_of = dict[str, Trial](), dict[str, Mean]()
            for label, episodes in sets.items():
                if number == len(parts):
                    plays = range(1 if label == "generated" else seeds)
                    watch.stage(f"{name}, {plural(agents, 'agent')}, {label}", len(episodes) * len(plays), "play")
                    trial = try_out(policy, episodes, agents, plays, watch.update)
                    planner = policy if isinstance(policy, Planner) else None
                    least = [planner.plan(each, agents).least for each in episodes] if planner else []
                    parts.append(Part(trial, np.array(least, int)))
                    if kept:
                        kept.add(parts[-1])
                part = parts[number]
                trials[label] = part.trial
                if part.least.size:
                    least_of[label] = mean_of(part.least)
                number += 1
            found.append(TableLine(name, agents, ABOUT[name], trials, least_of))
    return found


def _read(path: Path) -> Part:
    arrays: dict[str, Any] = dict(read_npz(path, _TRIAL))
    least = arrays.pop("least")
    return Part(PolicyTrial(**arrays), least)


def _write(path: Path, part: Part) -> None:
    arrays: dict[str, Any] = {each.name: getattr(part.trial, each.name) for each in fields(PolicyTrial)}
    write_npz({"least": part.least, **arrays}, path)
