"""The cache of compiled programs on disk, so that the next command starts sooner."""

from __future__ import annotations

import os
from pathlib import Path

_LEAST_SECONDS = 0.1  # of compilation, for a program to be kept; reading one back takes some hundredths
_FOLDER, _LEAST = "JAX_COMPILATION_CACHE_DIR", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"


def cache_on_disk() -> None:
    """Tell JAX where to cache compiled programs; a folder that cannot be written is not used.

    The folder is `hive-swarm/jax` in the user's cache folder. If `JAX_COMPILATION_CACHE_DIR` is set, JAX uses that
    folder instead; `JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS` says how long a program must compile to be kept.
    """
    folder = None if _FOLDER in os.environ else _folder()
    if folder is None and _FOLDER not in os.environ:
        return
    import jax

    if folder is not None:
        jax.config.update("jax_compilation_cache_dir", str(folder))
    if _LEAST not in os.environ:
        jax.config.update("jax_persistent_cache_min_compile_time_secs", _LEAST_SECONDS)


def no_cache_on_disk() -> None:
    """Tell JAX to read and keep no compiled programs, whatever the environment says."""
    if _FOLDER in os.environ:
        import jax

        jax.config.update("jax_compilation_cache_dir", None)


def _folder() -> Path | None:
    """Return the user's folder for compiled programs; None if it cannot be made or written."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hive-swarm" / "jax"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # the latter where there is no home folder
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None
