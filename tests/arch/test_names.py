"""One meaning for each name: public classes of one name, and constants of one name that other modules import.

The rule stands in `hive/ARCHITECTURE.md` under "One meaning for each name". A name is shared only where every sibling
world, file or framework fills the same role with it; the tables below say which role that is.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set

from tests.arch.sources import imports, modules

CLASS_ROLES = {
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
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in ALL.items()}


def classes(tree: ast.Module) -> set[str]:
    """Public classes of a module."""
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}


def constants(tree: ast.Module) -> set[str]:
    """Names in upper case that a module assigns."""
    targets = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    found = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return {name for name in found if name.isupper() and not name.startswith("_")}


def homes(names: Mapping[str, Set[str]]) -> dict[str, list[str]]:
    """The modules that define each name, for those that several modules define."""
    every = sorted({name for each in names.values() for name in each})
    found = {name: [module for module in names if name in names[module]] for name in every}
    return {name: where for name, where in found.items() if len(where) > 1}


def test_public_classes_of_one_name_have_one_role() -> None:
    """A reader who meets a class again in another module must be able to rely on what its name means."""
    shared = homes({module: classes(tree) for module, tree in TREES.items()})

    assert {name: where for name, where in shared.items() if name not in CLASS_ROLES} == {}
    assert CLASS_ROLES.keys() - shared.keys() == set(), "a role of one module alone needs no row"


def test_imported_constants_of_one_name_have_one_role() -> None:
    """The same for constants that another module imports by their name; those of one module alone are free."""
    imported = {
        (each.module, part) for module, path in ALL.items() for each in imports(module, path) for part in each.names
    }
    exported = {
        module: {name for name in constants(tree) if (module, name) in imported} for module, tree in TREES.items()
    }
    shared = homes(exported)

    assert {name: where for name, where in shared.items() if name not in CONSTANT_ROLES} == {}
    assert CONSTANT_ROLES.keys() - shared.keys() == set(), "a role of one module alone needs no row"


def test_a_second_meaning_that_is_planted_is_found() -> None:
    """The rule can fail: classes and constants of two modules, whatever form the statements have."""
    one = ast.parse("class Plan: pass\nclass _Own: pass\nLIMIT = 1\nif LIMIT:\n    SIZE = 2")
    other = ast.parse("class Plan(dict): pass\nclass _Own: pass\nSIZE, LIMIT = 2, 3\nDEPTH: int = 4")

    assert homes({"one": classes(one), "other": classes(other)}) == {"Plan": ["one", "other"]}
    assert homes({"one": constants(one), "other": constants(other)}) == {"LIMIT": ["one", "other"]}
    assert constants(other) == {"SIZE", "LIMIT", "DEPTH"}
