"""Files of learned numbers, `.npz`: the weights of a network next to facts about them, a text of JSON.

Sizes are checked before memory is allocated, and the weights against the network that will use them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hive.kit.errors import DataError
from hive.kit.keep.archive import Arrays, Npz
from hive.kit.keep.layout import Shaped

FACTS = "facts"


def read_learned(path: Path | str) -> tuple[dict[str, Any], Arrays]:
    """Return the facts of a file and its arrays of numbers, whose names may have parts such as `weights/bias`.

    Raises:
        DataError: The file is damaged, or holds something else.
        OSError: It cannot be read.
    """
    with Path(path).open("rb") as file:
        npz = Npz(file, texts=True)
        if FACTS not in npz.heads or npz.heads[FACTS].dtype.kind != "U" or npz.heads[FACTS].shape:
            raise DataError(f'the text "{FACTS}" is missing')
        arrays = {name: npz.array(name) for name in npz.heads}
    try:
        facts = json.loads(str(arrays.pop(FACTS)))
    except (ValueError, RecursionError):
        raise DataError(f'the text "{FACTS}" is not JSON that can be read') from None
    if not isinstance(facts, dict):
        raise DataError(f'the text "{FACTS}" is no object')
    if texts := [name for name, array in arrays.items() if array.dtype.kind == "U"]:
        raise DataError(f'the array "{texts[0]}" holds texts, not numbers')
    return facts, arrays


def check_weights(found: Mapping[str, Shaped], wanted: Mapping[str, Shaped]) -> None:
    """Check that weights are those of a network and finite.

    Args:
        found: The weights by name.
        wanted: Shapes and types of those of the network.

    Raises:
        DataError: A weight is missing, is unknown, has another shape or type, or is not finite.
    """
    for name in sorted(found.keys() ^ wanted.keys()):
        raise DataError(f'the weights "{name[:60]}" are {"unknown" if name in found else "missing"}')
    for name, each in wanted.items():
        if (found[name].shape, found[name].dtype) != (each.shape, each.dtype):
            raise DataError(f'the weights "{name}" do not have the shape and type of the network\'s')
        if not np.isfinite(np.asarray(found[name])).all():
            raise DataError(f'the weights "{name}" are not finite')
