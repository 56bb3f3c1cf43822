"""`hive check`: all errors of plans and trees, before anything is played."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import dsl
import scenarios
from dsl import CheckResult, Diagnostic, PlanContext, Source, Span, UserError
from dsl.vocabulary import OBJECTIVES, SIDES
from dsl.wording import plural
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.options import Markers, WrittenFor
from hive.cli.printing import print_json, verdict
from hive.cli.setting import host_of
from hive.cli.subjects import PLANNED
from hive.cli.values import count, read_text, world_name
from hive.kit.planned_world import Request

_PLAN_LINE = re.compile(r"^[^\w\n]*(begin[ \t]+plan\b|step[ \t]*\d|prerequisites[ \t]*:|units[ \t]*:)", re.I | re.M)
_TREE = re.compile(r"\s*[SFCA]\s*\(")


@dataclass(frozen=True, kw_only=True)
class Check(Markers, WrittenFor):
    """Settings of `hive check`."""

    files: Annotated[
        tuple[str, ...],
        argument("a plan or a tree; `-` reads standard input", "FILE", complete=names.ANY_FILE, dash=True),
    ] = field(kw_only=False)
    scenario: Annotated[
        str | None,
        option(
            "check a plan against this scenario's teams, map and behaviours",
            "NAME|FILE",
            read=world_name,
            complete=names.WORLD,
        ),
    ] = None
    units: Annotated[
        int | None,
        option("with --scenario: as for `hive run --units N`, which rescales the plan", "N", read=count),
    ] = None
    side: Annotated[Literal["player", "enemy"], option("with --scenario: whose plan it is; default: player")] = "player"
    team: Annotated[int | None, option("size of the plan's own team", "N", read=count)] = None
    foes: Annotated[int | None, option("size of the other team", "M", read=count)] = None
    map: Annotated[int | None, option("side of the map in metres", "S", read=count)] = None
    lenient: Annotated[bool, option("only warn of a unit in two groups of a step; the later one has it")] = False
    json: Annotated[bool, option("print one JSON object per file, each on its own line")] = False

    def __post_init__(self) -> None:
        """Refuse options that do not go with each other.

        Raises:
            UserError: The sizes of the teams and the map are given in two ways, or in none where one is needed.
        """
        of_scenario = self.units is not None or self.side != "player" or self.written_for is not None or self.markers
        if self.scenario is None and of_scenario:
            raise UserError(
                "--units, --side, --marker and --written-for go with --scenario\n"
                "  = help: without one, give --team and --foes"
            )
        if self.scenario is not None and (self.team or self.foes or self.map):
            raise UserError("--scenario gives the teams and the map; leave out --team, --foes and --map")

    def context(self) -> tuple[PlanContext, str]:
        """Return the facts that plans are checked against, and a note about them for the user."""
        if self.scenario is None:
            known = PlanContext(
                scenarios.trees(),
                objectives=OBJECTIVES,
                team_size=self.team,
                foe_size=self.foes,
                map_size=self.map,
            )
            return known, ""
        request = Request(scenario=self.scenario, units=self.units, written_for=self.written_for, markers=self.markers)
        return host_of(request).context(request, SIDES.index(self.side))


def _run(settings: Check) -> int:
    context, note = settings.context()
    reports = []
    for file in settings.files:
        try:
            text, name = _read(file)
        except UserError as error:
            if len(settings.files) == 1 and not settings.json:
                raise
            reports.append((_unreadable(file, str(error)), ""))
            continue
        about = "" if is_tree(text, name) else note
        reports.append((check_text(text, name, context, settings.lenient), about))
    for number, (report, about) in enumerate(reports):
        if settings.json:
            print_json(report.json())
        else:
            print(f"{chr(10) if number else ''}{_describe(report, about)}")
    return 0 if all(report.ok for report, _ in reports) else 2


def _read(file: str) -> tuple[str, str]:
    if Path(file).suffix == ".toml":
        raise UserError(
            f"{file} is a scenario or a set of battles, and `hive check` takes plans and trees\n"
            f"  = help: `hive describe {file}` tells what it holds"
        )
    return read_text(file)


def _unreadable(file: str, message: str) -> CheckResult:
    """Return the report of a file that cannot be read, so that the other files are still reported."""
    place = Span(Source(file, ""), 0, 0)
    return CheckResult(file, None, (Diagnostic("file-unreadable", "error", message, place),))


def check_text(text: str, name: str, context: PlanContext | None = None, lenient: bool = False) -> CheckResult:
    """Check a plan or a tree, whichever the text is; a plan without a context may name all trees and objectives."""
    if is_tree(text, name):
        return dsl.check_tree(text, name)
    return dsl.check_plan(text, name, context or PlanContext(scenarios.trees(), objectives=OBJECTIVES), lenient)


def is_tree(text: str, name: str) -> bool:
    """Return whether a text is a tree, by the ending of its file's name, or else by its content."""
    suffix = Path(name).suffix
    if suffix in (".bt", ".plan"):
        return suffix == ".bt"
    return bool(_TREE.match(text.lstrip("\ufeff"))) and not _PLAN_LINE.search(text)


def _describe(report: CheckResult, note: str) -> str:
    """Return the diagnostics, a closing line, and the checks that were left out."""
    blocks = [dsl.render(report.diagnostics)] if report.diagnostics else []
    blocks.append("\n".join(_closing(report, note)))
    return "\n\n".join(blocks)


def _closing(report: CheckResult, note: str) -> list[str]:
    found = verdict(report.diagnostics)
    if not report.ok:
        lines = [f"{report.file}: {found}"]
    elif isinstance(report.root, dsl.PlanSyntax):
        groups = sum(len(step.groups) for step in report.root.steps)
        what = f"a plan of {plural(len(report.root.steps), 'step')} and {plural(groups, 'group')}"
        lines = [f"{report.file}: ok, {what}{f', {found}' if found else ''}"]
    else:
        lines = [f"{report.file}: ok, a behaviour tree{f', {found}' if found else ''}"]
    if note:
        lines.append(f"  {note}")
    lines += [f"  not checked: {skipped}" for skipped in report.skipped]
    if report.skipped:
        lines.append("  give --scenario, or --team, --foes and --map, to check all")
    return lines


COMMAND = Command(
    settings=Check,
    run=_run,
    subjects=PLANNED,
    about="""\
Check plans and behaviour trees and print every error and warning with its place and, where possible, a
hint. Files named `.plan` are plans and files named `.bt` are trees; the content decides for other names.
The exit code is 2 when any file has an error; warnings do not count.""",
    examples=(
        "hive check my.plan                          without sizes; says which checks were left out",
        "hive check my.plan --scenario coordinate    all checks",
        "hive check my.plan --team 60 --foes 15      sizes without a scenario",
        "hive check my.plan --scenario wildfire/scout_fire_small",
        "hive check tree.bt --json                   one JSON object",
        "some-model | hive check - --json            a reply with a plan between its markers",
    ),
    notes="""\
The object is {"file", "ok", "diagnostics": [{"code", "severity", "message", "line", "column", "end_line",
"end_column", "hint"}]}; lines and columns count from 1, and an end is just after the last character. At most
100 diagnostics are listed, errors before warnings; "more" then says how many others there are.""",
)
