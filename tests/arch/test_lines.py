"""Content of files is split at line feeds alone; `str.splitlines` also splits at U+2028, U+0085 and six other signs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.arch.sources import modules, tree

READERS = {"read_text", "read_bytes", "read", "readlines", "decode"}  # their results are content


def names(target: ast.expr) -> Iterator[str]:
    """Names that an assignment to `target` binds."""
    yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def content(node: ast.AST, known: set[str]) -> bool:
    """Whether an expression holds content of a file: a call that reads one, or a name of such a value."""
    return any(
        (isinstance(each, ast.Call) and called(each) in READERS) or (isinstance(each, ast.Name) and each.id in known)
        for each in ast.walk(node)
    )


def called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def split_content(source: ast.AST) -> list[int]:
    """Lines on which `splitlines` is called on content of a file, also by names that were bound to it before."""
    found = []
    functions = [node for node in ast.walk(source) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for scope in [source, *functions]:
        known: set[str] = set()
        while True:
            before = len(known)
            for node in ast.walk(scope):
                if isinstance(node, ast.Assign) and content(node.value, known):
                    known |= {name for target in node.targets for name in names(target)}
                elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value and content(node.value, known):
                    known |= set(names(node.target))
            if len(known) == before:
                break
        local = known if scope is not source else set()
        for node in ast.walk(scope):
            if isinstance(node, ast.Attribute) and node.attr == "splitlines" and content(node.value, local):
                found.append(node.lineno)
    return sorted(set(found))


@pytest.mark.parametrize(
    "text",
    [
        "path.read_text(encoding='utf-8').splitlines()",
        "def read(path):\n    text = path.read_bytes()[:9].decode()\n    for line in text.splitlines(): pass",
        "def read(path):\n    data, name = read_text(path), 1\n    lines = data\n    return lines.strip().splitlines()",
        "async def read(file):\n    return [x for x in (text := file.read()).splitlines()]",
    ],
)
def test_the_test_finds_what_it_forbids(text: str) -> None:
    assert split_content(ast.parse(text))


@pytest.mark.parametrize("text", ["def f(text):\n    return text.splitlines()", "path.read_text().split('\\n')"])
def test_other_texts_may_be_split(text: str) -> None:
    assert not split_content(ast.parse(text))


def test_content_of_files_is_split_at_line_feeds_alone() -> None:
    """A prompt or a reply with U+2028 in it stays one line of a journal; `hive.kit.keep.lines.split_lines` splits."""
    splitting = {
        name: path
        for name, path in modules("dsl", "bt", "hive", "docs", "scripts").items()
        if "splitlines" in path.read_text(encoding="utf-8")
    }
    assert splitting, "some texts that are no files are split by it, so the test has something to look at"
    found = {name: split_content(tree(path)) for name, path in splitting.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}
