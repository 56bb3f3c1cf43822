"""`hive household table`: policies that ask no model, on the published episodes and on generated ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import listing
from hive.cli.command import Command, argument, option
from hive.cli.household.table_text import MEASURES, table_object, table_text
from hive.cli.options import Cache, JsonOnly
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.table_players import TablePlayers
from hive.cli.values import index
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty
from hive.kit.keep.places import read_bytes
from hive.kit.reporting import Watch
from hive.worlds.household.policies.names import ABOUT

if TYPE_CHECKING:
    from hive.cli.household.table_players import TeamSet
    from hive.cli.household.trials import TableLine
    from hive.worlds.household.episode import HouseholdEpisode
    from hive.worlds.household.policies.roster import LearnedCosts, PolicyRow
    from hive.worlds.household.utility.own import OwnCosts

FIRST_GENERATED = 20_000
"""Seed of the first generated episode; learned costs come from seeds below 10,000."""


def _policies(begun: str) -> list[str]:
    """Return the policies that a shell offers."""
    return list(ABOUT)


@dataclass(frozen=True, kw_only=True)
class Compare(TablePlayers, JsonOnly, Cache):
    """Settings of `hive household table`."""

    policies: Annotated[
        tuple[str, ...],
        argument(
            "policies of the table, such as shared own; default: all of them, or none with players",
            "POLICY",
            complete=_policies,
        ),
    ] = field(kw_only=False, default=())
    transport: Annotated[bool, option("transport episodes (TDW-MAT) instead of housework")] = False
    agents: Annotated[
        tuple[int, ...], option("sizes of the team, 1 to 4; default: 2", "N", read=index, several=True)
    ] = (2,)
    seeds: Annotated[int, option("plays of each published episode, 0 for none; default: 5", "S", read=index)] = 5
    generated: Annotated[int, option("play N generated episodes too, each once; default: 0", "N", read=index)] = 0
    utility: Annotated[
        Path | None,
        option(
            "costs for the rows `learned`, and for players that show costs, written by `hive household utility --out`; "
            "default: learn them first",
            "FILE",
        ),
    ] = None
    costs: Annotated[
        str | None,
        option(
            "a Python function of your own in place of learned costs, of texts of observations and options",
            "MODULE:FUNCTION",
        ),
    ] = None
    out: Annotated[
        Path | None,
        option(
            "save the table as table.txt, table.json and table.png in this folder; an interrupted run resumes; default "
            "with players: runs/household-table",
            "DIR",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check the sizes of teams, and that something is played.

        Raises:
            UserError: One is out of range, nothing is played, or an option has no effect.
        """
        super().__post_init__()
        self.check_players()
        if not (self.seeds or self.generated):
            raise UserError("--seeds 0 leaves the published episodes out\n  = help: add `--generated N`")
        wrong = [size for size in self.agents if not 1 <= size <= 4]
        if wrong:
            raise UserError(f"a team has 1 to 4 agents, not {wrong[0]}")

    @property
    def rules(self) -> str:
        """The kind of episodes."""
        return "transport" if self.transport else "housework"

    def identity(self, policies: Iterable[str], teams: Sequence[TeamSet], own: OwnCosts | None) -> dict[str, Any]:
        """Return what decides the results, in plain values."""
        return {
            "rules": self.rules,
            "policies": list(policies),
            "agents": list(self.agents),
            "seeds": self.seeds,
            "generated": self.generated,
            "utility": hashlib.sha256(read_bytes(self.utility)).hexdigest() if self.utility else None,
            **({"costs": [*own.identity]} if own else {}),
            **({"players": {each.label: each.identity() for each in teams}} if teams else {}),
        }


def _run(settings: Compare) -> int:
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import EXCHANGES, Content
    from hive.worlds.household.policies.roster import POLICY_ROWS, find_row

    rules = settings.rules
    named = {name: find_row(name) for name in settings.policies}
    unfit = [name for name, row in named.items() if rules not in row.rules]
    if unfit:
        fit = listing([name for name, row in POLICY_ROWS.items() if rules in row.rules], "and")
        raise UserError(f"the policy `{unfit[0]}` does not play {rules}\n  = help: policies of {rules} are {fit}")
    rows = named or {name: row for name, row in POLICY_ROWS.items() if rules in row.rules and not settings.plays}
    settings.use_cache()
    if settings.plays:
        settings = replace(settings, out=settings.usable_folder("household-table"))
    else:
        settings.check_folder(settings.out)
    with watching(quiet=settings.json) as watch:
        results, exchanges = _play(settings, rows, watch)
        text = table_text(rules, results)
        settings.output(table_object(rules, results), "\n" + text, watch.say)
    if settings.out:
        from hive.experiments.plots.household_means import save_means

        found = table_object(rules, results)
        files: dict[str, Content] = {
            **config_file(
                settings.line,
                range(settings.seeds),
                rules=rules,
                policies=[*rows],
                agents=settings.agents,
                generated=settings.generated,
            ),
            "table.txt": text + "\n",
            "table.json": pretty(found),
            "table.csv": csv_text(found["rows"]),
            "table.png": partial(save_means, found["rows"], MEASURES[rules]),
            **({EXCHANGES: exchanges} if settings.plays else {}),
        }
        if "differences" in found:
            files["differences.csv"] = csv_text(found["differences"])
        settings.save_folder(settings.out, files, finish=True)
    return 0


