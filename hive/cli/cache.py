"""The cache of compiled programs on disk, so that the next command starts sooner."""

from __future__ import annotations

import os
from pathlib import Path

_LEAST_SECONDS = 0.5  # of compilation, for a program to be kept


def cache_on_disk() -> None:
    """Tell JAX where to cache compiled programs; a folder that cannot be written is not used.

    The folder is `hive-swarm/jax` in the user's cache folder. If `JAX_COMPILATION_CACHE_DIR` is set, JAX uses that
    folder instead.
    """
    if "JAX_COMPILATION_CACHE_DIR" in os.environ:
        return
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hive-swarm" / "jax"
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            return
    except (OSError, RuntimeError):  # the latter where there is no home folder
        return
    import jax

    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", _LEAST_SECONDS)
