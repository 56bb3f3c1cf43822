"""Streams of orders: which orders come, and that nothing but the order changes when one is delivered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.team_world import TeamRequest
from hive.players.teams.frameworks.cook import FRAMEWORK
from hive.players.teams.playing import play
from hive.players.teams.speaking import ScriptedSpeaker
from hive.worlds.kitchen.agents.episodes import KitchenEpisodes
from hive.worlds.kitchen.agents.speaker import answer
from hive.worlds.kitchen.agents.streaming import StreamAgentEnv, StreamEpisodes
from hive.worlds.kitchen.dynamics import reset, take_order
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.streams import Stream, read_stream
from hive.worlds.kitchen.tasks import find_task
from hive.worlds.kitchen.teams import KitchenTeams
from hive.worlds.kitchen.view.drawing import caption

SETTING = load_setting()
EGG, PEPPER = find_task("boiled_egg"), find_task("baked_bell_pepper")


def stream(value: object = "boiled_egg:3,baked_bell_pepper", timesteps: object = None) -> Stream:
    return read_stream(value, timesteps, SETTING.book, SETTING.layout)


def team(**options: object) -> KitchenTeams:
    return KitchenTeams(TeamRequest(worlds=["boiled_egg"], options=options))


def test_orders_come_with_their_weights_and_follow_from_seed_and_number_alone() -> None:
    """docs/rules/kitchen.md 5.3: three boiled eggs to a baked bell pepper."""
    drawn = [stream().following(seed, number) for seed in range(12) for number in range(1, 9)]
    assert drawn[:8] == [stream().following(0, number) for number in range(1, 9)]
    assert {task.order for task in drawn} == {EGG.order, PEPPER.order}
    assert 0.6 < sum(task is EGG for task in drawn) / len(drawn) < 0.9
    one = stream({"baked_bell_pepper": 7})
    assert {one.following(seed, 1).order for seed in range(5)} == {PEPPER.order}


@given(order=st.integers(1, 60), clock=st.integers(0, 500), item=st.integers(0, 60), served=st.booleans())
def test_another_order_changes_nothing_else(order: int, clock: int, item: int, served: bool) -> None:
    state = reset(SETTING.arrays, jnp.int32(SETTING.book.code[EGG.order]))
    state = state.replace(clock=jnp.int32(clock), held=state.held + item, served=jnp.asarray(served))
    found = take_order(state, jnp.int32(order))
    assert int(found.order) == order and not found.served
    same = found.replace(order=state.order, served=state.served)
    assert jax.tree.all(jax.tree.map(lambda mine, its: bool((mine == its).all()), state, same))


@pytest.fixture(scope="module")
def played() -> tuple[StreamEpisodes, KitchenEpisodes]:
    """Two games of 60 timesteps with a stream, and the same two with their first order alone."""
    firsts, seeds = [EGG, PEPPER], [0, 1]
    games = StreamEpisodes(SETTING, firsts, stream(timesteps=60), seeds)
    alone = KitchenEpisodes(SETTING, firsts, [59, 59], seeds)
    for each in (games, alone):
        play(each, FRAMEWORK, ScriptedSpeaker(answer))
    return games, alone


@pytest.mark.slow
def test_up_to_the_first_delivery_a_stream_is_a_game_with_one_order(
    played: tuple[StreamEpisodes, KitchenEpisodes],
) -> None:
    games, alone = played
    for many, one in zip(games.states, alone.states, strict=True):
        for mine, its in zip(many, one, strict=False):  # the game with one order ends with its delivery
            assert jax.tree.all(jax.tree.map(np.array_equal, mine, its))
        assert one[-1].served and len(many) == 61


def test_the_orders_of_its_seed_are_delivered_one_after_another(
    played: tuple[StreamEpisodes, KitchenEpisodes],
) -> None:
    games, alone = played
    for number, env in enumerate(games.envs):
        game, found = cast(StreamAgentEnv, env), games.results(number)
        times = [timestep for timestep, _ in game.deliveries]
        assert len(times) >= 3 and times == sorted(times) and times[0] == alone.envs[number].delivery
        wanted = [game.first, *(stream().following(game.seed, n) for n in range(1, len(times) + 1))]
        assert [order for _, order in game.deliveries] == [task.order for task in wanted[:-1]]
        assert (game.order, game.score, game.over) == (wanted[-1], 20.0 * len(times), True)
        assert found["deliveries"] == [list(each) for each in game.deliveries] and found["outcome"] == "time over"
        orders = [SETTING.book.name(int(state.order)) for state in games.states[number]]
        assert orders[times[0] + 1] == game.first.order and orders[times[0] + 2] == wanted[1].order


def test_a_recording_knows_all_orders(played: tuple[StreamEpisodes, KitchenEpisodes], tmp_path: Path) -> None:
    games, alone = played
    found, path = games.recording(0), tmp_path / "run.npz"
    found.save(path)
    assert KitchenRecording.load(path).orders == found.orders and len(found.orders) == found.served.sum() + 1
    assert (found.order_at(0), found.order_at(60)) == (EGG.order, found.orders[-1])
    assert found.outcome == f"{len(found.orders) - 1} orders delivered"
    assert caption(found, 60).startswith(f"after 60 timesteps, {len(found.orders) - 1} orders delivered, now ")
    with pytest.raises(DataError, match="one more than deliveries"):
        replace(found, orders=found.orders[1:]).save(path)
    assert alone.recording(0).orders == ()


def test_without_the_setting_a_game_has_one_order() -> None:
    assert team().stream is None and "stream" not in team().identity()
    named = team(order_probability="boiled_egg:2", timesteps=50)
    assert named.stream is not None and named.stream.timesteps == 50
    assert named.identity()["stream"]["weights"] == (2,)
    assert team(order_probability=("boiled_egg:2", "apple")).stream == stream("boiled_egg:2, apple:1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order_probability": "boild_egg"}, "there is no task `boild_egg`(.|\n)*did you mean `boiled_egg`"),
        ({"order_probability": ""}, "a stream needs an order"),
        ({"order_probability": "apple,apple"}, "names the order `apple` twice"),
        ({"order_probability": "apple:0"}, "the weight of `apple` is a whole number from 1 to 1,000, not 0"),
        ({"order_probability": "apple:x"}, "not x(.|\n)*order_probability=boiled_egg:2"),
        ({"order_probability": "apple", "timesteps": 0.5}, "`timesteps` is a whole number from 1 to 1,000"),
        ({"timesteps": 50}, "`timesteps` is for streams of orders(.|\n)*order_probability"),
        ({"order_probability": "apple", "gamma": 2}, "`gamma` is for games with one order"),
    ],
)
def test_a_wrong_stream_is_a_sentence(options: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        team(**options)


def test_the_planner_has_no_plan_for_a_stream() -> None:
    class Nobody:
        def stage(self, *_: object) -> None:
            """Nothing is shown."""

    with pytest.raises(UserError, match="the fastest plan of one order"):
        team(order_probability="apple").rule_player("planner", Nobody())  # type: ignore[arg-type]
