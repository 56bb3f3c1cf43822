"""What came from outside commands no terminal: control characters are escaped where everything is printed."""

from __future__ import annotations

import io
import json
import sys
import unicodedata
from pathlib import Path

import pytest

from hive.kit.terminal import EscapedStream, escape, escaped_output, raw_stream
from tests.cli.conftest import Hive

COMMANDS = "\x1b[2J\x1b]0;title\x07\x9b8m\u202e\u2066\u2028\x08\r\x7f\x85\u200b\ufeff\U000e0041"


def test_every_control_character_is_escaped_and_all_that_is_written_stays() -> None:
    """Tabs, line feeds, letters of any script with their joiners, blanks and emoji are no commands."""
    kept = "\ta b\u00a0c\nß 日本 \u0639\u0631\u0628\u064a नमस्\u200dते \U0001f469\u200d\U0001f680 ±½"
    assert escape(kept) == kept
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") and character not in "\t\n":
            assert escape(character) == repr(character)[1:-1]
        elif unicodedata.bidirectional(character) in ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"):
            assert escape(character) == f"\\u{number:04x}"


def test_escapes_are_those_of_python_and_are_not_escaped_again() -> None:
    assert escape("a\x1b[0m\x9b\u202e\udcff") == r"a\x1b[0m\x9b\u202e\udcff"
    assert escape(escape(COMMANDS)) == escape(COMMANDS) and escape(COMMANDS).isascii()


def test_a_stream_escapes_what_it_cannot_encode_too() -> None:
    raw = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    stream = EscapedStream(raw)
    stream.writelines(["é\x1b", "日"])
    stream.flush()
    assert raw.buffer.getvalue() == rb"\xe9\x1b\u65e5"  # type: ignore[attr-defined]


def test_both_streams_are_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with pytest.raises(ZeroDivisionError), escaped_output():
        print("\x1b")
        print("\x9b", file=sys.stderr)
        with escaped_output():
            assert raw_stream(sys.stdout) is before[0]
        raise ZeroDivisionError
    assert (sys.stdout, sys.stderr) == before and tuple(capsys.readouterr()) == ("\\x1b\n", "\\x9b\n")


@pytest.mark.parametrize(
    "words",
    [
        [COMMANDS], ["run", COMMANDS], ["run", "coordinate", "--plan", COMMANDS], ["check", f"{COMMANDS}.plan"],
        ["run", "coordinate", "--set", f"{COMMANDS}=1"], ["list", f"--{COMMANDS}"], ["replay", COMMANDS],
        ["describe", "own.toml", "--compact"], ["check", "own.plan"], ["format", "own.plan"], ["league", "."],
        ["evaluate", COMMANDS], ["kitchen", "tasks", COMMANDS], ["ask", "coordinate", COMMANDS, "--model", COMMANDS],
    ],
)  # fmt: skip
def test_no_command_prints_what_commands_a_terminal(hive: Hive, tmp_path: Path, words: list[str]) -> None:
    """Names, titles, flags and plans hold escape sequences here."""
    own = f"name = {json.dumps(COMMANDS.replace(chr(0x7F), ''))}\n"
    (tmp_path / "own.toml").write_text(own)
    (tmp_path / "own.plan").write_text(f"BEGIN PLAN\nStep {COMMANDS}0:\nunits: {COMMANDS}\nEND PLAN")
    (tmp_path / f"{COMMANDS.replace('/', '')}.plan").write_text("x")
    ran = hive(*words)
    assert ran.code == 2 and escape(ran.out + ran.err) == ran.out + ran.err and len(ran.out + ran.err) > 10


def test_json_is_printed_as_json_writes_it(hive: Hive, tmp_path: Path) -> None:
    name = f"{COMMANDS}.plan"
    (tmp_path / name).write_text("x")
    ran = hive("check", name, "--json")
    assert ran.out.isascii() and ran.json["file"] == name
