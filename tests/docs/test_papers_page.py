"""The page of the five papers: its counts are those of its rows, and what it names is there and runs."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from typing import Any

import pytest

import scenarios
from hive.cli import main
from tests.arch.sources import ROOT
from tests.cli.reading import understood

PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
TREE = "F(S(C(is_flock foe north) :: A(move north)) :: S(C(is_type a balista) :: A(attack closest any)) :: A(stand))"


def tables() -> Iterator[tuple[str, list[list[str]]]]:
    """The title of each paper and its rows: where, what, here."""
    for title, text in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL):
        rows = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
        if rows:
            assert [cell.strip() for cell in rows[0]] == ["Where", "What", "Here"]
            yield title, [[cell.strip() for cell in row] for row in rows[1:]]


HERE = [row[2] for _, rows in tables() for row in rows]
COMMANDS = list(dict.fromkeys(each.strip("`") for each in HERE if each.startswith("`hive ")))
PERSON = ("serve", "chat")  # someone has to be there


def test_every_row_has_a_command_a_name_or_a_reason() -> None:
    for title, rows in tables():
        for row in rows:
            assert len(row) == 3 and all(row), (title, row)
            assert re.fullmatch(r"`hive [^`]+`|`hive\.[\w.]+`|no: .+|not yet(: .+)?", row[2]), row
        assert len({row[1] for row in rows}) == len(rows), f"two rows of {title} say the same"


def test_the_counts_are_those_of_the_rows() -> None:
    counted = {}
    for title, rows in tables():
        later, never = (sum(row[2].startswith(word) for row in rows) for word in ("not yet", "no:"))
        counted[title] = [len(rows), len(rows) - later - never, later, never]
    found = {
        name.strip("*"): [int(cell) for cell in cells.split(" | ")]
        for name, cells in re.findall(r"^\| (\S.*?) \| (\d+ \| \d+ \| \d+ \| \d+) \|$", PAGE, re.MULTILINE)
    }
    assert found == counted | {"All": [sum(column) for column in zip(*counted.values(), strict=True)]}


@pytest.mark.parametrize("every", [pytest.param(4, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.long)])
def test_commands_are_read_with_all_their_options(every: int) -> None:
    """A parser is made for each of them; CI reads every fourth."""
    assert len(COMMANDS) > 130
    for command in COMMANDS[::every]:
        understood(shlex.split(command)[1:])


def test_names_of_python_are_there() -> None:
    names = [each.strip("`") for each in HERE if each.startswith("`hive.")]
    assert len(names) > 10
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert getattr(import_module(module), attribute).__doc__, name


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the commands name."""
    folder = tmp_path_factory.mktemp("papers")
    (folder / "my.plan").write_text(scenarios.plan("coordinate"))
    (folder / "my.bt").write_text(TREE)
    for kind in ("prompts", "plans"):
        (folder / "theirs" / kind).mkdir(parents=True)
    (folder / "theirs" / "prompts" / "coordinate.txt").write_text("Hold the middle row.\nCover the width.\n")
    (folder / "theirs" / "plans" / "coordinate_sonnet.plan").write_text(scenarios.plan("coordinate"))
    kitchen = ROOT / "hive" / "worlds" / "kitchen" / "data"
    for name in ("kitchen.toml", "cookbook.toml", "scripts.json"):
        copy(kitchen / name, folder / name)
    (mine,) = re.findall(r"```toml\n(.+?)```", (ROOT / "docs" / "kitchen.md").read_text(encoding="utf-8"), re.DOTALL)
    (folder / "mine.toml").write_text(mine)
    bob = ["pickup(egg, counter)", "put_obj_in_utensil(pot0)", "cook(pot0)", "pickup(boiled_egg, pot0)", "deliver()"]
    alice = ["pickup(egg, ingredient_dispenser)", "place_obj_on_counter()"]
    (folder / "lists.json").write_text(json.dumps({"reference_1": {"agent_0": bob, "agent_1": alice}}))
    for version in ("1", "2"):  # of several files of one name the newest counts
        shipped = ROOT / "hive" / "players" / "teams" / "prompts" / version
        copytree(shipped, folder / "prompts", dirs_exist_ok=True, ignore=ignore_patterns("__*"))
    return folder


@pytest.mark.long
@pytest.mark.parametrize("command", [each for each in COMMANDS if "http" not in each and each.split()[1] not in PERSON])
def test_every_command_runs(
    command: str, workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workshop)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    code = main([*shlex.split(command)[1:]])
    shown: Any = capsys.readouterr()
    assert code == 0 and shown.out + shown.err, f"{command}\n{shown.err}"
