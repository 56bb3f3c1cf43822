"""The run folder of `hive run`: what is in it, that it runs again, and that it is whole or not there."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields, replace
from pathlib import Path

import pytest
from PIL import Image

from hive.cli.keeping import words_of
from hive.kit.view.movie import mp4_available
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.scenario import load_scenario
from hive.worlds.battle.view import drawing
from tests.cli.conftest import SMALL, Hive, run_in
from tests.cli.reading import understood

PLAIN = {"config.json", "outcome.json", "outcome.csv", "metrics.jsonl", "scenario.toml", "plan.plan", "enemy.plan"}
PLAIN |= {"recording.npz", "picture.png", "digests.json"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run."""
    folder = tmp_path_factory.mktemp("played")
    told = run_in(folder, "run", *SMALL, "--seeds", 2, "--out", "kept")
    assert told.splitlines()[-1].startswith("wrote kept: config.json, ")
    return folder / "kept"


@pytest.fixture
def kept(played: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(played, tmp_path / "kept")


def test_a_run_folder_holds_what_is_promised(kept: Path) -> None:
    assert {path.name for path in kept.iterdir()} == PLAIN
    outcome = json.loads((kept / "outcome.json").read_text())
    assert outcome["games"] == 2 and outcome["outcomes"]["timeout"] == 2
    config = json.loads((kept / "config.json").read_text())
    assert config["command"] == "hive run coordinate --units 20 --set limit=60 --seeds 2 --out kept"
    assert (config["scenario"], config["plan"], config["seeds"]) == ("coordinate", "coordinate", [0, 1])
    assert config["arguments"]["rules"] == {"limit": 60} and "jax" in config["versions"]
    scenario = load_scenario(kept / "scenario.toml")
    assert (scenario.player.count, scenario.rules.limit, scenario.written_for) == (20, 60, (1000, 1000))
    with Image.open(kept / "picture.png") as picture:
        assert picture.width > 600


def test_metrics_have_a_line_for_each_tick_of_each_game(kept: Path) -> None:
    lines = [json.loads(line) for line in (kept / "metrics.jsonl").read_text().splitlines()]
    assert [(line["seed"], line["tick"]) for line in lines] == [(s, t) for s in (0, 1) for t in range(1, 61)]
    assert lines[0] == {
        "seed": 0,
        "tick": 1,
        "alive": {"player": {"spearmen": 10, "archer": 10}, "enemy": {"spearmen": 20}},
        "health": {"player": 260.0, "enemy": 480.0},
        "steps": 0,
        "score": 0.0,
    }


def test_a_run_folder_plays_again_by_its_own_command(hive: Hive, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs nothing but itself: `again` in config.json."""
    again = json.loads((kept / "config.json").read_text())["again"]
    assert again == "in this folder: hive run scenario.toml --seeds 2"
    monkeypatch.chdir(kept)
    found = hive(*again.partition(": hive ")[2].split(), "--out", "../again", "--json").json  # as before, recorded
    assert found["results"] == json.loads((kept / "outcome.json").read_text())["results"]


def test_an_existing_run_is_replaced_only_with_overwrite(hive: Hive, kept: Path) -> None:
    before = (kept / "config.json").read_bytes()
    refused = hive("run", *SMALL, "--seeds", 2, "--out", "kept")
    assert refused.code == 2 and "exists already" in refused.err
    assert (kept / "config.json").read_bytes() == before
    assert hive("run", *SMALL, "--seeds", 2, "--out", "kept", "--overwrite").code == 0
    assert "--overwrite" in (kept / "config.json").read_text()


@pytest.mark.slow
def test_a_movie_without_a_folder_gets_one(hive: Hive, tmp_path: Path) -> None:
    ran = hive("run", *SMALL[:-1], "limit=20", "--seeds", 2, "--movie")  # the program of all tests here
    assert ran.code == 0 and "wrote runs/coordinate-coordinate-0: " in ran.err
    folder = tmp_path / "runs" / "coordinate-coordinate-0"
    movies = {"movie.gif", "movie.mp4"} if mp4_available() else {"movie.gif"}
    assert {path.name for path in folder.iterdir()} == PLAIN | movies
    with Image.open(folder / "movie.gif") as movie:
        assert movie.n_frames == 21
    assert f"  {Path('runs/coordinate-coordinate-0/movie.gif')}: 21 frames at 20 a second" in ran.err


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_what_breaks_half_way_leaves_nothing(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*args: object) -> None:
        raise error

    monkeypatch.setattr(drawing, "save_picture", fail)
    ran = hive("run", *SMALL, "--seeds", 2, "--out", "kept")
    assert ran.code == (130 if error is KeyboardInterrupt else 2)
    assert ran.err.splitlines()[-1] in (
        "interrupted",
        "error: cannot write the run folder kept: no space left on device",
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_markers_are_kept_with_the_run(hive: Hive, tmp_path: Path) -> None:
    """`--marker` goes into the scenario of the run folder, and so into its picture and its replay."""
    ran = hive("run", *SMALL, "--seeds", 2, "--marker", "Q=12,34", "--out", "marked")
    assert ran.code == 0
    assert "Q = [12, 34]" in (tmp_path / "marked" / "scenario.toml").read_text()
    assert BattleRecording.load(tmp_path / "marked" / "recording.npz").markers == {"Q": (12.0, 34.0)}
    ran = hive("run", *SMALL, "--marker", "Q=1200,34")
    assert ran.code == 2 and "markers.Q" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        "sweep coordinate --plans a b --seeds 3 --vary limit=60,90 --vary jitter=0 --written-for 3,4 --lenient",
        "baselines one two --algorithms mappo,ippo --setting lr=0.001 --vary lr=0.1,0.25 --no-training",
        "abilities --model a --model b --scaling 40,80 --info full --info compact --set limit=5 --temperature 0.5",
    ],
)
def test_the_words_of_settings_are_read_as_these_settings(words: str) -> None:
    found = understood(words.split())
    again = understood(words_of(words.split()[0], found, [each.name for each in fields(found)]))
    assert replace(again, line="") == replace(found, line="")
