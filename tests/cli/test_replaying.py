"""`hive replay`: a page from a run folder; what the page shows is tested in `tests/view`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import SMALL, Hive


@pytest.fixture
def kept(hive: Hive, tmp_path: Path) -> Path:
    assert hive("run", *SMALL, "--seeds", 2, "--out", "kept").code == 0
    return tmp_path / "kept"


def test_a_page_is_written_into_the_run_folder(hive: Hive, kept: Path) -> None:
    ran = hive("replay", "kept")
    page = kept / "replay.html"
    assert ran.code == 0 and ran.out.startswith(f"wrote {Path('kept/replay.html')}, ")
    text = page.read_text(encoding="utf-8")
    assert text.lstrip().lower().startswith("<!doctype html>") and "coordinate" in text.lower()


def test_json_names_the_page_and_its_size_and_fewer_ticks_are_less(hive: Hive, kept: Path, tmp_path: Path) -> None:
    whole = hive("replay", "kept", "--json").json
    assert whole == {"page": str(Path("kept/replay.html")), "bytes": (kept / "replay.html").stat().st_size}
    some = hive("replay", "kept", "--every", 10, "--page", "some.html", "--json").json
    assert some == {"page": "some.html", "bytes": (tmp_path / "some.html").stat().st_size}
    assert some["bytes"] < whole["bytes"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["nothing"],
            "nothing is not a run folder: it contains no recording.npz\n  = help: make one with `hive run --out`",
        ),
        (["."], "is not a run folder"),
        (["kept", "--every", "0"], "argument --every: 0 is out of range"),
        (["kept", "--page", "no/such/folder.html"], "cannot write no/such/folder.html"),
    ],
)
def test_what_cannot_be_replayed_is_one_message(
    hive: Hive, request: pytest.FixtureRequest, words: list[str], message: str
) -> None:
    if words[0] == "kept":
        request.getfixturevalue("kept")
    ran = hive("replay", *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err
