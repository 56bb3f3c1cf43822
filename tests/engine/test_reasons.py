"""Why each leaf of a battle's trees failed, in situations set by hand: facts that agree with the engine's answer."""

from __future__ import annotations

from typing import Any

import pytest

from hive.engine.units.leaves import UNIT_LEAVES
from hive.worlds.battle.reasons import WORDS, in_words, reasons
from tests.engine.worlds import SIZE, Man, Scene, foe, ground, obey, running, scene

WALL = ground(building=[(22, 0, 24, SIZE)])
WATER = ground(water=[(22, 0, 24, SIZE)])


def me(*others: Man, kind: str = "archer", terrain: Any = None, **how: Any) -> Scene:
    """One unit at (20.5, 20.5), and others."""
    return scene(Man(kind, (20.5, 20.5), **how), *others, terrain=terrain)


def far(kind: str = "archer", away: float = 18.0, **how: Any) -> Man:
    return foe(kind, (20.5 + away, 20.5), **how)


def nearest(kind: str, distance: float) -> dict[str, Any]:
    return {"unit": 1, "type": kind, "distance": distance}


FOE: dict[str, Any] = {"who": "foe", "types": ["any"]}
NONE_ALIVE = {"reason": "none_alive", **FOE}
CASES: list[tuple[str, Scene, list[dict[str, Any]], str]] = [
    ("A(failure_action)", me(), [{"reason": "always"}], "it always fails"),
    (
        "A(attack closest)",
        me(far(away=3), cooldown=2),
        [{"reason": "not_ready", "cooldown": 2}],
        "the weapon is not ready (cooldown 2)",
    ),
    (
        "A(attack closest)",
        me(far("cavalry", 3), kind="spearmen", cooldown=1),
        [
            {"reason": "not_ready", "cooldown": 1},
            {"reason": "out_of_range", **FOE, "nearest": nearest("cavalry", 3.0), "range": 1.0},
        ],
        "(cooldown 1); no foe is in range: the nearest is unit 1 (cavalry), 3.0 m away, and the range is 1.0 m",
    ),
    (
        "A(attack closest archer or dragon)",
        me(far("cavalry", 3)),
        [
            {
                "reason": "other_types",
                "who": "foe",
                "types": ["archer", "dragon"],
                "nearest": nearest("cavalry", 3.0),
            }
        ],
        "no archer or dragon foe is visible: the nearest visible foe is unit 1 (cavalry), 3.0 m away",
    ),
    ("A(attack weakest)", me(), [NONE_ALIVE], "no foe is alive"),
    (
        "A(move toward closest foe)",
        me(far()),
        [{"reason": "none_visible", **FOE, "nearest": nearest("archer", 18.0), "sight": 15.0}],
        "no foe is visible: the nearest is unit 1 (archer), 18.0 m away, and sight reaches 15 m",
    ),
    (
        "A(move toward closest foe)",
        me(far(away=5), terrain=WATER),
        [{"reason": "blocked", "step": [2.0, 0.0]}],
        "a building or water blocks the way by (2.00, 0.00)",
    ),
    ("A(move east)", me(terrain=WALL), [{"reason": "blocked", "step": [2.0, 0.0]}], "a building or water blocks"),
    (
        "A(follow_map toward)",
        me(),
        [{"reason": "near_target", "distance": 0.0, "limit": 0.0}],
        "the target is reached",
    ),
    (
        "A(follow_map away_from low)",
        me(kind="civilian"),
        [{"reason": "far_from_target", "distance": 10.0, "limit": 2.5}],
        "the target is far: distance 10, limit 2.5",
    ),
    (
        "C(in_sight foe)",
        me(far(away=5), terrain=WALL),
        [{"reason": "none_visible", **FOE, "nearest": nearest("archer", 5.0), "sight": 15.0}],
        "no foe is visible: the nearest is unit 1 (archer), 5.0 m away, behind forest or a building",
    ),
    (
        "C(in_sight friend)",
        me(far(away=5)),
        [{"reason": "none_alive", "who": "friend", "types": ["any"]}],
        "no friend is alive",
    ),
    (
        "C(in_reach foe me_from_them low)",
        me(far("cavalry", 9)),
        [{"reason": "out_of_range", **FOE, "nearest": nearest("cavalry", 9.0), "range": 7.0}],
        "no foe is in range: the nearest is unit 1 (cavalry), 9.0 m away, and the range is 7.0 m",
    ),
    (
        "C(is_dying self middle)",
        me(),
        [{"reason": "healthy", "health": 2.0, "limit": 1.0}],
        "health 2 is above 1",
    ),
    (
        "C(is_dying foe low)",
        me(far("cavalry", 4)),
        [{"reason": "none_dying", **FOE, "nearest": nearest("cavalry", 4.0), "share": 0.25}],
        "no visible foe has at most 25% of its health",
    ),
    ("C(is_armed self)", me(cooldown=3), [{"reason": "not_ready", "cooldown": 3}], "the weapon is not ready"),
    (
        "C(is_armed foe)",
        me(far(away=4, cooldown=1), foe("archer", (20.5, 25.5))),
        [{"reason": "not_armed", "unit": 1, "cooldown": 1}],
        "the weapon of unit 1 is not ready (cooldown 1)",
    ),
    ("C(is_armed foe)", me(), [NONE_ALIVE], "no foe is alive"),
    ("C(is_flock foe north)", me(far(away=4)), [{"reason": "flock", "directions": ["east"]}], "they stand east"),
    ("C(is_flock foe north)", me(), [{"reason": "flock", "directions": []}], "none is visible"),
    ("C(is_type a dragon)", me(), [{"reason": "own_type", "type": "archer"}], "the unit is of type archer"),
    ("C(is_in_forest)", me(), [{"reason": "not_in_forest"}], "the unit stands in no forest"),
]


