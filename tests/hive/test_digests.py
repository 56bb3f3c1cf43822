"""A flipped bit anywhere in a recording, a checkpoint or a journal is noticed; what is older is still read."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.digests import DIGESTS, check_digests, read_value, write_digests, write_value
from hive.kit.keep.lines import LineChain, check_seal, read_line, seal, split_lines, split_torn
from hive.kit.keep.packing import read_npz, write_arrays, write_npz
from hive.players.llm.client import ChatRequest
from hive.players.llm.recorded import Recorder, ReplyRecording
from hive.players.llm.scripted import Script
from hive.players.teams.journal import Journal
from hive.web import journal as sessions
from tests.llm.talks import session
from tests.llm.test_recorded import ASKED
from tests.web.test_journal import ANSWER, SAID

FIRST = (b'{"a": ',)
LAYOUT = {"score": ("f", "T"), "unit": ("u1", "T N")}
ARRAYS = {"score": np.linspace(0, 1, 9), "unit": np.arange(36, dtype=np.uint8).reshape(9, 4)}
STEP = {"score": 1.5, "asked": [], "mail": [], "acts": [], "log": ["é\u2028"]}


def recording(path: Path) -> Callable[[], object]:
    write_arrays(dict(ARRAYS), path)
    return lambda: read_npz(path, LAYOUT)


def progress(path: Path) -> Callable[[], object]:
    write_npz(ARRAYS, path)
    return lambda: read_npz(path, LAYOUT)


def team(path: Path) -> Callable[[], object]:
    kept = Journal(path)
    kept.open({"seed": 3})
    for step in (1, 2):
        kept.add({"step": step, **STEP})
    kept.add({"step": 3, "end": True})
    return lambda: Journal(path)


def exchanges(path: Path) -> Callable[[], object]:
    client = Recorder(Script(["Yes.", "No."], "m"), [], ReplyRecording(path))
    for _ in range(2):
        client.complete(ChatRequest(ASKED))
    return lambda: ReplyRecording(path)


def live(path: Path) -> Callable[[], object]:
    kept = sessions.begin(path, session([]))
    kept.write(SAID, ANSWER)
    kept.write({"is": "at", "tick": 4}, sure=False)
    kept.close()
    return lambda: sessions.read(path)


@pytest.mark.parametrize(
    ("make", "most"), [(recording, 500), (progress, 500), (team, 500), (exchanges, 500), (live, 150)]
)
def test_a_flipped_bit_is_noticed_wherever_it_is(
    make: Callable[[Path], Callable[[], object]], most: int, tmp_path: Path
) -> None:
    """One bit of each byte is flipped, or of many bytes; the reader refuses each file, and leaves it as it is."""
    path = tmp_path / "file.npz"
    read = make(path)
    whole, draw = path.read_bytes(), random.Random(1)
    read()
    assert path.read_bytes() == whole
    unnoticed = []
    for place in range(len(whole)) if len(whole) <= most else sorted(draw.sample(range(len(whole)), most)):
        changed = bytearray(whole)
        changed[place] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        try:
            read()
            unnoticed.append(place)
        except (UserError, DataError):
            assert path.read_bytes() == changed
    assert not unnoticed


def test_a_folder_of_another_library_is_checked_file_by_file(tmp_path: Path) -> None:
    """Every byte counts, that of the digests too; a missing file is named, and a folder without digests is older."""
    (tmp_path / "a").mkdir()
    files = [tmp_path / "a" / "data", tmp_path / "meta", tmp_path / DIGESTS]
    files[0].write_bytes(bytes(range(64)))
    files[1].write_text("{}")
    check_digests(tmp_path)
    write_digests(tmp_path)
    write_digests(tmp_path)
    check_digests(tmp_path)
    for file in files:
        whole = file.read_bytes()
        for place in range(len(whole)):
            changed = bytearray(whole)
            changed[place] ^= 1 << place % 8
            file.write_bytes(changed)
            with pytest.raises(DataError):
                check_digests(tmp_path)
        file.write_bytes(whole)
    files[0].unlink()
    with pytest.raises(DataError, match="the file a/data is missing"):
        check_digests(tmp_path)


def test_a_value_is_read_back_and_nothing_else_is_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "part.json"
    for value in ([1, None, "\u2028"], {"a": 0.5}, None):
        write_value(path, value)
        assert read_value(path) == value
    whole = path.read_text()
    for text in ("", "[]\n", '{"kept": 1}\n', whole.strip(), whole * 2, seal('{"files": {}}') + "\n"):
        path.write_text(text)
        with pytest.raises(DataError):
            read_value(path)
    write_value(tmp_path / DIGESTS, [1])
    with pytest.raises(DataError, match="no names of files"):
        check_digests(tmp_path)


def test_arrays_without_digests_are_still_read(tmp_path: Path) -> None:
    """Arrays as NumPy writes them."""
    np.savez(tmp_path / "old.npz", **ARRAYS)
    assert read_npz(tmp_path / "old.npz", LAYOUT)["unit"].tolist() == ARRAYS["unit"].tolist()


def test_what_follows_an_archive_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    recording(path)
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DataError):
        read_npz(path, LAYOUT)


def test_lines_can_neither_be_left_out_nor_moved_nor_repeated(tmp_path: Path) -> None:
    """A line of a journal covers the one before; the digest itself is no part of what is read."""
    chain = LineChain()
    lines = [chain.write(json.dumps({"number": number})).encode() for number in range(4)]

    def read(*order: int) -> list[dict[str, int]]:
        chain = LineChain()
        return [chain.read(lines[number]) for number in order]

    assert read(0, 1, 2, 3) == [{"number": number} for number in range(4)]
    for order in ((0, 2), (1,), (0, 2, 1, 3), (0, 1, 1)):
        with pytest.raises(DataError, match="its digest does not fit"):
            read(*order)
    assert check_seal(seal('{"a": 1}').encode()) and read_line(seal('{"a": 1}').encode()) == {"a": 1}


def test_lines_end_with_a_line_feed_alone() -> None:
    text = "a\x85b\u2028c\u2029d\x0be\x0cf\x1cg\x1dh\x1ei\rj\n\nlast"
    assert split_lines(text) == [text.split("\n")[0], "", "last"]
    assert split_lines("") == [] and split_lines("a\n") == ["a"]


def test_only_the_beginning_of_a_line_is_torn() -> None:
    """What is removed as the trace of a crash must look like one."""
    assert split_torn(b'{"a": 1}\n{"b', FIRST) == ([b'{"a": 1}'], b'{"b')
    assert split_torn(b'{"a": 1}\n', FIRST) == ([b'{"a": 1}'], b"") and split_torn(b"", FIRST) == ([], b"")
    assert split_torn(b'{"a": 1', FIRST) == ([], b'{"a": 1')
    for text in (b'{"a": 1}\nnote', b'{"a": 1}\n{"a": 1}\x0b', b'{"a": 1}\n{"a": 1} {"b"', b"{", b'{"b": 1', b"note"):
        with pytest.raises(DataError, match="its last"):
            split_torn(text, FIRST)


def test_a_journal_that_is_no_journal_stays_as_it_is(tmp_path: Path) -> None:
    """A text without an end of a line is not taken for a journal whose first line was cut off."""
    path = tmp_path / "0.jsonl"
    for text in ("hello", '{"format": "other"', '{"format": "hive-team-2"}\nnote'):
        path.write_text(text)
        with pytest.raises(UserError, match="is no journal of an episode"):
            Journal(path)
        assert path.read_text() == text
