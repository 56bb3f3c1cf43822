"""Rewards of texts (docs/rules/rewards.md 2): the floor, the value of a plan's games, and one compiled shape."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import jax
import pytest

import dsl
import hive
import hive.players.llm
from dsl import UserError
from hive.engine.batch.capacities import Capacities
from hive.engine.batch.value import values
from hive.engine.plan.rescale import rescale_plan
from hive.experiments.bench.timing import COMPILED, events
from hive.players.llm.gathering import Gathering
from hive.players.llm.rewards import MOST_CHARACTERS, REWARD_FLOOR, Rewards, Score, capacities_for, text_of
from hive.worlds.battle.abilities import ABILITIES
from hive.worlds.battle.world import Battle
from tests.hive.skirmish import LARGE_PLAN, SMALL_PLAN, skirmish

SEEDS, CAPACITIES = (3, 4), Capacities(plans=4, steps=4, groups=8, memberships=4, places=16)

GOOD = f"I attack at once.\n\nBEGIN PLAN\n{SMALL_PLAN}END PLAN\n"
OTHER = f"BEGIN PLAN\n{LARGE_PLAN}END PLAN\n"
SAME = f"The same plan in other words.\nBEGIN PLAN\n\n{SMALL_PLAN.replace(': (', ':  (')}\nEND PLAN\n"
AWAY = GOOD.replace("(20, 20)", "(3, 37)").replace("attack_in_close_range", "follow_map")
FEW = GOOD.replace("units: all", "units: [0:5]")
BROKEN = GOOD.replace("(20, 20)", "(20, 400)")
QUESTION = "Shall I attack at once?"
LONG = GOOD + "x" * 1_000_000
WIDE = (
    GOOD.replace("END PLAN\n", "")
    + "".join(SMALL_PLAN.replace("Step 0", f"Step {n}") for n in range(1, 9))
    + "END PLAN"
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Battle:
    return skirmish(tmp_path_factory.mktemp("skirmish"))


@pytest.fixture(scope="module")
def rewards(world: Battle) -> Rewards:
    """Warmed up: the programs of this world, these capacities and number of seeds are compiled."""
    found = Rewards(world, SEEDS, capacities=CAPACITIES)
    found.score([GOOD])
    return found


@pytest.mark.slow
def test_a_plan_is_worth_the_mean_value_of_its_games(rewards: Rewards, world: Battle) -> None:
    [score] = rewards.score([GOOD])
    played = hive.sweep(world, [hive.read_plan(GOOD, world)], SEEDS, capacities=CAPACITIES).results[0]
    assert score == Score(float(values(world, played).mean(dtype=float)), "plan", "", played.outcomes["win"], 2)
    assert 0 < score.value < 1, "some games are won, and the others are worth what was reached"


def test_texts_without_a_plan_to_play_have_the_floor_and_a_reason(rewards: Rewards) -> None:
    scores = rewards.score([QUESTION, BROKEN, LONG, WIDE, ""])
    assert [score.kind for score in scores] == ["no_plan", "invalid_plan", "too_long", "too_large", "no_plan"]
    assert {score.value for score in scores} == {REWARD_FLOOR} and not any(score.games for score in scores)
    reasons = [score.reason for score in scores]
    assert "no plan" in reasons[0] and "y is 400" in reasons[1] and "line 8" in reasons[1]
    assert f"{MOST_CHARACTERS:,} are read" in reasons[2] and "steps need a capacity of 16" in reasons[3]


@pytest.mark.slow
def test_a_reward_does_not_depend_on_the_other_texts(rewards: Rewards) -> None:
    """To the bit, alone or in a batch that is cut in two, in any order."""
    some = [GOOD, OTHER, BROKEN, *(FEW.replace("[0:5]", f"[0:{n}]") for n in (5, 8, 9, 11)), QUESTION]
    together = [score.value for score in rewards.score(some)]
    assert [score.value for score in rewards.score(some[::-1])][::-1] == together
    assert [rewards.score([text])[0].value for text in some] == together
    assert len(set(together)) > 3, "the plans differ in what they are worth"


def test_equal_plans_are_played_once(rewards: Rewards, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []

    def count(plans: dict[str, object], progress: object) -> dict[str, tuple[float, int]]:
        played.append(len(plans))
        return dict.fromkeys(plans, (0.5, 1))

    monkeypatch.setattr(rewards, "_play", count)
    assert [score.value for score in rewards.score([GOOD, SAME, AWAY, GOOD, BROKEN, BROKEN])] == [0.5] * 4 + [
        REWARD_FLOOR
    ] * 2
    assert played == [2]


def test_after_a_warm_up_other_texts_compile_nothing(rewards: Rewards) -> None:
    with events() as found:
        rewards.score([OTHER, AWAY, BROKEN])
        rewards.score([OTHER.replace("(12, 10)", f"(12, {y})") for y in range(2, 9)])
        assert COMPILED not in found
        jax.jit(lambda number: number + 41)(1)
    assert COMPILED in found, "a compilation is counted"


def test_plans_are_read_for_the_written_sizes_and_rescaled(world: Battle) -> None:
    """A plan for a team of 28 plays as the same plan for the 14 that are there."""
    plan = dsl.parse_plan(FEW.replace("[0:5]", "[2:11]"), "few", world.context())
    wide = dsl.format_plan(rescale_plan(plan, (14, 28), (12, 24)))
    [one] = Rewards(world, SEEDS, capacities=CAPACITIES).score([dsl.format_plan(plan)])
    [two] = Rewards(world, SEEDS, capacities=CAPACITIES, written_for=(28, 24)).score([wide])
    assert one.value == two.value > 0
    assert Rewards(world, SEEDS, capacities=CAPACITIES).score([wide])[0].kind == "invalid_plan"
    for sizes in ((3,), 28):
        with pytest.raises(UserError, match="written_for is how many units the player and the enemy have"):
            Rewards(world, SEEDS, written_for=sizes)  # type: ignore[arg-type]


def test_trainers_call_an_instance_with_completions_and_columns(rewards: Rewards) -> None:
    """Texts or chat messages, columns of the data set, and other scenarios left to other functions."""
    good, floor = rewards.score([GOOD, BROKEN])
    chat = [{"role": "assistant", "content": GOOD}]
    assert rewards(prompts=["?"] * 3, completions=[GOOD, chat, BROKEN], completion_ids=[[1]] * 3) == [
        good.value,
        good.value,
        floor.value,
    ]
    logged: dict[str, object] = {}
    names = [rewards.world.name, "another"]
    found = rewards(None, [BROKEN, GOOD], scenario=names, log_metric=logged.__setitem__, log_extra=logged.__setitem__)
    assert found == [REWARD_FLOOR, None]
    assert logged["hive_skirmish/valid"] == 0 and logged["hive_skirmish/reason"] == [floor.reason, ""]
    assert rewards.__name__ == "hive_skirmish" and rewards([], []) == []


def test_completions_are_texts_or_messages() -> None:
    parts = [{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]}]
    assert [text_of(each) for each in ("a", [{"content": "a"}, {"content": "b"}], parts, [], [{"content": None}])] == [
        "a",
        "b",
        "ab",
        "",
        "",
    ]
    for wrong in (None, 3, {"content": "a"}, [["a"]]):
        with pytest.raises(TypeError, match="a completion is"):
            text_of(wrong)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seeds": []}, "there is no seed"),
        ({"seeds": [-1]}, "a whole number from 0"),
        ({"seeds": ["one"]}, "'one' is no seed"),
        ({"floor": 0.5}, "up to 0"),
        ({"floor": float("nan")}, "up to 0"),
        ({"units": 40}, "load the world with them"),
        ({"scenario": "cordinate"}, "did you mean"),
    ],
)
def test_wrong_arguments_get_a_message(world: Battle, change: dict[str, object], says: str) -> None:
    wrong: dict[str, object] = {"scenario": world, "seeds": SEEDS} | change
    with pytest.raises(UserError, match=says):
        Rewards(**wrong)  # type: ignore[arg-type]


def test_one_call_for_a_few_texts(world: Battle) -> None:
    assert hive.players.llm.reward(world, [], [1]) == []
    assert hive.players.llm.reward(world, [QUESTION, BROKEN], [1]) == [REWARD_FLOOR, REWARD_FLOOR]
    with pytest.raises(TypeError, match="a list of strings"):
        hive.players.llm.reward(world, GOOD, [1])  # type: ignore[arg-type]
    with pytest.raises(UserError, match="there is no seed"):
        hive.players.llm.reward(world, [], [])


def test_a_long_text_is_not_read(rewards: Rewards, monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte costs no check."""
    monkeypatch.setattr("hive.players.llm.rewards.read_reply", lambda *_: pytest.fail("the text was read"))
    assert rewards.score([LONG])[0].kind == "too_long"


