"""The page of versions, made of the checkout's tags whenever the site is built."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_TAG = re.compile(r"v?\d+(\.\d+)+\w*")
_TOP = """# Versions

This site describes HIVE {version}{commit}. Worlds and tasks have versions of their own, such as `coordinate-v1`
([verified results](verify.md#versions)).

"""
_NONE = "No version has been released yet, so there is no other site.\n"
_ROW = '- <a href="../{tag}/index.html">{tag}</a>, {date}\n'


def make_versions() -> str:
    """Return the page of this checkout; without git, a page that names the version alone."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    tags = _git("for-each-ref", "--sort=-creatordate", "--format=%(refname:short) %(creatordate:short)", "refs/tags")
    return page(version, _git("log", "-1", "--format=%h of %as"), [line.split() for line in tags.splitlines()])


def page(version: str, commit: str, tags: Sequence[Sequence[str]]) -> str:
    """Return the page of a version.

    Args:
        version: That of the package.
        commit: The commit with its date, or nothing where it is not known.
        tags: Names and dates of tags, newest first; those that are no version are left out.
    """
    top = _TOP.format(version=version, commit=f", commit {commit}" if commit else "")
    rows = [_ROW.format(tag=tag, date=date) for tag, date in tags if _TAG.fullmatch(tag)]
    return top + ("".join(rows) or _NONE)


def _git(*words: str) -> str:
    """Return what git prints, or nothing where it fails or is not installed."""
    try:
        ran = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""
