"""`hive kitchen play`: an alias of `hive run` for several tasks, with the options of the kitchen by their own names."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from hive.cli.asking import check_drawn
from hive.cli.cache import use_cache
from hive.cli.kitchen.tasks import check_named
from hive.kit.keep.places import read_text
from hive.players.teams.rules import TeamRules
from hive.worlds.kitchen.switches import flipped

if TYPE_CHECKING:
    from hive.kit.contract import TeamWorld
    from hive.kit.keep.runfolder import Content
    from hive.players.running import TeamRun

PAIRS = {
    "planner": "both cooks follow the fastest plan of named actions, without a word",
    "speaker": "a scripted pair: one cook has the recipe and asks, the other does what it is asked",
    "model": "a language model answers for both cooks, each of which sees its own prompts",
}


def run(args: argparse.Namespace) -> int:
    """Play the tasks that the command line names, and keep the run."""
    from hive.cli.team_runs import play_and_keep, players_of, tell_new_words

    pair = _pair(args)
    world, rules = _world(args), _rules(args)
    beside = dict(map(_earlier, args.beside))
    use_cache(args)
    tell_new_words("kitchen play", f"kitchen/{args.tasks[0]} --player {'team' if pair == 'model' else pair}")
    names = [] if pair == "model" else [pair]
    return play_and_keep(
        args,
        world,
        lambda world, watch: players_of(args, world, names, rules, [], watch),
        range(args.games),
        f"kitchen-{args.tasks[0]}-{pair}",
        {"pair": pair, "games_of_each": args.games, "replies": args.replies, "corrections": args.corrections},
        lambda played: _curves(played, beside),
    )


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


def _world(args: argparse.Namespace) -> TeamWorld:
    """Load the kitchen and the tasks."""
    from hive.kit.contract import TeamRequest
    from hive.worlds.kitchen.teams import KitchenTeams

    check_named(args)
    options = {name: getattr(flipped(args.switches), name) for name in args.switches}
    options |= {"cookbook": args.cookbook, "layout": args.layout}
    return KitchenTeams(TeamRequest(worlds=args.tasks, options=options, published=args.published))


def _rules(args: argparse.Namespace) -> TeamRules:
    return TeamRules(
        replies=args.replies,
        corrections=args.corrections,
        published=args.published,
        temperature=args.temperature,
        top_p=args.top_p,
        max_tokens=args.max_tokens,
    )


def _curves(played: TeamRun, beside: Mapping[str, list[Any]]) -> dict[str, Content]:
    """Return the picture of several levels, or of this run next to others."""
    from hive.experiments.plots.kitchen_levels import save_levels

    games = list(played.results.rows())
    if len({game["level"] for game in games}) < 2 and not beside:
        return {}
    return {"levels.png": partial(save_levels, {**beside, played.players[0].client.name: games})}


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
        return str(found.get("speaker") or found["players"][0]["speaker"]), games
    except OSError as error:
        raise UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        help = "give a folder that `hive kitchen play` wrote"
        raise UserError(f"{path} is not the result of a run of the kitchen\n  = help: {help}") from None


def _drawable(game: Mapping[str, Any]) -> bool:
    """Whether a game of an earlier run has values that a picture can show."""
    shares = [game["success"], game["pc"], *([game["ic"], game["rc"]] if game["events"] else [])]
    whole = type(game["level"]) is type(game["events"]) is int and isinstance(game["task"], str)
    return whole and all(isinstance(share, int | float) and 0 <= share <= 1 for share in shares)
