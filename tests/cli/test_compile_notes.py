"""While programs compile, the display of every command says so, with an estimate from earlier runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from hive.cli.compile_notes import CompileNotes
from hive.cli.progress import watching


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    before = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    yield tmp_path
    jax.config.update("jax_compilation_cache_dir", before)


def test_a_long_compilation_is_shown_with_the_time_of_the_last_one(cache: Path) -> None:
    """The rule: `first time only`, later the seconds that the same stage took; its end is noted too."""
    shown: list[str] = []
    told = threading.Event()

    def note(words: str) -> None:
        shown.append(words)
        told.set()

    def compile_for(notes: CompileNotes, stage: str) -> None:
        told.clear()
        notes.stage(stage)
        notes.begins()
        assert told.wait(20)
        notes.ends()
        notes.close()

    compile_for(CompileNotes(note, short=0.01), "playing 3 games")
    compile_for(CompileNotes(note, short=0.01), "playing 3 games")
    compile_for(CompileNotes(note, short=0.01), "playing 4 games")
    assert shown == [
        "compiling (first time only)", "",
        "compiling (took 1 s last time)", "",
        "compiling (first time only)", "",
    ]  # fmt: skip


def test_a_short_compilation_is_not_worth_a_line(cache: Path) -> None:
    shown: list[str] = []
    notes = CompileNotes(shown.append, short=3600)
    notes.stage("playing")
    notes.begins()
    notes.ends()
    notes.close()
    assert shown == []


def test_the_display_hears_jax_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule: nothing in a command has to announce a program; JAX's own reports do."""
    heard: list[str] = []
    monkeypatch.setattr(CompileNotes, "begins", lambda self: heard.append("begins"))
    monkeypatch.setattr(CompileNotes, "ends", lambda self: heard.append("ends"))
    with watching() as watch:
        watch.stage("playing", 1, "game")
        jax.jit(lambda value: jnp.sin(value) * 3.25 + 17)(jnp.ones(13))
    assert heard[:2] == ["begins", "ends"] and heard.count("begins") == heard.count("ends")
