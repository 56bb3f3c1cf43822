"""`hive kitchen play`: two cooks play tasks, with a model or without one; each run is kept in a folder."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from hive.cli.asking import check_drawn, choice_of
from hive.cli.cache import use_cache
from hive.cli.kitchen.tasks import chosen
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.contract import Watch
from hive.keep.places import read_text
from hive.kitchen.switches import Switches, flipped
from hive.teams.prompting import Prompts
from hive.teams.rules import TeamRules

if TYPE_CHECKING:
    from hive.cli.kitchen.pairs import KitchenGame
    from hive.keep.runfolder import Content
    from hive.kitchen.setting import Setting
    from hive.kitchen.tasks import Task
    from hive.llm.calling import Caller

PAIRS = {
    "planner": "both cooks follow the fastest plan of named actions, without a word",
    "speaker": "a scripted pair: one cook has the recipe and asks, the other does what it is asked",
    "model": "a language model answers for both cooks, each of which sees its own prompts",
}


def run(args: argparse.Namespace) -> int:
    """Play the tasks that the command line names, and keep the run."""
    from hive.keep.finishing import check_results, finish_run, is_finished
    from hive.keep.runfolder import free_folder

    pair = _pair(args)
    setting, tasks = _read(args)
    prompts = Prompts(args.prompts)
    beside = dict(map(_earlier, args.beside))
    use_cache(args)
    out = args.out or free_folder(f"kitchen-{args.tasks[0]}-{pair}", args.overwrite, is_finished)
    check_results(out, args.overwrite, args.restart)
    with watching(quiet=args.json) as watch:
        client = _client(args, pair, setting, tasks, watch)
        if pair == "model":
            tell(client.about)
        games, progress = _play(args, pair, setting, tasks, client, prompts, out, watch)
        if args.json:
            print_json(_object(pair, client.name, games))
        else:
            from hive.cli.kitchen.pairs import table

            watch.say("\n" + table(games))
    files = _files(args, pair, client.name, games, progress) | _curves(client.name, games, beside)
    finish_run(out, files, args.overwrite)
    tell(f"wrote {out}: {', '.join(name for name in files if '/' not in name)}, and a folder for each game")
    return 0


def _pair(args: argparse.Namespace) -> str:
    """Return who cooks; refuse options that do not fit."""
    asks = bool(args.model or args.replay)
    pair: str = args.pair or ("model" if asks else "speaker")
    if asks and pair != "model":
        raise UserError(
            f"--model and --replay cannot be used here: the pair `{pair}` asks no model\n"
            "  = help: leave them out, or give `--pair model`"
        )
    if pair == "model" and not asks:
        raise UserError("the pair `model` needs a model\n  = help: add --model NAME, or a recording with --replay FILE")
    if args.plans:
        raise UserError("--plans cannot be used here: cooks write no plans of armies")
    check_drawn(args, asks)
    return pair


def _read(args: argparse.Namespace) -> tuple[Setting, list[Task]]:
    """Load the kitchen and the tasks."""
    from hive.kitchen.setting import load_setting
    from hive.kitchen.tasks import check_task

    switches = _switches(args)
    setting = load_setting(cookbook_file=args.cookbook, layout_file=args.layout, switches=switches)
    tasks = chosen(args, setting)
    for task in tasks:
        check_task(task.order, setting.book, setting.layout)
    return setting, tasks


def _switches(args: argparse.Namespace) -> Switches:
    """Return the switches of the kitchen; published cooks do not wait for items."""
    switches = flipped(args.switches)
    return replace(switches, wait_for=False) if args.published else switches


def _client(args: argparse.Namespace, pair: str, setting: Setting, tasks: Sequence[Task], watch: Watch) -> Caller:
    """Return who answers for the cooks."""
    from hive.llm.opening import open_client
    from hive.teams.speaking import ScriptedSpeaker

    if pair == "planner":
        from hive.kitchen.agents.speaker.planner import planner
        from hive.kitchen.optimum.play import optima

        best = optima(setting, [task.order for task in tasks], watch=watch)
        return open_client(choice_of(args), None, tell, ScriptedSpeaker(planner(setting, best), "planner pair"))
    from hive.kitchen.agents.speaker import answer

    return open_client(choice_of(args), None, tell, ScriptedSpeaker(answer, "speaker pair"))


def _play(
    args: argparse.Namespace,
    pair: str,
    setting: Setting,
    tasks: Sequence[Task],
    client: Caller,
    prompts: Prompts,
    out: Path,
    watch: Watch,
) -> tuple[list[KitchenGame], Path]:
    from hive.cli.kitchen.pairs import play_pairs
    from hive.cli.progress_folder import deciding_versions, open_progress

    rules = _rules(args)
    identity = {
        "tasks": [task.order for task in tasks],
        "pair": [pair, client.name],
        "games": args.games,
        "kitchen": [setting.book.source, setting.layout.source],
        "prompts": prompts.source,
        "rules": rules.json(),
        "switches": asdict(setting.switches),
        "versions": deciding_versions(),
    }
    progress, _ = open_progress(out, identity, "run of the kitchen", args.restart)
    try:
        games = play_pairs(setting, tasks, args.games, client, rules, prompts, progress, args.concurrent, watch)
    except (UserError, KeyboardInterrupt):
        tell(f"what was asked and played so far is kept in {progress}; the same command resumes from there")
        raise
    return games, progress


def _rules(args: argparse.Namespace) -> TeamRules:
    return TeamRules(
        replies=args.replies,
        corrections=args.corrections,
        published=args.published,
        temperature=args.temperature,
        top_p=args.top_p,
        max_tokens=args.max_tokens,
    )


def _object(pair: str, who: str, games: Sequence[KitchenGame]) -> dict[str, Any]:
    from hive.cli.kitchen.pairs import figures

    return {"pair": pair, "speaker": who, "figures": figures(games), "games": [game.json() for game in games]}


def _files(
    args: argparse.Namespace, pair: str, who: str, games: Sequence[KitchenGame], progress: Path
) -> dict[str, Content]:
    from hive.cli.kitchen.pairs import table
    from hive.keep.csv_text import csv_text
    from hive.keep.runfolder import EXCHANGES, RECORDING
    from hive.teams.transcript import transcript

    exchanges = progress / EXCHANGES
    files: dict[str, Content] = {
        **_config(args, pair, games),
        "result.json": pretty(_object(pair, who, games)),
        "table.txt": table(games) + "\n",
        "games.csv": csv_text(game.json() for game in games),
        EXCHANGES: exchanges.read_text(encoding="utf-8") if exchanges.exists() else "",
    }
    for game in games:
        folder = f"{game.task.order}/{game.number}"
        title = f"{game.task.title}, game {game.number}: {who}"
        files[f"{folder}/result.json"] = pretty(game.json())
        files[f"{folder}/steps.jsonl"] = "".join(json.dumps(row) + "\n" for row in game.episode.rows())
        files[f"{folder}/transcript.md"] = transcript(game.episode, title, game.briefing, who)
        files[f"{folder}/journal.jsonl"] = game.journal
        files[f"{folder}/{RECORDING}"] = game.recording.save
    return files


def _config(args: argparse.Namespace, pair: str, games: Sequence[KitchenGame]) -> dict[str, str]:
    from hive.keep.config import config_file

    return config_file(
        args.line,
        [game.episode.seed for game in games],
        tasks=list(dict.fromkeys(game.task.order for game in games)),
        pair=pair,
        games=args.games,
        **_rules(args).json(),
        switches=asdict(_switches(args)),
    )


def _curves(who: str, games: Sequence[KitchenGame], beside: Mapping[str, list[Any]]) -> dict[str, Content]:
    """Return the picture of several levels, or of this run next to others."""
    from hive.view.plots.kitchen_levels import save_levels

    if len({game.task.level for game in games}) < 2 and not beside:
        return {}
    return {"levels.png": partial(save_levels, {**beside, who: [game.json() for game in games]})}


def _earlier(folder: Path) -> tuple[str, list[Any]]:
    """Return the name and the games of an earlier run.

    Raises:
        UserError: The folder holds no run of the kitchen.
    """
    path = folder / "result.json"
    try:
        found = json.loads(read_text(path))
        keys = ("level", "task", "success", "pc", "ic", "rc", "events")
        games = [{key: game[key] for key in keys} for game in found["games"]]
        if not games or not all(map(_drawable, games)):
            raise ValueError
        return str(found["speaker"]), games
    except OSError as error:
        raise UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        help = "give a folder that `hive kitchen play` wrote"
        raise UserError(f"{path} is not the result of a run of the kitchen\n  = help: {help}") from None


def _drawable(game: Mapping[str, Any]) -> bool:
    """Whether a game of an earlier run has values that a picture can show."""
    shares = [game["success"], game["pc"], *([game["ic"], game["rc"]] if game["events"] else [])]
    whole = type(game["level"]) is type(game["events"]) is int and isinstance(game["task"], str)
    return whole and all(isinstance(share, int | float) and 0 <= share <= 1 for share in shares)
