"""Every atomic of the language (docs/rules/trees.md 4), one rule each; `follow_map` has a module of its own."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations

import numpy as np
import pytest

from hive.engine.behaviours.tables import check_type_count
from hive.engine.units import leaves
from tests.engine.worlds import SIZE, Man, Scene, foe, ground, holds, obey, scene

SPEED = {"spearmen": 1, "archer": 2, "cavalry": 6}


def deed(world: Scene, tree: str, **how: object) -> tuple[int, int, float, float]:
    """Status, kind and displacement of the first unit."""
    decision = obey(world, tree, **how)
    x, y = (float(part) for part in decision.action.move[0])
    return int(decision.ticked.status[0]), int(decision.action.kind[0]), x, y


def alone(kind: str = "archer", at: tuple[float, float] = (20.5, 20.5), **how: object) -> Scene:
    return scene(Man(kind, at, **how))


def test_a_ninth_unit_type_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A type mask has eight bits a side; the ninth type's bit would be that of the foe's first type."""
    check_type_count([f"type{number}" for number in range(8)])
    monkeypatch.setattr("dsl.vocabulary.UNIT_TYPES", tuple(f"type{number}" for number in range(9)))
    spec = spec_from_file_location("leaves_of_nine_types", leaves.__file__)
    assert spec is not None and spec.loader is not None
    with pytest.raises(ValueError, match="8 unit types, and there are 9: type8 does not fit; widen FOE_SHIFT"):
        spec.loader.exec_module(module_from_spec(spec))


def test_a_tree_asks_more_questions_than_a_word_has_bits() -> None:
    """62 different ones that fail, and one that holds, each with a slot of its own."""
    others = ("archer", "cavalry", "balista", "dragon", "civilian")
    kinds = [" or ".join(some) for number in range(1, 6) for some in combinations(others, number)]
    fail = [f"C(in_sight {side} {kind})" for kind in kinds for side in ("foe", "friend")]
    world = scene(Man("spearmen", (20.5, 20.5)), foe("spearmen", (22.5, 20.5)))
    assert len(set(fail)) == 62 and not holds(world, f"F({' :: '.join(fail)})")
    assert holds(world, f"F({' :: '.join([*fail, 'C(in_sight foe spearmen)'])})")


def test_stand_succeeds_and_stands() -> None:
    assert deed(alone(), "A(stand)")[:2] == (1, 0)


@pytest.mark.parametrize("kind", SPEED)
def test_success_action_steps_north_at_full_speed(kind: str) -> None:
    assert deed(alone(kind), "A(success_action)") == (1, 1, 0, SPEED[kind])


def test_failure_action_fails_and_the_unit_stands() -> None:
    assert deed(alone(), "A(failure_action)")[:2] == (-1, 0)


def test_a_condition_alone_lets_the_unit_stand() -> None:
    assert deed(alone(), "C(is_type a archer)")[:2] == (1, 0)


# attack


@pytest.mark.parametrize(("kind", "reach"), [("spearmen", 1.0), ("archer", 15.0), ("cavalry", 1.0)])
def test_attack_needs_a_visible_foe_within_reach(kind: str, reach: float) -> None:
    near = scene(Man(kind, (20.0, 20.0)), foe("spearmen", (20.0 + reach, 20.0)))
    far = scene(Man(kind, (20.0, 20.0)), foe("spearmen", (20.01 + reach, 20.0)))

    assert obey(near, "A(attack closest)").action.kind[0] == 2
    assert obey(near, "A(attack closest)").action.target[0] == 1
    assert deed(far, "A(attack closest)")[:2] == (-1, 0)


@pytest.mark.parametrize(("cooldown", "status"), [(1, -1), (0, 1), (-5, 1)])
def test_attack_needs_a_ready_weapon(cooldown: int, status: int) -> None:
    world = scene(Man("archer", (20.5, 20.5), cooldown=cooldown), foe("spearmen", (25.5, 20.5)))

    assert deed(world, "A(attack random)")[0] == status


def test_attack_chooses_among_those_within_reach_alone() -> None:
    world = scene(Man("spearmen", (20.5, 20.5)), foe("archer", (25.5, 20.5), health=1), foe("spearmen", (21.5, 20.5)))

    for qualifier in ("weakest", "farthest", "random", "closest", "strongest"):
        assert obey(world, f"A(attack {qualifier})").action.target[0] == 2


