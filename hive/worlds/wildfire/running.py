"""One run of wildfire levels: a commander or a plan plays one level, or all, on the maps of some seeds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dsl import DslError
from dsl.wording import plural
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import json_lines, pretty
from hive.kit.keep.record import digest_of
from hive.kit.keep.runfolder import Content
from hive.kit.keep.versions import versioned
from hive.kit.plan_text import PlanText, file_in_turn, name_in_turn, shown
from hive.kit.planned_world import PUBLISHED, Request
from hive.kit.reporting import Watch
from hive.worlds.wildfire.commanders import commander_for
from hive.worlds.wildfire.games import play_level
from hive.worlds.wildfire.levels import ALL_LEVELS, VERSION, Level, find_level, levels
from hive.worlds.wildfire.methods import METHODS
from hive.worlds.wildfire.recording import FireRecording, gather
from hive.worlds.wildfire.recording import watch as keep_frames
from hive.worlds.wildfire.reports import Commander, Report
from hive.worlds.wildfire.result import LevelGameResult, LevelResult, summary
from hive.worlds.wildfire.world import Fireground, load_level, numbers_of


class PlansInTurn:
    """A commander that writes given plans, each from its tick on."""

    def __init__(self, ticked: Sequence[tuple[int, PlanText]]) -> None:
        """Keep the plans with their ticks, the first from 0."""
        self._ticked = ticked
        self.every = math.gcd(5, *(tick for tick, _ in ticked))

    def plan(self, report: Report) -> str:
        """Return the plan of this tick."""
        return next(text.text for tick, text in reversed(self._ticked) if tick <= report.tick)


@dataclass(frozen=True)
class LevelOrder:
    """A level to play.

    Attributes:
        name: Name of the level, `wildfire/` included.
        seeds: Seeds of its maps.
        method: Name of the commander in results.
        commander: Returns a new commander for a game of a level without its seeds.
    """

    name: str
    seeds: Sequence[int]
    method: str
    commander: Callable[[Level], Commander]


def plan_orders(request: Request, ticked: Sequence[tuple[int, PlanText]]) -> list[LevelOrder]:
    """Return the levels to play, after all options were checked.

    Args:
        request: What is asked for.
        ticked: The plans to follow in turn, each with its tick; empty where a commander writes them.

    Raises:
        UserError: A level, setting or commander does not exist, or a value is out of range.
    """
    wanted = levels().values() if request.scenario == ALL_LEVELS else [find_level(request.scenario)]
    orders = [_order(request, level, ticked) for level in wanted]
    for order in orders:
        for seed in order.seeds:
            world = load_level(order.name, seed, **numbers_of(request))
        order.commander(world.site.level.told)
    return orders


def seeds_of(request: Request, level: Level) -> Sequence[int]:
    """Return the seeds of a request: the published ones, the first of all numbers, or a single one."""
    if request.seeds is None:
        return [level.seeds[0] if request.seed is None else request.seed]
    return level.seeds if request.seeds == PUBLISHED else range(int(request.seeds))


def _order(request: Request, level: Level, ticked: Sequence[tuple[int, PlanText]]) -> LevelOrder:
    seeds = seeds_of(request, level)
    if ticked:
        method = request.method or name_in_turn(ticked)
        return LevelOrder(level.name, seeds, method, lambda level: PlansInTurn(ticked))
    who = request.commander or "scripted"
    return LevelOrder(
        level.name, seeds, request.method or METHODS.get(who, who), lambda level: commander_for(level, who)
    )


@dataclass
class LevelRun:
    """One level or all of them, with the same commander or plan; see `hive.kit.planned_world.Run`."""

    request: Request
    ticked: Sequence[tuple[int, PlanText]]  # plans with the ticks from which they hold; empty with a commander
    orders: Sequence[LevelOrder]
    results: list[LevelResult] = field(default_factory=list)
    _recordings: list[FireRecording] = field(default_factory=list)

    @property
    def texts(self) -> list[PlanText]:
        """The plans that were named, if any."""
        return [text for _, text in self.ticked]

    @property
    def remarks(self) -> list[str]:
        """Empty: plans of crews are not rescaled."""
        return []

    @property
    def folder(self) -> str:
        """Default name of the run folder."""
        first = self.orders[0]
        return f"{self.request.scenario.replace('/', '-')}-{first.method}-{first.seeds[0]}".replace(" ", "_")

    def unplayed(self, failure: str) -> list[dict[str, Any]]:
        """Return an object for each level, without scores."""
        return [
            {
                "scenario": order.name,
                "method": order.method,
                "seeds": [*order.seeds],
                "outcomes": [failure] * len(order.seeds),
                "ticks": [None] * len(order.seeds),
            }
            for order in self.orders
        ]

    def play(self, watch: Watch) -> Iterator[LevelResult]:
        """Play all seeds of each level; every tick of a level's first game is recorded when the run is kept."""
        for order in self.orders:
            self.results.append(self._play(order, watch))
            yield self.results[-1]

    def _play(self, order: LevelOrder, watch: Watch) -> LevelResult:
        games: list[LevelGameResult] = []
        began = time.monotonic()
        for seed in order.seeds:
            world: Fireground = load_level(order.name, seed, **numbers_of(self.request))
            level = world.site.level
            some = f", {plural(len(order.seeds) - len(games), 'game')} left" if len(order.seeds) > 1 else ""
            doing = "playing" if games else "compiling and playing"
            watch.stage(f"{doing} {order.name}, seed {seed}{some}", level.limit, "tick")
            try:
                played = play_level(
                    world,
                    order.commander(level.told),
                    watch=keep_frames if self.request.keep else None,
                    progress=lambda tick, score: watch.update(tick, f"score {score:,}"),
                )
            except DslError as error:  # the user's plan was checked before, so this plan is the commander's
                raise RuntimeError(f"{order.method} wrote a plan with errors, on seed {seed}") from error
            if self.request.keep and not games:
                self._recordings.append(gather(played))
            games.append(LevelGameResult.of(played))
        return LevelResult(
            name=order.name,
            level=level,
            method=order.method,
            changes=dict(self.request.numbers),
            games=tuple(games),
            seconds=time.monotonic() - began,
            explained=bool(self.ticked),
        )

    def played(self) -> dict[str, Any]:
        """Return the name of the last level with its version."""
        return {"worlds": [versioned(self.results[-1].level.name, VERSION)]}

    def summary(self) -> str:
        """Return one line for each level if there are several."""
        return summary(self.results) if len(self.results) > 1 else ""

    def config(self) -> dict[str, Any]:
        """Return the settings that repeat the run."""
        request, first = self.request, self.results[0]
        again = [request.scenario]
        again += ["--seeds", str(request.seeds)] if request.seeds else ["--seed", str(first.games[0].seed)]
        again += ["--plan", file_in_turn(0)] if self.ticked else ["--commander", request.commander or "scripted"]
        again += ["--method", first.method] if request.method or request.plan is not None else []
        again += [word for tick, _ in self.ticked[1:] for word in ("--swap", f"{tick}={file_in_turn(tick)}")]
        again += ["--rules", request.fire_rules] if request.fire_rules else []
        for name, value in request.numbers:
            again += ["--set", f"{name}={value}"]
        plans = {tick: digest_of(text.text) for tick, text in self.ticked}
        who = (
            {"plays": "plan", "identity": plans}
            if plans
            else {"plays": "commander", "identity": request.commander or "scripted"}
        )
        return {
            "worlds": {
                versioned(each.level.name, VERSION): [asdict(each.level), dict(each.changes)] for each in self.results
            },
            "players": [{"name": first.method, **who}],
            "again": again,
            "scenario": request.scenario,
            "method": first.method,
            "seeds": {each.level.id: [game.seed for game in each.games] for each in self.results},
            "arguments": {
                "plan": shown(request.plan),
                "swaps": {tick: shown(plan) for tick, plan in request.swaps},
                "commander": request.commander,
                "fire_rules": request.fire_rules,
                "rules": dict(request.numbers),
            },
        }

    def files(self) -> dict[str, Content]:
        """Return results, scores and plans; for several levels, in one folder for each."""
        files: dict[str, Content] = {file_in_turn(tick): text.text for tick, text in self.ticked}
        if len(self.results) > 1:
            files["outcome.jsonl"] = json_lines(each.json() for each in self.results)
        for each in self.results:
            inside = self._inside(each)
            files[f"{inside}outcome.json"] = pretty(each.json())
            files[f"{inside}outcome.csv"] = csv_text(each.rows())
            files[f"{inside}metrics.jsonl"] = _metrics(each)
            for game in each.games:
                files |= {f"{inside}plans/{game.seed}/{tick}.plan": text for tick, text in game.plans}
        return files

    def recordings(self, watch: Watch) -> dict[str, FireRecording]:
        """Return the first game of each level."""
        return {self._inside(each): kept for each, kept in zip(self.results, self._recordings, strict=True)}

    def _inside(self, result: LevelResult) -> str:
        return f"{result.level.id}/" if len(self.results) > 1 else ""


def _metrics(result: LevelResult) -> str:
    """Return a line for each tick of each game, the start included."""
    return json_lines(
        {"seed": game.seed, "tick": tick, "score": score}
        for game in result.games
        for tick, score in enumerate(game.scores)
    )
