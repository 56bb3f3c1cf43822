"""A study on a set: commanders play the same seeds, scores are those of the games, and its folder is verified."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dsl
from dsl import UserError
from hive.cli import main
from hive.cli.commanders import identity_of
from hive.cli.learning.duel_settings import DuelSettings
from hive.cli.measuring.set_settings import StudySet
from hive.engine.types import PLAYER, Outcome
from hive.experiments.commanders.kept import Folder, KeptGame, Written, files_of, files_of_games
from hive.experiments.commanders.known import TASK, Model, mission_orders
from hive.experiments.commanders.moments import Commander, Cost, Moment, Order
from hive.experiments.commanders.naming import read_commander
from hive.experiments.commanders.playing import Account, Terms
from hive.experiments.panel.measuring import Trial
from hive.experiments.sets import planning, policies, scoring
from hive.experiments.sets.planning import write_once
from hive.experiments.sets.scoring import SetStudy, kendall, spearman
from hive.kit.keep.digests import write_digests
from hive.players.llm.client import ChatRequest, ModelError, Reply, TextSink
from hive.rl.policies import Policy
from hive.worlds.battle.drawn.classes import CLASSES
from hive.worlds.battle.drawn.sets import SetBattle, make_set
from hive.worlds.battle.environment.units import BattleEnv
from hive.worlds.battle.seat import Seat
from tests.llm.faulty import serving, stream
from tests.panel.test_panel import made_up

PLAN = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: time 500
units: all
- target position: ({}, 34)
- behavior: follow_map
END PLAN
"""
TRAINED = Path(__file__).parents[2] / "docs" / "leaderboard" / "policies" / "skirmish-mix"
SHORT = SetBattle("battle/islands/5", 1)  # no game of the commanders below takes 200 ticks there
SEARCHED = Path(__file__).parents[2] / "docs/leaderboard/entries/search-64/games/plans/plans"
FEW = [SetBattle("battle/open/3", 0), SetBattle("battle/open/4", 2), SetBattle("battle/rivers/1", 2)]


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return [Trial(each.name) for each in FEW]


def study(trials: Sequence[Trial], monkeypatch: pytest.MonkeyPatch, *names: str) -> SetStudy:
    monkeypatch.setattr(scoring, "play_mixed", made_up)
    found = make_set("few", "a few battles", FEW)
    written = {
        name: {trial.name: write_once(read_commander(name), trial) for trial in trials} for name in names
    }  # fmt: skip
    return scoring.play_set(found, trials, written, 8)


