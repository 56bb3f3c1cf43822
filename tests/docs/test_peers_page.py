"""`docs/performance.md` shows what the kept run of `hive bench` says of other programs, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from docs.make import peers
from docs.make.figures import read_figures
from hive.experiments.bench.circling import NEW_LISTS, OURS
from hive.experiments.bench.compared import COMPARED, compared

LINES = peers.read_run()


def test_the_page_is_what_the_kept_lines_make() -> None:
    assert peers.PAGE.read_text(encoding="utf-8") == peers.make_peers(LINES)


def test_the_kept_run_has_every_row_that_the_table_shows() -> None:
    assert {line["row"] for line in LINES} == set(COMPARED)
    assert not [line["error"] for line in LINES if "error" in line]


def test_what_was_not_measured_is_said() -> None:
    text = peers.make_peers([*LINES, {"row": "dense", "case": {}, "error": "exit code 1: MemoryError"}])
    assert "Not measured: exit code 1: MemoryError.\n" in text


def test_lost_neighbours_are_shown() -> None:
    """They are why a time that is good may not count."""
    lines = [line | {"lost_long": 0.24, "overflow": True} if line.get("peer") == NEW_LISTS else line for line in LINES]
    text = peers.make_peers(lines).partition("<!-- neighbours -->")[2]
    rows = {line.split("|")[1].strip(): line for line in text.splitlines() if line.startswith("|")}
    assert "24.0%" in rows[NEW_LISTS] and "yes" in rows[NEW_LISTS]
    assert "24.0%" not in rows[OURS] and "yes" not in rows[OURS]


def test_the_picture_has_a_row_for_each_workload(tmp_path: Path) -> None:
    peers.draw_peers(LINES, tmp_path / "peers.png")
    with Image.open(tmp_path / "peers.png") as drawn, Image.open(peers.PICTURE) as kept:
        assert drawn.size == kept.size and drawn.height > 30 * len(compared(LINES))


def test_the_list_of_figures_names_the_commit_that_was_measured() -> None:
    commits = {figure.commit for figure in read_figures()[0] if peers.PICTURE.name in figure.pictures}
    assert commits == {LINES[0]["commit"][:8]}


@pytest.mark.parametrize("change", [{"commit": "0" * 40}, {"instructions": "sve"}, {"device": "another"}])
def test_figures_of_several_runs_do_not_stand_in_one_table(tmp_path: Path, change: dict[str, str]) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [*LINES, LINES[0] | change]), encoding="utf-8")
    with pytest.raises(ValueError, match="several commits, devices or versions"):
        peers.read_run(path)
