"""Armies in few words: clusters of units of one side and type, with counts, centres and boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELL = 15  # metres; units whose cells of this size touch belong to one cluster: about what a unit sees
MOST = 12  # clusters listed of one side and type; the rest is summed up in a line


@dataclass(frozen=True)
class Cluster:
    """Live units of one side and type that stand together."""

    count: int
    centre: tuple[int, int]  # metres
    low: tuple[int, int]  # south-west corner of the box round them
    high: tuple[int, int]
    health: float  # mean share of full health


def find_clusters(position: NDArray[np.floating], share: NDArray[np.floating]) -> list[Cluster]:
    """Group units whose grid cells touch, diagonally too; largest group first.

    Args:
        position: `[N, 2]` metres, of live units.
        share: `[N]` health as a share of full health.
    """
    cells: dict[tuple[int, int], list[int]] = {}
    for unit, (x, y) in enumerate((position // CELL).astype(int)):
        cells.setdefault((int(x), int(y)), []).append(unit)
    groups = []
    while cells:
        front, members = [next(iter(cells))], []
        while front:
            x, y = front.pop()
            members += cells.pop((x, y), [])
            front += [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (x + i, y + j) in cells]
        groups.append(members)
    return sorted((_cluster(position[g], share[g]) for g in groups), key=lambda c: (-c.count, c.centre))


def _cluster(position: NDArray[np.floating], share: NDArray[np.floating]) -> Cluster:
    def point(at: NDArray[np.floating]) -> tuple[int, int]:
        return int(at[0]), int(at[1])

    return Cluster(
        count=len(position),
        centre=point(position.mean(0)),
        low=point(position.min(0)),
        high=point(position.max(0)),
        health=float(share.mean()),
    )


def clusters_text(
    side: NDArray[np.integer],
    kind: NDArray[np.integer],
    names: tuple[str, ...],
    position: NDArray[np.floating],
    share: NDArray[np.floating],
) -> str:
    """Where everybody stands, in a few lines an army.

    Args:
        side: `[N]` 0 player, 1 enemy.
        kind: `[N]` index into `names`.
        names: Unit types.
        position: `[N, 2]` metres.
        share: `[N]` health as a share of full health; 0 is dead.
    """
    lines = ["Where the units stand, by groups: count, centre, box, mean health."]
    for number, army in enumerate(("Allies", "Enemies")):
        lines.append(f"{army}:")
        for index in np.unique(kind[side == number]):
            mine = (side == number) & (kind == index)
            live = mine & (share > 0)
            lines.append(f"{names[index]}: {int(live.sum())} of {int(mine.sum())} alive")
            found = find_clusters(position[live], share[live])
            lines += [_line(cluster) for cluster in found[:MOST]]
            if rest := found[MOST:]:
                lines.append(f"- {sum(c.count for c in rest)} more in {len(rest)} smaller groups")
    return "\n".join(lines)


def _line(c: Cluster) -> str:
    return f"- {c.count} at {c.centre}, within {c.low} - {c.high}, health {c.health:.0%}"
