"""Compile a program for an NVIDIA H200 that is not there, and read what XLA made of it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive.experiments.bench.gpu.instructions import Instructions
from hive.experiments.bench.gpu.thunks import Thunk, read_thunks
from hive.experiments.bench.gpu.wheels import assembler

DEVICE = "NVIDIA H200"
_NAME = "counted"  # of the function, and so of the module that XLA writes down
_DESCRIPTION = f"""
gpu_device_info {{
  cuda_compute_capability {{ major: 9 minor: 0 feature_extension: ACCELERATED_FEATURES }}
  core_count: 132
  fpus_per_core: 128
  clock_rate_ghz: 1.98
  memory_bandwidth: 4800000000000
  device_memory_size: 150754820096
  l2_cache_size: 62914560
  shared_memory_per_block: 49152
  shared_memory_per_block_optin: 232448
  shared_memory_per_core: 233472
  registers_per_block_limit: 65536
  registers_per_core_limit: 65536
  threads_per_warp: 32
  threads_per_block_limit: 1024
  threads_per_core_limit: 2048
  thread_dim_limit_x: 1024
  thread_dim_limit_y: 1024
  thread_dim_limit_z: 64
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  pcie_bandwidth: 34359738368
  ecc_enabled: true
  device_address_bits: 64
  device_vendor: "NVIDIA Corporation"
  name: "{DEVICE}"
  platform_version: "Compute Capability 9.0a"
  driver_version: "13.0.0"
  runtime_version: "13.0.0"
  compile_time_toolkit_version: "13.0.0"
  dnn_version: "9.10.0"
  cub_version: "3.1.2"
}}
platform_name: "CUDA"
dnn_version_info {{ major: 9 minor: 10 }}
runtime_version {{ major: 13 }}
device_description_str: "{DEVICE}"
"""
_THUNKS, _METADATA, _HLO = "thunk_sequence_after_thunk_passes", "thunk_metadata", "gpu_after_optimizations"


@dataclass(frozen=True)
class Compiled:
    """A program for the GPU.

    Attributes:
        thunks: What it runs.
        instructions: Where the thunks come from.
        held: Bytes of arguments and results.
        temporary: Bytes that it needs in addition.
        seconds: What compiling took here.
    """

    thunks: list[Thunk]
    instructions: Instructions
    held: int
    temporary: int
    seconds: float


def prepare(folder: Path) -> None:
    """Let XLA write programs for a GPU into a folder, and find its assembler; to be called before JAX makes an array.

    Raises:
        RuntimeError: There is no assembler.
    """
    import jax

    tools = assembler()
    if tools is None:
        raise RuntimeError("there is no `ptxas`")
    dump = f"--xla_dump_to={folder} --xla_dump_hlo_as_text --xla_dump_hlo_module_re=.*{_NAME}.*"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {dump}".strip()
    os.environ["PATH"] = os.pathsep.join([str(tools), os.environ.get("PATH", "")])
    jax.config.update("jax_platforms", "cpu")  # also where there is a GPU


def compile_for_gpu(function: Callable[..., Any], args: tuple[Any, ...], folder: Path) -> Compiled:
    """Compile a function for one H200, from arguments that lie on the host.

    Args:
        function: The program.
        args: Arguments of the shapes that it is compiled for.
        folder: The one given to `prepare`.

    Raises:
        RuntimeError: XLA did not write down what it made.
        ValueError: What it wrote has an unknown form.
    """
    import jax
    import numpy as np
    from jax.experimental import topologies
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    def counted(*args: Any) -> Any:
        return function(*args)

    counted.__name__ = _NAME
    chip = topologies.get_topology_desc(platform="cuda", target_config=_DESCRIPTION, topology="1x1x1").devices[0]
    where = NamedSharding(Mesh(np.array([chip]), ("chips",)), PartitionSpec())
    shapes = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=where), args)
    began = time.perf_counter()
    compiled = jax.jit(counted).lower(*shapes).compile()
    seconds = time.perf_counter() - began
    memory = compiled.memory_analysis()
    if memory is None:
        raise RuntimeError("XLA does not say how much memory the program needs")
    return Compiled(
        thunks=read_thunks(_dump(folder, _THUNKS), _dump(folder, _METADATA)),
        instructions=Instructions(_dump(folder, _HLO)),
        held=memory.argument_size_in_bytes + memory.output_size_in_bytes,
        temporary=memory.temp_size_in_bytes,
        seconds=seconds,
    )


def _dump(folder: Path, kind: str) -> str:
    """Text of the one file of its kind.

    Raises:
        RuntimeError: There is not exactly one.
    """
    wanted = re.compile(rf"\.jit_{_NAME}\..*{kind}\.txt$")
    found = [path for path in folder.iterdir() if wanted.search(path.name) and "buffer" not in path.name]
    if len(found) != 1:
        raise RuntimeError(f"XLA wrote {len(found)} files `*{kind}.txt` in place of one")
    return found[0].read_text(encoding="utf-8")
