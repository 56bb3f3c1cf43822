"""Whatever a command is given, it ends with code 0 or 2 and a sentence: no traceback, and no command for a terminal."""

from __future__ import annotations

import errno
import io
import itertools
import os
import random
import re
import shutil
import sys
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NoReturn

import pytest

from dsl import UserError
from hive.cli import main
from hive.kit.keep.places import refuse_paths
from hive.kit.terminal import escape
from tests.cli.conftest import run_in
from tests.cli.hostile import ALL, LONG, Case, command_lines, damaged_files, lay_out, readers, restore

RUNS = (
    "run coordinate --units 10 --set limit=6 --out battle",
    "run wildfire/cut_trees_sparse_small --set limit=5 --out wildfire",
    "run kitchen/apple --out kitchen",
    "run rescue/map_7/agents-1 --out rescue",
    "run household/cwah_0 --out household",
)


class Played(BaseException):
    """A command has checked what it was given and begins to play, to serve, or to ask: the rest is tested elsewhere."""


def _play(*_: Any, **__: Any) -> NoReturn:
    raise Played


@pytest.fixture
def checks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """End commands where they begin to play."""

    import hive.cli.progress
    import hive.mcp.server
    import hive.web.server
    import hive.worlds.battle.account

    monkeypatch.setattr(hive.cli.progress, "_interrupts", _play)
    monkeypatch.setattr(hive.worlds.battle.account, "give_account", _play)
    monkeypatch.setattr(hive.mcp.server, "serve", _play)
    monkeypatch.setattr(hive.web.server, "serve", _play)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def faults(case: Case) -> list[str]:
    """Run a case and return how it breaks the law."""
    out, err = io.StringIO(), io.StringIO()
    code: int | None = None
    before = sys.stdin
    sys.stdin = io.StringIO(case.stdin)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(list(case.words))
    except Played:
        pass
    except BaseException:
        return [traceback.format_exc()]
    finally:
        sys.stdin = before
    found = []
    shown = out.getvalue() + err.getvalue()
    if code not in (None, 0, 2) and not (code == 1 and case.words[:1] == ("conform",) and " failed" in shown):
        found.append(f"code {code}")
    if code == 2 and not re.search(r"\w", shown):
        found.append("an empty message")
    if "Traceback" in shown:
        found.append(shown)
    if escape(shown) != shown:
        found.append(f"raw characters: {[each for each in shown if escape(each) != each][:5]}")
    return found


def check(cases: Iterator[Case], count: int, folder: Path, store: Path) -> None:
    """Run so many cases, and report all that break the law."""
    broken = []
    for number, case in enumerate(itertools.islice(cases, count)):
        if number % 50 == 0:
            os.chdir(folder.parent)
            restore(folder, store)
            os.chdir(folder)
        for name, data in case.files:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(data)
        broken += [f"{number} {case.words!r:.400}\n{fault}" for fault in faults(case)]
        for name, _ in case.files:
            if (store / name).exists():
                shutil.copyfile(store / name, name)
    assert not broken, f"{len(broken)} of {count}\n" + "\n".join(broken)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that commands are given."""
    folder = tmp_path_factory.mktemp("store")
    lay_out(folder)
    return folder


@pytest.fixture(scope="module")
def recorded(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same files, with what runs of every world and a dialogue have kept."""
    folder = tmp_path_factory.mktemp("recorded")
    restore(folder, store)
    for words in RUNS:
        run_in(folder, *words.split())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("cover the row\n/save dialogue.json\n/quit\n"))
        run_in(folder, *["chat", "coordinate", "--units", "20"])
    return folder


@pytest.fixture
def folder(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the store, in which commands work."""
    shutil.copytree(store, tmp_path / "here", symlinks=True)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.usefixtures("checks_only")
def test_hostile_command_lines_end_in_a_sentence(folder: Path, store: Path) -> None:
    """Two lines of each command."""
    check(command_lines(random.Random(1)), 2 * len(ALL), folder, store)


@pytest.mark.slow
@pytest.mark.usefixtures("checks_only")
def test_damaged_files_end_in_a_sentence(folder: Path, store: Path) -> None:
    """Each file once, for each command that reads it."""
    check(damaged_files(store, random.Random(2)), len(list(readers(store))), folder, store)


@pytest.mark.long
@pytest.mark.usefixtures("checks_only")
def test_many_hostile_command_lines_end_in_a_sentence(folder: Path, store: Path) -> None:
    check(command_lines(random.Random(3)), 1_500, folder, store)


@pytest.mark.long
def test_many_damaged_files_end_in_a_sentence(recorded: Path, folder: Path, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("checks_only")  # only now: what `recorded` holds was played
    check(damaged_files(recorded, random.Random(4)), 1_500, folder, recorded)


NAMES = (
    f"run {LONG}", f"run coordinate --plan {LONG}", f"run coordinate --out {LONG}", "run coordinate --out circle/in",
    "run circle.toml", f"check {LONG}", "check circle.plan", "format circle.plan --write", f"replay {LONG}",
    "replay circle",
    f"replay {'folder/' + LONG}", f"evaluate {LONG}", "evaluate circle", f"league {LONG}", "league circle",
    f"abilities {LONG}", "abilities circle", f"sweep coordinate --plans {LONG}", "sweep coordinate --plans circle",
    f"sweep coordinate --out {LONG}", f"competency {LONG}", "competency circle", f"conform {LONG}", "conform circle",
    f"chat --resume {LONG}", "chat --resume circle", f"serve --session {LONG}", "serve --session circle/in",
    f"ask coordinate x --replay {LONG}", "ask coordinate x --record circle/in", f"mcp --folder {LONG}",
    "mcp --folder circle/in",
    f"run kitchen/apple --set layout={LONG}", f"kitchen plot {LONG}", "kitchen plot circle",
    f"rescue table {LONG}/x.toml", "rescue table circle.toml", f"run {LONG}.toml",
    "household write circle.toml",
    f"run household/cwah_0 --set utility={LONG}", f"train skirmish_5v5 --out {LONG}", "train circle.toml",
    f"improve {LONG}",
    f"run wildfire/cut_trees_sparse_small --player team --prompts {LONG}",
    f"grammar coordinate --out {LONG}", f"bench --out {LONG}",
    "household write cwah_0 --out " + "x/" * 2_000, "check /dev/zero", "run /dev/zero", "conform /dev/zero",
)  # fmt: skip


@pytest.mark.usefixtures("checks_only", "folder")
@pytest.mark.parametrize("words", NAMES, ids=lambda words: words[:50])
def test_a_name_that_no_system_takes_is_refused_in_a_sentence(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A name of 300 characters, a circle of links, and a device without an end, wherever a command meets them."""
    assert main(words.split()) == 2
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err and re.search(r"[a-z]{3}", shown.out + shown.err)


def test_a_full_disk_is_a_sentence_and_other_errors_of_the_system_stay_ours(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^no space left on device$"), refuse_paths():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(UserError, match=r"^cannot use .*missing: no such file or directory$"), refuse_paths():
        (tmp_path / "missing").read_bytes()
    for ours in (OSError("odd"), RuntimeError("odd"), ConnectionResetError(errno.ECONNRESET, "reset")):
        with pytest.raises(type(ours)), refuse_paths():
            raise ours
