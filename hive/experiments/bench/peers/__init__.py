"""Other engines in the same run, each at the work that is comparable, with a line on what is not.

They are installed by the extra `bench`, next to the JAX and NumPy that are there; none of their code is here.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

__all__ = ["missing", "rows"]

_MODULES = {  # package: the modules here that meet it
    "jaxmarl": ("smax", "overcooked"),
    "magent2": ("magent",),
    "py_trees": ("trees",),
}


def missing() -> list[str]:
    """Names of the packages that are not installed."""
    return [package for package in _MODULES if find_spec(package) is None]


def rows(quick: bool) -> Iterator[dict[str, object]]:
    """Meet every peer that is installed.

    Args:
        quick: Whether small sizes and few repeats will do.

    Yields:
        Flat rows of plain values: `row` ("peer"), `peer`, `version`, `work`, `unit`, `ours` and `theirs` in that unit,
        `ratio` of the two, `steps` that each side did in a timed run, and `not_comparable`.
    """
    absent = missing()
    for package, modules in _MODULES.items():
        if package not in absent:
            for module in modules:
                yield from import_module(f"{__name__}.{module}").rows(quick)
