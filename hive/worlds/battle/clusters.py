"""Short descriptions of armies: clusters of units of one side and type, with counts, centres and boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELL = 15  # metres; units whose cells of this size touch belong to one cluster: about what a unit sees
MOST = 40  # clusters listed of one side and type
ARMIES = ("Allies", "Enemies")
_DENSE = 0.5  # least share of occupied cells in a cluster's box; a sparser cluster is split in two

Cell = tuple[int, int]


@dataclass(frozen=True)
class Cluster:
    """Live units of one side and type that stand together."""

    count: int
    centre: tuple[int, int]  # metres
    low: tuple[int, int]  # south-west corner of the box round the units, in whole metres
    high: tuple[int, int]
    health: float  # mean share of full health
    seen: int | None = None  # tick at which they were seen last, where that is said


def find_clusters(
    position: NDArray[np.floating], share: NDArray[np.floating], cell: int = CELL, seen: int | None = None
) -> list[Cluster]:
    """Describe the groups of `group_units`, in their order.

    Args:
        position: `[N, 2]` metres, of live units.
        share: `[N]` health as a share of full health.
        cell: Metres; see `group_units`.
        seen: Tick at which they were seen last, if that is to be said.
    """
    return [_cluster(position[group], share[group], seen) for group in group_units(position, cell)]


def group_units(position: NDArray[np.floating], cell: int = CELL) -> list[NDArray[np.integer]]:
    """Group units whose grid cells touch, diagonally too; largest group first.

    Where a group fills less than half of the box round it (a ring, a bend, a diagonal line), the box would say little:
    the group is split in the middle of the box's longer side, and its parts are grouped again.

    Args:
        position: `[N, 2]` metres.
        cell: Side of a grid cell in metres.

    Returns:
        Indices of the units of each group; every unit is in one.
    """
    cells: dict[Cell, list[int]] = {}
    for unit, (x, y) in enumerate((position // cell).astype(int)):
        cells.setdefault((int(x), int(y)), []).append(unit)
    groups = [np.array(sorted(unit for each in part for unit in cells[each])) for part in _parts(set(cells))]
    return sorted(groups, key=lambda group: (-len(group), *position[group].mean(0)))


def _parts(cells: set[Cell]) -> list[set[Cell]]:
    """Return groups of cells that touch each other, split until each part fills its box well."""
    parts: list[set[Cell]] = []
    cells = set(cells)
    while cells:
        front, part = [cells.pop()], set[Cell]()
        while front:
            x, y = front.pop()
            part.add((x, y))
            near = {(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & cells
            cells -= near
            front += near
        low, high = np.min(list(part), 0), np.max(list(part), 0)
        if len(part) >= _DENSE * np.prod(high - low + 1):
            parts.append(part)
            continue
        axis = int(np.argmax(high - low))
        middle = (low[axis] + high[axis]) / 2
        first = {cell for cell in part if cell[axis] <= middle}
        parts += _parts(first) + _parts(part - first)
    return parts


def _cluster(position: NDArray[np.floating], share: NDArray[np.floating], seen: int | None) -> Cluster:
    def point(at: NDArray[np.floating]) -> tuple[int, int]:
        return int(at[0]), int(at[1])

    return Cluster(
        count=len(position),
        centre=point(position.mean(0).round()),
        low=point(np.floor(position.min(0))),
        high=point(np.ceil(position.max(0))),
        health=float(share.mean()),
        seen=seen,
    )


def clusters_text(
    side: NDArray[np.integer],
    kind: NDArray[np.integer],
    names: tuple[str, ...],
    position: NDArray[np.floating],
    share: NDArray[np.floating],
    room: int,
    cell: int = CELL,
    seen: NDArray[np.integer] | None = None,
) -> str:
    """Return the positions of all units: as many groups of each type as there is room for, and the rest in one line.

    Args:
        side: `[N]` 0 player, 1 enemy.
        kind: `[N]` index into `names`.
        names: Unit types.
        position: `[N, 2]` metres.
        share: `[N]` health as a share of full health; 0 is dead.
        room: Most characters of the text. Two lines for each type are always written, even beyond this limit.
        cell: Metres; see `group_units`.
        seen: `[N]` tick at which each unit was seen last, which its group then says; -1: now. None: it is not said.
    """
    found = []
    seen = np.full(len(side), -1) if seen is None else seen
    for number, army in enumerate(ARMIES):
        for index in np.unique(kind[side == number]):
            mine = (side == number) & (kind == index)
            live = mine & (share > 0)
            heading = f"{names[index]}: {int(live.sum())} of {int(mine.sum())} alive"
            parts = [(tick, live & (seen == tick)) for tick in np.unique(seen[live]).tolist()]
            clusters = [
                each
                for tick, part in parts
                for each in find_clusters(position[part], share[part], cell, None if tick < 0 else tick)
            ]
            found.append((army, heading, sorted(clusters, key=lambda each: -each.count)))

    def write(most: int) -> str:
        lines = ["Where the units stand, in groups: `count at middle in box round them, mean health`."]
        for army, heading, clusters in found:
            lines += [f"{army}:"] * (f"{army}:" not in lines)
            lines += [heading, *map(_line, clusters[:most])]
            if rest := clusters[most:]:
                lines.append(_rest(rest))
        return "\n".join(lines)

    texts = (write(most) for most in range(MOST, -1, -1))
    return next((text for text in texts if len(text) <= room), write(0))


def _line(c: Cluster) -> str:
    seen = "" if c.seen is None else f", seen last at tick {c.seen}"
    return f"- {c.count} at {c.centre} in {c.low} - {c.high}, {c.health:.0%}{seen}"


def _rest(clusters: list[Cluster]) -> str:
    """Summarise the groups that there was no room for in one line."""
    low = min(c.low[0] for c in clusters), min(c.low[1] for c in clusters)
    high = max(c.high[0] for c in clusters), max(c.high[1] for c in clusters)
    return f"- {sum(c.count for c in clusters)} more in {len(clusters)} smaller groups in {low} - {high}"
