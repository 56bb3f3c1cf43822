"""`python -m docs.make --figures`: each measured figure of the docs, what made it, and what was changed since."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from docs.site.pages import MADE

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
LIST = DOCS / "figures.toml"

_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
_NUMBER = re.compile(r"\d")
_OUTPUT = ("", "text")
"""Languages of fenced blocks that hold what a program printed."""


class Figure(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An entry of `docs/figures.toml`, which explains the fields; `how` or `command` may be empty, not both."""

    at: list[str]
    commit: str
    code: list[str]
    pictures: list[str] = []
    command: str = ""
    how: str = ""


def read_figures() -> tuple[list[Figure], list[str]]:
    """Return the figures, and the patterns of sections that hold nothing measured."""
    read = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return msgspec.convert(read["figures"], list[Figure]), msgspec.convert(read["defined"], list[str])


def pages() -> dict[str, str]:
    """Return the text of README.md and of each page of `docs/` by its name in `docs/figures.toml`."""
    found = {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md")) if path.name not in MADE}
    return {name: path.read_text(encoding="utf-8") for name, path in {"README.md": ROOT / "README.md", **found}.items()}


def sections(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the anchor of the heading, the language of the fenced block ("-" outside) and the text of each line."""
    heading, language = "", "-"
    for line in text.splitlines():
        if line.startswith("```"):
            language = line[3:].strip() if language == "-" else "-"
        elif language == "-" and line.startswith("#"):
            heading = re.sub(r"[^\w\s-]", "", line.lstrip("# ").lower()).strip().replace(" ", "-")
        else:
            yield heading, language, line


def shown(page: str, text: str) -> dict[str, set[str]]:
    """Return the sections of a page that show figures, as PAGE#HEADING, each with its pictures (paths in `docs/`).

    A picture is a figure, and so is a number in a row of a table, outside of code, or in a block of output.
    """
    found: dict[str, set[str]] = {}
    for heading, language, line in sections(text):
        pictures = _PICTURE.findall(line) if language == "-" else []
        row = language == "-" and line.startswith("|") and _NUMBER.search(re.sub(r"`[^`]*`", "", line))
        if pictures or row or (language in _OUTPUT and _NUMBER.search(line)):
            folder = ROOT if page == "README.md" else (DOCS / page).parent
            paths = {(folder / picture).resolve().relative_to(DOCS).as_posix() for picture in pictures}
            found.setdefault(f"{page}#{heading}", set()).update(paths)
    return found


def newer(figure: Figure) -> str:
    """Return in words how many commits changed the measured code since a figure was measured."""
    if figure.commit == "unknown":
        return "measured at an unknown commit"
    dated = _git("log", "-1", "--format=%as", figure.commit)
    if not dated:
        return f"{figure.commit}, which this checkout does not have"
    counts = [(path, int(_git("rev-list", "--count", f"{figure.commit}..HEAD", "--", path))) for path in figure.code]
    changed = [f"{count} commits to {path}" for path, count in counts if count]
    return f"{figure.commit} of {dated}; since then {', '.join(changed) or 'nothing'}"


def list_figures() -> str:
    """Return the list: where each figure stands, what made it, and what was changed since."""
    figures, _ = read_figures()
    lines = []
    for figure in figures:
        made = [f"    {way}" for way in (figure.command, figure.how) if way]
        lines += [", ".join([*figure.at, *figure.pictures]), *made, f"    {newer(figure)}", ""]
    old = sum("commits to" in line for line in lines)
    return "\n".join([*lines, f"{len(figures)} figures, {old} of them older than the last change of their code"])


def _git(*words: str) -> str:
    """Return what git prints, or nothing where it fails."""
    ran = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return ran.stdout.strip() if ran.returncode == 0 else ""
