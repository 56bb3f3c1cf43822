"""All leaves of the tree language: those of battles and those of crews, in one table."""

from __future__ import annotations

import dsl
from dsl.vocabulary import CREW_TYPES
from hive.behaviours.registry import LeafKind
from hive.behaviours.tables import LeafCode
from hive.crews.leaves import CREW_LEAVES
from hive.units.leaves import UNIT_LEAVES

LEAVES: dict[str, LeafKind] = {**UNIT_LEAVES, **CREW_LEAVES, "is_type": UNIT_LEAVES["is_type"]}
"""By name. Battles and crews each have an `is_type` of their own; the entry here is that of battles."""


def encode(node: dsl.Leaf) -> LeafCode:
    """The numbers of one leaf of a checked tree; a KeyError when the grammar knows a name that is not registered."""
    for_crews = node.name == "is_type" and node.args[1] in CREW_TYPES
    return (CREW_LEAVES if for_crews else LEAVES)[node.name].encode(node.args, node.types)


__all__ = ["LEAVES", "encode"]
