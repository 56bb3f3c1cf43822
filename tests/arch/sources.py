"""Where the sources lie, and what each module imports, read by `ast` without running anything."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
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
    when_loaded: bool  # False inside a function or under `if TYPE_CHECKING`
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

    def walk(node: ast.AST, when_loaded: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, (), child.lineno, when_loaded) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                above = package[: len(package) - child.level + 1] if child.level else []
                module = ".".join([*above, *([child.module] if child.module else [])])
                yield Import(module, tuple(alias.name for alias in child.names), child.lineno, when_loaded)
            elif isinstance(child, ast.Constant) and isinstance(child.value, str):
                named = NAMED.fullmatch(child.value)
                if named and any((ROOT / "hive").glob(f"{named[1].split('.')[1]}*")):
                    yield Import(named[1], (), child.lineno, False, in_text=True)
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from walk(child, False)
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                for part in child.body:
                    yield from walk(ast.Module([part], []), False)
                for part in child.orelse:
                    yield from walk(ast.Module([part], []), when_loaded)
            else:
                yield from walk(child, when_loaded)

    return list(walk(tree(path), True))
