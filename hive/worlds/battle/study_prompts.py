"""The prompts of the study of commanders: ten for each ability, and ten that leave the strategy to the commander.

The shipped ones are in our words along the published slots (docs/rules/scenarios.md 2.4); a folder of others has the
same form: `TASK.txt` with one prompt a line.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.keep.lines import split_lines
from hive.kit.keep.places import because
from hive.worlds.battle.abilities import ABILITIES

ALONE = "alone"  # the task whose prompts name no strategy

_FILES = {ability.name: (ability.name, *ability.short) for ability in ABILITIES} | {ALONE: (ALONE, f"hive_{ALONE}")}


def study_prompts(task: str) -> list[str]:
    """Return the ten shipped prompts of a task.

    Args:
        task: Name of an ability, or `ALONE`.

    Raises:
        UserError: There is no such task.
    """
    return _read(resources.files("hive.worlds.battle").joinpath("prompts", "study"), task)


def read_prompts(folder: Path, task: str) -> list[str]:
    """Return the prompts of a task from a folder: the lines of `TASK.txt` that are not blank, as they are.

    Args:
        folder: Holds a text file for each task. Abilities may have their other names of `hive.worlds.battle.abilities`,
            and `ALONE` may be called `hive_alone`.
        task: Name of an ability, or `ALONE`.

    Raises:
        UserError: There is no such task, folder or file, a file cannot be read, or it holds no prompt.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}\n  = help: name a folder with prompts such as `{task}.txt`")
    return _read(folder, task)


def _read(folder: Path | Traversable, task: str) -> list[str]:
    if task not in _FILES:
        advice = did_you_mean(nearest(task, _FILES)) or f"the tasks are {listing(_FILES, 'and')}"
        raise UserError(f"there is no task `{task}` in the study\n  = help: {advice}")
    files = [folder.joinpath(f"{name}.txt") for name in _FILES[task]]
    found = [file for file in files if file.is_file()]
    if len(found) != 1:
        names = ", ".join(file.name for file in found)
        wrong = f"more than one file of prompts for {task}: {names}" if found else f"no prompts for {task}"
        raise UserError(f"{folder} holds {wrong}\n  = help: a file `{task}.txt` has one prompt a line")
    try:
        lines = split_lines(found[0].read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {found[0]}: {because(error)}") from None
    prompts = [line.strip() for line in lines if line.strip()]
    if not prompts:
        raise UserError(f"{found[0]} holds no prompt: write one a line")
    return prompts
