"""The framework `plans` of `hive team`: one commander writes plans for a crew; all seeds are played side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from hive.cli.team_episode import Call, Episode, Step
from hive.contract import Kind, Request, Watch
from hive.crews.score import achieved
from hive.llm.campaign import Campaign, Order
from hive.llm.client import Client
from hive.llm.recorded import Recorder, Recording
from hive.llm.session import Manner, Session
from hive.llm.threads import side_by_side
from hive.wildfire.commanders import commander_for
from hive.wildfire.commanders.nothing import Nothing
from hive.wildfire.events import CrewEvents
from hive.wildfire.recording import FireRecording, assemble, watch
from hive.wildfire.reports import report
from hive.wildfire.world import Fireground

COMMANDER = "COMMANDER"  # the one agent of this framework


@dataclass(frozen=True)
class Occasions:
    """When a new plan is asked for.

    Attributes:
        every: Ticks from one plan to the next; None: no period.
        events: Whether events are reasons too.
    """

    every: int | None
    events: bool


class PlanGame:
    """One game with its frames and its steps so far."""

    def __init__(self, request: Request, kind: Kind, client: Client, manner: Manner, when: Occasions) -> None:
        """Load the level and begin a game."""
        session = Session(request, kind, client, manner)
        world: Any = session.world
        self.world: Fireground = world
        commander = commander_for(self.world.site.level)
        self.campaign = Campaign(
            session,
            Nothing().plan(report(self.world, session.state)),
            every=when.every,
            events=CrewEvents(np.asarray(self.world.params.units.type)) if when.events else None,
            own=lambda state: commander.plan(report(self.world, state)),
        )
        self._frames: list[Any] = []
        self._steps: list[Step] = []
        self._start = int(_achieved(self.world.params, session.state))
        self._orders: list[Order] = []

    def request(self) -> str | None:
        """Return why a plan is asked for now, or None."""
        return self.campaign.reason()

    def order(self, reason: str) -> Order:
        """Ask for a plan."""
        order = self.campaign.ask(reason)
        self._orders.append(order)
        return order

    def step(self) -> None:
        """Play one tick."""
        alive = int(np.asarray(self.campaign.session.state.alive).sum())
        seen = self.campaign.play(watch)
        self._frames.append(jax.tree.map(np.asarray, seen))
        orders, self._orders = self._orders, []
        self._steps.append(
            Step(
                number=self.campaign.session.tick,
                score=int(self._frames[-1].score[0]),
                living=alive,
                idle=len(orders),
                calls=tuple(call for order in orders for call in _calls(order)),
                log=tuple(order.remark for order in orders if order.remark),
            )
        )

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.campaign.over

    @property
    def score(self) -> int:
        """The score now."""
        return int(self._steps[-1].score) if self._steps else self._start

    @property
    def plans(self) -> tuple[tuple[int, str], ...]:
        """Every plan with its tick."""
        return tuple((tick, plan.text) for tick, plan in self.campaign.session.plans)

    @property
    def outcome(self) -> str:
        """How the game ended."""
        return self.campaign.session.outcome

    @property
    def ticks(self) -> int:
        """Ticks played."""
        return self.campaign.session.tick

    def episode(self) -> Episode:
        """Return what was said and done."""
        site = self.world.site
        return Episode(seed=site.seed, agents=sum(site.level.agents), start=self._start, steps=tuple(self._steps))

    def recording(self) -> FireRecording:
        """Return the recording of the game."""
        site = self.world.site
        log = jax.tree.map(lambda *leaves: np.concatenate(leaves), *self._frames) if self._frames else None
        title = f"{site.level.title}, seed {site.seed}"
        return assemble(self.world, log, title=title, outcome=self.outcome, plans=self.plans)


def play_plans(
    request: Request,
    kind: Kind,
    seeds: Sequence[int],
    client: Client,
    manner: Manner,
    when: Occasions,
    folder: Path,
    concurrent: int,
    show: Watch,
) -> list[PlanGame]:
    """Play a game for each seed; models are asked for all games at the same time.

    Args:
        request: The level and its changes.
        kind: Its kind.
        seeds: Seeds of the games.
        client: Who answers.
        manner: How the model is told and read.
        when: When it is asked.
        folder: Where replies are saved, so that the same call after an interruption asks only for those that are missing.
        concurrent: Most requests at the same time.
        show: Receives the progress.

    Raises:
        ModelError: A model could not be asked; the replies so far are saved.
    """
    games = []
    for seed in seeds:
        saved = Recorder(client, [], Recording(folder / f"{seed}.exchanges.jsonl"), reuse=True)
        games.append(PlanGame(replace(request, seed=seed), kind, saved, manner, when))
    playing = list(games)
    show.stage(f"playing {request.scenario} with plans", games[0].world.limit, "tick")
    while playing:
        asking = [(game, reason) for game in playing if (reason := game.request()) is not None]
        if asking:
            side_by_side([partial(game.order, reason) for game, reason in asking], concurrent, lambda order: None)
        for game in playing:
            game.step()
        playing = [game for game in playing if not game.over]
        tick = max(game.ticks for game in games)
        show.update(tick, f"{len(playing)} of {len(games)} games go on")
    return games


def _calls(order: Order) -> list[Call]:
    return [
        Call(
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
