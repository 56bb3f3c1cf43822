"""`jit_game`: programs that play games, compiled, and their traces kept on disk.

JAX keeps compiled programs on disk, but finds one only by its traced and lowered form, and to trace a tick takes longer
than all else that a command does before its first tick. So a trace is kept in the same folder, as `jax.export` writes
it. The name of its file is a digest of all that it depends on, the sources included: what was kept before a change of
the code is not found after it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial, update_wrapper
from pathlib import Path
from typing import Any

import jax
import jaxlib
from jax import export

from hive.engine.types import Plan
from hive.ground.sizes import current

FOLDER = "traces"
_MOST = 300  # files of some 100 kB; the oldest are dropped
_DIGEST = 32  # bytes of a file before the trace
_ROOT = Path(__file__).parents[2]
_SOURCES = ("hive/engine", "hive/ground", "hive/worlds", "dsl", "bt")  # all that a trace runs
_ROOMS = ("hive.", "bt.")  # whose classes arguments and results are made of
_SETTINGS = ("jax_enable_x64", "jax_default_prng_impl", "jax_threefry_partitionable", "jax_default_matmul_precision")


class Program:
    """A compiled function of games; see `jit_game`. It has the attributes of what `jax.jit` returns."""

    def __init__(self, function: Callable[..., Any], static_argnums: tuple[int, ...], donate_argnums: tuple[int, ...]):
        """Compile a function; the positions are those of its arguments, as for `jax.jit`."""
        self._function, self._static = function, static_argnums
        self._donated = tuple(at - sum(each < at for each in static_argnums) for at in donate_argnums)
        self._jit = partial(
            jax.jit,
            # On a CPU programs of games compile sooner, and most run faster, without XLA's newer emitters of fused
            # loops. From jaxlib 0.11 on the option is unknown.
            compiler_options={"xla_cpu_use_fusion_emitters": False} if jaxlib.__version__.startswith("0.10.") else {},
        )
        self._jitted: Any = self._jit(function, static_argnums=static_argnums, donate_argnums=donate_argnums)
        self._kept = dict[object, Any]()
        update_wrapper(self, function)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled function, such as `lower`."""
        return getattr(self._jitted, name)

    def _cache_size(self) -> int:
        """Return how many programs were made, as JAX's own functions do."""
        return sum(int(each._cache_size()) for each in (self._jitted, *self._kept.values()))

    def __call__(self, *args: Any) -> Any:
        """Call the function."""
        given = [arg for at, arg in enumerate(args) if at not in self._static]
        fixed = [_named(args[at]) for at in self._static]
        leaves, tree = jax.tree.flatten(given)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):  # part of another program
            return self._function(*args)
        folder = _folder()
        if folder is None or "" in fixed:
            return self._jitted(*args)
        shapes = [jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in map(jax.typeof, leaves)]
        key = (folder, tree, *((shape.shape, shape.dtype) for shape in shapes), *fixed, current())
        if key not in self._kept:
            like = jax.tree.unflatten(tree, shapes)
            traced = self._traced(folder, [self.__module__, self.__qualname__, *map(str, key[1:])], args, like)
            self._kept[key] = self._jit(traced, donate_argnums=self._donated)
        return self._kept[key](*given)

    def _traced(self, folder: Path, words: list[str], args: tuple[Any, ...], like: list[Any]) -> Callable[..., Any]:
        """Return the traced function from its file; where there is none, trace it and write the file."""
        surroundings = [_sources(), jax.__version__, *(f"{name} {getattr(jax.config, name)}" for name in _SETTINGS)]
        path = folder / hashlib.sha256(json.dumps([*surroundings, *words]).encode()).hexdigest()[:32]
        _name_nodes()
        data = _read(path)
        if data is None:
            rest = iter(like)
            shapes = [arg if at in self._static else next(rest) for at, arg in enumerate(args)]
            data = bytes(export.export(self._jitted)(*shapes).serialize())
            with suppress(OSError):
                _write(path, data)
        exported = export.deserialize(bytearray(data))

        def call(*given: Any) -> Any:
            return exported.call(*given)

        call.__name__ = self.__name__
        return call


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
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as part:
        part.write(hashlib.sha256(data).digest() + data)
    os.replace(part.name, path)
    files = sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in files[_MOST:]:
        old.unlink(missing_ok=True)
