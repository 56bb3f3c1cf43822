"""A plan as text: it is checked, played with ten seeds as one compiled batch, and gets a win rate with its interval."""

from __future__ import annotations

import argparse

import hive

PLAN = """
BEGIN PLAN
Step 0:
prerequisites: []
objective: position
units: [0:250, 500:750]
- target position: (40, 40)
- behavior: attack_and_move any
units: [250:500, 750:1000]
- target position: (110, 40)
- behavior: attack_and_move any

Step 1:
prerequisites: [0]
objective: elimination all
units: [0:250]
- target position: (30, 75)
- behavior: attack_and_move any
units: [250:500]
- target position: (120, 75)
- behavior: attack_and_move any
units: [500:1000]
- target position: (75, 75)
- behavior: attack_in_long_range any
END PLAN
"""


def main() -> None:
    """Play the plan; its ids are written for 1,000 units and are rescaled to the size of your army."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="number of games")
    parser.add_argument("--units", type=int, default=100, help="size of your army")
    args = parser.parse_args()

    world = hive.load("coordinate", units=args.units)
    result = hive.play(world, hive.read_plan(PLAN, world), seeds=range(args.seeds))
    print(result.table())

    low, high = result.win_interval
    print(f"won {result.win_rate:.0%} of {args.seeds} games; 95% interval {low:.0%} to {high:.0%}")


if __name__ == "__main__":
    main()
