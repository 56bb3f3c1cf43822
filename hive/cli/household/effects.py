"""`hive household effects`: what sharing, a second hand and further agents are worth on generated episodes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli.arguments import Parser, Subcommand, add_cache, add_json, add_out
from hive.cli.cache import use_cache
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.cli.values import games, index
from hive.kit.keep.csv_text import csv_text

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.worlds.household.policies.effects import Effects

FIRST = 30_000
"""Seed of the first episode; no other command draws from here on by default."""

STARTS = 4
"""Agents with a start of their own, so that all sizes of teams play the same episodes."""

_RULES = ("housework", "transport")
_NOTE = (
    "Gains are ticks per episode, as the mean of paired differences with half of its 95% interval. A claim holds if the"
    " interval lies above 0. An episode that is not finished counts its limit."
)


def _options(parser: Parser) -> None:
    parser.add_argument("--rules", choices=_RULES, help="play only this kind of episodes; default: both")
    parser.add_argument("--generated", type=games, default=200, metavar="N", help="episodes of each kind; default: 200")
    parser.add_argument("--first", type=index, default=FIRST, metavar="SEED", help=f"first seed; default: {FIRST}")
    parser.add_argument(
        "--detection",
        type=float,
        default=1.0,
        metavar="P",
        help="chance that an agent detects a thing that it sees in a tick, above 0 and up to 1, the default",
    )
    add_out(parser, "save the tables, and a plot of the gains, in this folder")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import check_writable, write_run
    from hive.worlds.household.generator import generate
    from hive.worlds.household.houses import generate_transport
    from hive.worlds.household.policies.effects import TEAMS, measure_effects

    if args.generated < 2:
        raise UserError(f"an interval needs at least 2 episodes, not {args.generated}")
    if not 0 < args.detection <= 1:
        raise UserError(f"--detection is above 0 and at most 1, not {args.detection:g}")
    use_cache(args)
    if args.out:
        check_writable(args.out, args.overwrite)
    found: dict[str, Effects] = {}
    with watching(quiet=args.json) as watch:
        for rules in [args.rules] if args.rules else _RULES:
            make = generate if rules == "housework" else generate_transport
            watch.stage(f"drawing {rules}", args.generated, "episode")
            episodes = []
            for done in range(args.generated):
                episodes.append(make(args.first + done, starts=STARTS))
                watch.update(done + 1)
            watch.stage(f"playing {rules}", len(TEAMS) * len(episodes), "play")
            order = {name: place * len(episodes) for place, name in enumerate(TEAMS)}

            def update(order: Mapping[str, int], name: str, done: int) -> None:
                watch.update(order[name] + done, name)

            found[rules] = measure_effects(episodes, args.first, partial(update, order), args.detection)
    text = "\n\n".join(_text(rules, args.generated, each) for rules, each in found.items())
    if args.json:
        print_json(_object(args, found))
    else:
        print(f"{text}\n\n{_NOTE}")
    if args.out:
        from hive.experiments.plots.household_effects import save_effects

        files: dict[str, Content] = {
            **config_file(
                args.line, range(args.first, args.first + args.generated), rules=[*found], detection=args.detection
            ),
            "effects.txt": f"{text}\n\n{_NOTE}\n",
            "effects.json": pretty(_object(args, found)),
            **{
                f"{what}.csv": csv_text(
                    {"rules": rules, **row} for rules in found for row in _object(args, found)[rules][what]
                )
                for what in ("teams", "claims")
            },
            "effects.png": partial(save_effects, found),
        }
        write_run(args.out, files, args.overwrite)
        tell(f"wrote {args.out}: {', '.join(files)}")
    return 0


def _text(rules: str, count: int, found: Effects) -> str:
    from dsl.wording import columns

    teams = [[f"{rules}: team", "ticks", "brought, %", "not finished"]]
    for name, ticks in found.ticks.items():
        share = f"{100 * found.share[name].value:.1f} ± {100 * found.share[name].margin:.1f}"
        teams.append([name, str(ticks), share, str(found.unfinished[name])])
    claims = [["claim", "gain", "verdict"]]
    claims += [[each.claim.text, str(each.gain), each.verdict] for each in found.effects]
    head = f"{plural(count, 'episode')} of {rules}"
    return f"{head}\n\n{columns(teams, left=(0,))}\n\n{columns(claims, left=(0, 2))}"


def _object(args: argparse.Namespace, found: Mapping[str, Effects]) -> dict[str, Any]:
    return {
        "episodes": args.generated,
        "first": args.first,
        "detection": args.detection,
        **{
            rules: {
                "teams": [
                    {
                        "team": name,
                        "ticks": ticks.value,
                        "margin": ticks.margin,
                        "brought": each.share[name].value,
                        "unfinished": each.unfinished[name],
                    }
                    for name, ticks in each.ticks.items()
                ],
                "claims": [
                    {
                        "claim": one.claim.text,
                        "better": one.claim.better,
                        "worse": one.claim.worse,
                        "gain": one.gain.value,
                        "margin": one.gain.margin,
                        "verdict": one.verdict,
                    }
                    for one in each.effects
                ],
            }
            for rules, each in found.items()
        },
    }


COMMAND = Subcommand(
    name="household effects",
    summary="measure what sharing, two hands and more agents are worth, with intervals",
    about="""\
Let teams that follow the cheapest-option rule play the same generated episodes, and print by how many ticks one
team beats another: shared knowledge against none, two hands against one, more agents against fewer.""",
    examples=(
        "hive household effects                               200 episodes of housework and 200 of transport",
        "hive household effects --rules transport --detection 0.3 --out runs/noisy",
    ),
    options=_options,
    run=_run,
)
