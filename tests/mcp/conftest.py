"""A client of the official SDK that talks to a server, and the one small battle that all tests play."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer

ROOT = Path(__file__).resolve().parents[2]
SMALL: dict[str, Any] = {"scenario": "coordinate", "units": 20, "rules": {"limit": 60}}
ALL_TO = """\
BEGIN PLAN
Step 3:
prerequisites: []
objective: elimination all
units: [0:20]
- target position: ({x}, 20)
- behavior: follow_map any
END PLAN
"""
WEST, EAST = ALL_TO.format(x=5), ALL_TO.format(x=145)
GAME = {**SMALL, "plan": WEST.replace("follow_map", "stand")}  # of the size of plans that are ordered, as elsewhere


class Talk:
    """One client's calls."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a call that succeeds."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        """The message of a call that is refused: short, without a traceback or a place on this machine."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        (content,) = result.content
        assert content.type == "text"
        assert len(content.text) < 2_000
        assert "Traceback" not in content.text and str(ROOT) not in content.text
        return content.text


Story = Callable[[Talk], Awaitable[None]]


def play(server: MCPServer[Any] | StdioServerParameters, story: Story, mode: str = "auto") -> None:
    """Tell a story to a server, in memory or over the standard streams of a process."""

    failures: list[Exception] = []

    async def tell() -> None:
        async with Client(server, mode=mode) as client:
            try:
                await story(Talk(client))
            except Exception as failure:  # raised below, where no group of the SDK's tasks wraps it
                failures.append(failure)

    anyio.run(tell)
    for failure in failures:
        raise failure
