"""`hive household table`: policies that ask no model, on the published episodes and on generated ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import listing, plural
from hive.cli.command import Command, argument, option
from hive.cli.options import Cache, JsonOnly, ResumedFolder
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.cli.values import games, index
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.places import read_bytes
from hive.kit.reporting import Watch
from hive.worlds.household.policies.names import ABOUT

if TYPE_CHECKING:
    from hive.cli.household.trials import TableLine
    from hive.worlds.household.episode import HouseholdEpisode
    from hive.worlds.household.policies.roster import LearnedCosts, PolicyRow
    from hive.worlds.household.policies.trials import PolicyTrial

FIRST_GENERATED = 20_000
"""Seed of the first generated episode; learned costs come from seeds below 10,000."""

PUBLISHED = {
    "LIET": "40.3 (GPT-4o), 50.4 (LLaMA 3.1-70B)",
    "LIET without the utility": "52.7 (GPT-4o)",
    "LIET with guessed costs": "57.6 (GPT-4o)",
    "LIET without evolving": "49.3 (GPT-4o)",
    "CoELA": "48.4, 58.8",
    "ProAgent": "61.0, 64.4",
    "RoCo": "64.7, 73.9",
    "MHP": "75",
    "LIET, three and four agents": "34.9, 33.1 (GPT-4o)",
}
"""Mean steps of the paper's tables 1, 3 and 4, symbolic observation, on the ten episodes of the real simulator."""

PUBLISHED_RATES = {
    "LIET": "87.1, 80.4",
    "CoELA": "84.6, 80.0",
    "ProAgent": "82.0, 79.6",
    "RoCo": "85.8, 80.4",
    "RHP": "75",
}
"""Transport rates in percent of the paper's table 2, with oracle perception."""

_WHAT = {"housework": "steps", "transport": "transport rate, %"}

WARNING = (
    "The published values come from other simulators and from language models: orders of methods may be compared,"
    " numbers may not."
)


def _policies(begun: str) -> list[str]:
    """Return the policies that a shell offers."""
    return list(ABOUT)


