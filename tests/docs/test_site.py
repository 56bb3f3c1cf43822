"""The documentation site: it builds without a warning, holds every page, and shows commands that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from docs.site.pages import MADE
from docs.site.versions import page as versions_page
from tests.cli.reading import understood

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.name not in MADE)
_BLOCK = re.compile(r"^```(?:console|bash)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_HIVE = re.compile(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?hive (.*)")
_PIPES = {"|", ">", "2>", "&", "&&"}


def shown(page: Path) -> list[list[str]]:
    """The words after `hive` of each command in the blocks of a page."""
    found = []
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
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


@pytest.mark.slow
@pytest.mark.parametrize("page", ["start", "tutorials/train", "tutorials/scale"])
def test_the_python_of_a_tutorial_runs(page: str) -> None:
    """What a tutorial shows of Python can be copied; each page alone, in the order of its blocks."""
    blocks = re.findall(
        r"^```python\n(.*?)^```", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {})


@pytest.mark.slow
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
