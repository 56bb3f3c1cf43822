"""How long a compilation took is kept next to the programs, so that a later run announces its wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jax
import pytest

from hive.kit.keep.compiling import FILE, Compilation


@contextmanager
def cached_in(folder: Path | None) -> Iterator[None]:
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", None if folder is None else str(folder))
    try:
        yield
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    with cached_in(tmp_path):
        yield tmp_path


def test_a_wait_is_announced_by_the_time_that_it_took_before(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule: `first time only` where nothing is known, then the seconds of the last time, for each program apart."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    first = Compilation("3 games of 20 units")
    assert (first.words, first.last) == ("first time only", None)
    now[0] += 14.2
    first.done()
    now[0] += 50
    first.done()  # a second call changes nothing
    again = Compilation("3 games of 20 units")
    assert (again.words, again.last) == ("took 14 s last time", 14.2)
    assert Compilation("another world").words == "first time only"
    now[0] += 0.2
    again.done()
    assert Compilation("3 games of 20 units").words == "took 1 s last time"


def test_a_damaged_file_of_times_counts_as_none(cache: Path) -> None:
    for text in ("", "{", "[1]", '{"a": "b"}', '{"a": true}', '{"a": -1}', '{"a": 1e999}'):
        (cache / FILE).write_text(text)
        assert Compilation("a").words == "first time only", text
    Compilation("a").done()
    assert Compilation("a").words == "took 1 s last time"


def test_without_a_cache_nothing_is_kept_and_nothing_is_promised() -> None:
    for _ in range(2):
        with cached_in(None):
            wait = Compilation("a")
            wait.done()
        assert (wait.words, wait.kept) == ("", False)
