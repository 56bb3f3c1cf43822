"""Rescues as their agents know them: views, turns with effects at once, teams without a model.

Rules: docs/rules/rescue.md 9.
"""

from __future__ import annotations

import jax
import pytest

from dsl import UserError
from hive.kit.agent_env import Choice
from hive.kit.team_world import TeamRequest
from hive.players.llm.scripted import Script
from hive.players.teams.frameworks.turns import silent
from hive.players.teams.rules import TeamRules
from hive.worlds.rescue.agents.agent_env import KIND, RescueAgentEnv, action_of, choice_of
from hive.worlds.rescue.agents.policies import best_plan, heuristic
from hive.worlds.rescue.agents.shown import read_shown
from hive.worlds.rescue.agents.views import read_view, view_text
from hive.worlds.rescue.codes import VARIANTS, Act, Reason
from hive.worlds.rescue.optimum.play import optimum
from hive.worlds.rescue.shipped import names, shipped
from hive.worlds.rescue.teams import RescueTeams
from tests.rescue.episodes import do, env_of, played
from tests.rescue.oracle import Oracle
from tests.rescue.oracle import heuristic as plain


@pytest.mark.parametrize("name", ["map_1/agents", "map_5/agents"])
def test_a_view_as_text_holds_the_same_facts(name: str) -> None:
    env = env_of(name)
    do(env, 0, "end_mission")
    for agent in range(len(env.seats)):
        view = env.view(agent)
        assert read_view(view_text(view)) == view
    with pytest.raises(ValueError, match="no view"):
        read_view("- room1: room2")


def test_agents_read_the_true_state_with_urgency_in_words() -> None:
    lines = env_of("map_7/agents-1").observe(1).view.splitlines()
    assert "- room2: room1, room3, room5" in lines
    assert "- victim1 in room3, urgent, needs water and medicine" in lines
    assert "- victim2 in room4, not urgent, needs water and food" in lines
    assert "- Bravo (you) in room2, carries water 1, food 0, medicine 1" in lines


def test_a_later_agent_sees_the_effects_of_an_earlier_turn_of_the_same_step() -> None:
    """docs/rules/rescue.md 4.1."""
    env = env_of("map_7/agents-1")
    assert do(env, 1, "navigate_to", "room3").startswith("you are now in room3")
    assert do(env, 1, "give_water") == "victim1 has got water and still needs medicine"
    assert env.tick == 0
    assert "- victim1 in room3, urgent, needs medicine" in env.observe(0).view
    assert do(env, 1, "give_medicine") == "victim1 has got medicine and is helped"
    assert "- victim1 in room3, urgent, is helped" in env.observe(0).view and env.score == 1
    assert do(env, 1, "end_mission") == "you have ended your mission" and env.living() == (0,)


@pytest.mark.parametrize(
    ("tool", "room", "why"),
    [
        (
            "fly",
            "",
            "there is no tool `fly`; the tools are navigate_to, give_water, give_food, give_medicine, end_mission, "
            "wait",
        ),
        ("navigate_to", "", "navigate_to takes one room, not 0 arguments"),
        ("give_water", "room2", "give_water takes nothing, not 1 arguments"),
        ("navigate_to", "room99", "there is no room `room99`"),
        ("navigate_to", "room4", "that room is not next to the agent's room"),
        ("navigate_to", "room2", "the agent is in that room already"),
        ("give_medicine", "", "the agent has no unit of that resource left"),
        ("give_water", "", "there is no victim in the agent's room"),
    ],
)
def test_a_call_without_effect_is_named(tool: str, room: str, why: str) -> None:
    """docs/rules/rescue.md 3.2; the team spends the turn, and the world counts it."""
    assert do(env_of("map_7/agents-1"), 0, tool, room) == why


def test_nonsense_of_a_model_spends_turns_and_loses_nothing() -> None:
    calls = ["<call>fly(moon)</call>", "communicate: I fly", "<call>navigate_to(room4)</call>", "communicate: I walk"]
    episodes, (episode,) = played(["map_7/agents-1"], Script(calls * 2), TeamRules(steps=2))
    state = episodes.envs[0].state
    assert state.refused[:2].tolist() == [2, 2]
    assert state.position[:2].tolist() == [1, 1] and (state.supplies == episodes.states[0][0].supplies).all()
    assert [act["read"] for act in episode.journal.rows[0]["acts"]] == ["refused", "call"]
    assert "there is no tool `fly`" in episode.journal.rows[0]["log"][0]


def test_thinking_without_end_ends_the_run_and_its_unfinished_step_counts() -> None:
    """docs/rules/rescue.md 4.2, 6.3."""
    replies = ["<call>navigate_to(room3)</call>", "communicate: .", *["Let me think."] * 4]
    episodes, (episode,) = played(["map_7/agents-1"], Script(replies), TeamRules(thoughts=3))
    result = episodes.results(0)
    assert result["outcome"] == "thought loop" and result["steps"] == 1 and not result["success"]
    assert episodes.envs[0].state.position[:2].tolist() == [2, 1] and episode.over


