"""The settings of `hive serve`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

from dsl import UserError
from hive.cli import names
from hive.cli.command import CommandLine, option
from hive.cli.model.dialogue import Dialogue, Game
from hive.cli.options import Cache, scenario_argument
from hive.cli.subjects import has_enemy, of_planned
from hive.cli.values import BadValueError, count, index
from hive.kit.contract import Kind
from hive.kit.planned_world import OF_PLANS

SCENARIO = "coordinate"
PORT = 8321
_OF_SEATS = ("seat", "player")  # fields of options, here and below
_OF_ENEMY = ("against", "against_every")
OF_COMMANDED = (
    *(name for name in OF_PLANS if name in ("lenient", "written_for", "units", "markers")),
    *("printed_speeds", "map_picture", "prompt_version", "info", "repairs", "plain", "plans", "grammar", "session"),
    *_OF_ENEMY,
)
"""Fields of options that mean nothing where agents play."""
_HERE = "127.0.0.1"


def refused_of_kind(kind: Kind) -> set[str]:
    """Return the fields of options that are refused for a kind of world, whoever plays."""
    ways = [{*of_planned(kind), *_OF_SEATS, *(() if has_enemy(kind) else _OF_ENEMY)}] if kind.planned else []
    return set.intersection(*ways, *([{*OF_COMMANDED, *kind.foreign}] if kind.acting else []))


def _port(text: str) -> int:
    number = index(text)
    if not 1 <= number <= 65535:
        raise BadValueError(f"{number} is no port, allowed is a number from 1 to 65535")
    return number


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where the page is served."""

    title: ClassVar[str] = "the server"
    port: Annotated[int | None, option(f"the port; default: {PORT}, or the next one that is free", "N", read=_port)] = (
        None
    )
    host: Annotated[str, option(f"the address to listen at; default: {_HERE}", "ADDRESS")] = _HERE
    allow_remote: Annotated[
        bool,
        option(
            "allow an address of --host that other computers reach; anyone who has the link commands the game and "
            "spends the model's tokens, and nothing is encrypted"
        ),
    ] = False

    @property
    def remote(self) -> bool:
        """Whether other computers reach the page."""
        return self.host not in (_HERE, "localhost", "::1")


@dataclass(frozen=True, kw_only=True)
class Seats:
    """Who plays a world with agents."""

    title: ClassVar[str] = "worlds with agents"
    seat: Annotated[str | None, option("play the agent of this name yourself, such as Alice or AGENT_1", "NAME")] = None
    player: Annotated[
        str | None,
        option(
            "who plays, or who plays the others: a player by rules, team, or team:FRAMEWORK, as of `hive run`; "
            "default: the world's first player by rules, or --model",
            "NAME",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Against:
    """Who commands the enemy of a battle."""

    title: ClassVar[str] = "the enemy"
    against: Annotated[
        str | None,
        option(
            "let the plain commander command the enemy of a battle, as words or words:ORDER; default: the scenario's "
            "plan",
            "WHO",
        ),
    ] = None
    against_every: Annotated[int, option("ticks between two of its orders; default: 50", "N", read=count)] = 50


@dataclass(frozen=True, kw_only=True)
class Serve(Server, Game, Against, Seats, Dialogue, Cache):
    """Settings of `hive serve`."""

    scenario: Annotated[str, scenario_argument(names.PLAYED, f"; default: {SCENARIO}")] = field(
        kw_only=False, default=""
    )
    session: Annotated[
        Path | None,
        option("keep the session in this file, and resume it if the file exists; default: a new file in runs", "FILE"),
    ] = None
    line: CommandLine = ""

    def __post_init__(self) -> None:
        """Check that an address that other computers reach is meant.

        Raises:
            UserError: It is not.
        """
        super().__post_init__()
        if self.remote and not self.allow_remote:
            raise UserError(
                f"{self.host} is an address that other computers reach: whoever has the link then commands the game, "
                "and nothing is encrypted\n  = help: add --allow-remote if you mean it"
            )
