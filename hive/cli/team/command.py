"""`hive team`: language agents, or one commander with plans, play a wildfire level; scores, costs and transcripts."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.cli.arguments import Parser, Subcommand, add_cache, add_fire_rules, add_json, add_out, add_set
from hive.cli.asking import add_model_options, add_prompts, check_drawn, choice_of, settings_of
from hive.cli.cache import use_cache
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.setting import host_of, request_of
from hive.cli.team.request import PERIOD, PLANS, TITLES, TeamCell, cells_of
from hive.cli.values import count, seed, seeds
from hive.kit.contract import Kind, Watch
from hive.players.teams.rules import Quirks

if TYPE_CHECKING:
    from hive.cli.team.files import PlayedCell
    from hive.players.llm.calling import Caller


def _options(parser: Parser) -> None:
    parser.add_argument("scenario", metavar="LEVEL", help="a wildfire level from `hive list`")
    parser.add_argument(
        "--framework",
        action="append",
        metavar="NAME",
        help=f"who plays: {listing(TITLES, 'or')}; may be given several times; default: camon".replace("`", ""),
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
        type=_quirks,
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
        help=f"ask for a new plan after so many steps; default: {PERIOD}, or never with --events",
    )
    plans.add_argument(
        "--events",
        action="store_true",
        help="ask when something new is seen, a step of the plan is achieved or a unit is lost",
    )
    heat = "0, or 0.7 where a quirk of the framework says so"
    add_model_options(parser, default="a scripted speaker, which is no model", ruled=heat)
    parser.add_argument("--method", metavar="NAME", help="name in results; default: the framework and the model")
    add_out(parser, "save the run in this folder; default: runs/team-LEVEL-FRAMEWORK", "run")
    add_json(
        parser, "print one JSON object for each framework on standard output, and everything else on standard error"
    )
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    from hive.cli.team.files import open_folder, tables, write
    from hive.kit.keep.finishing import check_results, is_finished
    from hive.kit.keep.runfolder import free_folder

    use_cache(args)
    kind, cells = _read(args)
    out = args.out or free_folder(f"team-{Path(args.scenario).name}-{cells[0].framework}", args.overwrite, is_finished)
    check_results(out, args.overwrite, args.restart)
    clients = {cell.framework: _client(args, kind, cell) for cell in cells}
    for line in dict.fromkeys(client.about for client in clients.values() if client):
        tell(line)
    speakers = ", ".join(dict.fromkeys(client.name for client in clients.values() if client))
    progress = open_folder(out, args, cells, speakers)
    try:
        with watching(quiet=args.json) as watch:
            played = [_play(args, kind, cell, clients[cell.framework], progress, watch) for cell in cells]
            for cell in played:
                if args.json:
                    print_json(cell.json())
            if not args.json:
                watch.say("\n" + "\n\n".join(tables(played)))
    except (UserError, KeyboardInterrupt):
        tell(f"what was asked and played so far is kept in {progress}; the same command resumes from there")
        raise
    tell(write(out, progress, args, played))
    return 0


def _read(args: argparse.Namespace) -> tuple[Kind, list[TeamCell]]:
    """Check what a command line asks for, before anything is asked or compiled."""
    from hive.worlds.wildfire.agents.troupe import MOST_EPISODES
    from hive.worlds.wildfire.levels import ALL_LEVELS, levels

    request = request_of(args)
    kind = host_of(request)
    if not kind.planned:
        kind.load(request)  # raises
    if not kind.teamed:
        near = nearest(args.scenario, levels())
        help = did_you_mean(f"wildfire/{near}") if near else "levels are listed by `hive list`"
        raise UserError(f"{args.scenario} is a {kind.noun}, and teams play wildfire levels\n  = help: {help}")
    if args.scenario == ALL_LEVELS:
        raise UserError(f"a team plays one level at a time\n  = help: name one of those that {ALL_LEVELS} means")
    name = args.scenario.removeprefix("wildfire/")
    if name not in levels():
        kind.load(request)  # raises, with the nearest name
    cells = cells_of(args, request, levels()[name].seeds)
    if args.method and len({cell.framework for cell in cells}) > 1:
        raise UserError("--method names one framework\n  = help: name one with --framework, or leave out --method")
    if len(cells[0].seeds) > MOST_EPISODES:
        raise UserError(f"at most {MOST_EPISODES} episodes are played side by side, not {len(cells[0].seeds)}")
    for cell in cells:
        for number in cell.seeds:
            kind.load(replace(cell.request, seed=number))
    return kind, cells


def _client(args: argparse.Namespace, kind: Kind, cell: TeamCell) -> Caller | None:
    """Return who answers for a framework; None where nobody is asked."""
    from hive.players.llm.opening import open_client
    from hive.players.llm.scripted import PlanWriter

    check_drawn(args, bool(args.model or args.replay))
    if cell.framework == "nothing":
        return None
    if args.temperature is not None and "released_temperature" in args.quirks:
        raise UserError(
            "--temperature and the quirk released_temperature contradict each other\n"
            "  = help: leave out one of them; --temperature sets the temperature of all calls"
        )
    if cell.framework == PLANS:
        return open_client(choice_of(args), None, tell, PlanWriter())
    from hive.players.teams.speaking import ScriptedSpeaker
    from hive.worlds.wildfire.speaker import answer

    if args.plans:
        raise UserError(
            f"--plans cannot be used here: {TITLES[cell.framework]} writes no plans\n"
            "  = help: leave it out, or give `--framework plans` alone"
        )
    return open_client(choice_of(args), None, tell, ScriptedSpeaker(answer))


def _play(
    args: argparse.Namespace, kind: Kind, cell: TeamCell, client: Caller | None, progress: Path, watch: Watch
) -> PlayedCell:
    """Play all episodes of one framework."""
    from hive.cli.team.files import PlayedCell
    from hive.cli.team.plans import play_plans
    from hive.players.llm.scripted import Script
    from hive.players.llm.session import Manner
    from hive.players.teams.speaking import IN_WORDS
    from hive.worlds.wildfire.levels import find_level
    from hive.worlds.wildfire.result import LevelResult
    from hive.worlds.wildfire.world import load_level, numbers_of

    folder = progress / cell.name
    folder.mkdir(exist_ok=True)
    began = time.monotonic()
    if cell.framework == PLANS:
        assert client is not None
        finished = play_plans(cell, kind, client, Manner(settings=settings_of(args)), folder, args.concurrent, watch)
    else:
        from hive.cli.team.agents import play_agents

        finished = play_agents(cell, client or Script([], "nobody"), folder, args.concurrent, watch)
    level = load_level(cell.request.scenario, cell.seeds[0], **numbers_of(cell.request)).site.level
    method = args.method or (f"{TITLES[cell.framework]}, {client.name}" if client else TITLES[cell.framework])
    result = LevelResult(
        name=find_level(cell.request.scenario).name,
        level=level,
        method=method,
        changes=dict(cell.request.numbers),
        games=tuple(each.game for each in finished),
        seconds=time.monotonic() - began,
    )
    unit = "words" if client is None or client.name in IN_WORDS else "tokens"
    who = client.about if client else "no model is asked: no agent does anything"
    return PlayedCell(cell=cell, result=result, who=who, unit=unit, finished=tuple(finished))


def _sizes(text: str) -> Sequence[int]:
    sizes = [count(part) for part in text.split(",")]
    if len(set(sizes)) < len(sizes):
        raise argparse.ArgumentTypeError(f"`{text}` names a number twice")
    return sizes


def _quirks(text: str) -> tuple[str, ...]:
    names = [part.strip().replace("-", "_") for part in text.split(",")]
    if names == ["all"]:
        return Quirks.names()
    for name in names:
        if name not in Quirks.names():
            near = did_you_mean(nearest(name, Quirks.names())) or f"there are {', '.join(Quirks.names())}"
            raise argparse.ArgumentTypeError(f"there is no quirk `{name}`; {near}")
    return tuple(dict.fromkeys(names))


COMMAND = Subcommand(
    name="team",
    summary="let a team of language agents, or one commander with plans, play a wildfire level",
    about="""\
