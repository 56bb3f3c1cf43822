"""Which plans take part in a league, and what is said of the others (docs/rules/league.md 1.3)."""

from __future__ import annotations

from pathlib import Path

import pytest

import scenarios
from dsl import UserError
from hive.experiments.league.entries import enter, folder_texts, shipped_texts
from hive.worlds.battle.scenario import load_scenario
from hive.worlds.battle.world import Battle

DUEL = Battle(load_scenario("duel"))


def test_published_plans_that_fit_take_part(shared: Path) -> None:
    """Those of smaller maps; the example has a unit in two groups of a step, which only `--lenient` allows."""
    texts = list(folder_texts(shared / "spec" / "plans"))
    fits, left = enter(texts, DUEL)
    assert [each.name for each in fits] == ["coordinate_sonnet", "exploit_weakness_sonnet"]
    reasons = {each.name: each.reason for each in left}
    assert set(reasons) | {each.name for each in fits} == {name for name, _ in texts}
    assert "already in the group" in reasons["example"] and "the map ends at 149" in reasons["markers_4o_mini"]
    assert "example" in {each.name for each in enter(texts, DUEL, lenient=True)[0]}


def test_every_shipped_plan_of_a_player_is_entered_or_left_out_with_a_reason() -> None:
    fits, left = enter(shipped_texts(), DUEL)
    assert {each.name for each in (*fits, *left)} == {n for n in scenarios.plans() if not n.endswith("_enemy")}
    assert all(each.reason for each in left) and {"duel", "duel_bad", "coordinate"} <= {each.name for each in fits}


def test_sizes_that_plans_were_written_for_decide_their_ids() -> None:
    text = scenarios.plan("coordinate").replace("900:1000", "900:1200")
    assert [each.reason for each in enter([("large", text)], DUEL)[1]] and not enter([("large", text)], DUEL)[0]
    assert enter([("large", text)], DUEL, written_for=(1200, 1200))[0]


def test_a_text_is_read_to_its_end_and_wrong_bytes_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "large.plan").write_bytes(b"x" * 3_000_000)
    (tmp_path / "bytes.plan").write_bytes(b"\xff\xfe\x00" * 100)
    texts = dict(folder_texts(tmp_path))
    assert len(texts["large"]) == 3_000_000  # a text that is cut off could be another plan
    fits, left = enter(texts.items(), DUEL)
    assert not fits and {each.name for each in left} == {"large", "bytes"}


def test_equal_names_are_refused() -> None:
    with pytest.raises(UserError, match="two plans are called `duel`"):
        enter([("duel", "a"), ("duel", "b")], DUEL)