def test_scores_and_pairs_are_those_of_the_games(trials: list[Trial], monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted once more from the rows of games."""
    found = study(trials, monkeypatch, "stand", "default", "attack")
    rows = [*found.games()]
    assert len(rows) == 3 * 3 * 8
    for each in found.json()["commanders"]:
        own = [row for row in rows if row["commander"] == each["name"]]
        assert each["won"] == pytest.approx(np.mean([row["outcome"] == "win" for row in own]), abs=1e-6)
        high = [row["outcome"] == "win" for row in own if row["level"] == 2]
        assert each["levels"]["2"]["won"] == pytest.approx(np.mean(high), abs=1e-6)
        assert each["low"] <= each["won"] <= each["high"]
    for pair in found.json()["pairs"]:
        assert pair["one_better"] + pair["other_better"] + pair["equal"] == len(FEW)
        assert pair["low"] <= pair["difference"] <= pair["high"]


def test_what_is_no_plan_loses_and_is_counted(trials: list[Trial], monkeypatch: pytest.MonkeyPatch) -> None:
    found = study(trials, monkeypatch, "stand")
    texts = {trial.name: Written("plan", "BEGIN PLAN\nStep 0:\nunits: 999\nEND PLAN\n") for trial in trials}
    again = scoring.play_set(found.found, trials, {"wrong": texts}, 4)
    assert {end for each in again.results["wrong"].values() for end in each.outcome} == {"invalid_plan"}
    row = again.json()["commanders"][0]
    assert row["won"] == row["plans"] == 0


def test_rank_correlations_are_those_of_their_definitions() -> None:
    """Of all orders of four values, and with equal ones; Kendall's is counted pair by pair."""
    one = [1.0, 2.0, 3.0, 4.0]
    for other in itertools.permutations(one):
        squares = sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
        assert spearman(one, other) == pytest.approx(1 - 6 * squares / (4 * 15))
        signs = [(b - a) * (d - c) > 0 for (a, c), (b, d) in itertools.combinations(zip(one, other, strict=True), 2)]
        assert kendall(one, other) == pytest.approx(2 * np.mean(signs) - 1)
    assert spearman([1, 1, 2], [0, 0, 5]) == pytest.approx(1) and np.isnan(spearman([1, 1], [1, 2]))
    assert kendall([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / np.sqrt(2 * 3)) and np.isnan(kendall([1, 1], [1, 2]))


def test_a_folder_of_games_is_refused_before_any_plan_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where commanders plan once, a folder of commanded games would fail only when its turn comes."""
    for file, text in files_of_games({FEW[0].name: {0: KeptGame(((0, PLAN),), Account(1))}}, Terms()).items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.setattr("hive.cli.measuring.set_study._plan_once", None)  # a call would raise
    assert main(["study", "--set", "battles-v1/duels", "--by", "stand", "--by", f"plans:{tmp_path}"]) == 2
    assert "= help: add --command" in capsys.readouterr().err


def test_plans_of_a_folder_are_read_back_with_their_costs(trials: list[Trial], tmp_path: Path) -> None:
    """Plans that were written once, and games with the ticks of their plans."""
    written = {trial.name: Written("plan", trial.plans["attack"], Cost(1, 20, 0, 1, 7, 0.5)) for trial in trials}
    games = {trials[0].name: {2: KeptGame(((0, "a\n"), (40, "b\n")), Account(3, 2, 1, cost=Cost(2)))}}
    for folder, files in (("once", files_of(written)), ("commanded", files_of_games(games, Terms(0, ("sighted",))))):
        for file, text in files.items():
            (tmp_path / folder / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / file).write_text(text, encoding="utf-8")
    once, commanded = Folder(tmp_path / "once"), Folder(tmp_path / "commanded")
    assert {trial.name: write_once(once, trial) for trial in trials} == written
    assert commanded.game(trials[0].name, 2) == games[trials[0].name][2]
    assert commanded.game(trials[0].name, 0) is None and once.game(trials[0].name, 2) is None
    with pytest.raises(UserError, match="add --command"):
        write_once(commanded, trials[0])
    once.check_games([trials[0].name], 9, Terms())
    sighted = Terms(0, ("sighted",))
    for terms, why in ((Terms(), "asked before the first tick, at sighted; in this"), (sighted, "the seed 0")):
        with pytest.raises(UserError, match=why):
            commanded.check_games([trials[0].name], 3, terms)
    (tmp_path / "once" / "costs.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match=r"cannot read .*costs\.json"):
        Folder(tmp_path / "once")


def test_another_version_of_the_prompt_is_another_study() -> None:
    """So a study of a model that was interrupted does not resume with it; the same holds for an arena."""
    study, duel = partial(StudySet, set="battles-v1/duels"), DuelSettings
    for settings in (study, duel):
        one, other = (identity_of(settings(prompt_version=number), None) for number in (2, 3))
        assert {name for name in one if one[name] != other[name]} == {"prompt-version"}


@pytest.mark.parametrize("wrong", ["nobody", "search-3", "search-x", "search", "words:", "plans:", "stand:1", "own"])
def test_who_is_no_commander_gets_one_sentence_in_every_command(wrong: str) -> None:
    with pytest.raises(UserError, match=r"there is no such commander\n  = help: .*commanders are words, words:ORDER"):
        read_commander(wrong)


def test_a_misspelt_commander_is_named_as_it_was_meant() -> None:
    with pytest.raises(UserError, match=r"there is no such commander\n  = help: did you mean `words`\? "):
        read_commander("wrds")


class Answers:
    """A model that answers with the battle's own plan; it knows nothing of one battle."""

    name, about = "model", ""

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        assert request.topic.world in [each.name for each in FEW] and TASK in request.messages[-1].text
        if request.topic.world == FEW[1].name:
            raise ModelError("the server is gone")
        return Reply(request.topic.plan or "", self.name)


def test_a_model_is_asked_once_for_each_battle(trials: list[Trial]) -> None:
    found = [write_once(Model(Answers()), trial) for trial in trials]
    assert [each.kind for each in found] == ["plan", "no_reply", "plan"]
    assert [each.cost.calls for each in found] == [1, 1, 1], "a request that fails is one, too"


@pytest.mark.parametrize("class_name", CLASSES)
def test_the_plain_commander_reads_the_order_of_each_mission(class_name: str) -> None:
    """Among the first battles of each class on small maps."""
    names = [f"battle/{class_name}/{seed}" for seed in range(16)]
    small = (trial for trial in map(Trial, names) if trial.drawn.land.size == 80)
    for trial in itertools.islice(small, 3):
        found = write_once(read_commander("words"), trial)
        assert found.kind == "plan", (trial.name, mission_orders(Seat(trial.world, PLAYER)), found.text)
        assert dsl.check_plan(found.text, "words", trial.world.context()).ok


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("study --set battles-v1/duel", "did you mean `battles-v1/duels`?"),
        ("study --set battles-v1/duels --by nobody", "--by nobody: there is no such commander"),
        ("study --set battles-v1/duels --by words --at sighted", "--at is for commanders that give new orders"),
        ("study --set battles-v1/duels --command --by words --at dawn", "`dawn` is no event"),
        ("study --set battles-v1/duels --by plan:coordinate,enemy", "the enemy follows the battle's own"),
        ("study --set battles-v1/duels --by plans:a/x --by plans:b/x", "two commanders are called `x`"),
        ("study --set battles-v1/duels --by M@http://127.0.0.1:1/v1 --prompt-version 7", "there is no prompt 7"),
        ("study --set battles-v1/duels --by policy:", "named with the folder of its training run"),
        ("study --set battles-v1/duels --by policy:a", "a is not the folder of a training run"),
        ("study --set battles-v1/duels --by policy:a --command", "cannot be asked for orders"),
        ("study", "--set"),
        ("panel rivrs", "there is no class `rivrs`"),
        ("panel --sides 90", "no drawn battle has a side of 90 m"),
    ],
)
def test_what_cannot_be_measured_gets_a_sentence(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        (tmp_path / folder / "x").mkdir(parents=True)
    assert main(words.split()) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_a_study_is_verified_and_a_changed_game_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder alone plays the games again: one outcome that is changed with its digest is all that differs.

    Five commanders play, because `docs/test_leaderboard.py` has a program for 5 to 8 plans in one battle.
    """
    file, out = tmp_path / "one.toml", tmp_path / "study"
    file.write_text(make_set("one", "one battle", [SHORT]).toml(), encoding="utf-8")
    words: list[object] = ["study", "--set", file, "--seeds", "1", "--out", out]
    for commander in ("attack", "default", "words", "words:attack the enemy", f"plans:{SEARCHED}"):
        words += ["--by", commander]
    assert main([str(word) for word in words]) == 0
    won = [row["won"] for row in json.loads((out / "study.json").read_text())["commanders"]]
    assert len(won) == 5 and set(won) <= {0, 1}
    (out / "digests.json").unlink()
    games = (out / "games.csv").read_text(encoding="utf-8")
    (out / "games.csv").write_text(games.replace(",win,", ",lose,", 1), encoding="utf-8")
    write_digests(out)
    capsys.readouterr()
    assert main(["verify", str(out), "--json"]) == 1
    (verdict,) = json.loads(capsys.readouterr().out)["results"]
    assert verdict["where"]["file"] == "games.csv" and verdict["more_differences"] == 0


def test_plans_that_were_written_before_a_study_was_broken_off_are_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of a search above all, which may take hours."""
    file, out = tmp_path / "two.toml", tmp_path / "study"
    file.write_text(make_set("two", "two battles", FEW[:2]).toml(), encoding="utf-8")
    monkeypatch.setattr(scoring, "play_mixed", made_up)
    asked: list[str] = []

    def breaks_off(commander: Commander, trial: Trial) -> Written:
        asked.append(f"{commander.name} {trial.name}")
        if len(asked) == 4:
            raise KeyboardInterrupt
        return write_once(commander, trial)

    monkeypatch.setattr(planning, "write_once", breaks_off)
    words = f"study --set {file} --by stand --by default --seeds 1 --out {out}".split()
    assert main(words) == 130 and "finished plans" in capsys.readouterr().err
    assert main(words) == 0
    assert asked[3:] == [f"default {FEW[1].name}"] * 2
    assert {each.name for each in (out / "plans/default").glob("*.plan")} == {"open-3.plan", "open-4.plan"}


def study_with_a_policy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a study of two battles in which a policy and a commander have games that are made up."""

    def made_up_ends(env: BattleEnv, policy: Policy, seeds: Sequence[int], _: object) -> tuple[np.ndarray, np.ndarray]:
        ticks = int(env.params.rules.limit) - np.array(seeds)
        return np.where(np.array(seeds) % 2, Outcome.WIN, Outcome.TIMEOUT), ticks

    monkeypatch.setattr(scoring, "play_mixed", made_up)
    monkeypatch.setattr(policies, "play_games", made_up_ends)
    file, out = folder / "two.toml", folder / "runs" / "study"
    file.write_text(make_set("two", "two battles", FEW[:2]).toml(), encoding="utf-8")
    words = ["study", "--set", file, "--by", f"policy:{TRAINED}@newest", "--by", "stand", "--seeds", "3", "--out", out]
    assert main([str(word) for word in words]) == 0
    return out


@pytest.mark.slow
def test_a_policy_stands_behind_those_that_write_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It plays each battle with the seeds of the study, and writes no plan (docs/rules/sets.md 3.1)."""
    out = study_with_a_policy(tmp_path, monkeypatch)
    found = json.loads((out / "study.json").read_text(encoding="utf-8"))
    assert [each["name"] for each in found["commanders"]] == ["stand", "skirmish-mix@newest"]
    policy = found["commanders"][1]
    assert (policy["plans"], policy["won"], policy["battles"]) == (0, 0.333333, 2)
    rows = [row.split(",") for row in (out / "games.csv").read_text(encoding="utf-8").splitlines()]
    played = [row[1:] for row in rows if row[0] == "skirmish-mix@newest"]
    assert played[:3] == [
        ["battle/open/3", "0", str(seed), end, str(600 - seed)]
        for seed, end in enumerate(("timeout", "win", "timeout"))
    ]
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    place = os.path.relpath(TRAINED, out)
    assert f"--by plans:plans/stand --by policy:{place}@newest" in config["again"]
    assert [each["plays"] for each in config["record"]["players"]] == ["plans", "policy"]


@pytest.mark.long
def test_a_policy_of_a_study_is_played_again_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["verify", str(study_with_a_policy(tmp_path, monkeypatch))]) == 0


