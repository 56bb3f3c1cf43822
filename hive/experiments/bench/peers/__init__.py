"""Other engines in the same run, each at the work that is comparable, with a line on what is not.

They are installed by the extra `bench`, next to the JAX and NumPy that are there; none of their code is here.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_MODULES = {  # package: the modules here that meet it
    "jaxmarl": ("smax", "overcooked"),
    "magent2": ("magent",),
    "py_trees": ("trees",),
}


def run(quick: bool) -> Iterator[dict[str, Any]]:
    """Meet every peer that is installed, and say which are not.

    Args:
        quick: Whether small sizes and few repeats will do.

    Yields:
        A note that names the packages that are not installed; flat rows of plain values: `peer`, `version`, `work`,
        `units` of a world, `unit`, `ours` and `theirs` in that unit a second, `ratio` of the two, `steps` that each
        side did in a timed run, and `not_comparable`.
    """
    absent = [package for package in _MODULES if find_spec(package) is None]
    if absent:
        names = ", ".join(absent)
        yield {"peer": names, "note": f"not installed: {names}; `pip install 'hive-swarm[bench]'` adds them"}
    for package, modules in _MODULES.items():
        if package not in absent:
            for module in modules:
                yield from import_module(f"{__name__}.{module}").rows(quick)
