"""The page of teams' results: its transcript is what the command writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hive.cli import main
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.rules import TeamRules
from tests.arch.sources import ROOT

PAGE = (ROOT / "docs" / "team_results.md").read_text(encoding="utf-8")
TRANSCRIPT = (ROOT / "docs" / "team_transcript.md").read_text(encoding="utf-8")


def test_the_counts_by_formula_are_those_of_the_frameworks() -> None:
    """The page prints measured calls next to the fewest and the most (docs/rules/teams.md 4.1)."""
    rows = dict(re.findall(r"^\| (CAMON|COELA|Embodied|HMAS-2) \| (\d[^/\n]* of .+) \|$", PAGE, re.MULTILINE))
    assert len(rows) == 4
    for title, row in rows.items():
        framework = FRAMEWORKS[title.lower().replace("-", "")]
        for agents, cell in zip((3, 5, 7, 10, 14), row.split(" | "), strict=True):
            measured, least, most = re.fullmatch(r"([\d.]+) of (\d+)(?: to (\d+))?", cell).groups()  # type: ignore[union-attr]
            again = 2 * (agents + 1) if title == "HMAS-2" else 0  # plans after the first
            bounds = framework.calls(TeamRules(), agents, 0), framework.calls(TeamRules(), agents, agents) + again
            assert (int(least), int(most or least)) == bounds
            assert bounds[0] <= float(measured) <= bounds[1]


@pytest.mark.long
def test_the_transcript_is_what_the_command_writes(tmp_path: Path) -> None:
    (command,) = re.findall(r"`hive (run .+?)` writes", TRANSCRIPT)
    assert main([*command.split(), "--out", str(tmp_path / "out")]) == 0
    (written,) = (tmp_path / "out").rglob("transcript.md")
    body = re.sub(r"\n?!\[.+\)\n", "", TRANSCRIPT.partition("-->\n\n")[2])
    assert [line for line in body.splitlines() if line] == [line for line in written.read_text().splitlines() if line]