def test_messages_of_a_prompt_are_those_of_a_session(world: Battle) -> None:
    [[system, user]] = hive.players.llm.conversations(world, ["hold the line"])
    assert system["role"] == "system" and "BEGIN PLAN" in system["content"]
    assert user["role"] == "user" and user["content"].startswith("hold the line\n\n")
    [[full, _]] = hive.players.llm.conversations(world, ["hold the line"], full=True)
    assert len(full["content"]) != len(system["content"])
    with pytest.raises(TypeError, match="prompts are a list of strings, not one string"):
        hive.players.llm.conversations(world, "hold")


def test_the_usual_room_holds_every_shipped_plan() -> None:
    for ability in ABILITIES:
        world = hive.load(ability.scenario, units=20)
        assert capacities_for(world).why_not(hive.read_plan(ability.name, world)) is None
    level = hive.load("wildfire/suppress_extinguish")
    assert capacities_for(level).cells > CAPACITIES.cells == capacities_for(world).cells


class _Counted(Rewards):
    """Counts batches and may fail."""

    batches: list[int]
    fails = False

    def score(self, texts: object, progress: object = None) -> list[Score]:
        self.batches.append(len(texts))  # type: ignore[arg-type]
        if self.fails:
            raise RuntimeError("no device")
        return [Score(float(len(text)), "plan") for text in texts]  # type: ignore[attr-defined]


def test_texts_that_arrive_together_are_scored_together(world: Battle) -> None:
    rewards = _Counted(world, SEEDS)
    rewards.batches = []
    gathering = Gathering(rewards, pause=0.01)

    async def group() -> list[Score]:
        return await asyncio.gather(*(gathering.score("x" * n) for n in range(8)))

    for _ in range(2):  # in two event loops, one after the other
        assert [score.value for score in asyncio.run(group())] == [float(n) for n in range(8)]
    assert rewards.batches == [8, 8]
    rewards.fails = True
    with pytest.raises(RuntimeError, match="no device"):
        asyncio.run(group())


def test_a_score_in_plain_values(rewards: Rewards) -> None:
    score = replace(rewards.score([BROKEN])[0], plan=None)
    assert score.json()["reward"] == REWARD_FLOOR and score.json()["kind"] == "invalid_plan"
    assert score.json()["diagnostics"]
