"""`hive run wildfire/LEVEL`: a commander, or one plan, plays a level on the maps of some seeds."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dsl import DslError, UserError, render
from hive.cli.arguments import PUBLISHED
from hive.cli.cache import use_cache
from hive.cli.printing import plural, print_json, tell, verdict
from hive.cli.progress import Watch, watching
from hive.cli.setting import read_level, read_plan
from hive.keep.runfolder import check_writable, free_folder
from hive.plan.text import PlanText
from hive.wildfire.commanders import commander_for
from hive.wildfire.games import play_level
from hive.wildfire.levels import Level, find_level, levels
from hive.wildfire.recording import FireRecording, gather
from hive.wildfire.recording import watch as keep_frames
from hive.wildfire.reports import Commander, Report
from hive.wildfire.result import LevelGame, LevelResult, summary
from hive.wildfire.score_files import NOTHING
from hive.wildfire.world import PREFIX, Fireground

ALL = f"{PREFIX}all"
_METHODS = {"nothing": NOTHING}  # what results call a commander, where that is not its name


@dataclass(frozen=True)
class Order:
    """A level to play.

    Attributes:
        name: Of the level, `wildfire/` included.
        seeds: Of its maps.
        method: What results call the commander.
        commander: Makes one for a game.
    """

    name: str
    seeds: Sequence[int]
    method: str
    commander: Callable[[Level], Commander]


@dataclass(frozen=True)
class Kept:
    """A level that was played, and the first seed's game where it was asked for."""

    result: LevelResult
    recording: FireRecording | None


class FixedPlan:
    """A commander that writes one plan, whatever happens."""

    every = 5

    def __init__(self, text: str) -> None:
        """Keep the plan's text."""
        self.text = text

    def plan(self, report: Report) -> str:
        """Return the plan."""
        return self.text


def run_levels(args: argparse.Namespace) -> int:
    """Play the level, or all of them, that the words of `hive run` ask for.

    Raises:
        UserError: Anything is wrong with them; nothing was played.
    """
    use_cache(args)
    if args.out:
        check_writable(args.out, args.overwrite)
    text = _read_text(args)
    if text and text.report.diagnostics:
        tell(render(text.report.diagnostics))
    if text and text.failure:
        why = "there is no plan" if text.failure == "no_plan" else f"{verdict(text.report.diagnostics)} in the plan"
        tell(f"\nnot played: {why}")
        if args.json:
            for order in _orders(args, text):
                ends = [text.failure] * len(order.seeds)
                print_json({"scenario": order.name, "method": order.method, "seeds": [*order.seeds], "outcomes": ends})
        return 2
    orders = _orders(args, text)
    folder = args.out
    if args.movie and not folder:
        place = args.scenario.replace("/", "-")
        folder = free_folder(f"{place}-{orders[0].method}-{orders[0].seeds[0]}".replace(" ", "_"), args.overwrite)
        check_writable(folder, args.overwrite)
    with watching() as watch:
        played = []
        for order in orders:
            played.append(_play(order, args, watch, keep=folder is not None))
            if args.json:
                print_json(played[-1].result.json())
            else:
                watch.say(f"\n{played[-1].result.table()}")
        if len(played) > 1 and not args.json:
            watch.say(f"\n{summary([each.result for each in played])}")
        if folder:
            from hive.cli.level_keeping import keep_levels

            for line in keep_levels(folder, args, text, played, watch):
                tell(line)
    return 0


def _read_text(args: argparse.Namespace) -> PlanText | None:
    """Return the plan of `--plan`, checked against the level."""
    if args.plan is None:
        return None
    if args.commander is not None:
        raise UserError("a level is played by a plan or by a commander: leave out --plan or --commander")
    if args.scenario == ALL:
        raise UserError(f"a plan is written for one level, and {ALL} is all of them\n  = help: name one of them")
    return read_plan(args, read_level(args, args.scenario, args.seed))


def _orders(args: argparse.Namespace, text: PlanText | None) -> list[Order]:
    """Return what is to be played, once all of it is known to be right."""
    names = [PREFIX + name for name in levels()] if args.scenario == ALL else [args.scenario]
    found = [_order(args, name, text) for name in names]
    for order in found:
        for seed in order.seeds:
            world = read_level(args, order.name, seed)
        order.commander(world.site.level)
    return found


def _order(args: argparse.Namespace, name: str, text: PlanText | None) -> Order:
    level = find_level(name.removeprefix(PREFIX))
    seeds: Sequence[int] = [level.seeds[0] if args.seed is None else args.seed]
    if args.seeds is not None:
        seeds = level.seeds if args.seeds == PUBLISHED else range(args.seeds)
    if text:
        return Order(name, seeds, args.method or text.name, lambda level: FixedPlan(text.text))
    who = args.commander or "scripted"
    return Order(name, seeds, args.method or _METHODS.get(who, who), lambda level: commander_for(level, who))


def _play(order: Order, args: argparse.Namespace, watch: Watch, keep: bool) -> Kept:
    """Play all seeds of a level; keep every tick of the first one's game where that is asked for."""
    games: list[LevelGame] = []
    recording = None
    began = time.monotonic()
    for seed in order.seeds:
        world: Fireground = read_level(args, order.name, seed)
        level = world.site.level
        some = f", {plural(len(order.seeds) - len(games), 'game')} left" if len(order.seeds) > 1 else ""
        doing = "playing" if games else "compiling and playing"
        watch.stage(f"{doing} {order.name}, seed {seed}{some}", level.limit, "tick")
        try:
            played = play_level(
                world,
                order.commander(level),
                watch=keep_frames if keep else None,
                progress=lambda tick, score: watch.update(tick, f"score {score:,}"),
            )
        except DslError as error:  # the user's plan was checked before, so this one is ours
            raise RuntimeError(f"{order.method} wrote a plan that is wrong, on seed {seed}") from error
        if keep and not games:
            recording = gather(played)
        games.append(LevelGame.of(played))
    result = LevelResult(
        name=order.name,
        level=level,
        method=order.method,
        changes=dict(args.rules),
        games=tuple(games),
        seconds=time.monotonic() - began,
    )
    return Kept(result, recording)
