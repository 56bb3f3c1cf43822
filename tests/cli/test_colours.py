"""Each place that has colours has them on a terminal and not with `NO_COLOR` (see no-color.org); all else is plain."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hive.cli.progress import watching
from tests.arch.sources import ROOT
from tests.cli.conftest import Hive

pty: Any = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

PLACES = {  # a program, and what it shows in colours or next to them
    "progress": (
        "from hive.cli.progress import watching\n"
        "with watching() as watch:\n"
        "    watch.stage('playing', 100, 'tick')\n"
        "    watch.update(50)\n",
        "playing",
    ),
}
PLAIN = {  # a program, and what it shows without colours
    "help": ("from hive.cli import main; main(['run', '--help'])", "usage:"),
    "page": (
        "import logging, types\n"
        "from hive.web.server import config_of\n"
        "config_of(types.SimpleNamespace(app=lambda: None))\n"
        "logging.getLogger('uvicorn.error').warning('an odd request')\n",
        "an odd request",
    ),
    "tools": (
        "import logging\n"
        "from hive.mcp.limits import Limits\n"
        "from hive.mcp.server import make_server\n"
        "make_server(Limits())\n"
        "logging.getLogger('mcp').warning('an odd request')\n",
        "an odd request",
    ),
}
DECIDING = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PYTHON_COLORS", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


def _on_a_terminal(program: str, *words: str, **variables: str) -> str:
    """Return what a program shows on a terminal, standard output and standard error together."""
    leader, follower = pty.openpty()
    surroundings = {name: value for name, value in os.environ.items() if name not in DECIDING}
    surroundings |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"} | variables
    command = [sys.executable, "-c", program, *words]
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=surroundings):
        os.close(follower)
        shown = b""
        with suppress(OSError):  # Linux tells the end of a terminal by an error
            while part := os.read(leader, 1 << 16):
                shown += part
        os.close(leader)
    return shown.decode()


def _colours(text: str) -> set[str]:
    """The colours that a terminal is asked for: 30 to 49 and 90 to 107 of the codes that end in `m`."""
    codes = {code for each in re.findall(r"\x1b\[([\d;]*)m", text) for code in each.split(";")}
    return {code for code in codes if code.isdigit() and (30 <= int(code) < 50 or 90 <= int(code) < 108)}


@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_a_terminal_gets_colours_unless_no_color_is_set(place: str, forbidden: bool) -> None:
    program, words = PLACES[place]
    shown = _on_a_terminal(program, **({"NO_COLOR": "1"} if forbidden else {}))
    assert words in shown and bool(_colours(shown)) != forbidden, shown


@pytest.mark.parametrize("place", ["help", "page", pytest.param("tools", marks=pytest.mark.slow)])
def test_help_and_logs_are_plain_on_a_terminal_too(place: str) -> None:
    program, words = PLAIN[place]
    shown = _on_a_terminal(program)
    assert words in shown and "\x1b" not in shown


@pytest.mark.parametrize(
    "program",
    [
        "watch.stage(NAME, 100, 'tick')\n    watch.update(50, NAME)\n    watch.say(NAME)",
        "watch.stage('playing', 100, 'tick')\n    print(NAME, file=sys.stderr)\n    watch.say('done')\n    tell(NAME)",
    ],
)
def test_a_bar_of_progress_keeps_its_own_codes_and_escapes_texts(program: str) -> None:
    """A stage may be named after a file: its text commands neither the terminal nor the markup of the bar."""
    lines = [
        "import sys",
        "from hive.kit.terminal import escaped_output",
        "from hive.cli.progress import watching",
        "from hive.cli.printing import tell",
        "NAME = 'a[/b]\\x1b[8mhidden\\x9b8m\\u202e'",
        "with escaped_output(), watching() as watch:",
        f"    {program}",
    ]
    shown = _on_a_terminal("\n".join(lines))
    assert "\x1b[8m" not in shown and "\x9b" not in shown and "\u202e" not in shown
    assert r"a[/b]\x1b[8mhidden\x9b8m\u202e" in re.sub(r"\s", "", shown) and _colours(shown)


@pytest.mark.slow  # the help below is plain by default; the same findings are plain in this process
def test_findings_tables_and_errors_are_plain_on_a_terminal_too(broken: Path) -> None:
    lines = (["check", str(broken)], ["list"], ["rnu"])
    program = f"from hive.cli import main\nfor words in {lines!r}:\n    main(words)"
    text = _on_a_terminal(program, FORCE_COLOR="1", CLICOLOR_FORCE="1")
    assert "\x1b" not in text
    assert all(shown in text for shown in ("error[", "coordinate", "error: there is no command `rnu`"))


def test_messages_and_logs_have_no_colours_at_all(
    hive: Hive, broken: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Findings are plain text everywhere, and progress is where there is no terminal."""
    for variable, value in (("TERM", "xterm-256color"), ("FORCE_COLOR", "1"), ("CLICOLOR_FORCE", "1")):
        monkeypatch.setenv(variable, value)
    checked = hive("check", broken)
    assert checked.code == 2 and "error[" in checked.out + checked.err
    with watching() as watch:
        watch.stage("playing", 100, "tick")
        watch.say("seed 0: win")
    shown = capsys.readouterr()
    assert "\x1b" not in checked.out + checked.err + shown.out + shown.err
