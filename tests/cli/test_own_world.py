"""The world of docs/extend.md: two files and one row, and everything that takes worlds takes it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import make_dataclass
from functools import partial
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive import load_team_world, play, player, worlds
from hive.cli.learning.settings import Train
from hive.cli.learning.training import trainer_of
from hive.kit.keep.fields import codes, word
from hive.kit.reporting import Unwatched
from hive.kit.team_world import Cast, TeamRequest
from hive.mcp.limits import Limits
from hive.mcp.server import make_server
from hive.players.llm.client import ChatRequest, Reply, TextSink
from hive.players.llm.scripted import reply_in_words
from hive.rl.registry import task
from hive.rl.runs import TrainedRun, identity
from tests.arch.sources import ROOT
from tests.cli.conftest import Hive
from tests.mcp.conftest import Talk
from tests.mcp.conftest import play as talk_to
from tests.mcp.test_teams import play_out
from tests.web.team_server import serving_team
from tests.web.test_team import TeamTab

PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
LEVEL = "pursuit/small"


def write_package(folder: Path) -> int:
    """Write the files of the page with their entry point into a folder; returns their lines."""
    files: dict[str, list[str]] = {}
    for name, text in re.findall(r"```python (pursuit/\S+)\n(.*?)```", PAGE, re.DOTALL):
        files.setdefault(name, []).append(text)
    row = re.search(r"```toml\n(\[project\]\n.*?)```", PAGE, re.DOTALL)
    assert row
    project = tomllib.loads(row[1])["project"]
    points = "".join(f"{name} = {place}\n" for name, place in project["entry-points"]["hive.worlds"].items())
    (folder / "pursuit").mkdir()
    (folder / "pursuit-1.0.dist-info").mkdir()
    about = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (folder / "pursuit-1.0.dist-info/METADATA").write_text(about)
    (folder / "pursuit-1.0.dist-info/entry_points.txt").write_text(f"[hive.worlds]\n{points}")
    for name, parts in files.items():
        (folder / name).write_text("\n\n".join(parts), encoding="utf-8")
    return sum((folder / name).read_text("utf-8").count("\n") for name in files)


@pytest.fixture(scope="module", autouse=True)
def lines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Install the page's package for these tests; the lines of its files."""
    folder = tmp_path_factory.mktemp("installed")
    count = write_package(folder)
    sys.path.insert(0, str(folder))
    invalidate_caches()
    worlds._installed.cache_clear()
    yield count
    sys.path.remove(str(folder))
    worlds._installed.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "pursuit"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def env() -> Any:
    """The environment of the small level with few steps: as many as in all tests here, whose programs are one."""
    return rl.make(LEVEL, limit=6)


class Model:
    """Stands in for a language model that follows the page's rule, and fails after some calls."""

    name = about = "stand-in"

    def __init__(self, calls: int = 1_000) -> None:
        self.left, self.asked = calls, 0
        world = worlds.kind_of(LEVEL).team_world(TeamRequest(worlds=[LEVEL]))
        self._speaker = world.rule_player("speaker", Unwatched()).speaker

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        if self.asked == self.left:
            raise UserError("the server is gone")
        self.asked += 1
        system, *texts = (message.text for message in request.messages)
        assert self._speaker
        return reply_in_words(self.name, request, self._speaker(system, texts), told)


def test_a_world_has_at_most_300_lines_and_one_row(lines: int) -> None:
    """The price of a world; its row is the entry point alone."""
    assert lines <= 300
    assert worlds.rows()["pursuit"].host == "pursuit.world:WORLD"
    assert worlds.row_of(LEVEL) == "pursuit" and worlds.row_of("coordinate") == "battle"


PLAYS = """
import sys
import hive
from hive.worlds import rows

world = sys.argv[1]
run = hive.play(world, hive.player(), seeds=[0])
run.files()
mine = world.split("/")[0]
others = [name for name in rows() if name != mine]
print([name for name in sys.modules if name.startswith("hive.") and {*name.split(".")} & {*others}])
"""


