"""The level table against the published facts (docs/rules/wildfire_levels.md 3.1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dsl import UserError
from hive.worlds.wildfire.levels import find_level, levels


def test_the_table_says_what_was_published(shared: Path) -> None:
    published = json.loads((shared / "spec" / "wildfire_levels.json").read_text())["levels"]
    assert [entry["id"] for entry in published] == list(levels())
    for entry in published:
        level, parameters = find_level(entry["id"]), entry["params"]
        assert level.title == ", ".join(filter(None, (entry["name"], entry["variant"])))
        assert level.agents == tuple(entry["agents"].values())
        assert (level.size, level.offset) == (entry["map_size"], entry["vegetation_offset"])
        assert (level.period or None) == entry["frames_per_ca_update"]
        assert level.best == entry["max_score"]
        assert level.known == entry["location_known_in_task_text"]
        assert level.limit == entry["time_limit_steps"]["recommended"]
        assert level.behaviours == tuple(entry["behaviours"])
        assert level.seeds == tuple(entry["seeds"])
        assert level.trees + level.lines == parameters.get("target_cells", parameters.get("target_lines", 0))
        assert (level.line_length or 1) == parameters.get("cells_per_line", 1)
        assert level.clusters == parameters.get("clusters", 0)
        assert level.civilians == parameters.get("civilians_per_cluster", 0)
        assert level.water == parameters.get("water", False)


def test_there_are_seventeen_levels_and_eighty_three_published_seeds() -> None:
    assert len(levels()) == 17
    assert sum(len(level.seeds) for level in levels().values()) == 83


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("suppress_contian", "did you mean `suppress_contain`?"),
        ("Full-Environment", "did you mean `full_environment`?"),
        ("x", "the levels are `cut_trees_sparse_small`, "),
    ],
)
def test_an_unknown_level_is_refused_with_what_may_be_meant(name: str, help: str) -> None:
    with pytest.raises(UserError) as caught:
        find_level(name)
    assert str(caught.value).startswith(f"there is no wildfire level `{name}`\n  = help: {help}")
