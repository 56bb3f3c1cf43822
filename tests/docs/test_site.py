"""The documentation site: it builds without a warning, holds every page, commands that exist, and Python that runs.

A block of Python that begins with `# not run` says why.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from docs.site.pages import MADE
from docs.site.versions import page as versions_page
from tests.cli.reading import understood

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.name not in MADE)
TEXTS = {page: page.read_text(encoding="utf-8") for page in [*PAGES, ROOT / "README.md"]}
PYTHON: dict[str, tuple[str, list[str]]] = {  # by page: in which runs of the tests its Python runs, and what it prints
    "commander/prompts": ("", []),
    "commander/words": ("", ["BEGIN PLAN"]),
    "kitchen": ("slow", ["0 "]),
    "learning": ("long", []),
    "rescue": ("", ["3 7\n", "mission ended by the agents\n"]),
    "rewards": ("", ["-1.0 no_plan the text holds no plan"]),
    "start": ("long", []),
    "tutorials/scale": ("long", []),
    "tutorials/train": ("long", []),
    "views": ("long", []),
}
ELSEWHERE = {"../README", "custom", "extend", "teams", "wildfire"}  # pages whose Python other tests run
NEVER = {"api", "devices"}  # pages whose Python needs plans of the user, or an hour
_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_HIVE = re.compile(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?hive (.*)")
_PIPES = {"|", ">", "2>", "&", "&&"}


def shown(page: Path) -> list[list[str]]:
    """The words after `hive` of each command in the blocks of a page."""
    found = []
    for language, block in _BLOCK.findall(TEXTS[page]):
        if language not in ("", "bash", "console"):
            continue
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            if match := _HIVE.fullmatch(line.strip()):
                words = shlex.split(match[1], comments=True)
                found.append(words[: next((n for n, word in enumerate(words) if word in _PIPES), len(words))])
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_shown_commands_exist_with_their_options(page: Path) -> None:
    """A command that a page shows is read as the command line would read it; nothing is run."""
    for words in shown(page):
        if not {"-h", "--help"} & set(words):
            understood(words)


def test_every_page_is_in_the_index() -> None:
    """A page that the first page does not list is found by nobody."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = [line for tree in re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL) for line in tree.split()]
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES} - {"index"}
    made = {name.removesuffix(".md") for name in MADE}
    assert pages | made == {line for line in listed if (DOCS / f"{line}.md").is_file() or line in made}


def test_the_page_of_versions_names_this_one_and_links_released_ones() -> None:
    """A reader sees which version a site describes, and finds the sites of others beside it."""
    assert "describes HIVE 0.1.0." in versions_page("0.1.0", "", [])
    released = versions_page("0.3.0", "abc of 2026-01-01", [["v0.2.0", "2025-12-01"], ["before-moves", "2025-11-01"]])
    assert "HIVE 0.3.0, commit abc of 2026-01-01." in released
    assert re.findall(r'href="(.*?)"', released) == ["../v0.2.0/index.html"]


def anchors(page: Path) -> set[str]:
    """The names under which the headings of a page are found."""
    heads = re.findall(r"^#+ (.+)$", _BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_links_and_names_of_files_lead_somewhere(page: Path) -> None:
    """Links to other pages, their headings and pictures, and files that a page names by their path.

    Pages that are made with the site are not in a checkout, so a link to one is dead for who reads there.
    """
    text = _BLOCK.sub("", TEXTS[page])
    links = {link for link in re.findall(r"\]\(([^)\s]+)", text) if "://" not in link}
    for name, _, anchor in (link.partition("#") for link in links):
        place = page.parent / name if name else page
        assert place.exists() and name not in MADE, name
        assert not anchor or anchor in anchors(place), (name, anchor)
    named = set(re.findall(r"`((?:docs|examples|hive|scenarios|tests)/[\w/.]+\.(?:bt|md|plan|py|toml))`", text))
    assert [name for name in named if not (ROOT / name).is_file()] == []


def blocks_of(page: Path) -> list[str]:
    """The Python of a page that can be run."""
    found = [block for language, block in _BLOCK.findall(TEXTS[page]) if language == "python"]
    return [block for block in found if not block.startswith("# not run")]


@pytest.mark.parametrize(
    ("page", "said"),
    [
        pytest.param(page, said, marks=[getattr(pytest.mark, when)] if when else [])
        for page, (when, said) in PYTHON.items()
    ],
)
def test_the_python_of_a_page_runs(page: str, said: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What a page shows can be copied; each page alone, in the order of its blocks."""
    for needed in ("jaxmarl", "pettingzoo") if page == "views" else ():
        pytest.importorskip(needed, reason="the extra rl is not installed")
    names: dict[str, object] = {}
    strict = page != "views"  # other libraries promote
    with (
        jax.numpy_dtype_promotion("strict" if strict else "standard"),
        jax.numpy_rank_promotion("raise" if strict else "allow"),
    ):
        for block in blocks_of(DOCS / f"{page}.md"):
            exec(compile(block, page, "exec"), names)
    printed = capsys.readouterr().out
    assert [each for each in said if each not in printed] == [], printed


def test_every_page_with_python_is_run() -> None:
    shown = {os.path.relpath(page.with_suffix(""), DOCS) for page in TEXTS if blocks_of(page)}
    assert shown == {*PYTHON, *ELSEWHERE, *NEVER}


@pytest.mark.long
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """A broken link, a docstring that Sphinx cannot read, or a language without colours is an error."""
    words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-d", tmp_path / "trees", DOCS, tmp_path]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Orders in plain words" in index
    assert "Raises" in (tmp_path / "api.html").read_text(encoding="utf-8")
    words = re.sub(r"<[^>]+>", "", (tmp_path / "api.html").read_text(encoding="utf-8"))
    assert re.search(r"hive\.rl\.global_state\(.*?Float\[Array, .g.\]", words, re.DOTALL), "a result without its shape"
    text = (tmp_path / "reference.html").read_text(encoding="utf-8")
    assert re.search(r'<a [^>]*href="#lines-of-a-plan"[^>]*>(<span[^>]*>)?lines<', text), "a lost link"

    assert sum(path.stat().st_size for path in (tmp_path / "_images").iterdir()) < 10 * 2**20