@pytest.mark.long
def test_a_commanded_study_goes_on_from_its_folder_and_is_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken off inside the second game, it asks for nothing twice; `hive verify` needs only the plans and ticks."""
    file, out = tmp_path / "one.toml", tmp_path / "study"
    file.write_text(make_set("one", "one battle", FEW[:1]).toml(), encoding="utf-8")
    words = f"study --set {file} --command --every 100 --at step --calls 2 --seeds 2 --retries 0 --out {out}".split()
    with serving(stream(PLAN.format(60)), stream("Wait."), stream(PLAN.format(50)), stream(PLAN.format(40))) as server:
        words += ["--concurrent", "1", "--by", f"model@{server.url}"]
        asked, order = [], Model.order

        def breaks_off(self: Model, moment: Moment) -> Order:
            asked.append(moment.tick)
            if len(asked) == 4:
                raise KeyboardInterrupt
            return order(self, moment)

        monkeypatch.setattr(Model, "order", breaks_off)
        assert main(words) == 130
        assert len(server.requests) == 3, "two of the first game, which its budget ends, and one of the second"
        monkeypatch.setattr(Model, "order", order)
        capsys.readouterr()
        assert main([*words, "--json"]) == 0
        assert len(server.requests) == 4, "the reply that the second game had is not asked for again"
    found = json.loads(capsys.readouterr().out)
    row = found["commanders"][0]
    assert (row["asked"], row["silent"], row["cost"]["calls"], row["cost"]["sent"]) == (4, 1, 4, 28)
    assert [game["plans"] for game in found["games"]] == [1, 2] and row["spent"] > 0
    assert len((out / "exchanges.jsonl").read_text(encoding="utf-8").splitlines()) == 4
    ticks = {each.stem for each in (out / "plans/model/open-3/1").glob("*.plan")}
    assert ticks == {"0", "100"} and "Wait." in (out / "plans/model/open-3/0/chat.md").read_text(encoding="utf-8")
    (out / "exchanges.jsonl").unlink()
    (out / "digests.json").unlink()
    write_digests(out)
    assert main(["verify", str(out)]) == 0, capsys.readouterr().out
