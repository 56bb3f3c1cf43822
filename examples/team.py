"""Language agents in a rescue or a kitchen: a scripted speaker answers, and you read what the agents say and reach."""

from __future__ import annotations

import argparse

import hive
from hive.players.llm.endpoint import Endpoint


def main() -> None:
    """Let a team play one game and print its messages with the steps at which they were sent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", default="rescue/map_4/agents", help="such as kitchen/baked_pumpkin_soup")
    parser.add_argument("--model", help="a model to ask instead, such as one of a server on this computer")
    parser.add_argument("--base-url", help="address of its server, which speaks the protocol of OpenAI")
    args = parser.parse_args()

    client = Endpoint(args.model, base_url=args.base_url) if args.model else None
    run = hive.play(args.world, hive.player("team", client=client), seeds=[0])
    for step in run.games[0].transcript.steps:
        for sender, to, text in step.messages:
            print(f"{step.number:3d}  {sender} to {to}: {text}")
    print(run.results.table())


if __name__ == "__main__":
    main()
