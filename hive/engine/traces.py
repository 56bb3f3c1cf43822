"""`jit_game`: programs that play games, compiled, and their traces kept on disk.

JAX keeps compiled programs on disk, but finds one only by its traced and lowered form, and to trace a tick takes longer
than all else that a command does before its first tick. So a trace is kept in the same folder, as `jax.export` writes
it. The name of its file is a digest of all that it depends on, the sources included: what was kept before a change of
the code is not found after it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial, update_wrapper, wraps
from pathlib import Path
from typing import Any

import jax
import jaxlib
from jax import export

from dsl import UserError
from hive.engine.types import Plan
from hive.ground.sizes import current
from hive.kit.keep.record import digest_of
from hive.kit.keep.runfolder import whole_file

FOLDER = "traces"
_MOST = 300  # files of some 100 kB; the oldest are dropped
_DIGEST = 32  # bytes of a file before the trace
_ROOT = Path(__file__).parents[2]
_SOURCES = ("hive/engine", "hive/ground", "hive/worlds", "dsl", "bt")  # all that a trace runs
_ROOMS = ("hive.", "bt.")  # whose classes arguments and results are made of
_SETTINGS = ("jax_enable_x64", "jax_default_prng_impl", "jax_threefry_partitionable", "jax_default_matmul_precision")


_jit = partial(
    jax.jit,
    # On a CPU programs of games compile sooner, and most run faster, without XLA's newer emitters of fused loops. From
    # jaxlib 0.11 on the option is unknown.
    compiler_options={"xla_cpu_use_fusion_emitters": False} if jaxlib.__version__.startswith("0.10.") else {},
)


class Program:
    """A compiled function of games; see `jit_game`. It has the attributes of what `jax.jit` returns."""

    def __init__(self, function: Callable[..., Any], static_argnums: tuple[int, ...], donate_argnums: tuple[int, ...]):
        """Compile a function; the positions are those of its arguments, as for `jax.jit`."""
        compiled = partial(_jit, static_argnums=static_argnums, donate_argnums=donate_argnums)
        self._function, self._plain = function, compiled(function)

        @wraps(function)
        def read(*args: Any) -> Any:  # called by JAX for arguments that need another program
            return _traced(function, self._plain, args, static_argnums)(*args)

        self._read = compiled(read)
        update_wrapper(self, function)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled function, such as `lower`."""
        return getattr(self._plain, name)

    def _cache_size(self) -> int:
        """Return how many programs were made, as JAX's own functions do."""
        programs: tuple[Any, Any] = self._plain, self._read
        return sum(int(each._cache_size()) for each in programs)

    def __call__(self, *args: Any) -> Any:
        """Call the function."""
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(args)):  # part of another program
            return self._function(*args)
        return self._read(*args)


def _traced(
    function: Callable[..., Any], compiled: Any, args: tuple[Any, ...], static: tuple[int, ...]
) -> Callable[..., Any]:
    """Return what a function is for arguments like these: its trace from a file, or itself where none is kept.

    Where there is no file yet, the function is traced and the file is written.
    """
    fixed, folder = [_named(args[at]) for at in static], _folder()
    if folder is None or "" in fixed:
        return function
    like = [arg if at in static else jax.tree.map(_shape, arg) for at, arg in enumerate(args)]
    given = [arg for at, arg in enumerate(like) if at not in static]
    words = [f"{name} {getattr(jax.config, name)}" for name in _SETTINGS]
    words += [_sources(), jax.__version__, function.__module__, function.__qualname__, *fixed]
    words += [str(jax.tree.structure(given)), *map(str, jax.tree.leaves(given)), str(current())]
    path = folder / digest_of(words)[:32]
    _name_nodes()
    data = _read(path)
    if data is None:
        data = bytes(export.export(compiled)(*like).serialize())
        with suppress(OSError, UserError):
            _write(path, data)
    exported = export.deserialize(bytearray(data))
    return lambda *every: exported.call(*(arg for at, arg in enumerate(every) if at not in static))


def _shape(array: jax.Array) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(array.shape, array.dtype)


def jit_game(
    function: Callable[..., Any] | None = None,
    *,
    static_argnums: tuple[int, ...] = (),
    donate_argnums: tuple[int, ...] = (),
) -> Any:
    """Compile a function that plays games, as `jax.jit` does; a decorator with and without arguments.

    Where JAX keeps compiled programs on disk, the traces of these are kept as well, on a CPU of one device, and for
    static arguments that are None, numbers, meshes or functions of a module. Programs of networks, which XLA's options
    for games round otherwise, are compiled by `jax.jit`. Inside of another traced function, the function is part of it.

    Args:
        function: Its arguments are positional.
        static_argnums: Positions of static arguments.
        donate_argnums: Positions of arguments whose memory the results may take.

    Returns:
        The compiled function.
    """
    if function is None:
        return partial(jit_game, static_argnums=static_argnums, donate_argnums=donate_argnums)
    return Program(function, static_argnums, donate_argnums)


def _named(fixed: object) -> str:
    """Return what a static argument is called wherever it is the same; empty where nothing says that."""
    if fixed is None or isinstance(fixed, int):
        return str(fixed)
    if isinstance(fixed, jax.sharding.Mesh):
        return "mesh"  # of the only device
    module, name = getattr(fixed, "__module__", ""), getattr(fixed, "__qualname__", "<")
    room = module.replace(".", "/")
    ours = room.startswith(_SOURCES) and "<" not in name and not hasattr(fixed, "__self__")
    return f"{module} {name}" if ours else ""


def _folder() -> Path | None:
    """Return the folder for traces; None: none are kept."""
    folder: str | None = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]  # made when JAX is loaded
    devices = jax.devices() if folder else []
    return Path(str(folder)) / FOLDER if len(devices) == 1 and devices[0].platform == "cpu" else None


@cache
def _sources() -> str:
    """Return a digest of the sources that a trace runs."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in _SOURCES for path in (_ROOT / folder).rglob("*.py")):
        digest.update(f"{path.relative_to(_ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


_known_nodes: set[type] = set()


def _name_nodes() -> None:
    """Tell `jax.export` what to call the classes that arguments and results are made of."""
    rooms = [module for name, module in [*sys.modules.items()] if name.startswith(_ROOMS)]
    classes = {each for room in rooms for each in vars(room).values() if isinstance(each, type)}
    for each in {Plan, *(each for each in classes if hasattr(each, "_flax_dataclass"))} - _known_nodes:
        export.register_pytree_node_serialization(
            each,
            serialized_name=f"{each.__module__}.{each.__qualname__}",
            serialize_auxdata=lambda fields: json.dumps(fields).encode(),
            deserialize_auxdata=lambda text: tuple(json.loads(text)),
        )
        _known_nodes.add(each)


def _read(path: Path) -> bytes | None:
    """Return the trace in a file; None if it is missing or damaged."""
    with suppress(OSError):
        content = path.read_bytes()
        digest, data = content[:_DIGEST], content[_DIGEST:]
        return data if hashlib.sha256(data).digest() == digest else None
    return None


def _write(path: Path, data: bytes) -> None:
    """Write a file whole, and drop the oldest of its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as part:
        part.write_bytes(hashlib.sha256(data).digest() + data)
    files = sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in files[_MOST:]:
        old.unlink(missing_ok=True)
