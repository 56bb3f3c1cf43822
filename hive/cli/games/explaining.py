"""`hive explain`: which leaf of a unit's tree won at a tick, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dsl import UserError
from dsl.wording import plural
from hive.cli.command import Command, option
from hive.cli.options import Cache, Changes, Json, PlanOf, World
from hive.cli.progress import watching
from hive.cli.setting import load_battle, load_good_plan, tell_rescaled
from hive.cli.values import index, seed


@dataclass(frozen=True, kw_only=True)
class Explain(World, PlanOf, Changes, Json, Cache):
    """Settings of `hive explain`."""

    unit: Annotated[int, option("the unit's id, counted over both sides, the player's units first", "I", read=index)]
    tick: Annotated[int, option("explain the decision after T ticks; games begin with 0", "T", read=index)]
    seed: Annotated[int, option("the game's seed; default: 0", "S", read=seed)] = 0


def _run(settings: Explain) -> int:
    settings.use_cache()
    world = load_battle(settings.request())
    text = load_good_plan(settings.request(), world)
    mine, theirs = world.sizes
    if settings.unit >= mine + theirs:
        ranges = f"the player's are 0 to {mine - 1}, the enemy's {mine} to {mine + theirs - 1}"
        raise UserError(f"there is no unit {settings.unit}\n  = help: {ranges}")
    tell_rescaled(world, settings.written_for)
    from hive.engine.reading import compile_text
    from hive.worlds.battle.account import give_account

    with watching(quiet=True) as watch:
        watch.stage(f"playing {plural(settings.tick, 'tick')} of seed {settings.seed}", max(settings.tick, 1), "tick")
        account = give_account(world, compile_text(text, world), text, settings.seed, settings.unit, settings.tick)
    settings.output(account.json(), str(account))
    return 0


COMMAND = Command(
    settings=Explain,
    run=_run,
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
)
