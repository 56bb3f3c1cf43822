"""Public functions state what their users need to know: the errors that they raise, and the shapes of their arrays."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from tests.arch.sources import PACKAGES, modules, tree

ROOTS = ("UserError", "ValueError")  # what a user or a caller can put right; others are defects of the project
STATED = re.compile(r"^Raises:|^Raise an? `|^Refuse\b|\berrors are those of `", re.MULTILINE)
STATED_SHAPE = re.compile(r"\[[^\]]*\]|\([a-z], [a-z]\)|\bshapes?\b|\bscalar\b|\b[Ss]ee `")
WITH_SHAPE = re.compile(r"\w+\[[^\[\]]*(?:'[^']*'|\.\.\.)\]")  # such as Float[Array, 'n 2'], or ... for any shape
BARE = re.compile(r"\b(?:Array|ndarray|NDArray|ArrayLike)\b")
CLASS = re.compile(r"^class (\w+)\((.+)\):", re.MULTILINE)


ALL = modules(*PACKAGES)


def errors(texts: Iterable[str]) -> set[str]:
    """Return the names of the roots and of all their subclasses."""
    found = set(ROOTS)
    bases = {name: set(re.findall(r"\w+", above)) for text in texts for name, above in CLASS.findall(text)}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def functions(parent: ast.AST, docstring: str = "") -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """Yield public functions, methods and constructors with what is said of them, of constructors by the class too."""
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions(node, ast.get_docstring(node) or "")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own = ast.get_docstring(node) or ""
            if node.name in ("__init__", "__post_init__"):
                yield node, f"{docstring}\n{own}"
            elif not node.name.startswith("_"):
                yield node, own


def raised(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names of the errors that a function raises itself, not in a function inside it."""
    found: set[str] = set()
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise) and node.exc is not None:
            name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found.add(ast.unparse(name).rsplit(".", 1)[-1])
        elif not isinstance(node, ast.expr | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return found


def test_a_public_function_states_the_errors_that_it_raises() -> None:
    """A user reads the docstring, not the body.

    Where the contracts in `hive.kit` state the errors of a method, a kind of world need not repeat them.
    """
    known = errors(path.read_text(encoding="utf-8") for path in ALL.values())
    contracts = [tree(ALL[f"hive.kit.{name}"]) for name in ("contract", "planned_world", "team_world")]
    promised = {node.name for each in contracts for node, said in functions(each) if "Raises:" in said}
    silent = [
        f"{name}:{node.lineno} {node.name}"
        for name, path in ALL.items()
        for node, said in functions(tree(path))
        if not STATED.search(said) and known & raised(node)
        if not (name.endswith(".host") and node.name in promised)
    ]
    assert silent == []


def test_a_public_function_states_the_shapes_of_arrays_whose_annotations_do_not() -> None:
    silent = []
    for name, path in ALL.items():
        for node, said in functions(tree(path)):
            named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            annotations = [ast.unparse(each) for each in (node.returns, *(arg.annotation for arg in named)) if each]
            bare = any(BARE.search(WITH_SHAPE.sub("", annotation)) for annotation in annotations)
            if bare and not STATED_SHAPE.search(said):
                silent.append(f"{name}:{node.lineno} {node.name}")
    assert silent == []
