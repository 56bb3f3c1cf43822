"""The plan that a drawn battle names for the player: simple and sensible, and far from the best.

Rules: docs/rules/drawn.md 4.2.
"""

from __future__ import annotations

from hive.worlds.battle.drawn.armies import Army
from hive.worlds.battle.drawn.missions import WALKED, Mission
from hive.worlds.battle.drawn.plan_writer import ELIMINATION, PlanWriter, spot
from hive.worlds.battle.drawn.sketch import Point

_STAY = 12  # metres that units stray from what they hold


def default_plan(player: Army, enemy: Army, mission: Mission, limit: int) -> str:
    """Return the text of a plan: attack the enemy's posts in turn, go to the place of the mission, or hold.

    Of an escort the fighters go ahead, and the civilians follow when most of them have arrived.

    Args:
        player: The player's army.
        enemy: The enemy's army.
        mission: The mission.
        limit: Ticks until the battle times out: as long as the last step lasts on a way to a place.
    """
    orders = PlanWriter(player)
    if mission.kind == "eliminate":
        posts = sorted((post.place for post in enemy.posts), key=lambda place: _distance(place, player.posts[0].place))
        steps: list[int] = []
        for place in posts[:-1]:
            steps = [orders.step("arrival 60%", orders.fight(player.posts, spot(place)), steps)]
        orders.step(ELIMINATION, orders.fight(player.posts, spot(posts[-1])), steps)
    elif mission.kind == "escort":
        goal = spot(mission.places[0])
        ahead = orders.step("arrival 60%", orders.fight(player.posts, goal))
        groups = [*orders.fight(player.posts, goal), *orders.march(player.posts, goal, ["civilian"])]
        orders.step(f"time {limit}", groups, [ahead])
    elif mission.kind in WALKED:
        orders.step(f"time {limit}", orders.fight(player.posts, spot(mission.places[0])))
    else:
        places = mission.places or tuple(post.place for post in player.posts)
        groups = [
            line
            for number, post in enumerate(player.posts)
            for line in orders.fight([post], spot(places[number % len(places)]), _STAY)
        ]
        orders.step(f"time {mission.until}", groups)
    return orders.text()


def _distance(one: Point, other: Point) -> int:
    """Return the square of the distance of two places."""
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
