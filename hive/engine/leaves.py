"""All leaves of the tree language: those of battles and those of crews, in one table."""

from __future__ import annotations

import dsl
from dsl.vocabulary import CREW_TYPES
from hive.engine.behaviours.registry import LeafKind
from hive.engine.behaviours.tables import LeafCode
from hive.engine.crews.leaves import CREW_LEAVES
from hive.engine.units.leaves import UNIT_LEAVES

LEAVES: dict[str, LeafKind] = {**UNIT_LEAVES, **CREW_LEAVES, "is_type": UNIT_LEAVES["is_type"]}
"""Leaves by name. Battles and crews each have their own `is_type`; this table holds that of battles."""


def encode(node: dsl.Leaf) -> LeafCode:
    """Return the code of one leaf of a checked tree; a name of the grammar that is not registered raises a KeyError."""
    for_crews = node.name == "is_type" and node.args[1] in CREW_TYPES
    return (CREW_LEAVES if for_crews else LEAVES)[node.name].encode(node.args, node.types)


__all__ = ["LEAVES", "encode"]