def _play(settings: Compare, rows: dict[str, PolicyRow], watch: Watch) -> tuple[list[TableLine], str]:
    """Play what is not kept yet; return the lines of the table, and what was asked and answered."""
    from hive.cli.household.table_players import play_sets, shows_costs, team_sets
    from hive.cli.household.trials import measure, resume
    from hive.worlds.household.utility.own import own_costs

    own = own_costs(settings.costs) if settings.costs else None  # raises before anything is played
    learns = any(name.startswith(("learned", "kinds")) for name in rows)
    teams = team_sets(settings, settings.agents, _names(settings), _of_costs(settings), watch) if settings.plays else []
    if (settings.utility or settings.costs) and not learns and not shows_costs(teams):
        flag = "--utility" if settings.utility else "--costs"
        raise UserError(
            f"{flag} has no effect here: no policy of the table has learned costs\n"
            "  = help: leave it out, or name a policy such as `learned-shared`"
        )
    given = _given_costs(settings.utility) if settings.utility else None
    asked = settings.identity(rows, teams, own)
    kept = resume(settings.out, asked, settings.restart) if settings.out else None
    folder = kept.folder if kept else None
    try:
        costs = given or (_learned_costs(folder, watch) if learns else None)
        if costs and own:
            costs = replace(costs, estimator=own)
        sets = _episodes(settings) if rows else {}
        lines = measure(rows, settings.agents, settings.seeds, sets, costs, kept, watch)
        played, exchanges = play_sets(teams, folder, settings.concurrent, watch) if folder else ([], "")
        return lines + played, exchanges
    except (UserError, KeyboardInterrupt):
        if folder:
            tell(f"what was played so far is kept in {folder}; the same command resumes from there")
        raise


def _of_costs(settings: Compare) -> dict[str, str]:
    """Return the setting of teams that says what options cost."""
    if settings.utility and not settings.costs:
        return {"utility": str(settings.utility)}
    return {"costs": settings.costs} if settings.costs else {}


def _given_costs(path: Path) -> LearnedCosts:
    """Return the learned costs of a file."""
    from hive.worlds.household.policies.roster import LearnedCosts
    from hive.worlds.household.utility.regression import load

    found = load(path)
    return LearnedCosts(found, found.kinds)


def _learned_costs(progress: Path | None, watch: Watch) -> LearnedCosts:
    """Learn costs now; they are kept with the progress, so that a resumed table has the same ones."""
    from hive.worlds.household.policies.roster import LearnedCosts
    from hive.worlds.household.teams import UTILITY
    from hive.worlds.household.utility.regression import save
    from hive.worlds.household.utility.study import learn_costs

    if progress is None:
        found = learn_costs(watch)
        return LearnedCosts(found, found.kinds)
    if not (progress / UTILITY).exists():
        save(learn_costs(watch), progress / UTILITY)
    return _given_costs(progress / UTILITY)


def _names(settings: Compare) -> dict[str, tuple[list[str], range]]:
    """Return the names of the episodes of each set, and their seeds."""
    from hive.worlds.household.episode import episodes, transports
    from hive.worlds.household.generator import GENERATED_PREFIX
    from hive.worlds.household.houses import TRANSPORT_PREFIX

    sets = {}
    if settings.seeds:
        sets["published"] = [*(transports() if settings.transport else episodes())], range(settings.seeds)
    if settings.generated:
        prefix = TRANSPORT_PREFIX if settings.transport else GENERATED_PREFIX
        numbers = range(FIRST_GENERATED, FIRST_GENERATED + settings.generated)
        sets["generated"] = [f"{prefix}{number}" for number in numbers], range(1)
    return sets


def _episodes(settings: Compare) -> dict[str, list[HouseholdEpisode]]:
    from hive.worlds.household.named import find_episode

    return {label: [find_episode(name) for name in names] for label, (names, _) in _names(settings).items()}


COMMAND = Command(
    settings=Compare,
    run=_run,
    about="Play policies that ask no model, and teams of agents, on published and generated episodes; print means,\n"
    "intervals and paired differences.",
    examples=(
        "hive household table                               all policies on the ten published episodes",
        "hive household table shared own --generated 200    two of them, and 200 generated episodes",
        "hive household table shared --agents 1 2 3 4       sizes of the team",
        "hive household table --transport                   transport rates on the 24 transport episodes",
        "hive household table --player team:liet --player team:coela --agents 2 3 --generated 200 --seeds 0",
    ),
    notes="\n".join(["policies:", *(f"  {name:<17} {about}" for name, about in ABOUT.items())])
    + "\n\nPaired differences are means over the same episodes with half of their 95% interval: each line less the"
    "\nfirst one of its size, of players if there are any, and less its own smallest team."
    "\n\nWith --out the finished plays of each policy, and learned costs, are saved in DIR.progress, and the same"
    "\ncommand resumes from there. At the end that folder is removed and DIR is written atomically."
    "\n\nRules of the policies: docs/rules/household.md 11. `planner`, `subgoals`, `learned` and `kinds` play"
    "\nhousework alone, `rules` transport alone.",
)
