"""The shipped instances, and instances by name or path (docs/rules/rescue.md 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.keep.reading import read_text
from hive.worlds.rescue.files import read_instance
from hive.worlds.rescue.generator import draw
from hive.worlds.rescue.instance import Instance

PREFIX = "rescue/"


@cache
def names() -> tuple[str, ...]:
    """Return the shipped instances, such as `map_7/agents-1`: a map and a team."""
    found = []
    for folder in _data().iterdir():
        if folder.is_dir():
            files = [Path(file.name).stem for file in folder.iterdir()]
            found += [f"{folder.name}/{file}" for file in files if file.startswith("agents")]
    return tuple(sorted(found))


@cache
def shipped(name: str) -> Instance:
    """Return a shipped instance.

    Args:
        name: Map, team and, if wanted, victims, with or without `rescue/` before them: `map_7/agents-1`,
            `map-7/agents_1/victims`, `[map-7, agents-1, victims]`; or `generated/SEED-NUMBER`, an instance that
            `generator.draw` draws.

    Raises:
        UserError: There is none of this name.
    """
    if drawn := re.fullmatch(r"(rescue/)?generated/([0-9]{1,18})-([0-9]{1,18})", name):
        return draw(int(drawn[2]), int(drawn[3]))
    parts = [part for part in re.split(r"[\s,/]+", name.removeprefix(PREFIX).strip("[] ")) if part]
    parts = [part.replace("-", "_") for part in parts]
    if parts[2:] in ([], ["victims"]):
        for each in names():
            if each.replace("-", "_") == "/".join(parts[:2]):
                folder, team = each.split("/")
                return read_instance(each, {key: _text(folder, file) for key, file in _files(team).items()})
    prefix = PREFIX if name.startswith(PREFIX) else ""
    known = [f"{prefix}{each}" for each in names()]
    begun = [each for each in known if each.startswith(f"{prefix}{parts[0]}/")] if len(parts) == 1 else []
    help = did_you_mean(nearest(name, known)) or "`hive list rescues` has the names"
    if begun:
        help = f"name the map and its agents: {listing(begun, 'or')}"
    raise UserError(f"there is no rescue `{name}`\n  = help: {help}")


def load_instance(name: str) -> Instance:
    """Return an instance by name, or by the path of a team's file with `map.toml` and `victims.toml` next to it.

    An instance from a path has the name of its folder and of the file, such as `my_map/agents`.

    Raises:
        UserError: There is none of this name.
        ScenarioError: A file cannot be used.
    """
    if not name.endswith(".toml"):
        return shipped(name)
    path = Path(name)
    files = {key: path.with_name(f"{file}.toml") for key, file in _files(path.stem).items()}
    texts = {key: (str(file), read_text(file, "rescue-file")) for key, file in files.items()}
    return read_instance(f"{path.resolve().parent.name}/{path.stem}", texts)


def load_instances(words: Iterable[str]) -> list[Instance]:
    """Return instances as `load_instance` does, each once; `all` stands for those that are shipped.

    Raises:
        UserError: There is none of a name, or two that differ have one name.
        ScenarioError: A file cannot be used.
    """
    wanted = [name for word in words for name in (names() if word.removeprefix(PREFIX) == "all" else (word,))]
    found: dict[str, Instance] = {}
    for instance in map(load_instance, wanted):
        if found.setdefault(instance.name, instance) != instance:
            raise UserError(f"two different rescues are called `{instance.name}`\n  = help: rename a folder or a file")
    return [*found.values()]


def _files(team: str) -> dict[str, str]:
    return {"map": "map", "victims": "victims", "agents": team}


def _text(folder: str, file: str) -> tuple[str, str]:
    return f"{folder}/{file}.toml", (_data() / folder / f"{file}.toml").read_text(encoding="utf-8")


def _data() -> Traversable:
    return resources.files("hive.worlds.rescue") / "data"
