"""Rows `tick` and `dense`: one tick, its parts, and the same tick with all pairs compared at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

from hive.engine import dynamics
from hive.engine.deciding import Decision, decide
from hive.engine.episode import Game, advance, tick
from hive.engine.objective import judge
from hive.engine.plan import progress
from hive.engine.types import Orders, Params
from hive.engine.units import draws, motion
from hive.engine.units.combat import attack, cool
from hive.engine.units.senses import ask, sense
from hive.experiments.bench.timing import build, clock, measure, milliseconds, peak
from hive.experiments.bench.worlds import MeasuredGame, make_scene
from hive.ground.sizes import current, use

SCENES = (("scattered", "open"), ("contact", "open"), ("scattered", "forest"), ("contact", "forest"))

TICKS = 20  # of a call, where calls are expensive

Figures = dict[str, Any]
Part = Callable[[Params, Orders, Game, Array, Decision], Any]


def run(units: int, parts: bool, scenes: int = len(SCENES)) -> Iterator[Figures]:
    """Time the tick of so many units in the first `scenes` of `SCENES`, which share one program.

    On a processor a tick is one call from the host, on the same state each time. Elsewhere such a call may take
    longer than the tick, so a call plays twenty, and a tick's time is a twentieth. The scenes take turns. `peak_mb` is
    the peak memory of the process after the scene was timed, so only the first line's is that of its scene alone.
    """
    chosen = SCENES[:scenes]
    first = make_scene(units, *chosen[0])
    ticks = 1 if jax.default_backend() == "cpu" else TICKS
    program = build(tick if ticks == 1 else play, *_arguments(first))
    clock(partial(program.call, *_arguments(first)))
    peaks = [peak()]
    made = [first] + [make_scene(units, *each) for each in chosen[1:]]
    calls = [partial(program.call, *_arguments(scene)) for scene in made]
    timings = [timing.of_one(ticks) for timing in measure(*calls, budget=1.5 * len(made))]
    peaks += [peak()] * (len(made) - 1)
    programs = {name: build(part, *_with_decision(first)) for name, part in PARTS.items()} if parts else {}
    opens: dict[str, float] = {}
    for (layout, ground), scene, timing, held in zip(chosen, made, timings, peaks, strict=True):
        figures = {"units": units, "side_m": scene.params.terrain.size, "layout": layout, "ground": ground}
        figures |= milliseconds(timing, "tick") | {"units_per_s": round(units / timing.median), "ticks_a_call": ticks}
        if ground == "open":
            opens[layout] = timing.median
        figures["of_open"] = round(timing.median / opens[layout], 3)
        figures |= program.figures | held
        if parts:
            figures |= _shares(programs, scene)
        yield figures


def play(params: Params, orders: Orders, game: Game, key: Array) -> Game:
    """Play `TICKS` ticks of one game; the key is a scalar."""
    return advance(params, orders, game, key, game.state.tick + TICKS)


def run_dense(units: int, layout: str) -> Iterator[Figures]:
    """Time the tick and the one that compares all pairs `[N, N]`, as the engine does for few units."""
    scene = make_scene(units, layout)
    args = _arguments(scene)
    ours = build(tick, *args)
    with all_pairs():
        dense = build(tick, *args)
    timings = measure(partial(ours.call, *args), partial(dense.call, *args), budget=4.0)
    yield {
        "units": units,
        "layout": layout,
        **milliseconds(timings[0], "tick"),
        **milliseconds(timings[1], "dense"),
        "ratio": round(timings[1].median / timings[0].median, 3),
        "dense_temporary_mb": dense.figures["temporary_mb"],
    }


def all_pairs() -> AbstractContextManager[None]:
    """Compare all pairs at once, for any number of units, in programs made in this context."""
    return use(replace(current(), dense=1 << 30))


def _arguments(scene: MeasuredGame) -> tuple[Params, Orders, Game, Array]:
    return scene.params, scene.orders, scene.game, scene.key


def _with_decision(scene: MeasuredGame) -> tuple[Params, Orders, Game, Array, Decision]:
    return *_arguments(scene), _decide(*_arguments(scene))


@jax.jit
def _decide(params: Params, orders: Orders, game: Game, key: Array) -> Decision:
    return decide(params, orders, game.progress, game.state, draws.tick_word(key, game.state.tick))


def _senses(params: Params, orders: Orders, game: Game, key: Array, decision: Decision) -> Any:
    types = orders.plan.types[jnp.maximum(game.progress.group, 0)]
    asked = ask(params, decision.tree, types)
    return sense(params, game.state, asked, draws.tick_word(key, game.state.tick))


def _moves(params: Params, orders: Orders, game: Game, key: Array, decision: Decision) -> Any:
    return motion.straight_steps(params, game.state, decision.senses, decision.tree)


def _follow(params: Params, orders: Orders, game: Game, key: Array, decision: Decision) -> Any:
    target = orders.plan.target[jnp.maximum(game.progress.group, 0)]
    return motion.follow(params, orders, game.state, target, draws.tick_word(key, game.state.tick))


def _fight(params: Params, orders: Orders, game: Game, key: Array, decision: Decision) -> Any:
    state, struck = attack(params, game.state, decision.action)
    return cool(params, state, struck)


def _move(params: Params, orders: Orders, game: Game, key: Array, decision: Decision) -> Any:
    return dynamics.move(params, game.state, decision.action, draws.tick_word(key, game.state.tick))


PARTS: dict[str, Part] = {
    "senses": _senses,
    "moves": _moves,
    "follow": _follow,
    "decide": lambda params, orders, game, key, decision: _decide(params, orders, game, key),
    "fight": _fight,
    "move": _move,
    "push": lambda params, orders, game, key, decision: dynamics.crowd(params, game.state),
    "plan": lambda params, orders, game, key, decision: progress.advance(params, orders, game.progress, game.state),
    "judge": lambda params, orders, game, key, decision: judge(params, orders, game.progress, game.state),
}


def _shares(programs: dict[str, Any], scene: MeasuredGame) -> Figures:
    """Return milliseconds and shares of the parts, each measured as a separate program.

    `trees` is the time of deciding without senses, moves and follow: the answers of the leaves and the walk. The shares
    refer to the sum of the parts, which is more than the tick, since their results pass through memory.
    """
    args = _with_decision(scene)
    timings = measure(*(partial(program.call, *args) for program in programs.values()))
    took = {name: timing.median for name, timing in zip(programs, timings, strict=True)}
    took["trees"] = max(0.0, took.pop("decide") - took["senses"] - took["moves"] - took["follow"])
    total = sum(took.values())
    return {
        "parts_ms": {name: round(seconds * 1e3, 4) for name, seconds in took.items()},
        "parts_share": {name: round(seconds / total, 4) for name, seconds in took.items()},
    }
