"""Every rule of the plain commander has an example, and reads a part of it; there are not too many of them."""

from __future__ import annotations

import ast
from importlib import resources
from typing import Any

import pytest

from hive.players.words import clauses
from hive.players.words.lexicon import read

NAMES: dict[tuple[str, ...], dict[str, object]] = {
    (name,): {"name": name.title()} for name in ("stonegate", "rowan", "curlew")
}


@pytest.mark.parametrize("number", range(len(clauses.RULES)), ids=[row[0] for row in clauses.RULES])
def test_an_example_is_read_by_its_rule(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    used = []

    def watched(row: int, rule: clauses.Rule) -> clauses.Rule:
        def tried(reader: Any, item: Any) -> bool:
            taken = rule(reader, item)
            if taken:
                used.append(row)
            return taken

        return tried

    rows = [(example, pattern, watched(row, rule)) for row, (example, pattern, rule) in enumerate(clauses.RULES)]
    monkeypatch.setattr(clauses, "RULES", tuple(rows))
    clauses.Clauses(read(clauses.RULES[number][0], NAMES, "ABCD")).read()
    assert number in used


def test_the_interpreter_has_at_most_a_thousand_lines_of_code() -> None:
    """Lines with code; no comments, texts that stand alone and blank lines."""
    total = 0
    for name in ("lexicon", "phrases", "clauses", "reading"):
        text = resources.files("hive.players.words").joinpath(f"{name}.py").read_text(encoding="utf-8")
        alone = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Expr)]
        texts = [each for each in alone if isinstance(each.value, ast.Constant)]
        told = {line for each in texts for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
        lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
        total += sum(bool(line) and not line.startswith("#") and number not in told for number, line in lines)
    assert total <= 1_000
