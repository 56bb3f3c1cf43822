"""A report for reviewers: long modules, tiny ones, and names that several modules define. `make report` prints it.

None of it is wrong by itself. A long module is fine where it is one thing that is read from top to bottom; a name is
fine in several modules where siblings fill the same role with it (`State`, `Params`). The report is where to look.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set

from tests.arch.sources import modules, tree

LONG, TINY = 400, 20  # lines


def classes(module: ast.Module) -> set[str]:
    """Public classes of a module."""
    return {node.name for node in module.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}


def homes(names: Mapping[str, Set[str]]) -> dict[str, list[str]]:
    """The modules that define each name, for those that several modules define."""
    every = sorted({name for each in names.values() for name in each})
    found = {name: [module for module in names if name in names[module]] for name in every}
    return {name: where for name, where in found.items() if len(where) > 1}


def main() -> None:
    """Print the report."""
    files = modules("hive", "bt", "dsl")
    lengths = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in files.items()}
    print(f"{len(files)} modules, {sum(lengths.values()):,} lines")
    print(f"\nmore than {LONG} lines:")
    for name in sorted(lengths, key=lengths.__getitem__, reverse=True):
        if lengths[name] > LONG:
            print(f"  {lengths[name]:5}  {name}")
    tiny = [name for name in files if lengths[name] < TINY and files[name].name != "__init__.py"]
    print(f"\nfewer than {TINY} lines: {', '.join(tiny)}")
    print("\nclasses that several modules define:")
    for name, where in homes({module: classes(tree(path)) for module, path in files.items()}).items():
        print(f"  {name:20} {', '.join(where)}")


if __name__ == "__main__":
    main()
