"""The mission of a battle in words, from its objectives (docs/rules/battles.md 4)."""

from __future__ import annotations

from dsl.wording import listing, places_text, unit_words
from hive.engine.types import ENEMY, PLAYER
from hive.worlds.battle.scenario.model import Scenario, Side


def mission_text(scenario: Scenario, side: int = PLAYER) -> str:
    """Return how a side wins and loses, in sentences (docs/rules/battles.md 4.2)."""
    player, enemy, radius = scenario.player, scenario.enemy, scenario.rules.goal_radius
    if side == ENEMY:
        return _enemys(scenario)
    losing = [losing_number(scenario) or "all your units are dead"]
    if enemy.objective.kind != "elimination":
        losing.append(f"the enemy succeeds: its task is to {objective_text(enemy, 'its', radius)}")
    return (
        f"Objective: {objective_text(player, 'your', radius)}.\n"
        f"You lose when {listing(phrases=losing)}. The game ends at tick {scenario.rules.limit:,} at the latest."
    )


def losing_number(scenario: Scenario) -> str:
    """Return with how many live units the player loses, in words; empty where that is with none."""
    player = scenario.player
    few = player.needed > 1 or player.objective.type is not None
    return f"fewer than {_units(player, 'your', all_of=False)} are alive" if few else ""


def _enemys(scenario: Scenario) -> str:
    """Return how the enemy wins and loses: the player loses too when too few of the units live that it needs."""
    player, enemy, radius = scenario.player, scenario.enemy, scenario.rules.goal_radius
    winning = []
    if player.needed > 1 or player.objective.type is not None:
        winning = [f"fewer than {_units(player, 'its', all_of=False)} are alive"]
    elif enemy.objective.kind != "elimination":
        winning = ["all its units are dead"]
    also = [f"You win, too, when of the enemy {listing(phrases=winning)}."] if winning else []
    return "\n".join(
        [
            f"Objective: {objective_text(enemy, 'your', radius)}.",
            *also,
            f"You lose when the enemy succeeds: its task is to {objective_text(player, 'its', radius)}. "
            f"The game ends at tick {scenario.rules.limit:,} at the latest.",
        ]
    )


def objective_text(side: Side, whose: str, radius: float) -> str:
    """Return what a side has to do, as in `bring one of your units to within 3 m of (61, 0)`.

    Args:
        side: The side.
        whose: `your` or `its`.
        radius: Metres round a place that count as there.
    """
    objective = side.objective
    if objective.kind == "elimination":
        return "eliminate every enemy unit" if whose == "your" else "eliminate all your units"
    if objective.kind == "survive":
        return (
            f"keep {_units(side, whose)} alive until tick {objective.until:,}, or until all units of the other "
            "side are dead"
        )
    together = " at the same time" if side.needed > 1 else ""
    return f"bring {_units(side, whose)} to within {radius:g} m of {places_text(objective.places)}{together}"


def won_text(side: Side) -> str:
    """Return what is true when a side has won, as in `one unit is at (61, 0)`."""
    objective, needed = side.objective, side.needed
    if objective.kind == "elimination":
        return "all enemies are dead"
    what = "unit" if objective.type is None else objective.type
    some = f"one {what} is" if needed == 1 else f"{needed:,} of {side.counted:,} {unit_words(what, 2)} are"
    if objective.kind == "survive":
        return f"{some} alive at tick {objective.until:,}, or as soon as all enemies are dead"
    return f"{some} at {places_text(objective.places)}"


def _units(side: Side, whose: str, all_of: bool = True) -> str:
    needed, counted, kind = side.needed, side.counted, side.objective.type
    what = "units" if kind is None else unit_words(kind, 2)
    if all_of and needed == counted > 1:
        return f"all {counted:,} of {whose} {what}"
    return f"{'one' if needed == 1 else f'{needed:,}'} of {whose} {f'{counted:,} ' if needed > 1 else ''}{what}"
