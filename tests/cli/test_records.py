"""Every folder of played games holds, in one form, what plays them again and compares them, whoever played."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hive.cli.model.serve_settings import Serve
from hive.cli.model.team_page import make_team_game
from hive.kit.errors import DataError
from hive.kit.keep.digests import DIGESTS
from hive.kit.keep.record import FORM, check_record, digest_of
from hive.web.audience import Audience
from hive.worlds import kind_of
from tests.cli.conftest import SMALL, Hive
from tests.tiers import tiers

RESCUE = "rescue/map_7/agents-1"
RUN = f"{' '.join(SMALL)} --seeds 2"  # the program of the other tests of folders
LEVEL = "wildfire/cut_trees_sparse_small"
KINDS = {
    "plan": f"run {RUN}",
    "swapped": f"run {RUN} --swap 1=coordinate_bad",
    "commander": f"run {LEVEL} --commander nothing --set limit=2",
    "rules": f"run {RESCUE} --player heuristic --player optimal",
    "team": f"run {RESCUE} --player team --set limit=3",
    "varied": f"run {RESCUE} --player heuristic --vary limit=2,3",
    "kitchen": "run kitchen/boiled_egg --player planner",
    "policy": f"run {RESCUE} --player random --seeds 2",
}


@pytest.mark.parametrize("kind", tiers(KINDS, quick=["plan", "rules", "team"], slow=["varied", "swapped"]))
def test_a_run_of_any_player_is_recorded_in_one_form_and_plays_again(hive: Hive, kind: str) -> None:
    words = shlex.split(KINDS[kind])
    ran = hive(*words, "--out", "first")
    assert ran.code == 0, ran.err
    config = check_record(Path("first"))
    assert config is not None
    assert {"command", "again", "record", "seeds", "versions"} <= config.keys()
    record = config["record"]
    assert record.keys() == {"form", "worlds", "players"} and record["form"] == FORM
    assert record["worlds"] and all(len(digest) == 64 for digest in record["worlds"].values())
    assert record["players"] and all(each.keys() == {"name", "plays", "identity"} for each in record["players"])
    kept = json.loads(Path("first", DIGESTS).read_bytes())["kept"]
    assert kept.keys() == {
        path.relative_to("first").as_posix() for path in Path("first").rglob("*") if path.is_file()
    } - {DIGESTS}

    again = shlex.split(config["again"].removeprefix("in this folder: "))
    assert again[0] == "hive" and not {"--out", "--overwrite"} & {*again}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("first")
        ran = hive(*again[1:], "--out", "../second")
    assert ran.code == 0, ran.err
    other = check_record(Path("second"))
    assert other is not None and other["seeds"] == config["seeds"]
    repeated = json.loads(Path("second", DIGESTS).read_bytes())["kept"]
    assert other["record"]["worlds"] == record["worlds"]
    plays = "metrics.jsonl" if "metrics.jsonl" in kept else "recording.npz"  # not titles
    games = [name for name in kept if name.endswith(plays)]
    assert games and all(kept[name] == repeated[name] for name in games)


def test_a_game_that_was_watched_on_the_page_plays_again_without_it(hive: Hive) -> None:
    settings = Serve(scenario=RESCUE, numbers=(("limit", 2),), line=f"hive serve {RESCUE} --set limit=2")
    game, _ = make_team_game(settings, kind_of(RESCUE), _Watching())
    game.live.go()
    (last,) = _until(lambda: list(Path("runs").glob("serve-*/digests.json")))
    game.close()
    config = last.with_name("config.json")
    again = shlex.split(json.loads(config.read_bytes())["again"].removeprefix("in this folder: "))
    ran = hive(*again[1:], "--out", "second")
    assert ran.code == 0, ran.err
    (first,), (second,) = (list(path.glob("*/recording.npz")) for path in (config.parent, Path("second")))
    assert check_record(config.parent) and first.read_bytes() == second.read_bytes()


class _Watching(Audience):
    def alone(self) -> float:
        return 0  # or the game would wait for a tab


def _until(found: Callable[[], list[Path]], seconds: float = 60) -> list[Path]:
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, "the game does not end"
        time.sleep(0.02)
    return found()


@pytest.fixture
def folder(hive: Hive) -> Path:
    """A small run."""
    assert hive("run", RESCUE, "--player", "heuristic", "--set", "limit=2", "--out", "kept").code == 0
    return Path("kept")


def test_a_changed_or_missing_file_is_named(folder: Path) -> None:
    (folder / "table.txt").write_text("better\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"the file table\.txt was changed"):
        check_record(folder)
    (folder / "table.txt").unlink()
    with pytest.raises(DataError, match=r"the file table\.txt is missing"):
        check_record(folder)


def test_a_folder_of_an_earlier_version_is_read_without_a_record(hive: Hive, folder: Path) -> None:
    """Old folders hold neither digests nor a record; pages are still made of them."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / DIGESTS).unlink()
    with pytest.raises(DataError, match=f"the file {DIGESTS} is missing"):
        check_record(folder)
    del config["record"]
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert check_record(folder) is None
    assert hive("replay", str(folder), "--episode", "map_7-agents-1").code == 0


def test_a_digest_depends_on_values_and_not_on_the_order_of_names() -> None:
    assert digest_of({"a": 1, "b": [2.5]}) == digest_of({"b": [2.5], "a": 1}) != digest_of({"a": 1, "b": [2.25]})
