"""The player `plans`: one commander writes plans for all agents of a world, next to teams that play it too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from dsl.wording import plural
from hive.kit.keep.json_text import json_lines
from hive.kit.keep.runfolder import EXCHANGES
from hive.kit.planned_world import CommandedWorld, Request
from hive.kit.reporting import Watch
from hive.kit.team_world import TeamGame, TeamWorld
from hive.kit.transcript import EpisodeStep, EpisodeTranscript, ModelCall
from hive.players.llm.campaign import Campaign, RequestedPlan
from hive.players.llm.client import PLAIN, Client, Settings
from hive.players.llm.recorded import Recorder, ReplyRecording
from hive.players.llm.scripted import PlanWriter
from hive.players.llm.session import DialogueConfig, Session
from hive.players.llm.threads import side_by_side
from hive.players.occasions import DEFAULT_OCCASIONS, PLANS, Occasions
from hive.players.teams.conversation import lines_of
from hive.players.teams.episode import call_seed
from hive.players.teams.games import Seen
from hive.players.teams.roster import PLANNER
from hive.worlds import kind_of

_COMMANDER = "COMMANDER"  # the one agent


@dataclass(frozen=True, kw_only=True)
class PlanPlayer:
    """One commander; see `hive.players.teams.games.TeamPlayer`, whose place it takes in a run.

    Attributes:
        name: For tables and folders, unique in a run.
        about: Who answers, in words.
        client: Who answers.
        title: Name of the method in results.
        occasions: When it is asked.
        settings: How replies are drawn.
        unit: What tokens are counted as.
    """

    name: str
    about: str
    client: Client
    title: str
    occasions: Occasions = DEFAULT_OCCASIONS
    settings: Settings = PLAIN
    unit: str = "tokens"
    plays: str = PLANS

    def identity(self) -> list[object]:
        """Return what decides how it plays, in plain values."""
        return [self.name, self.plays, self.client.name, self.manner()]

    def manner(self) -> dict[str, Any]:
        """Return when it is asked and how replies are drawn, in plain values."""
        drawn = {name: value for name, value in self.settings.json().items() if name != "seed"}  # each game has its own
        return {"every": self.occasions.every, "events": self.occasions.events, **drawn}

    def calls(self, agents: int) -> None:
        """There is no formula for the calls of a step."""

    def play(
        self,
        world: TeamWorld,
        seeds: Sequence[int],
        folder: Path,
        concurrent: int,
        watch: Watch,
        seen: Seen | None = None,
    ) -> list[TeamGame]:
        """Play every world with every seed; models are asked for all games at the same time.

        Args:
            world: What is played, a `CommandedWorld`.
            seeds: Of each world.
            folder: Where replies are saved: the same call after an interruption asks only for those that are missing.
            concurrent: Most requests at the same time.
            watch: Receives the progress.
            seen: Not called: a game of plans has no episodes of a team.

        Raises:
            ModelError: A model could not be asked; the replies so far are saved.
        """
        assert isinstance(world, CommandedWorld)
        games = [_Game(world, request, self, folder) for request in world.requests(seeds)]
        playing = list(games)
        watch.stage(f"playing {plural(len(games), world.noun)} with {self.name}", max(map(_limit, games)), "step")
        while playing:
            asking = [(game, reason) for game in playing if (reason := game.campaign.reason()) is not None]
            if asking:
                side_by_side([partial(game.order, reason) for game, reason in asking], concurrent, lambda order: None)
            for game in playing:
                game.step()
            playing = [game for game in playing if not game.campaign.over]
            watch.update(max(game.ticks for game in games), f"{len(playing)} of {plural(len(games), 'episode')} to go")
        return [game.finished() for game in games]


class _Game:
    """One game with its frames and its steps so far."""

    def __init__(self, world: CommandedWorld, request: Request, player: PlanPlayer, folder: Path) -> None:
        """Load the world and begin a game."""
        assert request.seed is not None
        self._player, self._seed = player, request.seed
        place = folder / f"{request.scenario.replace('/', '-')}-{request.seed}.{EXCHANGES}"
        saved = Recorder(player.client, [], ReplyRecording(place), reuse=True)
        settings = replace(player.settings, seed=call_seed(request.seed, PLANNER, 0))
        session = Session(request, kind_of(request.scenario), saved, DialogueConfig(settings=settings))
        self.game = world.commanded(session.world)
        session.room = self.game.room
        self.campaign = Campaign(
            session,
            self.game.standing(session.state),
            every=player.occasions.every,
            events=self.game.events() if player.occasions.events else None,
            own=self.game.own if player.client.name == PlanWriter.name else None,
        )
        self._start = self.game.begin(session.state)
        self._frames: list[Any] = []
        self._steps: list[EpisodeStep] = []
        self._orders: list[RequestedPlan] = []

    @property
    def ticks(self) -> int:
        """Ticks played."""
        return self.campaign.session.tick

    def order(self, reason: str) -> RequestedPlan:
        """Ask for a plan."""
        order = self.campaign.ask(reason)
        self._orders.append(order)
        return order

    def step(self) -> None:
        """Play one tick."""
        self._frames.append(jax.tree.map(np.asarray, self.campaign.play(self.game.watch)))
        orders, self._orders = self._orders, []
        self._steps.append(
            EpisodeStep(
                number=self.ticks,
                score=self.game.score(self._frames[-1]),
                calls=tuple(call for order in orders for call in _calls(order)),
                notes=tuple(order.reason for order in orders),
                log=tuple(order.remark for order in orders if order.remark),
            )
        )

    def finished(self) -> TeamGame:
        """Return the game, which has ended."""
        session = self.campaign.session
        plans = [(tick, plan.text) for tick, plan in session.plans]
        agents = session.world.sizes[0]
        episode = EpisodeTranscript(seed=self._seed, agents=agents, start=self._start, steps=tuple(self._steps))
        lines = lines_of(episode, [_COMMANDER], plans=True)
        env, facts, recording = self.game.finished(self._frames, session.outcome, plans, _COMMANDER, lines)
        orders = [
            {"tick": each.tick, "reason": each.reason, "reply": each.kind, "remark": each.remark}
            for each in self.campaign.orders
        ]
        return TeamGame(
            name=self.game.name,
            player=self._player.name,
            framework=self._player.plays,
            method=self._player.title,
            temperature=self._player.settings.temperature if self._player.unit == "tokens" else None,
            env=env,
            facts=facts,
            transcript=episode,
            files={
                "orders.jsonl": json_lines(orders),
                **{f"plans/{tick}.plan": text for tick, text in plans},
            },
            recording=recording,
        )


def _limit(game: _Game) -> int:
    return game.campaign.session.world.limit


def _calls(order: RequestedPlan) -> list[ModelCall]:
    return [
        ModelCall(
            agent=_COMMANDER,
            purpose="plan" if number == 0 else "repair",
            text=reply.text,
            sent=reply.usage.prompt,
            received=reply.usage.reply,
            seconds=reply.seconds,
        )
        for number, reply in enumerate(order.replies)
    ]
