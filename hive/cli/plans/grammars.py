"""`hive grammar`: the plan language narrowed to a scenario, for servers that decode under a grammar."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from dsl.narrowing import MOST_CUTS, MOST_STEPS, narrow
from dsl.vocabulary import SIDES
from hive.cli.command import Command, option
from hive.cli.options import Numbers, World, WrittenFor
from hive.cli.printing import print_json, tell
from hive.cli.setting import host_of
from hive.cli.subjects import PLANNED
from hive.cli.values import count


@dataclass(frozen=True, kw_only=True)
class Grammar(World, Numbers, WrittenFor):
    """Settings of `hive grammar`."""

    format: Annotated[
        Literal["lark", "gbnf"], option("lark for llguidance, or gbnf for llama.cpp and vLLM; default: lark")
    ] = "lark"
    units: Annotated[
        int | None, option("as for `hive run --units N`, which rescales a plan to N units", "N", read=count)
    ] = None
    cuts: Annotated[
        int,
        option(f"most ids at which slices of a team begin and end, up to {MOST_CUTS}; default: 100", "N", read=count),
    ] = 100
    steps: Annotated[int, option(f"most steps of a plan, up to {MOST_STEPS}; default: 10", "N", read=count)] = 10
    out: Annotated[Path | None, option("write the grammar to a file instead of printing it", "FILE")] = None
    json: Annotated[bool, option("print one JSON object: scenario, format, bytes, remarks, grammar")] = False


def _run(settings: Grammar) -> int:
    request = settings.request()
    context, note = host_of(request).context(request, SIDES.index("player"))
    narrowed = narrow(context, settings.cuts, settings.steps)
    text = narrowed.lark if settings.format == "lark" else narrowed.gbnf
    size = len(text.encode())
    if settings.out:
        from hive.kit.keep.runfolder import whole_file

        with whole_file(settings.out) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    if settings.json:
        about = {"scenario": settings.scenario, "format": settings.format, "bytes": size, "remarks": narrowed.remarks}
        print_json({**about, "grammar": text})
    elif not settings.out:
        print(text, end="")
    for line in (f"plans are {note}", *narrowed.remarks):
        tell(line)
    tell(f"{f'wrote {settings.out}: ' if settings.out else ''}{size:,} bytes of {settings.format}")
    return 0


COMMAND = Command(
    settings=Grammar,
    run=_run,
    subjects=PLANNED,
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
)
