"""Recordings: what was said is given back without a model, and files that are damaged or hostile are refused."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from dsl import UserError
from hive.kit.keep.lines import seal
from hive.players.llm.client import ChatRequest, Image, Message, ModelError, Reply, Settings, Usage
from hive.players.llm.recorded import Recorder, Replay, ReplyRecording
from hive.players.llm.scripted import Script

ASKED = [Message("system", "Rules."), Message("user", "Hold.")]


def record(path: Path, *replies: str | Reply, model: str = "m") -> list[Reply]:
    client = Recorder(Script(replies, model), [], ReplyRecording(path))
    return [client.complete(ChatRequest(ASKED)) for _ in replies]


def bare(**changes: Any) -> str:
    reply = {"text": "Yes.", "model": "m", "finish": "stop", "seconds": 1, "constrained": False, "usage": {}}
    return json.dumps({"format": 2, "key": "k", "model": "m", "reply": {**reply, **changes}})


def line(**changes: Any) -> str:
    return seal(bare(**changes))


def test_a_recording_gives_back_what_was_said_in_turn(tmp_path: Path) -> None:
    path = tmp_path / "new" / "talk.jsonl"
    said = record(path, Reply("Häuser\n", "m-1", Usage(7, 3), "length", 1.25, True), "Again.")
    pieces: list[str] = []
    replay = Replay(path)
    assert [replay.complete(ChatRequest(ASKED), pieces.append) for _ in range(3)] == [*said, said[-1]]
    assert pieces[0] == "Häuser\n" and len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"messages": [*ASKED[:1], Message("user", "Go.")]},
        {"settings": Settings(temperature=1)},
        {"settings": Settings(top_p=0.5)},
        {"images": [Image("map", b"png")]},
    ],
)
def test_another_request_has_no_recorded_reply(other: dict[str, Any], tmp_path: Path) -> None:
    record(tmp_path / "talk.jsonl", "Yes.")
    with pytest.raises(ModelError, match="holds no reply of m to this request"):
        Replay(tmp_path / "talk.jsonl").complete(ChatRequest(**{"messages": ASKED, **other}))


def test_what_is_recorded_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    record(path, "Yes.")
    script = Script(["No."], "m")
    lines: list[str] = []
    again = Recorder(script, lines, ReplyRecording(path), reuse=True)
    assert again.complete(ChatRequest(ASKED)).text == "Yes." and not script.asked
    assert lines == path.read_text().splitlines(), "the exchange is kept for the run folder, and once in the file"


def test_a_recording_of_several_models_needs_a_name(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    record(path, "Yes.")
    record(path, "No.", model="other")
    with pytest.raises(UserError, match=r"replies of m, other\n  = help: name one"):
        Replay(path)
    assert Replay(path, "other").complete(ChatRequest(ASKED)).text == "No."


def test_a_line_that_a_crash_cut_off_is_left_out_and_the_file_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    record(path, "Yes.", "lost")
    path.write_text(path.read_text()[:-40])
    record(path, "New.")
    assert len(ReplyRecording(path)) == path.read_text().count("\n") == 2
    replay = Replay(path)
    assert [replay.complete(ChatRequest(ASKED)).text for _ in range(2)] == ["Yes.", "New."]


def test_a_last_line_without_an_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    record(path, "Yes.")
    path.write_text(path.read_text().rstrip())
    record(path, "New.")
    assert len(ReplyRecording(path)) == 2


@pytest.mark.parametrize(
    "damage",
    [
        "no JSON",
        "[]",
        "null",
        '"text"',
        '{"format": 2}',
        seal('{"format": 2, "key": "k", "model": "m"}'),
        seal('{"format": 1, "key": "k", "model": "m", "reply": {}}'),
        seal('{"format": 2, "key": 5, "model": "m", "reply": {}}'),
        seal('{"format": 2, "key": "k", "model": "m", "reply": {}}'),
        line(text=None),
        line(text=["a"]),
        line(finish=5),
        line(seconds="1"),
        line(constrained="yes"),
        line(usage={"prompt": "7"}),
        line(usage=[1]),
        "[" * 100_000,
        bare(),
        seal(bare().replace('"seconds": 1', '"seconds": ' + "9" * 5_000)),
        '{"format": 2, "key": "k", "mod',
    ],
)
def test_a_damaged_line_is_refused_with_its_number(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(f"{line()}\n\n{damage}\n{line()}\n")
    with pytest.raises(UserError, match=r"talk\.jsonl, line 3: this is no exchange with a model"):
        ReplyRecording(path)


def test_a_file_that_is_no_text_or_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b"\x89PNG\xff")
    with pytest.raises(
        UserError, match="is no recording of a model: what follows its last complete line is no beginning"
    ):
        Replay(path)
    with pytest.raises(UserError, match="there is no recording"):
        Replay(tmp_path / "none.jsonl")
    with pytest.raises(UserError, match="it is a folder"):
        ReplyRecording(tmp_path)
    path.write_text("")
    with pytest.raises(UserError, match="holds replies of no model"):
        Replay(path)


def test_a_recording_cannot_command_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    hostile = json.loads(bare(text="Done.\x1b[2J\ud800", model="m\x07", finish="\x1bstop"))
    path.write_text(seal(json.dumps({**hostile, "model": "m\x1b"})))
    recording = ReplyRecording(path)
    assert recording.models == ["m"]
    assert recording.find("k") == Reply("Done.[2J\ufffd", "m", finish="stop", seconds=1)


def test_a_recording_that_cannot_be_written_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        record(tmp_path / "file" / "talk.jsonl", "Yes.")


def test_a_file_that_is_no_recording_is_left_as_it_is(tmp_path: Path) -> None:
    """`--record` on any other text changes nothing: a last line is cut off only from a file of a known format."""
    path = tmp_path / "notes.txt"
    whole = f"{line()}\n"
    for text in (
        "hello",
        "first\nlast",
        '{"a": 1}',
        '{"format": "other"}',
        "{",
        f"{whole}my note",
        f"{whole}{line()} x",
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=r"no (recording of|exchange with) a model"):
            record(path, "Yes.")
        assert path.read_text() == text
    for torn in ("", '{"format": 2, "key": "k', f'{whole}{{"format": 2, "key'):
        path.write_text(torn)
        record(path, "Yes.")
        assert len(ReplyRecording(path)) == 1 + torn.startswith(whole)


def test_recordings_may_be_joined(tmp_path: Path) -> None:
    """Each line has a digest of its own, so lines of one recording may follow those of another."""
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    record(one, "Yes.", "No.")
    record(two, "Perhaps.")
    two.write_bytes(two.read_bytes() + one.read_bytes())
    assert len(ReplyRecording(two)) == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_recording_goes_through_a_pipe_and_only_its_owner_reads_a_file(tmp_path: Path) -> None:
    """A pipe and a device are written to, and not read first; a new file has the permissions 0600."""
    pipe, path = tmp_path / "pipe", tmp_path / "talk.jsonl"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    recording = ReplyRecording(pipe)
    recording.check_writable()
    client = Recorder(Script(["Yes.", "No."], "m"), [], recording)
    assert [client.complete(ChatRequest(ASKED)).text for _ in range(2)] == ["Yes.", "No."]
    recording.close()
    reader.join(10)
    record(Path(os.devnull), "Yes.")
    path.write_text(heard[0])
    assert len(ReplyRecording(path)) == 2 and stat.S_ISFIFO(pipe.stat().st_mode)
    path.unlink()
    ReplyRecording(path).check_writable()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
