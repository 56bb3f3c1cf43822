"""`hive verify`: kept games come out again, a changed digit is found, and what cannot be checked says why."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scenarios
from hive.kit.keep.digests import DIGESTS, write_digests
from hive.kit.keep.record import thin
from tests.cli.conftest import SMALL, Hive, run_in

RESCUE = "rescue/map_7/agents-1"
Change = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results of two kinds of worlds and players: a plan in a battle, rules in a rescue."""
    folder = tmp_path_factory.mktemp("played")
    run_in(folder, "run", *SMALL, "--seeds", 2, "--out", "runs/battle")
    run_in(folder, "run", RESCUE, "--player", "heuristic", "--player", "optimal", "--out", "runs/deep/rescue")
    return folder / "runs"


@pytest.fixture
def runs(played: Path, hive: Hive, tmp_path: Path) -> Path:
    """A copy of it in the present folder."""
    shutil.copytree(played, tmp_path / "runs")
    return Path("runs")


def rewrite(file: Path, change: Change, folder: Path | None = None) -> None:
    """Change an object in a file and, as a forger would, the digests of its folder."""
    found = json.loads(file.read_bytes())
    change(found)
    file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if folder:
        write_digests(folder)


@pytest.mark.slow
def test_results_of_all_kinds_below_a_folder_are_equal(hive: Hive, runs: Path) -> None:
    ran = hive("verify", runs, "--json")
    assert ran.code == 0, ran.out + ran.err
    found = ran.json
    assert (found["equal"], found["different"], found["not_checkable"]) == (2, 0, 0)
    battle, rescue = found["results"]
    assert (battle["folder"], battle["games"], battle["seeds"]) == ("runs/battle", 2, [0, 1])
    assert (rescue["folder"], rescue["games"]) == ("runs/deep/rescue", 2)
    assert [each["name"] for each in rescue["players"]] == ["heuristic", "optimal"]
    assert re.fullmatch("[0-9a-f]{64}", battle["digest"]) and battle["digest"] != rescue["digest"]
    assert "commit" in found["verified_with"] and not list(runs.glob("**/*again*"))


def test_a_changed_digit_is_found_by_its_digest(hive: Hive, runs: Path) -> None:
    rewrite(runs / "battle/outcome.json", lambda found: found["results"][1].update(ticks=59))
    ran = hive("verify", runs / "battle/outcome.json")
    assert ran.code == 1 and "different: runs/battle\n  the file outcome.json was changed since" in ran.out


@pytest.mark.parametrize(
    ("result", "file", "change", "where"),
    [
        (
            "battle",
            "outcome.json",
            lambda found: found["results"][1].update(ticks=59),
            ("seed 1", "results[1].ticks", "59", "60"),
        ),
        (
            "deep/rescue",
            "optimal/map_7-agents-1/result.json",
            lambda found: found.update(steps=1),
            ("optimal/map_7-agents-1", "steps", "1", "4"),
        ),
    ],
)
def test_a_changed_digit_with_new_digests_is_found_by_the_games(
    hive: Hive, runs: Path, result: str, file: str, change: Change, where: tuple[str, ...]
) -> None:
    """The rule: nothing in the folder needs to be trusted, not even its digests."""
    rewrite(runs / result / file, change, runs / result)
    ran = hive("verify", runs / result, "--json")
    assert ran.code == 1
    (found,) = ran.json["results"]
    first = found["where"]
    assert (first["file"], first["game"], first["field"], first["kept"], first["again"]) == (file, *where)
    assert found["more_differences"] == 0


def test_a_thin_folder_is_verified_by_what_is_left(hive: Hive, runs: Path) -> None:
    """The rule: what a leaderboard keeps of a result is enough to find a changed digit."""
    folder = runs / "battle"
    thin(folder)
    assert not {"recording.npz", "picture.png", "metrics.jsonl"} & {path.name for path in folder.iterdir()}
    assert hive("verify", folder).code == 0
    rewrite(folder / "outcome.json", lambda found: found["results"][1].update(ticks=59), folder)
    (found,) = hive("verify", folder, "--json").json["results"]
    assert (found["state"], found["where"]["field"]) == ("different", "results[1].ticks")


def test_a_result_of_another_version_is_named(hive: Hive, runs: Path) -> None:
    folder = runs / "deep/rescue"
    rewrite(folder / "config.json", lambda found: found["record"].update(worlds={f"{RESCUE}-v2": "0" * 64}), folder)
    ran = hive("verify", folder)
    assert ran.code == 2 and f"{RESCUE}-v2 was played, and this version of HIVE has {RESCUE}-v1" in ran.out


@pytest.mark.slow
def test_settings_of_a_world_are_kept_and_played_again(hive: Hive) -> None:
    """What a setting changes in a world is part of its results, and of its recording."""
    ran = hive("run", RESCUE, "--set", "limit=3", "--seeds", 1, "--out", "kept")
    assert ran.code == 0, ran.err
    (found,) = hive("verify", "kept", "--json").json["results"]
    assert found["state"] == "equal", found
    assert hive("replay", "kept").code == 0
    config = Path("kept/config.json")
    config.write_text(config.read_text("utf-8").replace("limit=3", "limit=2"), encoding="utf-8")
    write_digests(Path("kept"))
    assert hive("verify", "kept").code == 2  # other settings than those that played


