"""Names of a package that are loaded when first used, so that what needs no JAX starts without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    namespace: dict[str, Any], homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a package (PEP 562).

    Args:
        namespace: The package's `globals()`.
        homes: Its modules, relative to it, and others by their whole name, each with the names that it is asked for.
    """
    package = namespace["__name__"]
    home = {
        name: module if module.startswith("hive.") else f"{package}.{module}"
        for module, names in homes.items()
        for name in names
    }

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        namespace[name] = value = getattr(import_module(home[name]), name)
        return value

    return find, lambda: sorted({*namespace, *namespace["__all__"]})
