"""One run of a battle: one plan, or several in turn, played with some seeds and kept in a run folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dsl.vocabulary import SIDES, UNIT_TYPES
from dsl.wording import plural
from hive.engine.batch.playing import play
from hive.engine.batch.result import Result, unplayed
from hive.engine.metrics import Metrics
from hive.engine.reading import compile_text, rescaled
from hive.engine.swapping import with_room
from hive.engine.types import ENEMY, Plan
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty
from hive.kit.keep.record import digest_of
from hive.kit.keep.runfolder import Content
from hive.kit.plan_text import PlanText, file_in_turn, name_in_turn, shown
from hive.kit.planned_world import Request
from hive.kit.reporting import Watch
from hive.worlds.battle.recorder import GameRecorder
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.scenario import portable
from hive.worlds.battle.world import Battle


@dataclass
class BattleRun:
    """One plan, or several in turn, with some seeds; see `hive.kit.planned_world.Run`."""

    request: Request
    world: Battle
    ticked: Sequence[tuple[int, PlanText]]  # plans with the ticks from which they hold, the first from 0
    seeds: Sequence[int]
    enemy_ticked: Sequence[tuple[int, PlanText]] = ()  # the enemy's plans with the ticks from which they hold
    room: Mapping[str, int] | None = None  # least capacities of plans (`with_room`) in arrays that battles share
    _plans: list[tuple[int, Plan]] = field(default_factory=list)
    _result: Result | None = None
    _recorder: GameRecorder | None = None

    @property
    def texts(self) -> list[PlanText]:
        """The plans of both sides, checked."""
        return [text for _, text in (*self.ticked, *self.enemy_ticked)]

    @property
    def name(self) -> str:
        """Name of the plans in results."""
        mine = name_in_turn(self.ticked)
        return f"{mine}, against {name_in_turn(self.enemy_ticked)}" if self.enemy_ticked else mine

    @property
    def remarks(self) -> list[str]:
        """A line if plans are rescaled."""
        return rescaled(self.world, self.request.written_for)

    @property
    def folder(self) -> str:
        """Default name of the run folder."""
        return f"{self.world.name.replace('/', '-')}-{self.texts[0].name}-{self.seeds[0]}"

    def unplayed(self, failure: str) -> list[dict[str, Any]]:
        """One result without games."""
        return [unplayed(self.world, self.name, self.seeds, failure).json()]

    def play(self, watch: Watch) -> Iterator[Result]:
        """Play all games as a batch; the outcome of the first seed is reported as soon as its game has ended."""
        self._plans = [(tick, compile_text(text, self.world)) for tick, text in self.ticked]
        enemies = [(tick, compile_text(text, self.world, ENEMY)) for tick, text in self.enemy_ticked]
        limit, announced, begun = self.world.limit, False, False

        def announce(outcome: str) -> None:
            nonlocal announced
            if not announced:
                announced = True
                watch.say(f"seed {self.seeds[0]}: {outcome.replace('_', ' ')}")

        def progress(tick: int, outcomes: Sequence[str]) -> None:
            nonlocal begun
            if not begun:
                begun = True
                watch.stage("playing", limit, "tick")
            watch.update(tick, f"{outcomes.count('running')} of {plural(len(self.seeds), 'game')} running")
            if outcomes[0] != "running":
                announce(outcomes[0])

        games, units = plural(len(self.seeds), "game"), plural(sum(self.world.sizes), "unit")
        watch.stage(f"compiling {games} of {units}", limit, "tick")
        if enemies or self.room:  # so that games of many changes, or of many battles, share their program
            room = self.room or {}
            self._plans = [(tick, with_room(plan, **room)) for tick, plan in self._plans]
            enemies = [(tick, with_room(plan, **room)) for tick, plan in enemies]
        plan, swaps = self._plans[0][1], self._plans[1:]
        if self.request.keep:
            every = self.request.every or 1
            self._recorder = GameRecorder(self.world, plan, swaps, every=every, enemy_swaps=enemies)
        self._result = play(
            self.world,
            plan,
            self.seeds,
            name=self.name,
            swaps=swaps,
            enemy_swaps=enemies,
            progress=progress,
            recorder=self._recorder,
            params=self.world.padded if self.room else None,
        )
        announce(self._result.outcome[0])
        yield self._result

    def played(self) -> dict[str, Any]:
        """Return the units of both sides, and the name of the battle with its version."""
        return {"units": dict(zip(SIDES, self.world.sizes, strict=True)), "worlds": [self.world.id]}

    def summary(self) -> str:
        """Return an empty text: there is one result."""
        return ""

    def config(self) -> dict[str, Any]:
        """Return the settings that repeat the run."""
        request, result = self.request, self._result
        assert result is not None, "only what was played is kept"
        theirs = self.enemy_ticked
        which = ["--seeds", str(request.seeds)] if request.seeds else ["--seed", str(result.seed[0])]
        swaps = [word for tick, _ in self.ticked[1:] for word in ("--swap", f"{tick}={file_in_turn(tick)}")]
        for tick, _ in theirs:
            swaps += ["--enemy-swap", f"{tick}={file_in_turn(tick, enemy=True)}"]
        written = ["--written-for", "{},{}".format(*request.written_for)] if request.written_for else []
        lenient = ["--lenient"] if request.lenient else []
        plans: dict[Any, Any] = {tick: digest_of(text.text) for tick, text in self.ticked}
        if theirs:
            plans |= {"enemy": {tick: digest_of(text.text) for tick, text in theirs}}
        return {
            "worlds": {self.world.id: portable(self.world.scenario, file_in_turn(0))},
            "players": [{"name": result.plan, "plays": "plan", "identity": plans}],
            "again": ["scenario.toml", *which, *swaps, *written, *lenient],
            "scenario": self.world.name,
            "plan": result.plan,
            "seeds": [int(seed) for seed in result.seed],
            "units": dict(zip(SIDES, self.world.sizes, strict=True)),
            "arguments": {
                "scenario": request.scenario,
                "plan": shown(request.plan),
                "units": request.units,
                "written_for": request.written_for,
                "rules": dict(request.numbers),
                "swaps": {tick: shown(plan) for tick, plan in request.swaps},
                **({"enemy_swaps": {tick: shown(plan) for tick, plan in request.enemy_swaps}} if theirs else {}),
                "lenient": request.lenient,
            },
        }

    def files(self) -> dict[str, Content]:
        """Results, metrics, the scenario and the plans."""
        result = self._result
        assert result is not None, "only what was played is kept"
        scenario, enemy = portable(self.world.scenario, file_in_turn(0))
        return {
            "outcome.json": pretty(result.json()),
            "outcome.csv": csv_text(result.json()["results"]),
            "metrics.jsonl": lambda path: _write_metrics(path, result),
            "scenario.toml": scenario,
            **{file_in_turn(tick): text.text for tick, text in self.ticked},
            **{file_in_turn(tick, enemy=True): text.text for tick, text in self.enemy_ticked},
            **enemy,
        }

    def recordings(self, watch: Watch) -> dict[str, BattleRecording]:
        """The game of the first seed, recorded while it was played."""
        assert self._result is not None and self._recorder is not None, "only what was played to be kept is kept"
        name = self.name if self.texts[0].name == "plan" else f"plan {self.name}"  # a text has no other name
        return {"": self._recorder.recording(f"{self.world.title}: {name}, seed {self.seeds[0]}")}


def _write_metrics(path: Path, result: Result) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for seed, metrics in zip(result.seed, result.metrics, strict=True):
            for line in _metrics_lines(int(seed), metrics):
                file.write(json.dumps(line, allow_nan=False) + "\n")


def _metrics_lines(seed: int, metrics: Metrics) -> Iterator[Mapping[str, Any]]:
    """Yield the metrics after each tick of a game; only unit types that took part are named."""
    alive, health = np.asarray(metrics.alive), np.asarray(metrics.health, float)
    score = np.asarray(metrics.score, float)
    present = [[kind for kind in range(len(UNIT_TYPES)) if alive[:, side, kind].any()] for side in range(len(SIDES))]
    for row, tick in enumerate(np.asarray(metrics.tick).tolist()):
        yield {
            "seed": seed,
            "tick": tick,
            "alive": {
                name: {UNIT_TYPES[kind]: int(alive[row, side, kind]) for kind in present[side]}
                for side, name in enumerate(SIDES)
            },
            "health": {name: round(health[row, side], 3) for side, name in enumerate(SIDES)},
            "steps": int(metrics.achieved[row]),
            "score": round(score[row], 6) if np.isfinite(score[row]) else None,
        }
