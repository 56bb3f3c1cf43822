"""What a stored recording promises: it comes back as it was, is small, and is refused in plain words when damaged."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dsl import UserError
from hive.engine.course import StepState
from hive.worlds.battle.recording import BattleRecording
from tests.view.replays import battle

Make = Callable[..., BattleRecording]


def test_a_recording_comes_back_from_its_file(tmp_path: Path) -> None:
    seen = battle()
    seen.save(tmp_path / "recording.npz")
    back = BattleRecording.load(tmp_path / "recording.npz")

    assert (back.title, back.targets, back.markers) == (seen.title, seen.targets, seen.markers)
    for name in ("kind", "side", "type", "tick", "attack", "max_health", "radius"):
        np.testing.assert_array_equal(getattr(back, name), getattr(seen, name))
    np.testing.assert_allclose(back.position, seen.position, atol=0.5001 * 100 / 65535 + 1e-5)
    np.testing.assert_array_equal(back.health, seen.health.astype(np.float16))
    assert back.course is not None and seen.course is not None
    for name in ("steps", "groups", "leaves", "score_is", "outcome"):
        assert getattr(back.course, name) == getattr(seen.course, name)
    for name in ("active", "group", "leaf"):
        np.testing.assert_array_equal(getattr(back.course, name), getattr(seen.course, name))
    np.testing.assert_allclose(back.course.score, seen.course.score, rtol=1e-6)


def test_storing_twice_changes_nothing_more() -> None:
    once = BattleRecording.decode(battle().encode())
    twice = BattleRecording.decode(once.encode())
    np.testing.assert_array_equal(twice.position, once.position)
    np.testing.assert_array_equal(twice.health, once.health)


@pytest.mark.parametrize("units", [2, 2_000])
def test_what_is_written_can_be_read_even_where_nothing_moves(
    make_recording: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, units: int
) -> None:
    """The reader trusts a file of a given size only so far; a game without motion compresses beyond that."""
    monkeypatch.setattr("hive.kit.keep.archive.LARGE", 20_000)  # in place of 1 GiB
    seen = make_recording(np.full((500, units, 2), 5.0))
    seen.save(tmp_path / "recording.npz")
    with zipfile.ZipFile(tmp_path / "recording.npz") as archive:
        packed = {member.compress_type == zipfile.ZIP_DEFLATED for member in archive.infolist()}
    assert packed == {units == 2}  # small ones stay compressed
    np.testing.assert_array_equal(
        BattleRecording.load(tmp_path / "recording.npz").position, BattleRecording.decode(seen.encode()).position
    )


def test_jumps_across_the_whole_map_survive_the_16_bit_differences(make_recording: Make) -> None:
    corners = [[[0, 0], [20, 20]], [[20, 20], [0, 0]], [[0, 20], [20, 0]]]
    np.testing.assert_allclose(BattleRecording.decode(make_recording(corners).encode()).position, corners, atol=1e-5)


def test_the_dead_stay_dead_and_the_barely_living_live(make_recording: Make) -> None:
    seen = make_recording([[[1, 1], [2, 2], [3, 3]]], health=[[0.0, 1e-12, -0.5]])
    assert BattleRecording.decode(seen.encode()).alive(0).tolist() == [False, True, False]


def test_more_than_255_units_and_healths_are_kept_apart(make_recording: Make) -> None:
    count = 300
    seen = make_recording(
        np.full((1, count, 2), 4.0), health=np.arange(count)[None] / 4, attack=np.arange(count)[::-1][None].copy()
    )
    back = BattleRecording.decode(seen.encode())
    np.testing.assert_array_equal(back.attack, seen.attack)
    np.testing.assert_array_equal(back.health, seen.health)


def test_a_recording_without_plans_or_units_can_be_stored(make_recording: Make) -> None:
    back = BattleRecording.decode(make_recording(np.zeros((1, 0, 2))).encode())
    assert (back.units, back.frames, back.course) == (0, 1, None)


def test_thinning_keeps_every_kth_tick_and_the_last() -> None:
    thin = battle(frames=30).thin(8)
    assert thin.tick.tolist() == [0, 8, 16, 24, 29]
    assert thin.course is not None
    assert thin.course.leaf.shape == (5, 40)


def test_thinning_by_less_than_one_is_refused() -> None:
    with pytest.raises(ValueError, match="every 1 or more"):
        battle().thin(0)


def test_a_step_is_waiting_then_active_then_achieved() -> None:
    seen = battle(frames=30)
    assert seen.course is not None
    states = seen.course.states(seen.tick)
    assert states[14].tolist() == [StepState.ACTIVE, StepState.WAITING, StepState.ACTIVE]
    assert states[15].tolist() == [StepState.ACHIEVED, StepState.ACTIVE, StepState.ACTIVE]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("leaf", np.full((30, 40), 2), "leaf must be -1 or an index below 2"),
        ("group", np.full((30, 40), -2), "group must be -1 or an index below 3"),
        ("active", np.ones((30, 2), bool), "active has shape"),
        ("score", np.ones(29), "active has shape"),
    ],
)
def test_a_course_of_wrong_shape_or_range_is_refused(field: str, value: np.ndarray, words: str) -> None:
    course = battle().course
    assert course is not None
    with pytest.raises(ValueError, match=words):
        replace(course, **{field: value})


def test_a_course_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="the course has"):
        replace(battle(units=40), course=battle(units=42).course)


def _damage_nothing(data: bytes) -> bytes:
    return b""


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _scratch(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(byte ^ 0xFF for byte in data[middle : middle + 40]) + data[middle + 40 :]


def _without_position(data: bytes) -> bytes:
    return _rewrite(data, lambda arrays: arrays.pop("position"))


def _of_another_format(data: bytes) -> bytes:
    def change(arrays: dict[str, np.ndarray]) -> None:
        words = json.loads(arrays["words"].tobytes()) | {"format": "hive-recording/99"}
        arrays["words"] = np.frombuffer(json.dumps(words).encode(), np.uint8)

    return _rewrite(data, change)


def _with_words_missing(data: bytes) -> bytes:
    return _rewrite(
        data, lambda arrays: arrays.update(words=np.frombuffer(b'{"format": "hive-recording/1"}', np.uint8))
    )


def _with_an_unknown_step_field(data: bytes) -> bytes:
    def change(arrays: dict[str, np.ndarray]) -> None:
        words = json.loads(arrays["words"].tobytes())
        words["course"]["steps"][0]["colour"] = 1
        arrays["words"] = np.frombuffer(json.dumps(words).encode(), np.uint8)

    return _rewrite(data, change)


def _with_pickles(data: bytes) -> bytes:
    return _rewrite(data, lambda arrays: arrays.update(kind=np.array([{}], object)))


def _one_array(data: bytes) -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


def _rewrite(data: bytes, change: Callable[[dict[str, np.ndarray]], object]) -> bytes:
    with np.load(io.BytesIO(data)) as stored:
        arrays = {name: stored[name] for name in stored.files}
    change(arrays)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    "damage",
    [
        _damage_nothing, _cut, _scratch, _without_position, _of_another_format, _with_words_missing,
        _with_an_unknown_step_field, _with_pickles, _one_array,
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_by_name_without_a_traceback(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "recording.npz"
    battle().save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError, match=r"cannot read the recording .*recording\.npz.*damaged or not a recording"):
        BattleRecording.load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no recording .*recording\.npz"):
        BattleRecording.load(tmp_path / "recording.npz")
