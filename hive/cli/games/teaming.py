"""`hive team`: an alias of `hive run` for teams on wildfire levels, with their options by older names."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence

from hive.cli.arguments import Parser, Subcommand, add_cache, add_fire_rules, add_json, add_out, add_set
from hive.cli.asking import add_model_options, add_prompts
from hive.cli.games.playing import COMMAND as RUN
from hive.cli.reading import without_keys
from hive.cli.team_runs import tell_new_words
from hive.cli.values import count, quirks, seed, seeds
from hive.players.teams.rules import Quirks

_PLANS = "plans"


def _options(parser: Parser) -> None:
    parser.newer = RUN.parser
    parser.add_argument("scenario", metavar="LEVEL", help="a wildfire level from `hive list`")
    parser.add_argument(
        "--framework",
        action="append",
        metavar="NAME",
        help="who plays: camon, coela, embodied, hmas2, nothing or plans; may be given several times; default: camon",
    )
    some = parser.add_mutually_exclusive_group()
    some.add_argument("--seed", type=seed, metavar="S", help="play one episode, on the map of this seed")
    some.add_argument(
        "--seeds",
        type=seeds,
        metavar="K",
        help="play the seeds 0 to K - 1 side by side, or `published`; default: the first published seed",
    )
    parser.add_argument("--steps", type=count, metavar="N", help="most steps of an episode; default: the level's limit")
    parser.add_argument(
        "--agents",
        type=_sizes,
        metavar="N,M",
        help="play once with each of these numbers of firefighters, to compare costs",
    )
    add_set(parser)
    add_fire_rules(parser)
    teams = parser.add_argument_group("teams")
    teams.add_argument(
        "--direct-perception",
        action="store_true",
        help="agents read a paragraph that is made by rules, without a call",
    )
    teams.add_argument(
        "--direct-execution",
        action="store_true",
        help="agents name an action by its exact form, which is read without a call",
    )
    teams.add_argument(
        "--quirks",
        type=quirks,
        default=(),
        metavar="A,B",
        help=f"do as the published program does, where it differs from its paper: {', '.join(Quirks.names())}, or all",
    )
    add_prompts(teams, "camon_plan.md")
    plans = parser.add_argument_group("plans")
    plans.add_argument(
        "--every",
        type=count,
        metavar="N",
        help="ask for a new plan after so many steps; default: 10, or never with --events",
    )
    plans.add_argument(
        "--events",
        action="store_true",
        help="ask when something new is seen, a step of the plan is achieved or a unit is lost",
    )
    heat = "0, or 0.7 where a quirk of the framework says so"
    add_model_options(parser, default="a scripted speaker, which is no model", ruled=heat)
    parser.add_argument("--method", metavar="NAME", help="name in results; default: the framework and the model")
    add_out(parser, "save the run in this folder; default: that of `hive run`", "run")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    words = new_words(args)
    tell_new_words("team", shlex.join(without_keys(words)))
    new = RUN.parser().parse_args(words)
    new.words = without_keys(words)
    new.line = shlex.join(["hive", RUN.name, *new.words])
    return RUN.run(new)


def new_words(args: argparse.Namespace) -> list[str]:
    """Return the words of the same command after `hive run`."""
    frameworks = args.framework or ["camon"]
    words = [args.scenario]
    for name in frameworks:
        words += ["--player", name if name == _PLANS else f"team:{name}"]
    settings = [*args.rules, *([("limit", args.steps)] if args.steps else [])]
    for name, value in settings:
        words += ["--set", f"{name}={value}"]
    if args.agents:
        words += ["--vary", f"firefighters={','.join(map(str, args.agents))}"]
    given = {
        "--seed": args.seed,
        "--seeds": args.seeds,
        "--rules": args.fire_rules,
        "--quirks": ",".join(args.quirks) or None,
        "--prompts": args.prompts,
        "--period": args.every,
        "--model": args.model,
        "--base-url": args.base_url,
        "--api-key": args.api_key.reveal() if args.api_key else None,
        "--api-key-env": args.api_key_env,
        "--plans": args.plans,
        "--replay": args.replay,
        "--record": args.record,
        "--temperature": args.temperature,
        "--top-p": args.top_p,
        "--method": args.method,
        "--out": args.out,
    }
    defaults = COMMAND.parser()
    for name in ("timeout", "retries", "concurrent", "max_tokens", "grammar"):
        value = getattr(args, name)
        given[f"--{name.replace('_', '-')}"] = None if value == defaults.get_default(name) else value
    if _PLANS in frameworks and args.model:
        given["--grammar"] = args.grammar  # the default of `hive run` is another
    words += [word for option, value in given.items() if value is not None for word in (option, str(value))]
    flags = ("direct_perception", "direct_execution", "events", "overwrite", "restart", "json", "no_cache")
    return words + [f"--{flag.replace('_', '-')}" for flag in flags if getattr(args, flag)]


def _sizes(text: str) -> Sequence[int]:
    sizes = [count(part) for part in text.split(",")]
    if len(set(sizes)) < len(sizes):
        raise argparse.ArgumentTypeError(f"`{text}` names a number twice")
    return sizes


COMMAND = Subcommand(
    name="team",
    summary="an alias of `hive run LEVEL --player team:FRAMEWORK`, for one release",
    about="""\
An alias of `hive run` for one release: it prints the new words and runs them. Let language agents play a
wildfire level together, by one of the published frameworks. The framework `plans` is one commander that
writes plans for the complete crew and changes them after some steps or on events; `nothing` gives no orders.

Without --model a scripted speaker answers, which is no model: it reads the same prompts and follows rules.""",
    examples=(
        "hive team wildfire/cut_trees_sparse_small                        CAMON, one episode, scripted speaker",
        "hive team wildfire/cut_trees_sparse_small --framework camon --framework plans --every 5",
        "hive team wildfire/cut_trees_sparse_small --framework embodied --agents 3,5,7 --steps 3",
    ),
    notes="""\
--framework NAME is now --player team:NAME, or --player plans; --agents N,M is --vary firefighters=N,M;
--steps N is --set limit=N; --every N is --period N. Other options are those of `hive run`.""",
    options=_options,
    run=_run,
)
