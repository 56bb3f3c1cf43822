"""Members of the enumerations of codes compile to the same programs as plain integers, and follow the vocabulary."""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import IntEnum

import jax
import jax.numpy as jnp
import pytest

from dsl.vocabulary import CREW_TYPES, THINGS
from hive.engine.crews.explored import SYMBOLS, Explored
from hive.engine.crews.leaves import CrewOp, Thing
from hive.engine.types import ActionKind, CrewType
from hive.engine.units.leaves import UnitOp
from tests.arch.sources import modules

WORDS, BYTES = jnp.arange(4, dtype=jnp.int32), jnp.arange(4, dtype=jnp.uint8)
USES: dict[str, Callable[[int], jax.Array]] = {
    "compare": lambda code: code == WORDS,
    "choose": lambda code: jnp.where(WORDS == 1, code, WORDS),
    "choose between codes": lambda code: jnp.where(WORDS == 1, code, 7),
    "choose bytes": lambda code: jnp.where(BYTES == 1, code, BYTES),
    "fill": lambda code: jnp.full(3, code),
    "fill bytes": lambda code: jnp.full(3, code, jnp.uint8),
    "index": lambda code: WORDS[code],
    "set": lambda code: BYTES.at[0].set(code),
    "mask": lambda code: (BYTES & code) + code,
    "shift": lambda code: BYTES << code,
    "table": lambda code: jnp.asarray([code, 1])[WORDS % 2],
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_member_compiles_as_its_number_does(use: Callable[[int], jax.Array]) -> None:
    member, number = (jax.make_jaxpr(lambda code=code: use(code))() for code in (ActionKind.ATTACK, 2))
    assert str(member) == str(number)
    assert [out.weak_type for out in member.out_avals] == [out.weak_type for out in number.out_avals]


def test_operations_of_crews_follow_those_of_units() -> None:
    """Trees of units and of crews share one table of operations."""
    assert sorted([*UnitOp, *CrewOp]) == list(range(len(UnitOp) + len(CrewOp)))


@pytest.mark.parametrize(("codes", "words"), [(Thing, THINGS), (CrewType, CREW_TYPES)])
def test_codes_follow_the_vocabulary(codes: type[IntEnum], words: tuple[str, ...]) -> None:
    assert [code.name.lower() for code in codes] == list(words)
    assert list(codes) == list(range(len(words)))


def test_every_code_of_the_explored_map_has_a_symbol() -> None:
    assert max(Explored) == len(SYMBOLS) - 1


def test_arrays_are_filled_with_numbers_not_with_members() -> None:
    """`jnp.full(shape, member, jnp.int32)` is weakly typed, so that a program compiles twice; a number is not."""
    found = [
        f"{name}:{call.lineno}"
        for name, path in modules("hive").items()
        if "jnp.full" in (text := path.read_text(encoding="utf-8"))
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("jnp.full", "jnp.full_like")
        if isinstance(call.args[1], ast.Attribute) and call.args[1].attr.isupper()
    ]
    assert found == []
