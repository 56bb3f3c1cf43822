"""A plan to begin with, for worlds that have none of their own: one step that sends all units to the middle."""

from __future__ import annotations

import dsl

_BEHAVIOUR = "attack_in_close_range"
_PLAN = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: {objective}
units: all
- target position: ({middle}, {middle})
- behavior: {behaviour}{types}
END PLAN
"""


def plan_template(context: dsl.PlanContext) -> str:
    """Return the text of a plan without errors in a context that knows the size of its map.

    Raises:
        ValueError: The context has no map or no behaviours.
    """
    if not context.map_size or not context.behaviours:
        raise ValueError("a template needs the size of a map and a behaviour")
    behaviour = _BEHAVIOUR if _BEHAVIOUR in context.behaviours else context.behaviours[0]
    objective = "elimination all" if "elimination" in context.objectives else "position"
    types = " any" if context.unit_types else ""
    return _PLAN.format(objective=objective, middle=context.map_size // 2, behaviour=behaviour, types=types)
