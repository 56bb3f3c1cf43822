"""A running game is told thousands of messages that no page sends, and is the same game as without them."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.web.hostile import messages
from tests.web.page_server import PLAN, serving
from tests.web.talking import Tab

TICKS = 30


def told(tab: Tab, text: str | bytes) -> str:
    """What the server says to a message: `refused`, or `answer` for a plan that cannot be used."""
    tab.send_text(text)
    words = tab.hear("refused", "answer")
    assert words["is"] == "refused" or words["kind"] == "invalid_plan"
    assert words["is"] == "answer" or 0 < len(words["why"]) < 600
    return str(words["is"])


def play(tab: Tab) -> dict[str, list[int]]:
    tab.send("step", ticks=TICKS)
    tab.status(tick=TICKS, running=False)
    return {name: column.tolist() for name, column in tab.draw(TICKS).columns.items()}


@pytest.mark.parametrize(
    "count", [pytest.param(300, marks=pytest.mark.slow), pytest.param(10_000, marks=pytest.mark.long)]
)
def test_the_game_goes_on_as_if_nothing_had_been_said(count: int, tmp_path: Path) -> None:
    with serving(tmp_path) as address, Tab(address) as tab:
        tab.send("speed", ticks_per_second=1000)
        tab.ask("plan", text=PLAN)
        wanted = play(tab)
        tab.send("branch", tick=0)
        tab.status(tick=0, running=False)
        half = messages(seed=2, count=count)
        tab.send("speed", ticks_per_second=2)
        tab.send("step", ticks=TICKS)
        tab.status(running=True)
        said = [told(tab, text) for text in half]
        assert len(said) == count and said.count("refused") > count // 2
        for large in ("x" * 70_000, json.dumps({"do": "check", "text": "x" * 10_000_000})):
            with Tab(address) as other, pytest.raises(ConnectionClosed) as closed:
                other.send_text(large)
                other.hear("answer")
            assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
        for path in ("/page/../app.py", "/page/%2e%2e/app.py", "/page/app.py", "/etc/passwd", "//etc/passwd", "/live"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(address.replace("/?", f"{path}?"))
            assert refused.value.code in (403, 404)
        tab.send("speed", ticks_per_second=1000)
        tab.status(tick=TICKS, running=False)
        found = {name: column.tolist() for name, column in tab.draw(TICKS).columns.items()}
        assert found == wanted
