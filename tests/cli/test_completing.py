"""Shells complete commands, options and shipped names, without loading JAX."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scenarios
from hive.experiments.bench.rows import ROWS
from hive.rl.tasks import tasks
from hive.worlds import kinds
from hive.worlds.wildfire.levels import levels
from tests.cli.conftest import Hive
from tests.conftest import ROOT

# What a shell does when Tab is pressed at the end of `$line`: print the words that it is offered.
TAB = {
    "bash": 'eval "$(hive completion bash)"; COMP_LINE=$line COMP_POINT=${#line} _python_argcomplete hive; '
    'printf "%s\\n" "${COMPREPLY[@]}"',
    "zsh": 'compdef() {}; _describe() { printf "%s\\n" "${completions[@]%%:*}" }; words=(hive); '
    'eval "$(hive completion zsh)"; BUFFER=$line CURSOR=${#line}; _python_argcomplete',
    "fish": "hive completion fish | source; complete -C $line | string split -f1 \\t",
}
OFFER = """
import io, os, sys
from hive.cli.completing import complete
from hive.cli.entry import COMMANDS
found = []
for line in sys.argv[1:]:
    os.environ |= {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\\n", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    output = io.StringIO()
    complete(COMMANDS, output)
    found.append(" ".join(output.getvalue().split()))
print("\\n".join(found))
sys.exit("jax" in sys.modules)
"""


@pytest.mark.parametrize("shell", TAB)
def test_a_shell_completes_a_scenario(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    command = tmp_path / "hive"
    command.write_text(f"#!{sys.executable}\nimport sys\nfrom hive.cli import main\nsys.exit(main())\n")
    command.chmod(0o755)
    ran = subprocess.run(
        [shell, "-c", TAB[shell]],
        env=os.environ
        | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "line": "hive run coo"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.split() == ["coordinate"], ran.stderr


def test_commands_options_and_names_are_offered_and_no_jax_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("")
    (tmp_path / "mine.plan").write_text("")
    wanted = {
        "hive sw": {"sweep"},
        "hive --ver": {"--version"},
        "hive help expl": {"explain"},
        "hive run coordinate --see": {"--seed", "--seeds"},
        "hive run ": {*(name for kind in kinds().values() for name in kind.names()), "wildfire/all", "mine.toml"},
        "hive ask ": {*scenarios.names(), *(f"wildfire/{name}" for name in (*levels(), "all")), "mine.toml"},
        "hive run rescue/map_7/agents-": {"rescue/map_7/agents-1"},
        "hive check --scenario exploit_w": {"exploit_weakness"},
        "hive train ": {*tasks(), "mine.toml"},
        "hive evaluate mine --task skirmish_5": {"skirmish_5v5"},
        "hive describe skirmish_m": {"skirmish_mix"},
        "hive run skirmish_m": set(),
        "hive run coordinate --plan ": {*scenarios.plans(), "mine.plan"},
        "hive sweep coordinate --plans coordinate m": {"mine.plan", *(n for n in scenarios.plans() if n[0] == "m")},
        "hive bench ": set(ROWS),
        "hive kitchen optimum mashed_broccoli_and_b": {"mashed_broccoli_and_bean_patty"},
        "hive household table sha": {"shared"},
        "hive household write household/cwah_0": {"household/cwah_0"},
        "hive completion ": {"bash", "zsh", "fish"},
        "hive run coordinate --seed ": set(),
    }
    ran = subprocess.run(
        [sys.executable, "-c", OFFER, *wanted],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    offered = dict(zip(wanted, (set(line.split()) for line in ran.stdout.split("\n")[:-1]), strict=True))
    assert offered == wanted


def test_another_shell_is_the_users_error(hive: Hive) -> None:
    ran = hive("completion", "csh")
    assert (ran.code, ran.out) == (2, "") and "argument SHELL: invalid choice: 'csh'" in ran.err
