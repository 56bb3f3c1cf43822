"""`hive sweep`: cells, chunks, what is saved, and how an interrupted run resumes."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

import scenarios
from hive.cli import progress_folder
from hive.cli.games import resuming
from hive.cli.progress import duration
from hive.engine.batch.job import Job
from hive.kit.keep import config, finishing
from tests.cli.conftest import SMALL, Hive, run_in

BRIEF = (*SMALL[:-1], "limit=12")  # of the program of SMALL
WORDS = ("sweep", *BRIEF, "--vary", "movement_randomness=0,2,5", "--seeds", 2, "--chunk", 2)
FILES = {
    "config.json", "table.txt", "sweep.png", "cells.json", "cells.csv", "results.jsonl", "results.csv", "scenario.toml",
    "enemy.plan", "plans", "digests.json",
}  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    """Everything below a folder but config.json, which holds times, and its digests."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("config.json", "digests.json")
    }


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sweep that nothing cut off."""
    folder = tmp_path_factory.mktemp("swept")
    run_in(folder, *WORDS, "--out", "whole")
    return folder / "whole"


@pytest.fixture
def whole(swept: Path, tmp_path: Path) -> dict[str, bytes]:
    """A copy of this folder and what it holds."""
    shutil.copytree(swept, tmp_path / "whole")
    return contents(tmp_path / "whole")


def cut_off(hive: Hive, monkeypatch: pytest.MonkeyPatch, after: int, *words: object) -> None:
    """Run a sweep that is interrupted within the chunk after so many."""
    play = Job.play

    def stop(job: Job, number: int, *rest: object) -> object:
        if number == after:
            raise KeyboardInterrupt
        return play(job, number, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Job, "play", stop)
        assert hive(*words).code == 130


@pytest.mark.slow
def test_a_sweep_is_a_table_and_a_folder(hive: Hive, swept: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    assert {path.name for path in swept.parent.iterdir()} == {"whole"}, "its progress is gone"
    assert {path.name for path in (tmp_path / "whole").iterdir()} == FILES
    games = [json.loads(line) for line in whole["results.jsonl"].decode().splitlines()]
    assert [(game["rules"]["movement_randomness"], game["seed"]) for game in games] == [
        (noise, seed) for noise in (0, 2, 5) for seed in range(2)
    ]
    alone = hive("run", *BRIEF, "--set", "movement_randomness=0", "--seeds", 2, "--json").json
    plain = [key for key in alone["results"][0] if key not in ("why", "advice")]  # a sweep does not say these
    assert [[game[key] for key in plain] for game in games[:2]] == [
        [game[key] for key in plain] for game in alone["results"]
    ]
    cells = json.loads(whole["cells.json"])
    assert [cell["rules"] for cell in cells] == [{"movement_randomness": noise} for noise in (0, 2, 5)]
    head, *rows = csv.reader(io.StringIO(whole["cells.csv"].decode(), newline=""))
    wins = [[row[head.index(f"wins.{key}")] for key in ("share", "low", "high")] for row in rows]
    assert [[float(value) for value in row] for row in wins] == [list(cell["wins"].values()) for cell in cells]
    assert whole["results.csv"].count(b"\r\n") == 1 + len(games)
    assert cells[0]["score"] == alone["score"] and cells[0]["outcomes"] == alone["outcomes"]


@pytest.mark.slow
def test_a_folder_says_how_to_run_it_again(
    hive: Hive, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = json.loads((tmp_path / "whole" / "config.json").read_text())
    assert config["command"].startswith("hive sweep coordinate --units 20") and config["arguments"]["chunks"] == 3
    monkeypatch.chdir(tmp_path / "whole")
    again = config["again"].partition(": hive ")[2].split()
    ran = hive(*again, "--chunk", 2)  # as large as before, so that nothing is compiled again
    assert ran.out.strip() == whole["table.txt"].decode().strip()


@pytest.mark.parametrize("after", [pytest.param(0, marks=pytest.mark.slow), 2])
def test_a_run_cut_off_goes_on_and_gives_the_same(
    hive: Hive, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Byte for byte, but for the times; and plays only what is left. Another test cuts a run off after 1."""
    cut_off(hive, monkeypatch, after, *WORDS, "--out", "again")
    assert not (tmp_path / "again").exists()
    assert len(list((tmp_path / "again.progress").glob("chunk-*.npz"))) == after
    played = []
    play = Job.play
    monkeypatch.setattr(Job, "play", lambda job, number, *rest: (played.append(number), play(job, number, *rest))[1])
    ran = hive(*WORDS, "--out", "again")
    assert ran.code == 0 and played == list(range(after, 3))
    assert (f"resuming after {after} of 3 chunks" in ran.err) == (after > 0)
    assert contents(tmp_path / "again") == whole
    assert not (tmp_path / "again.progress").exists()


