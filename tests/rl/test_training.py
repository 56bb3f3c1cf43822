"""All algorithms learn; lanes have settings of their own; chunks and checkpoints change nothing."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.experiments.plots.learning import save_curves
from hive.kit.intervals import wilson
from hive.kit.seeds import SEEDS
from hive.rl import evaluation, training
from hive.rl.algorithms import algorithm
from hive.rl.checkpoints import Checkpoints
from hive.rl.evaluation import best, play_policy, replay_states, seeds_of, worlds_of
from hive.rl.holdout import survivors
from hive.rl.networks import ActorCritic, Trunk
from hive.rl.policies import POLICIES, drawn_or_greedy, learned, with_baselines
from hive.rl.ppo import TrainingMetrics, network_of
from hive.rl.runs import read_run
from hive.rl.settings import Config
from hive.rl.training import Lane, NotFiniteError, Trainer, fingerprint, lanes_of
from tests.lanes import lane_of
from tests.rl.toys import LAST, Recall, recall

# Two lanes that learn, and one whose learning rate is 0. 70 updates are three chunks and a half.
QUICK = Config(total_timesteps=16 * 8 * 70, num_envs=16, num_steps=8, width=16, learning_rate=1e-2, num_minibatches=2)
LANES = (Lane(0, {"learning_rate": 0.01}), Lane(1, {"learning_rate": 0.01}), Lane(2, {"learning_rate": 0.0}))


def variant(name: str, recurrent: int, hidden: bool) -> Trainer:
    settings = {**asdict(QUICK), "recurrent": recurrent, **algorithm(name).settings}
    return Trainer(recall(hidden), name, Config(**settings), LANES, 20)


def go_on(trainer: Trainer, advance: Callable[..., Any], runner: Any, done: int) -> tuple[Any, list[Any]]:
    """All updates that are left, and their metrics."""
    rows: list[Any] = []
    while done < trainer.config.num_updates:
        runner, metrics = advance(runner, done)
        rows += trainer.rows(done, metrics)
        done = rows[-1]["update"]
    return runner, rows


def shares(rows: list[Any]) -> list[float]:
    """The share of games that each lane won in the last ten updates."""
    lanes = [[row for row in rows[-10 * len(LANES) :] if row["seed"] == lane.seed] for lane in LANES]
    return [sum(row["won"] for row in own) / sum(row["games"] for row in own) for own in lanes]


class Ran:
    """A run that was interrupted after its first chunk and resumed from a checkpoint, and one that was not."""

    def __init__(self, trainer: Trainer, folder: Path) -> None:
        self.trainer = trainer
        self.first, self.advance = trainer.start()
        self.early, metrics = self.advance(self.first, 0)
        rows = trainer.rows(0, metrics)
        with Checkpoints(folder / "kept") as kept:
            kept.save(20, self.early)
            restored = kept.restore(trainer.form())
        self.last, more = go_on(trainer, self.advance, self.early, 20)
        self.rows = rows + more
        self.resumed = go_on(trainer, self.advance, restored, 20)


def plain(tree: Any) -> list[np.ndarray]:
    """All leaves on the host."""
    return [
        np.asarray(jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf)
        for leaf in jax.tree.leaves(tree)
    ]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return Ran(variant("ippo", 0, False), tmp_path_factory.mktemp("ippo"))


def learns_and_resumes(ran: Ran) -> None:
    """Random actions win one game in nine, and without a memory a hidden cue gives one in two at best."""
    found, untrained = shares(ran.rows), 0.6 if ran.trainer.algorithm == "pqn_vdn" else 0.3  # greedy or random
    assert min(found[:2]) > 0.85 and found[2] < untrained, found
    assert [row["update"] for row in ran.rows[:: len(LANES)]] == [*range(1, 71)]
    resumed, rows = ran.resumed
    assert rows == ran.rows[20 * len(LANES) :]
    for old, new in zip(plain(ran.last), plain(resumed), strict=True):
        assert old.dtype == new.dtype and np.array_equal(old, new)


def test_the_first_state_is_made_while_the_updates_are_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start gives the state that `begin` gives, and each of its two parts waits here until the other has begun."""
    trainer, began, begun, traced = variant("ippo", 0, False), Trainer._begun, Event(), Event()

    def slowly(self: Trainer, program: Any, params: Any) -> Any:
        begun.set()
        assert traced.wait(60)
        return began(self, program, params)

    def trace(self: Trainer) -> Any:
        traced.set()
        assert begun.wait(60)
        return "updates"

    expected = trainer.begin()
    monkeypatch.setattr(Trainer, "_begun", slowly)
    monkeypatch.setattr(Trainer, "compile", trace)
    first, advance = trainer.start()
    assert advance == "updates"
    for old, new in zip(plain(expected), plain(first), strict=True):
        assert old.dtype == new.dtype and np.array_equal(old, new)