@pytest.mark.long  # tests/arch says which module may import which
@pytest.mark.parametrize("name", [LEVEL, "rescue/map_7/agents-1", "kitchen/boiled_egg"])
def test_playing_a_world_imports_no_other_one(name: str) -> None:
    """Registry, runner, recordings and drawings find what belongs to a world by its row."""
    path = os.pathsep.join([str(ROOT), *sys.path[:1]])
    words = [sys.executable, "-c", PLAYS, name]
    ran = subprocess.run(words, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "[]", ran.stdout + ran.stderr


def test_it_is_listed_and_described(hive: Hive) -> None:
    ran = hive("list", "--json")
    assert [each["name"] for each in ran.json["pursuits"]] == ["pursuit/small", "pursuit/large"]
    ran = hive("describe", LEVEL)
    assert "The prey is 1 east and 4 south of you." in ran.out and "- north: move one cell up" in ran.out
    assert task(LEVEL).kind == "pursuit" and task(LEVEL).summary == "pursuit small"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("pursuit/smal", "there is no pursuit `smal`\n  = help: did you mean `pursuit/small`?"),
        ("pursuit/small --set limit=300", "`limit` of a pursuit is a whole number from 1 to 100, not 300"),
        ("pursuit/small --set limt=3", "a pursuit has no setting `limt` for teams\n  = help: did you mean `limit`?"),
        ("pursuit/small --player rul", "there is no player `rul` for a pursuit\n  = help: did you mean `rule`?"),
        ("pursuit/small --plan x.plan", "`--plan` cannot be used here: pursuit/small is a pursuit"),
        ("persuit/small", "there is no world `persuit/small`\n  = help: did you mean `pursuit/small`?"),
        ("elsewhere/7", "one of a package is known when the package is installed"),
        ("small", "pursuit/small is a pursuit, which agents play and no plan commands\n  = help: `hive run"),
    ],
)
def test_what_is_wrong_is_said_in_its_words(hive: Hive, words: str, why: str) -> None:
    ran = hive("run", *words.split())
    assert ran.code == 2 and ran.out == "" and why in ran.err, ran.err


def test_players_by_rules_and_teams_play_it_and_the_run_is_kept_and_replayed(hive: Hive, tmp_path: Path) -> None:
    words = ["--player", "speaker", "--player", "rule", "--player", "team:hmas2", "--seeds", 2, "--set", "limit=6"]
    ran = hive("run", LEVEL, *words, "--json", "--movie", "--out", tmp_path / "kept")
    assert ran.code == 0, ran.err
    rows = ran.json["games"]
    assert [row["player"] for row in rows] == ["speaker", "speaker", "rule", "rule", "hmas2", "hmas2"]
    assert len({(row["seed"], row["steps"], row["won"]) for row in rows}) == 2, "one rule plays one game of a seed"
    assert rows[0]["messages"] and not rows[2]["costs"]["calls"] and rows[0]["costs"]["log_lines"] == 0
    inside = {path.name for path in (tmp_path / "kept/speaker/small/0").iterdir()}
    assert inside >= {"result.json", "transcript.md", "journal.jsonl", "recording.npz", "picture.png", "movie.gif"}
    ran = hive("replay", tmp_path / "kept", "--json")
    page = Path(ran.json["page"]).read_text("utf-8")
    assert "AGENT_1" in page and "predators, each in its colour" in page


def test_a_recording_is_read_back_and_a_damaged_one_is_refused() -> None:
    run = play(load_team_world(LEVEL, limit=6), player("rule"), seeds=[1])
    recording, found = run.games[0].recording, import_module("pursuit.world").PursuitRecording
    again = found.decode(recording.encode())
    assert np.array_equal(again.predators, recording.predators) and again.deeds == recording.deeds
    with pytest.raises(ValueError, match="pursuit recording: prey must lie in 0 to 4"):
        found(**{**vars(recording), "prey": recording.prey + 5})


