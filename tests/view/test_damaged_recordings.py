"""A damaged or hostile recording is refused in plain words, before memory is spent on what its headers claim."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.lib import format as npy

from dsl import UserError
from hive.cli import main
from hive.ground.layers import Layer
from hive.kit.errors import DataError
from hive.kit.keep.archive import size_words
from hive.kit.keep.packing import format_of, read_npz
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.view.replay import make_fire_page
from tests.tiers import tiers
from tests.view.fires import wildfire
from tests.view.replays import battle

INNER = ("pickle", "Traceback", "numpy", "NoneType", "broadcast", "not subscriptable", "KeyError", "codec")
MOST_MEMORY = 4_000_000  # bytes that a refusal may allocate
ROUNDS = tiers([120, 500], quick=[120])  # mutations of each kind of recording


class Kind(NamedTuple):
    """A kind of recording: its file, and what reads and uses it."""

    arrays: dict[str, np.ndarray]
    load: Callable[[Path], Any]
    use: Callable[[Any], object]


def fight() -> BattleRecording:
    stack = np.zeros((6, 100, 100), np.uint8)
    stack[2:, 95, 3] = 1
    stack[4:, 95, 3] = 4
    return replace(battle(units=8, frames=6), fire=Layer.of(stack))


def use_fight(seen: BattleRecording) -> None:
    seen.thin(2).encode()
    seen.moments(3)
    assert all(isinstance(seen.caption(t), str) for t in range(seen.frames))


KINDS = {
    "battle": Kind(fight().encode(), BattleRecording.load, use_fight),
    "fire": Kind(wildfire().encode(), FireRecording.load, make_fire_page),
}


def entry(array: np.ndarray) -> bytes:
    """Return an array as NumPy writes it."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def claiming(head: str, data: bytes = b"") -> bytes:
    """Return an array whose header is any text."""
    text = (head + "\n").encode("latin1")
    return npy.magic(1, 0) + len(text).to_bytes(2, "little") + text + data


def shaped(array: np.ndarray, shape: tuple[int, ...], descr: str | None = None) -> bytes:
    """Return an array that claims another shape or type."""
    head = {"descr": descr or array.dtype.str, "fortran_order": False, "shape": shape}
    return claiming(str(head), array.tobytes())


def archive(entries: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries.items():
            packed.writestr(f"{name}.npy", data)
    return file.getvalue()


def entries_of(kind: Kind, /, **changes: np.ndarray | bytes) -> dict[str, bytes]:
    whole = {**kind.arrays, **changes}
    return {name: each if isinstance(each, bytes) else entry(each) for name, each in whole.items()}


def with_words(kind: Kind, /, **changes: Any) -> bytes:
    words = json.loads(kind.arrays["words"].tobytes()) | changes
    return archive(entries_of(kind, words=np.frombuffer(json.dumps(words).encode(), np.uint8)))


def refusal(kind: Kind, data: bytes, path: Path) -> str:
    """Return why a file is refused; empty where it is read and can be used."""
    path.write_bytes(data)
    try:
        seen = kind.load(path)
    except UserError as error:
        assert path.name in str(error)
        return str(error)
    kind.use(seen)
    return ""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording.npz"


FIRE, BATTLE = KINDS["fire"], KINDS["battle"]
COUNT, CODE, START = (FIRE.arrays[f"ground_{part}"] for part in ("count", "code", "start"))
LONG = np.full_like(COUNT, 2**32 - 1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ground_count": shaped(COUNT, (2**60,))}, '"ground_count" claims 4.6 EB, but its entry has 24 B'),
        ({"ground_count": shaped(COUNT, (2**33,))}, '"ground_count" claims 34.4 GB, but its entry has 24 B'),
        ({"ground_count": LONG}, '"ground_count" counts 25,769,803,770 changes, but "ground_step" has'),
        ({"seen_count": np.append(COUNT, 0).astype("u4")}, 'axis 0 of the array "seen_count" has length 7, expected 6'),
        ({"ground_code": CODE[:-1]}, 'axis 0 of the array "ground_code" has length'),
        ({"ground_code": CODE.astype(float)}, '"ground_code" holds float64, expected uint8'),
        ({"ground_start": START[:, :5]}, 'axis 1 of the array "ground_start" has length 5, expected 12'),
        ({"ground_start": START.ravel()}, '"ground_start" has 1 axis, expected 2'),
    ],
)
def test_the_damage_once_found_is_refused_in_little_memory(path: Path, changes: dict[str, Any], words: str) -> None:
    refusal(FIRE, b"", path)  # what the first call imports or keeps is no part of the measure
    data = archive(entries_of(FIRE, **changes))
    tracemalloc.start()
    said = refusal(FIRE, data, path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert words in said and most < MOST_MEMORY


def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused_unread(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hive.kit.keep.archive.LARGE", 1_000_000)
    bomb = np.zeros(20_000_000, np.uint8)
    data = archive(entries_of(BATTLE, fire_step=bomb))
    tracemalloc.start()
    said = refusal(BATTLE, data, path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "it claims 20.0 MB of arrays, but a file of" in said and most < MOST_MEMORY


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "holds values of type object, not numbers"),
        ("{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", "holds values of type <U3, not numbers"),
        ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "not numbers"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (-8,)}", "claims an axis of negative length"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 10**9)}", "cannot be read"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 10000000000)}", "claims an axis of length 10,000,000"),
        ("{'descr': '|u1', 'fortran_order': 2, 'shape': (8,)}", 'the header of the array "side" cannot be read'),
        ("{'descr': '|u1', 'shape': (8,)}", "cannot be read"),
        ("(" * 5000, "cannot be read"),
        ("-" * 9000 + "1", "cannot be read"),
        ("[0, 'unfinished", "cannot be read"),
        ("{'descr': ((), ()), 'fortran_order': False, 'shape': (8,)}", "cannot be read"),
    ],
)
def test_a_header_that_is_no_plain_array_is_refused(path: Path, head: str, words: str) -> None:
    assert words in refusal(BATTLE, archive(entries_of(BATTLE, side=claiming(head))), path)


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("battle", {"surplus": np.zeros(3)}, 'it holds an unknown array "surplus"'),
        ("battle", {"\x1b[2J": np.zeros(3)}, r"it holds '\x1b[2J.npy', which is not the name of an array"),
        ("battle", {"health": np.full_like(BATTLE.arrays["health"], 255)}, '"health" refers to value 255 of'),
        (
            "battle",
            {"health_values": np.full_like(BATTLE.arrays["health_values"], np.inf)},
            "holds a value that is not finite",
        ),
        ("battle", {"fire_code": np.array([1, 9], np.uint8)}, 'the array "fire_code" holds the code 9, the last is 4'),
        ("battle", {"fire_step": np.array([1, 2**31], "u4")}, '"fire_step" leads to a cell outside the map'),
        ("battle", {"tick": np.array([0, 1, 2, 3, 2**31 - 1, -(2**31)], "i4")}, "ticks that rise"),
        ("battle", {"score": np.zeros(5, "f4")}, 'axis 0 of the array "score" has length 5, expected 6, as in "tick"'),
        ("fire", {"kind": np.full(5, 4, np.uint8)}, "kind must lie in 0 to 3"),
        ("fire", {"bearer": np.full((4, 6), 9, np.uint8)}, "bearer must lie in -1 to 4"),
        ("fire", {"losses": np.zeros((6, 4), "i4")}, 'axis 1 of the array "losses" has length 4, expected 5'),
    ],
)
def test_an_array_that_does_not_fit_the_others_is_named(
    path: Path, kind: str, changes: dict[str, np.ndarray], words: str
) -> None:
    assert words in refusal(KINDS[kind], archive(entries_of(KINDS[kind], **changes)), path)


