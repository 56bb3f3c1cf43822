"""One meaning for each name: public classes, and the aliases of types and constants that other modules import.

The rule stands in `hive/ARCHITECTURE.md` under "One meaning for each name". A name is shared only where every sibling
world, file or framework fills the same role with it; the tables below say which role that is.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from functools import cache

from tests.arch.sources import imports, modules, tree

TYPE_ROLES = {
    "Cell": "(x, y) of a cell of a map",
    "Floats": "an array of floating-point numbers",
    "Line": "one line of words next to the frames of a world's recording",
    "LineKind": "what such a line is",
    "Look": "shape and colours with which a world's pictures draw one thing",
    "Optimum": "the best play of one instance, proved",
    "Params": "everything that a game of a world does not change",
    "PromptFacts": "what a prompt says, as a world's scripted speaker reads it",
    "PromptMessage": "a message in such a prompt",
    "Reader": "one file of a world while it is read, with the problems found so far",
    "State": "one game of a world at one instant",
    "View": "what an agent of a team perceives in a world, before it is put into words",
}
CONSTANT_ROLES = {
    "AGENTS": "the most agents that the arrays of a world hold",
    "FAR": "the distance between places that no way joins",
    "FRAMEWORK": "the framework that a module of `hive.teams.frameworks` defines",
    "PREFIX": "what the names of a world's games begin with",
    "ROOMS": "the most rooms that the arrays of a world hold",
    "SENTENCES": "what a refusal says, by its code",
    "VERSION": "number of the words that agents of a world read",
}

ALL = modules("hive", "bt", "dsl")


def classes(module: ast.Module) -> set[str]:
    """Public classes of a module."""
    return {node.name for node in module.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}


def assigned(module: ast.Module) -> set[str]:
    """Public names that a module assigns: constants in upper case, aliases of types in mixed case."""
    targets = []
    for node in module.body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    found = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return {name for name in found if name[0].isupper()}


def homes(names: Mapping[str, Set[str]]) -> dict[str, list[str]]:
    """The modules that define each name, for those that several modules define."""
    every = sorted({name for each in names.values() for name in each})
    found = {name: [module for module in names if name in names[module]] for name in every}
    return {name: where for name, where in found.items() if len(where) > 1}


@cache
def exported() -> dict[str, set[str]]:
    """By module: the names which it assigns and another module imports."""
    taken = {
        (each.module, part) for module, path in ALL.items() for each in imports(module, path) for part in each.names
    }
    return {module: {name for name in assigned(tree(path)) if (module, name) in taken} for module, path in ALL.items()}


def test_types_of_one_name_have_one_role() -> None:
    """A reader who meets a class or an alias again in another module can rely on what its name means."""
    aliases = exported()
    shared = homes(
        {
            module: classes(tree(path)) | {name for name in aliases[module] if not name.isupper()}
            for module, path in ALL.items()
        }
    )

    assert {name: where for name, where in shared.items() if name not in TYPE_ROLES} == {}
    assert TYPE_ROLES.keys() - shared.keys() == set(), "a role of one module alone needs no row"


def test_imported_constants_of_one_name_have_one_role() -> None:
    """The same for constants that another module imports by their name; those of one module alone are free."""
    shared = homes({module: {name for name in names if name.isupper()} for module, names in exported().items()})

    assert {name: where for name, where in shared.items() if name not in CONSTANT_ROLES} == {}
    assert CONSTANT_ROLES.keys() - shared.keys() == set(), "a role of one module alone needs no row"


def test_a_second_meaning_that_is_planted_is_found() -> None:
    """The rule can fail: classes, aliases and constants of two modules, whatever form the statements have."""
    one = ast.parse("class Plan: pass\nclass _Own: pass\nLIMIT = 1\nif LIMIT:\n    SIZE = 2")
    other = ast.parse(
        "class Plan(dict): pass\nclass _Own: pass\nSIZE, LIMIT = 2, 3\nDEPTH: int = 4\nRow = dict[str, int]"
    )

    assert homes({"one": classes(one), "other": classes(other)}) == {"Plan": ["one", "other"]}
    assert homes({"one": assigned(one), "other": assigned(other)}) == {"LIMIT": ["one", "other"]}
    assert assigned(other) == {"SIZE", "LIMIT", "DEPTH", "Row"}
