"""`hive serve` before it serves: what is wrong is said in one message with a way out, and nothing is left behind."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from hive.web import journal
from tests.cli.conftest import Hive
from tests.llm.talks import session


def test_another_address_needs_leave_to_be_reached(hive: Hive) -> None:
    ran = hive("serve", "--host", "0.0.0.0")
    assert ran.code == 2
    assert "whoever has the link then commands the game" in ran.err and "add --allow-remote" in ran.err


def test_a_port_in_use_is_refused_and_a_free_one_is_offered(hive: Hive) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = hive("serve", "--port", str(port))
    assert ran.code == 2
    assert f"the port {port} is in use" in ran.err and "is free, so give `--port" in ran.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nowhere"], "there is no scenario `nowhere`"),
        (["--port", "70000"], "70000 is no port, allowed is a number from 1 to 65535"),
        (["coordinate", "--session", "nowhere/one.jsonl"], "there is no folder nowhere"),
        (["--model", "x", "--plans", "."], "a model or a folder of plans answers, not both"),
    ],
)
def test_a_wrong_word_is_the_users_input(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = hive("serve", *words)
    assert ran.code == 2 and why in ran.err
    assert not list(tmp_path.rglob("*.jsonl"))


def test_a_session_says_itself_what_is_played(hive: Hive, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    journal.begin(path, session([])).close()
    for words in (["coordinate"], ["--seed", "0"], ["--units", "20"]):
        ran = hive("serve", *words, "--session", str(path))
        assert ran.code == 2 and "says what is played" in ran.err


def test_a_session_of_another_version_is_refused(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "one.jsonl"
    with monkeypatch.context() as other:
        other.setattr(journal, "_versions", lambda: {"hive-swarm": "9.9"})
        journal.begin(path, session([])).close()
    ran = hive("serve", "--session", str(path))
    assert ran.code == 2 and "was made with hive-swarm 9.9" in ran.err and "or begin another session" in ran.err
