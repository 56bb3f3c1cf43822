"""What `hive ask`, `chat` and `serve` share: how a model is told about a game, a prompt and its reply, what is kept."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from dsl import render
from hive.cli.command import option
from hive.cli.model_options import OneWriter
from hive.cli.options import Changes, Fires, Markers, Wording, World, given
from hive.cli.printing import tell
from hive.cli.values import index, seed
from hive.kit.keep.json_text import pretty
from hive.players.llm.client import REPAIRS

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.players.llm.calling import Caller
    from hive.players.llm.dialogue import Answer
    from hive.players.llm.session import DialogueConfig, Session


# Options that a saved dialogue holds, by their fields:
_SAVED = ("units", "numbers", "written_for", "lenient", "markers", "fire_rules", "seed")


@dataclass(frozen=True, kw_only=True)
class Game(World, Changes, Markers, Fires):
    """The game that a model commands."""

    seed: Annotated[int | None, option("the game's seed; default: 0, or a level's first", "S", read=seed)] = None

    def saved_option(self) -> str | None:
        """Return the first option given that a saved dialogue holds; None where there is none."""
        return next(iter(given(self, _SAVED)), None)


@dataclass(frozen=True, kw_only=True)
class Dialogue(Wording, OneWriter):
    """How a model is told about a game."""

    title: ClassVar[str] = "the dialogue"
    info: Annotated[
        Literal["compact", "full"],
        option("describe groups of units to the model, or every unit as published; default: compact"),
    ] = "compact"
    repairs: Annotated[
        int, option(f"how often a plan with errors is sent back, 0 as published; default: {REPAIRS}", "N", read=index)
    ] = REPAIRS

    plain: Annotated[
        Literal["words"] | None,
        option(
            "let the plain commander answer, which reads orders by rules: the default when no model, recording or "
            "folder of plans is named",
            name="--commander",
        ),
    ] = None

    @property
    def by_rules(self) -> bool:
        """Whether the plain commander answers: no model, recording or folder of plans is named."""
        return not (self.models or self.replay is not None or self.plans)

    def client(self) -> Caller:
        """Return the client that the command asks: the plain commander, unless somebody else is named.

        Raises:
            UserError: See `hive.players.llm.opening.open_client`; or somebody is named beside the plain commander.
        """
        from hive.players.llm.opening import open_client
        from hive.players.words.commander import PlainCommander, refuse_others

        if self.plain:
            refuse_others({"--model": self.models, "--replay": self.replay, "--plans": self.plans})
        return open_client(self.choice(), None, tell, PlainCommander())

    def config(self, converse: bool = False, samples: int = 1) -> DialogueConfig:
        """Return how a model is told about a game.

        Args:
            converse: Whether it may ask and advise.
            samples: Number of replies to the first prompt.
        """
        from hive.players.llm.session import DialogueConfig

        return DialogueConfig(
            full=self.info == "full",
            repairs=self.repairs,
            settings=self.drawn(samples),
            grammar=self.grammar != "off",
            converse=converse,
        )

    def suggestions(self, session: Session) -> tuple[str, ...]:
        """Return the orders that a short recording answers in the world of a session; none where no one answers."""
        found = self.recorded()
        return found.orders(session.world.name) if found else ()


def ask(session: Session, prompt: str, quiet: bool) -> Answer:
    """Send a prompt, print the reply as it comes (with `quiet` on standard error), and say what is wrong with it."""
    stream = sys.stderr if quiet else sys.stdout

    def told(piece: str) -> None:
        stream.write(piece)
        stream.flush()

    def returned(text: str) -> None:
        print(file=stream, flush=True)
        tell("\n".join(f"| {line}" for line in ["sent back to the model:", *text.splitlines()]) + "\n")

    answer = session.prompt(prompt, session.images(), told, returned)
    print(file=stream, flush=True)
    if answer.plan and answer.plan.report.diagnostics:
        tell(render(answer.plan.report.diagnostics))
    return answer


def exchange_files(session: Session, client: Caller) -> dict[str, Content]:
    """Return the files of a run folder that hold what was sent and what came back."""
    from hive.kit.keep.runfolder import EXCHANGES
    from hive.players.llm.saving import dialogue_text, saved

    return {
        "dialogue.md": dialogue_text(session),
        "dialogue.json": pretty(saved(session)),
        EXCHANGES: "".join(line + "\n" for line in client.ledger.lines),
        "usage.json": pretty(client.ledger.json()),
    }
