"""Every rule of the plain commander has an example, and reads a part of it."""

from __future__ import annotations

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
