"""Many games at once: plans x rules x seeds give the games that each gives alone, however they are cut."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import jax
import numpy as np
import pytest

import dsl
import hive
from dsl import UserError
from hive.engine.batch import job as batch
from hive.engine.batch import lanes
from hive.engine.batch.job import Job
from hive.engine.batch.sweep import Sweep
from hive.engine.plan.arrays import pad_plan, stack
from hive.engine.reading import compile_checked, read_plan
from hive.engine.swapping import with_room
from hive.engine.types import ENEMY, Plan
from hive.worlds.battle.world import Battle, load
from tests.hive.skirmish import ARRAYS, LARGE_PLAN, SMALL_PLAN, same_games, skirmish
from tests.lanes import lane_of

RULES = {"movement_randomness": [5, 0], "limit": [60, 25]}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Battle:
    return skirmish(tmp_path_factory.mktemp("skirmish"))


@pytest.fixture(scope="module")
def plans(world: Battle) -> list[Plan]:
    return [read_plan(SMALL_PLAN, world), read_plan(LARGE_PLAN, world)]


@pytest.fixture(scope="module")
def sweep(world: Battle, plans: list[Plan]) -> Sweep:
    return hive.sweep(world, plans, [3, 8, 4], names=["small", "large"], rules=RULES)


@pytest.mark.long
def test_cells_go_plan_by_plan_and_the_last_rule_fastest(sweep: Sweep) -> None:
    assert [(cell.plan, *cell.rules.values()) for cell in sweep.results] == [
        (plan, noise, limit) for plan in ("small", "large") for noise in (5, 0) for limit in (60, 25)
    ]
    assert all(list(cell.rules) == list(RULES) and cell.seed.tolist() == [3, 8, 4] for cell in sweep.results)


@pytest.mark.long
def test_every_cell_holds_the_games_that_its_plan_and_rules_give_alone(
    world: Battle, plans: list[Plan], sweep: Sweep, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """To the bit, and so for a plan padded to the capacities of another: padding is inert."""
    assert plans[0].tree.shape < plans[1].tree.shape and plans[0].member.shape[0] < plans[1].member.shape[0]
    for number, cell in enumerate(sweep.results):
        alone = skirmish(tmp_path_factory.mktemp("alone"), **cell.rules)
        same_games(cell, hive.play(alone, plans[number // 4], [3, 8, 4]))
    assert len({cell.score.tobytes() for cell in sweep.results}) > 4, "plans and rules do something"


@pytest.mark.slow
def test_a_game_does_not_depend_on_its_place(world: Battle, plans: list[Plan], sweep: Sweep) -> None:
    turned = hive.sweep(world, plans[::-1], [4, 3, 9], rules={"limit": [25, 7], "movement_randomness": [0, 7]})
    cell, again = sweep.results[7], turned.results[0]
    assert cell.plan == "large" and cell.rules == again.rules
    np.testing.assert_array_equal(cell.score[[2, 0]], again.score[:2])
    np.testing.assert_array_equal(cell.survivors[[2, 0]], again.survivors[:2])


@pytest.mark.long
def test_plans_of_both_editions_play_in_one_batch_as_they_do_alone(
    world: Battle, plans: list[Plan], sweep: Sweep
) -> None:
    """To the bit, and a plan that uses nothing of the second edition as in a batch that has nothing of it."""
    source = plans[1].source
    assert source is not None
    first, _, last = source.steps
    ahead, behind, third = first.groups
    groups = (
        dataclasses.replace(ahead, cover=True),
        dataclasses.replace(behind, target=ahead.target, behind=dsl.Behind(0, 2)),
        dataclasses.replace(third, leash=4, choice=dsl.Nearest(3, (9, 20))),
    )
    steps = (dataclasses.replace(first, groups=groups, objective=dsl.Sighted()), last)
    steps = (*steps, dataclasses.replace(last, id=2, prerequisites=(), objective=dsl.Time(30)))
    second = compile_checked(dsl.PlanSyntax(steps), world)
    mixed = hive.sweep(world, [plans[0], second], [3, 8, 4], rules=RULES)
    for number in range(4):
        same_games(mixed.results[number], sweep.results[number])
    turned = hive.sweep(world, [second, plans[1]], [3, 8, 4], rules=RULES)
    for number in range(4):
        same_games(mixed.results[4 + number], turned.results[number])
        same_games(turned.results[4 + number], sweep.results[4 + number])
    assert (mixed.results[4].achieved != sweep.results[4].achieved[:, :1]).any()
    assert (mixed.results[4].achieved[:, 2] == 30).any()


@pytest.mark.slow
def test_how_games_are_cut_makes_no_difference(world: Battle, plans: list[Plan], sweep: Sweep) -> None:
    """Chunks end within a plan and within a row of rules; the last one is filled up. They have the lanes of `sweep`."""
    rules = [cell.rules for cell in sweep.results[:4]]
    job = Job(world, plans, ["small", "large"], np.array([3, 8, 4, *range(10, 33)], np.uint32), rules, chunk=24)
    assert [chunk.size for chunk in job.chunks] == [24] * 8 + [16]
    before = lanes.go_on._cache_size()
    parts = [job.play(number) for number in range(len(job.chunks))]
    assert lanes.go_on._cache_size() == before, "all chunks have one shape"
    for cell, part in zip(sweep.results, job.collect(parts), strict=True):
        assert (cell.plan, cell.rules) == (part.plan, part.rules)
        own = {name: getattr(part, name)[:3] for name in ARRAYS}
        same_games(cell, dataclasses.replace(part, **own, outcome=part.outcome[:3]))


@pytest.mark.parametrize(
    ("count", "seeds", "most"), [(1, 10, 10**6), (3, 10, 70), (5, 7, 26), (2, 3, 1), (40, 100, 26 * 64)]
)
def test_chunks_hold_every_game_once_and_are_no_larger_than_memory_allows(
    world: Battle, plans: list[Plan], monkeypatch: pytest.MonkeyPatch, count: int, seeds: int, most: int
) -> None:
    """And are even, so that one program plays all of them."""
    monkeypatch.setattr(batch, "MOST_AT_ONCE", most)
    job = Job(world, plans[:1] * count, [""] * count, np.arange(seeds, dtype=np.uint32), devices=jax.devices()[:1])
    sizes = [chunk.size for chunk in job.chunks]
    assert np.concatenate(job.chunks).tolist() == list(range(count * seeds))
    assert all(size * world.params.count <= max(most, world.params.count) for size in sizes)
    assert set(sizes[:-1]) <= {sizes[0]} and 0 < sizes[-1] <= sizes[0]


def test_distance_maps_of_many_plans_ask_for_chunks_too(
    world: Battle, plans: list[Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "_MOST_CELLS", 3 * 40 * 40)
    job = Job(world, plans * 3, [""] * 6, np.arange(2, dtype=np.uint32))
    assert [chunk.size for chunk in job.chunks] == [6, 6]  # six distinct targets, room for three


@pytest.mark.long
def test_a_long_batch_of_one_plan_keeps_all_its_metrics(
    world: Battle, plans: list[Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = hive.play(world, plans[1], range(3))
    monkeypatch.setattr(batch, "MOST_AT_ONCE", 2 * world.params.count)
    parts = hive.play(world, plans[1], range(3))
    same_games(whole, parts)
    for mine, yours in zip(whole.metrics, parts.metrics, strict=True):
        jax.tree.map(np.testing.assert_array_equal, mine, yours)
    assert [len(each.tick) for each in whole.metrics] == whole.ticks.tolist()


@pytest.mark.slow
def test_progress_tells_of_every_game_to_the_end(
    world: Battle, plans: list[Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_AT_ONCE", 24 * world.params.count)
    told: list[tuple[int, tuple[str, ...]]] = []
    progress = lambda tick, ends: told.append((tick, tuple(ends)))  # noqa: E731
    found = hive.sweep(world, plans, range(9), rules=RULES, progress=progress)
    assert all(len(ends) == 72 for _, ends in told) and told[0][1][24:] == ("running",) * 48
    assert told[-1][1] == tuple(end for cell in found.results for end in cell.outcome)
    assert found.results[0].metrics == ()


@pytest.mark.slow
def test_other_plans_and_rules_of_the_same_number_compile_nothing(world: Battle, plans: list[Plan]) -> None:
    """They are data."""
    seeds = [1, 2, 5]
    hive.sweep(world, plans, seeds, rules={"jitter": [0.02, 0.5], "limit": [30, 40]})
    before = lanes.go_on._cache_size(), lanes.start._cache_size(), lanes.make_table._cache_size()
    assert before[0] > 0
    hive.sweep(world, plans[::-1], seeds, rules={"firmness": [0.5, 0.1], "goal_radius": [2, 4]})
    assert (lanes.go_on._cache_size(), lanes.start._cache_size(), lanes.make_table._cache_size()) == before


def test_a_stack_holds_each_target_once_and_every_order(plans: list[Plan]) -> None:
    """Each unit is in the same groups, each with its tree, types, target, pool and step."""
    both = stack(plans)
    known = [tuple(place) for place in np.asarray(both.place).tolist()]
    told = [tuple(place) for plan in plans for place in np.asarray(plan.place).tolist()]
    assert set(known) == set(told) and len(set(known)) == 6

    def orders(plan: Plan, place: np.ndarray) -> list[tuple[int, ...]]:
        unit, found = np.asarray(plan.member), []
        for row, who in zip(*np.nonzero(unit >= 0), strict=True):
            group = unit[row, who]
            numbers = (int(getattr(plan, name)[group]) for name in ("step", "tree", "types", "pool"))
            found.append((int(who), *numbers, *map(int, place[plan.target[group]])))
        return sorted(found)

    for number, plan in enumerate(plans):
        own = lane_of(both.replace(place=both.target), number)
        assert orders(own, np.asarray(both.place)) == orders(plan, np.asarray(plan.place))
        assert int(own.exists.sum()) == int(plan.exists.sum())


def test_padding_to_the_same_capacities_changes_nothing(plans: list[Plan]) -> None:
    for plan in plans:
        again = pad_plan(plan, plan.exists.shape[0], plan.tree.shape[0], plan.member.shape[0], plan.place.shape[0])
        jax.tree.map(np.testing.assert_array_equal, again, plan)


def test_what_does_not_fit_is_refused(world: Battle, plans: list[Plan]) -> None:
    with pytest.raises(ValueError, match="at least one plan"):
        hive.sweep(world, [], [0])
    wrong: Any
    for wrong, why in (
        ([], "there is no seed"),
        (3, r"not 3\n  = help: range\(3\) are as many games, \[3\] is"),
        ("12", "not '12'\n  = help: range"),
        ([-1], "-1 is no seed\n  = help: "),
        ([2**32], "is no seed"),
        ([1.5], "1.5 is no seed"),
        (["a"], "'a' is no seed"),
    ):
        for play in (partial(hive.play, world, plans[0]), partial(hive.sweep, world, plans)):
            with pytest.raises(UserError, match=why):
                play(wrong)
    for names in (["one"], "one"):
        with pytest.raises(ValueError, match="each plan has one name"):
            hive.sweep(world, plans, [0], names=names)
    with pytest.raises(TypeError, match="takes a list of plans"):
        hive.play(world, plans, [0])
    with pytest.raises(TypeError, match=r"hive\.play takes one plan"):
        hive.sweep(world, plans[0], [0])
    enemy = hive.read_plan(SMALL_PLAN, world, side=ENEMY)
    for wrongly in (
        partial(hive.play, world, enemy),
        partial(hive.sweep, world, [plans[0], enemy]),
        partial(hive.play, world, plans[0], swaps=[(4, enemy)]),
    ):
        with pytest.raises(UserError, match="a plan of the player was read for the enemy"):
            wrongly(seeds=[0])
    with pytest.raises(UserError, match=r"a plan of the enemy was read for the player(.|\n)*side=1"):
        hive.sweep(world, plans, [0], enemies=plans)
    with pytest.raises(UserError, match="another number of units"):
        hive.sweep(load("coordinate", units=20), plans, [0])


def test_a_plan_for_another_number_of_units_is_refused_by_the_pure_functions(world: Battle, plans: list[Plan]) -> None:
    """As by `hive.play`, also where a program is traced, in place of JAX's words about the shapes of arrays."""
    other, key = load("coordinate", units=20), jax.random.key(0)
    orders = jax.eval_shape(hive.make_orders, world.params, plans[0])
    game, larger = jax.eval_shape(hive.begin, world.params, orders, key), hive.read_plan("coordinate", other)
    for refused in (
        lambda: jax.vmap(hive.rollout, (None, None, 0))(other.params, plans[0], key[None]),
        lambda: hive.make_orders(other.params, plans[0]),
        lambda: hive.begin(other.params, orders, key),
        lambda: hive.swap(world.params, orders, game, larger),
    ):
        with pytest.raises(UserError, match="a plan was read for another number of units: read it for this world of"):
            refused()


