"""Whether a text is a number is asked in one place: tests of `str` accept signs of other scripts, and `int` not all."""

from __future__ import annotations

import ast

from tests.arch.sources import modules, tree

LOOSE = {"isdigit", "isdecimal", "isnumeric"}


def test_digits_are_recognised_by_one_function() -> None:
    """`"²".isdigit()` holds and `int("²")` raises; `dsl.wording.is_whole` asks for ASCII digits.

    Plans are read with the digits of any script, since their meaning is certain.
    """
    found = {
        name: sorted(
            node.lineno for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute) and node.attr in LOOSE
        )
        for name, path in modules("dsl", "bt", "hive", "scripts").items()
        if name not in ("dsl.wording", "dsl.plan_lines") and any(word in path.read_text("utf-8") for word in LOOSE)
    }
    assert {name: lines for name, lines in found.items() if lines} == {}
