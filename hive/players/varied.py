"""Runs side by side in one folder: of a world with several values of its settings, or of several worlds."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dsl.wording import columns
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty
from hive.kit.keep.runfolder import EXCHANGES, Content, folder_name
from hive.kit.reporting import Watch
from hive.kit.team_world import TeamGame, TeamWorld
from hive.players.costs import Costs, costs_files, costs_table, shown_value
from hive.players.overlap import overlap_files, overlap_rows
from hive.players.running import Film, RunPlayer, TeamRun, identity_of, play_team_run, scores_file


@dataclass(frozen=True)
class Variant:
    """A world with some values of its settings, or one of several worlds.

    Attributes:
        varied: The settings by name.
        world: The world with them.
        players: Who plays it.
        seeds: Of its games.
        name: Name of the world where several are played; else empty.
    """

    varied: Mapping[str, float | str]
    world: TeamWorld
    players: Sequence[RunPlayer]
    seeds: Sequence[int]
    name: str = ""

    @property
    def label(self) -> str:
        """Name of its folder, such as `firefighters-3` or `wildfire-rescue_search`."""
        if self.name:
            return folder_name(self.name)
        return folder_name("-".join(f"{name}-{shown_value(value)}" for name, value in self.varied.items()))


@dataclass(frozen=True)
class VariedRun:
    """Finished runs of the variants of a world, in their order; see `hive.players.running.TeamRun`."""

    variants: Sequence[Variant]
    runs: Sequence[TeamRun]

    @property
    def games(self) -> list[TeamGame]:
        """The games of all variants."""
        return [game for run in self.runs for game in run.games]

    def name_of(self, game: TeamGame) -> str:
        """Return the folder of a game inside that of the run."""
        for variant, run in zip(self.variants, self.runs, strict=True):
            if any(each is game for each in run.games):
                return f"{variant.label}/{run.name_of(game)}"
        raise KeyError(game.name)

    def exchanges(self) -> str:
        """Return what was asked and answered, a recording that repeats the games."""
        return "".join(run.exchanges() for run in self.runs)

    @cached_property
    def costs(self) -> list[Costs]:
        """The costs of each player, its variants one below the other."""
        found = [each for run in self.runs for each in run.costs]
        names = list(dict.fromkeys(each.player for each in found))
        return sorted(found, key=lambda each: names.index(each.player))

    def json(self) -> dict[str, Any]:
        """Return players, figures and games of each variant in plain values."""
        runs = [
            {**({"world": each.name} if each.name else {"varied": dict(run.varied)}), **run.json()}
            for each, run in zip(self.variants, self.runs, strict=True)
        ]
        return {"players": self.runs[0].json()["players"], "variants": runs}

    def scores(self) -> list[dict[str, Any]]:
        """Return the scores of each variant and player, for `hive competency`; empty where it reads none."""
        return [row for run in self.runs for row in run.scores()]

    def table(self) -> str:
        """Return the mean score of each player by variant, and what a step costs where calls were made."""
        costs = self.costs
        scores = self._by_world() if self.variants[0].name else self._by_setting()
        return "\n\n".join([scores, *([costs_table(costs)] if costs else [])])

    def _by_world(self) -> str:
        """Return a line for each world: the mean score of each player, and its deviation over several seeds."""
        rows = [["mean score ± deviation", "games", *(player.name for player in self.runs[0].players)]]
        for variant, run in zip(self.variants, self.runs, strict=True):
            scores = [[_score(game) for game in run.games if game.player == player.name] for player in run.players]
            rows.append([variant.name, str(len(scores[0])), *map(_mean_and_deviation, scores)])
        return columns(rows, left=(0,))

    def _by_setting(self) -> str:
        """Return a line for each player: its mean score with each value of the settings."""
        shown = [", ".join(f"{name} {shown_value(value)}" for name, value in run.varied.items()) for run in self.runs]
        rows = [["mean score with", *shown]]
        for player in self.runs[0].players:
            scores = [[_score(game) for game in run.games if game.player == player.name] for run in self.runs]
            rows.append([player.name, *(f"{statistics.fmean(each):,.2f}" for each in scores)])
        return columns(rows, left=(0,))

    def files(self, film: Film | None = None, facts: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Content]:
        """Return the files of the run folder by name, without `config.json`; each variant has a folder of its own.

        Args:
            film: Makes movies of the first game of each player and variant; None: none are made.
            facts: What `result.json` holds besides, in plain values.
        """
        files: dict[str, Content] = {
            "result.json": pretty({**facts, **self.json()}),
            "table.txt": self.table() + "\n",
            "games.csv": csv_text([{**run.varied, **row} for run in self.runs for row in run.results.rows()]),
            **scores_file(self.scores()),
            **costs_files(self.costs),
            **overlap_files([{**run.varied, **row} for run in self.runs for row in overlap_rows(run.games)]),
            EXCHANGES: self.exchanges(),
        }
        for variant, run in zip(self.variants, self.runs, strict=True):
            own = run.files(film, {**facts, "varied": dict(run.varied)})
            files |= {f"{variant.label}/{name}": content for name, content in own.items() if name != EXCHANGES}
        return files


def play_variants(variants: Sequence[Variant], folder: Path, concurrent: int, watch: Watch) -> VariedRun:
    """Play the variants one after the other; see `hive.players.running.play_team_run`."""
    runs = []
    for variant in variants:
        own = folder / variant.label
        own.mkdir(exist_ok=True)
        runs.append(
            play_team_run(variant.world, variant.players, variant.seeds, own, concurrent, watch, varied=variant.varied)
        )
    return VariedRun(variants, runs)


def identity_of_variants(variants: Sequence[Variant]) -> dict[str, Any]:
    """Return what decides a run of several variants, in values that JSON keeps."""
    return {"variants": {each.label: identity_of(each.world, each.players, each.seeds) for each in variants}}


def _score(game: TeamGame) -> float:
    return game.transcript.steps[-1].score if game.transcript.steps else game.transcript.start


def _mean_and_deviation(scores: Sequence[float]) -> str:
    deviation = f" ± {statistics.stdev(scores):,.2f}" if len(scores) > 1 else ""
    return f"{statistics.fmean(scores):,.2f}{deviation}"
