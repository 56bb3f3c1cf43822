"""`hive run` of a world with agents, or of a level by a team: who plays, with which seeds, and what is refused."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import listing
from hive.cli.asking import check_drawn
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.team_runs import clients_of, play_and_keep, players_of
from hive.kit.contract import PUBLISHED, CommandedWorld, Kind, Request, TeamRequest
from hive.players.llm.client import PLAIN
from hive.players.llm.opening import ModelChoice
from hive.players.teams.rules import Quirks, TeamRules

if TYPE_CHECKING:
    from hive.kit.contract import TeamWorld, Watch
    from hive.players.running import RunPlayer

PLAN, COMMANDER = "plan", "commander"
"""Players of worlds that plans command; `plan:FILE` and `commander:NAME` are `--plan` and `--commander`."""

PLANS = "plans"
"""The player that is one commander, which writes plans for all agents next to teams."""

_MOST_VARIANTS = 64  # worlds of one run with varied settings
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
    from hive.cli.keeping import again_words, films
    from hive.kit.keep.record import games_folder
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
            files = games_folder(
                args.line,
                again_words(args.line, folder, asked=False),
                {args.scenario: changes},
                [{"name": each.name, "plays": each.plays, "identity": each.identity} for each in players],
                seeds,
                run.files(films(args.movie, watch), watch),
                world=args.scenario,
                players=args.player,
            )
            write_run(folder, files, args.overwrite)
            tell(f"wrote {folder}: {', '.join(name for name in files if '/' not in name)}, and the first game of each")
    return 0


def run_team(args: argparse.Namespace, kind: Kind, request: Request) -> int:
    """Let the players that `--player` names play, print the results and keep the run.

    Raises:
        UserError: The world, a player, a seed or an option is wrong.
    """
    from hive.kit.keep.runfolder import folder_name
    from hive.players.choosing import check_asked
    from hive.players.occasions import Occasions
    from hive.players.teams.frameworks import FAMILIES

    names = list(dict.fromkeys(args.player))
    asks = bool(args.model or args.replay)
    check_drawn(args, asks)
    if asks:
        check_asked(names)
    request.refuse(
        {name: flag for name, flag in _OF_PLANS.items() if name != "method"},
        f"agents play {request.scenario}, and no plan commands them",
    )
    _refuse_settings(args, names, asks)
    options = dict(args.rules)
    if len(options) < len(args.rules):
        raise UserError("a setting is given twice with --set\n  = help: set each setting once")
    if args.fire_rules is not None:
        options["rules"] = args.fire_rules

    def load(varied: Mapping[str, float]) -> TeamWorld:
        wanted = TeamRequest(worlds=[request.scenario], options={**options, **varied}, published=args.published)
        return kind.team_world(wanted)

    changes = _variants(args.vary, options)
    variants = [(varied, load(varied)) for varied in changes]
    world = variants[0][1] if variants else load({})
    seeds = _seeds(args, world)
    if isinstance(world, CommandedWorld):
        world.requests(seeds)  # raises
    rules = _rules(args, FAMILIES[world.acting].rules())
    models = clients_of(args)
    for model in models:
        tell(model.about)
    heats, occasions = args.temperature or [], Occasions(period=args.period, events=args.events)

    def cast(played: TeamWorld, watch: Watch) -> list[RunPlayer]:
        found = players_of(args, played, names, rules, heats, watch, occasions, models)
        if args.method and len(found) > 1:
            raise UserError("--method names one player\n  = help: name one with --player, or leave out --method")
        titled: Any = found[0]
        return [replace(titled, title=args.method)] if args.method else found

    shown = names or ["team" if asks else next(iter(world.players))]
    return play_and_keep(
        args,
        world,
        cast,
        seeds,
        f"{_plain(request.scenario)}-{folder_name('-'.join(shown))}",
        {"world": request.scenario},
        variants=variants,
    )


def _rules(args: argparse.Namespace, base: TeamRules) -> TeamRules:
    """Return how teams are run."""
    if args.temperature and "released_temperature" in args.quirks:
        raise UserError(
            "--temperature and the quirk released_temperature contradict each other\n"
            "  = help: leave out one of them; --temperature sets the temperature of all calls"
        )
    return replace(
        base,
        direct_perception=args.direct_perception or base.direct_perception,
        direct_execution=args.direct_execution,
        quirks=Quirks(**dict.fromkeys(args.quirks, True)),
        published=args.published,
        top_p=args.top_p,
        max_tokens=args.max_tokens,
    )


def _variants(vary: Sequence[tuple[str, Sequence[float]]], options: Mapping[str, object]) -> list[dict[str, float]]:
    """Return every combination of the values of `--vary`; empty where nothing is varied."""
    names = [name for name, _ in vary]
    for name, values in vary:
        if name in options or names.count(name) > 1:
            raise UserError(f"the setting `{name}` is given twice: write --vary {name}=A,B once, without --set")
        if len(set(values)) < len(values):
            raise UserError(f"--vary {name} names a value twice\n  = help: name each value once")
    found = [dict(zip(names, some, strict=True)) for some in product(*(values for _, values in vary))] if vary else []
    if len(found) > _MOST_VARIANTS:
        raise UserError(f"--vary makes {len(found)} worlds, and a run has at most {_MOST_VARIANTS}")
    return found


def _refuse_settings(args: argparse.Namespace, names: Sequence[str], asks: bool) -> None:
    """Refuse options of a run that none of its players takes.

    Raises:
        UserError: One of them is given.
    """
    writes = PLANS in names
    if not asks:
        _refuse(_connecting(args), "no model is asked", "`--model NAME` names one for a team or for `--player plans`")
    if not writes:
        why = "no player of this run writes plans"
        _refuse(_of_commander(args), why, f"`--player {PLANS}` takes them, one commander of a wildfire level")
    if names and all(name in (PLANS, "team:nothing") for name in names):
        given = {"--direct-perception": args.direct_perception, "--direct-execution": args.direct_execution}
        given |= {"--quirks": args.quirks, "--prompts": args.prompts}
        _refuse({option: value for option, value in given.items() if value}, "no team plays", "add `--player team`")


def _refuse(given: Mapping[str, object], why: str, help: str) -> None:
    if given:
        raise UserError(f"{listing(list(given), 'and')} cannot be used here: {why}\n  = help: {help}")


def _connecting(args: argparse.Namespace) -> dict[str, object]:
    """Return the options with other values than their defaults that only somebody who asks a model takes."""
    found = {
        "--timeout": (args.timeout, ModelChoice.timeout),
        "--retries": (args.retries, ModelChoice.retries),
        "--concurrent": (args.concurrent, ModelChoice.concurrent),
        "--grammar": (args.grammar, "off"),
        "--max-tokens": (args.max_tokens, PLAIN.max_tokens),
    }
    return {option: value for option, (value, default) in found.items() if value != default}


def _of_commander(args: argparse.Namespace) -> dict[str, object]:
    """Return the options that are given and only a commander that writes plans takes."""
    found = {"--period": args.period, "--events": args.events, "--plans": args.plans}
    found |= {"--grammar": None if args.grammar == "off" else args.grammar}
    return {option: value for option, value in found.items() if value}


def _plain(world: str) -> str:
    """Return the name of a world as part of that of a folder."""
    return world.removesuffix(".toml").replace("/", "-").strip(".-")


def _is_policy(name: str) -> bool:
    return name.partition(":")[0] in _POLICIES


def _refuse_asking(args: argparse.Namespace, why: str) -> None:
    """Refuse the options of teams and models."""
    given = {"--model": args.model, "--replay": args.replay, "--prompts": args.prompts, "--published": args.published}
    given |= {"--base-url": args.base_url, "--api-key": args.api_key, "--api-key-env": args.api_key_env}
    given |= {"--record": args.record, "--temperature": args.temperature, "--top-p": args.top_p}
    given |= {"--restart": args.restart, "--vary": args.vary, "--quirks": args.quirks}
    given |= {"--direct-perception": args.direct_perception, "--direct-execution": args.direct_execution}
    given |= {**_of_commander(args), **_connecting(args)}
    wrong = [option for option, value in given.items() if value or option == "--retries"]
    if wrong:
        verb = "is" if len(wrong) == 1 else "are"
        raise UserError(
            f"{listing(wrong, 'and')} {verb} for teams of agents, and {why}\n"
            "  = help: `hive ask` asks a model for a plan; `--player team` lets a team play a world with agents, and "
            f"`--player {PLANS}` one commander a wildfire level"
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
