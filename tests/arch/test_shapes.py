"""Shapes that annotations state are checked while the tests run, and nothing is promoted implicitly."""

from __future__ import annotations

import ast
from importlib.util import find_spec

import jax
import jax.numpy as jnp
import pytest
from jaxtyping import TypeCheckError

import bt
from hive.engine.crews.frames import near
from tests import shapes
from tests.arch.sources import PACKAGES, imports, modules, tree
from tests.arch.test_imports import within

ALL = modules(*PACKAGES)


@pytest.mark.parametrize("room", shapes.ROOMS)
def test_every_module_of_a_room_is_loaded_with_checks(room: str) -> None:
    loaders = {name: type(find_spec(name).loader).__module__ for name in ALL if within(name, room)}  # type: ignore[union-attr]
    assert loaders and {home.split(".")[0] for home in loaders.values()} == {"jaxtyping"}, loaders


def test_only_modules_that_take_a_world_are_left_out_of_a_room_with_checks() -> None:
    left_out = {name for name in ALL if name.rpartition(".")[0] == "hive.engine" and name not in shapes.ROOMS}
    left_out -= {room.rpartition(".")[0] for room in ALL if room.startswith("hive.engine.") and room.count(".") > 2}
    assert left_out == {
        *(
            f"hive.engine.{name}"
            for name in ("course", "ending", "instant", "leaves", "live", "page_view", "reading", "recorder", "world")
        ),
    }


def test_shapes_in_annotations_are_strings() -> None:
    """`Float[Array, n * x]` is a shape that lost its quotes: whatever evaluates the annotation fails."""
    bare, seen = [], 0
    for name, path in ALL.items():
        ours = {each for found in imports(name, path) if found.module == "jaxtyping" for each in found.names}
        for node in ast.walk(tree(path)) if ours else ():
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in ours:
                seen += 1
                if not (isinstance(node.slice, ast.Tuple) and _is_text(node.slice.elts[-1])):
                    bare.append(f"{path}:{node.lineno}: {ast.unparse(node)}")
    assert seen > 100 and not bare, bare


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@pytest.mark.parametrize(
    ("jumps", "answers"),
    [
        (jnp.zeros((2, 3), jnp.int32), jnp.zeros((2, 4), bool)),  # the letter n has two values
        (jnp.zeros((2, 3), jnp.int32), jnp.zeros(3, bool)),  # an axis is missing
        (jnp.zeros((2, 3), jnp.float32), jnp.zeros((2, 3), bool)),  # no whole numbers
    ],
)
def test_a_call_that_disagrees_with_its_annotation_raises(jumps: jax.Array, answers: jax.Array) -> None:
    with pytest.raises(TypeCheckError):
        bt.tick(jumps, jumps, jnp.zeros((2, 3), bool), answers)


def test_shapes_are_checked_under_a_trace_too() -> None:
    with pytest.raises(TypeCheckError):
        jax.eval_shape(near, jnp.zeros((4, 3), jnp.int32), jnp.zeros(2, jnp.int32))
    with pytest.raises(TypeCheckError):
        jax.eval_shape(jax.vmap(near), jnp.zeros((5, 4, 2), jnp.int32), jnp.zeros((5, 3), jnp.int32))


def test_implicit_promotion_raises() -> None:
    with pytest.raises(ValueError, match="rank_promotion"):
        jnp.zeros((2, 3)) + jnp.zeros(3)
    with pytest.raises(ValueError, match="dtype_promotion"):
        jnp.zeros(3) + jnp.zeros(3, jnp.int32)


def test_no_product_module_checks_its_own_shapes() -> None:
    """Checks cost time at every trace; only the tests pay for them."""
    wrong = [
        f"{name}:{each.line}"
        for name, path in ALL.items()
        for each in imports(name, path)
        if each.module.split(".")[0] == "beartype" or {"install_import_hook", "jaxtyped"} & set(each.names)
    ]
    assert not wrong