@pytest.mark.parametrize(("leaf", "world", "expected", "words"), CASES, ids=[case[0] for case in CASES])
def test_a_leaf_that_fails_says_why(leaf: str, world: Scene, expected: list[dict[str, Any]], words: str) -> None:
    target = (30, 20) if "away_from" in leaf else (20, 20)
    decision = obey(world, leaf, target)

    assert not decision.answers[0, 0] and decision.ticked.asked[0, 0]
    [found] = reasons(running(world.params, leaf), world.state, decision, 0, [0])

    assert found == expected
    assert words in in_words(found)


def test_every_leaf_that_can_fail_and_every_reason_has_a_case() -> None:
    named = {leaf[2:].split()[0].rstrip(")") for leaf, *_ in CASES}
    assert named == set(UNIT_LEAVES) - {"stand", "success_action"}
    of_plans = {"leash", "behind"}  # tests/engine/test_second_edition.py has their cases
    assert {each["reason"] for _, _, expected, _ in CASES for each in expected} == set(WORDS) - of_plans


def test_types_of_the_plan_count_as_those_of_the_leaf() -> None:
    """The tree says `any`, the plan `archer`: a visible spearman is of another type."""
    world, leaf = me(far("spearmen", 0.5)), "A(attack closest any)"
    decision = obey(world, leaf, types="archer")

    [[found]] = reasons(running(world.params, leaf), world.state, decision, 0, [0])

    assert (found["reason"], found["types"], found["nearest"]["type"]) == ("other_types", ["archer"], "spearmen")


def test_several_leaves_are_explained_at_once() -> None:
    world, tree = (
        me(far("cavalry", 9), cooldown=1),
        "F(A(attack closest) :: S(C(in_reach foe me_from_them now) :: A(stand)))",
    )
    decision = obey(world, tree)

    found = reasons(running(world.params, tree), world.state, decision, 0, [0, 1])

    assert [[each["reason"] for each in leaf] for leaf in found] == [["not_ready"], ["out_of_range"]]
