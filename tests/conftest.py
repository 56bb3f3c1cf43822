"""What every test shares: a compilation cache, headless pictures, steady Hypothesis, the published cases."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

from tests import shapes

ROOT = Path(__file__).resolve().parent.parent

# Set before anything imports JAX or matplotlib; commands that tests start inherit them.
CACHE = os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".jax_cache"))
# Small programs are kept too: the other process of the same run asks for many of the same.
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("MPLBACKEND", "Agg")
# Machine code that is made quickly: without its newer emitters of fused loops XLA compiles a game in three quarters of
# the time, without stages for its sums in four fifths of that, and in one piece (not in up to 32) in three quarters
# of that; a pool of one thread does not spin on the core of the other worker. The modules of `BRIEF` leave out most
# optimisations as well, so that none of them can find a product and a sum that are rounded as one. Users run other
# code, which may round otherwise: `engine/test_users_code.py` runs laws and games of most kinds on it, and
# `XLA_FLAGS= NPROC=2 make test` the modules outside of `BRIEF`.
if version("jaxlib").startswith("0.10."):  # from 0.11 on the flag is unknown, which ends a process
    quickly = (
        "--xla_cpu_use_fusion_emitters=false",
        "--xla_disable_hlo_passes=tree_reduction_rewriter",
        "--xla_cpu_parallel_codegen_split_count=1",
    )
    os.environ.setdefault("XLA_FLAGS", " ".join(quickly))
os.environ.setdefault("NPROC", "1")
# An implicit change of rank or dtype is an error, in commands that tests start too. Users have JAX's own defaults;
# where nothing is promoted implicitly, the programs are the same.
os.environ["JAX_NUMPY_RANK_PROMOTION"] = "raise"
os.environ["JAX_NUMPY_DTYPE_PROMOTION"] = "strict"

install_import_hook(shapes.ROOMS, shapes.CHECKER)  # before anything imports these rooms

# Tracing makes many objects that stay: to look them all over again and again takes a tenth of the time or more.
gc.set_threshold(1_000_000, 50, 1_000)


CI = os.environ.get("CI", "").lower() in ("true", "1")
settings.register_profile(
    "hive",
    deadline=None,
    derandomize=True,
    max_examples=25 if CI else 15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("hive")


# Modules that take longest, the longest first: each is one worker's, so that none of them may come last. Those that
# share programs are no neighbours, since two workers that begin at once would both compile.
LONGEST = (
    "hive/test_mixed.py",
    "panel/test_set_study.py",
    "cli/test_ordering.py",
    "web/test_page_browser.py",
    "engine/test_dense.py",
    "cli/test_training.py",
    "cli/test_readme.py",
    "cli/test_arena.py",
    "rl/test_env.py",
    "mcp/test_games.py",
    "web/test_live.py",
    "cli/test_sweeping.py",
    "cli/test_sampling.py",
    "rl/test_orders.py",
    "world/test_distance.py",
    "engine/test_second_edition.py",
    "rl/test_training.py",
    "engine/test_paths.py",
    "engine/test_users_code.py",
    "arena/test_duel.py",
    "docs/test_examples.py",
    "household/test_agents.py",
    "llm/test_rewards.py",
    "hive/test_swapping.py",
    "rl/test_utility.py",
    "cli/test_verifying.py",
    "players/test_playing.py",
    "household/test_policies.py",
    "engine/test_progress.py",
    "arena/test_events.py",
    "rl/test_ppo.py",
    "engine/test_exports.py",
    "household/test_transport_play.py",
    "engine/test_crew_leaves.py",
    "cli/test_levels.py",
    "hive/test_swapping_sides.py",
    "llm/test_session.py",
    "cli/test_own_world.py",
    "engine/test_crew_objectives.py",
    "cli/test_records.py",
    "rl/test_crews.py",
    "cli/test_keeping.py",
    "world/test_fire.py",
    "wildfire/test_speaker.py",
    "cli/test_studying.py",
    "engine/test_combat.py",
    "cli/test_hostile.py",
    "cli/test_describing.py",
    "bench/test_rows.py",
    "cli/test_kitchens.py",
    "rl/test_attention.py",
    "drawn/test_draws.py",
    "household/test_oracle.py",
    "cli/test_rescue_play.py",
    "hive/test_batch.py",
    "study/test_study.py",
    "household/test_planner.py",
    "rl/test_views.py",
    "household/test_switches.py",
    "wildfire/test_spots.py",
    "wildfire/test_primitives.py",
    "engine/test_crews.py",
    "arena/test_rival.py",
    "kitchen/test_optimum.py",
    "engine/test_endings.py",
    "mcp/test_serving.py",
    "rl/test_step_env.py",
    "engine/test_engine_laws.py",
    "engine/test_senses.py",
    "cli/test_abilities.py",
)

# Modules, or folders of them, whose programs take longer to compile than to run: XLA optimises theirs little.
BRIEF = (
    "arena/",
    "bench/test_limit.py",
    "bench/test_rows.py",
    "cli/test_abilities.py",
    "cli/test_arena.py",
    "cli/test_asking.py",
    "cli/test_conforming.py",
    "cli/test_describing.py",
    "cli/test_drawing.py",
    "cli/test_explaining.py",
    "cli/test_hostile.py",
    "cli/test_household_play.py",
    "cli/test_households.py",
    "cli/test_keeping.py",
    "cli/test_kitchens.py",
    "cli/test_leagues.py",
    "cli/test_levels.py",
    "cli/test_ordering.py",
    "cli/test_own_world.py",
    "cli/test_perceiving.py",
    "cli/test_playing.py",
    "cli/test_readme.py",
    "cli/test_records.py",
    "cli/test_replaying.py",
    "cli/test_rescue_play.py",
    "cli/test_rescue_tables.py",
    "cli/test_run_players.py",
    "cli/test_sampling.py",
    "cli/test_set_sweeping.py",
    "cli/test_studying.py",
    "cli/test_swapping.py",
    "cli/test_sweeping.py",
    "cli/test_team_playing.py",
    "cli/test_training.py",
    "cli/test_verifying.py",
    "cli/test_versions.py",
    "docs/test_custom_page.py",
    "docs/test_examples.py",
    "docs/test_leaderboard.py",
    "docs/test_learning_page.py",
    "docs/test_rescue_page.py",
    "docs/test_sets.py",
    "docs/test_site.py",
    "docs/test_tasks_page.py",
    "docs/test_verify_page.py",
    "docs/test_wildfire_page.py",
    "drawn/",
    "engine/test_burning.py",
    "engine/test_combat.py",
    "engine/test_crew_leaves.py",
    "engine/test_crew_objectives.py",
    "engine/test_crews.py",
    "engine/test_dense.py",
    "engine/test_endings.py",
    "engine/test_endings_shown.py",
    "engine/test_ending_words.py",
    "engine/test_follow_map.py",
    "engine/test_leaves.py",
    "engine/test_missions.py",
    "engine/test_motion.py",
    "engine/test_padding.py",
    "engine/test_paths.py",
    "engine/test_progress.py",
    "engine/test_reasons.py",
    "engine/test_second_edition.py",
    "engine/test_senses.py",
    "engine/test_traces.py",
    "engine/test_value.py",
    "hive/test_abilities.py",
    "hive/test_batch.py",
    "hive/test_capacities.py",
    "hive/test_mixed.py",
    "hive/test_own_plan.py",
    "hive/test_room.py",
    "hive/test_swapping.py",
    "hive/test_swapping_sides.py",
    "hive/test_worlds.py",
    "household/",
    "kitchen/",
    "llm/",
    "mcp/",
    "panel/",
    "players/",
    "rescue/",
    "rl/",
    "scenarios/test_own_trees.py",
    "search/test_together.py",
    "study/",
    "teams/",
    "view/test_briefing.py",
    "view/test_fire_battle.py",
    "view/test_fire_recording.py",
    "view/test_replay_recording.py",
    "web/",
    "wildfire/",
    "world/test_distance.py",
    "world/test_fire.py",
    "world/test_terrain.py",
)


def missing(reason: str) -> None:
    """Skip the test that needs what is not there; on CI (`CI=true`), where everything is, fail it."""
    if CI:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published plans and conformance cases beside the checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        missing("the folder ../shared with published plans is not beside this checkout")
    return folder


@cache
def _most_memory() -> int:
    """Bytes that a worker takes before it frees its programs, which takes ten seconds.

    Three eighths of the memory of the machine or of its container: two workers and a browser are to fit.
    """
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):  # there is no such file, or it says `max`
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return 3 * memory // 8


def _is_full() -> bool:
    """Whether this process holds that much memory, or most of the mappings that Linux grants it; elsewhere: never."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        most = int(Path("/proc/sys/vm/max_map_count").read_text())
        mapped = Path("/proc/self/maps").read_bytes().count(b"\n")
    except OSError:
        return False
    return pages * os.sysconf("SC_PAGE_SIZE") > _most_memory() or mapped > 3 * most // 4


