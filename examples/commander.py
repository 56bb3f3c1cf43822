"""A commander of your own: a function that reads the game and writes a plan, or a language model in its place."""

from __future__ import annotations

import argparse

from hive.kit.facts import Facts
from hive.kit.planned_world import Request
from hive.players.llm.client import ChatRequest, Reply, TextSink
from hive.players.llm.endpoint import Endpoint
from hive.players.llm.session import DialogueConfig, Session
from hive.worlds import kind_of


def write_plan(facts: Facts) -> str:
    """Send each type of unit to the living enemies of the type that it beats, or to the others if there are none."""
    lines = ["BEGIN PLAN", "Step 0:", "prerequisites: []", "objective: elimination all"]
    for mine, theirs in facts.beats:
        ids = [number for number, each in enumerate(facts.own.types) if each == mine]
        prey = facts.foe.alive & [each == theirs for each in facts.foe.types]
        x, y = facts.foe.position[prey if prey.any() else facts.foe.alive].mean(0)
        way = "attack_in_long_range" if mine == "archer" else "attack_in_close_range"
        target = theirs if prey.any() else "any"
        lines += [f"units: {ids}", f"- target position: ({x:.0f}, {y:.0f})", f"- behavior: {way} {target}"]
    return "\n".join([*lines, "END PLAN"])


class Mine:
    """Answers in place of a model; everything that has `complete` can command."""

    name = about = "write_plan"

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Return a plan for the game as it stands now."""
        assert request.topic.game is not None, "a battle tells its facts"
        facts, _ = request.topic.game()
        return Reply(write_plan(facts), self.name)


def main() -> None:
    """Ask for a new plan every few ticks until the game is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a model to ask instead, such as one of a server on this computer")
    parser.add_argument("--base-url", help="address of its server, which speaks the protocol of OpenAI")
    parser.add_argument("--units", type=int, default=100, help="size of your army")
    args = parser.parse_args()
    client = Endpoint(args.model, base_url=args.base_url) if args.model else Mine()
    request = Request(scenario="exploit_weakness", units=args.units, seed=0)
    session = Session(request, kind_of(request.scenario), client, DialogueConfig())
    while not session.over:
        answer = session.prompt("Attack, each type against the enemies that it beats.")
        session.play(50)
        mine, theirs = (sum(side) for side in session.live.alive)
        print(f"tick {session.tick:4d}: {answer.kind}, {mine} of our units and {theirs} enemies are alive")
    print(f"{client.name}: {session.outcome} after {session.tick} ticks")


if __name__ == "__main__":
    main()
