"""The page of a team in a browser: buttons made from the world, a game played to its end, and a narrow window."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.view.browser import Browser, find_chromium
from tests.web.team_server import serving_team

pytestmark = pytest.mark.slow

PRESS = """(() => {
  const question = page.seat.question, form = document.getElementById("answer-form");
  if (!question || form.hidden || window.answered === question.number) return false;
  window.answered = question.number;
  (document.querySelector(".offer") || document.getElementById("send")).click();
  return true;
})()"""


def test_a_person_plays_a_rescue_with_buttons(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    with (
        serving_team("rescue/map_1/agents-1", tmp_path / "game", "Alpha") as address,
        Browser(find_chromium(), tmp_path / "profile") as browser,
    ):
        browser.visit(address)
        browser.wait("window.live && page.seat.question")
        shown = browser.run("[...document.querySelectorAll('.offer')].map((button) => button.textContent)")
        assert "end_mission()" in shown and any(words.startswith("navigate_to(") for words in shown)
        assert "What you see" in browser.run("document.getElementById('view').textContent")
        browser.run("live.setPace(1000)")
        while not browser.run("document.getElementById('summary').checkVisibility()"):
            browser.run(PRESS)
        assert "Alpha" in browser.run("document.getElementById('results').textContent")
        assert browser.run("live.game.frames === live.status.tick + 1 && document.getElementById('play').disabled")
        browser.run("live.seek(0)")
        assert browser.run("Number(document.getElementById('scrub').value)") == 0
        browser.resize(420, 900)
        assert browser.run("document.documentElement.scrollWidth <= 420")
        assert browser.complaints() == []
