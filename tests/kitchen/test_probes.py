"""The study of failures: what is probed, how the recipe is told, and how wrong initiations are sorted."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from dsl import UserError
from hive.players.teams.frameworks.cook import FRAMEWORK
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from hive.players.teams.speaking import ScriptedSpeaker
from hive.worlds.kitchen.agents.knowing import knowledge
from hive.worlds.kitchen.probes.episodes import ProbeEpisodes, check_begins
from hive.worlds.kitchen.probes.pairs import read_first
from hive.worlds.kitchen.probes.recipe import acts_of, probes_of
from hive.worlds.kitchen.results import talks_of
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.standard import standard_of
from hive.worlds.kitchen.talks import OUTCOMES, Conversation, Event, Utterance, confusion, judge, mistake_of
from hive.worlds.kitchen.tasks import Task, find_task, tasks

CARROT = find_task("baked_carrot_soup")
FETCH = "request('pickup(carrot, ingredient_dispenser)')"
LISTS = (tuple("abcde"), tuple("abdce"))
FIVE = ["pickup", "put_obj_in_utensil", "cut", "pickup", "place_obj_on_counter"]


@pytest.mark.parametrize("name", ["apple", "boiled_egg", "baked_carrot_soup", "mashed_broccoli_and_bean_patty"])
def test_the_actions_of_a_recipe_are_reference_trajectories(name: str) -> None:
    """docs/rules/kitchen.md 12.1: what is probed is what ITES rewards."""
    setting = load_setting()
    acts, lists = acts_of(setting, name), standard_of(setting, find_task(name)).references
    for cook, some in enumerate(lists):
        assert tuple(str(act.action) for act in acts if act.cook == cook) in some


@pytest.mark.parametrize("task", [tasks()["boiled_egg"], CARROT, tasks()["taro_bean_and_bell_pepper_patty"]])
def test_a_task_is_probed_until_the_first_item_is_handed_over(task: Task) -> None:
    """docs/rules/kitchen.md 12.1: two actions on level 1, on other levels the five of the paper."""
    probes = probes_of(load_setting(), task, "A")
    names = [str(probe.action).partition("(")[0] for probe in probes]
    assert names == (FIVE if task.level > 1 else [FIVE[0], FIVE[-1]])
    assert [len(probe.before) for probe in probes] == [*range(len(names))]


def test_a_kitchen_where_both_cooks_have_the_recipe_is_refused() -> None:
    setting = load_setting()
    cooks = tuple(replace(cook, knows_recipe=True) for cook in setting.layout.cooks)
    with pytest.raises(UserError, match="one cook alone must have the recipe"):
        probes_of(replace(setting, layout=replace(setting.layout, cooks=cooks)), CARROT, "A")


def test_a_recipe_of_single_actions_replaces_that_of_the_task() -> None:
    """docs/rules/kitchen.md 12.3: B tells the actions in their order, C begins with the one that is probed."""
    setting = load_setting()
    told = {}
    for experiment in "ABC":
        third = probes_of(setting, CARROT, experiment)[2]
        told[experiment] = knowledge(setting, CARROT, 0, third.lines)
    assert CARROT.recipe[0] in told["A"] and "1. " not in told["A"]
    lines = [[line for line in told[each].splitlines() if line[:1].isdigit()] for each in "BC"]
    assert lines[0][:3] == [
        "1. pickup(carrot,ingredient_dispenser)",
        "2. put_obj_in_utensil(chopping_board0)",
        "3. cut(chopping_board0)",
    ]
    assert lines[1][:2] == ["1. cut(chopping_board0)", "2. pickup(carrot,ingredient_dispenser)"]
    bare = [sorted(line.partition(". ")[2] for line in some) for some in lines]
    assert bare[0] == bare[1] and CARROT.recipe[0] not in told["B"]


@pytest.mark.parametrize(
    ("asked", "done", "kind"),
    [
        ("d", "a", "premature"),
        ("e", "ab", "premature"),
        ("a", "ab", "repetitive"),
        ("x", "ab", "irrelevant"),
        ("ce", "ab", "premature"),  # the first one continues a list, the second skips an action of it
        ("dx", "ab", "irrelevant"),
        ("", "ab", "no request"),
    ],
)
def test_a_wrong_initiation_is_sorted_by_its_first_request_that_is_not_next(asked: str, done: str, kind: str) -> None:
    """docs/rules/kitchen.md 12.2."""
    assert mistake_of([*asked], [*done], LISTS) == kind


def test_events_are_counted_in_a_confusion_matrix() -> None:
    """docs/rules/kitchen.md 12.2: right is an ITES above 0."""
    values = [(1, 1), (1, 0), (0, 1), (0, 0), (-1, 0)]
    events = [Event(0, (), (), first, second, 0.0, ()) for first, second in values]
    assert confusion(events) == dict(zip(OUTCOMES, (1, 1, 1, 2), strict=True))


def test_a_right_initiation_has_no_mistake() -> None:
    standard = standard_of(load_setting(), CARROT)
    talk = Conversation(0, (Utterance(0, "Please.", FETCH), Utterance(1, "Yes. [END]", "wait(1)")))

    def event(done: list[tuple[int, str]]) -> Event:
        return judge(talk, done, standard.references[1], standard.universes[1], standard.words)

    assert (event([]).mistake, event([]).outcome) == ("", "response wrong")
    again = event([(0, "pickup(carrot,ingredient_dispenser)")])
    assert (again.mistake, again.outcome) == ("repetitive", "both wrong")


@pytest.mark.slow
def test_cooks_decide_once_when_the_probed_action_can_begin() -> None:
    """docs/rules/kitchen.md 12.1: what comes before takes its time, without a call; then each cook is asked once."""
    setting = load_setting()
    probes = [*probes_of(setting, CARROT, "C"), probes_of(setting, CARROT, "A")[1]]  # six: tests share the program
    episodes = ProbeEpisodes(setting, probes, [0] * len(probes))
    played = play(episodes, FRAMEWORK, ScriptedSpeaker(read_first), TeamRules(replies=1, corrections=0))
    results = [episodes.results(number) for number in range(len(probes))]
    assert [each["asked_at"] for each in results] == [0, 3, 6, 9, 10, 3]
    trial = ProbeEpisodes(setting, probes, [0] * len(probes))
    check_begins(trial)  # comes to the same timesteps, and asks nobody
    assert [trial.results(number)["asked_at"] for number in range(len(probes))] == [0, 3, 6, 9, 10, 3]
    short = [replace(probe, task=msgspec.structs.replace(CARROT, published_time=4)) for probe in probes]
    with pytest.raises(UserError, match="never begins: its time is over before"):
        check_begins(ProbeEpisodes(setting, short, [0] * len(probes)))
    assert [each.totals.calls for each in played] == [2] * 6
    standard = standard_of(setting, CARROT)
    for probe, episode in zip(probes, played, strict=True):
        (talk,) = talks_of(episode.team.said)
        done = [(0, str(action)) for action in probe.before]
        event = judge(talk, done, standard.references[1], standard.universes[1], standard.words)
        assert event.mistake == ("" if probe.experiment == "C" else "repetitive")
