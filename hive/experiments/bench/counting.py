"""Row `gpu`: what one GPU would have to do for a program, and how long that would take it by a model.

The program is compiled for an NVIDIA H200 without having one. How often its loops turn and its branches are taken is
counted on this machine's processor, which runs the same program with the same sizes: a GPU's, if no others are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hive.experiments.bench.gpu.model import GPU_COSTS, GpuCosts, Tally, UncountedError, tally
from hive.experiments.bench.gpu.target import DEVICE, Compiled, compile_for_gpu, prepare
from hive.experiments.bench.gpu.wheels import how_to_install, missing

_MEGA = 1e6
# Unrolled searches take minutes to optimise for a processor.
_QUICKLY: dict[str, Any] = {"xla_backend_optimization_level": 0}


def run(kind: str, scenes: Mapping[str, float | None], **size: int) -> Iterator[dict[str, Any]]:
    """Compile a program for the GPU, and count it in each scene.

    Args:
        kind: Of program, as for `programs.make_work`.
        scenes: The milliseconds aimed at in each scene; None: no aim.
        **size: As for `programs.make_work`.

    Raises:
        RuntimeError: What compiling needs is not installed.
        UncountedError: A loop of the compiled program could not be matched with one of the source.
    """
    if lacking := missing():
        raise RuntimeError(how_to_install(lacking).partition("\n")[0])
    with TemporaryDirectory(prefix="hive-gpu-") as folder:
        prepare(Path(folder))
        yield from _count(kind, scenes, size, Path(folder))


def _count(
    kind: str, scenes: Mapping[str, float | None], size: Mapping[str, int], folder: Path
) -> Iterator[dict[str, Any]]:
    import jax

    from hive.experiments.bench.gpu.programs import make_work
    from hive.experiments.bench.gpu.turns import Counts, number_of, numbered
    from hive.ground.sizes import current, use

    sizing = current("gpu")
    work = make_work(kind, list(scenes), **size)
    first = next(iter(work.scenes.values()))
    jax.clear_caches()
    with use(sizing), numbered() as sites:
        compiled = compile_for_gpu(work.function, first, folder)
    jax.clear_caches()
    counts = Counts()
    with use(sizing), numbered(counts) as counted:
        program = jax.jit(lambda *args: work.function(*args)).lower(*first).compile(_QUICKLY)
    if sites != counted:
        raise UncountedError("the program has other loops for this machine than for the GPU")
    named = {name: number_of(one.origin) for name, one in compiled.instructions.deciding().items()}
    numbers = {name: number for name, number in named.items() if number is not None}
    for scene, aim in scenes.items():
        args = work.scenes[scene]
        for _ in range(work.warm):
            args = work.again(args, program(*args))
        jax.effects_barrier()
        counts.clear()
        jax.block_until_ready(program(*args))
        jax.effects_barrier()
        done = tally(compiled.thunks, compiled.instructions, numbers, counts)
        yield {
            "work": f"{work.words}, {scene}" if len(scenes) > 1 else work.words,
            "kind": kind,
            **size,
            "scene": scene,
            **_figures(done, work.ticks),
            "floor_ms": round(_floor(compiled, GPU_COSTS), 4),
            "target_ms": aim,
            **_program(compiled),
        }


def _figures(done: Tally, ticks: int) -> dict[str, Any]:
    """Figures of one tick, or of one call of a program without ticks."""
    return {
        "kernels": round(done.kernels / ticks, 1),
        "copies": round(done.copies / ticks, 1),
        "graphs": round(done.graphs / ticks, 1),
        "turns": round(done.turns / ticks, 1),
        "trips": round(done.trips / ticks, 1),
        "moved_mb": round(done.moved / ticks / _MEGA, 3),
        "model_ms": round(done.total / ticks / 1e3, 4),
        "launch_ms": round(done.launch / ticks / 1e3, 4),
        "wait_ms": round(done.wait / ticks / 1e3, 4),
        "work_ms": round(done.work / ticks / 1e3, 4),
    }


def _floor(compiled: Compiled, costs: GpuCosts) -> float:
    """Milliseconds of one kernel that reads all arguments once and writes all results once."""
    return (costs.kernel + compiled.held / costs.bandwidth) / 1e3


def _program(compiled: Compiled) -> dict[str, Any]:
    return {
        "held_mb": round(compiled.held / _MEGA, 3),
        "temporary_mb": round(compiled.temporary / _MEGA, 1),
        "compile_s": round(compiled.seconds, 1),
        "compiled_for": DEVICE,
    }
