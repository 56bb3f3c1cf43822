"""Where the sources lie, and what each module imports, read by `ast` without running anything."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dsl", "bt", "hive", "scenarios")
NAMED = re.compile(r"(hive(?:\.\w+)+)\.?(?::\w+)?", re.ASCII)  # a text such as `hive.worlds.battle.host:Battles`


@dataclass(frozen=True)
class Import:
    """One import statement; `names` are what `from module import …` brings in."""

    module: str
    names: tuple[str, ...]
    line: int
    in_text: bool = False  # whether a text names the module


def modules(*folders: str) -> dict[str, Path]:
    """Dotted name to file for every module in the folders."""
    found = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file, which is parsed once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(name: str, path: Path) -> list[Import]:
    """Every import in the file, relative ones resolved; a text that names a module of ours is imported by its name."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, (), node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            found.append(Import(module, tuple(alias.name for alias in node.names), node.lineno))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = NAMED.fullmatch(node.value)
            if named and any((ROOT / "hive").glob(f"{named[1].split('.')[1]}*")):
                found.append(Import(named[1], (), node.lineno, in_text=True))
    return found
