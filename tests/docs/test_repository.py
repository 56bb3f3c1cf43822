"""The files that a host of repositories reads are valid, and name what exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def test_the_citation_is_of_this_version_and_names_the_five_papers() -> None:
    """Who cites HIVE by CITATION.cff cites the version and licence that the package has."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (str(cited["version"]), cited["license"]) == (project["version"], project["license"])
    assert len(cited["references"]) == 5
    assert all(each["authors"] and ("doi" in each or "url" in each) for each in cited["references"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_scripts_and_targets_that_exist(path: Path) -> None:
    """What is tested is written once, in `.ci/run` and the Makefile; workflows name only what is there."""
    text = path.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    runs = [step["run"] for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"] if "run" in step]
    assert runs
    for run in runs:
        program, *words = re.sub(r"\$\{\{.*?\}\}", "", run).split()
        if program == "make":
            assert {word for word in words if "=" not in word} <= targets, run
        else:
            assert (ROOT / program).is_file(), run


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_are_forms(path: Path) -> None:
    """A form that the host cannot read is dropped in silence."""
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert form == {"blank_issues_enabled": False}
        return
    assert form["name"] and form["description"]
    ids = [part["id"] for part in form["body"]]
    assert len(set(ids)) == len(ids) and all(part["attributes"]["label"] for part in form["body"])


def test_the_container_is_made_of_what_is_there() -> None:
    """A folder that the package needs and the container lacks would be found when somebody builds it."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = {name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]}
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    assert all((ROOT / name).exists() for name in copied)
    assert {name.partition(".")[0] for name in packages["find"]["include"]} <= copied
