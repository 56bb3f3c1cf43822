"""Names with versions: they are accepted where names are, and results that change need a new version."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import hive
import scenarios
from dsl import UserError
from hive.kit.keep.comparing import FREE
from hive.kit.keep.record import digest_of
from hive.rl.registry import load_world, task, tasks
from hive.worlds import id_of, without_version
from tests.cli.conftest import Hive
from tests.tiers import tiers

GOLDEN = Path(__file__).with_name("golden") / "outcomes.json"
SHORT = ("--units", 20, "--set", "limit=60", "--seeds", 2)
PLAYED: dict[str, tuple[object, ...]] = {  # worlds whose results are pinned, each with the words that play them
    **{name: (name, *SHORT) for name in scenarios.names()},
    "battle/open/4": ("battle/open/4", "--set", "limit=60", "--seeds", 2),
    "wildfire/cut_trees_sparse_small": ("wildfire/cut_trees_sparse_small", "--set", "limit=5"),
    "kitchen/boiled_egg": ("kitchen/boiled_egg", "--player", "planner"),
    "rescue/map_7/agents-1": ("rescue/map_7/agents-1", "--player", "heuristic"),
    "household/generated_7": ("household/generated_7",),
    "household/cwah_0": ("household/cwah_0", "--set", "utility=exact"),
    "skirmish_5v5": ("skirmish_5v5", "--player", "random", "--seeds", 2),
}
QUICK = ("rescue/map_7/agents-1",)
LONG = {  # battles that tell no more than others (drawn ones are pinned to the byte as well), and what takes longest
    *("burning_wood", "duel", "exploit_weakness", "markers_terrain", "strategize_points"),
    *("battle/open/4", "household/cwah_0", "household/generated_7", "skirmish_5v5"),
    "wildfire/cut_trees_sparse_small",
}


def named(name: str) -> str:
    """Return the name of a world or a task with its version."""
    return tasks()[name].id if name in tasks() else id_of(name)


def plain(value: Any) -> Any:
    """Return results without times, and with numbers of six digits; the advice counts since the first results did."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key == "advice" or key not in FREE}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


@pytest.mark.parametrize("name", tiers(PLAYED, quick=QUICK, slow=PLAYED.keys() - LONG))
def test_the_results_of_a_version_never_change(hive: Hive, name: str) -> None:
    """UPDATE_GOLDEN=1 adds the digests of new versions; it leaves those of published ones as they are."""
    ran = hive("run", *PLAYED[name], "--json", "--out", "kept")
    assert ran.code == 0, ran.err
    results = {key: each for key, each in ran.json.items() if key not in ("worlds", "units")}  # what was played
    digest, found = digest_of(plain(results)), json.loads(GOLDEN.read_text("utf-8"))
    if os.environ.get("UPDATE_GOLDEN") and named(name) not in found:
        found[named(name)] = digest
        GOLDEN.write_text(json.dumps(dict(sorted(found.items())), indent=2) + "\n", encoding="utf-8")
    assert found.get(named(name)) == digest, (
        f"the results of {named(name)} changed: raise its version, write why under Errata in CHANGELOG.md, and run "
        "this test with UPDATE_GOLDEN=1"
    )


def test_the_results_of_every_version_are_pinned() -> None:
    assert {*map(named, PLAYED)} <= json.loads(GOLDEN.read_text("utf-8")).keys()


def test_a_name_may_have_its_version_wherever_it_stands() -> None:
    assert hive.load("coordinate-v1", units=20).name == "coordinate" and id_of("coordinate") == "coordinate-v1"
    assert without_version("battle/open/4-v1") == "battle/open/4"
    assert without_version("rescue/map_7/agents-1-v1") == "rescue/map_7/agents-1"
    assert task("skirmish_5v5-v1") is task("skirmish_5v5") and task("skirmish_5v5").id == "skirmish_5v5-v1"
    assert load_world(task("battle/open/4-v1")).name == "battle/open/4"
    assert [without_version(name) for name in ("mine-v1", "mine-v1.toml")] == ["mine-v1", "mine-v1.toml"]


@pytest.mark.parametrize("name", ["coordinate-v2", "battle/open/4-v9", "skirmish_5v5-v3", "kitchen/boiled_egg-v2"])
def test_another_version_is_a_sentence_that_says_which_there_is(hive: Hive, name: str) -> None:
    ran = hive("describe", name)
    bare = name.rpartition("-")[0]
    assert ran.code == 2 and f"this HIVE has {bare}-v1, and {name} is asked for" in ran.err, ran.err
    with pytest.raises(UserError, match=f"this HIVE has {bare}-v1"):
        task(name)


def test_lists_and_descriptions_name_versions(hive: Hive) -> None:
    found = hive("list", "--json").json
    assert {each["id"] for part in ("scenarios", "tasks") for each in found[part]} >= {"duel-v1", "skirmish_5v5-v1"}
    assert hive("describe", "coordinate-v1", "--json").json["id"] == "coordinate-v1"
