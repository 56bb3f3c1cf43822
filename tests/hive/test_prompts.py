"""Prompt files: fields and values agree, versions are named, and every word of them reaches a commander."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

import scenarios
from hive.kit.planned_world import MAP_PICTURES
from hive.kit.prompts import Prompt, read_prompt
from hive.worlds.battle.briefing import Wording, system_text
from hive.worlds.battle.scenario import load_scenario
from hive.worlds.wildfire.briefing import level_text
from hive.worlds.wildfire.world import load_level

KINDS = ("hive.worlds.battle", "hive.worlds.wildfire")
SMALL = Prompt("test/1", {"Units": "# Units\n{count} of {kind}", "Kinds": "archer: shoots: far\nspearmen:"})


def test_a_section_takes_exactly_its_values() -> None:
    """A field that is missing or unknown never reaches a model as `{count}` or as a word left out."""
    assert SMALL.fill("Units", count=3, kind="archer") == "# Units\n3 of archer"
    for wrong in ({"count": 3}, {"count": 3, "kind": "archer", "size": 1}, {}):
        with pytest.raises(ValueError, match="test/1, `Units`: fields and values differ in "):
            SMALL.fill("Units", **wrong)


def test_a_part_of_lines_is_read_by_key() -> None:
    assert SMALL.table("Kinds") == {"archer": "shoots: far", "spearmen": ""}


@pytest.mark.parametrize("text", ["words\n# Map\n", "# Map\none\n## Map\ntwo\n"])
def test_a_file_that_would_lose_words_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "99.md").write_text(text)
    monkeypatch.setattr(resources, "files", lambda package: tmp_path)
    with pytest.raises(ValueError, match="prompt battle/99: "):
        read_prompt("hive.worlds.battle", 99)


@pytest.mark.parametrize("package", KINDS)
def test_every_version_can_be_read_and_is_named(package: str) -> None:
    files = sorted(file.name for file in resources.files(package).joinpath("prompts").iterdir() if file.is_file())
    assert files == [f"{number}.md" for number in range(1, len(files) + 1)]
    for number in range(1, len(files) + 1):
        prompt = read_prompt(package, number)
        assert prompt.name == f"{package.rpartition('.')[2]}/{number}" and len(prompt.sections) > 10


def test_every_section_is_used_and_every_field_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[tuple[str, str]] = set()
    fill, table = Prompt.fill, Prompt.table

    def filling(self: Prompt, title: str, **values: object) -> str:
        used.add((self.name, title))
        return fill(self, title, **values)

    def reading(self: Prompt, title: str) -> dict[str, str]:
        used.add((self.name, title))
        return table(self, title)

    monkeypatch.setattr(Prompt, "fill", filling)
    monkeypatch.setattr(Prompt, "table", reading)
    worlds = [load_scenario(name) for name in scenarios.names()]
    wordings = [Wording(), *(Wording(map_picture=form) for form in MAP_PICTURES)]
    texts = [
        system_text(world, wording, compact=compact)
        for world in worlds
        for wording in wordings
        for compact in (False, True)
    ]
    texts.append(level_text(load_level("wildfire/cut_trees_sparse_small")))
    assert not [found for text in texts for found in re.findall(r"\{\w*\}", text)]
    assert used == {(prompt.name, title) for prompt in (read_prompt(p, 1) for p in KINDS) for title in prompt.sections}
