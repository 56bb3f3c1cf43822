"""Files of learned costs (`--utility`): a damaged or hostile one is refused in plain words and in little memory."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from flax.traverse_util import flatten_dict
from numpy.lib import format as npy

from dsl import UserError
from hive.rl import utility as of_orders
from hive.worlds.household.options import OptionKind
from hive.worlds.household.utility.features import BUCKETS
from hive.worlds.household.utility.regression import TextRegression, TextUtility, load, save

WIDTH = 2
SHAPES = jax.eval_shape(TextRegression(WIDTH).init, jax.random.key(0), np.zeros((1, 1), np.int32))
WEIGHTS = {name: np.ones(leaf.shape, leaf.dtype) for name, leaf in flatten_dict(SHAPES, sep="/").items()}
ARRAYS = {f"weights/{name}": leaf for name, leaf in WEIGHTS.items()}
FACTS = {"version": 2, "centre": 3.0, "spread": 2.0, "losses": [1.0], "kinds": {"0": 1.0}}
BIAS = "weights/params/Dense_0/bias"


def file_of(facts: Any = FACTS, **changes: Any) -> bytes:
    """Return a file, with changed arrays; None removes one."""
    arrays = {name: array for name, array in {**ARRAYS, **changes}.items() if array is not None}
    file = io.BytesIO()
    np.savez(file, facts=facts if isinstance(facts, np.ndarray) else json.dumps(facts), **arrays)
    return file.getvalue()


def claiming(shape: tuple[int, ...]) -> bytes:
    """Return a file in which an array claims another shape."""
    file, head = io.BytesIO(file_of()), f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    with zipfile.ZipFile(file, "a") as packed:
        packed.writestr("weights/more.npy", npy.magic(1, 0) + len(head).to_bytes(2, "little") + head)
    return file.getvalue()


def alone() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: b"", "it is not an archive of arrays"),
        (lambda: bytes(range(256)), "it is not an archive of arrays"),
        (alone, "it is not an archive of arrays"),
        (lambda: file_of()[:-900], "it is not an archive of arrays"),
        (lambda: claiming((1 << 60,)), "claims 4.6 EB, but its entry has 0 B"),
        (lambda: claiming((1 << 33,)), "claims 34.4 GB, but its entry has 0 B"),
        (lambda: file_of(np.ones(3)), 'the text "facts" is missing'),
        (lambda: file_of(np.array("[" * 100_000)), "is not JSON that can be read"),
        (lambda: file_of([]), 'the text "facts" is no object'),
        (lambda: file_of({**FACTS, "centre": float("nan")}), "a number is not finite"),
        (lambda: file_of({**FACTS, "kinds": {"99": 1}}), "a value of the wrong kind"),
        (lambda: file_of({"version": 2}), "a fact is missing"),
        (lambda: file_of(**{BIAS: None}), "a fact is missing"),
        (lambda: file_of(**{BIAS: np.ones(3, np.float32)}), "do not have the shape and type"),
        (lambda: file_of(**{BIAS: np.ones(2)}), "do not have the shape and type"),
        (lambda: file_of(**{BIAS: np.full(2, np.inf, np.float32)}), "are not finite"),
        (lambda: file_of(**{BIAS: np.array(["a", "b"])}), "holds texts, not numbers"),
        (lambda: file_of(other=np.ones(2)), 'the weights "other" are unknown'),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, make: Callable[[], bytes], words: str) -> None:
    path = tmp_path / "costs.npz"
    path.write_bytes(make())
    tracemalloc.start()
    with pytest.raises(UserError, match=r"costs\.npz holds no learned costs of options: ") as raised:
        load(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert words in str(raised.value) and "\n" not in str(raised.value).partition("= help")[0].strip()
    assert most < 8_000_000
    with pytest.raises(UserError, match=r"costs\.npz (holds no learned costs|has version)"):
        of_orders.load(path)


def test_a_folder_and_a_missing_file_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.npz"):
        for read in (load, of_orders.load):
            with pytest.raises(UserError, match="cannot read"):
                read(path)


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    """`np.savez` writes names with parts and the facts as a text; both are read back as they were."""
    path = tmp_path / "costs.npz"
    path.write_bytes(file_of())
    found = load(path)
    assert isinstance(found, TextUtility) and found.kinds == {OptionKind.WAIT: 1.0} and found.losses == (1.0,)
    save(found, tmp_path / "again.npz")
    again = load(tmp_path / "again.npz")
    assert flatten_dict(again.weights, sep="/").keys() == WEIGHTS.keys() and again.centre == 3.0
    assert again.weights["params"]["Embed_0"]["embedding"].shape == (BUCKETS, WIDTH)
