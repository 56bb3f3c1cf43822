"""The server: the tools behind the official SDK, with arguments read strictly."""

from __future__ import annotations

import json
import logging
import re
import signal
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from inspect import getdoc
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.stdio import stdio_server
from pydantic import ConfigDict, ValidationError

from dsl.wording import did_you_mean, listing, nearest, quoted
from hive.mcp.limits import Limits
from hive.mcp.tools import Tools

_INSTRUCTIONS = """\
You command a battle or a wildfire crew of the simulator HIVE by writing plans, or you are one agent of a team.
1. `list_shipped` names the scenarios and levels; `describe` explains one, with the plan language.
2. Write a plan and mend it with `check_plan` until it has no errors. `run_plan` plays it to the end.
3. Or command a running game: `start_game`, then `step`, `look` and `order` in turn; `save_replay` at the end.
4. In a kitchen, rescue or household: `take_seat`, then `answer` each question; `watch_team` lets others play."""


_HALF = re.compile("[\ud800-\udfff]")
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")


class WholeLines(TextIOWrapper):
    """Lines of messages in which half a character (a lone surrogate) is replaced by U+FFFD.

    JSON may write one as an escape, and no text of UTF-8 holds it: the SDK would drop such a message without an answer.
    """

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # the stubs of binary streams stand above
        """Return the next line."""
        line = super().readline(size)
        if not _HALF_ESCAPED.search(line):
            return line
        try:
            return _HALF.sub("\ufffd", json.dumps(json.loads(line), ensure_ascii=False)) + "\n"
        except (ValueError, RecursionError):  # no JSON: the SDK says so
            return line

    def close(self) -> None:
        """Leave the stream below open: it is the process's own."""
        self.detach()


class _StdioServer(MCPServer[Any]):
    """A server that answers every message of its standard input."""

    async def run_stdio_async(self) -> None:
        """Serve one client over the standard streams."""
        lines = anyio.wrap_file(WholeLines(sys.stdin.buffer, encoding="utf-8", errors="replace"))
        async with stdio_server(stdin=lines) as (read, write):
            await self._lowlevel_server.run(read, write, self._lowlevel_server.create_initialization_options())


class _StrictTool(Tool):
    """A tool that refuses arguments which it does not have, and says in a line each what is wrong with the others."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _StrictTool:
        """Return the tool for a function."""
        tool = cls.from_function(function, description=getdoc(function))
        model = tool.fn_metadata.arg_model
        tool.fn_metadata.arg_model = type(model.__name__, (model,), {"model_config": ConfigDict(extra="forbid")})
        tool.parameters = tool.fn_metadata.arg_model.model_json_schema(by_alias=True)
        assert isinstance(tool, cls), "made by this class"
        return tool

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool; see `Tool.run`."""
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            lines = [self._line(each["type"], each["loc"], each["msg"]) for each in error.__cause__.errors()]
            raise ToolError("\n".join(lines)) from error.__cause__

    def _line(self, kind: str, place: tuple[int | str, ...], message: str) -> str:
        name = str(place[0]) if place else ""
        if kind != "extra_forbidden":
            return f"the argument `{'.'.join(map(str, place))}`: {message[:1].lower()}{message[1:]}"
        known = list(self.parameters["properties"])
        if not known:
            return f"`{self.name}` has no argument {quoted(name)}: it takes none"
        advice = did_you_mean(nearest(name, known)) or f"arguments are {listing(known, 'and')}"
        return f"`{self.name}` has no argument {quoted(name)}\n  = help: {advice}"


def make_server(limits: Limits, folder: Path | None = None, command: str = "hive mcp") -> MCPServer[Any]:
    """Return a server without games.

    Args:
        limits: What clients may ask for.
        folder: Where replays are saved, an existing folder; None: nowhere.
        command: The command line of the server, which replays keep.
    """
    logging.basicConfig(format="%(levelname)s: %(message)s")  # plain text; that of the SDK has colours
    try:
        number = version("hive-swarm")
    except PackageNotFoundError:
        number = ""
    return _StdioServer(
        "hive",
        title="HIVE",
        instructions=_INSTRUCTIONS,
        version=number,
        tools=[_StrictTool.of(function) for function in Tools(limits, folder, command).all()],
        log_level="WARNING",
    )


def serve(limits: Limits, folder: Path | None = None, command: str = "hive mcp") -> None:
    """Serve one client over standard input and output, until it closes them; see `make_server`.

    While it serves, what anything else prints on standard output goes to standard error. An interrupt ends the process
    at once: otherwise the thread that waits for input would keep it until the next line.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    make_server(limits, folder, command).run("stdio")
