"""Capacities of battles by the side of their map: what drawn battles are drawn for, and what batches pad them to."""

from __future__ import annotations

from collections.abc import Mapping

UNITS: Mapping[int, int] = {80: 64, 150: 160, 250: 320, 400: 640}
"""Sides of maps in metres, and for each the most units of both sides together of a drawn battle."""
