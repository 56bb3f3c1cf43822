"""Compiled programs are kept in the user's cache folder, unless told otherwise, and a bad folder fails nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from hive.cli.options import Cache

KEY = "jax_compilation_cache_dir"
LEAST = "jax_persistent_cache_min_compile_time_secs"


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """JAX is asked what it was told; it is told the old place again afterwards."""
    before = {key: getattr(jax.config, key) for key in (KEY, LEAST)}
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


def test_it_may_be_forbidden_where_the_environment_names_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "elsewhere")
    jax.config.update(KEY, "elsewhere")  # as JAX does when it is loaded
    Cache(no_cache=True).use_cache()
    assert getattr(jax.config, KEY) is None


@pytest.mark.parametrize("folder", [None, "elsewhere"])
def test_small_programs_are_kept_unless_the_environment_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str | None
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if folder:
        monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", folder)
    jax.config.update(LEAST, 7.0)
    monkeypatch.setenv(LEAST.upper(), "7")
    Cache().use_cache()
    assert getattr(jax.config, LEAST) == 7
    monkeypatch.delenv(LEAST.upper())
    Cache().use_cache()
    assert getattr(jax.config, LEAST) < 0.3  # `end` of a battle compiles in 0.3 to 0.5 s


def test_a_place_that_cannot_be_made_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    Cache().use_cache()
    assert getattr(jax.config, KEY) is None
