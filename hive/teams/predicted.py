"""How many calls one step of each framework takes (docs/rules/teams.md 10.1)."""

from __future__ import annotations

from dataclasses import dataclass

from hive.teams.rules import Rules


@dataclass(frozen=True)
class Range:
    """Fewest and most calls of one step."""

    fewest: float
    most: float


def calls(framework: str, living: int, idle: int, rules: Rules, rounds: int = 1) -> float:
    """Return the calls of one step in which every answer can be used.

    Args:
        framework: `camon`, `coela`, `embodied`, `hmas2` or `nothing`.
        living: Agents that are alive, n.
        idle: Agents that have to choose an action, m; for CAMON the leader is one of them, and gives no orders to
            others; for COELA all of them act, so none sends a message.
        rules: How the team is run: without perception or execution calls, these are not counted.
        rounds: For HMAS-2: plans until all agents agree, R.

    Raises:
        ValueError: There is no formula for that framework.
    """
    sees, acts = 0 if rules.direct_perception else 1, 0 if rules.direct_execution else 1
    n, m = living, idle
    if framework == "nothing":
        return 0
    if framework == "camon":
        return sees * n + ((1 + acts) + (2 + acts) * (m - 1) if m else 0)
    if framework == "coela":
        return sees * n + (2 + acts) * m
    if framework == "embodied":
        return n * (sees + rules.talks + 1 + acts)
    if framework == "hmas2":
        return sees * n + rounds * (1 + n) + acts * n
    raise ValueError(f"there is no formula for the calls of `{framework}`")


def calls_range(framework: str, living: int, rules: Rules) -> Range:
    """Return the calls of one step when no agent is idle, and when all are (for HMAS-2: with all planning rounds)."""
    most_rounds = rules.planning_rounds
    return Range(calls(framework, living, 0, rules, 1), calls(framework, living, living, rules, most_rounds))
