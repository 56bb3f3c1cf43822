"""`hive improve --scenario SET`: what it prints and saves, how it resumes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hive.cli.learning import set_improving
from hive.engine.batch.mixed import Entry
from hive.engine.batch.result import Result, unplayed
from hive.experiments.search import together
from hive.worlds.battle.drawn.sets import SetBattle, make_set
from tests.cli.conftest import Hive
from tests.hive.skirmish import SMALL_PLAN

BATTLES = ("battle/open/22", "battle/rivers/26")  # both are to eliminate the enemy
WORDS = ("improve", "--scenario", "two.toml", "--games", 160, "--test-seeds", 3)


def made_up(entries: Sequence[Entry], **_: Any) -> list[Result]:
    """Games that nobody plays: what is eliminated is a number made of the plan, the battle and the seed."""

    def score(entry: Entry, seed: int) -> float:
        known = b"".join(np.asarray(each).tobytes() for each in (entry.plan.place, entry.plan.target, entry.plan.tree))
        return blake2b(known + f"{entry.world.name} {seed}".encode(), digest_size=1).digest()[0] / 255

    results = []
    for entry in entries:
        scores = np.array([score(entry, seed) for seed in entry.seeds])
        ends = tuple("win" if each > 0.6 else "timeout" for each in scores)
        results.append(
            replace(
                unplayed(entry.world, entry.name, entry.seeds, ""),
                outcome=ends,
                ticks=np.full(len(ends), 7),
                score=scores,
            )
        )
    return results


@pytest.fixture(autouse=True)
def _made_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in (together, set_improving):
        monkeypatch.setattr(module, "play_mixed", made_up)
    rows = [SetBattle(name, level) for level, name in enumerate(BATTLES, 1)]
    (tmp_path / "two.toml").write_text(make_set("mine/two", "two battles", rows).toml())


def found_in(folder: Path) -> dict[str, bytes]:
    """All that a search found."""
    return {
        path.name: path.read_bytes() for part in ("plans", "generations") for path in sorted((folder / part).iterdir())
    } | {"results.json": (folder / "results.json").read_bytes()}


@pytest.mark.slow
def test_each_battle_has_a_search_and_an_interrupted_one_resumes(
    hive: Hive, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Results are by battle and level; the folder has all plans, and is the same after an interruption."""
    ran = hive(*WORDS, "--out", "whole", "--json")
    assert ran.code == 0, ran.err
    report = ran.json
    assert [(each["battle"], each["level"]) for each in report["battles"]] == [(BATTLES[0], 1), (BATTLES[1], 2)]
    assert all(32 < each["games"] <= 160 and each["after"]["games"] == 3 for each in report["battles"])
    whole = tmp_path / "whole"
    assert {*found_in(whole)} == {
        *("open-22.plan", "rivers-26.plan", "open-22.jsonl", "rivers-26.jsonl", "results.json")
    }
    assert (whole / "plans" / "open-22.plan").read_text() == report["battles"][0]["improved"] + "\n"
    record = json.loads((whole / "config.json").read_text())["record"]
    assert {*record["worlds"]} == {f"{name}-v1" for name in BATTLES}

    calls = 0

    def stops(entries: Sequence[Entry], **settings: Any) -> list[Result]:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise KeyboardInterrupt
        return made_up(entries, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(together, "play_mixed", stops)
        assert hive(*WORDS, "--out", "again").code == 130
    other = hive(*WORDS, "--out", "again", "--seed", 5)
    assert other.code == 2 and "belongs to another search: `search` differ" in other.err
    ran = hive(*WORDS, "--out", "again")
    assert ran.code == 0 and "resuming after 4 generations" in ran.err, ran.err
    assert "level 1" in ran.out and "battle/rivers/26" in ran.out
    assert found_in(tmp_path / "again") == found_in(whole)


def test_one_plan_may_begin_all_searches(hive: Hive, tmp_path: Path) -> None:
    """The words in the folder name its copy, so that it can be searched again elsewhere."""
    (tmp_path / "mine.plan").write_text(SMALL_PLAN)
    ran = hive("improve", "mine.plan", *WORDS[1:], "--out", "kept")
    assert ran.code == 0, ran.err
    assert (tmp_path / "kept" / "before.plan").read_text() == SMALL_PLAN
    again = json.loads((tmp_path / "kept" / "config.json").read_text())["again"]
    assert "hive improve before.plan --scenario set.toml --games 160" in again
    first = json.loads((tmp_path / "kept" / "generations" / "open-22.jsonl").read_text().splitlines()[0])
    assert first["candidates"][0]["id"] == 0 and first["first_seed"] == 2**31


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--units", 20), "`--units` cannot be used here: two.toml is a set of battles"),
        (("--test-units", "20,40"), "`--test-units` cannot be used here"),
        (("--games", 2), "a search of 2 games cannot compare two plans"),
    ],
)
def test_what_a_set_does_not_take_is_refused(hive: Hive, words: tuple[object, ...], message: str) -> None:
    refused = hive("improve", "--scenario", "two.toml", *words)
    assert refused.code == 2 and message in refused.err


def test_a_plan_is_named_unless_there_is_a_set(hive: Hive) -> None:
    refused = hive("improve", "--scenario", "coordinate")
    assert refused.code == 2 and "which plan is to be improved?" in refused.err
