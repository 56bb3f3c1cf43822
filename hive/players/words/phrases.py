"""Phrases of an order: numbers, units, places and what is waited for, each read from where it begins."""

from __future__ import annotations

from hive.players.words.clauses import combined
from hive.players.words.cursor import WORDS, fits
from hive.players.words.events import Events
from hive.players.words.units import NOUN

__all__ = ["NOUN", "WORDS", "Phrases", "combined", "fits"]


class Phrases(Events):
    """Reads phrases from left to right; whoever reads one that does not come leaves the items as they are."""
