"""The command line as a whole: help, near matches, exit codes, and starting without JAX."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hive.cli import entry
from hive.cli.command import Command, Table
from hive.cli.options import Json
from hive.kit.keep.finishing import hold_progress, release_progress
from tests.cli.conftest import Hive

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).with_name("golden")
COMMANDS = (
    "list", "draw", "run", "sweep", "improve", "train", "evaluate", "baselines", "ask",
    "kitchen", "rescue", "household",
    "chat", "serve", "check", "format", "explain", "describe", "grammar", "replay",
    "abilities", "study", "league", "competency", "conform", "panel", "perception", "verify",
    "bench", "scale", "mcp", "completion", "arena", "arena duel",
    "rescue table", "rescue optimum", "rescue draw",
    "household table", "household utility", "household effects", "household styles",
    "household write", "kitchen plot", "kitchen study", "kitchen tasks", "kitchen optimum", "kitchen references",
)  # fmt: skip


def all_commands(commands: Table = entry.COMMANDS, path: str = "") -> list[str]:
    """Every command and every part of one, by the words that name it."""
    found = []
    for name, command in commands.items():
        found += [f"{path}{name}", *(all_commands(command.parts, f"{path}{name} ") if command.parts else [])]
    return found


def test_there_are_the_promised_commands_and_no_others() -> None:
    """The rule: each command is named here, so that its help is read and kept like that of all others."""
    assert sorted(COMMANDS) == sorted(all_commands())


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_reads_as_it_was_approved(hive: Hive, command: str) -> None:
    """The help of each command is kept, has examples of this very command and fits a terminal.

    `UPDATE_GOLDEN=1` rewrites the texts.
    """
    ran = hive(*command.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    path = GOLDEN / f"help{'_' if command else ''}{command.replace(' ', '_')}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(ran.out, encoding="utf-8")
    assert ran.out == path.read_text(encoding="utf-8")
    if command:
        assert f"examples:\n  hive {command}" in ran.out
        assert max(map(len, ran.out.splitlines())) <= 110


def test_the_short_option_shows_the_same_help(hive: Hive) -> None:
    """`-h` is `--help`, for a command and for a part of one."""
    for words in (("sweep",), ("rescue", "table")):
        assert hive(*words, "-h").out == hive(*words, "--help").out


def test_the_version_names_what_a_report_needs_and_loads_no_jax() -> None:
    program = "import sys; from hive.cli import main; main(['--version']); sys.exit('jax' in sys.modules)"
    ran = _python(program)
    assert ran.returncode == 0
    assert re.fullmatch(r"hive [\d.]+\w*, jax [\d.]+\w*, jaxlib [\d.]+\w*, Python 3\.\d+\.\d+\w*\n", ran.stdout)


def test_no_word_at_all_prints_the_help(hive: Hive) -> None:
    assert hive().out == hive("--help").out == hive("help").out
    assert hive("help", "run").out == hive("run", "--help").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rnu"], "there is no command `rnu`\n  = help: did you mean `run`?"),
        (["dance"], "commands are `list`, `draw`"),
        (["run", "coordinate", "--seads=3"], "unrecognized arguments: --seads=3\n  = help: did you mean `--seeds`?"),
        (["run"], "the following arguments are required: SCENARIO"),
        (["grammar"], "the following arguments are required: SCENARIO"),
        (
            ["grammar", "coordinate", "--steeps", "3"],
            "unrecognized arguments: --steeps\n  = help: did you mean `--steps`?",
        ),
        (["grammar", "coordinate", "--steps=3", "x"], "unrecognized arguments: x"),
        (["grammar", "coordinate", "--steps"], "argument --steps: expected one argument"),
        (
            ["grammar", "coordinate", "--format", "larkk"],
            "(choose from 'lark', 'gbnf')\n  = help: did you mean `lark`?",
        ),
        (["grammar", "coordinate", "--out="], "argument --out: its value is empty"),
        (["grammar", "coordinate", "--json=3"], "argument --json: takes no value, `3` was given"),
        (["grammar", "coordinate", "--movie"], "--movie belongs to `hive run`"),
        (["check", "my.plan", "--jsn"], "unrecognized arguments: --jsn\n  = help: did you mean `--json`?"),
        (["rescue"], "say what `hive rescue` is to do: `table`, `optimum` or `draw`"),
        (["rescue", "darw"], "there is no command `rescue darw`\n  = help: did you mean `draw`?"),
        (["--vresion"], "unrecognized arguments: --vresion\n  = help: did you mean `--version`?"),
        (["run", "coordinate", "--see", "3"], "unrecognized arguments: --see"),
        (["explain", "coordinate", "--unit", "x", "--tick", "1"], "argument --unit: `x` is not a whole number"),
    ],
)
def test_a_wrong_command_line_is_the_users_input(hive: Hive, words: list[str], message: str) -> None:
    """Exit code 2, one message, nothing on standard output."""
    ran = hive(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ") and message in ran.err


def test_what_is_our_fault_raises(hive: Hive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback and exit code 1 are what Python does with it."""
    monkeypatch.setitem(entry.COMMANDS, "list", _command(lambda: 1 // 0))
    with pytest.raises(ZeroDivisionError):
        hive("list")


def test_an_interrupt_is_one_line(hive: Hive, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(entry.COMMANDS, "list", _command(interrupt))
    ran = hive("list")
    assert (ran.code, ran.out, ran.err) == (130, "", "interrupted\n")


def test_an_interrupt_of_an_import_is_one_line(hive: Hive, monkeypatch: pytest.MonkeyPatch) -> None:
    """JAX's compiled module raises an `ImportError` from the interrupt; one with another cause is our fault."""

    def fail(cause: BaseException) -> Callable[[], int]:
        def run() -> int:
            raise ImportError("Encountered an error while initializing the extension.") from cause

        return run

    monkeypatch.setitem(entry.COMMANDS, "list", _command(fail(KeyboardInterrupt())))
    assert hive("list").err == "interrupted\n"
    monkeypatch.setitem(entry.COMMANDS, "list", _command(fail(OSError())))
    with pytest.raises(ImportError):
        hive("list")


def test_a_reader_that_goes_away_is_no_error() -> None:
    """As in `hive list | head -1`, of a command that loads less."""
    program = (
        "import os, sys; os.close(1); os.dup2(int(sys.argv[1]), 1); from hive.cli import main; sys.exit(main(['help']))"
    )
    read, write = os.pipe()
    os.close(read)
    ran = _python(program, str(write), pass_fds=(write,))
    os.close(write)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_commands_that_simulate_nothing_load_no_jax() -> None:
    """The package `hive` itself is left bare here: what it loads is not for this test."""
    lines = [["--help"], ["rnu"], ["train", "--help"], ["rescue", "table", "-h"]]
    lines.append(["check", "scenarios/plans/coordinate.plan"])
    asking = [["run", "--help"], ["run", "coordinate", "--help"]]  # the kinds of worlds, one of which loads NumPy
    program = f"""
import sys, types
bare = types.ModuleType("hive")
bare.__path__ = [{str(ROOT / "hive")!r}]
sys.modules["hive"] = bare
from hive.cli import main
for words in {lines!r}:
    main(words)
    loaded = [name for name in ("jax", "numpy", "rich", "PIL") if name in sys.modules]
    assert not loaded, (words, loaded)
for words in {asking!r}:
    main(words)
    assert "jax" not in sys.modules, words
"""
    ran = _python(program)
    assert ran.returncode == 0, ran.stderr


def _command(run: Callable[[], int]) -> Command[Json]:
    return Command("", (), Json, lambda settings: run())


def _python(program: str, *words: str, pass_fds: tuple[int, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        pass_fds=pass_fds,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("platform", ["nonsense", pytest.param("cuda", marks=pytest.mark.slow)])
def test_a_platform_that_jax_does_not_have_is_the_users_input(platform: str) -> None:
    """JAX raises an error for a name that it does not know, and asserts where a known one is not installed."""
    code = "import sys; from hive.cli import main; sys.exit(main(['run', 'coordinate', '--units', '4', '--no-cache']))"
    surroundings = os.environ | {"JAX_PLATFORMS": platform, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-c", code], env=surroundings, capture_output=True, text=True)
    if platform == "cuda" and ran.returncode == 0:
        pytest.skip("JAX can use CUDA here")
    log, error, said = ran.stderr.partition(f"error: JAX cannot use the platform `{platform}`")
    assert ran.returncode == 2 and error, log  # a plugin without a driver logs a traceback of its own before
    assert "Traceback" not in said and "unset JAX_PLATFORMS" in said


def test_an_interrupt_says_where_the_progress_is(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule: after Ctrl-C a user learns whether work is kept and what resumes it; no progress is claimed without.

    The folder is the one that the command opened, with `--out` and without.
    """
    kept = tmp_path / "kept.progress"

    def stop(_: object) -> int:
        if kept.exists():
            hold_progress(kept)
        raise KeyboardInterrupt

    monkeypatch.setitem(entry.COMMANDS, "list", replace(entry.COMMANDS["sweep"], run=stop))
    words = ("list", "coordinate", "--plans", "coordinate")
    assert hive(*words).err == "interrupted\n"
    kept.mkdir()
    ran = hive(*words)
    assert ran.code == 130 and "kept.progress keeps what is finished, and the same command goes on" in ran.err
    assert "the same command without --restart goes on" in hive(*words, "--restart").err
    release_progress(kept)
