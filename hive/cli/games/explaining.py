"""`hive explain`: which leaf of a unit's tree won at a tick, and why."""

from __future__ import annotations

import argparse

from dsl import UserError
from dsl.wording import plural
from hive.cli.arguments import Parser, Subcommand, add_cache, add_json, add_scenario
from hive.cli.cache import use_cache
from hive.cli.printing import print_json
from hive.cli.progress import watching
from hive.cli.setting import read_good_plan, read_world, tell_rescaled
from hive.cli.values import index, seed


def _options(parser: Parser) -> None:
    add_scenario(parser)
    parser.add_argument(
        "--unit",
        type=index,
        required=True,
        metavar="I",
        help="the unit's id, counted over both sides, the player's units first",
    )
    parser.add_argument(
        "--tick", type=index, required=True, metavar="T", help="explain the decision after T ticks; games begin with 0"
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="the game's seed; default: 0")
    add_json(parser)
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    use_cache(args)
    world = read_world(args)
    text = read_good_plan(args, world)
    mine, theirs = world.sizes
    if args.unit >= mine + theirs:
        ranges = f"the player's are 0 to {mine - 1}, the enemy's {mine} to {mine + theirs - 1}"
        raise UserError(f"there is no unit {args.unit}: {ranges}")
    tell_rescaled(world, args.written_for)
    from hive.engine.reading import compile_text
    from hive.worlds.battle.account import give_account

    with watching(quiet=True) as watch:
        watch.stage(f"playing {plural(args.tick, 'tick')} of seed {args.seed}", max(args.tick, 1), "tick")
        account = give_account(world, compile_text(text, world), text, args.seed, args.unit, args.tick)
    if args.json:
        print_json(account.json())
    else:
        print(account)
    return 0


COMMAND = Subcommand(
    name="explain",
    summary="explain what one unit decided at one tick",
    about="""\
Play a game up to a tick and show what one unit decides then: its state, the step of the plan that
commands it, and its behaviour tree with the result of each leaf, why it failed, and which one won. In this
tree the target types of the plan replace each `any`, and `·` marks leaves that were not run. With --json
each leaf that failed has its reasons in `why`.""",
    examples=(
        "hive explain coordinate --unit 0 --tick 100",
        "hive explain coordinate --unit 1500 --tick 200 --seed 3       an enemy; ids 0 to 999 are the player's",
        "hive explain coordinate --plan my.plan --unit 0 --tick 0 --json",
    ),
    options=_options,
    run=_run,
)
