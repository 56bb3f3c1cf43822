"""`hive describe`: a scenario as text, for a commander, or the facts of a task for learners."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from dsl import UserError
from dsl.wording import listing, plural
from hive.cli.arguments import (
    Parser,
    Subcommand,
    add_cache,
    add_fire_rules,
    add_json,
    add_markers,
    add_scenario,
    add_wording,
)
from hive.cli.cache import use_cache
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.setting import host_of, request_of
from hive.cli.values import index, seed


def _options(parser: Parser) -> None:
    add_scenario(parser)
    add_markers(parser)
    add_fire_rules(parser)
    parser.add_argument(
        "--tick", type=index, default=0, metavar="T", help="describe the units after T ticks; default: 0"
    )
    parser.add_argument(
        "--seed", type=seed, metavar="S", help="the game's seed; default: 0, or a level's first published"
    )
    parser.add_argument(
        "--compact", action="store_true", help="groups of units instead of every unit, and a shorter map"
    )
    parser.add_argument(
        "--rules-text",
        action="store_true",
        help="for a level: also state the rules of fire and civilians that the scripted commanders know",
    )
    add_wording(parser)
    add_json(parser)
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    from hive.rl.tasks import tasks

    use_cache(args)
    if args.scenario in tasks():
        return _task(args)
    request = request_of(args)
    kind = host_of(request)
    if args.tick:
        with watching(quiet=True) as watch:
            watch.stage(f"playing {plural(args.tick, 'tick')}", args.tick, "tick")
            scene = kind.describe(request, args.tick)
    else:
        scene = kind.describe(request, 0)
    words = scene.words
    for line in scene.remarks:
        tell(line)
    if scene.tick < args.tick:
        tell(f"the game ended after {plural(scene.tick, 'tick')}")
    if args.json:
        print_json(
            {
                "scenario": scene.world,
                "seed": scene.seed,
                "tick": scene.tick,
                "prompt": words.prompt,
                "system": words.system,
                "state": words.state,
                "compact": words.compact,
                "characters": words.characters,
            }
        )
        return 0
    print(words.compact if args.compact else words.full)
    tell(f"characters: {words.characters['full']:,} in full, {words.characters['compact']:,} compact")
    return 0


def _task(args: argparse.Namespace) -> int:
    """Print the facts of a task for learners.

    Raises:
        UserError: An option is for scenarios and levels only.
    """
    _refuse_options(args, "is a task for learners", ("json",))
    from hive.rl.facts import describe, facts

    if args.json:
        found = facts(args.scenario)
        print_json(
            {
                "task": found.name,
                "summary": found.summary,
                "facts": dict(found.rows),
                "actions": [{"number": number, "action": words} for number, words in found.actions],
            }
        )
    else:
        print(describe(args.scenario))
    return 0


def _refuse_options(args: argparse.Namespace, what: str, allowed: Sequence[str]) -> None:
    """Refuse options that are for scenarios and levels only.

    Raises:
        UserError: One of them is given.
    """
    others = (each for each in COMMAND.parser()._actions if each.dest not in ("scenario", "no_cache", *allowed))
    wrong = [each.option_strings[-1] for each in others if getattr(args, each.dest, each.default) != each.default]
    if wrong:
        raise UserError(
            f"{listing(wrong, 'and')} cannot be used here: {args.scenario} {what}\n"
            "  = help: `hive list` names scenarios and levels"
        )


COMMAND = Subcommand(
    name="describe",
    summary="describe a scenario as text: rules, map, armies, positions of units; or the facts of a task",
    about="""\
Print the text that a commander reads, be it a person or a language model: the rules, the map, the armies,
the plan language and the mission, then the health and position of every unit at a tick, in the published
format. With --compact units are described in groups, so the text stays short for any army. For a wildfire
level the text says what the crew knows: the task, the plan language of crews, and the part of the map that it
has seen. For an order of the kitchen, a rescue or a household it says what its agents know, do and see at the
start. For a task of `hive train` it lists the facts: teams, rewards, observations and all actions.""",
    examples=(
        "hive describe coordinate --compact",
        "hive describe markers_terrain --marker E=120,60",
        "hive describe coordinate --tick 200 --seed 3 --json",
        "hive describe wildfire/rescue_search             a level's task, and what its crew sees at the start",
        "hive describe kitchen/boiled_egg                 what both cooks know, do and see at the start",
        "hive describe rescue/map_7/agents-1              a rescue as its agents know it at the start",
        "hive describe household/cwah_0                   a household as each of its agents knows it at the start",
        "hive describe skirmish_5v5                       what a learner of this task observes, does and is rewarded",
    ),
    options=_options,
    run=_run,
)
