"""Compiled programs are kept in the user's cache folder, unless told otherwise, and a bad folder fails nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from hive.cli.options import Cache

KEY = "jax_compilation_cache_dir"


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """JAX is asked what it was told; it is told the old place again afterwards."""
    least = "jax_persistent_cache_min_compile_time_secs"
    before = {KEY: getattr(jax.config, KEY), least: getattr(jax.config, least)}
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    jax.config.update(KEY, None)
    yield
    for key, value in before.items():
        jax.config.update(key, value)


def test_the_place_is_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Cache().use_cache()
    assert getattr(jax.config, KEY) == str(tmp_path / "hive-swarm" / "jax")
    assert (tmp_path / "hive-swarm" / "jax").is_dir()


def test_without_xdg_it_is_below_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    Cache().use_cache()
    assert getattr(jax.config, KEY) == str(tmp_path / ".cache" / "hive-swarm" / "jax")


def test_it_may_be_forbidden_or_set_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Cache(no_cache=True).use_cache()
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "elsewhere")
    Cache().use_cache()
    assert getattr(jax.config, KEY) is None and list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_made_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    Cache().use_cache()
    assert getattr(jax.config, KEY) is None
