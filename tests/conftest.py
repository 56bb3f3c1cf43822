"""What every test shares: a compilation cache, headless pictures, steady Hypothesis, the published cases."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

from tests import shapes

ROOT = Path(__file__).resolve().parent.parent

# Set before anything imports JAX or matplotlib; commands that tests start inherit them.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".jax_cache"))
# Small programs are kept too: each module drops its own below, and the next asks for many of the same.
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("MPLBACKEND", "Agg")
# An implicit change of rank or dtype is an error, in commands that tests start too. Users have JAX's own defaults;
# where nothing is promoted implicitly, the programs are the same.
os.environ["JAX_NUMPY_RANK_PROMOTION"] = "raise"
os.environ["JAX_NUMPY_DTYPE_PROMOTION"] = "strict"

install_import_hook(shapes.ROOMS, shapes.CHECKER)  # before anything imports these rooms

settings.register_profile("hive", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hive")


def missing(reason: str) -> None:
    """Skip the test that needs what is not there; on CI (`CI=true`), where everything is, fail it."""
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published plans and conformance cases beside the checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        missing("the folder ../shared with published plans is not beside this checkout")
    return folder


@pytest.fixture(scope="module", autouse=True)
def _drop_programs() -> Iterator[None]:
    """Let go of compiled programs after each module: a process that keeps thousands of them runs out of mappings."""
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `gpu` run only where JAX sees one."""
    if item.get_closest_marker("gpu") is None:
        return
    import jax

    if all(device.platform == "cpu" for device in jax.devices()):
        pytest.skip("JAX sees no GPU on this machine")