def test_what_belongs_to_other_worlds_or_plans_is_refused(world: Battle, plans: list[Plan]) -> None:
    """An action of crews in a battle would be played by the rules of crews, and a misspelt capacity left out."""
    count, key = world.params.count, jax.random.key(0)
    state = jax.eval_shape(hive.reset, world.params, key)
    action = hive.CrewAction(code=np.zeros(count, np.int32), place=np.zeros((count, 2), np.int32))
    with pytest.raises(TypeError, match=r"take a hive\.Action, not a CrewAction"):
        hive.step(world.params, state, action, key)
    with pytest.raises(TypeError, match="no capacity `step`; it has steps, groups"):
        with_room(plans[0], step=4)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"limt": [5]}, "there is no rule `limt`(.|\n)*limt\n  = help: did you mean `limit`?"),
        ({"limit": [5, 0]}, "0 is out of range(.|\n)*limit"),
        ({"jitter": ["much"]}, "expected a number"),
        ({"jitter": [0.5, 0.5]}, "given twice"),
        ({"jitter": []}, "there is no value to try"),
        ({"jitter": 0.5}, r"a list of values(.|\n)*write \[0\.5\]"),
    ],
)
def test_a_wrong_rule_is_the_users_error(
    world: Battle, plans: list[Plan], rules: dict[str, list[float]], message: str
) -> None:
    with pytest.raises(UserError, match=message.replace("?", r"\?")):
        hive.sweep(world, plans, [0], rules=rules)


@pytest.mark.long
def test_hundreds_of_different_plans_in_one_batch() -> None:
    """Forty units each; games picked from it are those that the plans give alone."""
    small = load("coordinate", units=20, limit=40)

    def text(number: int) -> str:
        draw = np.random.default_rng(number)
        step = "Step {}:\nprerequisites: {}\nobjective: {}\nunits: all\n- target position: ({}, {})\n- behavior: {}\n"
        behaviours = ["follow_map", "attack_and_move", "attack_in_close_range"]
        places = 10 * draw.integers(0, 15, (3, 2))
        steps = range(int(draw.integers(1, 4)))
        return "\n".join(
            step.format(n, [n - 1] if n else [], "elimination all" if n == 2 else "position", *places[n], behaviours[n])
            for n in steps
        )

    plans = [read_plan(text(number), small) for number in range(300)]
    found = hive.sweep(small, plans, [7])
    assert len(found.results) == 300 and found.outcomes["no_plan"] == 0
    for number in (0, 1, 149, 298, 299):
        alone = with_room(plans[number], steps=4, groups=4, memberships=4, places=4)  # one program for all of them
        same_games(found.results[number], hive.play(small, alone, [7]))
