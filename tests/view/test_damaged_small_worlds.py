"""Damaged recordings of kitchens, rescues and households are refused in plain words, as those of battles are."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hive.cli import main
from hive.worlds.household.recording import FARTHEST, HouseRecording
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.rescue.recording import RescueRecording, gather_start
from hive.worlds.rescue.shipped import shipped
from tests.household.chores import chores
from tests.kitchen.meals import meal
from tests.view.test_damaged_recordings import INNER, Kind, archive, entries_of, refusal, shaped, twisted, with_words

ROUNDS = 60
KINDS: dict[str, Callable[[], Kind]] = {
    "kitchen": lambda: Kind(meal().encode(), KitchenRecording.load, lambda seen: seen.outcome),
    "rescue": lambda: Kind(gather_start(shipped("map_7/agents-1")).encode(), RescueRecording.load, lambda seen: None),
    "household": lambda: Kind(chores().encode(), HouseRecording.load, lambda seen: seen.placed(0)),
}


@cache
def kind_of(name: str) -> Kind:
    """Played when the first test asks, not in every worker that collects this module."""
    return KINDS[name]()


@pytest.mark.parametrize("name", KINDS)
def test_any_damage_gives_one_plain_message_or_a_recording(tmp_path: Path, name: str) -> None:
    chance, kind, read = random.Random(name), kind_of(name), 0
    for _ in range(ROUNDS):
        said = refusal(kind, twisted(chance, kind), tmp_path / "recording.npz")
        read += not said
        assert not [word for word in INNER if word in said], said
        assert len(said.splitlines()) < 12, said
    assert 0 < read < ROUNDS / 2, "most changes should be refused, and some harmless"


def with_number(kind: Kind, value: Any, *place: Any) -> bytes:
    """Return a file in whose words one number is another."""
    words = json.loads(kind.arrays["words"].tobytes())
    part = words
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    return with_words(kind, **words)


@pytest.mark.parametrize("value", [1e308, -1e9, FARTHEST + 1, 10**400])
@pytest.mark.parametrize(
    "place",
    [
        ("apartment", "rooms", 0, "centre", 0),
        ("apartment", "rooms", 0, "size", 1),
        ("apartment", "doors", 0, "at", 0),
        ("apartment", "receptacles", 0, "size", 0),
        ("episode", "things", 0, "at", 1),
        ("episode", "starts", 0, "at", 0),
    ],
)
def test_places_that_no_picture_can_show_are_refused(tmp_path: Path, place: tuple[Any, ...], value: float) -> None:
    """A drawing scales what it shows: a room that is 10^308 metres wide would end it with an error of its own."""
    said = refusal(kind_of("household"), with_number(kind_of("household"), value, *place), tmp_path / "recording.npz")
    assert "beyond 1,000 metres" in said or "must be a finite number" in said


@pytest.mark.parametrize("name", KINDS)
def test_the_command_ends_with_code_2_and_leaves_no_page(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ticks = kind_of(name).arrays["tick"]
    data = archive(entries_of(kind_of(name), tick=shaped(np.asarray(ticks), (2**60,))))
    (tmp_path / "recording.npz").write_bytes(data)
    assert main(["replay", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "recording.npz: it is damaged or not a recording" in said and "4.6 EB" in said
    assert [path.name for path in tmp_path.iterdir()] == ["recording.npz"]
