"""The file of a session: what it says was done, it resumes; what is damaged or of another version, it refuses."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from dsl import UserError
from hive.kit.keep.lines import LineChain, read_line
from hive.web import journal
from tests.llm.talks import session

SAID = {"is": "said", "id": "s-1", "tick": 0, "text": "hold"}
ANSWER = {
    "is": "answer", "id": "s-1", "kind": "plan", "text": "x", "diagnostics": [],
    "messages": [{"role": "user", "text": "hold"}, {"role": "assistant", "text": "x"}],
}  # fmt: skip


def plan(number: int, tick: int, text: str) -> dict[str, Any]:
    return {"is": "plan", "number": number, "tick": tick, "text": text, "steps": [], "groups": []}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a session that has just begun."""
    path = tmp_path / "one.jsonl"
    journal.begin(path, session([])).close()
    return path


def written(path: Path, *entries: dict[str, Any]) -> journal.Past:
    kept = journal.SessionJournal(path, journal.read(path).chain)
    kept.write(*entries)
    kept.close()
    return journal.read(path)


def test_a_new_session_says_what_is_played(path: Path) -> None:
    past = journal.read(path)
    assert past.request().scenario == "coordinate" and past.request().units == 20
    assert (past.plans, past.tick, past.line, past.log) == ([], 0, 0, [])


def test_the_plans_of_the_last_line_of_the_game_hold(path: Path) -> None:
    """A branch drops later plans, a second plan at a tick replaces the first, and beginning again drops all."""
    entries = [SAID, ANSWER, plan(1, 0, "a"), {"is": "at", "tick": 30}, plan(2, 30, "b"), plan(2, 30, "c")]
    past = written(path, *entries)
    assert (past.plans, past.tick) == ([(0, "a"), (30, "c")], 30)
    assert [entry["is"] for entry in past.log] == ["said", "answer", "plan", "plan", "plan"]
    assert [message["role"] for message in past.messages] == ["user", "assistant"]
    assert all("messages" not in entry for entry in past.log), "what the model was told is not for the page"
    late = {"is": "event", "event": "loss", "tick": 41, "text": "x"}
    past = written(path, late, {"is": "line", "line": 1, "tick": 20, "again": False})
    assert (past.plans, past.tick, past.line) == ([(0, "a")], 20, 1)
    assert "event" not in {entry["is"] for entry in past.log}
    past = written(path, {"is": "line", "line": 2, "tick": 0, "again": True})
    assert (past.plans, past.tick, past.line) == ([], 0, 2)


def test_markers_are_those_that_were_put_last(path: Path) -> None:
    past = written(path, {"is": "marked", "markers": {"A": [1, 2], "Z": [9, 9]}, "put": {"A": [1, 2]}})
    assert past.request().markers == (("A", (1, 2)),)


def test_a_prompt_without_an_answer_is_known(path: Path) -> None:
    assert written(path, SAID).unanswered == ["s-1"]
    assert written(path, ANSWER).unanswered == []


def test_a_line_that_was_cut_off_is_dropped(path: Path) -> None:
    """A killed process leaves at most its last line incomplete; the next one begins where it began."""
    written(path, SAID)
    whole = path.read_bytes()
    with path.open("ab") as file:
        file.write(b'{"is": "plan", "number": 1, "te')
    assert [entry["is"] for entry in journal.read(path).log] == ["said"]
    assert path.read_bytes() == whole
    assert [entry["is"] for entry in written(path, ANSWER).log] == ["said", "answer"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"is": "plan"}', "line 2 is no entry"),
        ('{"is": "at", "tick": "3"}', "line 2 is no entry"),
        ('{"is": ["at"]}', "line 2 is no entry"),
        ("[]", "line 2: it is no JSON object"),
        ('{"is": "marked", "markers": {}, "put": {"A": "x"}}', "a marker is no letter with a pair"),
        ('{"is": "answer", "kind": "plan", "text": "", "messages": [{"role": "system"}]}', "a message is not a text"),
        ("nonsense", "line 2: it is no JSON"),
    ],
)
def test_a_damaged_session_is_refused_with_its_line(path: Path, line: str, why: str) -> None:
    chain = journal.read(path).chain
    with path.open("a") as file:
        file.write(f"{chain.write(line) if line.startswith('{') else line}\n")
    with pytest.raises(UserError, match=why):
        journal.read(path)


def test_a_session_of_another_version_is_refused(path: Path) -> None:
    head = read_line(path.read_bytes().rstrip(b"\n"))
    other = json.dumps(head | {"versions": head["versions"] | {"jaxlib": "0.0.1"}})
    path.write_text(LineChain().write(other) + "\n")
    with pytest.raises(UserError, match=r"made with jaxlib 0\.0\.1, and here is jaxlib"):
        journal.read(path)
    path.write_text(json.dumps(head | {"format": "hive-session-9"}) + "\n")
    with pytest.raises(UserError, match="its format is 'hive-session-9'"):
        journal.read(path)


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe\n", b"{}\n", b'{"format": 3}\n', b"[1]\n"])
def test_what_is_no_session_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError, match="is no session"):
        journal.read(path)
    assert path.read_bytes() == content, "a file that is no session stays as it is"


def test_two_servers_cannot_write_one_session(path: Path) -> None:
    chain = journal.read(path).chain
    kept = journal.SessionJournal(path, chain)
    with pytest.raises(UserError, match="another server uses the session"):
        journal.SessionJournal(path, chain)
    kept.close()
    journal.SessionJournal(path, chain).close()


def test_a_session_that_was_written_after_it_was_read_is_not_taken_up(path: Path) -> None:
    """Lines that follow what was read would not follow the last line, and the session could not be read again."""
    chain = journal.read(path).chain
    written(path, SAID)
    with pytest.raises(UserError, match="another server has just written"):
        journal.SessionJournal(path, chain)
    assert [entry["is"] for entry in written(path, ANSWER).log] == ["said", "answer"]


def test_texts_with_other_ends_of_lines_are_read(path: Path) -> None:
    """Only a line feed ends a line: U+2028, U+2029, U+0085 and others may stand in prompts and replies."""
    text = "hold\u2028the\u2029line\x85now\x0b\x0c\x1c\x1d\x1e\r"
    answer = ANSWER | {"text": text, "messages": [{"role": "user", "text": text}]}
    past = written(path, SAID | {"text": text}, answer)
    assert [entry["text"] for entry in past.log] == [text, text] and past.messages[0]["text"] == text


def test_only_its_owner_reads_a_session(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_is_no_place_for_a_session(tmp_path: Path) -> None:
    """A session is read again, which a pipe cannot offer; it is refused at once and not waited for."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match="a device or a pipe"):
        journal.begin(tmp_path / "pipe", session([]))
    with pytest.raises(UserError, match="a device or a pipe"):
        journal.read(tmp_path / "pipe")


def test_an_entry_that_cannot_be_written_leaves_the_session_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a full disk took of a line is cut off again, and the next entry follows the last whole one."""
    kept = journal.SessionJournal(path, journal.read(path).chain)
    kept.write(SAID)
    whole, write = path.read_bytes(), os.write

    def full(file: int, data: bytes) -> int:
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return write(file, data[:-10])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(UserError, match="no space left"):
            kept.write(ANSWER)
    assert path.read_bytes() == whole
    kept.write(ANSWER)
    kept.close()
    assert [entry["is"] for entry in journal.read(path).log] == ["said", "answer"]
