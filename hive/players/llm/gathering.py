"""Texts that arrive one by one from many rollouts are scored together, in common batches."""

from __future__ import annotations

import asyncio

from hive.players.llm.rewards import Rewards, Score

PAUSE = 0.05  # seconds during which further texts join a batch


class Gathering:
    """Scores single texts for `asyncio`: those that arrive within a pause, or while a batch plays, share a batch.

    The event loop is not blocked; texts are played in a thread, one batch after another.
    """

    def __init__(self, rewards: Rewards, pause: float = PAUSE) -> None:
        """Score with `rewards`; a batch waits `pause` seconds for texts that arrive together."""
        self.rewards, self._pause = rewards, pause
        self._waiting: list[tuple[str, asyncio.Future[Score]]] = []
        self._working: asyncio.Task[None] | None = None

    async def score(self, text: str) -> Score:
        """Return the score of a text; see `Rewards.score`."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Score] = loop.create_future()
        self._waiting.append((text, future))
        if self._working is None or self._working.done():
            self._working = loop.create_task(self._work())
        return await future

    async def _work(self) -> None:
        """Play batches until no text waits. An error goes to every text of its batch, an interrupt to all."""
        batch: list[tuple[str, asyncio.Future[Score]]] = []
        try:
            while self._waiting:
                await asyncio.sleep(self._pause)
                batch, self._waiting = self._waiting, []
                try:
                    scores = await asyncio.to_thread(self.rewards.score, [text for text, _ in batch])
                except Exception as error:
                    for _, future in batch:
                        if not future.done():
                            future.set_exception(error)
                else:
                    for (_, future), score in zip(batch, scores, strict=True):
                        if not future.done():
                            future.set_result(score)
        finally:
            for _, future in (*batch, *self._waiting):
                if not future.done():
                    future.cancel()
            self._waiting = []
