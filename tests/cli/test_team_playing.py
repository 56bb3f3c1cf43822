"""Teams and commanders of a level by `hive run`: wrong input, folders, a server that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hive.cli import main
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.speaker import answer
from tests.cli.conftest import Hive
from tests.llm.faulty import Handler, error, serving, stream

LEVEL = "wildfire/cut_trees_sparse_small"
CAMON, PLANS = ("--player", "team:camon"), ("--player", "plans", "--period", 4)
INSIDE = "cut_trees_sparse_small/375"
SHORT = (LEVEL, "--seed", 375, "--set", "limit=5")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("coordinate", *CAMON), "coordinate is a battle, whose units follow a plan or a policy, so it has no teams"),
        (("wildfire/all", *CAMON, "--vary", "firefighters=3,5"), "--vary cannot be used with wildfire/all"),
        (("wildfire/cut_tree_sparse_small", *CAMON), "did you mean `cut_trees_sparse_small`?"),
        ((LEVEL, "--player", "team:coella"), "did you mean `team:coela`?"),
        ((LEVEL, *CAMON, "--period", 3), "`--period` cannot be used here: no player of this run writes plans"),
        ((LEVEL, *CAMON, "--temperature", 1), "`--temperature` cannot be used here: no model is asked"),
        ((LEVEL, "--player", "team:nothing", "--top-p", 1), "`--top-p` cannot be used here: no model is asked"),
        (
            (LEVEL, *CAMON, "--model", "m", "--temperature", 1, "--quirks", "released_temperature"),
            "contradict each other\n  = help: leave out one of them",
        ),
        ((LEVEL, *CAMON, "--quirks", "keeps_oldst"), "did you mean `keeps_oldest`?"),
        ((LEVEL, *CAMON, "--vary", "firefighters=3,3"), "names a value twice"),
        (
            (LEVEL, *CAMON, "--vary", "firefighters=3", "--set", "firefighters=4"),
            "the setting `firefighters` is given twice",
        ),
        ((LEVEL, *CAMON, "--set", "limit=3", "--set", "limit=4"), "a setting is given twice"),
        ((LEVEL, *CAMON, "--seeds", 65), "at most 64 episodes are played side by side, not 65"),
        ((LEVEL, "--player", "team:coela", *CAMON, "--method", "mine"), "--method names one player"),
        ((LEVEL, *CAMON, "--set", "firefihters=4"), "did you mean `firefighters`?"),
        ((LEVEL, *CAMON, "--replay", "none.jsonl"), "there is no recording none.jsonl"),
        ((LEVEL, *CAMON, "--plans", "."), "`--plans` cannot be used here: no player of this run writes plans"),
        ((LEVEL, "--player", "plans", "--plans", "none"), "there is no folder none"),
        ((LEVEL, *CAMON, "--base-url", "http://127.0.0.1:9"), "--base-url needs the name of a model"),
    ],
)
def test_wrong_input_gets_a_message_before_anything_is_played(
    hive: Hive, tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    ran = hive("run", *words)
    assert ran.code == 2 and message in ran.err and not ran.out
    assert list(tmp_path.iterdir()) == [], "no folder is begun"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of a team and of a commander with plans."""
    folder = tmp_path_factory.mktemp("team")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main([*map(str, ("run", *SHORT, *CAMON, *PLANS, "--out", "kept"))]) == 0
    assert not (folder / "kept.progress").exists()
    return folder / "kept"


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "steps.jsonl").read_text().splitlines()]


@pytest.mark.long
def test_a_run_folder_holds_what_is_promised(kept: Path) -> None:
    shared = {"result.json", "steps.jsonl", "transcript.md", "recording.npz", "picture.png"}
    own = {"camon": {"journal.jsonl"}, "plans": {"orders.jsonl", "plans/0.plan", "plans/4.plan"}}
    for name, more in own.items():
        folder = kept / name / INSIDE
        assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == shared | more
        result, steps = json.loads((folder / "result.json").read_text()), rows(folder)
        assert result["ticks"] == 5 == len(steps) - 1 and result["score"] == steps[-1]["score"] > 0
        assert [result[key] for key in ("calls", "input_tokens", "output_tokens")] == [
            steps[-1][key] for key in ("calls", "input_tokens", "output_tokens")
        ]
        assert result["token_unit"] == "words" and result["framework"] == name and result["manner"]
        assert FireRecording.load(folder / "recording.npz").score.tolist() == [row["score"] for row in steps]
        assert result["speaker"][1:] in (folder / "transcript.md").read_text()
    assert {path.name for path in kept.iterdir()} == {
        "config.json", "result.json", "scores.jsonl", "games.csv", "table.txt", "costs.csv", "exchanges.jsonl",
        "overlap.csv", "digests.json", "camon", "plans",
    }  # fmt: skip
    scores = [json.loads(line) for line in (kept / "scores.jsonl").read_text().splitlines()]
    assert [(each["framework"], each["seeds"], each["changes"]) for each in scores] == [
        ("camon", [375], {"limit": 5}), ("plans", [375], {"limit": 5})
    ]  # fmt: skip
    assert [each["method"] for each in scores] == ["CAMON, scripted speaker", "plans, scripted plan writer"]
    assert "cost of a step" in (kept / "table.txt").read_text()


