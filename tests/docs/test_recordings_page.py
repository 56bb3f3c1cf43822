"""The page of recordings says how their fields are kept."""

from __future__ import annotations

from docs.make.recordings import PAGE, make_recordings


def test_the_page_of_recordings_does_not_drift() -> None:
    assert PAGE.read_text(encoding="utf-8") == make_recordings(), "run `python -m docs.make`"
