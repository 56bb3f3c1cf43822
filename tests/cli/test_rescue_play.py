"""Runs of rescues and `hive rescue draw`: teams side by side, folders, resuming, and wrong command lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from hive.worlds.rescue.files import instance_texts
from hive.worlds.rescue.shipped import shipped
from tests.cli.conftest import Hive
from tests.llm.faulty import error, serving, stream

ONE = "map_7/agents-1"
WORLD = f"rescue/{ONE}"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            "rescue/map_9/agents",
            "there is no rescue `rescue/map_9/agents`\n  = help: did you mean `rescue/map_8/agents`?",
        ),
        ("rescue/map_7", "name the map and its agents: `rescue/map_7/agents` or `rescue/map_7/agents-1`"),
        ("missing/agents.toml", "missing"),
        (f"{WORLD} --player heuristic:urgent", "there is no player `heuristic:urgent` for a rescue"),
        (f"{WORLD} --set limit=61", "`limit` is a whole number of steps from 1 to 60, not 61"),
        (f"{WORLD} --thoughts -1", "--thoughts"),
        (f"{WORLD} --replies 2", "is a rescue\n  = help: it is for kitchen orders; `hive run"),
        (f"{WORLD} --replay missing.jsonl", "there is no recording missing.jsonl"),
        (f"{WORLD} --urgent-weight 5", "--urgent-weight belongs to `hive rescue table` and `hive rescue optimum`"),
    ],
)
def test_a_wrong_command_line_is_explained(hive: Hive, words: str, why: str) -> None:
    ran = hive("run", *words.split())
    assert ran.code == 2 and ran.out == "" and why in ran.err


@pytest.mark.slow
def test_teams_stand_side_by_side_and_a_recording_repeats_them(hive: Hive, tmp_path: Path) -> None:
    words = ("--player", "heuristic", "--player", "optimal", "--player", "speaker", "--out", str(tmp_path / "a"))
    ran = hive("run", "rescue/all", *words)
    assert ran.code == 0, ran.err
    table = (tmp_path / "a/table.txt").read_text("utf-8")
    assert table in ran.out
    games, sums, _published, _costs = (part.splitlines() for part in table.split("\n\n"))
    rows = [line.split() for line in games]
    assert rows[0] == ["rescue", "victims", "optimum", "heuristic", "optimal", "speaker"]
    assert ["map_1/agents-1", "2", "6", "6", "6", "7"] in rows and [ONE, "2", "4", "4", "4", "4"] in rows
    assert [line.split()[:6] for line in sums[1:]] == [
        ["heuristic", "34", "35", "11", "76", "1.069"],
        ["optimal", "35", "35", "12", "70", "1.000"],
        ["speaker", "35", "35", "12", "78", "1.113"],
    ]
    assert not (tmp_path / "a.progress").exists()
    names = {path.name for path in (tmp_path / "a/speaker/map_7-agents-1").iterdir()}
    assert names == {"result.json", "steps.jsonl", "transcript.md", "journal.jsonl", "recording.npz"}
    assert (tmp_path / "a/speaker/map_1-agents/picture.png").exists(), (
        "of many games the first of a player has a picture"
    )
    page = hive("replay", str(tmp_path / "a/speaker/map_7-agents-1"))
    assert page.code == 0 and "I did" in (tmp_path / "a/speaker/map_7-agents-1/replay.html").read_text()

    exchanges = str(tmp_path / "a/exchanges.jsonl")
    again = hive("run", WORLD, "--json", "--replay", exchanges, "--out", str(tmp_path / "b"))
    assert again.code == 0, again.err
    (run,) = json.loads(again.out)["runs"]
    before = json.loads((tmp_path / "a/speaker/map_7-agents-1/result.json").read_text("utf-8"))
    assert run["team"] == "speaker"
    for name in ("success", "steps", "helped_at", "optimum", "metrics", "messages"):
        assert run[name] == before[name]


@pytest.mark.slow
def test_variants_of_the_heuristic_play_as_in_the_table(hive: Hive, tmp_path: Path) -> None:
    """Steps of two instances in which the variants differ; they are those of `hive rescue table` (docs/rescue.md)."""
    teams = ("heuristic", "heuristic:recheck", "heuristic:urgent_first")
    words = [word for team in teams for word in ("--player", team)]
    steps: dict[tuple[str, str], int] = {}
    for name in ("map_3/agents", "map_4/agents"):
        ran = hive("run", f"rescue/{name}", "--json", *words, "--out", name[:5])
        assert ran.code == 0, ran.err
        steps |= {(run["team"], run["instance"]): run["steps"] for run in json.loads(ran.out)["runs"]}
    found = [[steps[team, name] for team in teams] for name in ("map_3/agents", "map_4/agents")]
    assert found == [[5, 5, 7], [10, 9, 10]]
    about = (tmp_path / "map_4/heuristic-recheck/map_4-agents/transcript.md").read_text("utf-8")
    assert "the variant `recheck` of the heuristic" in about


def test_different_rescues_with_one_name_are_refused(hive: Hive, tmp_path: Path) -> None:
    texts = instance_texts(shipped(ONE))
    for parent, about in (("a", "One."), ("b", "Another.")):
        (tmp_path / parent / "mine").mkdir(parents=True)
        for name, text in (texts | {"agents": texts["agents"].replace(shipped(ONE).about, about)}).items():
            (tmp_path / parent / "mine" / f"{name}.toml").write_text(text, "utf-8")
    one, other = (str(tmp_path / parent / "mine/agents.toml") for parent in "ab")
    ran = hive("rescue", "draw", one, other)
    assert ran.code == 2 and "two different rescues are called `mine/agents`" in ran.err


def test_each_instance_is_drawn_and_all_of_them_together(hive: Hive, tmp_path: Path) -> None:
    ran = hive("rescue", "draw", ONE, "map_1/agents", "--json", "--out", str(tmp_path / "a"))
    assert ran.code == 0, ran.err
    names = [Path(path).name for path in json.loads(ran.out)["pictures"]]
    assert names == ["map_7-agents-1.png", "map_1-agents.png", "all.png"]
    sizes = []
    for name in names:
        with Image.open(tmp_path / "a" / name) as picture:
            sizes.append(picture.size)
    assert sizes[2] == (sizes[0][0] + sizes[1][0], max(sizes[0][1], sizes[1][1]))


@pytest.mark.slow
def test_models_and_temperatures_stand_side_by_side_and_calls_of_tools_are_carried_out(
    hive: Hive, tmp_path: Path
) -> None:
    """The server calls a tool of the protocol in every answer, which is a message too; the run ends at its limit.

    `--published` leaves out the tool `wait`.
    """
    with serving(called("give_water")) as server:
        address = ("--base-url", server.url, "--api-key", "none", "--set", "limit=2", "--concurrent", "1")
        temperatures = ("--temperature", "0", "--temperature", "0.5")
        models = ("--model", "one", "--model", "two")
        words = (*address, *temperatures, *models, "--published")
        ran = hive("run", WORLD, "--json", *words, "--tools", "offer", "--out", str(tmp_path / "a"))
        assert ran.code == 0, ran.err
        runs = json.loads(ran.out)["runs"]
        assert [run["team"] for run in runs] == [
            f"{name} T={temperature}" for name in ("one", "two") for temperature in ("0", "0.5")
        ]
        assert all(run["outcome"] == "step limit" and run["refused"] == 4 and run["messages"] == 4 for run in runs)
        assert {body["temperature"] for body in server.requests} == {0.0, 0.5}
        offered = [[tool["function"]["name"] for tool in body.get("tools", ())] for body in server.requests[:2]]
        assert offered == [["navigate_to", "give_water", "give_food", "give_medicine", "end_mission"], []]
        assert [run["temperature"] for run in runs] == [0.0, 0.5] * 2
        words = ("--model", "one", "--set", "limit=1", *address[:4], "--json", "--out", str(tmp_path / "b"))
        (run,) = json.loads(hive("run", WORLD, *words).out)["runs"]
        assert (run["team"], run["temperature"]) == ("one", 0.0)  # that of its calls, where none is given


@pytest.mark.slow
def test_a_run_that_a_server_broke_off_resumes_where_it_stopped(hive: Hive, tmp_path: Path) -> None:
    words = ("run", WORLD, "--model", "m", "--api-key", "none", "--set", "limit=2", "--retries", "0", "--json")
    where = ("--concurrent", "1", "--out", str(tmp_path / "a"))
    with serving(*[stream("<call>navigate_to(room2)</call>")] * 5, error(400, "out of memory")) as server:
        ran = hive(*words, *where, "--base-url", server.url)
        assert ran.code == 2 and "the same command resumes from there" in ran.err and not (tmp_path / "a").exists()
    with serving(stream("<call>navigate_to(room2)</call>")) as server:
        ran = hive(*words, *where, "--base-url", server.url)
        assert ran.code == 0, ran.err
        assert len(server.requests) == 4  # the first step was finished; the second is asked again
        assert json.loads(ran.out)["runs"][0]["costs"]["calls"] == 8


def called(name: str):  # type: ignore[no-untyped-def]
    """A server's answer that calls a tool without arguments."""
    from tests.llm.faulty import reply

    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return reply({"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
