"""A commander of your own: a function that looks at the game every few ticks and writes a plan."""

from __future__ import annotations

import argparse

import hive


def write_plan(world: hive.EngineWorld, state: hive.State) -> str:
    """Send each type of unit to the living enemies of the type that it beats, or to the others if there are none.

    A language model would read `world.describe(state).full` here, and its reply would be the plan.
    """
    assert isinstance(world, hive.ReadableWorld), "battles tell their facts"
    facts = world.facts(state)
    lines = ["BEGIN PLAN", "Step 0:", "prerequisites: []", "objective: elimination all"]
    for mine, theirs in facts.beats:
        ids = [number for number, each in enumerate(facts.own.types) if each == mine]
        prey = facts.foe.alive & [each == theirs for each in facts.foe.types]
        x, y = facts.foe.position[prey if prey.any() else facts.foe.alive].mean(0)
        way = "attack_in_long_range" if mine == "archer" else "attack_in_close_range"
        target = theirs if prey.any() else "any"
        lines += [f"units: {ids}", f"- target position: ({x:.0f}, {y:.0f})", f"- behavior: {way} {target}"]
    return "\n".join([*lines, "END PLAN"])


def main() -> None:
    """Ask for a new plan every few ticks until the game is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", default="exploit_weakness", help="a battle of `hive list`")
    parser.add_argument("--units", type=int, default=100, help="size of your army")
    parser.add_argument("--every", type=int, default=50, help="ticks between two calls")
    args = parser.parse_args()

    world = hive.load(args.scenario, units=args.units)
    game = hive.command(world, write_plan, every=args.every)
    print(f"{len(game.texts)} plans, at the ticks {', '.join(str(tick) for tick, _ in game.texts)}")
    print(game.result.table())


if __name__ == "__main__":
    main()
