"""Rewards of texts for different battles (docs/rules/rewards.md 2.5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hive.players.llm
from dsl import UserError
from hive.engine.batch.capacities import Capacities
from hive.experiments.bench.timing import COMPILED, events
from hive.players.llm.rewards import REWARD_FLOOR, Rewards
from hive.players.llm.set_rewards import SetRewards
from hive.worlds.battle.world import Battle
from tests.hive.skirmish import LARGE_PLAN, SMALL_PLAN, skirmish

SEEDS, CAPACITIES = (3, 4), Capacities(plans=4, steps=4, groups=8, memberships=4, places=16)
GOOD, OTHER = f"BEGIN PLAN\n{SMALL_PLAN}END PLAN\n", f"BEGIN PLAN\n{LARGE_PLAN}END PLAN\n"
AWAY = GOOD.replace("(20, 20)", "(3, 37)").replace("attack_in_close_range", "follow_map")
BROKEN, QUESTION = GOOD.replace("(20, 20)", "(20, 400)"), "Shall I attack at once?"


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[Battle]:
    folder = tmp_path_factory.mktemp("battles")
    both = skirmish(folder), skirmish(folder, player="{ position = [30, 20] }")
    return [Battle(replace(each.scenario, name=name)) for name, each in zip(("kill", "reach"), both, strict=True)]


@pytest.fixture(scope="module")
def rewards(worlds: list[Battle]) -> SetRewards:
    return SetRewards("mine/two", worlds, SEEDS, capacities=CAPACITIES)


@pytest.mark.long
def test_a_text_is_worth_in_company_what_it_is_worth_in_its_battle_alone(
    rewards: SetRewards, worlds: list[Battle]
) -> None:
    """To the bit and with the reasons of floors; other texts compile nothing afterwards."""
    texts = [GOOD, BROKEN, OTHER, GOOD, AWAY, QUESTION, AWAY]
    names = ["kill", "kill", "reach", "reach", "reach", "kill", "kill"]
    together = rewards.score(names, texts)
    mine = [at for at, name in enumerate(names) if name == "reach"]
    alone = Rewards(worlds[1], SEEDS, capacities=CAPACITIES).score([texts[at] for at in mine])
    assert [together[at] for at in mine] == alone
    assert together[0].value != together[3].value, "the same plan is worth something else in another battle"
    assert [score.kind for score in together].count("plan") == 5
    with events() as found:
        again = rewards.score(names[::-1], [text.replace("(3, 37)", "(5, 35)") for text in texts[::-1]])
    assert COMPILED not in found and again[-1] == together[0]

    logged: dict[str, object] = {}
    columns = {"scenario": ["reach", "another", "kill"], "log_metric": logged.__setitem__}
    assert rewards(None, [AWAY, GOOD, QUESTION], **columns) == [together[4].value, None, REWARD_FLOOR]
    assert logged["hive_mine_two/valid"] == 0.5


def test_texts_without_plans_play_nothing(rewards: SetRewards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive.players.llm.set_rewards.play_mixed", lambda *_, **__: pytest.fail("a game was played"))
    assert rewards(None, [QUESTION, BROKEN], scenario=["kill", "reach"]) == [REWARD_FLOOR] * 2
    assert rewards.score([], []) == [] and hive.players.llm.SetRewards is SetRewards


def test_what_names_no_battle_is_refused(rewards: SetRewards, worlds: list[Battle]) -> None:
    with pytest.raises(UserError, match="a column `scenario`"):
        rewards(None, [GOOD])
    with pytest.raises(UserError, match="there is no battle `fly`"):
        rewards.score(["fly"], [GOOD])
    with pytest.raises(UserError, match="two battles are called `kill`"):
        SetRewards("twice", [worlds[0], worlds[0]], SEEDS)
    with pytest.raises(UserError, match="at least one battle"):
        SetRewards("none", [], SEEDS)
