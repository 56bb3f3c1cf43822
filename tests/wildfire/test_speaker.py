"""The scripted speaker plays levels of wildfires through the messages, tags and calls that a model would get."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from hive.kit.agent_env import Choice
from hive.players.llm.client import ChatRequest, Reply, TextSink
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.execution import read_line, read_translation
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.playing import play
from hive.players.teams.prompting import Prompts
from hive.players.teams.roster import PLANNER
from hive.players.teams.rules import TeamRules
from hive.players.teams.speaking import ScriptedSpeaker
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Team
from hive.worlds.wildfire.agents.episodes import open_episodes
from hive.worlds.wildfire.speaker import answer
from hive.worlds.wildfire.speaker.containing import HALF, ring
from hive.worlds.wildfire.speaker.cutting import part_of
from hive.worlds.wildfire.speaker.flying import sweep_of
from hive.worlds.wildfire.speaker.tasks import TaskFacts, read_task
from hive.worlds.wildfire.task_text import task_text
from hive.worlds.wildfire.world import load_level
from tests.arch.sources import imports, modules
from tests.wildfire.test_agents import CREW, SEEDS

TALKING = [name for name in FRAMEWORKS if name != "nothing"]
MOST = {  # the highest score of small levels, and seeds to play
    "cut_trees_sparse_small": (18, [375, 83248]),
    "transport_firefighters_small": (6, [2461, 7622]),
    "cut_trees_lines_small": (30, [66768, 78914]),
    "scout_fire_small": (2, [1012, 7593]),
    "rescue_known_small": (3, [5884, 8491]),
    "suppress_extinguish": (0, [2994, 4936]),  # doing nothing costs hundreds
}


class Keeping(ScriptedSpeaker):
    """The speaker, which keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(answer)
        self.asked: list[tuple[str, ...]] = []

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        self.asked.append(tuple(message.text for message in request.messages))
        return super().complete(request, told)


def episodes_of(level: str, seeds: Sequence[int], **numbers: float) -> Any:
    name = f"wildfire/{level}"
    return open_episodes(name, seeds, numbers)


@pytest.mark.parametrize("framework", TALKING)
def test_each_framework_reaches_the_highest_score_by_talking(framework: str) -> None:
    episodes, games, client = talked(framework)
    reach(episodes, games, client, 18)


@pytest.mark.parametrize("framework", TALKING)
@pytest.mark.long
@pytest.mark.parametrize("level", MOST)
def test_each_framework_reaches_the_highest_score_of_small_levels(level: str, framework: str) -> None:
    most, seeds = MOST[level]
    reach(*played(episodes_of(level, seeds), framework), most)


@cache
def talked(framework: str) -> tuple[Any, list[TeamEpisode], Keeping]:
    """Games of a level with all types, which several tests look at."""
    return played(episodes_of("cut_trees_sparse_small", SEEDS, **CREW), framework)


def played(episodes: Any, framework: str) -> tuple[Any, list[TeamEpisode], Keeping]:
    client = Keeping()
    return episodes, play(episodes, FRAMEWORKS[framework], client, concurrent=1), client


def reach(episodes: Any, games: list[TeamEpisode], client: Keeping, most: int) -> None:
    """Perception and translation calls included, and no answer of the speaker is malformed."""
    assert [env.score for env in episodes.envs] == [most] * len(episodes.envs)
    assert [row["log"] for episode in games for row in episode.journal.rows if row.get("log")] == []
    purposes = {call["purpose"] for episode in games for row in episode.journal.rows[:-1] for call in row["asked"]}
    assert {"perceive", "translate"} <= purposes
    assert sum(episode.totals.calls for episode in games) == len(client.asked)


def test_direct_perception_and_execution_lead_to_the_same_actions() -> None:
    """The paragraph by rules is what the speaker writes from the window, and an action line is what it translates."""
    rules = TeamRules(direct_perception=True, direct_execution=True)
    episodes = episodes_of("cut_trees_sparse_small", SEEDS, **CREW)
    direct = play(episodes, FRAMEWORKS["coela"], ScriptedSpeaker(answer), rules, concurrent=1)
    _, talking, _ = talked("coela")
    acts = [[act["words"] for row in games[0].journal.rows[:-1] for act in row["acts"]] for games in (talking, direct)]
    assert acts[0] == acts[1]


@pytest.fixture(scope="module")
def env() -> Any:
    """The first step of a level with all types, of which every prompt can be asked."""
    return episodes_of("cut_trees_sparse_small", SEEDS, **CREW).envs[0]


