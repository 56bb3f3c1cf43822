"""Pages of recordings of small worlds, for their tests: written, opened in a browser, and searched for addresses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from hive.worlds import kept
from tests.view.browser import Browser, find_chromium


class Saved(Protocol):
    def save(self, path: Path) -> None: ...


@contextmanager
def shown(recording: Saved, folder: Path) -> Iterator[Browser]:
    """Save a recording, write its page, and open it."""
    program = find_chromium()
    recording.save(folder / "recording.npz")
    size = kept.write_page(folder / "recording.npz", folder / "replay.html")
    assert size == (folder / "replay.html").stat().st_size
    with Browser(program, folder / "profile") as browser:
        browser.open(folder / "replay.html")
        browser.wait("window.replay")
        yield browser


def asks_for_nothing(page: str) -> bool:
    """Whether a page has no address but the name of a format."""
    return "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
