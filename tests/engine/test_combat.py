"""Attacks and cooldowns (docs/rules/battles.md 3.3, 3.4)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.engine.worlds import Man, Scene, act, everyone_in, foe, one_order, running, scene, tick


def duel(**mine: float) -> Scene:
    """A spearman and a foe in reach."""
    return scene(Man("spearmen", (10.5, 10.5), **mine), foe("spearmen", (11.0, 10.5)))


def test_an_attack_takes_the_damage_of_its_type() -> None:
    world = scene(Man("archer", (10.5, 10.5)), foe("spearmen", (11.0, 10.5)))

    after = act(world, {0: ("attack", 1)})

    assert after.health[:2].tolist() == [2, 21]
    assert after.tick == 1


def test_two_units_of_one_health_kill_each_other_in_one_tick() -> None:
    world = scene(Man("spearmen", (10.5, 10.5), health=1), foe("spearmen", (11.0, 10.5), health=1))

    after = act(world, {0: ("attack", 1), 1: ("attack", 0)})

    assert after.health[:2].tolist() == [0, 0]


def test_a_unit_that_dies_in_this_tick_still_strikes() -> None:
    world = scene(
        Man("archer", (10.5, 10.5)),
        foe("archer", (12.5, 10.5), health=1),
        Man("spearmen", (14.5, 10.5)),
    )

    after = act(world, {0: ("attack", 1), 1: ("attack", 2)})

    assert after.health[:3].tolist() == [2, 0, 21]


def test_overkill_is_wasted() -> None:
    archers = [Man("archer", (10.5, 10.5 + i)) for i in range(4)]
    world = scene(*archers, foe("cavalry", (12.5, 10.5), health=5), foe("cavalry", (12.5, 11.5)))

    after = act(world, {row: ("attack", 4) for row in range(4)})

    assert after.health[4:6].tolist() == [0, 12]


def test_damage_of_several_attackers_adds_up() -> None:
    archers = [Man("archer", (10.5, 10.5 + i)) for i in range(4)]
    world = scene(*archers, Man("spearmen", (9.5, 10.5)), foe("spearmen", (10.5, 9.5)))

    after = act(world, {row: ("attack", 5) for row in range(5)})

    assert after.health[5] == 24 - 4 * 3 - 1


def test_the_dead_do_not_strike() -> None:
    after = act(duel(health=0), {0: ("attack", 1)})

    assert after.health[1] == 24


@pytest.mark.parametrize(("cooldown", "strikes"), [(1, False), (2, False), (0, True), (-1, True), (-1000, True)])
def test_an_attack_counts_when_the_cooldown_is_at_most_zero(cooldown: int, strikes: bool) -> None:
    after = act(duel(cooldown=cooldown), {0: ("attack", 1)})

    assert after.health[1] == 24 - strikes
    assert after.cooldown[0] == (1 if strikes else cooldown - 1)


def test_range_and_sight_are_not_tested_again() -> None:
    wood = np.zeros((48, 48), np.uint8)
    wood[20:30] = 4
    world = scene(Man("spearmen", (5.5, 5.5)), foe("spearmen", (40.5, 40.5)), terrain=wood)

    after = act(world, {0: ("attack", 1)})

    assert after.health[1] == 23


def test_cooldown_starts_for_live_attackers_and_counts_down_without_bound_for_all_others() -> None:
    world = scene(
        Man("archer", (10.5, 10.5), cooldown=-3),  # strikes and lives
        foe("archer", (12.5, 10.5), health=1, cooldown=-3),  # strikes and dies
        Man("spearmen", (14.5, 10.5), cooldown=-3),  # stands
        Man("spearmen", (20.5, 10.5), cooldown=2),
    )

    after = act(world, {0: ("attack", 1), 1: ("attack", 2)})

    assert after.cooldown[:4].tolist() == [1, -4, -4, 1]


def test_targets_are_named_by_id_whatever_their_row() -> None:
    world = scene(Man("archer", (10.5, 10.5)), foe("spearmen", (11, 10)), foe("spearmen", (12, 10)), ids=[7, 3, 0])

    after = act(world, {0: ("attack", 0)})

    assert after.health[:3].tolist() == [2, 24, 21]


@pytest.mark.parametrize("target", [-1, 12, 10_000])
def test_an_attack_without_a_target_hurts_no_unit(target: int) -> None:
    after = act(duel(), {1: ("attack", target)})

    assert after.health[:2].tolist() == [24, 24]


@pytest.mark.parametrize("cooldown", [0, 1, 3])
def test_a_lone_attacker_strikes_once_every_cooldown_plus_one_ticks(cooldown: int) -> None:
    """With the published cooldown of 1, damage falls on steps 1, 3, 5, … (docs/rules/battles.md 3.4)."""
    world = duel()
    types = world.params.types.replace(cooldown=jnp.full_like(world.params.types.cooldown, cooldown))
    params = running(world.params.replace(types=types), "A(attack closest)")
    orders, progress = one_order(params), everyone_in(params)
    progress = progress.replace(group=progress.group.at[1].set(-1))  # the foe stands
    state, health = world.state, [24.0]

    for _ in range(12):
        state, _ = tick(params, orders, progress, state, jax.random.key(0))
        health.append(float(state.health[1]))

    struck = (np.flatnonzero(np.diff(health)) + 1).tolist()
    assert struck == list(range(1, 13, cooldown + 1))
    assert np.diff(health)[0] == -1
