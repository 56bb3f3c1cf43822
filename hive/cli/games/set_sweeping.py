"""`hive sweep SET`: plans in all battles of a set, many battles in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dsl import UserError
from dsl.wording import columns, plural
from hive.cli.progress import watching
from hive.kit.planned_world import Request

if TYPE_CHECKING:
    from hive.engine.batch.result import Result


def sweep_set(settings: Any, sources: Sequence[str | None]) -> int:
    """Play each plan in each battle of a set and print a line for each battle and plan.

    Args:
        settings: Those of `hive sweep`, whose scenario is a set.
        sources: The plans; None is each battle's own.

    Raises:
        UserError: No plan can be played in any of its battles.
    """
    from hive.engine.batch.devices import first_devices
    from hive.engine.batch.mixed import Entry, play_mixed
    from hive.engine.batch.result import unplayed
    from hive.engine.reading import compile_text
    from hive.worlds.battle.drawn.sets import load_set
    from hive.worlds.battle.host import read_plan
    from hive.worlds.battle.world import load

    devices = first_devices(settings.devices)
    found, seeds = load_set(settings.scenario), range(settings.seeds)
    entries: list[Entry] = []
    cells: list[Result | None] = []
    for name in found.names:
        world = load(name)
        for source in sources:
            text = read_plan(Request(scenario=name, plan=source, lenient=settings.lenient), world)
            label = "own" if source is None else text.name
            if text.failure:
                cells.append(unplayed(world, label, seeds, text.failure))
            else:
                entries.append(Entry(world, compile_text(text, world), seeds, name=label))
                cells.append(None)
    if not entries:
        raise UserError(
            f"none of the plans can be played in any battle of {found.name}\n"
            f"  = help: `hive check PLAN --scenario {found.names[0]}` shows what is wrong"
        )
    with watching(quiet=settings.json) as watch:
        games = len(entries) * settings.seeds
        watch.stage(f"playing {plural(games, 'game')} in {plural(len(found.names), 'battle')}", games, "game")
        played = iter(play_mixed(entries, devices=devices, progress=lambda done, _: watch.update(done, "")))
    results = [cell or next(played) for cell in cells]
    settings.output(
        {"set": found.name, "digest": found.digest, "cells": [_cell(result) for result in results]}, _table(results)
    )
    return 0


def _cell(result: Result) -> dict[str, Any]:
    """Return the games of one plan in one battle in plain values."""
    return {name: value for name, value in result.json().items() if name != "seconds"}


def _table(results: Sequence[Result]) -> str:
    """Return a line for each battle and plan, and one of totals."""
    rows = [["battle", "plan", "wins", "mean ticks"]]
    for each in results:
        ticks = "-" if np.isnan(each.ticks).all() else f"{each.ticks.mean():.4g}"  # a plan that was not played has none
        rows.append([each.scenario, each.plan, f"{each.outcomes['win']} of {len(each.seed)}", ticks])
    wins, games = sum(each.outcomes["win"] for each in results), sum(len(each.seed) for each in results)
    return "\n".join([columns(rows, left=(0, 1)), f"{plural(games, 'game')}: {wins} won"])
