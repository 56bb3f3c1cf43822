"""What the page of a replay promises before any browser sees it: one file, no network, small, safe words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dsl import UserError
from hive.kit.view.pages import save_page
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.replay import make_page
from tests.view.replays import battle

Make = Callable[..., BattleRecording]


@pytest.fixture(scope="module")
def page() -> str:
    return make_page(battle())


def test_the_page_names_no_other_file_and_no_address(page: str) -> None:
    assert not re.findall(r"(?:src|href)\s*=\s*[\"'](?!data:)|https?://(?!www\.w3\.org/2000/svg)|@import|url\(", page)
    assert "default-src 'none'" in page


def test_words_of_a_game_cannot_become_code_of_the_page() -> None:
    wicked = "</script><script>alert(1)</script>@@data@@<!--"
    page = make_page(battle(title=wicked))
    assert wicked not in page
    meta = re.search(r'<script type="application/json" id="meta">(.*?)</script>', page, re.DOTALL)
    assert meta is not None
    assert json.loads(meta[1])["title"] == wicked


def test_a_game_of_1000_units_and_500_ticks_stays_under_5_mb(tmp_path: Path) -> None:
    size = save_page(make_page(battle(units=1000, frames=501)), tmp_path / "replay.html")
    assert size == (tmp_path / "replay.html").stat().st_size
    assert 100_000 < size < 5_000_000


@pytest.mark.long
def test_fewer_frames_make_a_smaller_page(tmp_path: Path) -> None:
    seen = battle(units=200, frames=100)
    sizes = [len(make_page(seen.thin(every))) for every in (1, 5)]
    bare = len(make_page(seen.thin(100)))
    assert sizes[1] - bare < 0.35 * (sizes[0] - bare)


def test_frames_every_0_ticks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="every 1 or more"):
        battle().thin(0)
    assert not list(tmp_path.iterdir())


def test_a_page_that_cannot_be_written_is_an_error_of_the_user(page: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no folder"):
        save_page(page, tmp_path / "missing" / "replay.html")


def test_a_recording_without_plans_or_units_makes_a_page(make_recording: Make) -> None:
    assert '"course": null' in make_page(make_recording(np.zeros((1, 0, 2))))
    assert '"course": null' in make_page(replace(battle(), course=None))
