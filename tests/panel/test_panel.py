"""The panel: levels follow from who wins, a battle is measured alike in any company, and a journal goes on."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
from dsl import UserError
from hive.engine.batch.mixed import Entry
from hive.engine.batch.result import Result
from hive.engine.types import OUTCOMES
from hive.experiments.panel import measuring
from hive.experiments.panel.journal import PanelJournal
from hive.experiments.panel.measuring import Trial, measure
from hive.experiments.panel.members import GAMES, PLAIN, SEARCH, SOLUTION, PanelRow, level_of, plain_plans
from hive.experiments.panel.table import csv_of, measured, read_csv
from hive.worlds.battle.drawn.classes import CLASSES
from hive.worlds.battle.drawn.draw import draw_with_facts


def row(member: str, wins: int, battle: str = "battle/open/3", **facts: Any) -> PanelRow:
    return PanelRow(battle, "0" * 64, member, wins, wins / GAMES, plan="a plan", **facts)


def rows(*wins: int, **facts: Any) -> dict[str, PanelRow]:
    found = {member: row(member, won) for member, won in zip(PLAIN, wins, strict=False)}
    return found | ({SEARCH: row(SEARCH, wins[-1], **facts)} if facts else {})


@pytest.mark.parametrize(
    ("found", "level"),
    [
        (rows(4, 8, 0), 0),
        (rows(3, 4, 8), 1),
        (rows(0, 0, 4), 2),
        (rows(0, 0, 3), None),
        (rows(0, 0), None),
        (rows(0, 0, 0, 4, plans=64, budget=64), 3),
        (rows(0, 0, 0, 4, plans=65, budget=512), 4),
        (rows(0, 0, 0, 8, plans=512, budget=512), 4),
        (rows(0, 0, 0, 8, plans=513, budget=1000), 5),
        (rows(0, 0, 0, 3, plans=512, budget=512), None),
        (rows(0, 0, 0, 3, plans=900, budget=1000, over=True), "unsolved"),
        (rows(0, 0, 0, 3, plans=508, budget=512) | {SOLUTION: row(SOLUTION, 4)}, 5),
        (rows(0, 0, 0, 3, plans=900, budget=1000, over=True) | {SOLUTION: row(SOLUTION, 4)}, 5),
        (rows(0, 0, 0, 3, plans=900, budget=1000, over=True) | {SOLUTION: row(SOLUTION, 3)}, "unsolved"),
        (rows(0, 0, 0, 3, plans=64, budget=64) | {SOLUTION: row(SOLUTION, 8)}, None),
        (rows(0, 0, 0, 4, plans=500, budget=512) | {SOLUTION: row(SOLUTION, 8)}, 4),
        (rows(0, 0, 0) | {SOLUTION: row(SOLUTION, 8)}, None),
    ],
)
def test_the_level_is_the_weakest_member_that_wins_half(found: dict[str, PanelRow], level: int | str | None) -> None:
    """docs/rules/sets.md 2.2; what was not played is no level, and a solution decides nothing before searches lose."""
    assert level_of(found) == level


@pytest.mark.parametrize("class_name", CLASSES)
def test_plans_of_the_members_are_valid_and_command_nobody_else(class_name: str) -> None:
    """In all missions among some seeds; civilians attack nobody."""
    for seed in range(6):
        drawn = draw_with_facts(class_name, seed)
        for member, text in plain_plans(drawn).items():
            found = dsl.check_plan(text, member, drawn.scenario.context(0))
            assert found.ok and not found.diagnostics, dsl.render(found.diagnostics)
        assert "civilian" not in plain_plans(drawn)["attack"]


def _end(entry: Entry, seed: int) -> int:
    """A made-up end of a game: a win in two of ten, by battle, plan and seed."""
    text = dsl.format_plan(entry.plan.source) if entry.plan.source else ""
    return OUTCOMES.index("win" if sha256(f"{entry.world.name} {text} {seed}".encode()).digest()[0] < 51 else "lose")


def made_up(entries: Sequence[Entry], **_: Any) -> list[Result]:
    """Made-up games, in place of those that are played."""
    found = []
    for entry in entries:
        ends = tuple(OUTCOMES[_end(entry, seed)] for seed in entry.seeds)
        count, score = len(ends), np.array([len(end) % 2 / 4 for end in ends])
        survivors = np.ones((count, 2, 6), int)
        way = np.ones((count, 2, 2), int)
        found.append(
            Result(
                entry.world.name,
                "",
                np.array(entry.seeds),
                ends,
                np.full(count, 10),
                score,
                "",
                survivors,
                np.zeros((count, 1), int),
                way,
                0.0,
                (),
            )
        )
    return found


@pytest.mark.long
def test_a_battle_is_measured_alike_alone_and_in_company(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when its rows come from an earlier run; searches stop at their budget, and go only where nobody wins."""
    monkeypatch.setattr(measuring, "play_mixed", made_up)
    names = [name for name in (f"battle/{each}/{seed}" for each in CLASSES for seed in range(9)) if _small(name)][:5]
    together, alone = [Trial(name) for name in names], [Trial(name) for name in names]
    told: list[PanelRow] = []
    measure(together, 64, told.append)
    for trial in alone:
        measure([trial], 0, lambda _: None)
        measure([trial], 64, lambda _: None)
    assert [trial.rows for trial in together] == [trial.rows for trial in alone]
    assert len(told) == sum(len(trial.rows) for trial in together)
    for trial in together:
        assert (SEARCH in trial.rows) == (not trial.won)
        if SEARCH in trial.rows:
            assert trial.rows[SEARCH].plans <= 64 and trial.rows[SEARCH].wins >= 0
            assert dsl.check_plan(trial.rows[SEARCH].plan, "found", trial.world.context()).ok
    assert any(SEARCH in trial.rows for trial in together)


def _small(name: str) -> bool:
    _, class_name, seed = name.split("/")
    return draw_with_facts(class_name, int(seed)).land.size == 80


def test_a_journal_goes_on_and_finds_every_change(tmp_path: Path) -> None:
    path = tmp_path / "panel.jsonl"
    journal = PanelJournal(path)
    for each in rows(0, 0, 3, 8, plans=60, budget=64).values():
        journal.add(each)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"battle": "battle/op')  # a crash
    again = PanelJournal(path)
    assert again.rows == journal.rows
    again.add(row("stand", 8, "battle/open/4"))
    assert PanelJournal(path).rows["battle/open/4"] == {"stand": row("stand", 8, "battle/open/4")}

    for wrong in (whole.replace(b'"wins": 3', b'"wins": 4'), whole.replace(b'"battles": 1', b'"battles": 2'), b"{}\n"):
        path.write_bytes(wrong)
        with pytest.raises(UserError, match="name another folder"):
            PanelJournal(path)


def test_the_compact_form_reads_back(tmp_path: Path) -> None:
    found = measured({"battle/open/4": rows(0, 0, 8), "battle/open/3": rows(0, 0, 0, 5, plans=60, budget=64)})
    assert [each.battle for each in found] == ["battle/open/3", "battle/open/4"]
    assert [each.level for each in found] == ["3", "2"]
    assert read_csv(csv_of(found)) == found
