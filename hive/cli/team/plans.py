"""The framework `plans` of `hive team`: one commander writes plans for a crew; all seeds are played side by side."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from dsl.wording import plural
from hive.cli.team.files import FinishedEpisode
from hive.cli.team.request import TeamCell
from hive.engine.crews.score import achieved
from hive.engine.types import State
from hive.kit.contract import Kind, Request, Watch
from hive.kit.keep.runfolder import EXCHANGES
from hive.kit.transcript import EpisodeStep, EpisodeTranscript, ModelCall
from hive.players.llm.campaign import Campaign, RequestedPlan
from hive.players.llm.client import Client
from hive.players.llm.recorded import Recorder, ReplyRecording
from hive.players.llm.scripted import PlanWriter
from hive.players.llm.session import Manner, Session
from hive.players.llm.threads import side_by_side
from hive.players.teams.conversation import lines_of
from hive.players.teams.episode import call_seed
from hive.players.teams.roster import PLANNER
from hive.worlds.wildfire.commanders import commander_for
from hive.worlds.wildfire.commanders.nothing import Nothing
from hive.worlds.wildfire.events import CrewEvents
from hive.worlds.wildfire.games import ROOM
from hive.worlds.wildfire.recording import LOSSES, assemble, watch
from hive.worlds.wildfire.reports import report
from hive.worlds.wildfire.result import LevelGameResult
from hive.worlds.wildfire.world import Fireground

COMMANDER = "COMMANDER"  # the one agent of this framework


class PlanGame:
    """One game with its frames and its steps so far."""

    def __init__(self, request: Request, kind: Kind, client: Client, manner: Manner, cell: TeamCell) -> None:
        """Load the level and begin a game."""
        session = Session(request, kind, client, manner)
        session.room = ROOM
        world: Any = session.world
        self.world: Fireground = world
        commander = commander_for(self.world.site.level)

        def own(state: State) -> str:
            return commander.plan(report(self.world, state))

        self.campaign = Campaign(
            session,
            Nothing().plan(report(self.world, session.state)),
            every=cell.every,
            events=CrewEvents(np.asarray(self.world.params.units.type)) if cell.events else None,
            own=own if client.name == PlanWriter.name else None,
        )
        self._frames: list[Any] = []
        self._steps: list[EpisodeStep] = []
        self._start = int(_achieved(self.world.params, session.state))
        self._orders: list[RequestedPlan] = []

    def order(self, reason: str) -> RequestedPlan:
        """Ask for a plan."""
        order = self.campaign.ask(reason)
        self._orders.append(order)
        return order

    def step(self) -> None:
        """Play one tick."""
        seen = self.campaign.play(watch)
        self._frames.append(jax.tree.map(np.asarray, seen))
        orders, self._orders = self._orders, []
        self._steps.append(
            EpisodeStep(
                number=self.campaign.session.tick,
                score=int(self._frames[-1].score[0]),
                calls=tuple(call for order in orders for call in _calls(order)),
                notes=tuple(order.reason for order in orders),
                log=tuple(order.remark for order in orders if order.remark),
            )
        )

    @property
    def ticks(self) -> int:
        """Ticks played."""
        return self.campaign.session.tick

    def finished(self) -> FinishedEpisode:
        """Return the results of a game that has ended."""
        session, site, frames = self.campaign.session, self.world.site, self._frames
        log = jax.tree.map(lambda *leaves: np.concatenate(leaves), *frames)
        plans = tuple((tick, plan.text) for tick, plan in session.plans)
        game = LevelGameResult(
            seed=site.seed,
            score=int(log.score[-1]),
            outcome=session.outcome,
            ticks=session.tick,
            losses=dict(zip(LOSSES, log.losses[-1].tolist(), strict=True)),
            scores=(self._start, *log.score.tolist()),
            plans=plans,
        )
        orders = [
            {"tick": each.tick, "reason": each.reason, "reply": each.kind, "remark": each.remark}
            for each in self.campaign.orders
        ]
        episode = EpisodeTranscript(
            seed=site.seed, agents=sum(site.level.agents), start=self._start, steps=tuple(self._steps)
        )
        recording = assemble(
            self.world,
            log,
            title=f"{site.level.title}, seed {site.seed}",
            outcome=session.outcome,
            plans=plans,
        )
        return FinishedEpisode(
            game=game,
            episode=episode,
            task=self.world.briefing,
            recording=replace(recording, agents=(COMMANDER,), lines=tuple(lines_of(episode, [COMMANDER], plans=True))),
            files={
                "orders.jsonl": "".join(json.dumps(each) + "\n" for each in orders),
                **{f"plans/{tick}.plan": text for tick, text in plans},
            },
        )


def play_plans(
    cell: TeamCell, kind: Kind, client: Client, manner: Manner, folder: Path, concurrent: int, show: Watch
) -> list[FinishedEpisode]:
    """Play a game for each seed; models are asked for all games at the same time.

    Args:
        cell: What is played.
        kind: Kind of the level.
        client: Who answers.
        manner: How the model is told and read; each game has a seed of its own for its replies.
        folder: Where replies are saved: the same call after an interruption asks only for those that are missing.
        concurrent: Most requests at the same time.
        show: Receives the progress.

    Raises:
        ModelError: A model could not be asked; the replies so far are saved.
    """
    games = []
    for seed in cell.seeds:
        saved = Recorder(client, [], ReplyRecording(folder / f"{seed}.{EXCHANGES}"), reuse=True)
        settings = replace(manner.settings, seed=call_seed(seed, PLANNER, 0))
        games.append(PlanGame(replace(cell.request, seed=seed), kind, saved, replace(manner, settings=settings), cell))
    playing = list(games)
    show.stage(f"playing {cell.request.scenario} with plans", games[0].world.limit, "step")
    while playing:
        asking = [(game, reason) for game in playing if (reason := game.campaign.reason()) is not None]
        if asking:
            side_by_side([partial(game.order, reason) for game, reason in asking], concurrent, lambda order: None)
        for game in playing:
            game.step()
        playing = [game for game in playing if not game.campaign.over]
        show.update(max(game.ticks for game in games), f"{len(playing)} of {plural(len(games), 'episode')} to go")
    return [game.finished() for game in games]


def _calls(order: RequestedPlan) -> list[ModelCall]:
    return [
        ModelCall(
            agent=COMMANDER,
            purpose="plan" if number == 0 else "repair",
            text=reply.text,
            sent=reply.usage.prompt,
            received=reply.usage.reply,
            seconds=reply.seconds,
        )
        for number, reply in enumerate(order.replies)
    ]


_achieved = jax.jit(achieved)
