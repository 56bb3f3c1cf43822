"""`hive train`, `hive evaluate`, `hive baselines`: what they print and save, how runs resume, what they refuse."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import hive.rl.registry
import hive.rl.runs
from dsl import UserError
from hive.cli.learning.baseline_runs import wanted_runs
from hive.cli.learning.baseline_settings import Baselines
from hive.cli.learning.settings import Train
from hive.cli.learning.training import trainer_of
from hive.kit.environment.env import Env
from hive.kit.environment.tasks import LearningTask
from hive.kit.keep.digests import DIGESTS, write_digests
from hive.rl.training import Trainer
from tests.cli.conftest import Hive
from tests.rl.toys import ERRAND, LAST, recall

SMALL = [
    word
    for each in ("num_envs=8", "NUM_STEPS=8", "width=8", "num_minibatches=2", "lr=0.02")
    for word in ("--setting", each)
]
WORDS = ("train", "recall", *SMALL, "--steps", 64 * 7, "--every", 3, "--seeds", 2)
FEW = ("--episodes", 5)  # as many in all evaluations, which so run one program


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that compiles in a moment, in place of all others."""

    def make(name: str, *, sparse: bool = False, seeds: object = None, **changes: float) -> Env:
        return recall(scale=changes.get("scale", 1.0))

    import_module("hive.players.policies")  # loaded during such a test, it would keep the toy
    monkeypatch.setattr(hive.rl.registry, "make", make)
    monkeypatch.setattr(
        hive.rl.registry, "task", lambda name: LearningTask(name, "a cue to recall", "kitchen", ("boiled_egg",))
    )
    monkeypatch.setattr(hive.rl.runs, "make", make)
    monkeypatch.setattr(hive.rl.registry, "load_world", lambda task, maps, **changes: None)


def stop_after(monkeypatch: pytest.MonkeyPatch, updates: int, break_it: bool = False) -> list[tuple[int, int]]:
    """Interrupt a run after some updates, or give its networks a parameter that is no number.

    Returns:
        A list of the calls to come: updates made before each, and most updates that it may make.
    """
    compiled, calls = Trainer.compile, []

    def compile_(self: Trainer) -> Any:
        advance = compiled(self)

        def stop(runner: Any, done: int, most: int) -> Any:
            calls.append((done, most))
            if done == updates and not break_it:
                raise KeyboardInterrupt
            if done == updates:
                import jax

                runner = runner.replace(params=jax.tree.map(lambda leaf: leaf.at[1].mul(float("nan")), runner.params))
            return advance(runner, done, most)

        return stop

    monkeypatch.setattr(Trainer, "compile", compile_)
    return calls