Let language agents play a wildfire level together, by one of the published frameworks: step by step each
agent reads what it sees, talks, plans and chooses actions by asking a model. The framework `plans` is one
commander that writes plans for the complete crew and changes them after some steps or on events; `nothing`
gives no orders. Episodes of several seeds are played side by side: models are asked for all of them at the
same time, and the worlds step in one batch.

Without --model a scripted speaker answers, which is no model: it reads the same prompts and follows rules. So
every command works without a key. Any server that speaks the protocol of OpenAI's chat completions will do.""",
    examples=(
        "hive team wildfire/cut_trees_sparse_small                        CAMON, one episode, scripted speaker",
        "hive team wildfire/scout_fire_small --framework coela --seeds published",
        "hive team wildfire/rescue_known_small --framework hmas2 --model MODEL --base-url http://127.0.0.1:8080/v1",
        "hive team wildfire/cut_trees_sparse_small --framework camon --framework plans --every 5",
        "hive team wildfire/cut_trees_sparse_small --framework embodied --agents 3,5,7 --steps 3 --direct-perception",
        "hive competency runs/team-cut_trees_sparse_small-camon/scores.jsonl --published",
    ),
    notes="""\
The folder of a run is written atomically: config.json, scores.jsonl (a line for each framework, which `hive
competency` reads), table.txt, costs.png (calls and tokens of one step against the number of agents, with
those that the rules predict), exchanges.jsonl (a recording for --replay), and for each episode a folder
FRAMEWORK/SEED with result.json, steps.jsonl (score and costs after each step), transcript.md, its plans or
actions, a picture and recording.npz, of which `hive replay FOLDER --episode FRAMEWORK/SEED` makes a page.

What is finished is saved in DIR.progress, and the same command resumes from there after an interruption or a
failure of the server; only the unfinished step is asked again. Exit code 2: an error in the input, or a model
that could not be asked.

Rules of the frameworks: docs/rules/teams.md.""",
    options=_options,
    run=_run,
)
