"""All variants of PPO learn; lanes have settings of their own; chunks and checkpoints change nothing."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.rl import ippo, mappo
from hive.rl.checkpoints import Checkpoints
from hive.rl.evaluation import best, play_policy, wilson
from hive.rl.policies import POLICIES, learned
from hive.rl.ppo import Config
from hive.rl.training import Lane, NotFiniteError, Trainer, fingerprint, lanes_of
from tests.rl.toys import recall

QUICK = Config(steps=16 * 8 * 60, envs=16, horizon=8, width=16, rate=1e-2, minibatches=2)


def share(trainer: Trainer) -> list[float]:
    """The share of games that each lane wins in the last ten updates."""
    runner, _ = advance_all(trainer)
    return [float(row) for row in runner]


def advance_all(trainer: Trainer) -> tuple[np.ndarray, object]:
    runner, advance, done = trainer.begin(), trainer.compile(), 0
    rows = []
    while done < trainer.config.updates:
        runner, reports = advance(runner, done)
        rows += trainer.rows(done, reports)
        done += reports.games.shape[1]
    last = [[row for row in rows[-10 * len(trainer.lanes) :] if row["seed"] == lane.seed] for lane in trainer.lanes]
    return np.array([sum(r["won"] for r in own) / sum(r["games"] for r in own) for own in last]), runner


def test_the_toy_keeps_the_contract() -> None:
    assert rl.check(recall(), games=2) == []


@pytest.mark.parametrize("recurrent", [0, 1])
@pytest.mark.parametrize("algorithm", ["ippo", "mappo"])
def test_each_variant_learns_what_it_can_see(algorithm: str, recurrent: int) -> None:
    """Recurrent ones a cue that is hidden when it counts; random actions win one game in nine."""
    config = Config(**{**QUICK.__dict__, "recurrent": recurrent})
    trainer = Trainer(recall(hidden=bool(recurrent)), algorithm, config, (Lane(0), Lane(1)), 20)
    assert min(share(trainer)) > 0.85


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["ippo", "mappo"])
def test_without_a_memory_a_hidden_cue_cannot_be_learnt(algorithm: str) -> None:
    """So the variants above do remember, and forget where a game starts."""
    trainer = Trainer(recall(hidden=True), algorithm, QUICK, (Lane(0), Lane(1)), 20)
    assert max(share(trainer)) < 0.7


def test_lanes_have_settings_of_their_own() -> None:
    """A lane with rate 0 keeps the parameters that it began with, and the other lane does not."""
    config = Config(**{**QUICK.__dict__, "steps": 16 * 8 * 3})
    trainer = Trainer(recall(), "ippo", config, lanes_of([4], {"rate": [0.0, 0.01]}), 2)
    first = jax.tree.leaves(trainer.begin().params)
    _, after = advance_all(trainer)
    moved = [np.abs(np.asarray(new - old)).max(axis=tuple(range(1, old.ndim))) for old, new in zip(
        first, jax.tree.leaves(after.params), strict=True)]  # type: ignore[attr-defined]  # fmt: skip
    assert all(leaf[0] == 0.0 for leaf in moved) and all(leaf[1] > 0.0 for leaf in moved)


def test_chunks_and_a_checkpoint_between_them_change_nothing(tmp_path: Path) -> None:
    """Seven updates in chunks of three, the last one shorter, from a checkpoint after the first: bit for bit."""
    config = Config(**{**QUICK.__dict__, "steps": 16 * 8 * 7, "recurrent": 1})
    trainer = Trainer(recall(), "mappo", config, (Lane(0), Lane(9)), 3)
    advance, runner, done, rows = trainer.compile(), trainer.begin(), 0, []
    with Checkpoints(tmp_path / "kept") as kept:
        while done < 7:
            runner, reports = advance(runner, done)
            rows += trainer.rows(done, reports)
            done = rows[-1]["update"]
            if done == 3:
                kept.save(done, runner)
        assert [row["update"] for row in rows[::2]] == [1, 2, 3, 4, 5, 6, 7]
        again, done, more = kept.restore(trainer.form()), kept.newest, []
    assert done == 3
    while done < 7:
        again, reports = advance(again, done)
        more += trainer.rows(done, reports)
        done = more[-1]["update"]
    assert more == rows[6:]
    for old, new in zip(jax.tree.leaves(runner), jax.tree.leaves(again), strict=True):
        assert old.dtype == new.dtype
        if jnp.issubdtype(old.dtype, jax.dtypes.prng_key):
            old, new = jax.random.key_data(old), jax.random.key_data(new)
        assert np.array_equal(old, new)


def test_what_is_not_finite_is_found_with_its_update() -> None:
    config = Config(**{**QUICK.__dict__, "steps": 16 * 8 * 7})
    trainer = Trainer(recall(), "ippo", config, (Lane(0), Lane(3)), 3)
    advance = trainer.compile()
    runner, _ = advance(trainer.begin(), 0)
    wrong = jax.tree.map(lambda leaf: leaf.at[1].mul(jnp.nan), runner.params)  # of the second lane
    with pytest.raises(NotFiniteError, match=r"non-finite at update 4 of 7 \(seed 3\)"):
        trainer.rows(3, advance(runner.replace(params=wrong), 3)[1])


def test_a_checkpoint_of_another_form_or_none_is_the_users_error(tmp_path: Path) -> None:
    with Checkpoints(tmp_path / "kept") as kept:
        with pytest.raises(UserError, match="there is no checkpoint"):
            kept.restore({"a": jnp.zeros(3)})
        kept.save(2, {"a": jnp.arange(3.0), "none": jnp.zeros((0, 2)), "key": jax.random.key(4)})
        found = kept.restore({"a": jnp.zeros(3), "none": jnp.zeros((0, 2)), "key": jax.random.key(0)})
        assert np.array_equal(found["a"], np.arange(3.0)) and found["none"].shape == (0, 2)
        assert np.array_equal(jax.random.key_data(found["key"]), jax.random.key_data(jax.random.key(4)))
        for other in ({"a": jnp.zeros(4), "key": jax.random.key(0)}, {"b": jnp.zeros(3)}):
            with pytest.raises(UserError, match="cannot read the checkpoint .*kept/2: .*\n  = help: it is damaged"):
                kept.restore(other)


@pytest.mark.parametrize("module", [ippo, mappo])
def test_a_game_of_a_policy_depends_on_its_seed_alone(module: ModuleType) -> None:
    """Not on the games beside it; the networks are those of training, drawn or greedy."""
    env, config = recall(hidden=True), Config(**{**QUICK.__dict__, "recurrent": 1})
    policy = learned(module, config, module.begin(env, config, jax.random.key(1)).params)
    many, few = play_policy(env, policy, range(20), "many"), play_policy(env, policy, [7, 3], "few")
    assert (few.won == many.won[[7, 3]]).all() and (few.score == many.score[[7, 3]]).all()
    assert (many.steps == 4).all()
    greedy = learned(module, config, policy.params, greedy=True)
    named = play_policy(env, greedy, range(20), "greedy")
    assert named.won.mean() != many.won.mean() or (named.score != many.score).any()


def test_players_without_training_play_as_they_should() -> None:
    stand = play_policy(recall(), POLICIES["stand"], range(50), "stand")
    random = play_policy(recall(), POLICIES["random"], range(900), "random")
    assert not stand.won.any() and not stand.score.any()
    assert random.won.mean() == pytest.approx(1 / 9, abs=0.04) and random.score.mean() == pytest.approx(1 / 3, abs=0.05)
    assert best([stand, random]) is random
    assert random.json()["interval"][0] < 1 / 9 < random.json()["interval"][1]
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)  # Wilson's, from a table


def test_another_battle_has_another_fingerprint() -> None:
    assert fingerprint(recall()) == fingerprint(recall()) != fingerprint(recall(scale=0.5))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Trainer(recall(), "dqn", QUICK, (Lane(0),)).module, "there is no algorithm `dqn`"),
        (lambda: lanes_of([0], {"envs": [8, 16]}), "`envs` cannot vary within a run"),
        (lambda: Trainer(recall(), "ippo", QUICK, lanes_of([0], {"rate": [20.0]})), "`rate` is 20: it is from 0 to 10"),
    ],
)
def test_settings_that_make_no_run_are_refused(make: object, words: str) -> None:
    with pytest.raises(UserError, match=words):
        make()  # type: ignore[operator]
