"""`hive format`: the canonical text of a plan or a tree."""

from __future__ import annotations

import argparse
import re

import dsl
from dsl import CheckResult, DslError, Source, UserError
from dsl.plan_text import find_plan
from hive.cli.arguments import Parser, Subcommand, add_json, add_markers
from hive.cli.plans.checking import check_text
from hive.cli.printing import print_json, tell
from hive.cli.setting import host_of
from hive.cli.values import read_text
from hive.kit.contract import Request

_MARKER = re.compile(r"\b(BEGIN|END)[ \t]+PLAN\b", re.IGNORECASE)
_UNREAD = ("plan-text-before", "plan-second")  # warnings about text outside the plan


def _options(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="a plan or a tree; `-` reads standard input")
    parser.add_argument(
        "--scenario", metavar="NAME|FILE", help="check a plan against this scenario too, whose markers it may name"
    )
    add_markers(parser)
    parser.add_argument("--write", action="store_true", help="replace the file instead of printing its new text")
    add_json(parser, "print one JSON object: file, changed, text; for a file with errors, as `hive check --json` does")


def _run(args: argparse.Namespace) -> int:
    text, name = read_text(args.file)
    if args.write and args.file == "-":
        raise UserError("--write needs a file; standard input cannot be replaced")
    report = check_text(text, name, _context(args), lenient=True)
    if args.json and report.root is None:
        print_json(report.json())
        return 2
    new = _format(report)
    loses = _has_prose(report, text)
    if args.json:
        print_json({"file": name, "changed": new != text, "text": new})
    elif not args.write:
        if loses:
            tell(f"{name}: the text outside the plan is left out")
        print(new, end="")
    return _write(name, args.file, text, new, loses) if args.write else 0


def _context(args: argparse.Namespace) -> dsl.PlanContext | None:
    """Return the names and places of the scenario, if one is named."""
    if args.scenario is None:
        if args.markers:
            raise UserError("--marker goes with --scenario\n  = help: name the scenario on whose map the marker is")
        return None
    request = Request(scenario=args.scenario, markers=args.markers)
    return host_of(request).context(request, 0)[0]


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


def _format(report: CheckResult) -> str:
    if report.root is None:
        raise DslError(report.diagnostics)
    return (
        dsl.format_plan(report.root) if isinstance(report.root, dsl.PlanSyntax) else dsl.format_tree(report.root)
    ) + "\n"


def _has_prose(report: CheckResult, text: str) -> bool:
    """Return whether there are words outside the plan, which formatting leaves out."""
    if not isinstance(report.root, dsl.PlanSyntax):
        return False
    start, end, _ = find_plan(Source(report.file, text))
    outside = _MARKER.sub("", text[:start]) + _MARKER.sub("", text[end:])
    return bool(re.search(r"\w", outside)) or any(found.code in _UNREAD for found in report.diagnostics)


COMMAND = Subcommand(
    name="format",
    summary="print a plan or a behaviour tree in canonical layout",
    about="""\
Print a plan or a behaviour tree in its canonical layout. A file with errors is refused, and all its errors
are printed. With --write the file is replaced atomically; a file with text outside its plan, such as a
model's reply, is then refused, because that text would be lost.""",
    examples=(
        "hive format my.plan            print the new text",
        "hive format tree.bt --write    replace the file",
        "hive format - < reply.txt      the plan in a reply, without the other text",
        "hive format my.plan --scenario markers_terrain    markers become their places",
    ),
    options=_options,
    run=_run,
)
