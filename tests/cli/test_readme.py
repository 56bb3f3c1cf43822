"""What the README shows is true: its commands and its Python run, its files are read, what it names is there."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import hive
import scenarios
from dsl import parse_plan
from hive.cli import main
from hive.worlds.battle.scenario import parse_scenario
from hive.worlds.battle.world import load

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:<!-- (not run|slow)[^>]*-->\n)?```(\w+)\n(.*?)```", re.DOTALL)
BLOCKS = BLOCK.findall(README)
EXPLAINED = re.compile(r"^\$ hive explain .*\n", re.MULTILINE)
MOST = 600  # seconds for one block
FEWER = {
    "units 100": "units 20",
    "seeds 3 --out": "seeds 2 --out",
    "seeds 3  # it wins": "seeds 2 --out runs/wins  # it wins",
    "units=100, limit=600": "units=20, limit=60",
    "range(3)": "range(1)",
    "hold the middle row, archers behind the spearmen": "attack at once",
}


def blocks(*languages: str) -> list[str]:
    return [text for _, language, text in BLOCKS if language in languages]


def fewer_units(text: str) -> str:
    """The same lines about small armies."""
    for shown, played in FEWER.items():
        text = text.replace(shown, played)
    return text


def running() -> list[object]:
    """The blocks that are run, the slow ones marked; a game that is explained compiles most, and answers least.

    CI plays the slow ones with fewer units, whose program other tests of commands have, and the long tests as they are
    shown; a block that says that its plan wins is true of both.
    """
    shown = [(how, language, text) for how, language, text in BLOCKS if language in ("console", "bash", "python")]
    found = []
    for number, (how, language, text) in enumerate(shown):
        others, explained = EXPLAINED.sub("", text), "".join(EXPLAINED.findall(text))
        if how != "not run":
            mark = pytest.mark.slow if how == "slow" else ()
            fewer = fewer_units(others) if how == "slow" else others
            found.append(pytest.param(how, language, fewer, marks=mark, id=f"{language}-{number}"))
            if fewer != others:
                found.append(pytest.param(how, language, others, marks=pytest.mark.long, id=f"whole-{number}"))
            if explained:
                found.append(pytest.param(how, language, explained, marks=pytest.mark.long, id=f"explain-{number}"))
    return found


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    """A folder with `my.plan` of the README and a command `hive` in `bin`."""
    (tmp_path / "my.plan").write_text(blocks("plan")[0])
    command = tmp_path / "bin" / "hive"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "scripts" / "cli.py"}" "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return tmp_path


@pytest.mark.parametrize(("how", "language", "text"), running())
def test_what_is_shown_runs(
    workshop: Path,
    how: str,
    language: str,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each quick command in a process of its own; the slow ones in this one, which has imported and compiled much."""
    monkeypatch.chdir(workshop)
    if language == "python":
        exec(compile(text, "README.md", "exec"), {})
        assert capsys.readouterr().out
        return
    lines = [line.removeprefix("$ ") for line in text.splitlines() if language == "bash" or line.startswith("$ ")]
    assert lines
    winning = 0
    for line in lines:
        if how == "slow":
            command, *words = shlex.split(line, comments=True)
            assert command == "hive"
            code, shown = main(words), capsys.readouterr()
            assert code == 0 and shown.out, f"{line}\n{shown.err}"
            if "# it wins" in line:
                assert shown.out.count(" win ") >= (2 if "--seeds 3" in line else 1), shown.out
                winning += 1
        else:
            assert run_apart(line), line
    expected = re.findall(r"my\.plan --units \d+ --seeds|^\$ hive ask", text, re.MULTILINE)
    assert winning == len(expected), "the first order wins, and the plan of the reader most of its games"


def run_apart(line: str) -> str:
    """What a line of a shell prints, in a process of its own."""
    path = f"{Path.cwd() / 'bin'}{os.pathsep}{os.environ['PATH']}"
    surroundings = os.environ | {"PYTHONPATH": str(ROOT), "PATH": path}
    ran = subprocess.run(
        ["bash", "-c", line], env=surroundings, capture_output=True, text=True, timeout=MOST, check=False
    )
    assert ran.returncode == 0, f"{line}\n{ran.stderr}"
    return ran.stdout


def test_the_files_that_are_shown_are_read() -> None:
    (plan,) = blocks("plan")
    assert len(parse_plan(plan, "my.plan", load("coordinate").context()).steps) == 1
    (said,) = re.findall(r'hive\.order\(world, "([^"]+)"\)', README)
    assert hive.order(load("coordinate", units=20), said).plan.source


def test_every_block_is_of_a_kind_that_is_tried() -> None:
    assert {language for _, language, _ in BLOCKS} <= {"console", "bash", "python", "plan"}
    assert README.count("```") == 2 * len(BLOCKS)


def test_only_what_installs_is_not_run() -> None:
    skipped = [text for how, _, text in BLOCKS if how == "not run"]
    assert all(re.fullmatch(r"(\$ (make|pip|source) [^\n]*\n)+", text) for text in skipped)
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {target for text in skipped for target in re.findall(r"\$ make (\w+)", text)} <= set(targets)


def test_the_table_names_shipped_scenarios_and_plans() -> None:
    table = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    row = r"^\| [a-z ]+ \| `(\w+)`, (\d+) m \| ([\d,]+) v ([\d,]+) \| `(\w+)` "
    named = re.findall(row, table, re.MULTILINE)
    assert {name for name, *_ in named} == set(scenarios.names())
    for name, *numbers, plan in named:
        scenario = parse_scenario(scenarios.read(name), name)
        sizes = [scenario.map.size, scenario.player.count, scenario.enemy.count]
        assert [int(number.replace(",", "")) for number in numbers] == sizes
        assert {plan, f"{plan}_bad"} <= set(scenarios.plans())


def test_named_files_exist_and_it_stays_short() -> None:
    """Style 2.7."""
    assert len(README.splitlines()) <= 150
    picture = ROOT / "docs" / "coordinate.gif"
    assert "(docs/coordinate.gif)" in README and picture.stat().st_size < 600_000
    files = set(re.findall(r"`([\w./]+\.(?:py|md|toml|lark|bt|plan))`", README)) - {"my.plan"}
    files |= {link for link in re.findall(r"\]\(([^)#]+)\)", README)}
    assert files and all((ROOT / name).is_file() for name in files), files
