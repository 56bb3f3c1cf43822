"""`hive household table` and `utility`: what they print, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Hive

SMALL = ("household", "table", "own", "--seeds", "1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("table", "shard"), "there is no policy `shard`\n  = help: did you mean `shared`?"),
        (("table", "own", "--agents", "5"), "a team has 1 to 4 agents, not 5"),
        (("table", "subgoals", "--transport"), "the policy `subgoals` does not play transport"),
        (("table", "own", "--utility", "costs.npz"), "--utility has no effect here"),
        (("table", "learned-own", "--utility", "costs.npz"), "cannot read costs.npz"),
        (("tabel",), "invalid choice: 'tabel'"),
        (("utility", "--epochs", "0"), "argument --epochs"),
    ],
)
def test_bad_input_is_refused_in_words(
    hive: Hive, words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = hive("household", *words)
    assert ran.code == 2 and message in ran.err
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_the_table_tells_means_with_the_warning(hive: Hive, tmp_path: Path) -> None:
    """The same figures as text, as an object and in a folder, next to the published ones."""
    folder = tmp_path / "table"
    found = json.loads(hive(*SMALL, "--json", "--out", str(folder)).out)
    (row,) = found["rows"]
    assert (row["policy"], row["agents"], row["published"]["episodes"]) == ("own", 2, 10)
    assert row["published"]["mean"] == pytest.approx(sum(row["published"]["each"]) / 10)
    assert "numbers may not" in found["warning"]
    assert json.loads((folder / "table.json").read_text()) == found
    assert f"{row['published']['mean']:.1f} ±" in (folder / "table.txt").read_text()
    assert (folder / "table.png").stat().st_size > 5_000
    again = hive(*SMALL, "--out", str(folder))
    assert again.code == 2 and "table" in again.err


@pytest.mark.long
def test_learned_costs_lie_between_their_references_and_serve_the_table(hive: Hive, tmp_path: Path) -> None:
    """In the published apartments: better than the mean of each kind, worse than the straight line through doors."""
    folder = tmp_path / "costs"
    found = json.loads(hive("household", "utility", "--published", "--json", "--out", str(folder)).out)
    same = found["errors"]["other options, same apartments"]
    mean, line, learned = (
        same[name]["absolute"] for name in ("mean of each kind", "straight line through doors", "learned from texts")
    )
    assert line < learned < 0.6 * mean
    unseen = found["errors"]["unseen generated apartments"]
    assert unseen["learned from texts"]["absolute"] < unseen["mean of each kind"]["absolute"]
    rows = ("learned-own", "kinds-own", "--seeds", "2", "--utility", str(folder / "utility.npz"))
    learned, kinds = json.loads(hive("household", "table", *rows, "--json").out)["rows"]
    assert learned["published"]["mean"] < kinds["published"]["mean"]