@pytest.mark.long  # of a rescue in `test_rescue_play`, like the next one
def test_the_exchanges_of_a_run_answer_in_place_of_the_speaker(hive: Hive, kept: Path) -> None:
    """A recording repeats the scores and the costs."""
    before = json.loads((kept / "result.json").read_text())
    words = ("--replay", kept / "exchanges.jsonl", "--json", "--out", "again")
    team = hive("run", *SHORT, *CAMON, "--model", "scripted speaker", *words)
    other = hive("run", *SHORT, *PLANS, "--model", "scripted plan writer", *words[:-1], "other")
    for number, ran in enumerate((team, other)):
        assert ran.code == 0, ran.err
        assert ran.json["scores"][0]["scores"] == before["scores"][number]["scores"]
        assert ran.json["scores"][0]["method"] == before["scores"][number]["method"]
        for key in ("per_step", "costs", "token_unit"):
            assert ran.json["costs"][0][key] == before["costs"][number][key]
    wrong = hive("run", *SHORT, "--player", "team:coela", "--model", "scripted speaker", *words[:-1], "third")
    assert wrong.code == 2 and "holds no reply of scripted speaker to this request" in wrong.err


def speaks(handler: Handler) -> None:
    """Answer as the scripted speaker does, over the wire."""
    system, *texts = (message["content"] for message in handler.server.requests[-1]["messages"])
    stream(answer(system, texts))(handler)


@pytest.mark.long
def test_a_server_that_fails_costs_the_step_that_was_under_way(hive: Hive, kept: Path) -> None:
    """Wire, retries, tags and counts; what is finished is kept, and the same command asks for the rest alone."""
    calls = [row["calls"] for row in rows(kept / "camon" / INSIDE)]
    some = calls[3] + 1  # in the fourth step
    words = ("run", *SHORT, *CAMON, "--model", "m", "--out", "wire", "--concurrent", 1)
    busy = error(429, "slow down", retry_after="0")
    with serving(busy, *[speaks] * some, error(400, "out of memory")) as server:
        failed = hive(*words, "--base-url", server.url)
        assert len(server.requests) == some + 2
    assert failed.code == 2 and "out of memory" in failed.err and "asking again" in failed.err
    assert "wire.progress; the same command resumes" in failed.err and not Path("wire").exists()
    with serving(speaks) as server:
        played = hive(*words, "--base-url", server.url)
        assert played.code == 0, played.err
        assert len(server.requests) == calls[-1] - calls[3]
    found, expected = rows(Path("wire") / INSIDE), rows(kept / "camon" / INSIDE)
    assert [(row["score"], row["calls"]) for row in found] == [(row["score"], row["calls"]) for row in expected]
    result = json.loads((Path("wire") / INSIDE / "result.json").read_text())
    assert (result["input_tokens"], result["output_tokens"]) == (7 * calls[-1], 3 * calls[-1]), "as the server counted"
    assert len(Path("wire/exchanges.jsonl").read_text().splitlines()) == calls[-1]


@pytest.mark.slow
def test_a_progress_folder_of_other_options_is_not_resumed(hive: Hive) -> None:
    words = ("run", *SHORT, *CAMON, "--model", "m", "--retries", 0, "--out", "mine")
    with serving(error(400, "no")) as server:
        assert hive(*words, "--base-url", server.url).code == 2
        other = hive(*words, "--base-url", server.url, "--direct-perception")
        assert other.code == 2 and "belongs to another run of agents: `players` differ" in other.err
        assert "error: " in hive(*words, "--base-url", server.url, "--direct-perception", "--restart").err
