"""Any player on any world: results, several players, resuming, recordings, commanders, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import hive
from dsl import DslError, UserError
from hive.kit.planned_world import Request
from hive.players.choosing import names_of
from hive.players.llm.client import ChatRequest, Reply, TextSink
from hive.players.llm.scripted import reply_in_words
from hive.worlds import kind_of, kinds, recorder_of
from hive.worlds.battle.world import Battle
from hive.worlds.rescue.agents.speaker import answer
from tests.llm.talks import HOLD
from tests.tiers import tiers

RESCUE = "rescue/map_7/agents-1"
FEW = {  # a world of each kind with agents, with settings that make it short
    RESCUE: {},
    "kitchen/boiled_egg": {},
    "household/cwah_30": {"utility": "exact"},
    "wildfire/cut_trees_sparse_small": {"limit": 2},
}


class Model:
    """Stands in for a language model, and fails after some calls."""

    name = "stand-in"

    def __init__(self, calls: int = 1_000) -> None:
        self.left = calls

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        if not self.left:
            raise UserError("the server is gone")
        self.left -= 1
        system, *texts = (message.text for message in request.messages)
        return reply_in_words(self.name, request, answer(system, texts), told)


@pytest.mark.parametrize("name", tiers(FEW, quick=[RESCUE]))
def test_the_default_player_plays_a_world_of_each_kind_and_its_files_can_be_written(name: str) -> None:
    """The runner knows worlds by their contract alone: results, a row and a folder for each game."""
    kind = next(kind for kind in kinds().values() if kind.claims(name))
    world = kind.team_world(hive.kit.team_world.TeamRequest(worlds=[name], options=FEW[name]))
    run = hive.play(world, hive.player(), seeds=[3, 4])
    assert [game.env.seed for game in run.games] == [3, 4] and len(run.results.rows()) == 2
    assert json.loads(json.dumps(run.json()))["players"][0]["name"] == next(iter(world.players))
    assert run.table().strip()
    files = run.files()
    for game in run.games:
        inside = {path.removeprefix(f"{game.name}/") for path in files if path.startswith(f"{game.name}/")}
        assert inside >= {"result.json", "steps.jsonl", "transcript.md", "journal.jsonl", "recording.npz"}


def test_players_stand_side_by_side_and_each_has_a_folder() -> None:
    world = hive.load_team_world(RESCUE)
    run = hive.play(world, [hive.player("heuristic"), hive.player("optimal"), hive.player(client=Model())], seeds=[0])
    assert [row["team"] for row in run.results.rows()] == ["heuristic", "optimal", "stand-in"]
    assert {row["steps"] for row in run.results.rows()} == {4}, "all of them play the optimum of this map"
    assert {run.name_of(game) for game in run.games} == {
        f"{player}/map_7-agents-1" for player in ("heuristic", "optimal", "stand-in")
    }


def test_a_run_that_a_model_broke_off_resumes_with_the_answers_so_far(tmp_path: Path) -> None:
    whole = hive.play(RESCUE, hive.player(client=Model()), seeds=[0])
    with pytest.raises(UserError, match="the server is gone"):
        hive.play(RESCUE, hive.player(client=Model(6)), seeds=[0], folder=tmp_path, concurrent=1)
    rest = Model()
    again = hive.play(RESCUE, hive.player(client=rest), seeds=[0], folder=tmp_path, concurrent=1)
    assert again.games[0].journal == whole.games[0].journal
    assert 1_000 - rest.left < whole.games[0].transcript.calls


def test_every_kind_of_world_says_who_can_play_it() -> None:
    for name in (RESCUE, "kitchen/boiled_egg", "household/cwah_30", "wildfire/cut_trees_sparse_small"):
        kind = next(kind for kind in kinds().values() if kind.claims(name))
        world = kind.team_world(hive.kit.team_world.TeamRequest(worlds=[name]))
        assert {next(iter(world.players)), "team"} <= {*names_of(world)} and world.seeds
        with pytest.raises(UserError, match=r"there is no player `spekaer`.*\n.*did you mean `speaker`"):
            hive.play(world, hive.player("spekaer"), seeds=[0])


@pytest.mark.parametrize(
    ("world", "player", "why"),
    [
        (RESCUE, hive.player("team:camon"), "there is no player `team:camon` for a rescue"),
        ("household/cwah_30", hive.player("heuristic"), "there is no player `heuristic` for a household"),
        ("coordinate", hive.player("team"), "coordinate is a battle"),
        (hive.load("coordinate", units=20), hive.player("random"), "coordinate is a battle"),
        ("rescue/map_99", hive.player(), "there is no rescue"),
    ],
)
def test_a_player_that_cannot_play_a_world_is_refused_with_a_sentence(
    world: Any, player: hive.players.playing.Player, why: str
) -> None:
    with pytest.raises(UserError, match=why):
        hive.play(world, player, seeds=[0])


@pytest.mark.parametrize(("seeds", "why"), [(3, r"range\(3\)"), ([], "there is no seed"), ([-1], "-1 is no seed")])
def test_seeds_that_are_none_are_refused_before_a_player_begins(seeds: Any, why: str) -> None:
    """As for a plan."""
    with pytest.raises(UserError, match=why):
        hive.play(RESCUE, hive.player("heuristic"), seeds)


def test_settings_belong_to_worlds() -> None:
    assert hive.play(hive.load_team_world(RESCUE, limit=2), hive.player("heuristic"), seeds=[0]).games[0].env.limit == 2
    with pytest.raises(UserError, match=r"a rescue has no setting `limt` for teams\n.*did you mean `limit`"):
        hive.load_team_world(RESCUE, limt=2)
    with pytest.raises(TypeError, match="was loaded for plans; for a team give its name"):
        hive.play(hive.load("wildfire/cut_trees_sparse_small"), hive.player("team"), seeds=[0])


@pytest.fixture(scope="module")
def battle() -> Battle:
    return hive.load("coordinate", units=20, limit=600)  # as in the tests of recordings, with its program


@pytest.fixture(scope="module")
def plan(battle: Battle) -> hive.Plan:
    """It has the size of the plans of dialogues, and their programs."""
    return hive.read_plan(HOLD[HOLD.index("BEGIN") :], battle, written_for=battle.sizes)


def test_an_unknown_option_is_refused_with_a_hint(battle: Battle, plan: hive.Plan) -> None:
    """The options of plans and of players differ; mypy sees both, and a wrong one gets a sentence."""
    options: dict[str, Any] = {"swap": []}
    with pytest.raises(TypeError, match="with a plan has no option `swap`: did you mean `swaps`"):
        hive.play(battle, plan, [3], **options)
    with pytest.raises(TypeError, match="with players has no option `swap`: write `folder`, `concurrent` or `watch`"):
        hive.play(RESCUE, hive.player("heuristic"), [0], **options)


def recorded(*args: Any, **options: Any) -> Any:
    """A recording, of whatever class its world has."""
    return hive.record(*args, **options)


@pytest.fixture(scope="module")
def watched(battle: Battle, plan: hive.Plan) -> Any:
    """The result of a game that a recorder saw."""
    return hive.play(battle, plan, [3], recorder=recorder_of(battle.name)(battle, plan, ()))


@pytest.mark.slow
def test_a_recorder_changes_nothing_of_a_game(battle: Battle, plan: hive.Plan, watched: Any) -> None:
    """No draw of it, no number of its result."""
    result = hive.play(battle, plan, [3])
    assert result.json() | {"seconds": 0} == watched.json() | {"seconds": 0}
    jax.tree.map(np.testing.assert_array_equal, result.metrics[0], watched.metrics[0])


def test_a_recorded_game_of_a_plan_is_the_one_that_is_played(
    battle: Battle, plan: hive.Plan, watched: Any, tmp_path: Path
) -> None:
    """`hive.record` adds no program and no draw: it ends, and scores all the way, as `hive.play` says."""
    result = watched
    recording = recorded(battle, plan, 3, title="A game")
    course = recording.course
    assert recording.title == "A game" and recording.tick[-1] == result.ticks[0]
    assert recording.counts(-1) == tuple(result.survivors[0].sum(1)) and course.outcome == result.outcome[0]
    assert course.score[-1] == np.float32(result.score[0])
    np.testing.assert_array_equal(course.score[1:], result.metrics[0].score)
    assert [step.achieved for step in course.steps if step.side == 0] == result.achieved[0].tolist()
    assert result.win_rate == float(result.outcome[0] == "win") and result.win_interval[0] <= result.win_rate
    assert hive.picture(recording, tmp_path / "game.png").stat().st_size > 1_000


@pytest.mark.long
def test_a_recorded_level_is_the_one_that_is_played(tmp_path: Path) -> None:
    """As above, in another kind of world and with a second plan: a frame for each tick, and the score of the play."""
    level = hive.load("wildfire/cut_trees_sparse_small")
    text = kind_of(level.name).own_plan(Request(scenario=level.name))
    assert text is not None
    plan = hive.read_plan(text, level)
    result = hive.play(level, plan, [5], swaps=[(3, plan)])
    recording = recorded(level, plan, 5, swaps=[(3, plan)])
    assert [*recording.tick] == [*range(int(result.ticks[0]) + 1)] and recording.score[-1] == result.score[0]
    assert [tick for tick, _ in recording.plans] == [0, 3] and recording.outcome == result.outcome[0]
    assert hive.picture(recording, tmp_path / "fire.png").exists()


def test_a_recording_of_agents_is_drawn_by_the_same_functions(tmp_path: Path) -> None:
    recording = recorded(RESCUE, hive.player("heuristic"), 0)
    assert hive.movie(recording, tmp_path / "rescue.gif").recorded == len(recording.tick)
    with pytest.raises(UserError, match=r"cannot write .*rescue\.avi: it has to end with `\.gif`"):
        hive.movie(recording, tmp_path / "rescue.avi")
    with pytest.raises(TypeError, match="title and swaps belong to a game of a plan"):
        hive.record(RESCUE, hive.player("heuristic"), title="Mine")


@pytest.mark.slow
def test_a_commander_sees_the_game_that_its_plans_play(battle: Battle) -> None:
    """It is asked at tick 0 and every few ticks; what it sees then is what the result says of that tick."""
    seen: list[tuple[int, int]] = []

    def commander(world: hive.EngineWorld, state: hive.State) -> str | None:
        seen.append((int(state.tick), int(state.alive.sum())))
        words = "everyone attack the enemy" if len(seen) < 3 else "everyone go to (20, 20)"
        return hive.order(world, words, state).text if len(seen) < 4 else None

    game = hive.command(battle, commander, 3, every=40)
    ticks = [tick for tick, _ in seen]
    assert ticks == [40 * number for number in range(len(seen))] and len(seen) > 4
    assert [tick for tick, _ in game.texts] == [0, *(tick for tick, _ in game.swaps)] and 80 in dict(game.swaps)
    alive = game.result.metrics[0].alive.sum((1, 2))
    assert all(alive[tick - 1] == left for tick, left in seen[1:])
    again = hive.play(battle, game.plan, [3], swaps=game.swaps)
    assert again.json() | {"seconds": 0} == game.result.json() | {"seconds": 0}


def test_a_commander_without_a_plan_or_with_a_wrong_one_is_told(battle: Battle) -> None:
    with pytest.raises(ValueError, match="returned no plan"):
        hive.command(battle, lambda world, state: None)
    with pytest.raises(ValueError, match="every 1 or more ticks, not 0"):
        hive.command(battle, lambda world, state: "", every=0)
    with pytest.raises(DslError):
        hive.command(battle, lambda world, state: "BEGIN PLAN\nStep 0:\nnonsense\nEND PLAN")
    with pytest.raises(UserError, match="-1 is no seed"):
        hive.command(battle, lambda world, state: pytest.fail("asked"), seed=-1)


@pytest.mark.parametrize("reply", ["I would rather not.", "duel", "{file}"])
def test_a_reply_of_a_commander_is_no_file_name(battle: Battle, tmp_path: Path, reply: str) -> None:
    """A model's reply opens no file: neither a shipped plan nor one of the user's, whose text the error would show."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    with pytest.raises(DslError, match="there is no step in this text") as refused:
        hive.command(battle, lambda world, state: reply.format(file=secret))
    assert "the secret" not in str(refused.value)
