"""`hive household play`: a team of language agents does housework, with a model or with a scripted team."""

from __future__ import annotations

import argparse
from pathlib import Path

from dsl import UserError
from hive.cli.arguments import Parser, Subcommand, add_cache, add_json, add_out
from hive.cli.asking import add_model_options, add_prompts, check_drawn
from hive.cli.cache import use_cache
from hive.cli.games.playing import COMMAND as RUN
from hive.cli.values import count, index
from hive.kit.contract import Cast
from hive.kit.keep.places import read_text
from hive.players.teams.frameworks.liet import TEMPERATURE
from hive.players.teams.rules import TeamRules

AGENTS = {
    "liet": "learned costs of proposals, and a shared list about messages that evolves",
    "liet_blind": "the same without costs",
    "liet_guessed": "the same with costs that agents guess",
    "liet_fixed": "LIET without a list; messages have a fixed form",
    "liet_kept": "LIET whose list stays as it is",
    "coela": "agents draft messages and see no costs",
    "proagent": "no messages; agents infer what others intend",
    "roco": "the team talks without cost until it agrees on a plan",
    "roco_paid": "the same, and each utterance costs a step",
}
_LONGEST_TIPS = 5_000  # characters of the words that a team begins with


def _options(parser: Parser) -> None:
    parser.newer = RUN.parser
    parser.add_argument(
        "episodes",
        nargs="*",
        metavar="EPISODE",
        help="cwah_0 or another published episode, cwah for all ten, tdw for the 24 of transport, generated_7 or "
        "transport_7 for the episode of a seed, or a .toml file",
    )
    parser.add_argument("--generated", type=count, metavar="N", help="add the generated episodes 0 to N-1")
    parser.add_argument(
        "--agents",
        choices=AGENTS,
        default="liet",
        help="how the agents talk and decide: "
        + "; ".join(f"{name}: {about}" for name, about in AGENTS.items())
        + "; default: liet",
    )
    parser.add_argument("--team", type=count, default=2, metavar="N", help="size of the team, 1 to 4; default: 2")
    parser.add_argument("--seeds", type=count, default=1, metavar="N", help="plays of each episode; default: 1")
    parser.add_argument("--first-seed", type=index, default=0, metavar="N", help="seed of the first play; default: 0")
    parser.add_argument(
        "--utility",
        metavar="FILE|exact",
        help="costs of proposals in LIET: a file of learned costs, or exact for the true ones; default: costs are "
        "learned from exploratory episodes before the first play",
    )
    parser.add_argument("--tips", type=Path, metavar="FILE", help="text file with the list that the team begins with")
    parser.add_argument(
        "--carry",
        action="store_true",
        help="play the episodes one after the other: a team begins each with the list with which it ended the last",
    )
    parser.add_argument(
        "--published",
        action="store_true",
        help="ask as the published programs do: two calls for each choice, nothing about what team mates do, and no "
        "proposal to wait",
    )
    add_prompts(parser, "liet_message.md")
    parser.add_argument("--movie", action="store_true", help="write a movie of the first play, too")
    heat = f"{TEMPERATURE:g}, and 0 with --agents proagent, roco and roco_paid"
    add_model_options(parser, default="the scripted team, which is no model", ruled=heat)
    add_out(parser, "save the run in this folder; default: runs/household-EPISODE-AGENTS", "run")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    from hive.cli.team_runs import play_and_keep, players_of, tell_new_words
    from hive.kit.contract import TeamRequest
    from hive.worlds.household.teams import HouseholdTeams

    words = _episodes(args)
    if args.plans:
        raise UserError("--plans cannot be used here: agents of households write no plans of armies")
    check_drawn(args, bool(args.model or args.replay))
    options = {
        "team": args.team,
        "utility": args.utility,
        "tips": _tips(args.tips) or None,
        "carry": args.carry or None,
    }
    world = HouseholdTeams(TeamRequest(worlds=words, options=options, published=args.published))
    world.check(Cast("", args.agents))
    use_cache(args)
    named = words[0] if words[0].endswith(".toml") else f"household/{words[0].removeprefix('household/')}"
    tell_new_words("household play", f"{named} --player team:{args.agents}")
    rules = TeamRules(
        direct_perception=True,
        published=args.published,
        temperature=args.temperature,
        top_p=args.top_p,
        max_tokens=args.max_tokens,
    )
    return play_and_keep(
        args,
        world,
        lambda world, watch: players_of(args, world, [f"team:{args.agents}"], rules, [], watch),
        range(args.first_seed, args.first_seed + args.seeds),
        f"household-{(args.episodes or ['generated'])[0]}-{args.agents}",
        {"agents": args.agents, "team": args.team},
    )


def _episodes(args: argparse.Namespace) -> list[str]:
    """Return the episodes that the command line names."""
    from hive.worlds.household.generator import GENERATED_PREFIX

    words = [*args.episodes, *(f"{GENERATED_PREFIX}{number}" for number in range(args.generated or 0))]
    if not words:
        raise UserError("name an episode\n  = help: hive household play cwah_0")
    return words


def _tips(path: Path | None) -> str:
    """Read the list with which the team begins."""
    from hive.players.teams.frameworks.liet import MOST_LIST_WORDS

    if path is None:
        return ""
    try:
        words = read_text(path).split()
    except OSError as error:
        raise UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text") from None
    if len(words) > MOST_LIST_WORDS:
        raise UserError(f"{path} has {len(words):,} words, and a shared list has at most {MOST_LIST_WORDS}")
    if len(text := " ".join(words)) > _LONGEST_TIPS:
        raise UserError(f"{path} has {len(text):,} characters, and a shared list has at most {_LONGEST_TIPS:,}")
    return text


COMMAND = Subcommand(
    name="household play",
    summary="let a team of language agents do housework",
    about="""\
Let a team of agents find things in an apartment and bring them where they are wanted. Agents see what is in
their room, choose among the actions that they can begin, and may spend a step on a message. In LIET each
proposal says how many steps it will take, as learned from texts, and all agents share a list about messages
of at most 100 words, which an agent that heard a message may rewrite.

A model answers for all agents, each of which sees its own prompts. Without --model a scripted team plays,
which is no model: it reads the same prompts and follows rules.""",
    examples=(
        "hive household play cwah_0                                  the scripted team, one episode",
        "hive household play cwah --agents coela --seeds 3",
        "hive household play cwah_16 --agents roco --team 3 --movie",
        "hive household play --generated 200 --utility exact --json",
        "hive household play cwah --carry                            the shared list goes on from episode to episode",
        "hive household play cwah_5 --model MODEL --base-url http://127.0.0.1:8080/v1",
    ),
    notes="""\
The table has for each episode: plays and how many of them met the goal; the share of the wanted objects that
were placed; the mean of the steps, where an unfinished play counts the limit; and messages, actions that were
abandoned and calls of a play. The row `all` has the 95% interval of the steps over the episodes.

The folder of a run is written atomically: config.json, result.json, table.txt, exchanges.jsonl (a recording
for --replay), utility.npz where costs were learned, picture.png, replay.html and with --movie a movie of the
first play, and for each play a folder EPISODE/SEED with result.json, steps.jsonl, transcript.md,
journal.jsonl and recording.npz. What is finished is saved in DIR.progress, and the same command resumes from
there after an interruption or a failure of the server.

Rules of households: docs/rules/household.md.""",
    options=_options,
    run=_run,
)
