"""`hive household play`: a team of language agents does housework, with a model or with a scripted team."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import listing
from hive.cli.arguments import Parser, Subcommand, add_cache, add_json, add_out
from hive.cli.asking import add_model_options, add_prompts, check_drawn, choice_of
from hive.cli.cache import use_cache
from hive.cli.household.files import UTILITY, files_of, result_of
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.values import count, index
from hive.keep.places import read_text
from hive.teams.frameworks.liet import TEMPERATURE
from hive.teams.prompting import Prompts
from hive.teams.rules import TeamRules

if TYPE_CHECKING:
    from hive.cli.household.games import HouseGame
    from hive.contract import Watch
    from hive.household.agents.stage import Estimate
    from hive.household.episode import HouseholdEpisode

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
_LIETS = ("liet", "liet_fixed", "liet_kept")  # with learned costs
_LISTED = ("liet", "liet_blind", "liet_guessed", "liet_kept")  # with a shared list
_LONGEST_TIPS = 5_000  # characters of the words that a team begins with
_FIRST = 900_000  # seed of the first generated episode in which costs are learned, far from those that are played


def _options(parser: Parser) -> None:
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
    from hive.household.codes import AGENTS as MOST
    from hive.keep.finishing import check_results, finish_run, is_finished
    from hive.keep.runfolder import free_folder

    episodes = _episodes(args)
    if args.team > MOST:
        raise UserError(f"a team has 1 to {MOST} agents, not {args.team}")
    _check(args)
    prompts, tips = Prompts(args.prompts), _tips(args.tips)
    use_cache(args)
    if args.utility not in (None, "exact"):
        from hive.household.utility.regression import load

        load(args.utility)  # raises before anything is kept
    out = args.out or free_folder(
        f"household-{(args.episodes or ['generated'])[0]}-{args.agents}", args.overwrite, is_finished
    )
    check_results(out, args.overwrite, args.restart)
    with watching(quiet=args.json) as watch:
        client = _client(args)
        if args.model or args.replay:
            tell(client.about)
        games, progress = _play(args, episodes, client, prompts, tips, out, watch)
        if args.json:
            print_json(result_of(args, client.name, games))
        else:
            from hive.cli.household.games import table

            watch.say("\n" + table(games))
        finish_run(out, files_of(args, client.name, games, progress), args.overwrite)
    tell(
        f"wrote {out}: a folder for each play, and pictures of the first one; "
        f"`hive replay {out} --episode NAME` makes the page of another"
    )
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse options that do not fit."""
    if args.plans:
        raise UserError("--plans cannot be used here: agents of households write no plans of armies")
    check_drawn(args, bool(args.model or args.replay))
    if args.utility and args.agents not in _LIETS:
        raise UserError(
            f"--utility cannot be used here: `{args.agents}` shows no learned costs\n"
            f"  = help: leave it out, or play {listing(_LIETS, 'or')}"
        )
    if (args.tips or args.carry) and args.agents not in _LISTED:
        raise UserError(
            f"--tips and --carry cannot be used here: `{args.agents}` has no shared list\n"
            f"  = help: leave them out, or play {listing(_LISTED, 'or')}"
        )


def _episodes(args: argparse.Namespace) -> list[HouseholdEpisode]:
    """Return the episodes that the command line names, each once."""
    from hive.household.episode import episodes, transports
    from hive.household.generator import GENERATED_PREFIX
    from hive.household.named import find_episode

    groups = {"cwah": sorted(episodes(), key=lambda name: int(name.rpartition("_")[2])), "tdw": list(transports())}
    words = [*args.episodes, *(f"{GENERATED_PREFIX}{number}" for number in range(args.generated or 0))]
    names = [name for word in words for name in groups.get(word, [word])]
    if not names:
        raise UserError("name an episode\n  = help: hive household play cwah_0")
    found = [find_episode(name) for name in dict.fromkeys(names)]
    if len({each.rules for each in found}) > 1:
        raise UserError(
            "housework and transport cannot be played in one run, since their measures differ\n"
            "  = help: play them in two runs"
        )
    stems = [Path(each.name).stem for each in found]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if twice is not None:
        raise UserError(
            f"two episodes are called `{twice}`, and each gets a folder of its name\n  = help: rename a file"
        )
    return found


def _tips(path: Path | None) -> str:
    """Read the list with which the team begins."""
    from hive.teams.frameworks.liet import MOST_LIST_WORDS

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


def _client(args: argparse.Namespace) -> Any:
    """Return who answers for the agents."""
    from hive.household.speaker import answer
    from hive.llm.opening import open_client
    from hive.teams.speaking import ScriptedSpeaker

    return open_client(choice_of(args), None, tell, ScriptedSpeaker(answer, "scripted team"))


def _play(
    args: argparse.Namespace,
    episodes: Sequence[HouseholdEpisode],
    client: Any,
    prompts: Prompts,
    tips: str,
    out: Path,
    watch: Watch,
) -> tuple[list[HouseGame], Path]:
    from hive.cli.household.games import HouseholdCell, play_houses
    from hive.cli.progress_folder import deciding_versions, open_progress
    from hive.teams.frameworks import PROPOSING

    rules = TeamRules(
        direct_perception=True,
        published=args.published,
        temperature=args.temperature,
        top_p=args.top_p,
        max_tokens=args.max_tokens,
    )
    seeds = range(args.first_seed, args.first_seed + args.seeds)
    identity = {
        "episodes": [each.name for each in episodes],
        "agents": [args.agents, args.team, client.name],
        "seeds": list(seeds),
        "utility": args.utility,
        "tips": [tips, args.carry],
        "prompts": prompts.source,
        "rules": rules.json(),
        "versions": deciding_versions(),
    }
    progress, _ = open_progress(out, identity, "run of households", args.restart)
    try:
        cell = HouseholdCell(
            episodes=episodes,
            seeds=seeds,
            agents=args.team,
            framework=PROPOSING[args.agents],
            rules=rules,
            prompts=prompts,
            estimate=_estimate(args, episodes[0].rules, progress / UTILITY, watch),
            tips=tips,
            carry=args.carry,
        )
        games = play_houses(cell, client, progress, args.concurrent, watch)
    except (UserError, KeyboardInterrupt):
        tell(f"what was asked and played so far is kept in {progress}; the same command resumes from there")
        raise
    return games, progress


def _estimate(args: argparse.Namespace, rules: str, kept: Path, watch: Watch) -> Estimate | None:
    """Return the learned costs that agents see; None for the true ones, or where agents see none.

    Costs are learned in generated episodes with the same rules as the first one that is played, and kept with the
    progress, so that a resumed run shows the same ones.
    """
    from hive.household.utility.regression import learn, load, save
    from hive.household.utility.study import HOMES, PLAYS

    if args.agents not in _LIETS or args.utility == "exact":
        return None
    if args.utility:
        return load(Path(args.utility)).ticks
    if not kept.exists():
        import jax

        from hive.household.generator import generate
        from hive.household.houses import generate_transport
        from hive.household.utility.exploring import explore

        watch.stage("learning the costs of options", HOMES * PLAYS, "exploratory play")
        make = generate if rules == "housework" else generate_transport
        homes = [make(_FIRST + number) for number in range(HOMES)]
        pairs = explore(homes, range(PLAYS), update=watch.update)
        save(learn(pairs, jax.random.key(0)), kept)
    return load(kept).ticks


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
