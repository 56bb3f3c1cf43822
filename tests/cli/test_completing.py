"""Shells complete commands, options and shipped names, without loading JAX."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import scenarios
from hive.experiments.bench.rows import ROWS
from hive.rl.tasks import tasks
from hive.worlds import kinds
from hive.worlds.wildfire.levels import levels
from tests.cli.conftest import Hive
from tests.conftest import ROOT

# What a shell does when Tab is pressed at the end of each of `$lines`: print the words that it is offered, on a line.
TAB = {
    "bash": 'eval "$(hive completion bash)"; while IFS= read -r line; do read -ra COMP_WORDS <<<"$line"; '
    '[[ $line == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=(); _hive; '
    'echo "${COMPREPLY[*]}"; done <<<"$lines"',
    "fish": "hive completion fish | source; complete -C $lines | string split -f1 \\t",
}


def press_tab(shell: str, lines: Iterable[str], folder: Path) -> list[str]:
    """What a shell offers at the end of some command lines, in a folder."""
    command = folder / "bin" / "hive"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nimport sys\nfrom hive.cli import main\nsys.exit(main())\n")
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        [shell, "-c", TAB[shell]],
        env=os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "lines": "\n".join(lines)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.stderr, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.parametrize("shell", TAB)
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
        "hive rescue pl": {"play"},
        "hive explain ": {
            *scenarios.names(), *(f"wildfire/{name}" for name in (*levels(), "all")), "mine.toml", "bin/",
        },
        "hive check --scenario exploit_w": {"exploit_weakness"},
        "hive train ": {*tasks(), "mine.toml", "bin/"},
        "hive train --algorithm m": {"mappo"},
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
    offered = press_tab("bash", wanted, tmp_path)
    assert dict(zip(wanted, (set(line.split()) for line in offered), strict=True)) == wanted


@pytest.mark.parametrize("words", [["explain", "coo"], ["train", ""], ["bench", ""]])
def test_names_are_offered_without_loading_jax(words: list[str]) -> None:
    program = f"import sys; from hive.cli import main; main(['__complete', *{words}]); sys.exit('jax' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0 and len(ran.stdout.split()) > 1, ran.stderr


def test_the_script_of_each_shell_asks_for_names(hive: Hive) -> None:
    for shell in ("bash", "zsh", "fish"):
        ran = hive("completion", shell)
        assert ran.code == 0 and "__complete" in ran.out and "abilities" in ran.out


def test_another_shell_is_the_users_error(hive: Hive) -> None:
    ran = hive("completion", "csh")
    assert (ran.code, ran.out) == (2, "") and "argument SHELL: invalid choice: 'csh'" in ran.err
