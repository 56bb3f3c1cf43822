"""`hive panel`: who plays, what an interruption leaves, and policies beside the members."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hive.cli import main
from hive.engine.types import Outcome
from hive.experiments.panel import measuring
from hive.experiments.panel.journal import PanelJournal
from hive.experiments.panel.measuring import PanelSearch
from hive.experiments.panel.members import GAMES, PLAIN, SEARCH, SOLUTION, PanelRow
from hive.experiments.sets import policies
from hive.experiments.sets.policies import TrainedPolicy
from hive.worlds.battle.drawn.draw import draw_with_facts
from tests.panel.test_panel import made_up
from tests.panel.test_set_study import TRAINED

POLICY = "policy:skirmish-mix@newest"


def panel(out: Path, *words: str) -> int:
    return main(["panel", "open", "--sides", "80", "--seeds", "3:5", "--out", str(out), *words])


def rows(out: Path) -> dict[str, dict[str, PanelRow]]:
    return PanelJournal(out / "panel.jsonl").rows


def test_those_who_are_named_play_and_others_join_them_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search needs all three members; one that has played does not play again."""
    monkeypatch.setattr(measuring, "play_mixed", made_up)
    assert panel(tmp_path, "--by", "stand") == 0
    assert len(rows(tmp_path)) == 2 and {member for own in rows(tmp_path).values() for member in own} == {"stand"}
    first = (tmp_path / "panel.jsonl").read_bytes()
    assert panel(tmp_path, "--by", "stand") == 0 and (tmp_path / "panel.jsonl").read_bytes() == first
    assert panel(tmp_path) == 0
    assert (tmp_path / "panel.jsonl").read_bytes().startswith(first)
    for own in rows(tmp_path).values():
        assert own["stand"].won or own.keys() >= set(PLAIN)


def test_an_interrupted_panel_keeps_every_search_that_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "play_mixed", made_up)
    searched, carry_out = [], measuring._searched

    def breaks_off(search: PanelSearch) -> PanelRow:
        searched.append(search.trial.name)
        if len(searched) == 2:
            raise KeyboardInterrupt
        return carry_out(search)

    monkeypatch.setattr(measuring, "_searched", breaks_off)
    assert panel(tmp_path) == 130
    found = [name for name, own in rows(tmp_path).items() if SEARCH in own]
    assert found == searched[:1] and len(rows(tmp_path)) == 2
    assert panel(tmp_path) == 0
    assert searched[2] == searched[1] and len(set(searched)) == len(searched) - 1, "only the second begins again"


def test_plans_of_a_folder_play_where_it_has_one_and_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/rules/sets.md 2.2: a solution of a battle is the last plan that was tested."""
    monkeypatch.setattr(measuring, "play_mixed", made_up)
    folder, out = tmp_path / "mine", tmp_path / "out"
    folder.mkdir()
    file = folder / "open-4.plan"
    file.write_text(draw_with_facts("open", 4).scenario.player.plan)
    for _ in range(2):
        assert panel(out, "--by", f"plans:{folder}") == 0
        assert [*rows(out)] == ["battle/open/4"]
        assert rows(out)["battle/open/4"][SOLUTION].plan == file.read_text()
    first = (out / "panel.jsonl").read_bytes()
    assert first.count(b'"solution"') == 1
    file.write_text(file.read_text() + "\n")
    assert panel(out, "--by", f"plans:{folder}") == 0
    assert (out / "panel.jsonl").read_bytes().startswith(first)
    assert rows(out)["battle/open/4"][SOLUTION].plan == file.read_text()


@pytest.mark.long
def test_a_policy_plays_beside_the_members_and_decides_no_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/rules/sets.md 3.1: it is played once, is no member, and another policy of its name is refused."""
    played: list[int] = []

    def made_up_ends(env: object, policy: object, seeds: Sequence[int], _: object) -> tuple[np.ndarray, np.ndarray]:
        played.append(len(seeds))
        return np.where(np.array(seeds) < 5, Outcome.WIN, Outcome.TIMEOUT), np.array(seeds)

    monkeypatch.setattr(measuring, "play_mixed", made_up)
    monkeypatch.setattr(policies, "play_games", made_up_ends)
    assert panel(tmp_path, "--search", "0", "--json") == 0
    before = json.loads(capsys.readouterr().out)["battles"]
    acting = ("--by", f"policy:{TRAINED}@newest")
    assert panel(tmp_path, *acting, "--json") == 0
    after = json.loads(capsys.readouterr().out)["battles"]
    assert played == [GAMES] * 2 and [each["wins"].pop(POLICY) for each in after] == [5] * 2
    assert after == before
    assert panel(tmp_path, *acting) == 0 and len(played) == 2, "it has played them all"
    assert POLICY in capsys.readouterr().out.splitlines()[0]
    assert (tmp_path / "levels.csv").read_text(encoding="utf-8").splitlines()[0].endswith(f",level,{POLICY}")

    monkeypatch.setattr(TrainedPolicy, "identity", "another")
    assert panel(tmp_path, *acting) == 2
    assert "another policy of the name skirmish-mix@newest has played" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("who", "message"),
    [
        (["words"], "--by words: there is no such player in a panel"),
        (["plans:nowhere"], "there is no folder nowhere"),
        (["plans:"], "--by plans:: there is no such commander"),
        (["plans:docs", "plans:tests"], "--by plans:tests: a battle has one solution"),
        (["policy:nowhere"], "nowhere is not the folder of a training run"),
        ([f"policy:{TRAINED}", f"policy:{TRAINED}/"], "two commanders are called `skirmish-mix`"),
    ],
)
def test_players_that_cannot_play_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], who: list[str], message: str
) -> None:
    assert panel(tmp_path, *(word for each in who for word in ("--by", each))) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "panel.jsonl").exists()
