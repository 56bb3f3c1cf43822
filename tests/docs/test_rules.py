"""The pages of rules are numbered without gaps, and everything that points to a section of them finds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from hive.worlds.battle.scenario.schema import DEFAULT_TYPES
from hive.worlds.wildfire.levels import levels
from tests.arch.sources import ROOT
from tests.arch.test_shape import published

FOLDER = ROOT / "docs" / "rules"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md"))
NUMBERS = r"\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*"
CITATION = re.compile(rf"docs/rules/(\w+)\.md ({NUMBERS})")
NEIGHBOUR = re.compile(rf"`(\w+)\.md` ({NUMBERS})")  # from one page to another
OWN = re.compile(rf"(?<!\w)\((\d\.\d+(?:, \d\.\d+)*)\)|\b[Ss]ections? ({NUMBERS})")  # to a section of the same page


@cache
def sections(page: str) -> list[str]:
    """Numbers of the headings of a page, in their order."""
    return re.findall(r"^##+ ([\d.]+) ", read(page), re.MULTILINE)


def read(page: str) -> str:
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


def numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)*", text)


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of every file of the repository but pictures."""
    for name in published():
        try:
            yield name, (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


@pytest.mark.parametrize("page", PAGES)
def test_headings_are_numbered_without_gaps(page: str) -> None:
    expected, main, part = [], 0, 0
    for marks in re.findall(r"^(##+) ", read(page), re.MULTILINE):
        main, part = (main + 1, 0) if marks == "##" else (main, part + 1)
        expected.append(str(main) if marks == "##" else f"{main}.{part}")
    assert sections(page) == expected


def test_every_citation_names_a_section() -> None:
    cited = [
        (name, page, number)
        for name, text in texts()
        for page, found in CITATION.findall(re.sub(r"\s*\n\s*(?:#|//)?\s*", " ", text))
        for number in numbers(found)
    ]
    assert [each for each in cited if each[1] not in PAGES or each[2] not in sections(each[1])] == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_point_to_sections_that_exist(page: str) -> None:
    text = re.sub(r"\((HIVE|CREW-Wildfire)[^)]*\)", "", read(page))  # sections of the papers
    pointed = [(other, number) for other, found in NEIGHBOUR.findall(text) for number in numbers(found)]
    pointed += [(page, number) for found in OWN.findall(text) for number in numbers("".join(found))]
    assert [each for each in pointed if each[0] not in PAGES or each[1] not in sections(each[0])] == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_modules_that_exist(page: str) -> None:
    lines = re.findall(r"^Code: (.+)", read(page), re.MULTILINE)
    named = [name for line in lines for name in re.findall(r"`(.+?)`", line)]
    folders = (ROOT, ROOT / "hive")
    assert [n for n in named if not any([*folder.glob(n), *folder.glob(f"{n}.py")] for folder in folders)] == []


def test_no_file_cites_a_document_that_does_not_ship() -> None:
    """The rules stand in `docs/rules`; nothing points to notes that a user of the repository does not have."""
    other = re.compile(r"\bsheet'?s? \d|\bfacts? sheet|\bthe sheet\b|\bdesign D?\d|\bissue text", re.IGNORECASE)
    own = "tests/docs/test_rules.py"
    assert [(name, found.group()) for name, text in texts() if name != own and (found := other.search(text))] == []


def table(page: str, section: str) -> dict[str, list[str]]:
    """Rows of the first table of a section by their first cell, without back-quotes."""
    text = re.split(r"^##+ ", read(page), flags=re.MULTILINE)[sections(page).index(section) + 1]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {first: rest for first, *rest in rows if set(first) != {"-"}}


def test_the_table_of_levels_is_that_of_the_game() -> None:
    rows = table("wildfire_levels", "3.1")
    assert [*rows][1:] == [*levels()]
    for name, level in levels().items():
        crew, size, offset, period, _, known, best, behaviours, limit = rows[name]
        assert crew == "/".join(map(str, level.agents))
        assert (int(size), int(offset), int(period or 0) * 100) == (level.size, level.offset, level.period)
        assert (known == "yes", int(best), int(limit)) == (level.known, level.best, level.limit)
        assert tuple(behaviours.split()) == level.behaviours


def test_the_tables_of_unit_types_are_those_of_the_game() -> None:
    first, second = table("battles", "2.1"), table("battles", "2.2")
    fields = ("speed", "max_health", "damage", "reach", "sight", "cooldown", "radius")
    for number, kind in enumerate(DEFAULT_TYPES):
        column = [row[number % 3] for row in [*(second if number > 2 else first).values()][: 1 + len(fields)]]
        assert column[0].strip("`") == kind.name
        assert [float(cell) for cell in column[1:]] == [getattr(kind, field) for field in fields]