def test_a_memory_lasts_until_a_game_starts() -> None:
    """After a start the outputs are those of a fresh memory; before it they depend on what came earlier."""
    trunk, random = Trunk(4), np.random.default_rng(0)
    inputs, starts, old = (
        random.normal(size=(6, 2, 3)).astype(np.float32),
        np.zeros((6, 2), bool),
        np.ones((2, 4), np.float32),
    )
    starts[2, 0] = True
    form = jax.eval_shape(trunk.init, jax.random.key(1), old, inputs, starts)
    params = jax.tree.map(lambda leaf: random.normal(0, 0.5, leaf.shape).astype(leaf.dtype), form)
    apply = jax.jit(trunk.apply)
    kept, fresh = apply(params, old, inputs, starts)[1], apply(params, np.zeros_like(old), inputs, starts)[1]
    same = (np.asarray(kept) == np.asarray(fresh)).all(-1)
    assert same[2:, 0].all() and not same[:2, 0].any() and not same[:, 1].any()
    last, outputs = apply(params, old, inputs[:3], starts[:3])
    again = apply(params, last, inputs[3:], starts[3:])[1]
    assert np.allclose(np.concatenate([outputs, again]), kept, atol=1e-6), "a memory is carried from call to call"


def test_networks_of_several_lanes_are_made_one_by_one() -> None:
    """Decompositions of several matrices at once may wait for each other and never end; see `hive.rl.networks`."""
    network = ActorCritic(3, width=4, recurrent=True)
    memory, starts = network.initial_memory(agents=2), jnp.zeros((1, 1), bool)
    inputs = memory, jnp.zeros((1, 2, 3)), jnp.ones((1, 2, 3), bool), starts
    program = jax.jit(jax.vmap(lambda key: network.init(key, *inputs))).lower(jax.random.split(jax.random.key(0), 5))
    shapes = re.findall(r"custom_call @lapack_\w*qrf?_ffi.*-> \(?tensor<([\dx]+)xf32>", program.as_text())
    assert shapes and all(shape.count("x") == 1 for shape in shapes), shapes


def test_a_setting_that_is_named_like_a_metric_keeps_lanes_apart() -> None:
    """Rows keep settings apart from metrics, whatever both are called."""
    lanes = (Lane(0, {"ent_coef": 0.01}), Lane(0, {"ent_coef": 0.001}))
    trainer = Trainer(recall(False), "ippo", QUICK, lanes, 20)
    one = np.ones((2, 1))
    won = np.array([[1.0], [0.0]])
    numbers = dict.fromkeys(TrainingMetrics.__dataclass_fields__, one) | {"won": won, "finite": one > 0}
    rows = trainer.rows(0, TrainingMetrics(**numbers))
    assert [training.learned(rows, lane)[0] for lane in lanes] == [1.0, 0.0]
    save_curves(rows, "two weights", io.BytesIO())


@pytest.mark.slow
def test_a_run_learns_and_resumes_bit_for_bit(ran: Ran) -> None:
    learns_and_resumes(ran)


