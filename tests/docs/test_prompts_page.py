"""What `docs/commander/prompts.md` says is true: sizes of the texts, sections and switches."""

from __future__ import annotations

import re

import jax
import pytest

import hive
from hive.cli import entry
from hive.cli.help_text import help_of
from hive.kit.prompts import read_prompt
from hive.worlds.battle.briefing import COMPACT, describe
from hive.worlds.battle.world import load
from tests.arch.sources import ROOT

FILE = ROOT / "docs" / "commander" / "prompts.md"
PAGE = FILE.read_text(encoding="utf-8")
BOTH = [
    [int(cell.replace(",", "")) for cell in row]
    for row in re.findall(r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|", PAGE, re.M)
]
ROWS, TOKENS = BOTH[:4], BOTH[4:]


def test_its_counts_are_those_of_the_texts_and_the_compact_form_stays_flat() -> None:
    """Positions are random, and their digits change the counts a little between versions of JAX."""
    assert [units for units, _, _ in ROWS] == [units for units, _, _ in TOKENS] == [200, 1_000, 4_000, 20_000]
    assert max(short for _, _, short in TOKENS) <= 1.03 * min(short for _, _, short in TOKENS)
    reset, compact = jax.jit(hive.reset), []
    for units, full, short in ROWS:
        world = load("coordinate", units=units // 2)
        assert sum(world.sizes) == units
        found = describe(world.scenario, world.params, reset(world.params, jax.random.key(0))).characters
        assert found["full"] == pytest.approx(full, rel=0.005) and found["compact"] == pytest.approx(short, rel=0.005)
        compact.append(found["compact"])
    assert max(compact) <= 1.03 * min(compact) and f"{COMPACT:,} characters" in PAGE


def test_it_names_every_section_that_is_sent_and_every_switch() -> None:
    table = PAGE[PAGE.index("| section |") : PAGE.index("A change that")]
    for package in ("hive.worlds.battle", "hive.worlds.wildfire"):
        titles = [title for title, text in read_prompt(package, 1).sections.items() if text.startswith(f"# {title}\n")]
        assert (
            len(titles) >= 7 and [title for title in titles if not re.search(rf"^\|.*\b{title}\b", table, re.M)] == []
        )
    options = help_of("hive describe", entry.COMMANDS["describe"])
    assert [switch for switch in re.findall(r"`(--[\w-]+)", PAGE) if f"{switch}" not in options] == []