def test_attack_never_chooses_friends() -> None:
    assert deed(scene(Man("archer", (20.5, 20.5)), Man("archer", (21.5, 20.5))), "A(attack closest)")[0] == -1


# move by a unit


@pytest.mark.parametrize("kind", SPEED)
@pytest.mark.parametrize("who", ["foe", "friend"])
@pytest.mark.parametrize("offset", [(0.3, 0.4), (6, 8), (-9, 0)])
def test_move_goes_as_far_as_the_other_is_and_no_farther_than_the_speed(
    kind: str, who: str, offset: tuple[float, float]
) -> None:
    side = "enemy" if who == "foe" else "player"
    world = scene(Man(kind, (20.5, 20.5)), Man("archer", (20.5 + offset[0], 20.5 + offset[1]), side))
    way = np.array(offset) * min(1, SPEED[kind] / np.hypot(*offset))

    for heading, sign in (("toward", 1), ("away_from", -1)):
        status, what, *move = deed(world, f"A(move {heading} closest {who})")
        assert (status, what) == (1, 1)
        np.testing.assert_allclose(move, sign * way, atol=1e-5)


def test_move_fails_without_anyone_to_move_by() -> None:
    world = scene(Man("archer", (20.5, 20.5)), foe("archer", (38.5, 20.5)))

    for tree in ("A(move toward closest foe)", "A(move away_from closest foe)", "A(move toward random friend)"):
        assert deed(world, tree)[:2] == (-1, 0)


@pytest.mark.parametrize("qualifier", ["closest", "farthest", "weakest", "strongest"])
def test_move_goes_by_its_qualifier(qualifier: str) -> None:
    foes = {
        "closest": foe("cavalry", (20.5, 23.5), health=6),
        "farthest": foe("cavalry", (20.5, 9.5), health=6),
        "weakest": foe("cavalry", (24.5, 20.5), health=1),
        "strongest": foe("cavalry", (14.5, 20.5), health=12),
    }
    world = scene(Man("archer", (20.5, 20.5)), *foes.values())
    way = np.sign(np.array(foes[qualifier].at) - 20.5) * 2

    np.testing.assert_allclose(deed(world, f"A(move toward {qualifier} foe)")[2:], way, atol=1e-5)


@pytest.mark.parametrize("kind", ["water", "building"])
def test_move_fails_when_the_step_touches_water_or_a_building(kind: str) -> None:
    ahead = ground(**{kind: [(22, 0, 24, SIZE)]})
    world = scene(Man("archer", (20.5, 20.5)), foe("archer", (25.5, 20.5)), terrain=ahead if kind == "water" else None)
    if kind == "building":  # it would hide the foe: stand it behind, and step away from a foe in the open
        world = scene(Man("archer", (20.5, 20.5)), foe("archer", (17.5, 20.5)), terrain=ahead)
    heading = "toward" if kind == "water" else "away_from"

    assert deed(world, f"A(move {heading} closest foe)")[:2] == (-1, 0)


def test_only_the_step_counts_not_the_way_to_the_other() -> None:
    world = scene(Man("archer", (20.5, 20.5)), foe("archer", (28.5, 20.5)), terrain=ground(water=[(23, 0, 26, SIZE)]))

    assert deed(world, "A(move toward closest foe)") == (1, 1, 2, 0)


def test_move_fails_from_a_cell_that_is_itself_blocked() -> None:
    """Own cell included (docs/rules/trees.md 4.3)."""
    world = scene(Man("archer", (20.5, 20.5)), foe("archer", (28.5, 20.5)), terrain=ground(water=[(20, 20, 21, 21)]))

    assert deed(world, "A(move toward closest foe)")[0] == -1


def test_a_step_over_the_border_counts_as_free() -> None:
    """Outside the map a sample reads the nearest cell; the border stops the move itself, not the leaf."""
    world = scene(Man("cavalry", (2.5, 20.5)), foe("archer", (6.5, 20.5)))

    assert deed(world, "A(move away_from closest foe)") == (1, 1, -4, 0)


# move DIRECTION (ours)


@pytest.mark.parametrize("kind", SPEED)
@pytest.mark.parametrize(
    ("direction", "way"), [("north", (0, 1)), ("east", (1, 0)), ("south", (0, -1)), ("west", (-1, 0))]
)
def test_move_direction_is_one_full_step(kind: str, direction: str, way: tuple[int, int]) -> None:
    assert deed(alone(kind), f"A(move {direction})") == (1, 1, way[0] * SPEED[kind], way[1] * SPEED[kind])


