"""A client takes a seat in a team: it is asked what a model is asked, and others play with it or alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hive.mcp.limits import Limits
from hive.mcp.server import make_server
from tests.mcp.conftest import Talk, play
from tests.tiers import tiers

RESCUE = "rescue/map_1/agents-1"
SEATS = {RESCUE: ("Bravo", "heuristic"), "kitchen/boiled_egg": ("Alice", "speaker")}
SEATS |= {"household/cwah_0": ("Bob", "team:coela"), "wildfire/cut_trees_sparse_small": ("AGENT_2", "speaker")}


async def play_out(talk: Talk, found: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Answer all questions with their first offers; return the end, and how many there were."""
    asked = 0
    while found["question"] is not None:
        fields = {each["name"]: each["offers"][0]["text"] for each in found["question"]["fields"] if each["needed"]}
        found = await talk("answer", game=found["game"], number=found["question"]["number"], fields=fields)
        asked += 1
    return found, asked


@pytest.mark.parametrize("name", tiers(SEATS, quick=[RESCUE]))
def test_a_client_plays_a_seat_of_every_kind_of_world_with_agents(name: str, tmp_path: Path) -> None:
    async def story(talk: Talk) -> None:
        seat, player = SEATS[name]
        first = await talk("take_seat", scenario=name, seat=seat, player=player)
        assert first["seat"] == seat and (first["question"] or first["results"])
        assert (await talk("look", game=first["game"]))["question"] == first["question"]
        found, asked = await play_out(talk, first)
        assert found["over"] and found["results"]["players"][0]["name"] == f"human as {seat}" and asked
        saved = await talk("save_replay", game=first["game"], name="mine")
        assert {"replay.html", "recording.npz", "result.json"} <= set(saved["files"])
        assert (tmp_path / "mine" / "replay.html").exists()
        assert (await talk("end_game", game=first["game"]))["over"]

    play(make_server(Limits(seconds=300), tmp_path), story)


def test_what_a_seat_cannot_do_is_refused_with_what_can() -> None:
    async def story(talk: Talk) -> None:
        assert "its seats are `Alpha` and `Bravo`" in await talk.refused("take_seat", scenario=RESCUE, seat="Zulu")
        assert "no agents play" in await talk.refused("take_seat", scenario="coordinate", seat="A")
        assert "`take_seat` makes you one" in await talk.refused("run_plan", scenario=RESCUE)
        assert "there is no player" in await talk.refused("watch_team", scenario=RESCUE, player="optimum")
        game = await talk("take_seat", scenario=RESCUE, seat="Alpha")
        wrong = {"game": game["game"], "number": game["question"]["number"]}
        assert "`call` is empty" in await talk.refused("answer", **wrong, fields={})
        assert "no plan commands it" in await talk.refused("step", game=game["game"], ticks=1)
        assert "without a folder" in await talk.refused("save_replay", game=game["game"], name="x")
        await talk("end_game", game=game["game"])

    play(make_server(Limits(seconds=300)), story)


def test_worlds_of_agents_are_listed_described_and_watched() -> None:
    async def story(talk: Talk) -> None:
        listed = await talk("list_shipped")
        assert {"orders", "rescues", "households", "levels", "scenarios"} <= listed.keys()
        assert RESCUE in listed["rescues"] and "kitchen/boiled_egg" in listed["orders"]
        described = await talk("describe", scenario=RESCUE)
        assert "speaker" in described["players"] and "victim" in described["text"]
        results = await talk("watch_team", scenario=RESCUE, player="heuristic")
        assert results["players"][0]["name"] == "heuristic"

    play(make_server(Limits(seconds=300)), story)
