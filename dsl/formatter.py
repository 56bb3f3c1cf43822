"""Canonical text of nodes, which parses to equal nodes. The text does not end with a line break."""

from __future__ import annotations

from dsl.nodes import (
    Arrival,
    Cell,
    Contain,
    Cut,
    Elimination,
    EnemyLosses,
    Group,
    Inside,
    Leaf,
    Losses,
    Nearest,
    Node,
    Objective,
    PlanSyntax,
    Rescue,
    Scout,
    Sequence,
    Step,
    Time,
    Transport,
    UnitList,
)

_WIDTH = 100
_INDENT = "    "


def format_tree(node: Node) -> str:
    """Return the text of a tree: on one line where it fits into 100 columns, else one child per line."""
    return "\n".join(_tree_lines(node, ""))


def _tree_lines(node: Node, indent: str) -> list[str]:
    line = indent + _inline(node)
    if isinstance(node, Leaf) or len(line) <= _WIDTH:
        return [line]
    lines = [f"{indent}{_letter(node)}("]
    for number, child in enumerate(node.children, start=1):
        lines += _tree_lines(child, indent + _INDENT)
        if number < len(node.children):
            lines[-1] += " ::"
    return [*lines, f"{indent})"]


def _inline(node: Node) -> str:
    if isinstance(node, Leaf):
        words = (node.name, *node.args, *((" or ".join(node.types),) if node.types else ()))
        return f"{node.role}({' '.join(words)})"
    return f"{_letter(node)}({' :: '.join(_inline(child) for child in node.children)})"


def _letter(node: Node) -> str:
    return "S" if isinstance(node, Sequence) else "F"


def format_plan(plan: PlanSyntax) -> str:
    """Return the text of a plan, its words resolved, between its markers (docs/rules/plans.md 1.1)."""
    return "\n".join(("BEGIN PLAN", "\n\n".join(_format_step(step) for step in plan.steps), "END PLAN"))


def _format_step(step: Step) -> str:
    return "\n".join(
        (
            f"Step {step.id}:",
            f"prerequisites: [{', '.join(map(str, step.prerequisites))}]",
            f"objective: {format_objective(step.objective)}",
            *(_format_group(group, step) for group in step.groups),
        )
    )


def format_objective(objective: Objective) -> str:
    """Return an objective as its line writes it, such as `contain (30, 30) 12`."""
    return " ".join((objective.word, *_terms(objective)))


def _terms(objective: Objective) -> tuple[str, ...]:
    match objective:
        case Elimination(units):
            return (format_units(units),)
        case Cut(cells):
            return (f"[{', '.join(map(_format_cell, cells))}]",)
        case Contain(centre, radius):
            return (_format_cell(centre), str(radius))
        case Rescue(count, place) | Transport(count, place):
            return (str(count), _format_cell(place))
        case Time(ticks):
            return (str(ticks),)
        case Arrival(percent):
            return (f"{percent}%" if percent else "any",)
        case Losses(percent) | EnemyLosses(percent):
            return (f"{percent}%",)
        case Scout(box):
            return tuple(map(_format_cell, box)) if box else ("fire",)
    return ()


def _format_cell(cell: Cell) -> str:
    return f"({cell[0]}, {cell[1]})"


def _format_group(group: Group, step: Step) -> str:
    return "\n".join(
        (
            f"units: {format_chosen(group)}",
            f"- target position: {format_target(group, step)}",
            f"- behavior: {format_behaviour(group)}",
        )
    )


def format_chosen(group: Group) -> str:
    """Return the units of a group as its line writes them, such as `nearest 20 of all to (5, 5)`."""
    units = format_units(group.units)
    match group.choice:
        case Nearest(count, place):
            return f"nearest {count} of {units} to {_format_cell(place)}"
        case Inside(first, last):
            return f"{units} in {_format_cell(first)} - {_format_cell(last)}"
    return units


def format_target(group: Group, step: Step) -> str:
    """Return where a group of a step goes as its line writes it, such as `(5, 5) under cover`."""
    if group.behind:
        return f"behind {format_units(step.groups[group.behind.group].units)} by {group.behind.gap}"
    return f"{_format_cell(group.target)}{' under cover' if group.cover else ''}"


def format_behaviour(group: Group) -> str:
    """Return the behaviour of a group as its line writes it, such as `hold any within 12`."""
    leash = () if group.leash is None else ("within", str(group.leash))
    return " ".join((group.behaviour, *group.types, *leash))


def format_units(units: UnitList) -> str:
    """Return a list of units as a plan writes it, such as `all` or `[0:20, 31]`."""
    if units.items is None:
        return "all"
    bounds = [
        str(item) if isinstance(item, int) else f"{_bound(item.start)}:{_bound(item.stop)}" for item in units.items
    ]
    return f"[{', '.join(bounds)}]"


def _bound(number: int | None) -> str:
    return "" if number is None else str(number)
