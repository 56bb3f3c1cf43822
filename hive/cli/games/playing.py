"""`hive run`: play a plan with some seeds, print the results, and save the run on request."""

from __future__ import annotations

import argparse
from pathlib import Path

from dsl import render
from hive.cli.arguments import (
    Parser,
    Subcommand,
    add_cache,
    add_fire_rules,
    add_json,
    add_markers,
    add_scenario,
    add_swaps,
)
from hive.cli.asking import add_model_options, add_prompts
from hive.cli.cache import use_cache
from hive.cli.games.team_playing import plays_plans, plays_policies, run_policies, run_team
from hive.cli.printing import print_json, tell, verdict
from hive.cli.progress import watching
from hive.cli.setting import host_of, request_of
from hive.cli.tuning import add_tuning, use_tuning
from hive.cli.values import count, method, named_numbers, quirks, seed, seeds
from hive.players.teams.rules import Quirks


def _options(parser: Parser) -> None:
    add_scenario(parser, words=True)
    parser.add_argument(
        "--player",
        action="append",
        default=[],
        metavar="NAME",
        help="who plays: plan, commander:NAME, team, team:FRAMEWORK, a player by rules such as speaker, optimal or "
        "planner, plans for one commander next to teams, policy:FOLDER for the policy of a training run, or random; "
        "several players may stand side by side; default: the world's plan or commander, else the first of its "
        "players by rules",
    )
    add_swaps(parser)
    add_markers(parser)
    some = parser.add_mutually_exclusive_group()
    some.add_argument(
        "--seed", type=seed, metavar="S", help="play one game, with this seed; default: 0, or a level's first published"
    )
    some.add_argument(
        "--seeds",
        type=seeds,
        metavar="K",
        help="play K games, with the seeds 0 to K - 1; for a level also `published`, its published seeds",
    )
    parser.add_argument(
        "--commander",
        metavar="NAME",
        help="for a level: the commander that writes the plans, `scripted` or `nothing`; default: scripted",
    )
    add_fire_rules(parser)
    parser.add_argument("--method", type=method, metavar="NAME", help="for a level: the commander's name in results")
    parser.add_argument("--movie", action="store_true", help="also make a movie of the first seed's game")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="save the run in this folder: results, metrics, inputs, a picture"
    )
    parser.add_argument(
        "--every", type=count, metavar="T", help="ticks between two frames of a saved battle; default: 1"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the run folder if it exists")
    parser.add_argument(
        "--vary",
        type=_values,
        action="append",
        default=[],
        metavar="RULE=A,B",
        help="agents play once with each of these values of a setting, to compare; several settings are combined",
    )
    teams = parser.add_argument_group("teams of agents")
    teams.add_argument(
        "--published",
        action="store_true",
        help="ask and act as the published programs do, without what this project adds",
    )
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
    add_prompts(teams, "cook_plan.md")
    teams.add_argument(
        "--restart", action="store_true", help="start again instead of resuming an interrupted run of a team"
    )
    plans = parser.add_argument_group("the player plans")
    plans.add_argument(
        "--period",
        type=count,
        metavar="N",
        help="ask for a new plan after so many steps; default: 10, or never with --events",
    )
    plans.add_argument(
        "--events",
        action="store_true",
        help="ask when something new is seen, a step of the plan is achieved or a unit is lost",
    )
    plans.add_argument("--plans", type=Path, metavar="DIR", help="let the plans of this folder answer, not a model")
    add_model_options(parser, study=True, temperatures=True, default="a player by rules answers for the team")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_tuning(parser)
    add_cache(parser)


def _values(text: str) -> tuple[str, list[float]]:
    return named_numbers(text, "RULE=A,B,C with numbers, as in `firefighters=3,5`")


def _run(args: argparse.Namespace) -> int:
    from hive.kit.keep.runfolder import check_writable, free_folder

    use_tuning(args)
    use_cache(args)
    if plays_policies(args):
        return run_policies(args, request_of(args))
    kind = host_of(request_of(args))
    if not plays_plans(args, kind):
        return run_team(args, kind, request_of(args))
    if args.out:
        check_writable(args.out, args.overwrite)
    request = request_of(args)
    run = kind.prepare(request)
    for text in run.texts:
        if text.report.diagnostics:
            tell(render(text.report.diagnostics))
    failed = next((text for text in run.texts if text.failure), None)
    if failed and failed.failure:
        why = "there is no plan" if failed.failure == "no_plan" else f"{verdict(failed.report.diagnostics)} in the plan"
        tell(f"\nnot played: {why}{f' {failed.name}' if len(run.texts) > 1 else ''}")
        if args.json:
            for result in run.unplayed(failed.failure):
                print_json(result)
        return 2
    folder = args.out
    if args.movie and not folder:
        folder = free_folder(run.folder, args.overwrite)
        check_writable(folder, args.overwrite)
    for line in run.remarks:
        tell(line)
    with watching(quiet=args.json) as watch:
        for outcome in run.play(watch):
            if args.json:
                print_json(outcome.json())
            else:
                watch.say(f"\n{outcome.table()}")
        if run.summary():
            watch.say(f"\n{run.summary()}")
        if folder:
            from hive.cli.keeping import keep

            for line in keep(folder, run, watch, args.line, movie=args.movie, overwrite=args.overwrite):
                tell(line)
    return 0


COMMAND = Subcommand(
    name="run",
    summary="let a player play a world, and print how the games ended",
    about="""\
Let a player play a world: a plan or a commander in worlds that plans command, and in the others a team of
agents or rules.

Play a plan in a scenario, one game for each seed, as one batch, and print how each game ended. The
scenario, the plan and the folder are checked before anything is played. Games are deterministic: the same
scenario, plan and seed give the same game.

In a wildfire level the seed also determines the map, and a commander writes a new plan every few ticks from
what its crew has seen; --plan plays one plan instead. `wildfire/all` plays all levels one after another.
With --rules published, fires start and burn as in the published runs, so scores can be compared with theirs.

Kitchens, rescues and households are played by agents: by rules, by a scripted team (the default), or by
language models with --model. A team may play a wildfire level too, and so may the player `plans`, one
commander that writes plans for the complete crew and changes them after some steps or on events. Several
players stand side by side, episodes of several seeds are played side by side, and --vary plays once with each
of several values of a setting. What was asked and played is kept while it goes on, and the same command
resumes after an interruption; only the unfinished step is asked again.""",
    examples=(
        "hive run coordinate                              the scenario's own plan, seed 0",
        "hive run coordinate --plan my.plan --seeds 10    your plan, ten games",
        "hive run coordinate --units 100 --set limit=300  fewer units, a shorter game",
        "hive run coordinate --swap 100=my.plan           another plan from tick 100 on",
        "hive run coordinate --movie --out runs/first     save results, picture and movie",
        "hive run coordinate --seeds 10 --json            one JSON object, for programs",
        "hive run wildfire/scout_fire_small               a level, on the map of its first published seed",
        "hive run wildfire/suppress_contain --seeds published --commander nothing --json",
        "hive run wildfire/suppress_contain --rules published --seeds published",
        "hive run wildfire/all --seeds published --json   one object per line, for `hive competency`",
        "hive run kitchen/boiled_egg                      a scripted pair of cooks that talk",
        "hive run rescue/map_7/agents-1 --player heuristic --player optimal --player speaker",
        "hive run household/cwah_0 --player team:coela --set team=3 --seeds 5",
        "hive run wildfire/scout_fire_small --player team:camon --player plans --period 5",
        "hive run wildfire/cut_trees_sparse_small --vary firefighters=3,5",
        "hive run skirmish_5v5 --player policy:runs/five --player random --seeds 100 --movie",
        "hive run kitchen/boiled_egg --model MODEL --base-url http://127.0.0.1:8080/v1 --seeds 10",
    ),
    notes="""\
A run folder contains config.json (how to run it again), digests.json (the SHA-256 of every file),
outcome.json, metrics.jsonl (a line for each tick of each game), scenario.toml, the plans and picture.png; it
is written atomically. For a level it contains every plan as plans/SEED/TICK.plan. `hive replay DIR` makes an
HTML page of it.

Numbers of a level for --set: firefighters, bulldozers, drones, helicopters, size, offset (of the
vegetation), limit, civilians (in a group), chance (to catch fire, per unit of ratio; without it a threshold
decides), burnt_kills (1 or 0: whether burnt ground kills firefighters).

The folder of a team's run is kept without --out, too, and has result.json, table.txt, games.csv,
exchanges.jsonl (a recording for --replay), where calls were made costs.csv and, for teams of several sizes,
costs.png (calls and tokens of a step, with those that the rules predict), for a level scores.jsonl, which
`hive competency` reads, and for each game a folder with result.json, steps.jsonl, transcript.md,
journal.jsonl (of `plans` orders.jsonl and its plans), recording.npz and picture.png. With --vary each value
has a folder of its own.

Frameworks of team:FRAMEWORK: in wildfire levels camon, coela, embodied, hmas2 and nothing; in households
liet, liet_blind, liet_guessed, liet_fixed, liet_kept, coela, proagent, roco and roco_paid. Settings for
--set: of kitchens cookbook, layout and the switches of docs/rules/kitchen.md 7.1; of rescues limit; of
households team, utility (a file, or exact), tips and carry; of levels the numbers above.

Outcomes: win, lose, timeout, plan_finished (no step of the plan is left), invalid_plan, no_plan. A level ends
only with win (the best score is reached, or the fire to be fought is out) or timeout.""",
    options=_options,
    run=_run,
)