@pytest.mark.long
@pytest.mark.parametrize(
    ("algorithm", "recurrent"),
    [("ippo", 1), ("mappo", 0), ("mappo", 1), ("pqn_vdn", 0), ("pqn_vdn", 1)],
)
def test_the_other_variants_do_so_too(algorithm: str, recurrent: int, tmp_path: Path) -> None:
    """Recurrent ones with a cue that is hidden when it counts, and another one every fourth step."""
    learns_and_resumes(Ran(variant(algorithm, recurrent, bool(recurrent)), tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ["ippo", "mappo"])
def test_without_a_memory_a_hidden_cue_cannot_be_learnt(algorithm: str) -> None:
    trainer = variant(algorithm, 0, True)
    assert max(shares(go_on(trainer, trainer.compile(), trainer.begin(), 0)[1])) < 0.7


@pytest.mark.slow
def test_lanes_have_settings_of_their_own(ran: Ran) -> None:
    """A lane with a learning rate of 0 keeps the parameters that it began with, and the others do not."""
    for old, new in zip(plain(ran.first.params), plain(ran.last.params), strict=True):
        assert np.array_equal(old[2], new[2]) and not np.array_equal(old[0], new[0])


def test_the_settings_that_win_most_go_on() -> None:
    """docs/rules/learning.md 13.2: seeds of a setting stop together, and of equal settings the first goes on."""
    lanes = lanes_of((0, 1), {"learning_rate": [1.0, 2.0, 3.0, 4.0, 5.0]})
    won = {1.0: 0.5, 2.0: 0.5, 3.0: 0.75, 4.0: 0.25, 5.0: 0.0}
    tests: list[dict[str, Any]] = []
    wanted = {3: [1.0, 2.0, 3.0, 4.0], 5: [1.0, 3.0], 8: [1.0, 3.0], 9: [1.0, 3.0], 10: [3.0], 20: [3.0]}
    for update, settings in wanted.items():
        going = [lanes[number] for number in survivors(lanes, tests, 20)]
        for lane in going:
            share = won[lane.changes["learning_rate"]] + (0.25 if lane.seed else -0.25)
            results = {"drawn_won": 0.0, "greedy_won": share, "drawn_score": 1.0, "greedy_score": 1.0}
            tests.append({"update": update, "seed": lane.seed, "settings": dict(lane.changes), **results})
        found = [lanes[number] for number in survivors(lanes, tests, 20)]
        assert [(lane.changes["learning_rate"], lane.seed) for lane in found] == [
            (lr, seed) for lr in settings for seed in (0, 1)
        ]


@pytest.mark.slow
def test_what_is_not_finite_is_found_with_its_update(ran: Ran) -> None:
    wrong = jax.tree.map(lambda leaf: leaf.at[1].mul(jnp.nan), ran.early.params)  # of the second lane
    _, metrics = ran.advance(ran.early.replace(params=wrong), 20)
    with pytest.raises(NotFiniteError, match=r"non-finite at update 21 of 70 \(seed 1, learning_rate 0.01\)"):
        ran.trainer.rows(20, metrics)


@pytest.mark.slow
def test_a_game_of_a_policy_depends_on_its_seed_alone(ran: Ran) -> None:
    """Not on the games beside it. The policy is the one that training ended with."""
    trainer = ran.trainer
    one = lane_of(ran.last.params, 0)
    policy = learned(trainer.network, one)
    many, few = play_policy(trainer.env, policy, range(60), "many"), play_policy(trainer.env, policy, [7, 3], "few")
    assert (few.won == many.won[[7, 3]]).all() and (few.score == many.score[[7, 3]]).all()
    assert (many.ticks == LAST + 1).all() and many.won.mean() > 0.85
    assert play_policy(trainer.env, learned(trainer.network, one, greedy=True), range(60), "").won.all()


def test_players_without_training_play_as_they_should() -> None:
    stand = play_policy(recall(), POLICIES["stand"], range(50), "stand")
    random = play_policy(recall(), POLICIES["random"], range(900), "random")
    assert not stand.won.any() and not stand.score.any()
    assert random.won.mean() == pytest.approx(1 / 9, abs=0.04) and random.score.mean() == pytest.approx(1 / 3, abs=0.05)
    assert best([stand, random]) is random
    low, high = random.json()["interval"]
    assert low < random.won.mean() < high


@pytest.mark.parametrize(("seeds", "words"), [([-1], "-1 is no seed"), ([0.5], "0.5 is no seed"), ([], "no seed")])
def test_seeds_that_are_none_are_refused(seeds: list[Any], words: str) -> None:
    for call in (
        lambda: play_policy(recall(), POLICIES["stand"], seeds, "stand"),
        lambda: worlds_of(recall(), seeds),
        lambda: lanes_of(seeds, {}),
    ):
        with pytest.raises(UserError, match=words):
            call()


def test_the_folder_of_a_run_may_be_given_as_a_text(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not the folder of a training run"):
        read_run(str(tmp_path))


class Drawing(Recall, kw_only=True):
    """The last bit of a key draws one of two worlds."""

    variants = property(lambda self: ("one", "other"))

    def variant(self, key: Any) -> Any:
        return (jax.random.key_data(key)[-1] % 2).astype(jnp.int32)


def test_seeds_of_games_end_below_the_last_seed() -> None:
    """Where worlds are drawn, more seeds are looked at than games are played, but none that is out of range."""
    drawing = Drawing(scale=jnp.float32(1.0))
    assert seeds_of(recall(), SEEDS - 2, 2) == seeds_of(drawing, SEEDS - 2, 2) == [SEEDS - 2, SEEDS - 1]
    for env in (recall(), drawing):
        with pytest.raises(UserError, match="4294967297 is no seed"):
            seeds_of(env, SEEDS - 2, 4)
    assert wilson(0.5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)


def test_an_interval_holds_its_mean_whatever_is_rounded() -> None:
    """Pictures draw the distance of both bounds from the mean, which must not be negative."""
    for count in range(1, 200):
        for right in (0, 1, count - 1, count):
            low, high = wilson(right / count, count)
            assert 0 <= low <= right / count <= high <= 1


def test_a_policy_and_the_baselines_share_a_program_and_play_as_they_do_alone() -> None:
    players = with_baselines({"first": POLICIES["stand"], "second": POLICIES["stand"]})
    programs = evaluation._games._cache_size()
    found = {name: play_policy(recall(), policy, range(50), name) for name, policy in players.items()}
    assert evaluation._games._cache_size() == programs + 1
    assert [*found] == ["first", "second", "random", "stand"]
    random = play_policy(recall(), POLICIES["random"], range(50), "random")
    assert (found["random"].won == random.won).all() and (found["random"].score == random.score).all()
    assert random.score.any() and not any(found[name].score.any() for name in ("first", "second", "stand"))


@pytest.mark.long
def test_another_policy_of_equal_networks_compiles_nothing() -> None:
    """Evaluation, replays and names of worlds have one program for all policies of one form."""
    env, counted = recall(), (evaluation._games, evaluation._replay)
    makers = (learned, lambda network, params: drawn_or_greedy(network).replace(params=(params, jnp.array(True))))
    makers += (lambda network, params: with_baselines({"own": learned(network, params, greedy=True)})["own"],)
    for make in makers:
        sizes = []
        for seed in range(2):
            network = network_of(env, Config(width=4))  # equal, and another object
            view = rl.reset(env, jax.random.key(0))[1]
            seen = view.observation[None], view.action_mask[None], jnp.zeros((1, 1), bool)
            params = network.init(jax.random.key(seed), network.initial_memory(agents=2), *seen)
            policy = make(network, params)
            play_policy(env, policy, range(2), "own")
            replay_states(env, policy, 0)
            sizes.append([each._cache_size() for each in counted])
        assert sizes[0] == sizes[1]


def test_a_checkpoint_of_another_form_or_none_is_the_users_error(tmp_path: Path) -> None:
    with Checkpoints(tmp_path / "kept") as kept:
        with pytest.raises(UserError, match="there is no checkpoint"):
            kept.restore({"a": jnp.zeros(3)})
        kept.save(2, {"a": jnp.arange(3.0), "none": jnp.zeros((0, 2)), "key": jax.random.key(4)})
        found = kept.restore({"a": jnp.zeros(3), "none": jnp.zeros((0, 2)), "key": jax.random.key(0)})
        assert np.array_equal(found["a"], np.arange(3.0)) and found["none"].shape == (0, 2)
        assert np.array_equal(jax.random.key_data(found["key"]), jax.random.key_data(jax.random.key(4)))
        for other in ({"a": jnp.zeros(4), "key": jax.random.key(0)}, {"b": jnp.zeros(3)}):
            with pytest.raises(UserError, match=r"cannot read the checkpoint .*kept/2: it has another form"):
                kept.restore(other)


def test_another_battle_has_another_fingerprint() -> None:
    assert fingerprint(recall()) == fingerprint(recall()) != fingerprint(recall(scale=0.5))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Trainer(recall(), "dqn", QUICK, (Lane(0),)), "there is no algorithm `dqn`"),
        (lambda: Trainer(recall(), "mappo", QUICK, (Lane(0),)), "`centralised` is 1 with the algorithm mappo"),
        (lambda: lanes_of([0], {"num_envs": [8, 16]}), "`num_envs` cannot vary within a run"),
        (
            lambda: Trainer(recall(), "ippo", QUICK, lanes_of([0], {"learning_rate": [20.0]})),
            "`learning_rate` is 20: it is from 0 to 10",
        ),
        (lambda: Config(num_envs="8"), r"`num_envs` is '8', and no number\n  = help: "),  # type: ignore[arg-type]
        (lambda: Config(num_envs=8.5), "`num_envs` is 8.5: it is a whole number"),  # type: ignore[arg-type]
    ],
)
def test_settings_that_make_no_run_are_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        make()


def test_a_whole_setting_may_be_written_with_a_point() -> None:
    """It is a length of arrays, which JAX takes as an integer alone."""
    config = Config(num_envs=8.0, recurrent=True)  # type: ignore[arg-type]
    assert config == Config(num_envs=8, recurrent=1) and type(config.num_envs) is type(config.recurrent) is int
