"""`hive run` of a world with agents, or of a level by a team: who plays, with which seeds, and what is refused."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dsl import UserError
from dsl.wording import listing
from hive.cli.asking import check_drawn
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.team_runs import play_and_keep, players_of
from hive.kit.contract import PUBLISHED, Kind, Request, TeamRequest

if TYPE_CHECKING:
    from hive.kit.contract import TeamWorld

PLAN, COMMANDER = "plan", "commander"
"""Players of worlds that plans command; `plan:FILE` and `commander:NAME` are `--plan` and `--commander`."""

_POLICIES = ("policy", "random", "stand")
_OF_PLANS = {
    "plan": "--plan",
    "swaps": "--swap",
    "commander": "--commander",
    "method": "--method",
    "lenient": "--lenient",
    "written_for": "--written-for",
    "units": "--units",
    "markers": "--marker",
    "every": "--every",
}


def plays_plans(args: argparse.Namespace, kind: Kind) -> bool:
    """Return whether a plan or a commander plays; the one that `--player` names is put in its place.

    Raises:
        UserError: Such a player is named for a world that no plan commands or is named next to others, or an option
            of teams is given.
    """
    named = [name for name in args.player if name.partition(":")[0] in (PLAN, COMMANDER)]
    if not kind.planned or (args.player and not named):
        if named:
            kind.load(Request(scenario=args.scenario))  # raises
        return False
    if len(args.player) > 1:
        raise UserError(
            f"`{named[0]}` plays alone, and --player names {len(args.player)} players\n"
            "  = help: `hive sweep` compares plans, and several teams may stand side by side"
        )
    for which, _, value in (name.partition(":") for name in named):
        if value and getattr(args, which) not in (None, value):
            raise UserError(f"--player {which}:{value} and --{which} contradict each other\n  = help: leave one out")
        if value:
            setattr(args, which, value)
    _refuse_asking(args, f"{args.scenario} is played by a plan here")
    _numbers(args)
    return True


def plays_policies(args: argparse.Namespace) -> bool:
    """Return whether a policy is among the players."""
    return any(map(_is_policy, args.player))


def run_policies(args: argparse.Namespace, request: Request) -> int:
    """Let the policies that `--player` names play, print the results and keep the run on request.

    Raises:
        UserError: A policy, the world, a seed or an option is wrong.
    """
    from hive.cli.keeping import films
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import check_writable, folder_name, free_folder, write_run
    from hive.players.policies import play_policies, policy_players

    others = [name for name in args.player if not _is_policy(name)]
    if others:
        raise UserError(
            f"{listing(others, 'and')} cannot stand next to policies\n"
            "  = help: play them in two runs with the same seeds"
        )
    request.refuse({name: flag for name, flag in _OF_PLANS.items() if name != "units"}, "a policy plays")
    _refuse_asking(args, "a policy plays")
    if args.seeds == PUBLISHED:
        raise UserError("a policy plays seeds that are numbered\n  = help: give a number, as in `--seeds 10`")
    changes = _numbers(args) | ({} if args.units is None else {"units": args.units})
    seeds: Sequence[int] = [args.seed or 0] if args.seeds is None else range(args.seeds)
    players = policy_players(args.scenario, args.player, changes, seeds)
    shown = folder_name("-".join(args.player))
    folder = args.out or (free_folder(f"{_plain(args.scenario)}-{shown}", args.overwrite) if args.movie else None)
    if folder:
        check_writable(folder, args.overwrite)
    with watching(quiet=args.json) as watch:
        run = play_policies(args.scenario, players, seeds, watch)
        if args.json:
            print_json(run.json())
        else:
            watch.say("\n" + run.table())
        if folder:
            files = {
                **config_file(args.line, seeds, world=args.scenario, players=args.player),
                **run.files(films(args.movie, watch), watch),
            }
            write_run(folder, files, args.overwrite)
            tell(f"wrote {folder}: {', '.join(name for name in files if '/' not in name)}, and the first game of each")
    return 0


def run_team(args: argparse.Namespace, kind: Kind, request: Request) -> int:
    """Let the players that `--player` names play, print the results and keep the run.

    Raises:
        UserError: The world, a player, a seed or an option is wrong.
    """
    from hive.kit.keep.runfolder import folder_name
    from hive.players.teams.frameworks import FAMILIES

    check_drawn(args, bool(args.model or args.replay))
    request.refuse(_OF_PLANS, f"agents play {request.scenario}, and no plan commands them")
    options = dict(args.rules)
    if len(options) < len(args.rules):
        raise UserError("a setting is given twice with --set\n  = help: set each setting once")
    if args.fire_rules is not None:
        options["rules"] = args.fire_rules
    world = kind.team_world(TeamRequest(worlds=[request.scenario], options=options, published=args.published))
    seeds = _seeds(args, world)
    rules = FAMILIES[world.acting].rules()
    rules = replace(rules, published=args.published, top_p=args.top_p, max_tokens=args.max_tokens)
    shown = args.player or ["team" if args.model or args.replay else next(iter(world.players))]
    return play_and_keep(
        args,
        world,
        lambda watch: players_of(args, world, args.player, rules, args.temperature or [], watch),
        seeds,
        f"{_plain(request.scenario)}-{folder_name('-'.join(shown))}",
        {"world": request.scenario},
    )


def _plain(world: str) -> str:
    """Return the name of a world as part of that of a folder."""
    return world.removesuffix(".toml").replace("/", "-").strip(".-")


def _is_policy(name: str) -> bool:
    return name.partition(":")[0] in _POLICIES


def _refuse_asking(args: argparse.Namespace, why: str) -> None:
    """Refuse the options of teams and models."""
    given = {"--model": args.model, "--replay": args.replay, "--prompts": args.prompts, "--published": args.published}
    given |= {"--base-url": args.base_url, "--api-key": args.api_key, "--record": args.record}
    given |= {"--temperature": args.temperature, "--top-p": args.top_p, "--restart": args.restart}
    wrong = next((option for option, value in given.items() if value), None)
    if wrong:
        raise UserError(
            f"{wrong} is for teams of agents, and {why}\n"
            "  = help: `hive ask` asks a model for a plan; `--player team` lets a team play a world with agents"
        )


def _numbers(args: argparse.Namespace) -> dict[str, float]:
    """Return the values of `--set` by name, which have to be numbers."""
    words = next((f"{name}={value}" for name, value in args.rules if isinstance(value, str)), None)
    if words:
        raise UserError(f"argument --set: `{words}` is not of the form RULE=NUMBER, as in `limit=300`")
    return dict(args.rules)


def _seeds(args: argparse.Namespace, world: TeamWorld) -> Sequence[int]:
    if args.seed is not None:
        return [args.seed]
    if args.seeds is None:
        return world.seeds[:1]
    if args.seeds == PUBLISHED:
        if len(world.seeds) == 1:
            raise UserError(f"{args.scenario} has no published seeds\n  = help: give a number, as in `--seeds 10`")
        return world.seeds
    return range(int(args.seeds))
