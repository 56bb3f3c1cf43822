"""Studies that play many games: leagues, searches, benchmarks, and their plots."""

from __future__ import annotations
