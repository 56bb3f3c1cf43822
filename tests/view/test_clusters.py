"""Groups of units: no unit is lost, every unit stands in the box of a group, and the text stays within its room."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.worlds.battle.clusters import CELL, MOST, clusters_text, find_clusters, group_units

NAMES = ("spearmen", "archer")


def scattered(count: int, seed: int, size: float = 300.0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0, size, (count, 2)).astype(np.float32)


@given(count=st.integers(0, 400), seed=st.integers(0, 1000), size=st.sampled_from([1.0, 40.0, 300.0, 3000.0]))
def test_every_unit_is_in_one_group_and_inside_its_box(count: int, seed: int, size: float) -> None:
    position, share = scattered(count, seed, size), np.ones(count)
    groups, clusters = group_units(position), find_clusters(position, share)
    assert sorted(np.concatenate([*groups, np.zeros(0, int)])) == list(range(count))
    assert [len(group) for group in groups] == [cluster.count for cluster in clusters]
    for group, cluster in zip(groups, clusters, strict=True):
        assert (position[group] >= cluster.low).all() and (position[group] <= cluster.high).all()
        assert all(low <= at <= high for low, at, high in zip(cluster.low, cluster.centre, cluster.high, strict=True))


def test_the_largest_group_comes_first() -> None:
    counts = [cluster.count for cluster in find_clusters(scattered(150, 0), np.ones(150))]
    assert len(counts) > 3 and counts == sorted(counts, reverse=True)


def test_units_apart_are_apart_and_a_crowd_is_one() -> None:
    crowd = np.random.default_rng(0).uniform(0, CELL, (50, 2))
    clusters = find_clusters(np.concatenate([crowd, crowd + 4 * CELL]), np.repeat([1.0, 0.5], 50))
    assert [(c.count, c.health) for c in clusters] == [(50, 1.0), (50, 0.5)]


def test_a_ring_is_cut_so_that_no_box_holds_its_empty_middle() -> None:
    angle = np.linspace(0, 2 * np.pi, 300)
    ring = 150 + 120 * np.stack([np.cos(angle), np.sin(angle)], 1)
    clusters = find_clusters(ring, np.ones(300))
    assert sum(c.count for c in clusters) == 300
    assert not any(c.low[0] <= 150 <= c.high[0] and c.low[1] <= 150 <= c.high[1] for c in clusters)


@pytest.mark.parametrize("room", [10_000, 1_500, 700, 0])
def test_the_text_counts_every_unit_in_any_room(room: int) -> None:
    """What is not listed is summed up in a line; the dead are in no group."""
    side, kind = np.repeat([0, 1], 300), np.tile([0, 0, 1], 200)
    share = np.random.default_rng(1).uniform(0, 1, 600).round(1)
    text = clusters_text(side, kind, NAMES, scattered(600, 2, 900.0), share, room)
    if room:
        assert len(text) <= room
    army, listed, alive = -1, dict[tuple[int, str], int](), dict[tuple[int, str], int]()
    for line in text.splitlines()[1:]:
        if line in ("Allies:", "Enemies:"):
            army += 1
        elif found := re.fullmatch(r"(\w+): (\d+) of (\d+) alive", line):
            name = found[1]
            alive[army, name] = int(found[2])
            assert int(found[3]) == ((side == army) & (kind == NAMES.index(name))).sum()
        else:
            count = re.match(r"- (\d+) (?:at \(|more in \d+ smaller groups in \()", line)
            assert count, line
            listed[army, name] = listed.get((army, name), 0) + int(count[1])
    expected = {
        (army, name): int(((side == army) & (kind == index) & (share > 0)).sum())
        for army in (0, 1)
        for index, name in enumerate(NAMES)
    }
    assert listed == alive == expected


def test_no_more_groups_are_listed_than_anybody_reads() -> None:
    nobody = np.zeros(500, int)
    text = clusters_text(nobody, nobody, NAMES, scattered(500, 0, 5000.0), np.ones(500), 10**6)
    assert text.count(" at (") == MOST and " more in " in text
