"""Command an army in plain words: rules read the order and write a plan, which plays one game and becomes a movie."""

from __future__ import annotations

import argparse
import sys

import hive
from dsl import UserError


def main() -> None:
    """Read the order, play its plan with seed 0, and film the game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("order", nargs="?", default="send each type against the enemy that it beats", help="in English")
    parser.add_argument("--scenario", default="exploit_weakness", help="a battle of `hive list`")
    parser.add_argument("--units", type=int, default=100, help="size of your army")
    parser.add_argument("--movie", default="words.gif", help="the file of the movie")
    args = parser.parse_args()

    world = hive.load(args.scenario, units=args.units)
    try:
        order = hive.order(world, args.order)
    except UserError as question:  # nothing of it can be carried out
        sys.exit(str(question))
    print(*order.lines, "", sep="\n")

    print(hive.play(world, order.plan, seeds=[0]).table())
    print(hive.movie(hive.record(world, order.plan, title=args.order), args.movie))


if __name__ == "__main__":
    main()
