"""Line of sight, qualifiers and ties, and target types of a plan (docs/rules/trees.md 3.3).

Rules: docs/rules/battles.md 3.2 and docs/rules/trees.md 3.
"""

from __future__ import annotations

import jax
import numpy as np
import pytest

from hive.engine.units.senses import sight_matrix
from tests.engine.worlds import ROOM, SIZE, Man, Scene, foe, ground, holds, obey, scene
from tests.tiers import tiers

matrix = jax.jit(sight_matrix)


def sees(world: Scene) -> bool:
    """Whether the first unit sees a foe, by the sweep; the sampled matrix must agree."""
    found = holds(world, "C(in_sight foe)")
    foes = np.asarray(world.params.units.side) == 1
    assert found == bool(np.asarray(matrix(world.params, world.state))[0, foes].any())
    return found


def chosen(world: Scene, tree: str, word: int = 7, types: str = "any") -> int:
    """The id that the first unit attacks, -1 when it does not."""
    return int(obey(world, tree, word=word, types=types).action.target[0])


@pytest.mark.parametrize(("distance", "seen"), [(15.0, True), (15.01, False), (0.0, True), (14.99, True)])
@pytest.mark.parametrize("turn", [(1, 0), (0, 1), (0.6, 0.8)])
def test_sight_ends_at_its_range_centre_to_centre(distance: float, seen: bool, turn: tuple[float, float]) -> None:
    world = scene(Man("spearmen", (8.0, 8.0)), foe("archer", (8 + distance * turn[0], 8 + distance * turn[1])))

    assert sees(world) == seen


def test_each_sees_by_the_range_of_its_own_type() -> None:
    world = scene(Man("civilian", (8.0, 8.0)), foe("spearmen", (20.0, 8.0)))
    status = obey(world, "C(in_sight foe)").ticked.status

    assert status[:2].tolist() == [-1, 1]


def test_a_unit_in_a_forest_neither_sees_nor_is_seen() -> None:
    wood = ground(forest=[(10, 10, 20, 20)])
    men = [Man("archer", (12.5, 12.5)), foe("archer", (12.9, 12.5)), foe("archer", (9.5, 12.5)), Man("archer", (9, 13))]
    world = scene(*men, terrain=wood)

    seen = np.asarray(matrix(world.params, world.state))
    found = np.asarray(obey(world, "F(C(in_sight foe) :: C(in_sight friend))").ticked.status == 1)

    assert not seen[0].any() and not seen[:, 0].any() and not seen[1].any() and not seen[:, 1].any()
    assert seen[2, 3] and seen[3, 2]
    assert found[:4].tolist() == [False, False, True, True]


@pytest.mark.parametrize(("kind", "seen"), [("forest", False), ("building", False), ("water", True)])
def test_forest_and_buildings_block_sight_and_water_does_not(kind: str, seen: bool) -> None:
    between = ground(**{kind: [(12, 0, 14, SIZE)]})

    assert sees(scene(Man("spearmen", (10.5, 10.5)), foe("archer", (16.5, 11.5)), terrain=between)) == seen


def test_a_unit_sees_along_a_wall() -> None:
    wall = ground(building=[(10, 11, 30, 12)])

    assert sees(scene(Man("spearmen", (10.5, 10.9)), foe("archer", (24.5, 10.9)), terrain=wall))


def test_the_map_border_does_not_block_sight() -> None:
    assert sees(scene(Man("spearmen", (0.0, 0.0)), foe("archer", (0.0, 9.0))))


def test_units_on_two_river_banks_see_each_other_and_cannot_step_toward_each_other() -> None:
    """docs/rules/battles.md 5: they see each other, and `move toward` fails when the next step is water."""
    river = ground(water=[(11, 0, 16, SIZE)])
    world = scene(Man("spearmen", (10.5, 10.5)), foe("archer", (16.5, 10.5)), terrain=river)
    decision = obey(world, "A(move toward closest foe)")

    assert sees(world)
    assert decision.ticked.status[:2].tolist() == [-1, -1]
    assert decision.action.kind[:2].tolist() == [0, 0]


def test_dead_units_neither_see_nor_are_seen() -> None:
    world = scene(Man("archer", (8.5, 8.5), health=0), foe("archer", (9.5, 8.5)), foe("archer", (10.5, 8.5), health=0))

    status = obey(world, "F(C(in_sight foe) :: C(in_sight friend))").ticked.status

    assert status[:3].tolist() == [-1, -1, -1]


def test_friends_are_the_others_of_the_own_side() -> None:
    alone = scene(Man("archer", (8.5, 8.5)), foe("archer", (9.5, 8.5)))
    assert not holds(alone, "C(in_sight friend)")
    assert holds(alone, "C(in_sight foe)")

    paired = scene(Man("archer", (8.5, 8.5)), Man("cavalry", (9.5, 8.5)))
    assert holds(paired, "C(in_sight friend)")
    assert not holds(paired, "C(in_sight foe)")


@pytest.mark.parametrize(
    ("types", "found"), [("", True), ("any", True), ("cavalry", False), ("archer", True), ("cavalry or archer", True)]
)
def test_types_choose_among_those_in_sight(types: str, found: bool) -> None:
    world = scene(Man("spearmen", (8.5, 8.5)), foe("archer", (9.5, 8.5)), Man("cavalry", (9.5, 9.5)))

    assert holds(world, f"C(in_sight foe {types})") == found


