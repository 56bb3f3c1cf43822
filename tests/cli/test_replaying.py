"""`hive replay`: a page from a run folder; what the page shows is tested in `tests/view`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import SMALL, Hive, run_in
from tests.household.chores import chores


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run."""
    folder = tmp_path_factory.mktemp("played")
    run_in(folder, "run", *SMALL, "--seeds", 2, "--out", "kept")
    return folder / "kept"


@pytest.fixture
def kept(played: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(played, tmp_path / "kept")


def test_a_page_is_written_into_the_run_folder(hive: Hive, kept: Path) -> None:
    ran = hive("replay", "kept")
    page = kept / "replay.html"
    assert ran.code == 0 and ran.out.startswith(f"wrote {Path('kept/replay.html')}, ")
    text = page.read_text(encoding="utf-8")
    assert text.lstrip().lower().startswith("<!doctype html>") and "coordinate" in text.lower()


def test_json_names_the_page_and_its_size_and_fewer_ticks_are_less(hive: Hive, kept: Path, tmp_path: Path) -> None:
    whole = hive("replay", "kept", "--json").json
    size = (kept / "replay.html").stat().st_size
    assert whole == {"page": str(Path("kept/replay.html")), "bytes": size, "episode": ".", "episodes": ["."]}
    some = hive("replay", "kept", "--every", 10, "--page", "some.html", "--json").json
    assert some["page"] == "some.html" and some["bytes"] == (tmp_path / "some.html").stat().st_size
    assert some["bytes"] < whole["bytes"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "there is no folder nothing\n  = help: name a folder that a command wrote"),
        (["."], ". is not a run folder with a game: neither it nor a folder in it holds recording.npz"),
        (["kept", "--episode", "first"], "kept keeps no game called `first`\n  = help: its games are ."),
        (["kpt"], "there is no folder kpt\n  = help: did you mean kept?"),
        (["kept", "--every", "0"], "argument --every: 0 is out of range"),
        (["kept", "--page", "no/such/folder.html"], "cannot write no/such/folder.html"),
    ],
)
def test_what_cannot_be_replayed_is_one_message(
    hive: Hive, request: pytest.FixtureRequest, words: list[str], message: str
) -> None:
    if words[0] in ("kept", "kpt"):
        request.getfixturevalue("kept")
    ran = hive("replay", *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err


def test_a_folder_of_several_games_lists_them_and_shows_the_first_or_the_chosen_one(hive: Hive, tmp_path: Path) -> None:
    """The roots of runs of teams, cooks, rescues and households keep a folder for each game, at different depths."""
    for name in ("task/10", "task/2", "other/0", "task/.hidden"):
        (tmp_path / "run" / name).mkdir(parents=True)
        chores().save(tmp_path / "run" / name / "recording.npz")
    ran = hive("replay", "run")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[:2] == [
        "run keeps 3 games: other/0, task/2, task/10",
        "this is the page of other/0; --episode NAME makes that of another",
    ]
    assert (tmp_path / "run" / "other" / "0" / "replay.html").is_file()
    for chosen in ("task/2", "2"):
        shown = hive("replay", "run", "--episode", chosen, "--json").json
        assert shown["page"] == str(Path("run/task/2/replay.html")) and shown["episode"] == "task/2"
        assert shown["episodes"] == ["other/0", "task/2", "task/10"]
    ran = hive("replay", "run/task/2/recording.npz", "--json")
    assert ran.json["page"] == str(Path("run/task/2/replay.html"))
    ran = hive("replay", "run", "--episode", "unknown")
    assert ran.code == 2 and "keeps no game called `unknown`\n  = help: its games are other/0, task/2" in ran.err
    (tmp_path / "run" / "other" / "2").mkdir()
    chores().save(tmp_path / "run" / "other" / "2" / "recording.npz")
    ran = hive("replay", "run", "--episode", "2")
    assert ran.code == 2 and "several games called `2`\n  = help: its games are other/2, task/2" in ran.err


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("five", {"command": "hive train skirmish_5v5"}, "`hive evaluate five --replay` plays a game of its policies"),
        ("five", {"command": "hive sweep coordinate"}, "`hive sweep` wrote five, which keeps no game\n  = help: `hive"),
        ("five", {"command": "hive scale"}, "`hive scale` wrote five, which keeps no game"),
        ("five", {"command": 7}, "five is not a run folder with a game"),
        ("five", ["hive"], "five is not a run folder with a game"),
        ("five.progress", {}, "holds the progress of a run that has not finished\n  = help: the command that began it"),
    ],
)
def test_a_folder_without_games_is_called_what_it_is(
    hive: Hive, tmp_path: Path, name: str, config: object, message: str
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "config.json").write_text(json.dumps(config))
    ran = hive("replay", name)
    assert (ran.code, ran.out) == (2, "") and message in ran.err, ran.err
