"""Parsing, checking and formatting of behaviour trees and plans. Pure Python; importing it takes milliseconds."""

from dsl.diagnostics import Diagnostic, DslError, UserError, render
from dsl.formatter import format_objective, format_plan, format_tree, format_units
from dsl.nodes import (
    Contain,
    Cut,
    Elimination,
    Extinguish,
    Fallback,
    Group,
    Leaf,
    Node,
    Objective,
    PlanSyntax,
    Position,
    Rescue,
    Scout,
    Sequence,
    Step,
    Transport,
    UnitList,
    UnitSlice,
)
from dsl.report import CheckResult, check_plan, check_tree, parse_plan, parse_tree
from dsl.source import Source, Span
from dsl.vocabulary import PlanContext

__all__ = [
    "CheckResult",
    "Contain",
    "Cut",
    "Diagnostic",
    "DslError",
    "Elimination",
    "Extinguish",
    "Fallback",
    "Group",
    "Leaf",
    "Node",
    "Objective",
    "PlanContext",
    "PlanSyntax",
    "Position",
    "Rescue",
    "Scout",
    "Sequence",
    "Source",
    "Span",
    "Step",
    "Transport",
    "UnitList",
    "UnitSlice",
    "UserError",
    "check_plan",
    "check_tree",
    "format_objective",
    "format_plan",
    "format_tree",
    "format_units",
    "parse_plan",
    "parse_tree",
    "render",
]