# Four foes of an archer: ids are not rows, distances and healths differ, two tie.
IDS = [11, 9, 5, 7, 3]
FIELD = scene(
    Man("archer", (20.5, 20.5)),
    foe("spearmen", (22.5, 20.5), health=9),
    foe("spearmen", (20.5, 22.5), health=2),
    foe("cavalry", (20.5, 10.5), health=11),
    foe("cavalry", (10.5, 20.5), health=3),
    ids=IDS,
)


@pytest.mark.parametrize(
    ("qualifier", "expected"),
    [("closest", 5), ("farthest", 3), ("weakest", 5), ("strongest", 7)],
)
def test_qualifiers_choose_by_distance_or_absolute_health_and_distances_tie_to_the_lowest_id(
    qualifier: str, expected: int
) -> None:
    assert chosen(FIELD, f"A(attack {qualifier})") == expected


def test_health_is_absolute_not_a_share() -> None:
    world = scene(Man("archer", (20.5, 20.5)), foe("spearmen", (22, 20), health=3), foe("archer", (22, 21), health=2))

    assert chosen(world, "A(attack weakest)") == 2  # whole, but 2 points
    assert chosen(world, "A(attack strongest)") == 1


@pytest.mark.parametrize(
    "qualifier", tiers(["weakest", "strongest", "random"], quick=["random"], slow=["weakest", "strongest"])
)
def test_equal_healths_tie_at_random_and_random_is_uniform(qualifier: str) -> None:
    world = scene(
        Man("archer", (20.5, 20.5)),
        *[foe("cavalry", (22.5, 18.5 + i), health=6) for i in range(4)],
        foe("cavalry", (40.5, 40.5), health=6),
        foe("spearmen", (18.5, 20.5), health=5 if qualifier == "strongest" else 7),
    )
    picks = [chosen(world, f"A(attack {qualifier} cavalry)", word=word * 7919) for word in range(120)]

    counts = np.bincount(picks, minlength=ROOM)
    assert counts[1:5].sum() == 120
    assert counts[1:5].min() > 12  # 30 expected, standard deviation 4.7


def test_noise_on_health_never_overrules_a_whole_point() -> None:
    world = scene(
        Man("archer", (20.5, 20.5)), *[foe("cavalry", (22.5, 18.5 + i), health=6 - (i == 2)) for i in range(5)]
    )

    assert {chosen(world, "A(attack weakest)", word=word * 104729) for word in range(60)} == {3}


def test_equal_draws_of_one_tick_agree_across_the_leaves_of_a_tree() -> None:
    """All leaves of a tree share the unit's key (docs/rules/trees.md 2.4), so it attacks whom it would walk to."""
    world = scene(Man("archer", (20.5, 20.5)), *[foe("cavalry", (22.5, 16.5 + i)) for i in range(8)])
    for word in range(20):
        target = chosen(world, "A(attack random)", word=word)
        moved = np.asarray(obey(world, "A(move toward random foe)", word=word).action.move[0])
        way = np.asarray(world.state.position[target] - world.state.position[0])
        np.testing.assert_allclose(moved, way * min(1, 2 / np.hypot(*way)), atol=1e-5)


def test_a_plan_replaces_only_types_written_any() -> None:
    world = scene(Man("archer", (20.5, 20.5)), foe("spearmen", (22.5, 20.5)), foe("cavalry", (20.5, 24.5)))

    assert chosen(world, "A(attack closest any)") == 1
    assert chosen(world, "A(attack closest any)", types="cavalry") == 2
    assert chosen(world, "A(attack closest any)", types="cavalry spearmen") == 1
    assert chosen(world, "A(attack closest any)", types="dragon") == -1
    assert chosen(world, "A(attack closest)", types="cavalry") == 1  # left out, not written
    assert chosen(world, "A(attack closest spearmen)", types="cavalry") == 1


@pytest.mark.parametrize(
    ("leaf", "without"),
    [
        ("C(in_sight foe any)", "C(in_sight foe)"),
        ("C(in_reach foe me_from_them high any)", "C(in_reach foe me_from_them high)"),
        ("C(in_reach foe them_from_me now any)", "C(in_reach foe them_from_me now)"),
        ("A(move toward closest foe any)", "A(move toward closest foe)"),
    ],
)
def test_target_types_reach_every_atomic_that_writes_any(leaf: str, without: str) -> None:
    world = scene(Man("archer", (20.5, 20.5)), foe("spearmen", (22.5, 20.5)))

    assert holds(world, leaf) and holds(world, leaf, types="spearmen") and not holds(world, leaf, types="archer")
    assert holds(world, without, types="archer")


def test_target_types_replace_the_any_of_friends_too() -> None:
    world = scene(Man("archer", (20.5, 20.5)), Man("spearmen", (22.5, 20.5)))

    assert holds(world, "C(in_sight friend any)", types="spearmen")
    assert not holds(world, "C(in_sight friend any)", types="archer")


def test_target_types_do_not_touch_atomics_without_types() -> None:
    world = scene(Man("archer", (20.5, 20.5)), foe("spearmen", (22.5, 24.5), health=1))

    for leaf in ("C(is_dying foe low)", "C(is_armed foe)", "C(is_flock foe north)"):
        assert holds(world, leaf, types="archer")