KNOWN = json.loads(FIRE.arrays["words"].tobytes())["known"]


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("battle", {"title": 3}, "words.title must be a text, found 3"),
        ("battle", {"title": "\ud800"}, "words.title must be a text"),
        ("battle", {"targets": [[1, 2]]}, "words.targets[0] must be a list of 3, found a list of 2"),
        ("battle", {"markers": {"A": [1, float("nan")]}}, "words.markers.'A'[1] must be a finite number, found nan"),
        ("battle", {"course": {"steps": []}}, "words.course.groups is missing"),
        ("battle", {"course": None}, "it holds one half of the course"),
        ("battle", {"colour": 1}, "words has an unknown field 'colour'"),
        ("battle", {"format": [1]}, "words.format must be a text"),
        ("fire", {"best": 10**30}, "words.best must be a whole number"),
        ("fire", {"best": True}, "words.best must be a whole number"),
        ("fire", {"behaviours": "go_to"}, "words.behaviours must be a list, found 'go_to'"),
        ("fire", {"known": KNOWN | {"goal": [3, 12]}}, "outside the map of 12 x 12 cells"),
        ("fire", {"known": KNOWN | {"lines": [[0, 0, 11, 11]] * 2}}, "have more cells than the map"),
        ("fire", {"format": "hive-recording/1"}, "its format is 'hive-recording/1', expected is 'hive-fire-rec"),
    ],
)
def test_a_field_of_the_words_is_named_by_its_place(path: Path, kind: str, changes: dict[str, Any], words: str) -> None:
    assert words in refusal(KINDS[kind], with_words(KINDS[kind], **changes), path)


@pytest.mark.parametrize("text", [b"\xff", b"", b"[" * 100_000, b"[]", b"1" * 9000])
def test_words_that_are_no_json_object_are_refused(path: Path, text: bytes) -> None:
    data = archive(entries_of(BATTLE, words=np.frombuffer(text, np.uint8)))
    assert '"words"' in refusal(BATTLE, data, path) or "words.format is missing" in refusal(BATTLE, data, path)
    with pytest.raises(UserError):
        format_of(path)


