"""Text to checked syntax, for behaviour trees and for plans. Pure Python: importing it costs milliseconds."""

from dsl.diagnostics import Diagnostic, DslError, UserError, render
from dsl.formatter import format_plan, format_tree
from dsl.nodes import Elimination, Fallback, Group, Leaf, Node, Plan, Position, Sequence, Step, UnitList, UnitSlice
from dsl.report import Report, check_plan, check_tree, parse_plan, parse_tree
from dsl.source import Source, Span
from dsl.vocabulary import PlanContext

__all__ = [
    "Diagnostic",
    "DslError",
    "Elimination",
    "Fallback",
    "Group",
    "Leaf",
    "Node",
    "Plan",
    "PlanContext",
    "Position",
    "Report",
    "Sequence",
    "Source",
    "Span",
    "Step",
    "UnitList",
    "UnitSlice",
    "UserError",
    "check_plan",
    "check_tree",
    "format_plan",
    "format_tree",
    "parse_plan",
    "parse_tree",
    "render",
]