def test_a_run_ends_when_all_agents_have_ended_their_mission() -> None:
    replies = ["<call>end_mission()</call>", "communicate: bye"]
    episodes, _ = played(["map_5/agents"], Script(replies * 3))
    assert episodes.results(0)["outcome"] == "mission ended by the agents" and episodes.results(0)["steps"] == 1


def test_a_message_reaches_every_other_agent_once() -> None:
    """docs/rules/rescue.md 5.2, with three agents."""
    numbers = iter(range(100))

    class Talker(Script):
        def complete(self, request, told=None):  # type: ignore[no-untyped-def]
            self.asked.append(tuple(request.messages))
            act = "Decide: call one tool" in request.messages[-1].text
            self._replies = ["<call>give_water()</call>" if act else f"communicate: note {next(numbers)}."] * 999
            return super().complete(request, told)

    client = Talker([])
    played(["map_5/agents"], client, TeamRules(steps=3))
    turns = [
        asked[1].text.partition("# Messages")[2].partition("# What you did")[0]
        for asked in client.asked[::2]
        if "Decide: call one tool" in asked[-1].text
    ]
    for number in range(9):
        read = [turn for turn, text in enumerate(turns) if f"note {number}." in text]
        assert read == [turn for turn in (number + 1, number + 2) if turn < 9]


def test_actions_and_choices_are_two_names_of_the_same() -> None:
    instance = shipped("map_7/agents-1")
    env = env_of("map_7/agents-1")
    for action in (*range(len(instance.rooms)), *map(int, Act)):
        choice = choice_of(instance, action)
        assert action_of(choice) == action and env.check(0, choice, True) is None
    assert env.check(0, Choice(9, (), ""), True) and env.check(0, Choice(1, (99,), ""), True)
    with pytest.raises(ValueError, match="no room number"):
        env.begin(0, Choice(1, (99,), ""), True)
    assert {option.number for option in env.options(KIND, True)} == set(range(7))


def test_the_published_tools_are_restored_by_a_switch() -> None:
    """docs/rules/rescue.md 3.1: `wait` is ours."""
    env = RescueAgentEnv(shipped("map_7/agents-1"), 0, 60, waits=False)
    assert {option.name for option in env.options(KIND, True)} == {
        *("do nothing", "navigate_to", "give_water", "give_food", "give_medicine", "end_mission")
    }
    assert "no tool `wait`" in do(env, 0, "wait") and env.check(0, Choice(6, (), "wait()"), True)


def test_waiting_takes_the_turn_and_is_not_refused() -> None:
    env = env_of("map_7/agents-1")
    before = env.observe(0).view
    assert do(env, 0, "wait") == "you stay in room2" and not env.outcome(0).refused
    assert env.observe(0).view == before and int(env.state.refused.sum()) == 0


def test_no_agent_is_asked_once_the_last_victim_is_helped() -> None:
    """docs/rules/rescue.md 6.1: Alpha helps the last one in step 4; neither its message nor Bravo's turn follows."""
    _, (episode,) = played(["map_7/agents-1"], rules=TeamRules(published=True))
    asked = [(call["agent"], call["purpose"]) for call in episode.journal.rows[3]["asked"]]
    assert episode.journal.rows[3]["step"] == 4 and asked[-1][1] == "act" and len(asked) < 4


def test_an_agent_that_has_ended_its_mission_is_no_team_mate_at_once() -> None:
    """Bravo ends its mission in the first step; Charlie, which comes after it, reads only Alpha's name."""
    client = Script([*["<call>wait()</call>", "communicate: nothing"] * 1, "<call>end_mission()</call>", "bye"] * 9)
    played(["map_5/agents"], client, TeamRules(steps=1))
    systems = {asked[0].text.split()[2].rstrip(","): asked[0].text for asked in client.asked}
    assert "the same: Alpha." in systems["Charlie"] and "the same: Bravo, Charlie." in systems["Alpha"]


def test_the_example_of_a_call_is_a_move_that_is_possible_and_the_task_has_no_label_of_ours() -> None:
    """The example names a room next to the agent's own, also after it has moved."""
    env = env_of("map_7/agents-1")
    for _ in range(3):
        choice = env.call(0, "navigate_to", {"room": env.example(0).partition("(")[2].rstrip(")")})
        assert isinstance(choice, Choice)
        env.begin(0, choice, True)
        assert not env.outcome(0).refused
    assert "map_7" not in env.task


