"""Players: who decides what the units or agents of a world do."""

from __future__ import annotations
