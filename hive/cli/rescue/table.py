"""`hive rescue table`: the heuristic, its variants and other teams next to the optimum and to published totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import columns
from hive.cli.command import Command, option
from hive.cli.progress import watching
from hive.cli.rescue.instances import Weights
from hive.cli.rescue.table_players import Players, play_players, scores_of
from hive.cli.values import count, seed
from hive.kit.keep.json_text import pretty
from hive.worlds.rescue.codes import LITERAL, VARIANTS

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.worlds.rescue.comparing import Misses
    from hive.worlds.rescue.instance import Instance
    from hive.worlds.rescue.scores import RescueScore

_KINDS = ("urgent", "not urgent", "urgent, censored", "not urgent, censored")
_MISSES = [
    "variant",
    "solved",
    "share",
    "95% interval",
    "victims",
    "mean ratio",
    "+0",
    "+1",
    "+2",
    "+3 to 5",
    "+6 or more",
]
_COLUMNS = {
    "final_victims_amount": "left",
    "num_steps": "steps",
    "total_redundant_agent_moves": "redundant",
    "steps_2_or_more_agents_same_room": "shared",
    "occurrences_2_or_more_agents_same_room": "meetings",
    "average_steps_attend_urgent_victims": "urgent",
    "average_steps_attend_not_urgent_victims": "not urgent",
}


@dataclass(frozen=True, kw_only=True)
class Compare(Weights, Players):
    """Settings of `hive rescue table`."""

    generated: Annotated[
        int | None,
        option(
            "play N generated instances instead of shipped ones, and count by how many steps each variant misses the "
            "optimum",
            "N",
            read=count,
        ),
    ] = None
    seed: Annotated[int, option("seed of generated instances; default: 0", "S", read=seed)] = 0
    beside: Annotated[
        tuple[Path, ...],
        option("a folder of `hive run rescue/...` whose teams are added; may be given several times", "DIR"),
    ] = ()

    def __post_init__(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            UserError: Some do.
        """
        super().__post_init__()
        if self.generated and (self.instances or self.beside):
            raise UserError("--generated cannot be used with names of instances or with --beside")
        if self.generated and self.plays:
            raise UserError(
                "--generated cannot be used with players: variants of the heuristic play generated instances\n"
                "  = help: name single ones, as in `hive rescue table generated/0-176 --player speaker`"
            )
        self.check_players()
        if self.seed and not self.generated:
            raise UserError("--seed belongs to --generated: the heuristic plays a shipped instance always alike")


def _run(settings: Compare) -> int:
    """Play, compare and print.

    Raises:
        UserError: An instance or a file of `--beside` cannot be read, or the folder cannot be written.
    """
    instances = settings.load()
    if settings.plays:
        settings = replace(settings, out=settings.usable_folder("rescue-table"))
    else:
        settings.check_folder(settings.out)
    return _generated(settings) if settings.generated else _shipped(settings, instances)


def _shipped(settings: Compare, instances: list[Instance]) -> int:
    from hive.kit.keep.runfolder import EXCHANGES
    from hive.worlds.rescue.comparing import compare
    from hive.worlds.rescue.optimum.play import OPTIMUM_OBJECTIVES
    from hive.worlds.rescue.score_files import check_single, read_scores, run_of
    from hive.worlds.rescue.scores import with_optimum
    from hive.worlds.rescue.shipped import names, shipped

    instances = instances or [shipped(name) for name in names()]
    others = [score for folder in settings.beside for score in read_scores(folder, instances)]
    own = [*VARIANTS, *(f"best {objective}" for objective in OPTIMUM_OBJECTIVES)]
    check_single([*product(own, [each.name for each in instances]), *map(run_of, others)])
    scores: list[RescueScore] = []
    exchanges: dict[str, Content] = {}
    with watching(quiet=settings.json) as watch:
        if settings.plays and settings.out:
            run = play_players(settings, settings.out, watch, others)
            others += scores_of(run, instances)
            exchanges[EXCHANGES] = run.exchanges()
        watch.stage("playing and searching best plans", len(instances), "instance")
        for number, row in enumerate(compare(instances, settings.urgent_weight), start=1):
            scores += row
            watch.update(number)
    known = {score.instance.name: score for score in scores}
    scores += [with_optimum(score, known[score.instance.name]) for score in others]
    found = _object(scores)
    settings.output(found, _tables(scores, instances))
    if settings.out:
        _write(settings.out, settings, found, {**_pictures(scores), **exchanges})
    return 0