PLANS = ("coordinate", "duel")
LONG = {
    "sweep": (
        "sweep",
        *SMALL[:-1],
        "limit=12",
        "--plans",
        "plans/coordinate.plan",
        "coordinate_bad",
        *("--seeds", 1, "--vary", "movement_randomness=5"),
    ),
    "improve": ("improve", "coordinate", *SMALL[1:], "--games", 24, "--test-seeds", 1, "--test-units", 20),
    "league": ("league", "plans", *SMALL[1:], "--seeds", 1, "--search", 24),
    "abilities": ("abilities", *SMALL[1:], "--seeds", 1, "--plans", "mine"),
    "study": ("abilities", "--ask", *SMALL[1:], "--ability", "coordinate"),
}
CHANGED = {
    "sweep": "results.jsonl",
    "improve": "generations.jsonl",
    "league": "games.jsonl",
    "abilities": "abilities.json",
    "study": "study.json",
}


@pytest.mark.long  # single results with a changed digit are above
@pytest.mark.parametrize("command", LONG)
def test_in_folders_of_long_commands_a_changed_digit_is_all_that_differs(hive: Hive, command: str) -> None:
    """The rule: all that a search, a league or a study says follows from its folder, whatever made it.

    The folder is played again once, with the changed digit: that nothing else differs says that the rest is equal.
    """
    Path("plans").mkdir()
    Path("mine/coordinate").mkdir(parents=True)
    for name in PLANS:
        Path(f"plans/{name}.plan").write_text(scenarios.plan(name), encoding="utf-8")
        Path(f"mine/coordinate/{name}.plan").write_text(scenarios.plan(name), encoding="utf-8")
    ran = hive(*LONG[command], "--out", "kept")
    assert ran.code == 0, ran.err
    file = Path("kept", CHANGED[command])
    text = file.read_text("utf-8")
    place = re.search(r'"(?:ticks|games)": (?:\[\s*)?\d', text)
    assert place
    at = place.end() - 1
    file.write_text(f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}", encoding="utf-8")
    ran = hive("verify", "kept")
    assert ran.code == 1 and f"the file {CHANGED[command]} was changed since" in ran.out
    write_digests(Path("kept"))
    ran = hive("verify", "kept", "--json")
    (found,) = ran.json["results"]
    assert (ran.code, found["state"], found["where"]["file"]) == (1, "different", CHANGED[command]), found
    assert found["more_differences"] == 0, "all other values of all files come out again"
    assert found["games"] > 0 and found["worlds"] and found["players"]


def _words(old: str, new: str) -> Change:
    return lambda found: found.update(again=found["again"].replace(old, new))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda found: found.pop("again"), "a person played"),
        (lambda found: found.pop("record"), "config.json holds no record"),
        (lambda found: found["record"].update(form=99), "has another form than 1"),
        (lambda found: found["record"].update(players="me"), "does not say which worlds were played"),
        (lambda found: found.update(again="rm -r ."), "is no command of hive"),
        (_words("hive run", "hive train"), "its words hold `hive train`, which plays no games again"),
        (_words("--player heuristic", "--base-url=http://127.0.0.1:1/v1"), "its words hold the option --base-url"),
        (_words("--player heuristic", "--base_url=http://127.0.0.1:1/v1"), "its words hold the option --base-url"),
        (_words("--player heuristic --player optimal", "--model m"), "a language model played, and its replies are"),
        (_words("--player heuristic --player optimal", "--player policy:../gone"), "../gone"),
        (_words("map_7", "map_70"), "map_70"),
    ],
)
def test_what_cannot_be_checked_says_why(hive: Hive, runs: Path, change: Change, why: str) -> None:
    rewrite(runs / "deep/rescue/config.json", change, runs / "deep/rescue")
    ran = hive("verify", "runs/deep/rescue")
    assert ran.code == 2 and "not checkable: runs/deep/rescue" in ran.out and why in ran.out, ran.out
    assert "  = help: " in ran.out


def test_another_world_or_player_than_the_one_that_played_is_named(hive: Hive, runs: Path) -> None:
    folder = runs / "deep/rescue"
    rewrite(folder / "config.json", lambda found: found["record"]["worlds"].update({f"{RESCUE}-v1": "0" * 64}), folder)
    ran = hive("verify", folder)
    assert ran.code == 2 and f"the world {RESCUE}-v1 is another one today, its version has changed" in ran.out
    plan = runs / "battle/plan.plan"
    plan.write_text(f"# mine\n{plan.read_text('utf-8')}", encoding="utf-8")
    write_digests(plan.parent)
    ran = hive("verify", plan.parent)
    assert ran.code == 2 and "the plan coordinate is not the one that played" in ran.out


def test_bad_input_is_a_sentence(hive: Hive, runs: Path) -> None:
    Path("empty").mkdir()
    for words, why in {
        ("rnus",): "there is no folder rnus\n  = help: did you mean runs?",
        ("empty",): "empty holds no result: neither it nor a folder in it holds config.json",
        (): "the following arguments are required: RESULT",
    }.items():
        ran = hive("verify", *words)
        assert ran.code == 2 and ran.out == "" and why in ran.err, ran.err
    (runs / "battle" / DIGESTS).unlink()
    (runs / "battle/config.json").write_text("{", encoding="utf-8")
    (runs / "deep/rescue/exchanges.jsonl").unlink()
    ran = hive("verify", runs)
    assert ran.code == 2 and "config.json is no JSON" in ran.out
    assert "the replies of the language model, exchanges.jsonl, are not in the folder" in ran.out
