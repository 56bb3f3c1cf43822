"""What worlds, players and everything above them share: contracts, records, drawings, messages."""

from __future__ import annotations
