"""`hive grammar`: the plan language narrowed to a scenario, for servers that decode under a grammar."""

from __future__ import annotations

import argparse
from pathlib import Path

from dsl.narrowing import MOST_CUTS, MOST_STEPS, narrow
from dsl.vocabulary import SIDES
from hive.cli.arguments import Parser, Subcommand, add_json, add_name, add_set, add_written_for
from hive.cli.printing import print_json, tell
from hive.cli.setting import host_of, request_of
from hive.cli.values import count


def _options(parser: Parser) -> None:
    add_name(parser)
    parser.add_argument(
        "--format",
        choices=("lark", "gbnf"),
        default="lark",
        help="lark for llguidance, or gbnf for llama.cpp and vLLM; default: lark",
    )
    parser.add_argument(
        "--units", type=count, metavar="N", help="as for `hive run --units N`, which rescales a plan to N units"
    )
    add_set(parser)
    add_written_for(parser)
    parser.add_argument(
        "--cuts",
        type=count,
        default=100,
        metavar="N",
        help=f"most ids at which slices of a team begin and end, up to {MOST_CUTS}; default: 100",
    )
    parser.add_argument(
        "--steps", type=count, default=10, metavar="N", help=f"most steps of a plan, up to {MOST_STEPS}; default: 10"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the grammar to a file instead of printing it")
    add_json(parser, "print one JSON object: scenario, format, bytes, remarks, grammar")


def _run(args: argparse.Namespace) -> int:
    request = request_of(args)
    context, note = host_of(request).context(request, SIDES.index("player"))
    narrowed = narrow(context, args.cuts, args.steps)
    text = narrowed.lark if args.format == "lark" else narrowed.gbnf
    size = len(text.encode())
    if args.out:
        from hive.kit.keep.runfolder import whole_file

        with whole_file(args.out) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    if args.json:
        about = {"scenario": args.scenario, "format": args.format, "bytes": size, "remarks": narrowed.remarks}
        print_json({**about, "grammar": text})
    elif not args.out:
        print(text, end="")
    for line in (f"plans are {note}", *narrowed.remarks):
        tell(line)
    tell(f"{f'wrote {args.out}: ' if args.out else ''}{size:,} bytes of {args.format}")
    return 0


COMMAND = Subcommand(
    name="grammar",
    summary="export a grammar under which a model can write only valid plans",
    about="""\
Print the plan language narrowed to a scenario as a grammar, for a server that decodes under a grammar. Every
text that the grammar allows begins with the line BEGIN PLAN, ends with the line END PLAN, has the canonical
layout and passes `hive check --scenario`: ids, places, behaviours, unit types and objectives are those of the
scenario, a step waits for earlier steps only, and no unit is in two groups of a step. Standard error lists
what the grammar leaves out for that, such as slices between other ids.""",
    examples=(
        "hive grammar coordinate --out plan.lark             for llguidance",
        "hive grammar coordinate --format gbnf > plan.gbnf   for llama.cpp and vLLM",
        "hive grammar coordinate --cuts 20 --steps 3         smaller: larger slices and fewer steps",
        "hive grammar wildfire/rescue_search --json          a level's, as one JSON object",
    ),
    notes="""\
A team of more units than --cuts has slices between round numbers, and between its groups of one type. The
page docs/commander/grammar.md says what is allowed, and has measurements.""",
    options=_options,
    run=_run,
)
