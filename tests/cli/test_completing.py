"""Shells complete commands, options and shipped names, without loading JAX."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Literal

import pytest

import scenarios
from hive.cli import main
from hive.cli.command import Table
from hive.cli.completing import COMMAND, Completion
from hive.cli.entry import COMMANDS
from hive.experiments.bench.rows import ROWS
from hive.rl.registry import tasks
from hive.worlds import kinds
from hive.worlds.wildfire.levels import levels
from tests.cli.conftest import Hive
from tests.conftest import ROOT
from tests.tiers import tiers

# What a shell does when Tab is pressed at the end of each of `$lines`: print the words that it is offered, on a line.
TAB = {
    "bash": 'source bin/script; while IFS= read -r line; do read -ra COMP_WORDS <<<"$line"; '
    '[[ $line == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=(); _hive; '
    'echo "${COMPREPLY[*]}"; done <<<"$lines"',
    "fish": "source bin/script; complete -C $lines | string split -f1 \\t",
}


# Answers many calls of `hive` in one process, where bash has it as a function: a start takes half a second.
SERVED = """
coproc SERVER { "$python" -c '
import sys
from hive.cli import main
for line in sys.stdin:
    main(line.rstrip("\\n").split("\\x1f"))
    print("\\x1e", flush=True)
'; }
exec 3<&"${SERVER[0]}" 4>&"${SERVER[1]}"
hive() {
  local line IFS=$'\x1f'
  printf '%s\n' "$*" >&4
  while IFS= read -r -u 3 line && [[ $line != $'\x1e' ]]; do printf '%s\n' "$line"; done
}
"""


@cache
def script(shell: str) -> str:
    """What `hive completion` prints, which takes seconds."""
    with redirect_stdout(StringIO()) as shown:
        assert main(["completion", shell]) == 0
    return shown.getvalue()


def press_tab(shell: str, lines: Iterable[str], folder: Path, before: str = "") -> list[str]:
    """What a shell offers at the end of some command lines, in a folder."""
    command = folder / "bin" / "hive"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nimport sys\nfrom hive.cli import main\nsys.exit(main())\n")
    command.chmod(0o755)
    command.with_name("script").write_text(script(shell))
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    given = {"PATH": path, "PYTHONPATH": str(ROOT), "python": sys.executable}
    ran = subprocess.run(
        [shell, "-c", before + TAB[shell]],
        env=os.environ | given | {"lines": "\n".join(lines)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.stderr, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.parametrize("shell", tiers(TAB, quick=["fish"]))  # bash completes much more below
def test_a_shell_completes_a_scenario(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    assert press_tab(shell, ["hive explain coo"], tmp_path) == ["coordinate"]


def test_commands_options_and_names_are_offered(tmp_path: Path) -> None:
    """The rule: where an argument takes a shipped name, a shell offers all of them, and files that may stand there."""
    (tmp_path / "mine.toml").write_text("")
    (tmp_path / "mine.plan").write_text("")
    wanted = {
        "hive sw": {"sweep"},
        "hive --ver": {"--version"},
        "hive help expl": {"explain"},
        "hive run coordinate --see": {"--seed", "--seeds"},
        "hive run ": {
            *(name for kind in kinds().values() for name in kind.names()), "wildfire/all", "mine.toml", "bin/",
        },
        "hive run rescue/map_7/agents-": {"rescue/map_7/agents-1"},
        "hive ask ": {
            *scenarios.names(), *(f"wildfire/{name}" for name in (*levels(), "all")), "mine.toml", "bin/",
        },
        "hive rescue ta": {"table"},
        "hive explain ": {
            *scenarios.names(), *(f"wildfire/{name}" for name in (*levels(), "all")), "mine.toml", "bin/",
        },
        "hive check --scenario exploit_w": {"exploit_weakness"},
        "hive train ": {*tasks(), "mine.toml", "bin/"},
        "hive train --algorithm m": {"mappo", "mappo_rnn"},
        "hive evaluate mine --task skirmish_5": {"skirmish_5v5"},
        "hive describe skirmish_m": {"skirmish_mix"},
        "hive run skirmish_m": set(),
        "hive run coordinate --plan ": {*scenarios.plans(), "mine.plan", "bin/"},
        "hive bench ": set(ROWS),
        "hive kitchen optimum mashed_broccoli_and_b": {"mashed_broccoli_and_bean_patty"},
        "hive household table sha": {"shared"},
        "hive household write household/cwah_0": {"household/cwah_0"},
        "hive completion ": {"bash", "zsh", "fish"},
        "hive run coordinate --seed ": set(),
    }  # fmt: skip
    offered = press_tab("bash", wanted, tmp_path, SERVED)
    assert dict(zip(wanted, (set(line.split()) for line in offered), strict=True)) == wanted


def test_names_are_offered_without_loading_jax() -> None:
    lines = [["explain", "coo"], ["train", ""], ["bench", ""]]
    program = (
        f"import sys; from hive.cli import main; [main(['__complete', *words]) for words in {lines}]; "
        "sys.exit('jax' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0 and {"coordinate", "skirmish_5v5", *ROWS} <= {*ran.stdout.split()}, ran.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_other_shells_asks_for_names(
    shell: Literal["zsh", "fish"], capsys: pytest.CaptureFixture[str]
) -> None:
    """That of bash is run above; two commands show what stands for each of all of them."""
    rows = [row for group in COMMANDS.groups.values() for row in group]
    few = Table({"some": [row for row in rows if row.name in ("abilities", "explain")]})
    assert COMMAND.run and COMMAND.run(Completion(shell=shell, commands=few)) == 0
    shown = capsys.readouterr().out
    assert "__complete" in shown and "abilities" in shown


def test_another_shell_is_the_users_error(hive: Hive) -> None:
    ran = hive("completion", "csh")
    assert (ran.code, ran.out) == (2, "") and "argument SHELL: invalid choice: 'csh'" in ran.err