def test_a_request_has_the_map_and_the_tools_once() -> None:
    """Tools stand in the text where they are asked for as text alone; rooms and doors in a turn's first message."""
    for by_text in (False, True):
        client = Script(["<call>wait()</call>", "communicate: I wait."] * 9)
        played(["map_7/agents-1"], client, TeamRules(steps=1, by_text=by_text))
        act, tell, later = client.asked[:3]
        for asked, maps in ((act, 1), (tell, 1), (later, 1)):
            text = "\n".join(message.text for message in asked)
            assert text.count("- room1: room2") == maps and text.count("Victims:") == maps + (asked is tell)
            assert text.count("# Tools") == text.count("- wait(): stay") == by_text
        assert "Alpha to all: I wait." in later[1].text and "communicate" not in later[1].text


def test_the_heuristic_team_plays_as_the_plain_interpreter() -> None:
    """Turn by turn through the runtime; tests/rescue/test_heuristic.py compares whole batches with it."""
    for how in ("literal", "recheck"):
        episodes, _ = played(names(), framework=lambda _, how=how: silent("heuristic", "", heuristic(how)))
        for name, env in zip(names(), episodes.envs, strict=True):
            oracle = Oracle(shipped(name))
            while oracle.reason is None:
                for agent, helper in enumerate(oracle.helpers):
                    if helper.here:
                        oracle.turn(agent, plain(oracle, agent, VARIANTS[how]))
                oracle.close()
            assert (env.tick, int(env.state.reason)) == (oracle.steps, oracle.reason)
            assert {n: int(at) for n, at in enumerate(env.state.served_at) if at >= 0} == oracle.served


def test_the_best_plan_reaches_its_value_turn_by_turn() -> None:
    some = ["map_1/agents-1", "map_4/agents", "map_8/agents"]
    best = [optimum(batch_of_one(name)) for name in some]
    plan = silent("optimal", "", best_plan(dict(zip(some, best, strict=True))))
    episodes, _ = played(some, framework=lambda _: plan)
    assert [episodes.results(number)["steps"] for number in range(3)] == [each.value for each in best]
    assert all(int(env.state.reason) == Reason.SERVED for env in episodes.envs)


def batch_of_one(name: str):  # type: ignore[no-untyped-def]
    return jax.device_get(env_of(name).params)


def test_the_scripted_team_helps_all_victims_by_its_prompts_alone() -> None:
    episodes, games = played(names())
    found = [episodes.results(number) for number in range(len(games))]
    assert sum(each["helped"] for each in found) == 35 and all(each["success"] for each in found)
    assert all(not each.journal.rows[0]["log"] for each in games)


@pytest.mark.parametrize("urgency", ["named", "hidden", "weighted"])
def test_urgency_is_named_hidden_or_weighted_in_all_that_an_agent_reads(urgency: str) -> None:
    """docs/rules/rescue.md 12.3; a view without urgency is read back as well."""
    env = RescueAgentEnv(shipped("map_7/agents-1"), 0, 60, shown=read_shown({"urgency": urgency}))
    text = f"{env.task}\n{env.observe(0).view}\n{env.situation(0)}"
    assert read_view(env.observe(0).view) == env.view(0)
    assert ("urgent" in text.lower()) == (urgency != "hidden") and ("counts 2 times" in text) == (urgency == "weighted")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("memory", "some", "`memory` is a number of turns, 0 or more, or `all`, not `some`"),
        ("expiry", -1, "`expiry` is a number of turns, 0 or more, or `all`, not `-1`"),
        ("expiry", 1.5, "not `1.5`\n  = help: write expiry=3"),
        (
            "urgency",
            "hiden",
            "`urgency` is `named`, `hidden` or `weighted`, not `hiden`\n  = help: did you mean `hidden`?",
        ),
    ],
)
def test_a_wrong_setting_is_explained(name: str, value: object, why: str) -> None:
    with pytest.raises(UserError) as told:
        RescueTeams(TeamRequest(worlds=["map_7/agents-1"], options={name: value}))
    assert why in str(told.value)


def test_a_belief_changes_only_by_what_an_agent_sees() -> None:
    """docs/rules/rescue.md 12.4: Alpha sees Bravo go to room3, and nothing of what it does there until it comes too."""
    env = RescueAgentEnv(shipped("map_7/agents-1"), 0, 60, shown=read_shown({"sight": "believed"}))
    do(env, 1, "navigate_to", "room3")
    assert "- Bravo in room3, carries water 1, food 0, medicine 1 (seen in step 1)" in env.observe(0).view
    do(env, 1, "give_water")
    victim = "- victim1 in room3, urgent, needs"
    before = env.observe(0).view
    assert f"{victim} water and medicine (seen in step 0)" in before and "Bravo in room3, carries water 1" in before
    assert f"{victim} medicine\n" in env.observe(1).view and "- Alpha (you) in room2" in before
    assert read_view(before) == env.view(0)
    do(env, 0, "navigate_to", "room3")
    now = env.observe(0).view
    assert f"{victim} medicine\n" in now and now.endswith("- Bravo in room3, carries water 0, food 0, medicine 1")
    assert "what is in your room" in env.task and not env.talk.shared
