"""Batches that rewards are played in, for the tests of adaptors."""

from __future__ import annotations

from typing import Any

import pytest

from hive.players.llm.rewards import Rewards


def count_batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that receives the sizes of the batches that are scored."""
    sizes: list[int] = []
    score = Rewards.score

    def count(self: Rewards, texts: list[str], progress: Any = None) -> Any:
        sizes.append(len(texts))
        return score(self, texts, progress)

    monkeypatch.setattr(Rewards, "score", count)
    return sizes