@pytest.mark.parametrize("kind", ["water", "building"])
def test_move_direction_fails_when_blocked(kind: str) -> None:
    world = scene(Man("archer", (20.5, 20.5)), terrain=ground(**{kind: [(22, 0, 24, SIZE)]}))

    assert deed(world, "A(move east)")[:2] == (-1, 0)
    assert deed(world, "A(move west)")[:2] == (1, 1)


@pytest.mark.parametrize(
    ("at", "way"),
    [((10.5, 30.5), (2, 0)), ((40.5, 30.5), (-2, 0)), ((20.5, 4.5), (0, 2)), ((30.5, 44.5), (0, -2))],
)
def test_move_center_goes_along_the_axis_with_the_longer_way(at: tuple[float, float], way: tuple[int, int]) -> None:
    assert deed(alone("archer", at), "A(move center)") == (1, 1, *way)


def test_move_center_always_succeeds() -> None:
    world = scene(Man("archer", (10.5, 24.5)), terrain=ground(building=[(11, 0, 14, SIZE)]))

    assert deed(world, "A(move center)") == (1, 1, 2, 0)


# in_reach


REACH = {  # docs/rules/trees.md 4.5: after the 15 m sight cap
    "spearmen": {"now": 1, "low": 2, "middle": 3, "high": 4},
    "archer": {"now": 15, "low": 15, "middle": 15, "high": 15},
    "cavalry": {"now": 1, "low": 7, "middle": 13, "high": 15},
}


@pytest.mark.parametrize("kind", REACH)
@pytest.mark.parametrize("time", ["now", "low", "middle", "high"])
@pytest.mark.parametrize("source", ["me_from_them", "them_from_me"])
def test_in_reach_grows_with_the_steps_of_the_one_who_would_come(kind: str, time: str, source: str) -> None:
    """`me_from_them`: the other's range and speed; `them_from_me`: one's own (docs/rules/trees.md 4.5)."""
    limit = REACH[kind][time]
    mine, theirs = ("civilian", kind) if source == "me_from_them" else (kind, "civilian")
    sight = 10 if mine == "civilian" else 15
    limit = min(limit, sight)
    for distance, expected in ((limit, True), (limit + 0.01, False)):
        world = scene(Man(mine, (20.0, 20.0)), foe(theirs, (20.0 + distance, 20.0)))
        assert holds(world, f"C(in_reach foe {source} {time})") == expected


def test_in_reach_of_friends_and_types() -> None:
    world = scene(Man("spearmen", (20.5, 20.5)), Man("archer", (30.5, 20.5)), foe("spearmen", (20.5, 23.5)))

    assert holds(world, "C(in_reach friend me_from_them now)")
    assert not holds(world, "C(in_reach foe me_from_them now)")
    assert holds(world, "C(in_reach foe me_from_them high spearmen)")
    assert not holds(world, "C(in_reach foe me_from_them high archer or cavalry)")


def test_in_reach_needs_sight() -> None:
    world = scene(
        Man("spearmen", (20.5, 20.5)), foe("archer", (24.5, 20.5)), terrain=ground(forest=[(22, 0, 23, SIZE)])
    )

    assert not holds(world, "C(in_reach foe me_from_them high)")


# is_dying, is_armed, is_type, is_in_forest


@pytest.mark.parametrize(("intensity", "share"), [("low", 0.25), ("middle", 0.5), ("high", 0.75)])
@pytest.mark.parametrize("kind", ["spearmen", "cavalry"])
def test_is_dying_compares_shares_of_full_health(intensity: str, share: float, kind: str) -> None:
    full = {"spearmen": 24, "cavalry": 12}[kind]
    for health, expected in ((share * full, True), (share * full + 1, False)):
        me = alone(kind, health=health)
        assert holds(me, f"C(is_dying self {intensity})") == expected
        for who, side in (("foe", "enemy"), ("friend", "player")):
            pair = scene(Man("archer", (20.5, 20.5)), Man(kind, (25.5, 20.5), side, health))
            assert holds(pair, f"C(is_dying {who} {intensity})") == expected


