"""Words of an observation and an option as numbers: all that a learned cost is told (docs/rules/household.md).

Nothing but the two texts is read. The words of the observation count where they say something about the option: the
sentence with the agent's own room, its last action, what it holds, and the sentences that name the option's target.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Int

BUCKETS = 4096
"""Numbers that words are hashed to; 0 is no word."""

PADDING = 0
WORDS = 48
"""Most words of one pair; later ones are dropped, the general ones first in the order."""

_THING = re.compile(r"<([^<>]+)>(?: ?\((\d+)\))?")
_WORD = re.compile(r"[a-z]+")
