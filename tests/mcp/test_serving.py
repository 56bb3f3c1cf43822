"""`hive mcp` as a process that a client starts, its options, and the page that says how to register it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import pytest
from mcp import StdioServerParameters

from hive.cli import entry
from hive.cli.entry import main
from hive.cli.help_text import arguments_of
from hive.cli.model import mcp_server
from hive.mcp import limits, server
from hive.mcp.limits import Limits
from hive.mcp.server import make_server
from tests.cli.reading import understood
from tests.conftest import CACHE
from tests.mcp.conftest import GAME, ROOT, SMALL, WEST, Talk, play
from tests.tiers import tiers

PAGE = (ROOT / "docs" / "commander" / "mcp.md").read_text(encoding="utf-8")


def process(*words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=[str(ROOT / "scripts" / "cli.py"), "mcp", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_half_a_character_in_a_message_is_read_as_a_replacement() -> None:
    """The rule: JSON that escapes a lone surrogate is a message like any other; pairs and backslashes stay."""
    text = r'{"a": "\ud800 \udc00\ud83d\ude00 \\ud800"}'
    lines = server.WholeLines(io.BytesIO(f'{text}\n{{"b": 1}}\n{{\\ud800\n'.encode()), encoding="utf-8")
    assert json.loads(lines.readline()) == {"a": "\ufffd \ufffd\U0001f600 \\ud800"}
    assert lines.readline() == '{"b": 1}\n'
    assert lines.readline() == "{\\ud800\n"


@pytest.mark.long
def test_a_message_with_half_a_character_is_answered() -> None:
    """Sent as bytes, since no client of ours would write it, after the handshake of older clients."""
    ask = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "list_games", "arguments": {}}}
    begin = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {**ask, "id": 2, "params": {"name": "describe", "arguments": {"scenario": "\ud800"}}},
        {**ask, "id": 3},
    ]
    command = process()
    with subprocess.Popen(
        [command.command, *command.args], env=command.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as ran:
        assert ran.stdin and ran.stdout
        ran.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        ran.stdin.flush()
        answers = {}
        while {2, 3} - answers.keys():
            line = json.loads(ran.stdout.readline())
            answers[line.get("id")] = line
        ran.stdin.close()
    assert "there is no world" in json.dumps(answers[2]["result"])


@pytest.mark.parametrize("mode", tiers(["auto", "legacy"], slow=["auto"]))
def test_a_process_serves_over_its_standard_streams(mode: str) -> None:
    """Under the present protocol, and after the handshake of older clients."""

    async def story(talk: Talk) -> None:
        assert talk.client.instructions and "list_shipped" in talk.client.instructions
        assert len((await talk.client.list_tools()).tools) == 15
        assert (await talk("check_plan", **SMALL, plan=WEST))["ok"]
        assert "did you mean `coordinate`?" in await talk.refused("describe", scenario="cordinate")

    play(process(), story, mode)


@pytest.mark.long
def test_a_game_is_commanded_over_the_standard_streams(tmp_path: Path) -> None:
    async def story(talk: Talk) -> None:
        game = (await talk("start_game", **GAME))["game"]
        assert (await talk("look", game=game))["tick"] == 0
        await talk("step", game=game, ticks=10)
        await talk("order", game=game, plan=WEST)
        asked = await talk("say", game=game, words="send the elephants home")
        assert not asked["followed"] and "elephants" in asked["answer"]
        said = await talk("say", game=game, words="everyone go to (20, 20)")
        assert said["followed"] and "go to (20, 20)" in said["answer"]
        assert (await talk("step", game=game, ticks=50))["outcome"] == "timeout"
        assert (await talk("save_replay", game=game, name="one"))["page"] == "one/replay.html"

    play(process("--folder", str(tmp_path / "replays")), story, "legacy")
    assert (tmp_path / "replays" / "one" / "replay.html").stat().st_size > 10_000


def test_options_become_limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    served: list[Any] = []
    monkeypatch.setattr(server, "serve", lambda *given: served.append(given))
    assert main(["mcp", "--no-cache"]) == 0
    numbers = {"units": 1, "games": 2, "seeds": 3, "ticks": 4, "calls": 5, "seconds": 6}
    words = [word for name, value in numbers.items() for word in (f"--max-{name}", str(value))]
    assert main(["mcp", "--no-cache", "--folder", str(tmp_path / "a" / "b"), *words]) == 0
    mine = Limits(**numbers)
    assert [given[:2] for given in served] == [(Limits(), None), (mine, tmp_path / "a" / "b")]
    assert (tmp_path / "a" / "b").is_dir()


def test_the_next_test_has_the_cache_again_that_a_command_did_without() -> None:
    """Else all tests after one with `--no-cache` would compile what others keep for them."""
    assert jax.config.jax_compilation_cache_dir == CACHE


def test_a_folder_or_a_package_that_is_missing_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["mcp", "--no-cache", "--folder", str(tmp_path / "file")]) == 2
    assert "cannot use the folder" in capsys.readouterr().err
    monkeypatch.setattr(mcp_server, "find_spec", lambda name: None)
    assert main(["mcp"]) == 2
    assert "pip install 'hive-swarm[mcp]'" in capsys.readouterr().err


def test_the_page_lists_the_tools_the_options_and_the_limits() -> None:
    async def story(talk: Talk) -> None:
        tools = [tool.name for tool in (await talk.client.list_tools()).tools]
        assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == tools

    play(make_server(Limits()), story)
    options = {
        each.name: str(each.field_info.default)
        for each in arguments_of(entry.COMMANDS["mcp"])
        if each.name.startswith("--max-")
    }
    assert dict(re.findall(r"^\| `(--[\w-]+)` \| (\d+) \|", PAGE, re.MULTILINE)) == options
    for number in (Limits().plan, limits.SIDE, limits.POSITIONS):
        assert f" {number:,} " in PAGE


def test_the_entry_for_clients_is_a_command_line_of_ours() -> None:
    (text,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    ((name, started),) = json.loads(text)["mcpServers"].items()
    assert (name, started["command"]) == ("hive", "hive")
    command, *words = started["args"]
    assert understood([command, *words]).folder == Path("replays")