def _object(scores: Sequence[RescueScore]) -> dict[str, Any]:
    from hive.worlds.rescue.scores import OF, PUBLISHED_SCORES, by_team, by_temperature

    teams = by_team(scores)
    return {
        "runs": [score.json() for score in scores],
        "teams": {name: _team_object(mine, teams[LITERAL]) for name, mine in teams.items()},
        **({"temperatures": warm} if (warm := by_temperature(teams)) else {}),
        f"published_of_{OF}": PUBLISHED_SCORES,
    }


def _team_object(scores: Sequence[RescueScore], baseline: Sequence[RescueScore]) -> dict[str, Any]:
    from hive.worlds.rescue.scores import efficiency

    def mean(ratios: Iterable[float | None]) -> float | None:
        known = [ratio for ratio in ratios if ratio is not None]
        return sum(known) / len(known) if known else None

    return {
        "instances": len(scores),
        "victims": sum(len(score.served_at) for score in scores),
        "served": sum(score.served for score in scores),
        "solved": sum(score.solved for score in scores),
        "mean_ratio": mean(score.ratio for score in scores),
        "mean_weighted_ratio": mean(score.weighted_ratio for score in scores),
        "urgency_efficiency": {
            f"{kind}{'_censored' if censored else ''}": efficiency(scores, baseline, kind == "urgent", censored)
            for censored in (False, True)
            for kind in ("urgent", "not_urgent")
        },
    }


def _tables(scores: Sequence[RescueScore], instances: Sequence[Instance]) -> str:
    from hive.worlds.rescue.scores import by_team, by_temperature

    teams = by_team(scores)
    literal = {score.instance.name: score for score in teams[LITERAL]}
    rows = [["instance", "victims", "optimum", *teams]]
    for instance in instances:
        cells = [
            next((_cell(score) for score in mine if score.instance.name == instance.name), "-")
            for mine in teams.values()
        ]
        rows.append([instance.name, str(len(instance.victims)), _number(literal[instance.name].least), *cells])
    metrics = [["literal heuristic", *_COLUMNS.values(), "weighted", "optimum", "ended"]]
    for score in literal.values():
        values = [_number(score.metrics[name]) for name in _COLUMNS]
        metrics.append([score.instance.name, *values, str(score.weighted), _number(score.least_weighted), score.reason])
    further = {name: mine for name, mine in teams.items() if name not in VARIANTS and not name.startswith("best ")}
    tables = [rows, metrics, _team_rows(teams), *([_player_rows(further)] if further else [])]
    if warm := by_temperature(teams):
        tables.append(_temperature_rows(warm))
    return "\n\n".join([*map(columns, tables), _NOTE])


def _temperature_rows(totals: Mapping[str, Mapping[str, int]]) -> list[list[str]]:
    """Return the victims that all models served together at each temperature."""
    rows = [["temperature", "teams with a model", "served", "share"]]
    for name, each in totals.items():
        served = f"{each['served']} of {each['victims']}"
        rows.append([name, str(each["teams"]), served, f"{each['served'] / each['victims']:.3f}"])
    return rows


def _player_rows(teams: Mapping[str, Sequence[RescueScore]]) -> list[list[str]]:
    """Return the share of solved instances of each player with its interval, and the claims of its agents."""
    from hive.kit.intervals import wilson

    rows = [["player", "solved", "share", "95% interval", "false claims"]]
    for name, scores in teams.items():
        share = sum(score.solved for score in scores) / len(scores)
        low, high = wilson(share, len(scores))
        said = [score.claims for score in scores if score.claims]
        false = f"{sum(each[1] for each in said)} of {sum(each[0] for each in said)}" if said else "-"
        solved = f"{sum(score.solved for score in scores)} of {len(scores)}"
        rows.append([name, solved, f"{share:.3f}", f"{low:.3f} to {high:.3f}", false])
    return rows


def _cell(score: RescueScore) -> str:
    """Steps with their ratio to the optimum, or how many victims were served."""
    if score.ratio is None:
        return f"{score.served} of {len(score.served_at)} served"
    return f"{score.steps} ({score.ratio:.2f})"


def _team_rows(teams: dict[str, list[RescueScore]]) -> list[list[str]]:
    from hive.worlds.rescue.scores import OF, PUBLISHED_SCORES

    rows = [["team", "served", "solved", "mean ratio", "weighted ratio", *(f"E {kind}" for kind in _KINDS)]]
    for name, scores in teams.items():
        each = _team_object(scores, teams[LITERAL])
        served, solved = f"{each['served']} of {each['victims']}", f"{each['solved']} of {each['instances']}"
        rows.append(
            [
                name,
                served,
                solved,
                *map(_number, (each["mean_ratio"], each["mean_weighted_ratio"], *each["urgency_efficiency"].values())),
            ]
        )
    if sum(len(score.served_at) for score in teams[LITERAL]) == OF:
        rows += [[f"published: {name}", f"{served:g} of {OF}", *["-"] * 7] for name, served in PUBLISHED_SCORES.items()]
    return rows


