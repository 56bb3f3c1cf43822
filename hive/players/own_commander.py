"""`hive.command`: a commander of your own, a function that looks at the game every few ticks and writes plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

import dsl
from hive.engine.batch.playing import play
from hive.engine.batch.result import Result
from hive.engine.episode import Game
from hive.engine.instant import advance_game, begin_game, orders_of, state_at_start
from hive.engine.reading import compile_checked
from hive.engine.swapping import swap, with_room
from hive.engine.types import PLAYER, Outcome, Plan, State
from hive.kit.seeds import check_seeds

if TYPE_CHECKING:
    from hive.engine.world import EngineWorld

Commander = Callable[["EngineWorld", State], str | None]
"""Returns the text of a plan for the game as it stands, or None to go on with the present one."""


@dataclass(frozen=True)
class CommandedGame:
    """A game that a commander led.

    Attributes:
        result: The game, as `hive.play` returns it.
        plan: The first plan.
        swaps: Tick and plan of each later one, as `hive.play` and `hive.record` take them.
        texts: Tick and text of all plans.
    """

    result: Result
    plan: Plan
    swaps: tuple[tuple[int, Plan], ...]
    texts: tuple[tuple[int, str], ...]


def command(world: EngineWorld, commander: Commander, seed: int = 0, *, every: int = 50) -> CommandedGame:
    """Let a function command a game: it is asked before the first tick, every few ticks, and when its plan is finished.

    Args:
        world: What to play on, from `hive.load`.
        commander: Called as `commander(world, state)`. `world.describe(state)` says in words what a model would read,
            `world.facts(state)` in a battle the same as numbers. It returns a plan as text, with ids for armies of
            `world.sizes`, or None to go on with the present plan. A game whose plan is finished ends if no
            other plan follows.
        seed: Of the game.
        every: Ticks between two calls.

    Returns:
        The game with its plans.

    Raises:
        DslError: A plan has errors; the error holds every diagnostic, and its text says how to fix them.
        UserError: The seed is not a whole number in the range of seeds.
        ValueError: `every` is below 1, or the first call returned no plan.
    """
    if every < 1:
        raise ValueError(f"a commander is asked every 1 or more ticks, not {every}")
    check_seeds([seed])
    params, key = world.params, jax.random.key(seed)
    text = commander(world, state_at_start(world, seed))
    if text is None:
        raise ValueError("the first call of the commander returned no plan, and there is none to go on with")
    first = _compiled(text, world)
    texts, swaps = [(0, text)], list[tuple[int, Plan]]()
    orders = orders_of(params, with_room(first))
    game: Game = begin_game(params, orders, key)
    while True:
        game = advance_game(params, orders, game, key, jnp.int32(game.state.tick + every))
        if int(game.outcome) not in (Outcome.RUNNING, Outcome.PLAN_FINISHED):
            break
        if int(game.state.tick) == texts[-1][0]:  # the new plan was finished where it began
            break
        new = commander(world, game.state)
        if new is not None and new != texts[-1][1]:
            tick, plan = int(game.state.tick), _compiled(new, world)
            texts.append((tick, new))
            swaps.append((tick, plan))
            orders, game = swap(params, orders, game, plan)
        elif int(game.outcome) == Outcome.PLAN_FINISHED:
            break
    return CommandedGame(play(world, first, [seed], swaps=swaps), first, tuple(swaps), tuple(texts))


def _compiled(text: str, world: EngineWorld) -> Plan:
    """Compile a commander's reply, which is always the text of a plan, never the name of a file that has one."""
    parsed = dsl.parse_plan(text, "<plan>", world.context(PLAYER, world.sizes))
    return compile_checked(parsed, world, written_for=world.sizes)
