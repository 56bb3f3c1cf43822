"""The players of `hive household table`: teams of agents on the episodes of the table, kept so that it resumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from hive.cli.household.trials import TableLine
from hive.cli.table_players import TablePlayers, label_of, variants_of_table
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.kit.team_world import TeamWorld
    from hive.players.varied import Variant, VariedRun

TEAM = "team"
"""The setting that is the size of a team; `--agents` varies it."""


@dataclass(frozen=True)
class TeamSet:
    """A set of episodes for players.

    Attributes:
        label: Name of the set.
        variants: What is played, and by whom, with each size of the team and each varied setting.
    """

    label: str
    variants: Sequence[Variant]

    def identity(self) -> dict[str, Any]:
        """Return what decides its plays, in plain values."""
        from hive.players.varied import identity_of_variants

        return identity_of_variants(self.variants)


def team_sets(
    settings: TablePlayers,
    sizes: Sequence[int],
    sets: Mapping[str, tuple[Sequence[str], Sequence[int]]],
    costs: Mapping[str, str],
    watch: Watch,
) -> list[TeamSet]:
    """Return what players play.

    Args:
        settings: Who plays with what.
        sizes: Of the teams.
        sets: Names of episodes and seeds of each, by the name of their set.
        costs: The setting that says what options cost, for teams that show it; empty: they learn it.
        watch: Receives the progress.

    Raises:
        UserError: A player or a setting is wrong, or a model cannot be asked.
    """
    from hive.cli.team_runs import terms_of
    from hive.kit.team_world import TeamRequest
    from hive.players.teams.frameworks import FAMILIES
    from hive.worlds.household.teams import HouseholdTeams

    if TEAM in [name for name, _ in (*settings.numbers, *settings.vary)]:
        raise UserError(f"the setting `{TEAM}` cannot be used here\n  = help: `--agents 2 3` gives the sizes of teams")
    rules = replace(
        FAMILIES[HouseholdTeams.acting].rules(),
        published=settings.published,
        max_tokens=settings.max_tokens,
        top_p=settings.top_p,
    )
    vary = [(TEAM, [float(size) for size in sizes])]
    found = []
    for label, (names, seeds) in sets.items():

        def load(options: Mapping[str, object], names: Sequence[str] = names) -> TeamWorld:
            return HouseholdTeams(
                TeamRequest(worlds=names, options={**costs, **options}, published=settings.published), compared=True
            )

        terms = terms_of(settings, rules, settings.temperature)
        found.append(TeamSet(label, variants_of_table(settings, load, terms, seeds, watch, vary)))
    return found


def shows_costs(sets: Sequence[TeamSet]) -> bool:
    """Return whether agents of one of the teams see costs of proposals."""
    from hive.worlds.household.teams import COSTED

    return any(player.plays in COSTED for one in sets for each in one.variants for player in each.players)


def play_sets(sets: Sequence[TeamSet], folder: Path, concurrent: int, watch: Watch) -> tuple[list[TableLine], str]:
    """Let the players play what is not finished yet.

    Args:
        sets: What is played.
        folder: Where finished steps are saved; the same call after an interruption resumes there.
        concurrent: Most requests at the same time.
        watch: Receives the progress.

    Returns:
        A line for each player, size and varied setting, and what was asked and answered.
    """
    from hive.players.varied import play_variants

    if not sets:
        return [], ""
    runs: dict[str, VariedRun] = {}
    for each in sets:
        own = folder / each.label
        own.mkdir(exist_ok=True)
        runs[each.label] = play_variants(each.variants, own, concurrent, watch)
    return _lines(runs), "".join(run.exchanges() for run in runs.values())


def _lines(runs: Mapping[str, VariedRun]) -> list[TableLine]:
    """Return the lines of the table, player by player."""
    from hive.worlds.household.results import trial_of

    first = next(iter(runs.values()))
    lines = []
    for number, variant in enumerate(first.variants):
        others = {name: value for name, value in variant.varied.items() if name != TEAM}
        for player in variant.players:
            trials = {
                label: trial_of([game for game in run.runs[number].games if game.player == player.name])
                for label, run in runs.items()
            }
            name = label_of(player.name, others)
            lines.append(TableLine(name, int(variant.varied[TEAM]), player.about, trials, {}))
    names = list(dict.fromkeys(line.name for line in lines))
    return sorted(lines, key=lambda line: (names.index(line.name), line.agents))
