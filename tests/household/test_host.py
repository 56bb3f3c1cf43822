"""Households as a kind of world: names, what is shipped, descriptions, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import UserError
from hive.kit.planned_world import Request
from hive.worlds.household.episode import episode
from hive.worlds.household.generator import generate
from hive.worlds.household.host import Households
from hive.worlds.household.houses import generate_transport
from hive.worlds.household.named import find_episode
from hive.worlds.household.writing import episode_files

KIND = Households()


def test_names_lead_to_episodes(tmp_path: Path) -> None:
    """Shipped ones with and without the prefix, generated ones by their seed, and files."""
    assert find_episode("household/cwah_10") is find_episode("cwah_10") is episode("cwah_10")
    assert find_episode("household/generated_3") == generate(3)
    assert find_episode("transport_4") == generate_transport(4)
    for name, text in episode_files(generate(5)).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    path = str(tmp_path / "generated_5.toml")
    assert find_episode(path) == generate(5)
    assert KIND.claims(path) and not KIND.claims(str(tmp_path / "missing.toml"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("household/cwah_1", "did you mean `cwah_1"),
        ("household/palace", "`hive list households` names them"),
        ("generated_x", "there is no household `generated_x`"),
        ("missing.toml", "missing.toml"),
    ],
)
def test_unknown_names_are_explained(name: str, why: str) -> None:
    """One message with a hint."""
    with pytest.raises(UserError, match=why):
        find_episode(name)


def test_a_description_says_what_each_agent_knows() -> None:
    """Alice and Bob start in rooms of their own, so they know and may do different things."""
    words = KIND.describe(Request(scenario="household/tdw_2_0_rare_food"), 0).words
    assert "300 ticks" in words.system and "<bed> (13)" in words.system
    alice, bob = words.state.split("\n\n")
    assert "explore <office_3> (4)" in alice and "go to <office_3> (4)" not in alice
    assert "go to <office_3> (4)" in bob and "go grab <bread> (107)" in bob and "<bread> (107)" not in alice
    assert "kitchen> (5) is explored in part" in bob


def test_what_concerns_plans_is_refused() -> None:
    """No plan commands a household, and its start has no tick."""
    with pytest.raises(UserError, match="`hive run household/cwah_0` lets a team play it"):
        KIND.load(Request(scenario="household/cwah_0"))
    with pytest.raises(UserError, match="--units"):
        KIND.describe(Request(scenario="household/cwah_0", units=3), 0)
    with pytest.raises(UserError, match="not after 3 steps"):
        KIND.describe(Request(scenario="household/cwah_0"), 3)