@pytest.mark.usefixtures("toy")
@pytest.mark.slow
def test_a_run_is_saved_evaluated_and_resumed(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = hive(*WORDS, "--out", "whole", "--json")
    assert ran.code == 0, ran.err
    whole = tmp_path / "whole"
    without = {"config.json", "metrics.jsonl", "curve.png", "checkpoints", DIGESTS}
    assert {path.name for path in whole.iterdir()} == {*without, "held_out.jsonl", "best"}
    rows = [json.loads(line) for line in (whole / "metrics.jsonl").read_text().splitlines()]
    assert [(row["update"], row["seed"], row["steps"]) for row in rows] == [
        (update, seed, update * 64) for update in range(1, 8) for seed in (0, 1)
    ]
    assert all(0 <= row["won"] <= row["games"] == 16 and row["episode_length"] == LAST + 1 for row in rows)
    assert all(row["episode_return"] == pytest.approx(row["score"]) for row in rows), "the toy rewards its score"
    standard = {"episode_return", "episode_length", "approx_kl", "clip_fraction", "explained_variance", "entropy"}
    assert all(standard | {"loss", "policy_loss", "value_loss"} <= row.keys() for row in rows)
    assert ran.json["steps_per_second"] > 0 and "whole updates" not in ran.err
    keeps_the_best(hive, tmp_path, ran.json["policies"], without)
    assert ran.json["updates"] == 7 and [each["seed"] for each in ran.json["policies"]] == [0, 1]

    with monkeypatch.context() as patch:
        calls = stop_after(patch, 3)
        assert hive(*WORDS, "--out", "again").code == 130
        assert calls == [(0, 1), (1, 2), (3, 3)], "the first update shows its metrics before its chunk ends"
    assert not (tmp_path / "again").exists()
    early = hive("evaluate", "again", *FEW, "--json")
    assert early.code == 0 and early.json["updates"] == 3, early.err
    with (tmp_path / "again.progress" / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({**rows[6], "update": 4}) + '\n{"update": 4, "se')  # what a crash leaves
    other = hive(*WORDS, "--out", "again", "--seed", 5)
    assert other.code == 2 and "belongs to another run: `lanes` differ" in other.err

    with monkeypatch.context() as patch:
        stop_after(patch, 6, break_it=True)
        ran = hive(*WORDS, "--out", "again")
    assert ran.code == 2 and "training became non-finite at update 7 of 7 (seed 1)" in ran.err
    assert "the checkpoint of update 6 is kept in" in ran.err and "resuming after 3 updates of 7" in ran.err
    ran = hive(*WORDS, "--out", "again")
    assert ran.code == 0 and "resuming after 6 updates of 7" in ran.err
    assert "environment steps a second" in ran.out
    assert not (tmp_path / "again.progress").exists()
    for name in ("metrics.jsonl", "held_out.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (whole / name).read_bytes()
    both = [json.loads((folder / "config.json").read_text())["policies"] for folder in (whole, tmp_path / "again")]
    assert both[0] == both[1], "the digests of newest and best parameters are those of a run without a break"

    ran, same = hive("evaluate", "whole", *FEW, "--json"), hive("evaluate", "again", *FEW)
    assert ran.code == same.code == 0, ran.err
    players = {each["name"]: each for each in ran.json["players"]}
    assert [*players] == ["policy, seed 0", "policy, seed 1", "random", "stand"]
    assert players["stand"]["won"] == 0 and all(each["games"] == 5 for each in players.values())
    assert "policy, seed 1" in same.out and "5 games each, seeds 1000000 to 1000004" in same.out

    starts_from_it(hive, tmp_path, both[0])
    refused(hive, tmp_path, monkeypatch)


def starts_from_it(hive: Hive, tmp_path: Path, policies: list[Any]) -> None:
    """A run begins with the networks of another one, lane by lane or with one policy for all, and says so."""
    changed = {"lr=0.02": "lr=0", 64 * 7: 64 * 7 + 5}
    ran = hive(*(changed.get(word, word) for word in WORDS), "--start", "whole@newest", "--out", "on", "--json")
    assert ran.code == 0, ran.err
    assert "training 448 of the 453 steps: 7 whole updates of 64" in ran.err, "a run is made of whole updates"
    assert [each["digest"] for each in ran.json["policies"]] == [each["digest"] for each in policies]
    start = json.loads((tmp_path / "on" / "config.json").read_text())["start"]
    assert start == [
        {"task": "recall", "seed": seed, "checkpoint": "newest", "update": 7, "steps": 448, "digest": each["digest"]}
        for seed, each in enumerate(policies)
    ]
    for changed, words, said in (
        ({"width=8": "width=9"}, ("--start", "whole"), "whole has other networks than this run"),
        ({}, ("--start", "whole", "--seeds", 3), "whole has 2 policies, and this run trains 3"),
        ({}, ("--start", "nowhere"), "nowhere is not the folder of a training run"),
    ):
        ran = hive(*(changed.get(word, word) for word in WORDS), *words, "--out", "none")
        assert ran.code == 2 and said in ran.err, ran.err
        assert not [*tmp_path.glob("none*")], "nothing is left behind"


def keeps_the_best(hive: Hive, tmp_path: Path, policies: list[Any], without: set[str]) -> None:
    """The rules of learning.md 13.1: the best of the tests is kept, played, and changes nothing in training."""
    tests = [json.loads(line) for line in (tmp_path / "whole" / "held_out.jsonl").read_text().splitlines()]
    assert [(row["update"], row["seed"]) for row in tests] == [(at, seed) for at in (3, 6, 7) for seed in (0, 1)]
    for policy in policies:
        own = [row for row in tests if row["seed"] == policy["seed"]]
        best = max(own, key=lambda row: (
            row["drawn_won"] + row["greedy_won"], row["drawn_score"] + row["greedy_score"], row["update"]
        ))  # fmt: skip
        assert policy["best"]["update"] == best["update"]
        assert policy["best"]["won"] == pytest.approx((best["drawn_won"] + best["greedy_won"]) / 2)
    ran = hive(*WORDS, "--out", "plain", "--test-games", 0, "--json")
    assert ran.code == 0 and {path.name for path in (tmp_path / "plain").iterdir()} == without
    metrics = [(tmp_path / name / "metrics.jsonl").read_bytes() for name in ("whole", "plain")]
    assert metrics[0] == metrics[1]
    assert [each["digest"] for each in ran.json["policies"]] == [each["digest"] for each in policies]
    best, newest = (
        hive("evaluate", "whole", "--checkpoint", which, *FEW, "--json").json for which in ("best", "newest")
    )
    assert [each["digest"] for each in best["policies"]] == [each["best"]["digest"] for each in policies]
    assert [each["digest"] for each in newest["policies"]] == [each["digest"] for each in policies]
    usual = hive("evaluate", "plain", *FEW)
    assert usual.code == 0 and "seed 0: newest checkpoint, after 448 environment steps, digest" in usual.out
    none = hive("evaluate", "plain", "--checkpoint", "best")
    assert none.code == 2 and "plain has kept no best checkpoint" in none.err
    damaged = next(path for path in sorted((tmp_path / "plain" / "checkpoints").rglob("*")) if path.name == "_METADATA")
    shutil.copytree(tmp_path / "whole", tmp_path / "hurt")
    next((tmp_path / "hurt" / "best").rglob("_METADATA")).write_bytes(damaged.read_bytes())
    assert "cannot read the checkpoint" in hive("evaluate", "hurt").err


def refused(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that were changed by hand, and a task that has changed since."""
    config = json.loads((tmp_path / "whole" / "config.json").read_text())
    for name, change, words in (
        ("newer", {"format": "hive-training/9"}, "has the format hive-training/9, and this version of HIVE reads"),
        ("older", {"format": "hive-training/1"}, "has the format hive-training/1, and this version of HIVE reads"),
        ("other", {"format": "hive-run/1"}, "other is not the folder of a training run"),
        ("wider", {"settings": {**config["settings"], "width": 9}}, "it has another form"),
        (
            "moved",
            {"task": {**config["task"], "arrays": "0"}},
            "was trained on another version of recall: `arrays` differs\n",
        ),
        ("taller", {"task": {**config["task"], "features": 7}}, "this version of it has `2 features instead of 7`"),
    ):
        shutil.copytree(tmp_path / "whole", tmp_path / name)
        (tmp_path / name / "config.json").write_text(json.dumps({**config, **change}))
        ran = hive("evaluate", name)
        assert ran.code == 2 and words in ran.err, ran.err
    shutil.copytree(tmp_path / "whole", tmp_path / "cut")
    (tmp_path / "cut" / "config.json").write_text("{")
    assert "cut is damaged: its config.json cannot be read\n" in hive("evaluate", "cut").err
    shutil.rmtree(tmp_path / "whole" / "best")
    assert "newest checkpoint" in hive("evaluate", "whole", *FEW).out, "as a run of an earlier version"
    shutil.rmtree(tmp_path / "whole" / "checkpoints")
    assert "whole is damaged: it lacks `checkpoints`" in hive("evaluate", "whole").err


def chosen_by(tried: dict[str, Any]) -> tuple[float, float]:
    """Return what a table chooses settings by: games won, drawn and greedy ones alike, then their score."""
    both = tried["drawn"], tried["greedy"]
    return sum(each["iqm"] for each in both), sum(sum(each["score"]) for each in both)


@pytest.mark.usefixtures("toy")
@pytest.mark.long
def test_a_table_of_baselines_grows_and_chooses_settings(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that are there are not made again, an interrupted one goes on, and held-out games choose what varies."""
    table = ("baselines", "recall", *SMALL[:-2], "--steps", 64 * 7, "--seeds", 2, "--vary", "lr=0,0.02")
    table = (*table, *FEW, "--runs", "made")
    with monkeypatch.context() as patch:
        stop_after(patch, 0)
        assert hive(*table, "--algorithms", "ippo").code == 130
    assert (tmp_path / "made" / "recall-ippo.progress").is_dir()
    ran = hive(*table, "--algorithms", "ippo", "--json")
    assert ran.code == 0, ran.err
    before = (tmp_path / "made" / "recall-ippo" / "metrics.jsonl").stat().st_mtime_ns
    ran = hive(*table, "--out", "table", "--json")
    assert ran.code == 0 and (tmp_path / "made" / "recall-ippo" / "metrics.jsonl").stat().st_mtime_ns == before
    assert {path.name for path in (tmp_path / "table").iterdir()} == {
        "config.json", "results.csv", "results.json", "marl_eval.json", "curves.png", DIGESTS,
    }  # fmt: skip
    assert json.loads((tmp_path / "table" / "results.json").read_text()) == ran.json
    (task,) = ran.json["tasks"]
    assert [*task["algorithms"]] == ["ippo", "mappo"] == [*ran.json["overall"]]
    assert [each["name"] for each in task["references"]] == ["random", "stand"]
    for name, cell in task["algorithms"].items():
        still, moved = cell["candidates"]
        best = max((still, moved), key=chosen_by)
        assert cell["settings"] == best["settings"] and cell["seeds"] == [0, 1]
        assert [each["checkpoint"] for each in cell["policies"]] == ["best", "best"] and cell["checkpoint"] == "best"
        assert ran.json["overall"][name]["greedy"]["iqm"] == pytest.approx(cell["greedy"]["iqm"])
    runs = json.loads((tmp_path / "table" / "marl_eval.json").read_text())["hive"]["recall"]["mappo"]
    assert [*runs] == ["seed_0", "seed_1"], "of the policies with the chosen settings alone"
    assert runs["seed_1"]["absolute_metrics"]["win_rate"] == [task["algorithms"]["mappo"]["drawn"]["won"][1]]
    other = hive(*table, "--setting", "gamma=0.5")
    assert other.code == 2 and "recall-ippo is another run: `gamma` differ" in other.err, other.err
    config = tmp_path / "made" / "recall-ippo" / "config.json"
    older = json.loads(config.read_text())
    del older["settings"]["attention"], older["held_out"]
    config.write_text(json.dumps(older))
    ran = hive(*table)
    assert ran.code == 0, "a run of a version that lacked a setting has that setting's default"
    assert len([line for line in ran.out.splitlines() if line.startswith("recall") and "learning_rate 0 " in line]) >= 2
    assert hive(*table, "--out", "table").code == 2, "a folder is not replaced unasked"


@pytest.mark.usefixtures("toy")
def test_each_algorithm_of_a_table_gets_the_settings_that_it_reads(tmp_path: Path) -> None:
    """A setting that one of them reads is no error of the others, and one that none reads is refused."""
    mixed = Baselines(
        tasks=("recall",), algorithms=("ippo", "pqn_vdn", "selfplay"), runs=tmp_path,
        settings=(("eps_finish", 0.02), ("gamma", 0.5), ("attention", 1)),  # which pqn_vdn fixes to 0
        vary=(("CLIP_EPS", [0.1, 0.2]), ("pool", [2, 3])),
    )  # fmt: skip
    found = [(each.name, each.words.settings, each.words.vary) for each in wanted_runs(mixed)]
    clip = (("clip_eps", [0.1, 0.2]),)
    assert found == [
        ("ippo", (("gamma", 0.5), ("attention", 1)), clip),
        ("pqn_vdn", (("eps_finish", 0.02), ("gamma", 0.5)), ()),
        ("selfplay", (("gamma", 0.5), ("attention", 1), ("pool", 2)), clip),
        ("selfplay", (("gamma", 0.5), ("attention", 1), ("pool", 3)), clip),
    ]
    for unread in ({"settings": (("eps_finish", 0.02),), "vary": ()}, {"settings": (), "vary": (("pool", [2, 3]),)}):
        with pytest.raises(UserError, match="ippo does not read"):
            wanted_runs(replace(mixed, algorithms=("ippo", "mappo"), **unread))


@pytest.mark.usefixtures("toy")
@pytest.mark.long
def test_settings_of_a_shape_vary_by_runs_of_their_own(hive: Hive, tmp_path: Path) -> None:
    """What decides a shape does not vary within a run. Runs of 8 steps share the program of those that are verified."""
    few = ("baselines", "recall", *SMALL[:2], *SMALL[4:], "--steps", 64 * 21, "--seeds", 2, "--algorithms", "ippo")
    ran = hive(*few, "--vary", "num_steps=4,8", *FEW, "--runs", "made", "--json")
    assert ran.code == 0, ran.err
    assert {path.name for path in (tmp_path / "made").iterdir()} == {
        "recall-ippo-num_steps_4", "recall-ippo-num_steps_8",
    }  # fmt: skip
    cell = ran.json["tasks"][0]["algorithms"]["ippo"]
    assert [each["settings"] for each in cell["candidates"]] == [{"num_steps": 4}, {"num_steps": 8}]
    best = max(cell["candidates"], key=chosen_by)
    assert cell["settings"] == best["settings"] and cell["run"].endswith(f"num_steps_{best['settings']['num_steps']:g}")


@pytest.mark.usefixtures("toy")
@pytest.mark.long
def test_settings_that_win_least_are_stopped(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Successive halving: two settings go on from a quarter of the run on, one from half; a resumed run agrees.

    A learning rate of 0 learns nothing, so it does not go on to the end.
    """
    words = ("train", "recall", *SMALL[:-2], "--steps", 64 * 16, "--every", 4, "--test-every", 4, "--seeds", 1)
    words = (*words, "--vary", "lr=0,0.02,0.01", "--prune")
    ran = hive(*words, "--out", "whole", "--json")
    assert ran.code == 0, ran.err
    rows = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()]
    made = [len({row["settings"]["learning_rate"] for row in rows if row["update"] == at}) for at in range(1, 17)]
    assert made == [3] * 4 + [2] * 4 + [1] * 8
    (last,) = {row["settings"]["learning_rate"] for row in rows if row["update"] == 16}
    ends = {row["learning_rate"]: row.get("stopped") for row in ran.json["policies"]}
    assert last and ends.pop(last) is None and sorted(ends.values()) == [64 * 4, 64 * 8]
    tests = [json.loads(line) for line in (tmp_path / "whole" / "held_out.jsonl").read_text().splitlines()]
    shares = {row["settings"]["learning_rate"]: 0.0 for row in tests if row["update"] == 8}
    for row in tests:
        if row["update"] == 8:
            shares[row["settings"]["learning_rate"]] += row["drawn_won"] + row["greedy_won"]
    assert len(shares) == 2 and shares[last] == max(shares.values())

    with monkeypatch.context() as patch:
        stop_after(patch, 4)
        assert hive(*words, "--out", "again").code == 130
    ran = hive(*words, "--out", "again")
    assert ran.code == 0 and "stopped after 256 steps" in ran.out, ran.err
    for name in ("metrics.jsonl", "held_out.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    newest = hive("evaluate", "again", *FEW, "--checkpoint", "newest", "--json")
    assert sorted({each["update"] for each in newest.json["policies"]}) == [4, 8, 16]
    assert hive("verify", "again").code == 0


@pytest.mark.usefixtures("toy")
@pytest.mark.long
def test_a_table_stops_settings_too(hive: Hive) -> None:
    """Successive halving in `hive baselines`: the table names the setting that was stopped, and when."""
    table = ("baselines", "recall", *SMALL[:-2], "--algorithms", "ippo", "--steps", 64 * 16, "--seeds", 2, "--prune")
    ran = hive(*table, "--vary", "lr=0,0.02", "--episodes", 5, "--runs", "made", "--json")
    assert ran.code == 0, ran.err
    cell = ran.json["tasks"][0]["algorithms"]["ippo"]
    assert cell["settings"] == {"learning_rate": 0.02} and cell["stopped"] == [
        {"settings": {"learning_rate": 0.0}, "steps": 64 * 10}
    ]


def verdict_of(hive: Hive, folder: Path | str) -> tuple[str, str]:
    """What `hive verify` says of a folder, and why."""
    (found,) = hive("verify", folder, "--json").json["results"]
    return found["state"], found["why"] or ""


def verdict_of_forged(hive: Hive, folder: Path, name: str, old: str, new: str) -> tuple[str, str]:
    """Change a text of a folder as a forger would, who also renews its digests, and verify it."""
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    write_digests(folder)
    found = verdict_of(hive, folder)
    (folder / name).write_text(text, encoding="utf-8")
    write_digests(folder)
    return found


def check_damage(hive: Hive, run: Path) -> None:
    """A changed checkpoint of a run is named, also where other results need it, and so is a run that is gone."""
    file = next(path for path in sorted((run / "best").rglob("d/*")) if path.is_file())
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    said = f"the file {file.relative_to(run).as_posix()} was changed since it was written"
    assert verdict_of(hive, run)[0] == "different" and said in verdict_of(hive, run)[1]
    (run / DIGESTS).unlink()
    assert said in verdict_of(hive, run)[1], "a checkpoint of an earlier version has digests of its own"
    assert "cannot read the checkpoint" in verdict_of(hive, "kept/table")[1]
    shutil.rmtree(run)
    state, why = verdict_of(hive, "kept/table")
    assert state == "not checkable" and "the training run ../../made/recall-ippo is not there" in why
    assert verdict_of(hive, "kept/evaluation")[0] == "not checkable"


@pytest.mark.usefixtures("toy")
@pytest.mark.long
def test_folders_of_learners_are_verified(hive: Hive, tmp_path: Path) -> None:
    """docs/verify.md: a changed byte of a checkpoint is named, and what policies are said to have won is played again.

    The table takes the run of `hive train`, so all is one program.
    """
    small = (*SMALL, "--steps", 64 * 21, "--seeds", 2)
    table = ("baselines", "recall", *small, "--algorithms", "ippo", "--episodes", 5, "--runs", "made")
    run = tmp_path / "made/recall-ippo"
    (tmp_path / "recall").mkdir()  # a folder with the name of a task is no task
    assert hive("train", "recall", *small, "--out", run).code == 0
    assert hive("evaluate", run, *FEW, "--task", "recall", "--greedy", "--out", "kept/evaluation").code == 0
    assert hive(*table, "--out", "kept/table").code == 0
    ran = hive("verify", "kept", "made", "--json")
    assert ran.code == 0 and ran.json["equal"] == 3, ran.out
    assert [each["games"] for each in ran.json["results"]] == [4 * 5, (2 * 2 + 2) * 5, 2 * 2 * 2 * 32]
    assert [each["plays"] for each in ran.json["results"][0]["players"]] == ["policy", "policy", "rules", "rules"]
    ran = hive("evaluate", run, "--held-out", "--json")
    assert ran.json["tests"] and all(each["as_kept"] for each in ran.json["tests"]), ran.out
    assert hive("evaluate", run, "--held-out", "--greedy").code == 2

    verdict, forged = partial(verdict_of, hive), partial(verdict_of_forged, hive)
    last = (run / "held_out.jsonl").read_text("utf-8").splitlines()[-1]  # of the newest checkpoint of seed 1
    share = json.loads(last)["drawn_won"]
    state, why = forged(run, "held_out.jsonl", last, last.replace(f'"drawn_won": {share}', '"drawn_won": 0.125'))
    assert state == "different" and f"drawn_won: 0.125 was kept, and {share} comes out" in why
    config = json.loads((run / "config.json").read_text("utf-8"))
    state, why = forged(run, "config.json", '"games": 256', '"games": 999999')
    assert state == "different" and "games: 999999 was kept, and 256 comes out" in why
    update = json.loads(last)["update"]
    state, why = forged(run, "held_out.jsonl", last, last.replace(f'"update": {update}', '"update": 0'))
    assert state == "different" and "number of lines" in why, "a test of a checkpoint that is kept is not left out"
    state, why = forged(run, "config.json", f'"every": {config["held_out"]["every"]}\n', '"every": 0\n')
    assert state == "not checkable" and "is damaged" in why
    for name, line in (("held_out.jsonl", last), ("metrics.jsonl", None)):
        line = line or (run / name).read_text("utf-8").splitlines()[-1]
        state, why = forged(run, name, line, line.replace('"seed"', '"sed"'))
        assert state == "not checkable" and f"{name}: line" in why and "seed is missing" in why
    (run / "best").rename(tmp_path / "best")
    write_digests(run)
    state, why = verdict(run)
    assert state == "not checkable" and "no held-out games are kept" in why
    (tmp_path / "best").rename(run / "best")
    write_digests(run)
    digest = json.loads((run / "config.json").read_text("utf-8"))["policies"][0]["digest"]
    state, why = forged(run, "config.json", digest, "0" * 64)
    assert state == "different" and 'policies[0].digest: "000' in why
    state, why = forged(tmp_path / "kept/evaluation", "results.json", '"won": true', '"won": false')
    assert state == "different" and "players[0].results[" in why
    for words in (
        "--memory no",
        "--no-training=false --runs ../anywhere",
        "--no-training --no-training=false --runs ../anywhere",
        "--algorithms=--no-training --runs ../anywhere",
    ):
        state, why = forged(tmp_path / "kept/table", "config.json", "--no-training", words)
        assert state == "not checkable" and "`hive baselines` without --no-training, which plays no games again" in why
    assert not list(tmp_path.rglob("anywhere*")), "a folder that is verified trains nothing"
    check_damage(hive, run)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("baselines",), "TASK"),
        (("baselines", "skirmish_5v6"), "did you mean `skirmish_5v5`?"),
        (("baselines", "skirmish_5v5", "skirmish_5v5"), "a task is named twice"),
        (("baselines", "a/one.toml", "b/one.toml"), "two tasks would share the folder `one-ippo`"),
        (("baselines", "skirmish_5v5", "--setting", "value_active_masks=1"), "has no effect on a centralised critic"),
        (("baselines", "skirmish_5v5", "--runs", "n" * 300), "file name too long"),
        (("baselines", "skirmish_5v5", "--prune", "--vary", "num_steps=8,16"), "that vary within a run"),
        (("train", "skirmish_5v5", "--setting", "lr=0.1", "--setting", "LR=0.2"), "`learning_rate` is given twice"),
        (("train", "skirmish_5v5", "--prune", "--seeds", "2"), "--prune stops settings of --vary"),
        (("train", "skirmish_5v5", "--prune", "--vary", "lr=0.1,0.2", "--test-games", "0"), "leave out --test-games 0"),
        (("baselines", "skirmish_5v5", "--algorithms", "ippo,dqn"), "there is no algorithm `dqn`"),
        (
            ("baselines", "skirmish_5v5", "--vary", "num_envs=8,16", "--setting", "NUM_ENVS=4"),
            "the setting `num_envs` is given twice",
        ),
        (
            ("baselines", "skirmish_5v5", "--vary", "num_envs=8,10"),
            "10 environments cannot be split into 4 minibatches",
        ),
        (("baselines", "skirmish_5v5", "--vary", "steps=9,10"), "set `total_timesteps` with --steps"),
        (("baselines", "skirmish_5v5", "--algorithms", "selfplay", "--steps", "9"), "9 steps are less than one update"),
        (("train", "skirmish_5v6"), "there is no task `skirmish_5v6`\n  = help: did you mean `skirmish_5v5`?"),
        (("train", "nothing.toml"), "nothing.toml"),
        (
            ("train", "skirmish_5v5", "--setting", "gama=1"),
            "there is no setting `gama`\n  = help: did you mean `gamma`?",
        ),
        (("train", "skirmish_5v5", "--setting", "lr=20"), "`learning_rate` is 20: it is from 0 to 10"),
        (("train", "skirmish_5v5", "--setting", "ACTIVATION=tanh"), "`ACTIVATION` is no setting: networks of PPO"),
        (("train", "skirmish_5v5", "--vary", "clip=0.1,x"), "there is no setting `clip`"),
        (("train", "skirmish_5v5", "--setting", "centralised=1"), "set `centralised` with --algorithm"),
        (("train", "skirmish_5v5", "--setting", "num_envs=1.5"), "`num_envs` is 1.5: it is a whole number, at least 1"),
        (("train", "skirmish_5v5", "--setting", "steps=9"), "set `steps` with --steps"),
        (("train", "skirmish_5v5", "--steps", "10"), "10 steps are less than one update of 64 x 64"),
        (("train", "skirmish_5v5", "--steps", "many"), "`many` is not a whole number of steps"),
        (("train", "skirmish_5v5", "--vary", "num_envs=8,16"), "the setting `num_envs` cannot vary within a run"),
        (("train", "skirmish_5v5", "--vary", "lr=1,1"), "with different numbers"),
        (("train", "skirmish_5v5", "--algorithm", "dqn"), "invalid choice: 'dqn'"),
        (("train", "skirmish_5v5", "--algorithm", "ippo_rnn", "--recurrent"), "leave out --recurrent"),
        (
            ("train", "skirmish_5v5", "--algorithm", "pqn_vdn", "--setting", "attention=1"),
            "set `attention` with --algorithm",
        ),
        (
            ("train", "skirmish_5v5", "--algorithm", "pqn_vdn", "--setting", "ent=0.5"),
            "pqn_vdn does not read `ent_coef`\n  = help: leave it out; it is read by `ippo`, `mappo`",
        ),
        (("train", "skirmish_5v5", "--setting", "eps_start=0.5"), "leave it out; it is read by `pqn_vdn`"),
        (("train", "skirmish_5v5", "--setting", "entry=5"), "leave it out; it is read by `selfplay`"),
        (
            ("train", "skirmish_5v5", "--algorithm", "pqn_vdn", "--vary", "clip_eps=0.2,0.3"),
            "pqn_vdn does not read `clip_eps`",
        ),
        (
            ("train", "skirmish_5v5", "--setting", "NUM_SEEDS=4"),
            "`NUM_SEEDS` is no setting\n  = help: leave it out: a run",
        ),
        (("train", "skirmish_5v5", "--setting", "eps_start=2"), "`eps_start` is 2: it is from 0 to 1"),
        (("train", "skirmish_5v5", "--seed", 2**32 - 1, "--seeds", 2), "4294967296 is no seed"),
        (("evaluate", "nowhere"), "nowhere is not the folder of a training run\n  = help: make one with `hive train`"),
    ],
)
def test_bad_input_is_refused_before_anything_is_compiled(
    hive: Hive, tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    ran = hive(*words)
    assert ran.code == 2 and message in ran.err, ran.err
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_published_settings_are_algorithms_by_name() -> None:
    """The figures of JaxMARL's recurrent IPPO and MAPPO for SMAX; a run may change them, as in small here."""
    for name, own in (("ippo_rnn", (4e-3, 0.05, 0.01)), ("mappo_rnn", (2e-3, 0.2, 0.0))):
        found = trainer_of(
            Train(task="skirmish_5v5", algorithm=name, settings=(("width", 8.0),)), "skirmish_5v5"
        ).config
        assert (found.learning_rate, found.clip_eps, found.ent_coef) == own
        assert (found.num_envs, found.num_steps, found.max_grad_norm, found.recurrent) == (128, 128, 0.25, 1)
        assert found.width == 8 and found.centralised == (name == "mappo_rnn")


@pytest.mark.long
def test_a_policy_of_a_battle_plays_beside_trees_and_plans_and_is_filmed(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "errand.toml").write_text(ERRAND)
    ran = hive("train", "errand.toml", *SMALL, "--steps", 640, "--out", "run")
    assert ran.code == 0 and "policy" in ran.out, ran.err
    ran = hive("evaluate", "run", "--episodes", 4, "--movie", "--replay", "--json")
    assert ran.code == 0, ran.err
    players = {each["name"]: each for each in ran.json["players"]}
    assert players["tree follow_map"]["won"] == 4 and players["tree stand"]["won"] == 0
    kept = {path.name for path in (tmp_path / "run-evaluation").iterdir()}
    assert {"config.json", "results.json", "recording.npz", "picture.png", "movie.gif", "replay.html"} <= kept
    assert hive("replay", "run-evaluation").code == 0
    task = json.loads(Path("run/config.json").read_text("utf-8"))["task"]["name"]
    played = hive("run", task, "--player", "policy:run", "--player", "random", "--seeds", 4, "--out", "door", "--json")
    assert played.code == 0, played.err
    assert [each["name"] for each in json.loads(played.out)["players"]] == ["policy:run", "random"]
    (kept,) = json.loads(played.out)["checkpoints"]
    assert kept["checkpoint"] == "best" and len(kept["digest"]) == 64
    newest = hive("run", task, "--player", "policy:run@newest", "--seeds", 2, "--out", "new")
    assert newest.code == 0 and "policy:run@newest: newest checkpoint, after 640 environment steps" in newest.out
    assert "--player policy:../run@newest" in json.loads(Path("new/config.json").read_text("utf-8"))["again"]
    assert Path("door/policy-run/0/recording.npz").exists()
    other = hive("run", "rescue/map_7/agents-1", "--player", "policy:run")
    assert other.code == 2 and "was trained on" in other.err, other.err