def test_a_folder_that_cannot_be_written_keeps_the_progress(
    hive: Hive, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(resuming, "save_sweep", fail)
        assert hive(*WORDS, "--out", "full").code == 2
    assert not (tmp_path / "full").exists() and (tmp_path / "full.progress").exists()
    monkeypatch.setattr(Job, "play", lambda *args: pytest.fail("nothing is left to play"))
    assert hive(*WORDS, "--out", "full").code == 0
    assert contents(tmp_path / "full") == whole


@pytest.mark.slow
def test_a_sweep_that_was_killed_while_it_tidied_up_finishes(
    hive: Hive, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder is complete beside its progress: the same command prints the table and removes the progress."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(finishing, "temporary_folder", stop)
        assert hive(*WORDS, "--out", "kept").code == 130
    assert contents(tmp_path / "kept") == whole and (tmp_path / "kept.progress").is_dir()
    ran = hive(*WORDS, "--out", "kept")
    assert ran.code == 0 and "resuming after 3 of 3 chunks" in ran.err and "movement_randomness" in ran.out
    assert contents(tmp_path / "kept") == whole and not (tmp_path / "kept.progress").exists()
    assert "exists already" in hive(*WORDS, "--out", "kept").err


def test_the_progress_of_another_sweep_is_refused(
    hive: Hive, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(hive, monkeypatch, 1, *WORDS, "--out", "mine")
    before = contents(tmp_path / "mine.progress")
    for other, message in (
        (("--seeds", 4), "belongs to another sweep: `seeds` differ"),
        (("--units", 22), "belongs to another sweep: `scenario` differ"),
        (("--chunk", 3), "has chunks of 2 games: resume with --chunk 2"),
    ):
        ran = hive(*WORDS, *other, "--out", "mine")
        assert ran.code == 2 and message in ran.err, ran.err
        assert contents(tmp_path / "mine.progress") == before
    assert hive(*WORDS, "--out", "mine", "--restart").code == 0
    assert contents(tmp_path / "mine") == whole


def test_a_commit_in_the_middle_of_a_sweep_is_a_warning_when_it_resumes(
    hive: Hive, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of a package is refused all the same."""
    found = config.versions()

    def at(**other: str) -> None:
        for module in (config, progress_folder):
            monkeypatch.setattr(module, "versions", lambda device=True: {**found, **other})

    at(commit="0123abcd")
    cut_off(hive, monkeypatch, 1, *WORDS, "--out", "mine")
    at(commit="4567ef", jax="0.0.1")
    ran = hive(*WORDS, "--out", "mine")
    assert ran.code == 2 and "belongs to another sweep: `versions` differ" in ran.err
    at(commit="4567ef")
    ran = hive(*WORDS, "--out", "mine")
    assert ran.code == 0 and "mine.progress was begun at commit 0123abcd, and this is commit 4567ef" in ran.err
    assert contents(tmp_path / "mine") == whole
    kept = json.loads((tmp_path / "mine" / "config.json").read_text())
    assert (kept["begun_at_commit"], kept["versions"]["commit"]) == ("0123abcd", "4567ef")


def test_a_folder_that_is_not_ours_is_no_progress(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "mine.progress").mkdir()
    (tmp_path / "mine.progress" / "thesis.tex").write_text("years of work")
    for words in ((), ("--restart",)):
        ran = hive(*WORDS, "--out", "mine", *words)
        assert ran.code == 2 and "mine.progress" in ran.err and "Traceback" not in ran.err
    assert contents(tmp_path) == {"mine.progress/thesis.tex": b"years of work"}


@pytest.mark.long
def test_plans_come_from_names_files_and_folders_and_bad_ones_are_counted(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "b.plan").write_text(scenarios.plan("coordinate"))
    (tmp_path / "plans" / "a.plan").write_text("I would rather not.")
    ran = hive("sweep", *SMALL, "--plans", "coordinate", "plans", "--seeds", 2, "--json")
    assert ran.code == 0 and [cell["plan"] for cell in ran.json["cells"]] == ["coordinate", "a", "b"]
    first, none, again = ran.json["cells"]
    assert none["outcomes"]["no_plan"] == 2 and none["score"]["mean"] is None
    assert none["ticks"] == {"mean": None, "min": None, "max": None} and first["ticks"]["mean"] == 60
    assert {**again, "plan": "coordinate"} == first and first["outcomes"]["timeout"] == 2
    assert "a:\nerror[plan-empty]" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--vary", "limt=5,6"], "there is no rule `limt`"),
        (["--vary", "limit=5,0"], "0 is out of range"),
        (["--vary", "limit=5,x"], "`limit=5,x` is not of the form RULE=A,B,C"),
        (["--vary", "jitter=0,0"], "a value is given twice"),
        (["--vary", "jitter=0", "--vary", "jitter=1"], "the rule `jitter` is given twice"),
        (["--vary", "limit=5,6"], "the rule `limit` is given twice"),
        (["--plans", "missing.plan"], "the plan cannot be read"),
        (["--plans", "coordinate,coordinate_bad"], "separated by blanks, not by commas"),
        (["--plans", "empty"], "the folder empty holds no .plan file"),
        (["--plans", "bad.plan"], "none of the 1 plan can be played"),
        (["--plans", "coordinate", "coordinate"], "two plans are called `coordinate`"),
        (["--processes", "2"], "go together"),
        (["--devices", "64"], "there are only"),
        (["--devices", "1000"], "argument --devices: 1000 is out of range"),
        (["--devices", "0"], "argument --devices: 0 is out of range"),
        (["--coordinator", "x:y", "--processes", "2", "--process", "0"], "`x:y` is not of the form HOST:PORT"),
        (["--coordinator-timeout", "0"], "argument --coordinator-timeout: 0 is out of range"),
        (["--out", "empty"], "exists already"),
    ],
)
def test_bad_input_is_one_clear_message_and_nothing_is_written(
    hive: Hive, tmp_path: Path, words: list[str], message: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.plan").write_text("Step 0:\n")
    scenario = ("coordinate", "--units", 20) if "limit=5,0" in words or "limt=5,6" in words else SMALL
    before = sorted(tmp_path.rglob("*"))
    ran = hive("sweep", *scenario, *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err, ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_an_estimate_is_given_in_fitting_units() -> None:
    assert [duration(seconds) for seconds in (3.2, 99, 130, 9000)] == ["3 s", "99 s", "2 min", "2.5 h"]
