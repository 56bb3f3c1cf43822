"""`hive ask`: a language model writes the plan for one prompt, and the plan is played."""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from hive.cli.arguments import (
    Parser,
    Subcommand,
    add_cache,
    add_changes,
    add_fire_rules,
    add_json,
    add_markers,
    add_name,
)
from hive.cli.asking import add_model_options, client_of
from hive.cli.cache import use_cache
from hive.cli.model.dialogue import add_manner, ask, exchange_files, manner_of
from hive.cli.model.sampling import Samples, add_sampling
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.setting import host_of, request_of
from hive.cli.values import count, games, index, read_text, seed

if TYPE_CHECKING:
    from hive.players.llm.calling import Caller
    from hive.players.llm.session import Session

_ENDS = {
    "no_plan": "the reply holds no plan",
    "invalid_plan": "the plan of the reply has errors",
    "cut_off": "the reply was cut off by its limit of tokens",
}


def _options(parser: Parser) -> None:
    add_name(parser)
    parser.add_argument("prompt", metavar="PROMPT", help="what you want, in your own words; `-` reads standard input")
    parser.add_argument(
        "--order",
        dest="orders",
        type=_order,
        action="append",
        default=[],
        metavar="TICK=PROMPT",
        help="pause at this tick, send another prompt with the state of the game, and follow the new plan; repeatable",
    )
    add_changes(parser)
    add_markers(parser)
    add_fire_rules(parser)
    add_manner(parser)
    add_sampling(parser)
    add_model_options(parser, samples=True)
    some = parser.add_mutually_exclusive_group()
    some.add_argument("--seed", type=seed, metavar="S", help="the game's seed; default: 0, or a level's first")
    some.add_argument("--seeds", type=games, metavar="K", help="play the plan with the seeds 0 to K - 1")
    parser.add_argument("--movie", action="store_true", help="also make a movie of the first seed's game")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder; default: runs/ask-SCENARIO")
    parser.add_argument(
        "--every", type=count, metavar="T", help="ticks between two frames of a saved battle; default: 1"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the run folder if it exists")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_cache(parser)


def _order(text: str) -> tuple[int, str]:
    tick, equals, prompt = text.partition("=")
    if not equals or not prompt.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not TICK=PROMPT, as in `200=fall back to the forest`")
    if index(tick) < 1:
        raise argparse.ArgumentTypeError("the first prompt is sent at tick 0, so an order comes at tick 1 or later")
    return index(tick), prompt


def _run(args: argparse.Namespace) -> int:
    from hive.kit.keep.runfolder import check_writable, free_folder

    use_cache(args)
    prompts = _prompts(args)
    folder = args.out or free_folder("ask-" + Path(args.scenario).stem, args.overwrite)
    check_writable(folder, args.overwrite)
    client = client_of(args)
    session = _session(args, client)
    samples = Samples()
    try:
        outcome = _ask_in_turn(args, session, prompts, samples)
        tell(f"the model: {client.ledger.line()}")
        if not session.plans:
            _keep_dialogue(args, session, client, folder, outcome, samples)
            tell(f"\nnot played: {_ENDS[outcome]}; the dialogue is in {folder}")
            tell(f"  = help: answer it with `hive chat --resume {folder / 'dialogue.json'}`, or ask in other words")
            if args.json:
                print_json({**_object(session, client, outcome), **samples.json(), "results": []})
            return 2
        results = _play(args, session, client, folder, samples)
    except (UserError, KeyboardInterrupt, BrokenPipeError):
        if client.ledger.lines and (args.overwrite or not folder.exists()):  # replies may have been paid for
            place = folder.with_name(f"{folder.name}-failed") if folder.exists() else folder
            _keep_dialogue(args, session, client, place, "failed", samples)
            tell(f"what the model said so far is kept in {place}")
        raise
    if args.json:
        print_json({**_object(session, client, outcome), **samples.json(), "results": results})
    return 0


def _ask_in_turn(args: argparse.Namespace, session: Session, prompts: list[tuple[int, str]], samples: Samples) -> str:
    """Send every prompt at its tick, the first for all samples; return what the last answer is."""
    for number, (tick, prompt) in enumerate(prompts):
        if tick:
            with watching(quiet=args.json) as watch:
                watch.stage(f"playing to tick {tick}", tick, "tick")
                session.play(tick - session.tick)
            if session.over:
                tell(f"the game ended after {session.tick} ticks ({session.outcome}), so these prompts were not sent:")
                for late, words in prompts[number:]:
                    tell(f"  {late}: {words}")
                break
            if session.tick < tick:
                tell(f"the plan was finished at tick {session.tick}, so the prompt for tick {tick} is sent there")
        if args.samples > 1 and not tick:
            outcome = samples.ask(args, session, prompt, session.images())
        else:
            outcome = ask(session, prompt, quiet=args.json).kind
        if outcome != "plan":
            if not tick:
                break
            tell(f"{_ENDS[outcome]}, so the present plan is followed further")
    return outcome


def _play(
    args: argparse.Namespace, session: Session, client: Caller, folder: Path, samples: Samples
) -> list[dict[str, Any]]:
    """Play the plans of a session to the end and keep the run; return the results in plain values."""
    from hive.cli.keeping import keep

    run = session.run(keep=True, seeds=args.seeds, every=args.every)
    for line in run.remarks:
        tell(line)
    with watching(quiet=args.json) as watch:
        results = list(run.play(watch))
        for result in results:
            if not args.json:
                watch.say(f"\n{result.table()}")
        extra = {**exchange_files(session, client), **samples.files()}
        for line in keep(folder, run, watch, args.line, movie=args.movie, overwrite=args.overwrite, extra=extra):
            tell(line)
    return [result.json() for result in results]


def _prompts(args: argparse.Namespace) -> list[tuple[int, str]]:
    """Return the prompts with their ticks."""
    first = read_text("-")[0] if args.prompt == "-" else args.prompt
    if not first.strip():
        raise UserError("the prompt is empty\n  = help: say what you want, as in `hive ask coordinate 'hold the line'`")
    later = sorted(args.orders)
    for (tick, _), (again, _) in pairwise(later):
        if tick == again:
            raise UserError(f"two orders are given for tick {tick}\n  = help: give one order for each tick")
    return [(0, first), *later]


def _session(args: argparse.Namespace, client: Caller) -> Session:
    """Load the world that the command names and begin a dialogue about it; say who answers."""
    from hive.players.llm.session import Session

    request = request_of(args)
    session = Session(request, host_of(request), client, manner_of(args))
    tell(client.about)
    return session


def _keep_dialogue(
    args: argparse.Namespace, session: Session, client: Caller, folder: Path, outcome: str, samples: Samples
) -> None:
    """Keep what was said where no game is kept."""
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import write_run

    seeds = range(args.seeds) if args.seeds else [session.seed]
    config = config_file(args.line, seeds, scenario=args.scenario, outcome=outcome)
    files = {**config, **exchange_files(session, client), **samples.files()}
    write_run(folder, files, args.overwrite)


def _object(session: Session, client: Caller, outcome: str) -> dict[str, Any]:
    return {
        "scenario": session.world.name,
        "model": client.name,
        "outcome": outcome,
        "plans": [{"tick": tick, "text": plan.text} for tick, plan in session.plans],
        "usage": client.ledger.json(),
    }


COMMAND = Subcommand(
    name="ask",
    summary="let a language model write the plan, play it, and show the result",
    about="""\
Send a prompt to a language model, with the rules, the map, the armies and the state of the game. The reply is
checked; a plan with errors goes back with its diagnostics, twice by default. A plan without errors is played
and kept in a run folder with its picture. With --order the game pauses at a tick, the model reads the present
state and another prompt, and the game goes on under the new plan.

With --samples the first prompt is sent several times. All plans without errors are played in one batch, on
seeds that are not those of the game that is shown, and the plan with the best mean value is followed.

Any server that speaks the protocol of OpenAI's chat completions will do: name it with --base-url and --model.
Without --model no model is asked: the plan that is shipped for the scenario answers, so that every command
works without a key.""",
    examples=(
        'hive ask coordinate "cover the middle row, archers behind spearmen"',
        'hive ask coordinate "hold the south" --model MODEL --base-url http://127.0.0.1:8080/v1',
        'hive ask coordinate "advance" --order "200=fall back to the forest" --model MODEL',
        'hive ask markers_terrain "follow A, B, C and D" --model MODEL --seeds 10 --json',
        'hive ask coordinate "hold the south" --samples 16 --model MODEL',
        'hive ask wildfire/suppress_contain "cut a line around the fire" --model MODEL',
        'hive ask coordinate "hold the south" --replay runs/ask-coordinate/exchanges.jsonl',
    ),
    notes="""\
The key is that of --api-key-env, else OPENAI_API_KEY; it is never written down. The run folder holds what
`hive run` writes, and dialogue.md (the exact text that was sent and received), dialogue.json (for `hive chat
--resume`), exchanges.jsonl (a recording for --replay) and usage.json. Exit code 2: no plan could be played;
the dialogue is kept all the same.""",
    options=_options,
    run=_run,
)
