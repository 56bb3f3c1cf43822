"""What a run of language agents cost: calls and tokens of a step for each player, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from dsl.wording import columns
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.runfolder import Content
from hive.kit.team_world import TeamGame
from hive.kit.transcript import EpisodeTranscript, per_step


@dataclass(frozen=True, kw_only=True)
class Costs:
    """The costs of one player on one world.

    Attributes:
        world: Name of the world.
        player: Name of the player.
        framework: The way in which it decides.
        about: Who answers, in words.
        manner: What decides how it plays, in plain values.
        unit: What tokens are counted as.
        calls: Fewest and most calls of a step by formula; None without one.
        episodes: The games.
        varied: Settings of the world in which the worlds of a run differ.
    """

    world: str
    player: str
    framework: str
    about: str
    manner: Mapping[str, Any]
    unit: str
    calls: tuple[int, int] | None
    episodes: Sequence[EpisodeTranscript]
    varied: Mapping[str, float | str]

    @property
    def agents(self) -> int:
        """Agents at the start of a game."""
        return self.episodes[0].agents

    def json(self) -> dict[str, Any]:
        """Return the costs of each game and the means of a step, in plain values."""
        return {
            "world": self.world,
            "player": self.player,
            **({"varied": dict(self.varied)} if self.varied else {}),
            **self.facts(),
        }

    def facts(self) -> dict[str, Any]:
        """Return the same without the names of world and player."""
        return {
            "framework": self.framework,
            "agents": self.agents,
            "speaker": self.about,
            "manner": dict(self.manner),
            "token_unit": self.unit,
            "costs": [each.costs() for each in self.episodes],
            "per_step": per_step(self.episodes),
        }

    def row(self) -> dict[str, Any]:
        """Return the means of a step, for a table."""
        least, most = self.calls or (None, None)
        return {
            "world": self.world,
            "player": self.player,
            **self.varied,
            "framework": self.framework,
            "agents": self.agents,
            "games": len(self.episodes),
            "steps": sum(len(each.steps) for each in self.episodes),
            "token_unit": self.unit,
            **per_step(self.episodes),
            "fewest_calls": least,
            "most_calls": most,
            "log_lines": sum(len(step.log) for each in self.episodes for step in each.steps),
        }


def costs_of(games: Sequence[TeamGame], players: Sequence[Any], varied: Mapping[str, float | str]) -> list[Costs]:
    """Return the costs of each world and player, in the order of the games; empty if no call was made.

    Args:
        games: Finished games.
        players: Who played.
        varied: See `Costs`.
    """
    if not any(game.transcript.calls for game in games):
        return []
    who = {player.name: player for player in players}
    found = []
    for world, name in dict.fromkeys((game.env.name, game.player) for game in games):
        mine = [game.transcript for game in games if (game.env.name, game.player) == (world, name)]
        found.append(
            Costs(
                world=world,
                player=name,
                framework=who[name].plays,
                about=who[name].about,
                manner=who[name].manner(),
                unit=who[name].unit,
                calls=who[name].calls(mine[0].agents),
                episodes=mine,
                varied=varied,
            )
        )
    return found


def shown_value(value: float | str) -> str:
    """Return the value of a setting as tables and folders name it."""
    return value if isinstance(value, str) else f"{value:g}"


def costs_table(costs: Sequence[Costs]) -> str:
    """Return a readable table: what one step costs on average, with the fewest and most calls by formula."""
    unit = "words" if all(each.unit == "words" for each in costs) else "tokens"
    several = len({each.world for each in costs}) > 1
    rows = [["cost of a step", "agents", "steps", "calls", "by formula", f"{unit} in", f"{unit} out", "log lines"]]
    for each in costs:
        row = each.row()
        names = [each.world] if several else []
        varied = [f"{name}={shown_value(value)}" for name, value in each.varied.items()]
        rows.append(
            [
                ", ".join([*names, each.player, *varied]),
                str(each.agents),
                str(row["steps"]),
                f"{row['calls'] or 0:,.1f}",
                f"{each.calls[0]} to {each.calls[1]}" if each.calls else "-",
                _shown(row["input_tokens"]),
                _shown(row["output_tokens"]),
                str(row["log_lines"]),
            ]
        )
    return columns(rows, left=(0,))


def costs_files(costs: Sequence[Costs]) -> dict[str, Content]:
    """Return `costs.csv`, and the picture `costs.png` if there are several numbers of agents to compare."""
    files: dict[str, Content] = {"costs.csv": csv_text([each.row() for each in costs])} if costs else {}
    if len({episode.agents for each in costs for episode in each.episodes if episode.steps}) > 1:
        files["costs.png"] = partial(_draw, costs)
    return files


def _draw(costs: Sequence[Costs], path: Path) -> None:
    from hive.players.costs_plot import EpisodeCosts, save_costs  # other pictures load worlds

    rows = [
        EpisodeCosts(
            player=each.player,
            agents=episode.agents,
            calls=rate["calls"] or 0.0,
            sent=rate["input_tokens"],
            received=rate["output_tokens"],
            bounds=each.calls,
        )
        for each in costs
        for episode in each.episodes
        if episode.steps
        for rate in [per_step([episode])]
    ]
    save_costs(rows, path, costs[0].unit)


def _shown(value: float | None) -> str:
    return "not counted" if value is None else f"{value:,.1f}"
