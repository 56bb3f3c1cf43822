"""Compiled programs are kept in the user's cache folder, unless told otherwise, and a bad folder fails nothing.

XLA is told to compile quickly where it knows the word, and never against the user.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import jaxlib.version
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


@pytest.mark.parametrize(
    "version, flags, told",
    [
        ("0.10.2", None, "--xla_cpu_use_fusion_emitters=false"),
        ("0.10.2", "--a=1", "--a=1 --xla_cpu_use_fusion_emitters=false"),
        ("0.10.2", "--xla_cpu_use_fusion_emitters=true", "--xla_cpu_use_fusion_emitters=true"),
        ("0.11.0", None, None),
        ("0.11.0", "--a=1", "--a=1"),
    ],
)
def test_xla_compiles_quickly_where_it_knows_the_flag(
    monkeypatch: pytest.MonkeyPatch, version: str, flags: str | None, told: str | None
) -> None:
    """An unknown flag would end the process, and what the user says of it holds."""
    monkeypatch.setattr(jaxlib.version, "__version__", version)
    monkeypatch.setenv("XLA_FLAGS", flags or "")
    if flags is None:
        monkeypatch.delenv("XLA_FLAGS")
    Cache(no_cache=True).use_cache()
    assert os.environ.get("XLA_FLAGS") == told


_FIRST_PROGRAM = """
import sys
import jax
from hive.cli import main
from hive.cli.options import Cache

told = Cache.use_cache

def compile_one(cache):
    told(cache)
    jax.jit(lambda x: x + 1)(1.0)
    sys.exit(0)

Cache.use_cache = compile_one
main(["run", "coordinate", "--no-cache"])
"""


def test_the_flag_reaches_xla(tmp_path: Path) -> None:
    """XLA reads its flags with the first program, so `hive run` must not compile one before it tells them."""
    surroundings = os.environ | {"XLA_FLAGS": f"--xla_dump_to={tmp_path}"}
    subprocess.run([sys.executable, "-c", _FIRST_PROGRAM], env=surroundings, check=True)
    options = next(tmp_path.glob("*debug_options*")).read_text(encoding="utf-8")
    assert ("xla_cpu_use_fusion_emitters: false" in options) == jaxlib.version.__version__.startswith("0.10.")
