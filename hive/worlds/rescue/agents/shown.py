"""What agents of a rescue are shown, as settings (docs/rules/rescue.md 12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.agent_env import Talk
from hive.worlds.rescue.agents.views import HIDDEN, NAMED, WEIGHTED

TRUE, BELIEVED = "true", "believed"
"""What agents see: the true state, or their own belief."""

ALL = "all"
"""The value of a setting of turns without a bound."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What agents read; the defaults are those of every published result.

    Attributes:
        memory: Latest turns of its own that an agent is shown; None: all.
        expiry: Turns of its sender after which a message is deleted; 0: no message is sent; None: it stays.
        urgency: Whether prompts name urgency, hide it, or also say what an urgent victim weighs.
        sight: Whether agents are shown the true state, or what each of them believes.
    """

    memory: int | None = Talk.memory
    expiry: int | None = Talk.expiry
    urgency: str = NAMED
    sight: str = TRUE

    @property
    def talk(self) -> Talk:
        """What of it the turns of agents need."""
        return Talk(memory=self.memory, expiry=self.expiry, shared=self.sight == TRUE)

    def json(self) -> dict[str, Any]:
        """Return what differs from the defaults, in plain values."""
        usual = asdict(Shown())
        return {name: ALL if value is None else value for name, value in asdict(self).items() if value != usual[name]}


WORDS = {"urgency": (NAMED, HIDDEN, WEIGHTED), "sight": (TRUE, BELIEVED)}
"""Settings whose values are words."""

DEFAULT = Shown()

SETTINGS = tuple(asdict(DEFAULT))
"""Names of the settings."""


def read_shown(settings: Mapping[str, Any]) -> Shown:
    """Return what agents are shown.

    Args:
        settings: Values by name; others than `SETTINGS` are ignored.

    Raises:
        UserError: A value is out of range.
    """
    given = {name: settings[name] for name in SETTINGS if name in settings}
    found: dict[str, Any] = {
        name: _word(name, value) if name in WORDS else _turns(name, value) for name, value in given.items()
    }
    return Shown(**found)


def _word(name: str, value: object) -> str:
    """Read one of several words."""
    if value not in WORDS[name]:
        advice = did_you_mean(nearest(str(value), WORDS[name])) or f"write {name}={WORDS[name][-1]}"
        raise UserError(
            f"the setting `{name}` is {listing(WORDS[name], 'or')}, not `{str(value)[:80]}`\n  = help: {advice}"
        )
    return str(value)


def _turns(name: str, value: object) -> int | None:
    """Read a number of turns."""
    if value == ALL:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 0 or value != int(value):
        raise UserError(
            f"the setting `{name}` is a number of turns, 0 or more, or `{ALL}`, not `{str(value)[:80]}`\n"
            f"  = help: write {name}=3, or {name}={ALL}"
        )
    return int(value)
