"""Armies: who fights, how many there are, and where they start.

Rules: docs/rules/drawn.md 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import isqrt

from dsl.vocabulary import UNIT_TYPES
from hive.worlds.battle.drawn.dice import Dice
from hive.worlds.battle.drawn.land import Area, Land
from hive.worlds.battle.drawn.sketch import Point
from hive.worlds.battle.scenario.schema import UnitGroup

STRENGTH: Mapping[str, int] = {"spearmen": 10, "archer": 10, "cavalry": 10, "balista": 60, "dragon": 60, "civilian": 0}
"""What a unit counts where the strengths of two armies are compared: a rough guess, by which nothing is promised."""

FEWEST = {"player": 8, "enemy": 10}
"""Least units of a side, without civilians."""

_MIXES: Mapping[tuple[str, ...], int] = {
    ("spearmen",): 2,
    ("archer",): 1,
    ("cavalry",): 1,
    ("spearmen", "archer"): 5,
    ("spearmen", "cavalry"): 3,
    ("archer", "cavalry"): 2,
    ("spearmen", "archer", "cavalry"): 5,
}
_PARTS = 10_000  # parts of the map's side in which start boxes are written


@dataclass(frozen=True)
class Post:
    """Units of a side that start together.

    Attributes:
        area: The cells in which they start.
        place: A cell on open ground near its middle.
        counts: Number of units by type.
        hidden: Whether they start in a forest, where nobody sees them.
    """

    area: Area
    place: Point
    counts: Mapping[str, int]
    hidden: bool = False

    @property
    def count(self) -> int:
        """Units of the post."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class Army:
    """All units of a side: ids count by type, and within a type by post."""

    posts: tuple[Post, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of units by type, in the order of types, without types of which there is none."""
        sums = {kind: sum(post.counts.get(kind, 0) for post in self.posts) for kind in UNIT_TYPES}
        return {kind: count for kind, count in sums.items() if count}

    @property
    def fighters(self) -> int:
        """Units that are no civilians."""
        return sum(count for kind, count in self.counts.items() if kind != "civilian")

    def groups(self, size: int) -> tuple[UnitGroup, ...]:
        """Return the groups of a scenario on a map of a side, in the order of ids."""
        return tuple(
            UnitGroup(kind, post.counts[kind], _fractions(post.area, size))
            for kind in UNIT_TYPES
            for post in self.posts
            if post.counts.get(kind)
        )

    def units(self, posts: Sequence[Post], kind: str) -> str:
        """Return the units of a type in some posts as a plan names them; empty if there are none."""
        if not any(post.counts.get(kind) for post in posts):
            return ""
        if all(post in posts for post in self.posts if post.counts.get(kind)):
            return kind
        counts = [(post in posts, post.counts.get(kind, 0)) for post in self.posts]
        first = sum(self.counts.get(each, 0) for each in UNIT_TYPES[: UNIT_TYPES.index(kind)])
        bounds = accumulate((count for _, count in counts), initial=first)
        slices: list[list[int]] = []
        for (listed, count), (start, stop) in zip(counts, pairwise(bounds), strict=True):
            if listed and count:
                if slices and slices[-1][1] == start:
                    slices[-1][1] = stop
                else:
                    slices.append([start, stop])
        return f"[{', '.join(f'{start}:{stop}' for start, stop in slices)}]"


def draw_counts(
    dice: Dice, total: int, odds: int, civilians: int, balistas: str
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the units of the player and of the enemy by type.

    Args:
        dice: Draws types and shares.
        total: Units of both sides, without civilians.
        odds: Strength of the enemy in percent of the player's.
        civilians: Of the player.
        balistas: The side that may have balistas, `player`, `enemy` or empty.
    """
    mixes = [_mix(dice) for _ in range(2)]
    player = total * 100 // (100 + odds)
    player = min(max(player, FEWEST["player"]), total - FEWEST["enemy"])
    sizes = (player, total - player)
    counts = []
    for side, size, mix in zip(FEWEST, sizes, mixes, strict=True):
        found, left = {}, size
        if size >= 24 and dice.chance(9):
            found["dragon"] = dice.between(2, 2 + size // 80)
        if side == balistas and size >= 16 and dice.chance(20):
            found["balista"] = dice.between(2, 2 + size // 40)
        for kind, many in list(found.items()):
            worth = many * STRENGTH[kind] // 20  # half of what they are worth is paid in other units
            left -= max(many, min(worth, size // 3))
        bounds = [left * share // 100 for share in accumulate(mix.values(), initial=0)]
        found |= {kind: stop - start for kind, (start, stop) in zip(mix, pairwise(bounds), strict=True)}
        counts.append({kind: found[kind] for kind in UNIT_TYPES if found.get(kind)})
    if civilians:
        counts[0]["civilian"] = civilians
    return counts[0], counts[1]


def _mix(dice: Dice) -> dict[str, int]:
    """Return types with their shares in percent, which sum to 100."""
    kinds = dice.weighted(_MIXES)
    if len(kinds) == 1:
        return {kinds[0]: 100}
    if len(kinds) == 2:
        first = 10 * dice.between(3, 7)
        return {kinds[0]: first, kinds[1]: 100 - first}
    first, second = 10 * dice.between(3, 5), 10 * dice.between(2, 3)
    return {kinds[0]: first, kinds[1]: second, kinds[2]: 100 - first - second}


def shared_out(counts: Mapping[str, int], weights: Sequence[int]) -> list[dict[str, int]]:
    """Return the units of each post by type, in proportion to weights; balistas are all in the first post."""
    found: list[dict[str, int]] = [{} for _ in weights]
    sums, total = [*accumulate(weights, initial=0)], sum(weights)
    for kind, count in counts.items():
        bounds = [(2 * count * part + total) // (2 * total) for part in sums]
        if kind == "balista":
            bounds = [0, *[count] * len(weights)]
        for post, (start, stop) in zip(found, pairwise(bounds), strict=True):
            if stop > start:
                post[kind] = stop - start
    return found


def by_type(counts: Mapping[str, int], posts: int) -> list[dict[str, int]]:
    """Return the units of each post by type where each post has one type; there are at least as many posts as types."""
    kinds, shared = [*counts], []
    for post in range(posts):
        kind = kinds[post % len(kinds)]
        turn, turns = post // len(kinds), len(range(post % len(kinds), posts, len(kinds)))
        start, stop = (counts[kind] * number // turns for number in (turn, turn + 1))
        shared.append({kind: stop - start})
    return shared


def station(
    dice: Dice,
    land: Land,
    within: Area,
    counts: Mapping[str, int],
    avoid: Sequence[Area] = (),
    *,
    line: bool = False,
    forest: bool = False,
) -> Post:
    """Return a post in a part of the map.

    Args:
        dice: Chooses the place.
        land: The map.
        within: Cells in which it starts.
        counts: Its units by type.
        avoid: Cells in which it must not start.
        line: Whether they stand in a wide line and not in a block.
        forest: Whether they hide in a forest.

    Raises:
        NoRoomError: There is no such place.
    """
    count = sum(counts.values())
    cells = count * 2 + 4 if forest else count * 5 // 2 + 6
    deep = isqrt(cells // (4 if line else 1)) + 1
    wide = -(-cells // deep)
    if land.frame.swap:
        wide, deep = deep, wide
    area = land.start_box(dice, within, wide, deep, avoid, forest)
    x0, y0, x1, y1 = area
    return Post(area, land.near(((x0 + x1) // 2, (y0 + y1) // 2)), counts, forest)


def grown(area: Area, by: int) -> Area:
    """Return a box with some more cells on each side, also beyond the map."""
    x0, y0, x1, y1 = area
    return x0 - by, y0 - by, x1 + by, y1 + by


def draw_player(dice: Dice, land: Land, within: Area, counts: Mapping[str, int]) -> Army:
    """Return the player's army: together, in two rows with archers behind the others, or in two camps.

    Raises:
        NoRoomError: There is no place for it.
    """
    form = dice.weighted({"together": 5, "rows": 3, "camps": 3 if sum(counts.values()) >= 16 else 0})
    archers = {kind: count for kind, count in counts.items() if kind in ("archer", "civilian")}
    others = {kind: count for kind, count in counts.items() if kind not in archers}
    shares = [counts]
    if form == "camps":
        shares = [share for share in shared_out(counts, (1, 1)) if share]
    elif form == "rows" and archers and others:
        shares = [others, archers]
    posts = [station(dice, land, within, shares[0], line=form == "rows")]
    for share in shares[1:]:
        near = within if form == "camps" else grown(posts[0].area, isqrt(sum(counts.values())) + 6)
        x0, y0, x1, y1 = (max(near[0], 0), max(near[1], 0), min(near[2], land.size - 1), min(near[3], land.size - 1))
        posts.append(station(dice, land, (x0, y0, x1, y1), share, [posts[0].area], line=form == "rows"))
    return Army(tuple(posts))


def _fractions(area: Area, size: int) -> tuple[float, float, float, float]:
    """Return a start box in fractions of the side, corners rounded up and lengths down: its cells are exact."""
    x0, y0, x1, y1 = area
    corner = (-(-value * _PARTS // size) for value in (x0, y0))
    length = (value * _PARTS // size for value in (x1 - x0, y1 - y0))
    x, y, wide, deep = (value / _PARTS for value in (*corner, *length))
    return x, y, wide, deep
