"""`hive panel`: the level of drawn battles, by who wins them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dsl import UserError
from dsl.wording import columns, listing, plural
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.commanders import check_names
from hive.cli.options import Cache, JsonOnly
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.values import BadValueError, map_sides, seed_range
from hive.worlds.battle.drawn.classes import CLASSES, PREFIX

if TYPE_CHECKING:
    from hive.experiments.commanders.kept import Folder
    from hive.experiments.panel.journal import PanelJournal
    from hive.experiments.panel.measuring import Told, Trial
    from hive.experiments.panel.members import PanelRow
    from hive.experiments.sets.policies import TrainedPolicy

SIDES = (80, 150)
"""Sides of maps that are measured where nothing else is said, metres."""
_SEARCHES = {"0": 0, "64": 64, "512": 512, "all": 1_000_000}
JOURNAL = "panel.jsonl"
_PLANS = "plans:"  # begins the name of a folder of solutions


def _class(text: str) -> str:
    name = text.removeprefix(PREFIX).rstrip("/")
    if name not in CLASSES:
        raise BadValueError(f"there is no class `{name}` of drawn battles; classes are {listing(CLASSES, 'and')}")
    return name


@dataclass(frozen=True, kw_only=True)
class Panel(JsonOnly, Cache):
    """Settings of `hive panel`."""

    classes: Annotated[
        tuple[str, ...],
        argument(
            "a class of drawn battles, such as rivers; default: all",
            "CLASS",
            read=_class,
            complete=names.classes,
        ),
    ] = field(kw_only=False, default=())
    seeds: Annotated[range, option("the seeds A to B - 1 of each class; default: 0:10", "A:B", read=seed_range)] = (
        range(10)
    )
    sides: Annotated[
        tuple[int, ...],
        option(
            "only battles whose maps have these sides, in metres; default: 80,150",
            "N,N,...",
            read=map_sides,
            joined=True,
        ),
    ] = SIDES
    search: Annotated[
        str,
        option(
            "most plans of the searches where no other member wins; `all` searches for 2,000 games; default: 64",
            choices=tuple(_SEARCHES),
        ),
    ] = "64"
    by: Annotated[
        tuple[str, ...],
        option(
            "who plays: stand, attack, default (there is a search only where all three lose), plans:DIR, the "
            "solutions of a folder of CLASS-SEED.plan, or policy:RUN, which decides no level; may be given several "
            "times; default: stand, attack, default",
            "WHO",
        ),
    ] = ()
    out: Annotated[
        Path,
        option("keep the results in this folder, and go on with those that it holds; default: runs/panel", "DIR"),
    ] = Path("runs/panel")


def _run(settings: Panel) -> int:
    """Play the battles that the journal does not hold, and show all levels.

    Raises:
        UserError: A player is unknown, or the journal is of something else, or cannot be read or written.
    """
    from hive.experiments.panel.journal import PanelJournal
    from hive.experiments.panel.table import csv_of, levels_table, measured, rule_of_levels, with_policies
    from hive.kit.keep.runfolder import whole_file

    if settings.out.exists() and not settings.out.is_dir():
        raise UserError(f"{settings.out} is no folder\n  = help: name a folder with --out")
    members, solutions, policies = _players(settings.by)
    journal = PanelJournal(settings.out / JOURNAL)
    settings.use_cache()
    _measure(settings, journal, members, solutions, policies)
    found = measured(journal.rows)
    if journal.rows:
        with whole_file(settings.out / "levels.csv") as part:
            part.write_text(csv_of(found), encoding="utf-8")
    if settings.json:
        print_json({"battles": [each.json() for each in found]})
        return 0
    rows = [[cells[0], *cells[2:4], *cells[5:]] for cells in with_policies(found)]
    print(columns(rows, {0, 2}))
    print(f"\n{levels_table(found)}\n\nlevels: {rule_of_levels()}")
    return 0


def _players(by: Sequence[str]) -> tuple[list[str], Folder | None, list[TrainedPolicy]]:
    """Return the members without a search, the folder of solutions and the policies that play.

    Raises:
        UserError: One is unknown, there are two folders, or two policies have one name.
    """
    from hive.experiments.commanders.kept import Folder
    from hive.experiments.commanders.naming import read_commander
    from hive.experiments.panel.members import PLAIN, POLICY
    from hive.experiments.sets.policies import read_policy

    named = list(dict.fromkeys(by or PLAIN))
    if wrong := [each for each in named if each not in PLAIN and not each.startswith((POLICY, _PLANS))]:
        raise UserError(
            f"--by {wrong[0]}: there is no such player in a panel\n"
            f"  = help: players are {listing((*PLAIN, f'{_PLANS}DIR', f'{POLICY}RUN'), 'and')}"
        )
    commanders = [read_commander(each) for each in named if each.startswith(_PLANS)]
    folders = [each for each in commanders if isinstance(each, Folder)]
    if len(folders) > 1:
        raise UserError(
            f"--by {_PLANS}{folders[1].folder}: a battle has one solution\n"
            "  = help: put all plans in one folder, or name another folder of results with --out"
        )
    policies = [read_policy(each) for each in named if each.startswith(POLICY)]
    check_names([each.name for each in policies], ())
    return [each for each in PLAIN if each in named], folders[0] if folders else None, policies


def _measure(
    settings: Panel,
    journal: PanelJournal,
    members: Sequence[str],
    solutions: Folder | None,
    policies: Sequence[TrainedPolicy],
) -> None:
    from hive.experiments.panel.measuring import MANY, Trial, measure, play_solution
    from hive.experiments.panel.members import PLAIN, SEARCH
    from hive.worlds.battle.drawn.classes import name_of
    from hive.worlds.battle.drawn.draw import draw_theme

    most = _SEARCHES[settings.search] if len(members) == len(PLAIN) else 0
    due: dict[int, list[str]] = {side: [] for side in settings.sides}
    for seed in settings.seeds:
        for class_name in dict.fromkeys(settings.classes or CLASSES):
            name = name_of(class_name, seed)
            side = draw_theme(class_name, seed).frame.size
            rows = journal.rows.get(name, {})
            if side in due and (
                _lacking(rows, policies)
                or _is_due(rows, members, most)
                or (solutions and _untested(name, rows, solutions))
            ):
                due[side].append(name)
    groups = [names[at : at + MANY] for names in due.values() for at in range(0, len(names), MANY)]
    total = sum(map(len, groups))
    if not total:
        return
    with watching(quiet=settings.json) as watch:
        watch.stage(f"measuring {plural(total, 'battle')}", total, "battle")
        done = 0

        def told(row: PanelRow) -> None:
            journal.add(row)
            watch.update(done, f"{row.battle}: {row.member} wins {row.wins} of {row.games}")

        for group in groups:
            kept = {name: journal.rows.get(name, {}) for name in group}
            trials = [
                Trial(name, {member: row for member, row in rows.items() if member != SEARCH})
                for name, rows in kept.items()
                if _is_due(rows, members, most)
            ]
            measure(trials, most, told, members)
            for name, rows in kept.items():
                if solutions and _untested(name, rows, solutions):
                    told(play_solution(Trial(name), solutions.file(name)))
            for policy in policies:
                _act(policy, [Trial(name) for name, rows in kept.items() if _lacking(rows, [policy])], told)
            done += len(group)
            watch.update(done)
    tell(f"wrote {journal.path}: {plural(len(journal.rows), 'battle')}")


def _is_due(rows: Mapping[str, PanelRow], members: Sequence[str], most: int) -> bool:
    """Return whether a member is to play in a battle, or a search of so many plans."""
    from hive.experiments.panel.members import SEARCH, level_of

    if level_of(rows) is not None:
        return False
    if most == 0:
        return any(member not in rows for member in members)
    return not (SEARCH in rows and (rows[SEARCH].over or rows[SEARCH].budget >= most))


def _untested(battle: str, rows: Mapping[str, PanelRow], solutions: Folder) -> bool:
    """Return whether a folder has a plan for a battle that has not been played.

    Raises:
        UserError: The plan cannot be read.
    """
    from hive.experiments.panel.members import SOLUTION

    text = solutions.written(battle).text
    return bool(text) and not (SOLUTION in rows and rows[SOLUTION].plan == text)


def _lacking(rows: Mapping[str, PanelRow], policies: Sequence[TrainedPolicy]) -> bool:
    """Return whether a policy has not played a battle.

    Raises:
        UserError: Another policy of its name has.
    """
    from hive.experiments.panel.members import POLICY

    found = [(each, rows.get(POLICY + each.name)) for each in policies]
    for policy, row in found:
        if row and row.plan != policy.identity:
            raise UserError(
                f"in {row.battle} another policy of the name {policy.name} has played\n"
                "  = help: rename the folder of the training run, or name another folder with --out"
            )
    return any(row is None for _, row in found)


def _act(policy: TrainedPolicy, trials: Sequence[Trial], told: Told) -> None:
    """Let a policy play battles of one side of the map.

    Raises:
        UserError: It was trained on tasks with other actions or observations.
    """
    from hive.experiments.panel.members import GAMES, POLICY, PanelRow
    from hive.experiments.sets.policies import play_set_policy
    from hive.worlds.battle.drawn.sets import BattleSet, SetBattle

    if not trials:
        return
    battles = BattleSet("the panel", "", "", tuple(SetBattle(trial.name) for trial in trials))
    games = play_set_policy(policy, policy.env(battles, trials), GAMES)
    for trial in trials:
        wins = games[trial.name].outcome.count("win")
        name = POLICY + policy.name
        told(PanelRow(trial.name, trial.digest, name, wins, wins / GAMES, plan=policy.identity))


COMMAND = Command(
    settings=Panel,
    run=_run,
    about="""\
Measure how difficult drawn battles are. Players of rising strength play each of them with the seeds 0 to 7:
one whose units stand still, one that lets all attack, the battle's own plan, and a search where none
of these wins. The level of a battle is the first of them that wins at least half of its games. A battle
that no search of 512 plans wins is of level 5 if a plan of a folder does, and unsolved if 2,000 games of a
search do not win it either. What was not played has no level (docs/rules/sets.md 2).

Each result goes to a journal, so that the same command resumes an interrupted run, and more seeds or a
longer search add to what is there.""",
    examples=(
        "hive panel rivers --seeds 0:200 --out panel      levels of the smaller battles among 200",
        "hive panel --search 0                            ten battles of each class, without searches",
        "hive panel --search all --out panel              search on where 64 plans were not enough",
        "hive panel --by stand --seeds 0:900 --out panel  only finds the battles of level 0",
        "hive panel --by plans:mine --out panel           plans of your own where no search wins",
        "hive panel --by policy:runs/five --out panel     how a trained policy does in them",
    ),
    notes="""\
The folder holds panel.jsonl, the journal with the text of every plan, and levels.csv, one line for each
battle. Only maps of 80 and 150 m are measured by default: larger ones take much longer.""",
)
