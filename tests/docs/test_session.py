"""The page of a session is what its recording replays to."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.make.session import PAGE, PICTURE, RECORDING, SAID, replay
from hive.players.llm.recorded import ReplyRecording


@pytest.mark.long
def test_the_page_is_the_session_replayed(tmp_path: Path) -> None:
    """`python -m docs.make --pictures` makes it again: a question, a repair, a second order, a victory."""
    assert replay(tmp_path) == PAGE.read_text(encoding="utf-8")
    assert (tmp_path / "out" / "picture.png").is_file() and PICTURE.stat().st_size < 150_000


def test_the_recording_holds_every_reply_of_the_page() -> None:
    replies = [reply for _, each in SAID for reply in each]
    text = PAGE.read_text(encoding="utf-8")
    assert len(ReplyRecording(RECORDING)) == len(replies)
    assert all(reply.strip() in text for reply in replies) and "1 game: 1 win" in text