@dataclass(frozen=True, kw_only=True)
class Compare(ResumedFolder, JsonOnly, Cache):
    """Settings of `hive household table`."""

    policies: Annotated[
        tuple[str, ...],
        argument(
            "policies of the table, such as shared own; default: all of them",
            "POLICY",
            complete=_policies,
        ),
    ] = field(kw_only=False, default=())
    transport: Annotated[bool, option("transport episodes (TDW-MAT) instead of housework")] = False
    agents: Annotated[
        tuple[int, ...], option("sizes of the team, 1 to 4; default: 2", "N", read=index, several=True)
    ] = (2,)
    seeds: Annotated[int, option("plays of each published episode; default: 5", "S", read=games)] = 5
    generated: Annotated[int, option("play N generated episodes too, each once; default: 0", "N", read=index)] = 0
    utility: Annotated[
        Path | None,
        option(
            "costs for the rows `learned`, written by `hive household utility --out`; default: learn them first", "FILE"
        ),
    ] = None
    out: Annotated[
        Path | None,
        option(
            "save the table as table.txt, table.json and table.png in this folder; an interrupted run resumes", "DIR"
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check the sizes of teams.

        Raises:
            UserError: One is out of range.
        """
        wrong = [size for size in self.agents if not 1 <= size <= 4]
        if wrong:
            raise UserError(f"a team has 1 to 4 agents, not {wrong[0]}")

    @property
    def rules(self) -> str:
        """The kind of episodes."""
        return "transport" if self.transport else "housework"

    def identity(self, policies: Iterable[str]) -> dict[str, Any]:
        """Return what decides the results, in plain values."""
        return {
            "rules": self.rules,
            "policies": list(policies),
            "agents": list(self.agents),
            "seeds": self.seeds,
            "generated": self.generated,
            "utility": hashlib.sha256(read_bytes(self.utility)).hexdigest() if self.utility else None,
        }


def _run(settings: Compare) -> int:
    from hive.kit.keep.config import config_file
    from hive.kit.keep.finishing import check_results, finish_run
    from hive.kit.keep.runfolder import Content
    from hive.worlds.household.policies.roster import POLICY_ROWS, find_row

    rules = settings.rules
    named = {name: find_row(name) for name in settings.policies}
    unfit = [name for name, row in named.items() if rules not in row.rules]
    if unfit:
        fit = listing([name for name, row in POLICY_ROWS.items() if rules in row.rules], "and")
        raise UserError(f"the policy `{unfit[0]}` does not play {rules}\n  = help: policies of {rules} are {fit}")
    rows = named or {name: row for name, row in POLICY_ROWS.items() if rules in row.rules}
    settings.use_cache()
    if settings.out:
        check_results(settings.out, settings.overwrite, settings.restart)
    with watching(quiet=settings.json) as watch:
        results = _play(settings, rows, watch)
        text = _text(rules, results)
        if settings.json:
            print_json(_object(rules, results))
        else:
            watch.say("\n" + text)
    if settings.out:
        from hive.experiments.plots.household_means import save_means

        found = _object(rules, results)
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
            "table.png": partial(save_means, found["rows"], _WHAT[rules]),
        }
        finish_run(settings.out, files, settings.overwrite)
        tell(f"wrote {settings.out}: {', '.join(files)}")
    return 0


def _play(settings: Compare, rows: dict[str, PolicyRow], watch: Watch) -> list[TableLine]:
    """Play what is not kept yet; return the lines of the table."""
    from hive.cli.household.trials import measure, resume

    learns = any(name.startswith(("learned", "kinds")) for name in rows)
    if settings.utility and not learns:
        raise UserError(
            "--utility has no effect here: no policy of the table has learned costs\n"
            "  = help: leave it out, or name a policy such as `learned-shared`"
        )
    given = _given_costs(settings.utility) if settings.utility else None
    kept = resume(settings.out, settings.identity(rows), settings.restart)
    try:
        costs = given or (_learned_costs(kept.folder, watch) if learns else None)
        return measure(rows, settings.agents, settings.seeds, _episodes(settings), costs, kept, watch)
    except (UserError, KeyboardInterrupt):
        if kept.folder:
            tell(f"what was played so far is kept in {kept.folder}; the same command resumes from there")
        raise


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
        found = learn_costs(watch=watch)
        return LearnedCosts(found, found.kinds)
    if not (progress / UTILITY).exists():
        save(learn_costs(watch=watch), progress / UTILITY)
    return _given_costs(progress / UTILITY)


def _episodes(settings: Compare) -> dict[str, list[HouseholdEpisode]]:
    from hive.worlds.household.episode import episode, episodes, transports
    from hive.worlds.household.generator import generate
    from hive.worlds.household.houses import generate_transport

    names = transports() if settings.transport else episodes()
    sets = {"published": [episode(name) for name in names]}
    if settings.generated:
        make = generate_transport if settings.transport else generate
        sets["generated"] = [make(FIRST_GENERATED + number) for number in range(settings.generated)]
    return sets


def _text(rules: str, results: Sequence[TableLine]) -> str:
    from dsl.wording import columns

    labels = [*results[0].trials]
    rate = rules == "transport"
    what = _WHAT[rules]
    head = ["policy", "agents"]
    for label in labels:
        counted = f"{len(results[0].trials[label].ticks)} {label}"
        head += [f"{counted}: {what}", *(["ticks"] if rate else []), "not finished"]
    lines = [[*head, "what it is"]]
    for line in results:
        cells = [line.name, str(line.agents)]
        for trial in line.trials.values():
            unfinished = f"{trial.unfinished} of {trial.ticks.size}"
            cells += [*([str(trial.rate)] if rate else []), str(trial.mean), unfinished]
        lines.append([*cells, ABOUT[line.name]])
    notes = ["± half of the 95% interval of the mean over episodes. An episode that is not finished counts its limit."]
    for line in results:
        for label, mean in line.least.items():
            notes.append(
                f"planner, {plural(line.agents, 'agent')}, {label}: {mean.value:.1f} steps in the mean if all "
                "containers were open; the search found no straight tours that need fewer"
            )
    published = PUBLISHED_RATES if rate else PUBLISHED
    listed = "\n".join(f"  {name}: {value}" for name, value in published.items())
    told = "\n".join(notes)
    return f"{columns(lines, left=(0, len(head)))}\n\n{told}\n\npublished {what}:\n{listed}\n{WARNING}"


def _object(rules: str, results: Sequence[TableLine]) -> dict[str, Any]:
    return {
        "rules": rules,
        "rows": [
            {
                "policy": line.name,
                "agents": line.agents,
                **{label: _figures(rules, trial) for label, trial in line.trials.items()},
                **({"least": {label: mean.value for label, mean in line.least.items()}} if line.least else {}),
            }
            for line in results
        ],
        "published": PUBLISHED_RATES if rules == "transport" else PUBLISHED,
        "warning": WARNING,
    }


def _figures(rules: str, trial: PolicyTrial) -> dict[str, Any]:
    mean = trial.rate if rules == "transport" else trial.mean
    return {
        "mean": mean.value,
        "margin": mean.margin if mean.count > 1 else None,
        "episodes": mean.count,
        "plays": trial.ticks.size,
        "unfinished": trial.unfinished,
        "ticks": trial.mean.value,
        "each": (trial.share if rules == "transport" else trial.ticks).mean(1).tolist(),
    }


COMMAND = Command(
    settings=Compare,
    run=_run,
    about="Play policies that ask no model on published and generated episodes; print means and intervals.",
    examples=(
        "hive household table                               all policies on the ten published episodes",
        "hive household table shared own --generated 200    two of them, and 200 generated episodes",
        "hive household table shared --agents 1 2 3 4       sizes of the team",
        "hive household table --transport                   transport rates on the 24 transport episodes",
    ),
    notes="\n".join(["policies:", *(f"  {name:<17} {about}" for name, about in ABOUT.items())])
    + "\n\nWith --out the finished plays of each policy, and learned costs, are saved in DIR.progress, and the same"
    "\ncommand resumes from there. At the end that folder is removed and DIR is written atomically."
    "\n\nRules of the policies: docs/rules/household.md 11. `planner`, `subgoals`, `learned` and `kinds` play"
    "\nhousework alone, `rules` transport alone.",
)
