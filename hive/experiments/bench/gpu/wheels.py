"""What compiling for a GPU needs: the wheels of JAX's CUDA plugin and the assembler `ptxas`. Loads no JAX."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

WHEELS = ("jax-cuda13-plugin", "jax-cuda13-pjrt", "nvidia-cuda-nvcc")
_LEAST = (0, 11)  # JAX whose topologies need no device
_PTXAS = "ptxas"


def missing() -> list[str]:
    """Return what is not installed, each as words for a message; nothing if programs can be compiled for a GPU."""
    lacking = [name for name in WHEELS if _version(name) is None]
    jax = _version("jax") or "0"
    if tuple(int(part) for part in re.findall(r"\d+", jax)[:2]) < _LEAST:
        lacking.append(f"jax {_LEAST[0]}.{_LEAST[1]} or newer (here is {jax})")
    if "nvidia-cuda-nvcc" not in lacking and assembler() is None:
        lacking.append(_PTXAS)
    return lacking


def how_to_install(lacking: list[str]) -> str:
    """Return the message about what is missing, with a help line."""
    return (
        f"programs cannot be compiled for a GPU here; not installed: {', '.join(lacking)}\n"
        "  = help: `pip install 'hive-swarm[gpu]'` adds it, with Python 3.12 or newer on Linux; it needs no GPU"
    )


def assembler() -> Path | None:
    """Return the folder of `ptxas` in the wheel `nvidia-cuda-nvcc`, or None."""
    try:
        files = distribution("nvidia-cuda-nvcc").files or []
    except PackageNotFoundError:
        return None
    found = [Path(str(file.locate())) for file in files if file.name == _PTXAS]
    return found[0].parent if found and found[0].is_file() else None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
