"""Hosts ask a world what it can do: they compare no name of a kind, and test no value for the class of one world."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arch.sources import tree
from tests.arch.test_imports import ALL, WORLDS, within

HOSTS = ("hive.rl", "hive.kit.view", "hive.web", "hive.mcp", "hive.cli")

# Exceptions: the commands of one world may refuse another one by its class.
OF_ONE_WORLD = tuple(f"hive.cli.{world}" for world in sorted(WORLDS))

SINGLE = tuple(f"hive.worlds.{world}" for world in sorted(WORLDS))  # where classes of one world are
NAMES_OF_KINDS = {"noun", "row_of"}  # `Kind.noun` is for messages, and `hive.worlds.row_of` for looking up a row


def hosts() -> list[str]:
    """Modules that serve worlds of several kinds."""
    inside = [name for name in ALL if any(within(name, host) for host in HOSTS)]
    return [name for name in inside if not any(within(name, room) for room in OF_ONE_WORLD)]


def decided_by_kind(name: str, path: Path | None = None) -> list[str]:
    """Places of a module that decide something by the name of a kind or by the class of one world."""
    nodes = list(ast.walk(tree(path or ALL[name])))
    classes = {
        part.asname or part.name
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for part in node.names
        if any(within(f"{node.module}.{part.name}", room) for room in SINGLE)
    }
    found = []
    where: ast.expr
    for node in nodes:
        if isinstance(node, ast.Compare):
            where, wrong = node, NAMES_OF_KINDS
        elif isinstance(node, ast.Match):
            where, wrong = node.subject, NAMES_OF_KINDS
        elif isinstance(node, ast.MatchClass):
            where, wrong = node.cls, classes
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            where, wrong = node.args[1], classes
        else:
            continue
        found += [f"{name}:{where.lineno} decides by {each}" for each in _words(where) if each in wrong]
    return found


def _words(node: ast.AST) -> Iterator[str]:
    """Names and attributes in an expression."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr


def test_hosts_decide_nothing_by_the_kind_of_a_world() -> None:
    assert [line for name in hosts() for line in decided_by_kind(name)] == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(kind):\n    return kind.noun != 'battle'",
        "from hive.worlds import row_of\ndef f(name):\n    return row_of(name) == 'battle'",
        "def f(kind):\n    match kind.noun:\n        case 'battle':\n            return 1",
        "from hive.worlds.battle.world import Battle\ndef f(world):\n    assert isinstance(world, Battle)",
        "def f(x):\n    from hive.worlds.wildfire.world import Fireground as Level\n    return isinstance(x, Level)",
        "from hive.worlds.battle import world\ndef f(x):\n    return isinstance(x, world.Battle | str)",
        "from hive.worlds.battle.world import Battle\ndef f(x):\n    match x:\n        case Battle():\n            x()",
    ],
)
def test_a_decision_that_is_planted_is_found(text: str, tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text(f"{text}\n", encoding="utf-8")
    assert len(decided_by_kind("hive.cli.planted", planted)) == 1
