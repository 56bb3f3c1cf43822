"""`hive rescue play`: teams play rescues; each run is kept with its transcript, its picture and its recording."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dsl import UserError
from hive.cli.arguments import Parser
from hive.cli.asking import add_model_options, add_prompts, check_drawn, choice_of
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.cli.values import count, index
from hive.contract import Watch
from hive.rescue.codes import LITERAL, STEPS, VARIANTS
from hive.teams.prompting import Prompts
from hive.teams.rules import TeamRules

if TYPE_CHECKING:
    from hive.cli.rescue.runs import RescueRun, RescueTeam
    from hive.keep.runfolder import Content
    from hive.llm.calling import Caller
    from hive.rescue.instance import Instance

ABOUT = "let teams play: the heuristic, a best plan, a scripted team that talks, or language models"
OPTIONS: tuple[str, ...] = (
    *(
        "--agents",
        "--limit",
        "--tools",
        "--thoughts",
        "--published",
        "--prompts",
        "--model",
        "--base-url",
        "--api-key",
        "--api-key-env",
    ),
    *(
        "--replay",
        "--record",
        "--temperature",
        "--top-p",
        "--max-tokens",
        "--timeout",
        "--retries",
        "--concurrent",
        "--grammar",
    ),
    *("--restart", "--movie"),
)
"""Options that belong to this action alone."""

_VARIANTS = [name for name in VARIANTS if name != LITERAL]
TEAMS = {
    "heuristic": "each agent follows the heuristic of the study, without messages",
    **{f"heuristic:{name}": f"each agent follows the variant `{name}` of the heuristic" for name in _VARIANTS},
    "optimal": "the team follows a plan of the fewest steps, which is proved",
    "speaker": "a scripted team that talks",
    "model": "a language model answers for every agent",
}
TOOLS = ("offer", "text")


def add_options(parser: Parser) -> None:
    """Add the options of playing."""
    parser.add_argument(
        "--agents",
        action="append",
        choices=TEAMS,
        metavar="TEAM",
        help=f"play: who plays: heuristic, or a variant of it as heuristic:NAME ({', '.join(_VARIANTS)}); optimal, a "
        "best plan; speaker, a scripted team that talks; or model; may be given several times; default: speaker, or "
        "model with --model or --replay",
    )
    rules = TeamRules()
    parser.add_argument(
        "--limit", type=count, default=STEPS, metavar="N", help=f"play: most steps, up to {STEPS}, the default"
    )
    parser.add_argument(
        "--tools",
        choices=TOOLS,
        default=TOOLS[0],
        help="play: offer: the server receives the tools, and a call as text is read too; text: calls are text alone",
    )
    parser.add_argument(
        "--thoughts",
        type=index,
        default=rules.thoughts,
        metavar="N",
        help=f"play: most answers without a call in one turn; one more ends the run; default: {rules.thoughts}",
    )
    parser.add_argument(
        "--published",
        action="store_true",
        help="play: the actions and messages of the study: no tool `wait`, and a message after every action",
    )
    parser.add_argument("--movie", action="store_true", help="play: make a movie of each run")
    add_prompts(parser, "turns_act.md")
    add_model_options(parser, study=True, temperatures=True)


def run(args: argparse.Namespace, instances: list[Instance]) -> int:
    """Play, show and keep.

    Raises:
        UserError: A team, the limit, the prompts or the model's address is wrong, no instance is named, or the folder
            cannot be written.
    """
    from hive.keep.finishing import check_results, finish_run, is_finished
    from hive.keep.runfolder import free_folder

    kinds = _kinds(args)
    if args.limit > STEPS:
        raise UserError(f"--limit is at most {STEPS}, not {args.limit}")
    if not instances:
        raise UserError("name a rescue\n  = help: hive rescue play map_7/agents-1; `all` means all that are shipped")
    prompts = Prompts(args.prompts)
    out = args.out or free_folder(f"rescue-{'-'.join(kinds)}".replace(":", "-"), args.overwrite, is_finished)
    check_results(out, args.overwrite, args.restart)
    with watching(quiet=args.json) as watch:
        teams = _teams(args, kinds)
        runs, progress = _play(args, teams, instances, prompts, out, watch)
        from hive.cli.rescue.sums import tables

        if args.json:
            print_json({"runs": [each.json() for each in runs]})
        else:
            watch.say("\n" + tables(runs))
        files = _files(args, teams, runs, progress, watch)
        finish_run(out, files, args.overwrite)
    tell(f"wrote {out}: {', '.join(name for name in files if '/' not in name)}, and a folder for each run")
    return 0


def _kinds(args: argparse.Namespace) -> list[str]:
    """Return which kinds of teams play; refuse options that do not fit."""
    asks = bool(args.model or args.replay)
    kinds: list[str] = list(dict.fromkeys(args.agents or (["model"] if asks else ["speaker"])))
    if asks and "model" not in kinds:
        raise UserError(
            "--model and --replay cannot be used here: none of these teams asks a model\n"
            "  = help: leave them out, or add `--agents model`"
        )
    if "model" in kinds and not asks:
        raise UserError("the team `model` needs a model\n  = help: add --model NAME, or a recording with --replay FILE")
    check_drawn(args, "model" in kinds)
    return kinds


def _teams(args: argparse.Namespace, kinds: Sequence[str]) -> list[RescueTeam]:
    """Return all teams: one of each kind without a model, and one for each model and temperature."""
    from hive.cli.rescue.runs import RescueTeam
    from hive.rescue.agents.speaker import answer
    from hive.teams.speaking import ScriptedSpeaker

    rules = TeamRules(
        thoughts=args.thoughts,
        by_text=args.tools == "text",
        published=args.published,
        max_tokens=args.max_tokens,
        top_p=args.top_p,
    )
    found: list[RescueTeam] = []
    for kind in kinds:
        if kind != "model":
            speaker = ScriptedSpeaker(answer, "speaker" if kind == "speaker" else f"{kind} team")
            found.append(RescueTeam(kind=kind, name=kind, client=speaker, rules=rules))
            continue
        for client in _clients(args):
            tell(client.about)
            for heat in dict.fromkeys(args.temperature or [0.0]):
                name = f"{client.name} T={heat:g}"
                found.append(RescueTeam(kind=kind, name=name, client=client, rules=replace(rules, temperature=heat)))
    return found


def _clients(args: argparse.Namespace) -> list[Caller]:
    """Open a client for each model, before anything is asked."""
    from hive.llm.opening import open_client
    from hive.llm.recorded import ReplyRecording

    names = list(dict.fromkeys(args.model or [None]))
    if args.replay and not args.model and args.replay.is_file():
        names = list(ReplyRecording(args.replay).models) or names
    choices = [choice_of(argparse.Namespace(**{**vars(args), "model": name, "plans": None})) for name in names]
    return [open_client(choice, None, tell) for choice in choices]


def _play(
    args: argparse.Namespace,
    teams: Sequence[RescueTeam],
    instances: Sequence[Instance],
    prompts: Prompts,
    out: Path,
    watch: Watch,
) -> tuple[list[RescueRun], Path]:
    from hive.cli.progress_folder import deciding_versions, open_progress
    from hive.cli.rescue.runs import folder_name, optima, play_team
    from hive.rescue.files import instance_texts

    identity = {
        "instances": [[instance.name, instance_texts(instance)] for instance in instances],
        "teams": [[team.kind, team.name, team.client.name, team.rules.json()] for team in teams],
        "limit": args.limit,
        "prompts": prompts.source,
        "versions": deciding_versions(),
    }
    progress, _ = open_progress(out, identity, "run of rescues", args.restart)
    runs = []
    try:
        best = optima(instances, args.limit, watch)
        for team in teams:
            folder = progress / folder_name(team.name)
            folder.mkdir(exist_ok=True)
            runs += play_team(team, instances, best, args.limit, prompts, folder, args.concurrent, watch)
    except (UserError, KeyboardInterrupt):
        tell(f"what was asked and played so far is kept in {progress}; the same command resumes from there")
        raise
    return runs, progress


def _files(
    args: argparse.Namespace, teams: Sequence[RescueTeam], runs: Sequence[RescueRun], progress: Path, watch: Watch
) -> dict[str, Content]:
    from hive.cli.keeping import film
    from hive.cli.rescue.runs import folder_name, steps_text
    from hive.cli.rescue.sums import tables
    from hive.keep.config import config_file
    from hive.keep.csv_text import csv_text
    from hive.keep.runfolder import EXCHANGES, RECORDING
    from hive.teams.transcript import transcript
    from hive.view.kept import movies, pictures

    kept = [progress / folder_name(team.name) / EXCHANGES for team in teams]
    files: dict[str, Content] = {
        **config_file(
            args.line,
            [run.episode.seed for run in runs],
            instances=list(dict.fromkeys(run.instance.name for run in runs)),
            teams=[team.name for team in teams],
            rules={team.name: team.rules.json() for team in teams},
            limit=args.limit,
        ),
        "result.json": pretty({"runs": [run.json() for run in runs]}),
        "table.txt": tables(runs) + "\n",
        "runs.csv": csv_text(run.json() for run in runs),
        EXCHANGES: "".join(path.read_text(encoding="utf-8") for path in kept if path.exists()),
    }
    for run in runs:
        folder = f"{folder_name(run.team.name)}/{folder_name(run.instance.name)}"
        files[f"{folder}/result.json"] = pretty(run.json())
        files[f"{folder}/steps.jsonl"] = steps_text(run)
        title = f"{run.instance.name}: {run.team.name}"
        who = run.team.client.about if run.team.kind == "model" else TEAMS[run.team.kind]
        files[f"{folder}/transcript.md"] = transcript(run.episode, title, run.task, who)
        files[f"{folder}/journal.jsonl"] = run.journal
        files[f"{folder}/{RECORDING}"] = run.recording.save
        files |= {f"{folder}/{name}": draw for name, draw in pictures(run.recording).items()}
        if args.movie:
            films = movies(run.recording).items()
            files |= {f"{folder}/{name}": film(save, run.recording, folder, [], watch) for name, save in films}
    return files