def team_of(env: Any, single: bool = False) -> Team:
    team = Team(env, TeamRules(), Prompts(), single)
    team.begin_step()
    team.perceptions = {agent: team.observations[agent].paragraph for agent in team.living}
    return team


def said(team: Team, agent: int, prompt: str, **texts: str) -> str:
    system, *rest = (message.text for message in team.ask(agent, "x", prompt, **texts).messages)
    return answer(system, rest)


@pytest.mark.parametrize("single", [False, True])
def test_every_action_is_translated_to_its_number_in_any_wrapping(env: Any, single: bool) -> None:
    team = team_of(env, single)
    for agent in (0, 2, 3, 4):
        options = env.options(team.kind(agent), single)
        for option in options:
            values = tuple(range(3, 3 + len(option.values)))
            line = " ".join([option.name, *map(str, values)])
            for sentence in (line, f"I will {line}.", f"Next: {option.name} ({', '.join(map(str, values))})"):
                found = read_translation(options, sentence, said(team, agent, "translate", sentence=sentence))
                assert isinstance(found, Choice) and (found.number, found.values) == (option.number, values)
            assert isinstance(read_line(options, line), Choice)
        foreign = read_translation(options, "x", said(team, agent, "translate", sentence="bake a cake"))
        assert isinstance(foreign, Choice) and foreign.number == 0


def test_a_leader_accepts_what_it_would_do_and_replaces_anything_else(env: Any) -> None:
    team = team_of(env)
    own = read_tags(said(team, 1, "camon_propose"), ("reasoning", "action")[1:])
    assert not isinstance(own, Malformed)
    for proposal, decision in ((own["action"], "ACCEPT"), ("move to location 0 0", "REJECT")):
        text = said(team, 0, "camon_review", proposer="AGENT_2", proposal=proposal)
        review = read_tags(text, ("decision", "action", "message"))
        assert not isinstance(review, Malformed)
        assert (review["decision"], review["action"]) == (decision, own["action"])


def test_a_planner_follows_an_objection_and_agents_object_to_a_foreign_plan(env: Any) -> None:
    team = team_of(env, single=True)
    plan = read_tags(said(team, PLANNER, "hmas2_plan", past=""), [env.seats[agent].name for agent in team.living])
    assert not isinstance(plan, Malformed)
    lines = "\n".join(f"- {name}: {line}" for name, line in plan.items())
    assert "<feedback>ACCEPT</feedback>" in said(team, 1, "hmas2_feedback", past="", plan=lines)
    other = lines.replace(plan["AGENT_2"], "do nothing")
    objection = read_tags(said(team, 1, "hmas2_feedback", past="", plan=other), ("feedback",))
    assert not isinstance(objection, Malformed) and plan["AGENT_2"] in objection["feedback"]
    prompt = [message.text for message in team.ask(PLANNER, "plan", "hmas2_plan", past="").messages]
    again = team.ask(PLANNER, "plan", "hmas2_replan", feedback="- AGENT_2: No. I would rather: move to location 1 1")
    replanned = read_tags(answer(prompt[0], [prompt[1], "...", again.messages[0].text]), [*plan])
    assert not isinstance(replanned, Malformed)
    assert (replanned["AGENT_1"], replanned["AGENT_2"]) == (plan["AGENT_1"], "move to location 1 1")


def test_news_are_sent_once(env: Any) -> None:
    """A drone that sees the fire tells so where nobody has, and acts where somebody has."""
    team = team_of(env)
    drone = 3
    team.perceptions[drone] = "I am at (12, 12), and my cell has no trees. I see 1 cell on fire: (3, 4) to the north."
    text = read_tags(said(team, drone, "coela_message"), ("message",))
    assert not isinstance(text, Malformed) and "fire at (3, 4)" in text["message"]
    choice = said(team, drone, "coela_choose", message=text["message"])
    assert "<action>SEND MESSAGE</action>" in choice
    told = "- step 1, AGENT_1 to all: I see fire at (3, 4)."
    assert "SEND" not in said(team, drone, "coela_choose", message=text["message"], messages=told)


