"""`hive format`: the canonical text of a plan or a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated

import dsl
from dsl import CheckResult, DslError, Source, UserError
from dsl.plan_text import find_plan
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.options import Markers
from hive.cli.plans.checking import check_text
from hive.cli.printing import print_json, tell
from hive.cli.setting import host_of
from hive.cli.subjects import PLANNED
from hive.cli.values import read_text, world_name
from hive.kit.planned_world import Request

_MARKER = re.compile(r"\b(BEGIN|END)[ \t]+PLAN\b", re.IGNORECASE)
_UNREAD = ("plan-text-before", "plan-second")  # warnings about text outside the plan


@dataclass(frozen=True, kw_only=True)
class Format(Markers):
    """Settings of `hive format`."""

    file: Annotated[
        str, argument("a plan or a tree; `-` reads standard input", "FILE", complete=names.ANY_FILE, dash=True)
    ] = field(kw_only=False)
    scenario: Annotated[
        str | None,
        option(
            "check a plan against this scenario, whose units and places it may name",
            "NAME|FILE",
            read=world_name,
            complete=names.WORLD,
        ),
    ] = None
    expand: Annotated[
        bool,
        option("resolve the words of a plan, which needs --scenario where they are its own, and drop comments"),
    ] = False
    write: Annotated[bool, option("replace the file instead of printing its new text")] = False
    json: Annotated[
        bool,
        option("print one JSON object: file, changed, text; for a file with errors, as `hive check --json` does"),
    ] = False

    def __post_init__(self) -> None:
        """Refuse options that do not go with each other.

        Raises:
            UserError: A marker is given without a scenario, or standard input is to be replaced.
        """
        if self.write and self.file == "-":
            raise UserError("--write needs a file; standard input cannot be replaced")
        if self.markers and self.scenario is None:
            raise UserError("--marker goes with --scenario\n  = help: name the scenario on whose map the marker is")

    def context(self) -> dsl.PlanContext | None:
        """Return the names and places of the scenario, if one is named."""
        if self.scenario is None:
            return None
        request = Request(scenario=self.scenario, markers=self.markers)
        return host_of(request).context(request, 0)[0]


def _run(settings: Format) -> int:
    text, name = read_text(settings.file)
    report = check_text(text, name, settings.context(), lenient=True)
    new = _format(report, settings.expand)
    if new is None and settings.json:
        print_json(report.json())
        return 2
    if new is None:
        raise DslError(report.diagnostics)
    loses = _has_prose(report, text)
    if settings.json:
        print_json({"file": name, "changed": new != text, "text": new})
    elif not settings.write:
        if loses:
            tell(f"{name}: the text outside the plan is left out")
        print(new, end="")
    return _write(name, settings.file, text, new, loses) if settings.write else 0


def _write(name: str, file: str, text: str, new: str, loses: bool) -> int:
    if loses:
        raise UserError(
            f"{name} contains text outside its plan, which would be lost; the file was not changed\n"
            "  = help: remove that text, or leave out --write to print the plan alone"
        )
    if new == text:
        tell(f"{name} is already in canonical layout")
        return 0
    from hive.kit.keep.runfolder import whole_file

    with whole_file(file) as part:
        part.write_text(new, encoding="utf-8", newline="\n")
    tell(f"wrote {name}")
    return 0


def _format(report: CheckResult, expand: bool) -> str | None:
    """Return the new text; None: the file has errors. A plan keeps its words, which need no scenario, or loses them."""
    if report.written is not None and not expand:
        return report.written + "\n"
    if report.root is None:
        return None
    text = dsl.format_plan(report.root) if isinstance(report.root, dsl.PlanSyntax) else dsl.format_tree(report.root)
    return text + "\n"


def _has_prose(report: CheckResult, text: str) -> bool:
    """Return whether there are words outside the plan, which formatting leaves out."""
    if report.written is None:
        return False
    start, end, _ = find_plan(Source(report.file, text))
    outside = _MARKER.sub("", text[:start]) + _MARKER.sub("", text[end:])
    return bool(re.search(r"\w", outside)) or any(found.code in _UNREAD for found in report.diagnostics)


COMMAND = Command(
    settings=Format,
    run=_run,
    subjects=PLANNED,
    about="""\
Print a plan or a behaviour tree in its canonical layout. A plan keeps its words, such as `half of archer`,
and its comments; with --expand all words are resolved. A file with errors is refused, and all its errors
are printed. With --write the file is replaced atomically; a file with text outside its plan, such as a
model's reply, is then refused, because that text would be lost.""",
    examples=(
        "hive format my.plan            print the new text",
        "hive format tree.bt --write    replace the file",
        "hive format - < reply.txt      the plan in a reply, without the other text",
        "hive format my.plan --expand --scenario markers_terrain    words become ids and places",
    ),
)