def test_is_dying_of_others_needs_one_in_sight() -> None:
    world = scene(
        Man("archer", (20.5, 20.5), health=0.25), foe("cavalry", (38.5, 20.5), health=1), foe("cavalry", (25.5, 20.5))
    )

    assert not holds(world, "C(is_dying foe high)")
    assert not holds(world, "C(is_dying friend high)")  # never oneself


@pytest.mark.parametrize(("cooldown", "armed"), [(1, False), (0, True), (-7, True)])
def test_is_armed_self_means_the_cooldown_is_over(cooldown: int, armed: bool) -> None:
    assert holds(alone(cooldown=cooldown), "C(is_armed self)") == armed


@pytest.mark.parametrize(("cooldowns", "armed"), [((0, -3), True), ((0, 1), False), ((2, 1), False)])
@pytest.mark.parametrize(("who", "side"), [("foe", "enemy"), ("friend", "player")])
def test_is_armed_of_others_means_all_in_sight(cooldowns: tuple[int, int], armed: bool, who: str, side: str) -> None:
    others = [Man("archer", (22.5 + i, 20.5), side, cooldown=c) for i, c in enumerate(cooldowns)]
    hidden = Man("archer", (45.5, 20.5), side, cooldown=5)

    assert holds(scene(Man("archer", (20.5, 20.5), cooldown=4), *others, hidden), f"C(is_armed {who})") == armed


def test_is_armed_of_others_needs_one_in_sight() -> None:
    assert not holds(alone(), "C(is_armed foe)")
    assert not holds(alone(), "C(is_armed friend)")


@pytest.mark.parametrize("mine", ["spearmen", "archer", "cavalry", "balista", "dragon", "civilian"])
def test_is_type_names_the_own_type(mine: str) -> None:
    for named in ("spearmen", "archer", "cavalry", "balista", "dragon", "civilian"):
        assert holds(alone(mine), f"C(is_type a {named})") == (mine == named)
        assert holds(alone(mine), f"C(is_type not_a {named})") == (mine != named)


def test_is_in_forest_reads_the_own_cell() -> None:
    wood = ground(forest=[(20, 20, 22, 22)])

    assert holds(scene(Man("archer", (20.0, 21.99)), terrain=wood), "C(is_in_forest)")
    assert not holds(scene(Man("archer", (22.0, 21.0)), terrain=wood), "C(is_in_forest)")


# is_flock (ours)


@pytest.mark.parametrize(
    ("others", "direction"),
    [
        ([(3, 5), (-1, 1)], "north"),
        ([(5, 3), (1, -1)], "east"),
        ([(3, -5)], "south"),
        ([(-5, 3)], "west"),
        ([(0, 5)], "north"),
        ([(5, 0), (2, 0)], "east"),
        ([(0, -4)], "south"),
        ([(-2, 0)], "west"),
        ([(9, 1), (-4, 6)], "north"),  # the mean is (2.5, 3.5)
    ],
)
@pytest.mark.parametrize(("who", "side"), [("foe", "enemy"), ("friend", "player")])
def test_is_flock_means_the_mean_place_lies_in_that_direction(
    others: list[tuple[int, int]], direction: str, who: str, side: str
) -> None:
    world = scene(Man("archer", (20.5, 20.5)), *[Man("archer", (20.5 + x, 20.5 + y), side) for x, y in others])

    for each in ("north", "east", "south", "west"):
        assert holds(world, f"C(is_flock {who} {each})") == (each == direction)


def test_is_flock_center_means_all_four_quadrants() -> None:
    corners = [(3, 1), (-2, 2), (-1, -6), (4, -4)]
    ring = [foe("archer", (20.5 + x, 20.5 + y)) for x, y in corners]

    assert holds(scene(Man("archer", (20.5, 20.5)), *ring), "C(is_flock foe center)")
    for gap in range(4):
        kept = [man for number, man in enumerate(ring) if number != gap]
        assert not holds(scene(Man("archer", (20.5, 20.5)), *kept), "C(is_flock foe center)")


@pytest.mark.parametrize("direction", ["north", "east", "south", "west", "center"])
def test_is_flock_fails_without_a_unit_in_sight(direction: str) -> None:
    world = scene(Man("archer", (20.5, 20.5)), foe("archer", (40.5, 40.5)))

    assert not holds(world, f"C(is_flock foe {direction})")
    assert not holds(world, f"C(is_flock friend {direction})")