def _number(value: float | int | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.2f}"


def _generated(settings: Compare) -> int:
    from hive.worlds.rescue.comparing import compare_generated

    with watching(quiet=settings.json) as watch:
        found = compare_generated(settings.seed, settings.generated or 0, watch)
    objects: dict[str, Any] = {"seed": settings.seed, "teams": [each.json() for each in found]}
    settings.output(objects, _misses(objects["teams"]))
    if settings.out:
        _write(settings.out, settings, objects, _miss_pictures(found))
    return 0


def _misses(teams: Sequence[dict[str, Any]]) -> str:
    rows = [_MISSES]
    for each in teams:
        low, high = each["interval"]
        extra = {int(steps): number for steps, number in each["extra"].items()}
        bins = [(0, 0), (1, 1), (2, 2), (3, 5), (6, max(extra, default=6))]
        counts = [sum(number for steps, number in extra.items() if least <= steps <= most) for least, most in bins]
        rows.append(
            [
                each["team"],
                f"{each['solved']:,} of {each['instances']:,}",
                f"{each['share']:.3f}",
                f"{low:.3f} to {high:.3f}",
                f"{each['served']:,} of {each['victims']:,}",
                _number(each["mean_ratio"]),
                *(f"{number:,}" for number in counts),
            ]
        )
    first = teams[0]["worst"]
    worst = f" {teams[0]['team']} misses most in {first['instance']}, by {first['extra']}." if first else ""
    return f"{columns(rows)}\n\n+N: solved instances that took N steps more than the optimum.{worst}"


def _write(out: Path, settings: Compare, found: dict[str, Any], pictures: dict[str, Content]) -> None:
    from hive.kit.keep.config import config_file

    seeds = [settings.seed] if settings.generated else []
    config = config_file(settings.line, seeds, urgent_weight=settings.urgent_weight)
    files: dict[str, Content] = {**config, "table.json": pretty(found), **_csv(found), **pictures}
    settings.save_folder(out, files, finish=settings.plays)


def _csv(found: Mapping[str, Any]) -> dict[str, Content]:
    """Return the same tables as CSV: a row for each run, and one for each team."""
    from hive.kit.keep.csv_text import csv_text

    teams = found["teams"]
    rows = [{"team": name, **each} for name, each in teams.items()] if isinstance(teams, Mapping) else teams
    runs = {"runs.csv": csv_text(found["runs"])} if "runs" in found else {}
    return {**runs, "teams.csv": csv_text(rows)}


def _pictures(scores: Sequence[RescueScore]) -> dict[str, Content]:
    from hive.experiments.plots.rescue_teams import save_efficiency, save_rescued
    from hive.worlds.rescue.scores import by_team

    teams = by_team(scores)
    return {
        "rescued.png": lambda path: save_rescued(teams, path),
        "urgency.png": lambda path: save_efficiency(teams, LITERAL, path),
    }


def _miss_pictures(found: Sequence[Misses]) -> dict[str, Content]:
    from hive.experiments.plots.rescue_misses import save_misses

    return {"misses.png": lambda path: save_misses(found, path)}


_NOTE = """\
A cell has the steps of a run and their ratio to the optimum, which is proved. Mean ratios are those of solved
instances, for steps and for weighted steps. E is urgency efficiency: a team's average steps by those of the literal
heuristic, below 1 where it is faster; censored: unserved victims count with the limit, the larger one of the two runs.
Published totals belong to instances that are not public, so only their order compares."""


COMMAND = Command(
    settings=Compare,
    run=_run,
    about="""\
Let the heuristic, its variants and other teams play, and compare them with the optimum, which is proved, and
with published totals.""",
    examples=(
        "hive rescue table                                   the heuristic and its variants next to the optimum",
        "hive rescue table --player speaker --vary expiry=0,1 --out some     with a scripted team, twice",
        "hive rescue table --beside runs/rescue-speaker      with the teams of a folder of `hive run rescue/...`",
        "hive rescue table --generated 10000 --out many      what they do on 10,000 generated instances",
    ),
    notes="""\
With --out a folder is written atomically: config.json, table.json, teams.csv, runs.csv and pictures. Players
are always kept: without --out in a new folder in runs/, with exchanges.jsonl, a recording for --replay. What
is finished is saved in DIR.progress, and the same command resumes from there.""",
)