def twisted(chance: random.Random, kind: Kind) -> bytes:
    """Return a file with one random change to an array, a header, a word, or the bytes."""
    name = chance.choice(list(kind.arrays))
    array = kind.arrays[name]
    numbers = np.random.default_rng(chance.randrange(2**32))
    axis = chance.randrange(array.ndim)
    ends = [0, 1, 127, 255, 2**31 - 1, 2**32 - 1]
    match chance.randrange(9):
        case 0:  # the type
            return archive(entries_of(kind, **{name: array.astype(chance.choice("?bBhHiIqQefdFSU"))}))
        case 1:  # the shape, honestly
            shape = numbers.integers(0, 9, numbers.integers(0, 4))
            return archive(entries_of(kind, **{name: np.resize(array, shape)}))
        case 2:  # the length of one axis
            size = chance.choice([0, 1, array.shape[axis] - 1, array.shape[axis] + 1])
            taken = np.take(array, np.arange(size), axis, mode="wrap") if array.size else array
            return archive(entries_of(kind, **{name: taken}))
        case 3:  # some values
            values = array.copy()
            spots = numbers.integers(0, max(array.size, 1), 3)
            if array.size:
                values.flat[spots] = np.array(chance.choices(ends, k=3)).astype(values.dtype)
            return archive(entries_of(kind, **{name: values}))
        case 4:  # what the header claims
            shape = tuple(chance.choice([-1, 0, 1, 6, 2**20, 2**40, 2**62]) for _ in range(chance.randrange(4)))
            descr = chance.choice([None, "|O", "<f8", ">u2", "|V16", "<U9", "<m8[s]", "|u1"])
            return archive(entries_of(kind, **{name: shaped(array, shape, descr)}))
        case 5:  # an array less, or two exchanged
            other = chance.choice(list(kind.arrays))
            entries = entries_of(kind)
            entries[name], entries[other] = entries[other], entries[name]
            if chance.random() < 0.5:
                del entries[name]
            return archive(entries)
        case 6:  # a word
            text = kind.arrays["words"].tobytes().decode()
            start = chance.randrange(len(text))
            wrong = chance.choice(["", "null", "[]", "{}", "-1", '"', "1e400", "NaN", "9" * 25, "\\ud800", ","])
            text = text[:start] + wrong + text[start + chance.randrange(4) :]
            return archive(entries_of(kind, words=np.frombuffer(text.encode(), np.uint8)))
        case 7:  # the end is cut off
            data = archive(entries_of(kind))
            return data[: chance.randrange(len(data))]
        case _:  # bytes of the file, or of one entry under a valid checksum
            entries = entries_of(kind)
            data = bytearray(entries[name] if (inside := chance.random() < 0.5) else archive(entries))
            for _ in range(chance.randrange(1, 4)):
                data[chance.randrange(min(len(data), 200) if inside else len(data))] = chance.randrange(256)
            return archive(entries | {name: bytes(data)}) if inside else bytes(data)


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("name", KINDS)
def test_any_damage_gives_one_plain_message_or_a_recording(path: Path, name: str, rounds: int) -> None:
    chance, kind, read = random.Random(name), KINDS[name], 0
    for _ in range(rounds):
        said = refusal(kind, twisted(chance, kind), path)
        read += not said
        assert not [word for word in INNER if word in said], said
        first = said.partition("\n  = help: ")[0]
        assert first.count("\n") == 0 and len(first) < 300 + len(str(path)), said
    assert 0 < read < rounds / 2, "most changes should be refused, and some harmless"


def test_arrays_of_either_memory_order_come_back(path: Path) -> None:
    """NumPy writes an array whose first axis varies fastest as it lies in memory."""
    kind = np.asfortranarray(np.arange(10_000).reshape(100, 100) % 8).astype(np.uint8)
    replace(fight(), kind=kind).save(path)
    np.testing.assert_array_equal(BattleRecording.load(path).kind, kind)
    land = np.asfortranarray(wildfire().land)
    wildfire(land=land).save(path)
    back: FireRecording = FireRecording.load(path)
    np.testing.assert_array_equal(back.land, land)


def test_a_file_of_any_layout_can_be_read_by_the_same_checks(path: Path) -> None:
    layout = {"score": ("f", "B"), "ticks": ("i u", "B")}
    np.savez(path, score=np.array([0.5, np.inf]), ticks=np.array([3, 4]))
    assert {name: each.tolist() for name, each in read_npz(path, layout).items()} == {
        "score": [0.5, np.inf], "ticks": [3, 4]
    }  # fmt: skip
    for wrong in ({"score": np.zeros(2)}, {"score": np.zeros(2), "ticks": np.array([{}, {}])}):
        np.savez(path, **wrong)
        with pytest.raises(DataError, match='"ticks"'):
            read_npz(path, layout)


def test_the_command_ends_with_code_2_and_one_message(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(archive(entries_of(FIRE, ground_count=shaped(COUNT, (2**60,)))))
    assert main(["replay", str(path.parent)]) == 2
    said = capsys.readouterr().err
    assert "recording.npz: it is damaged or not a recording" in said and "4.6 EB" in said


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (2**62, "4.6 EB"), (10**24, "1,000,000.0 EB")]
)
def test_sizes_are_printed_with_three_digits(count: int, words: str) -> None:
    assert size_words(count) == words
