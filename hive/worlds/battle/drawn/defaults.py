"""The plan that a drawn battle names for the player: simple and sensible, and far from the best.

Rules: docs/rules/drawn.md 4.2.
"""

from __future__ import annotations

from hive.worlds.battle.drawn.armies import Army
from hive.worlds.battle.drawn.missions import Mission
from hive.worlds.battle.drawn.orders import ELIMINATION, Orders, spot
from hive.worlds.battle.drawn.sketch import Point


def default_plan(player: Army, enemy: Army, mission: Mission) -> str:
    """Return the text of a plan: attack the enemy's posts in turn, or go to the place of the mission.

    Args:
        player: The player's army.
        enemy: The enemy's army.
        mission: The mission.
    """
    orders = Orders(player)
    if mission.kind == "eliminate":
        posts = sorted((post.place for post in enemy.posts), key=lambda place: _distance(place, player.posts[0].place))
        steps: list[int] = []
        for place in posts[:-1]:
            steps = [orders.step("arrival 60%", orders.fight(player.posts, spot(place)), steps)]
        orders.step(ELIMINATION, orders.fight(player.posts, spot(posts[-1])), steps)
    else:
        orders.step(ELIMINATION, orders.fight(player.posts, spot(mission.places[0])))
    return orders.text()


def _distance(one: Point, other: Point) -> int:
    """Return the square of the distance of two places."""
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