@pytest.mark.parametrize(
    ("name", "field", "why"),
    [
        ("speed", word(int), "neither the state `Field` nor the environment `PursuitEnv` has\n  = help: "),
        ("speed", None, "`speed` of `Faster` does not say how it is kept\n  = help: write `speed: "),
        ("prey", codes("T B"), "has an axis or an end `B`, which is no length of it\n  = help: use `T`, `A`, `deeds`"),
    ],
)
def test_a_field_of_a_recording_that_cannot_be_kept_is_named(
    name: str, field: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = import_module("pursuit.world")
    bases = (world.PursuitRecording,)
    table = make_dataclass("Faster", [(name, Any, field)], bases=bases, frozen=True, eq=False, kw_only=True)
    monkeypatch.setattr(world.PursuitEnv, "recording", table)
    with pytest.raises(UserError, match=why):
        play(load_team_world(LEVEL, limit=6), player("rule"), seeds=[0])


def test_a_recording_of_a_format_without_a_row_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    run = play(load_team_world(LEVEL, limit=6), player("rule"), seeds=[0])
    monkeypatch.setattr(import_module("pursuit.world").PursuitRecording, "format", "chase/1")
    with pytest.raises(UserError, match=r"nothing draws the format `chase/1` of.*\n  = help: a format is"):
        run.files()


def test_an_interrupted_run_resumes_to_the_same_results(tmp_path: Path) -> None:
    """Answers of finished steps are not asked again."""
    world = load_team_world(LEVEL, limit=6)
    whole, first, second = Model(), Model(calls=3), Model()
    expected = play(world, player(client=whole), seeds=[1])
    with pytest.raises(UserError, match="the server is gone"):
        play(world, player(client=first), seeds=[1], folder=tmp_path / "run")
    resumed = play(world, player(client=second), seeds=[1], folder=tmp_path / "run")
    assert json.dumps(resumed.results.rows()) == json.dumps(expected.results.rows())
    assert 0 < second.asked < whole.asked


@pytest.mark.slow
def test_its_environment_keeps_the_contract(env: Any) -> None:
    assert rl.check(env, games=2) == []


def test_a_team_and_a_policy_begin_and_play_the_same_game_of_a_seed(env: Any) -> None:
    run = play(load_team_world(LEVEL, limit=6), player("rule"), seeds=[3])
    played: Any = run.games[0].env
    state, _ = jax.jit(rl.reset)(env, jax.random.key(3))
    step = jax.jit(rl.step)
    for actions in played.actions:
        state, timestep = step(env, state, actions)
    assert np.array_equal(state.world.predators, played.worlds[-1].predators)
    assert float(timestep.score) == played.score and bool(timestep.won) == run.results.rows()[0]["won"]


def test_an_agent_may_be_asked_for_its_action_alone() -> None:
    """What a person in a seat is shown: the actions that are possible now, and why another one is none."""
    world = load_team_world(LEVEL, limit=6)
    env: Any = next(world.rounds(Cast("", ""), [0], Path(), Unwatched())).episodes.envs[0]
    assert [seat.name for seat in env.seats] == ["AGENT_1", "AGENT_2"]
    assert env.calls(0) == [
        "stand()",
        "east()",
        "south()",
    ] and "Possible now: stand, east, south." in env.situation(0)
    assert env.call(0, "north", {}) == "`north` is not possible now; possible are stand, east and south"
    assert env.call(0, "fly", {}) == "there is no tool `fly` with 0 arguments"
    env.begin(0, env.call(0, "south", {}), True)
    env.advance()
    assert env.observe(0).place == "(0, 1)" and env.observe(1).place == "(4, 0)" and not env.settled
    env.halt(0)
    assert env.over and env.outcome_words == "broken off"


def test_a_person_plays_a_seat_on_the_page(tmp_path: Path) -> None:
    """The page asks the seat of any world, shows its frames, and takes the answers."""
    with serving_team(LEVEL, tmp_path, "AGENT_2", "team:embodied") as address, TeamTab(address) as tab:
        assert tab.hello["seat"] == "AGENT_2" and tab.hello["role"] == "commander"
        tab.send("speed", ticks_per_second=1000)
        asked = tab.play()
    assert asked and {question["agent"] for question in asked} == {"AGENT_2"}
    assert tab.frames.keys() == set(range(len(tab.frames))) and len(tab.frames) > 2


def test_a_client_of_mcp_plays_a_seat_and_watches_a_team(tmp_path: Path) -> None:
    """By default a leader decides for all agents but the client's, which is asked in every step."""

    async def story(talk: Talk) -> None:
        first = await talk("take_seat", scenario=LEVEL, seat="AGENT_2")
        assert "Possible now: " in first["question"]["text"]
        end, asked = await play_out(talk, first)
        assert end["over"] and asked and end["results"]["players"][0]["name"] == "human as AGENT_2"
        watched = await talk("watch_team", scenario=LEVEL, player="rule")
        assert watched["games"][0]["world"] == LEVEL and watched["games"][0]["won"]
        assert "its seats are `AGENT_1` and `AGENT_2`" in await talk.refused("take_seat", scenario=LEVEL, seat="A")

    talk_to(make_server(Limits(seconds=300), tmp_path), story)


def test_a_rule_reads_the_same_words_alone_and_in_a_team(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place stands in front of what is seen for both scripted players."""
    kind: Any = worlds.kind_of(LEVEL)
    read: dict[str, set[str]] = {"rule": set(), "speaker": set()}
    rule = type(kind).rule
    for name, words in read.items():
        monkeypatch.setattr(type(kind), "rule", lambda self, *seen, told=words: told.add(seen[0]) or rule(self, *seen))
        play(load_team_world(LEVEL, limit=6), player(name), seeds=[0])
    assert read["rule"] == read["speaker"] and "You are at (0, 0). The prey is" in min(read["rule"])


@pytest.mark.parametrize("name", ["rule", "speaker"])
def test_a_rule_that_chooses_what_is_not_possible_is_told_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(worlds.kind_of(LEVEL)), "rule", lambda *_: "fly")
    with pytest.raises(UserError, match=r"chose `fly`, which is not possible at .*\n  = help: `rule` of a `StepWorld`"):
        play(load_team_world(LEVEL, limit=6), player(name), seeds=[0])


@pytest.mark.long
def test_both_views_take_it() -> None:
    jaxmarl, pettingzoo = (pytest.importorskip(f"hive.rl.views.{name}") for name in ("jaxmarl", "pettingzoo"))
    view = pettingzoo.make(LEVEL, limit=6)
    view.reset(seed=0)
    assert view.step({agent: 3 for agent in view.agents})[1]["agent_0"] == pytest.approx(0.05)
    seen, _ = jaxmarl.make(LEVEL, limit=6).reset(jax.random.key(0))
    assert {name: each.shape for name, each in seen.items()} == {
        "agent_0": (10,),
        "agent_1": (10,),
        "world_state": (20,),
    }


@pytest.mark.long
def test_a_policy_is_trained_evaluated_and_plays(hive: Hive, tmp_path: Path) -> None:
    small = ("--setting", "num_envs=4", "--setting", "num_steps=8", "--steps", "64")
    ran = hive("train", LEVEL, *small, "--out", tmp_path / "trained")
    assert ran.code == 0, ran.err
    ran = hive("evaluate", tmp_path / "trained", "--episodes", 4, "--replay", "--out", tmp_path / "evaluated")
    assert ran.code == 0, ran.err
    assert (tmp_path / "evaluated/replay.html").exists() and (tmp_path / "evaluated/picture.png").exists()
    ran = hive("run", LEVEL, "--player", f"policy:{tmp_path / 'trained'}", "--player", "random", "--seeds", 2, "--json")
    assert ran.code == 0 and len(ran.json["players"]) == 2, ran.err


def test_a_policy_does_not_play_a_world_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules are not among the arrays of such an environment, so nothing else tells; nothing is trained here."""
    trainer = trainer_of(Train(task=LEVEL), LEVEL)
    trained = TrainedRun(tmp_path, identity(trainer, LEVEL, False, {}, {"games": 0}))
    own = trained.config["task"]
    older = TrainedRun(tmp_path, {**trained.config, "task": {name: own[name] for name in own if name != "version"}})
    assert own["version"] == 1
    monkeypatch.setattr(type(worlds.kind_of(LEVEL)), "version", lambda kind, name: 2)
    words = r"was trained on pursuit/small-v1, and this is pursuit/small-v2, .*\n  = help: train again"
    for make in (trained.make_env, partial(trained.make_env, LEVEL, limit=9), lambda: trained.trainer):
        with pytest.raises(UserError, match=words):
            make()
    assert older.make_env().limit == 30, "it was kept before versions were"


@pytest.mark.parametrize(
    ("function", "broken", "words"),
    [
        ("possible", lambda env, world: jnp.ones((2, 4), bool), r"`possible` returns bool\[2, 4\], not bool\[2, 5\]"),
        ("score", lambda env, world: jnp.zeros(1), r"`score` returns float32\[1\], not float32\[\]"),
        ("observe", lambda env, world: world.predators, r"`observe` returns int32\[2, 2\], not float32\[2, 2\]"),
        ("won", lambda env, world: jnp.int32(1), r"`won` returns int32\[\], not bool\[\]"),
        ("alive", lambda env, world: None, "`alive` returns NoneType, and no array"),
        (
            "advance",
            lambda env, world, actions, key: world.replace(prey=world.prey.astype(jnp.float32)),
            r"`advance` returns another state than `begin`: `.prey` is float32\[2\], not int32\[2\]",
        ),
        (
            "advance",
            lambda env, world, actions, key: world.prey,
            "`advance` returns another state than `begin`: a tree",
        ),
        ("actions", {"stand": "stay", "north1": "go"}, "the action `north1` has a digit in its name"),
    ],
)
def test_rules_of_another_form_are_named_before_the_first_game(
    function: str, broken: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For teams, players by rules and learners alike; so far a game ended in an error of Python or of JAX."""
    monkeypatch.setattr(import_module("pursuit.world").PursuitEnv, function, broken)
    for make in (load_team_world, rl.make):
        with pytest.raises(UserError, match=f"{words}.*\\n  = help: "):
            make(LEVEL)


def test_a_world_of_another_name_than_its_row_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("pursuit.world").Pursuits, "name", "chase")
    with pytest.raises(UserError, match=r"kind of world `pursuit` is named `chase` in pursuit\.world.*\n  = help: "):
        play(LEVEL, player("rule"))


def test_a_kind_that_exists_is_not_registered_again() -> None:
    with pytest.raises(UserError, match="there is a kind of world `rescue` already"):
        worlds.register("rescue", "pursuit")
    worlds.register("pursuit", "pursuit")  # the same row as its entry point
    worlds._REGISTERED.pop("pursuit")


def test_a_package_without_a_world_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worlds._REGISTERED, "lost", worlds._row_of_package("lost", "no_such_package"))
    with pytest.raises(UserError, match=r"the world at no_such_package\.world:WORLD cannot be loaded"):
        worlds.kinds()
