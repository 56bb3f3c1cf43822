"""The rooms of the command line: all use what they share, and none uses another one but those that stand below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hive.cli.entry import COMMANDS
from tests.arch.sources import ROOT
from tests.arch.test_imports import ALL, targets, within

HOME = "hive.cli"

# From the ground up, as the floors of `hive`: rooms of one floor do not know each other.
FLOORS = (
    {"shared"},  # the modules of `hive/cli` that are in no room and in no other row
    {"games", "plans", "model", "measuring", "learning", "kitchen", "rescue", "household"},
    {"entry"},
    {"__init__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
MODULES = [name for name in ALL if within(name, HOME)]
FOLDERS = {name.split(".")[2] for name in MODULES if len(name.split(".")) > 3}


def room_of(module: str) -> str:
    """The room of a module of the command line."""
    if module == HOME:
        return "__init__"
    first = module.split(".")[2]
    return first if first in FOLDERS or first in FLOOR else "shared"


def upward(name: str, path: Path | None = None) -> list[str]:
    """Imports of a module that lead to a higher floor of the command line, or to another room of its own floor."""
    mine = room_of(name)
    return [
        f"{name}:{line} imports {target}"
        for target, line in targets(name, path=path)
        if within(target, HOME) and room_of(target) != mine and FLOOR[room_of(target)] >= FLOOR[mine]
    ]


def test_every_room_of_the_command_line_has_a_floor() -> None:
    assert {room_of(name) for name in MODULES} == FLOOR.keys()


def test_rooms_of_the_command_line_import_from_the_ground_up() -> None:
    assert [line for name in MODULES for line in upward(name)] == []


def test_the_table_of_rooms_names_every_command() -> None:
    """A reader of the architecture looks a command's code up there; `completion` is in no room."""
    text = (ROOT / "hive" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("| room, from the ground up |")[2].partition("\n\n")[0]
    told: set[tuple[str, str]] = set()
    for rooms, names in re.findall(r"^\| (`[^|]*) \| (.*) \|$", table, re.MULTILINE):
        folders = re.findall(r"`(\w+)/`", rooms)
        told |= {(name, folder) for folder in folders for name in re.findall(r"`([a-z]+)`", names) or [folder]}
    entries = [row for rows in COMMANDS.groups.values() for row in rows]
    there = {(row.name, row.module.split(".")[2]) for row in entries if row.module.count(".") > 2}
    assert told == there


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("hive.cli.planted", "from hive.cli.games import sweeping"),
        ("hive.cli.games.planted", "from hive.cli.plans.checking import check_text"),
        ("hive.cli.games.planted", "def late():\n    from hive.cli.kitchen import plot"),
        ("hive.cli.rescue.planted", "from ..household import table"),
        ("hive.cli.kitchen.planted", "from hive.cli.entry import COMMANDS"),
        ("hive.cli.entry", "from hive.cli import main"),
    ],
)
def test_an_upward_import_that_is_planted_is_found(name: str, line: str, tmp_path: Path) -> None:
    """The rule can fail: shared modules, late, relative and sideways imports, and the entry itself."""
    planted = tmp_path / "planted.py"
    planted.write_text(f"{line}\n", encoding="utf-8")
    assert len(upward(name, planted)) == 1
