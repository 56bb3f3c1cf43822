"""What the commanders of a game were asked and said, to be read."""

from __future__ import annotations

from dsl.vocabulary import SIDES
from hive.experiments.commanders.playing import CommandedGame
from hive.kit.keep.dialogue import Line, LineKind


def chat_lines(game: CommandedGame) -> list[Line]:
    """Return what both commanders were asked and said, for the page of a replay."""
    found = []
    for said in game.chat:
        order = said.order
        problem = "its budget is used up" if said.outcome == "spent" else order.problem.partition("\n")[0]
        asked = order.asked if said.reason in order.asked else "\n".join(filter(None, (said.reason, order.asked)))
        for kind, text in ((LineKind.ASKED, asked), (LineKind.TALK, order.said), (LineKind.PROBLEM, problem)):
            if text:
                found.append(Line(said.tick, said.side, kind, text))
    return found


def chat_text(game: CommandedGame, names: tuple[str, str]) -> str:
    """Return the same as a text to be read."""
    verbs = {LineKind.ASKED: "is asked", LineKind.TALK: "says", LineKind.PROBLEM: "gives no plan"}
    return "\n".join(
        f"# tick {line.tick}: {names[line.agent]} ({SIDES[line.agent]}) {verbs[line.kind]}\n\n{line.text.strip()}\n"
        for line in chat_lines(game)
    )