def _free_programs() -> None:
    """Let JAX forget its programs, and give their memory back, which glibc would keep."""
    sys.modules["jax"].clear_caches()
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)


_compiled = {"briefly": False}


def _is_brief(module: Path) -> bool:
    """Whether the programs of this module take longer to compile than to run."""
    return module.relative_to(ROOT / "tests").as_posix().startswith(BRIEF)


@pytest.fixture(autouse=True)
def _end() -> Iterator[None]:
    """A test ends like a process: no progress folder stays locked, and a command's `--no-cache` is forgotten."""
    from hive.kit.keep.finishing import held_progress, release_progress

    yield
    while (held := held_progress()) is not None:
        release_progress(held)
    jax = sys.modules.get("jax")
    if jax and jax.config.jax_compilation_cache_dir != CACHE:
        jax.config.update("jax_compilation_cache_dir", CACHE)


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of the programs that JAX needs and has not made in this process, also of those in the cache on disk.

    No traces are kept meanwhile: a program whose trace is not on disk yet is lowered twice, once for the file.
    """
    import jax

    from hive.engine import traces

    monkeypatch.setattr(traces, "_folder", lambda: None)
    found: list[str] = []

    def hear(event: str, duration_secs: float, **named: Any) -> None:
        if event == "/jax/core/compile/jaxpr_to_mlir_module_duration":
            found.append(named.get("fun_name", event).removeprefix("jit(").removesuffix(")"))

    jax.monitoring.register_event_duration_secs_listener(hear)
    yield found
    jax.monitoring.unregister_event_duration_listener(hear)


@pytest.fixture(scope="module", autouse=True)
def _programs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compile as the module needs it, and keep the programs for the next ones that do the same.

    Two ways of compiling may round otherwise, so that no program serves both. Thousands of programs fill the memory.
    """
    brief = _is_brief(request.path)
    if brief != _compiled["briefly"]:
        import jax

        jax.clear_caches()
        jax.config.update("jax_disable_most_optimizations", brief)
        os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = str(brief)  # for commands that the tests start
        _compiled["briefly"] = brief
    yield
    if "jax" in sys.modules and _is_full():
        _free_programs()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest modules of each way of compiling, so that a worker changes over once."""
    rank = {ROOT / "tests" / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (_is_brief(item.path), rank.get(item.path, len(rank))))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let a worker that has reported everything end at once: to free thousands of programs would take ten seconds."""
    if hasattr(config, "workerinput"):
        os._exit(0)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `gpu` run only where JAX sees one."""
    if item.get_closest_marker("gpu") is None:
        return
    import jax

    if all(device.platform == "cpu" for device in jax.devices()):
        pytest.skip("JAX sees no GPU on this machine")
