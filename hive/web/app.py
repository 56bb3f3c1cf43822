"""The web application: one live connection for each tab, and the files of the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from dsl import UserError
from hive.web.audience import Audience, Viewer
from hive.web.guard import Guard
from hive.web.messages import VIEWERS, BrowserMessage, RefusedError, ServerMessage, Tell, read_message
from hive.web.page import POLICY, make_index, read_file

_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
_POLICY, _TOO_MUCH = 1008, 1013  # codes of a websocket's end
_PATIENCE = 60.0  # seconds for which a tab may take nothing of what it is sent


class PageGame(Protocol):
    """A live game as the page needs it; every method may be called from any thread."""

    @property
    def kind(self) -> str:
        """Which page shows it: `battle`, `fire` or `team`."""

    def start(self) -> None:
        """Begin to take orders."""

    def close(self) -> None:
        """End the threads."""

    def welcome(self, viewer: Viewer) -> None:
        """Add a tab, which is told all that happened."""

    def post(self, message: BrowserMessage, tell: Tell) -> None:
        """Take a message that changes the game.

        Raises:
            UserError: It is refused.
        """

    def ask(self, message: BrowserMessage) -> ServerMessage:
        """Answer a message that changes nothing.

        Raises:
            UserError: It is refused.
        """

    def plan_text(self) -> str | None:
        """Return the text of the plan in force."""

    def replay(self) -> bytes:
        """Return the game so far as a page that plays it back.

        Raises:
            UserError: Nothing was played yet.
        """


class WebRoutes:
    """The routes around one game."""

    def __init__(self, game: PageGame, audience: Audience, guard: Guard) -> None:
        """Keep what the routes need."""
        self.game, self.audience, self.guard = game, audience, guard
        self._replaying = asyncio.Lock()

    def app(self) -> Starlette:
        """Return the application."""

        @asynccontextmanager
        async def living(app: Starlette) -> AsyncIterator[None]:
            self.game.start()
            yield
            await run_in_threadpool(self.game.close)

        return Starlette(
            routes=[
                WebSocketRoute("/live", self.live),
                Route("/", self.index),
                Route("/page/{name}", self.file),
                Route("/plan.plan", self.plan),
                Route("/replay.html", self.replay),
            ],
            lifespan=living,
        )

    async def index(self, request: Request) -> Response:
        """Return the page."""
        problem = self._problem(request)
        return problem or HTMLResponse(
            make_index(self.game.kind), headers=_HEADERS | {"content-security-policy": POLICY}
        )

    async def file(self, request: Request) -> Response:
        """Return a script or style of the page, which holds nothing of the game and so needs no token."""
        problem = self.guard.problem(request.headers)
        if problem:
            return PlainTextResponse(problem, 403)
        found = read_file(request.path_params["name"])
        if found is None:
            return PlainTextResponse("the page has no such file", 404)
        return Response(found[0], media_type=found[1], headers=_HEADERS)

    async def plan(self, request: Request) -> Response:
        """Return the plan in force as a file."""
        problem = self._problem(request)
        if problem:
            return problem
        text = self.game.plan_text()
        if text is None:
            return PlainTextResponse("there is no plan yet", 404)
        return PlainTextResponse(text, headers={"content-disposition": 'attachment; filename="plan.plan"'})

    async def replay(self, request: Request) -> Response:
        """Return the game so far as a page that plays it back."""
        problem = self._problem(request)
        if problem:
            return problem
        if self._replaying.locked():
            return PlainTextResponse("a replay is being made already", 503)
        async with self._replaying:
            try:
                page = await run_in_threadpool(self.game.replay)
            except UserError as error:
                return PlainTextResponse(str(error), 409)
            except asyncio.CancelledError:  # the server ends
                return PlainTextResponse("the server has ended", 503)
        return Response(page, headers={"content-disposition": 'attachment; filename="replay.html"'})

    async def live(self, socket: WebSocket) -> None:
        """Show the game to one tab and take its orders."""
        problem = self.guard.problem(socket.headers)
        if problem is None and not self.guard.knows(socket.query_params.get("token")):
            problem = "the address has no token, or a wrong one: open the address that `hive serve` printed"
        if problem:
            await socket.accept()
            await socket.close(_POLICY, problem)
            return
        await socket.accept()
        viewer = Viewer(asyncio.get_running_loop())
        self.game.welcome(viewer)
        try:
            async with asyncio.TaskGroup() as tasks:  # where one of them ends, the other is of no use
                tasks.create_task(_send(socket, viewer))
                tasks.create_task(self._listen(socket, viewer))
        except* WebSocketDisconnect:
            pass
        finally:
            self.audience.leave(viewer)

    async def _listen(self, socket: WebSocket, viewer: Viewer) -> None:
        """Take messages until the tab is closed.

        Raises:
            WebSocketDisconnect: It is.
        """
        while True:
            event = await socket.receive()
            if event["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(event.get("code", 1000))
            await self._hear(event, viewer)

    async def _hear(self, event: Message, viewer: Viewer) -> None:
        """Take one message; one that is refused changes nothing."""
        id: str | int | None = None
        try:
            message = read_message(event.get("text") or event.get("bytes") or "")
            id = message.id
            await self._take(message, viewer)
        except UserError as error:
            id = error.id if isinstance(error, RefusedError) else id
            viewer.put({"is": "refused", "id": id, "why": str(error)})

    async def _take(self, message: BrowserMessage, viewer: Viewer) -> None:
        if message.do not in VIEWERS and self.audience.role(viewer) != "commander":
            raise UserError("another tab has the command; this tab only watches\n  = help: press `Take command`")
        if message.do == "seen":
            viewer.seen(message.fields["tick"])
        elif message.do in ("check", "look"):
            viewer.put(await run_in_threadpool(self.game.ask, message))
        elif message.do == "command":
            self.audience.take(viewer)
        else:
            loop = viewer.loop

            def tell(words: ServerMessage) -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(viewer.put, words)

            self.game.post(message, tell)

    def _problem(self, request: Request) -> Response | None:
        problem = self.guard.problem(request.headers)
        if problem is None and not self.guard.knows(request.query_params.get("token")):
            problem = "the address has no token, or a wrong one"
        return PlainTextResponse(problem, 403) if problem else None


async def _send(socket: WebSocket, viewer: Viewer) -> None:
    """Send what the tab is told, in order.

    Raises:
        WebSocketDisconnect: The tab is closed, or takes nothing any more.
    """
    while True:
        for each in await viewer.next():
            try:
                async with asyncio.timeout(_PATIENCE):
                    await (socket.send_bytes(each) if isinstance(each, bytes) else socket.send_text(each))
            except (TimeoutError, RuntimeError):  # RuntimeError: the server has closed the connection already
                raise WebSocketDisconnect(_TOO_MUCH) from None
        if viewer.lost:
            await socket.close(_TOO_MUCH, "this tab does not read what it is sent")
            return
