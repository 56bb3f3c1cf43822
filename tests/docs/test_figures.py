"""Every measured figure of README.md and the pages is listed with what made it (docs/figures.toml)."""

from __future__ import annotations

import importlib.util
import re
import shlex
from fnmatch import fnmatch

import pytest

from docs.make import figures
from docs.make.figures import DOCS, ROOT, Figure, list_figures, pages, read_figures, shown
from tests.cli.reading import understood

FIGURES, DEFINED = read_figures()
PAGES = pages()
SHOWN = {place: pictures for page, text in PAGES.items() for place, pictures in shown(page, text).items()}


def test_every_figure_is_listed() -> None:
    """A picture, a table with numbers or a block of output that nobody can make again is no result."""
    listed = {place for figure in FIGURES for place in figure.at}
    missing = [place for place in SHOWN if place not in listed and not any(fnmatch(place, each) for each in DEFINED)]
    assert not missing, "docs/figures.toml does not say what made the figures of these sections"
    listed_pictures = {picture for figure in FIGURES for picture in figure.pictures}
    assert set().union(*SHOWN.values()) == listed_pictures
    assert all((DOCS / picture).is_file() for picture in listed_pictures)


def test_nothing_is_listed_that_is_not_shown() -> None:
    """An entry of a section that was removed or renamed would hide that its successor has none."""
    headings = {
        place.partition("#")[0] + "#" + anchor for place in SHOWN for anchor in anchors(place.partition("#")[0])
    }
    assert {place for figure in FIGURES for place in figure.at} <= headings
    for pattern in DEFINED:
        assert any(fnmatch(place, pattern) for place in SHOWN) or pattern.endswith("*"), pattern


def anchors(page: str) -> set[str]:
    """The anchors of all headings of a page."""
    headings = re.findall(r"^#+ (.*)$", PAGES[page], re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.at[0])
def test_what_made_a_figure_exists(figure: Figure) -> None:
    """A command is one that this version reads, the code that it measures is there, a commit is a commit."""
    assert figure.command or figure.how
    assert re.fullmatch(r"[0-9a-f]{8}|unknown", figure.commit)
    assert all((ROOT / path).exists() for path in figure.code)
    if figure.command:
        program, *words = shlex.split(figure.command)
        if program == "hive":
            understood(words)
        elif program == "python":
            assert words[0] == "-m" and importlib.util.find_spec(words[1])
        else:
            assert (ROOT / program).is_file()


@pytest.mark.slow
def test_the_list_tells_what_is_older_than_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few figures stand for all: each asks git for the history of each of its files."""
    some = FIGURES[::8]
    monkeypatch.setattr(figures, "read_figures", lambda: (some, DEFINED))
    text = list_figures()
    assert all(place in text for figure in some for place in figure.at)
    assert re.search(rf"^{len(some)} figures, \d+ of them older", text, re.MULTILINE)