def test_the_parts_of_a_team_hold_every_cell_once_and_a_sweep_shows_the_complete_map() -> None:
    rng = random.Random(3)
    for count in range(1, 9):
        cells = list({(rng.randrange(60), rng.randrange(60)) for _ in range(25)})
        parts = [cell for rank in range(count) for cell in part_of(cells, rank, count)]
        assert sorted(parts) == sorted(cells)
    for size in (20, 31, 60, 100):
        seen = {(x + a, y + b) for x, y in sweep_of(size) for a in range(-15, 16) for b in range(-15, 16)}
        assert seen >= {(x, y) for x in range(size) for y in range(size)}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("cut_trees_sparse_small", {"game": "cut", "lines": ()}),
        ("cut_trees_lines_small", {"game": "cut"}),
        ("scout_fire_small", {"game": "scout", "size": 100, "goal": None}),
        ("transport_firefighters_small", {"game": "transport", "civilians": 0}),
        ("rescue_known_small", {"game": "rescue", "civilians": 3}),
        ("rescue_search", {"game": "rescue", "civilians": 5, "groups": (), "size": 100}),
        ("suppress_extinguish", {"game": "fire", "goal": None}),
        ("full_environment", {"game": "fire", "size": 200}),
    ],
)
def test_a_task_is_read_from_its_words(level: str, expected: dict[str, Any]) -> None:
    site = load_level(level).site
    task, places = read_task(task_text(site)), site.places
    assert {name: getattr(task, name) for name in expected} == expected
    if task.game == "cut":
        assert set(task.cells) == set(places.cells_to_cut)
    if task.goal:
        assert task.goal == places.goal
    if task.fire:
        assert (task.fire, task.water) == (places.fire, places.water)
    if task.groups:
        assert task.groups == places.clusters


def test_a_prompt_that_is_cut_or_foreign_gets_an_answer_and_no_error() -> None:
    assert read_task("Bake a cake.") == TaskFacts("fire")
    assert "<" not in answer("You are a cook.", ["Bake a cake."])
    rng = random.Random(7)
    asked = [texts for framework in TALKING for texts in talked(framework)[2].asked[:40]]
    for texts in rng.sample(asked, 40):
        system, *rest = texts
        for _ in range(5):
            cut = [text[: rng.randrange(len(text))] if rng.random() < 0.7 else text for text in rest]
            lines = cut[0].splitlines(keepends=True)
            del lines[rng.randrange(len(lines) + 1) :: 3]
            assert isinstance(answer(system, ["".join(lines), *cut[1:]]), str)


def test_the_speaker_reads_text_alone() -> None:
    """The speaker knows nothing of the world but the forms of its texts, so it cannot look at a state."""
    allowed = {
        "hive.kit.agent_env",
        "hive.kit.prompts",
        "hive.worlds.wildfire.agents.paragraphs",
        "hive.worlds.wildfire.agents.views",
        "hive.worlds.wildfire.speaker",
    }
    ours = modules("hive")
    wrong = [
        f"{name} imports {each.module}"
        for name, path in ours.items()
        if name.startswith("hive.worlds.wildfire.speaker")
        for each in imports(name, path)
        if each.module.startswith("hive") and not any(each.module.startswith(known) for known in allowed)
    ]
    assert not wrong


@pytest.mark.parametrize("centre", [(20, 20), (2, 3), (28, 20)])
def test_a_firebreak_closes_round_the_fire_up_to_the_edges_of_the_map(centre: tuple[int, int]) -> None:
    """Fire that spreads to the eight neighbours never gets past the ring; only the map ends elsewhere."""
    size, cells = 30, ring(centre, 30)
    assert len(set(cells)) == len(cells)
    assert all(0 <= x < size and 0 <= y < size for x, y in cells)
    burning, edge = {centre}, [centre]
    while edge:
        x, y = edge.pop()
        near = {(x + a, y + b) for a in (-1, 0, 1) for b in (-1, 0, 1)} - burning - set(cells)
        near = {(a, b) for a, b in near if 0 <= a < size and 0 <= b < size}
        burning |= near
        edge += near
    assert max(max(abs(x - centre[0]), abs(y - centre[1])) for x, y in burning) < HALF


@pytest.mark.long
def test_crews_without_water_fell_a_firebreak() -> None:
    """The team moves, fells and holds the fire where doing nothing loses more than the ring costs."""
    score = {}
    for name in ("embodied", "nothing"):
        episodes = episodes_of("suppress_contain", [8049])
        games = play(episodes, FRAMEWORKS[name], Keeping(), concurrent=1)
        score[name] = episodes.envs[0].score
        acts = {act["words"] for row in games[0].journal.rows[:-1] for act in row["acts"]}
        assert any("cut" in words for words in acts) == (name == "embodied")
    assert score["embodied"] > score["nothing"]
