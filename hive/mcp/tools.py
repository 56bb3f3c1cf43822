"""The tools that a client is offered; their docstrings and descriptions are what it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

import dsl
from dsl import UserError
from dsl.wording import plural
from hive.kit.planned_world import Request
from hive.kit.team_world import TeamRequest, TeamWorld
from hive.mcp.asking import ask, check_seed, kind_of
from hive.mcp.clock import CallClock
from hive.mcp.games import Games
from hive.mcp.limits import Limits
from hive.mcp.saving import save, save_team
from hive.mcp.teams import HeldTeam, begin, watch_team
from hive.players.choosing import names_of
from hive.worlds import kinds, without_version

Found = TypeVar("Found")
Values = dict[str, Any]

Scenario = Annotated[str, Field(description="a name of `list_shipped`: a scenario, or a level with `wildfire/`")]
Plan = Annotated[
    str, Field(description="the text of a plan, from BEGIN PLAN to END PLAN, or the name of a shipped plan")
]
MaybePlan = Annotated[
    str | None,
    Field(description="the text or shipped name of a plan; default: the scenario's own, or a level's commander"),
]
FirstPlan = Annotated[
    str | None, Field(description="the text or shipped name of a plan; default: the scenario's own; a level needs one")
]
Units = Annotated[
    int | None,
    Field(description="for a battle: units of your team; the enemy's team is scaled alike; default: the scenario's"),
]
Rules = Annotated[
    dict[str, float] | None,
    Field(description='rules of the scenario, or numbers of the level, to change, as in {"limit": 300}'),
]
Seed = Annotated[int | None, Field(description="seed of the game; default: 0, or a level's first published seed")]
Full = Annotated[bool, Field(description="every unit one by one; default: groups of units and a shorter map")]
Words = Annotated[str, Field(description="what you want, such as `half of the archers hold the North Bridge`")]
GameName = Annotated[str, Field(description="a name that `start_game` returned, such as `g1`")]


AgentWorld = Annotated[
    str, Field(description="a name of `list_shipped`: a kitchen, rescue or household, or a wildfire level")
]
Seat = Annotated[str, Field(description="the name of your agent, such as `Alice`, or `AGENT_1` in a wildfire level")]
OtherPlayer = Annotated[
    str | None,
    Field(description="who plays the other agents, or all: a name of `describe`; default: the first one"),
]
Number = Annotated[int, Field(description="the number of the question")]
Fields = Annotated[
    dict[str, str], Field(description='texts by the names of the fields, as in {"call": "navigate_to(room2)"}')
]


class Tools:
    """All tools of one server; each does its work in a thread, so that the server goes on answering."""

    def __init__(self, limits: Limits, folder: Path | None, command: str) -> None:
        """Begin without games.

        Args:
            limits: What clients may ask for.
            folder: Where replays are saved; None: nowhere.
            command: The command line of the server.
        """
        self._limits, self._folder, self._command = limits, folder, command
        self._games = Games(limits.games)
        self._calls = 0

    def all(self) -> list[Callable[..., Any]]:
        """Return the tools in the order in which clients list them."""
        return [
            self.list_shipped,
            self.describe,
            self.check_plan,
            self.run_plan,
            self.start_game,
            self.look,
            self.order,
            self.say,
            self.step,
            self.save_replay,
            self.list_games,
            self.end_game,
            self.take_seat,
            self.answer,
            self.watch_team,
        ]

    async def list_shipped(self, ctx: Context) -> Values:
        """List what is shipped: worlds that plans command, with plans, commanders and trees, and worlds of agents."""

        def work(clock: CallClock) -> Values:
            found: Values = {}
            for kind in kinds().values():
                names = {name.partition("/")[2]: name for name in kind.names()}  # some lists leave the kind out
                for title, entries in kind.catalogue().items():
                    found[title] = {names.get(entry["name"], entry["name"]): entry["line"] for entry in entries}
            return found

        return await self._work(ctx, work)

    async def describe(
        self,
        ctx: Context,
        scenario: Scenario,
        full: Full = False,
        units: Units = None,
        rules: Rules = None,
        seed: Seed = None,
    ) -> Values:
        """Describe a world before its first tick: task, rules, map, and for plans their language and the units.

        Read this before you write a plan. Unit ids of a plan are those of this description. A world that agents play
        comes with the names of its players.
        """

        def work(clock: CallClock) -> Values:
            name = without_version(scenario)
            kind = kind_of(name)
            if not kind.planned:
                if units is not None or rules or seed is not None:
                    raise UserError(
                        f"{name} is a {kind.noun}, and `units`, `rules` and `seed` are for worlds that plans command\n"
                        "  = help: leave them out; `take_seat` and `watch_team` take a seed"
                    )
                scene, world = kind.describe(Request(scenario=name), 0), _team_world(scenario)
                text = scene.words.full if full else scene.words.compact
                return {"scenario": scene.world, "players": names_of(world), "text": text}
            asked = ask(self._limits, scenario, units=units, rules=rules, seed=seed)
            scene = asked.kind.describe(asked.request, 0)
            text = scene.words.full if full else scene.words.compact
            return {"scenario": scene.world, "seed": scene.seed, "limit": asked.world.limit, "text": text}

        return await self._work(ctx, work)

    async def check_plan(
        self, ctx: Context, scenario: Scenario, plan: Plan, units: Units = None, rules: Rules = None
    ) -> Values:
        """Find the errors of a plan without playing it; each has its line, column and, where possible, a hint."""

        def work(clock: CallClock) -> Values:
            asked = ask(self._limits, scenario, units=units, rules=rules)
            return asked.read(asked.source(plan, self._limits)).report.json()

        return await self._work(ctx, work)

    async def run_plan(
        self,
        ctx: Context,
        scenario: Scenario,
        plan: MaybePlan = None,
        seeds: Annotated[int | None, Field(description="play so many games, with the seeds 0, 1, 2, ...")] = None,
        seed: Annotated[int | None, Field(description="play one game with this seed; this is the default")] = None,
        units: Units = None,
        rules: Rules = None,
    ) -> Values:
        """Play a plan to the end of its games, one for each seed, and return how they ended."""

        def work(clock: CallClock) -> Values:
            if seed is not None and seeds is not None:
                raise UserError("give `seed` for one game, or `seeds` for a batch, not both")
            asked = ask(self._limits, scenario, units=units, rules=rules, seed=seed, seeds=seeds)
            request = asked.request
            if plan is not None or asked.world.plan is not None:
                request = replace(request, plan=asked.source(plan, self._limits))
            run = asked.kind.prepare(request)
            for text in run.texts:
                if text.failure:
                    raise dsl.DslError(text.report.diagnostics)
            (result,) = run.play(clock)
            return result.json()

        return await self._work(ctx, work)

    async def start_game(
        self,
        ctx: Context,
        scenario: Scenario,
        plan: FirstPlan = None,
        seed: Seed = None,
        units: Units = None,
        rules: Rules = None,
    ) -> Values:
        """Begin a game that waits for you: play on with `step`, see it with `look`, change the plan with `order`."""

        def work(clock: CallClock) -> Values:
            asked = ask(self._limits, scenario, units=units, rules=rules, seed=seed)
            return self._games.start(asked, asked.source(plan, self._limits)).summary()

        return await self._work(ctx, work)

    async def look(self, ctx: Context, game: GameName, full: Full = False) -> Values:
        """Describe a game now: its tick, how it stands, and where the units are; or what your agent is asked."""

        def work(clock: CallClock) -> Values:
            with self._games.use(game) as held:
                if isinstance(held, HeldTeam):
                    return held.look(clock)
                words = held.live.describe()
                return {**held.summary(), "text": words.state if full else words.short_state}

        return await self._work(ctx, work)

    async def order(self, ctx: Context, game: GameName, plan: Plan) -> Values:
        """Give a game another plan to follow from now on; its steps start from the beginning, all else continues."""

        def work(clock: CallClock) -> Values:
            with self._games.use_planned(game) as held:
                held.order(held.asked.source(plan, self._limits))
                return held.summary()

        return await self._work(ctx, work)

    async def say(self, ctx: Context, game: GameName, words: Words) -> Values:
        """Give an order in English, which rules read, not a model: they answer with a plan or a question.

        The answer says how each phrase was understood. A plan is followed from now on; units that the order does not
        name go on with theirs. A question changes nothing.
        """

        def work(clock: CallClock) -> Values:
            with self._games.use_planned(game) as held:
                return held.say(words)

        return await self._work(ctx, work)

    async def step(
        self, ctx: Context, game: GameName, ticks: Annotated[int, Field(description="how many ticks to play")]
    ) -> Values:
        """Play a game on for some ticks, fewer if it ends; return its tick, its outcome and the units left."""

        def work(clock: CallClock) -> Values:
            with self._games.use_planned(game) as held:
                return held.step(ticks, self._limits, clock)

        return await self._work(ctx, work)

    async def save_replay(
        self,
        ctx: Context,
        game: GameName,
        name: Annotated[str, Field(description="a new name, of letters, digits, `-` and `_`")],
        every: Annotated[int, Field(description="for a battle: ticks between two frames")] = 1,
    ) -> Values:
        """Save a game so far in the user's folder: a page that plays it in a browser, the recording and the plans."""

        def work(clock: CallClock) -> Values:
            with self._games.use(game) as held:
                if isinstance(held, HeldTeam):
                    return save_team(held, self._folder, name, self._command)
                return save(held, self._folder, name, every, clock, self._command)

        return await self._work(ctx, work)

    async def list_games(self, ctx: Context) -> Values:
        """List the games that you have begun and not ended."""
        return await self._work(ctx, lambda clock: {"games": self._games.list()})

    async def end_game(self, ctx: Context, game: GameName) -> Values:
        """End a game and forget it, which makes room for another; save its replay before."""
        return await self._work(ctx, lambda clock: self._games.end(game))

    async def take_seat(
        self, ctx: Context, scenario: AgentWorld, seat: Seat, player: OtherPlayer = None, seed: Seed = None
    ) -> Values:
        """Begin a game of a world that agents play and take the place of one of them; return what you are asked first.

        Where a wrong seat is named, the message names the seats. Act with `answer`.
        """

        def work(clock: CallClock) -> Values:
            world = _team_world(scenario)
            return self._games.add(lambda: begin(world, seat, player, check_seed(seed))).look(clock)

        return await self._work(ctx, work)

    async def answer(self, ctx: Context, game: GameName, number: Number, fields: Fields) -> Values:
        """Answer a question to your agent; return the next one, or the results of the game when it is over.

        Give each field of the question that is needed, and others as you like; `offers` are texts that it may hold.
        """

        def work(clock: CallClock) -> Values:
            with self._games.use_team(game) as held:
                return held.answer(number, fields, clock)

        return await self._work(ctx, work)

    async def watch_team(
        self, ctx: Context, scenario: AgentWorld, player: OtherPlayer = None, seed: Seed = None
    ) -> Values:
        """Let a player play a world with agents to its end, and return the results."""

        def work(clock: CallClock) -> Values:
            world = _team_world(scenario)
            return watch_team(world, player, check_seed(seed), clock).json()

        return await self._work(ctx, work)

    async def _work(self, ctx: Context, work: Callable[[CallClock], Found]) -> Found:
        """Do the work of one call in a thread.

        Raises:
            ToolError: The client can mend its call, or there are as many calls as the server allows.
        """
        if self._calls >= self._limits.calls:
            some = plural(self._limits.calls, "call")
            raise ToolError(f"this server does {some} at a time\n  = help: wait until one has ended")
        self._calls += 1
        try:
            return await to_thread.run_sync(work, CallClock(self._limits.seconds, ctx.report_progress))
        except UserError as error:
            raise ToolError(str(error)) from error
        finally:
            self._calls -= 1


def _team_world(scenario: str) -> TeamWorld:
    """Return a world with its agents, as shipped."""
    name = without_version(scenario)
    kind = kind_of(name)
    if not kind.acting:
        raise UserError(
            f"{name} is a {kind.noun}, which plans command and no agents play\n"
            "  = help: `start_game` makes you its commander"
        )
    return kind.team_world(TeamRequest(worlds=[name]))
