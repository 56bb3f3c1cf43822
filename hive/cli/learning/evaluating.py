"""`hive evaluate`: play trained policies next to random actions, trees and plans, on the same seeds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli.arguments import Parser, Subcommand, add_cache, add_json, add_out, add_set, add_units
from hive.cli.cache import use_cache
from hive.cli.learning.learners import changes_of, need
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.cli.values import games, seed
from hive.kit.contract import Watch

if TYPE_CHECKING:
    from hive.kit.environment.env import Env
    from hive.kit.keep.runfolder import Content
    from hive.rl.evaluation import PlayerGames
    from hive.rl.policies import Policy
    from hive.rl.runs import TrainedRun
    from hive.rl.tasks import LearningTask

_EPISODES = 100
_MAPS = 128  # most maps of a level
_FIRST = 1_000_000  # seeds of training are far below it


def _options(parser: Parser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder that `hive train` wrote, finished or not")
    parser.add_argument(
        "--episodes", type=games, default=_EPISODES, metavar="K", help=f"games of each player; default: {_EPISODES}"
    )
    parser.add_argument(
        "--first", type=seed, default=_FIRST, metavar="S", help=f"seed of the first game; default: {_FIRST:,}"
    )
    parser.add_argument(
        "--greedy", action="store_true", help="take the most probable action; default: draw actions, as in training"
    )
    parser.add_argument("--task", metavar="TASK", help="play another task with the same observations and actions")
    add_units(parser)
    add_set(parser)
    parser.add_argument(
        "--plan",
        dest="plans",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="also play a plan on the same seeds; may be given several times",
    )
    parser.add_argument("--movie", action="store_true", help="make a movie of the first game of the best policy")
    parser.add_argument("--replay", action="store_true", help="make an HTML page of that game")
    add_out(parser, "save results and that game in this folder; default with --movie and --replay: RUN-evaluation")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    from hive.kit.keep.runfolder import check_writable

    need()
    use_cache(args)
    from hive.rl.evaluation import best
    from hive.rl.recording import recordable
    from hive.rl.runs import read_run

    run = read_run(args.run)
    world, task = _world(args, run), _task(args, run)
    plans = _plans(args, task, world)
    env = run.make_env(args.task, _maps(args, task), **changes_of(args))
    if args.movie or args.replay:
        if not recordable(env):
            raise UserError("games of levels cannot be recorded\n  = help: leave out --movie and --replay")
        args.out = args.out or args.run.with_name(f"{args.run.name}-evaluation")
    if args.out:
        check_writable(args.out, args.overwrite)
    seeds = range(args.first, args.first + args.episodes)
    with watching(quiet=args.json) as watch:
        policies = _policies(args, run)
        played, others = _play(env, world, policies, plans, seeds, watch)
        report = _report(args, run, [*played, *others])
        if args.json:
            print_json(report)
        else:
            watch.say(table([*played, *_shown(others)], run, seeds))
        if args.out:
            top = best(played)
            tell(_keep(args, run, env, world, policies[top.name], top, report, watch))
    return 0


def _policies(args: argparse.Namespace, run: TrainedRun) -> dict[str, Policy]:
    import jax

    from hive.rl.policies import learned

    trainer, params = run.trainer, run.params()
    policy = learned(trainer.network, params, greedy=args.greedy)
    return {
        f"policy, {lane.label}": policy.replace(params=jax.tree.map(itemgetter(row), params))
        for row, lane in enumerate(run.lanes)
    }


def _task(args: argparse.Namespace, run: TrainedRun) -> LearningTask:
    """Return the task that is played."""
    from hive.rl.tasks import task

    return task(args.task or run.task)


def _world(args: argparse.Namespace, run: TrainedRun) -> Any:
    """Return what the environment is made of."""
    from hive.rl.tasks import load_world

    own = run.config["task"]["changes"] if args.task in (None, run.task) else {}
    task = _task(args, run)
    return load_world(task, _maps(args, task), **{**own, **changes_of(args)})


def _maps(args: argparse.Namespace, task: LearningTask) -> range | None:
    """Return the seeds of maps that training did not use; None for a world of one map."""
    if not task.mapped:
        return None
    return range(args.first, args.first + min(args.episodes, _MAPS))


def _plans(args: argparse.Namespace, task: LearningTask, world: Any) -> dict[str, str]:
    """Return the plans and trees to compare with; plans are checked before anything is played."""
    from hive.engine.reading import read_plan
    from hive.worlds.battle.environment.tasks import tree_plans

    if not task.planned:
        if args.plans:
            raise UserError("--plan is for tasks on battles\n  = help: leave it out")
        return {}
    named = {"the scenario's plan": world.plan} if world.plan is not None else {}
    named |= {f"plan {Path(plan).stem}": plan for plan in args.plans}
    for plan in named.values():
        read_plan(plan, world)
    return {f"{_TREE}{name}": plan for name, plan in tree_plans(world).items()} | named


def _play(
    env: Env,
    world: Any,
    policies: dict[str, Policy],
    plans: dict[str, str],
    seeds: range,
    watch: Watch,
) -> tuple[list[PlayerGames], list[PlayerGames]]:
    """Play the games of the policies, and those of the players that they are compared with."""
    from hive.rl.evaluation import play_plans, play_policy
    from hive.rl.policies import with_baselines

    every = with_baselines(policies)
    watch.stage("playing", len(every) + len(plans), "player")
    found = []
    for number, (name, policy) in enumerate(every.items()):
        found.append(play_policy(env, policy, seeds, name))
        watch.update(number + 1)
    if plans:
        found += play_plans(world, plans, seeds)
        watch.update(len(found))
    return found[: len(policies)], found[len(policies) :]


_TREE = "tree "


def _shown(others: Sequence[PlayerGames]) -> list[PlayerGames]:
    """Of the trees only the best."""
    from hive.rl.evaluation import best

    trees = [each for each in others if each.name.startswith(_TREE)]
    top = [best(trees)] if trees else []
    return [each for each in others if each not in trees or each in top]


def table(played: Sequence[PlayerGames], run: TrainedRun, seeds: range) -> str:
    """Return the share of games won by each player as a readable table."""
    from hive.players.policies import games_table

    lines = [games_table(played)]
    trees = "; of the trees the best is shown" if any(each.name.startswith(_TREE) for each in played) else ""
    lines.append(f"{plural(len(seeds), 'game')} each, seeds {seeds[0]} to {seeds[-1]}{trees}")
    lines.append(
        f"{run.task}: policies after {plural(run.updates * run.trainer.config.batch_size, 'environment step')}"
    )
    return "\n".join(lines)


def _report(args: argparse.Namespace, run: TrainedRun, played: Sequence[PlayerGames]) -> dict[str, Any]:
    return {
        "run": str(args.run),
        "task": args.task or run.task,
        "changes": changes_of(args),
        "algorithm": run.config["algorithm"],
        "updates": run.updates,
        "steps": run.updates * run.trainer.config.batch_size,
        "greedy": args.greedy,
        "first": args.first,
        "episodes": args.episodes,
        "players": [each.json() for each in played],
    }


def _keep(
    args: argparse.Namespace,
    run: TrainedRun,
    env: Env,
    world: Any,
    policy: Policy,
    played: PlayerGames,
    report: dict[str, Any],
    watch: Watch,
) -> str:
    """Write the folder of the evaluation; return a line that says what was written."""
    from hive.cli.keeping import film
    from hive.kit.keep.config import config_file
    from hive.kit.keep.csv_text import csv_text
    from hive.kit.keep.runfolder import RECORDING, write_run
    from hive.rl.recording import record, recordable
    from hive.worlds.kept import movies, pictures

    config = config_file(args.line, played.seed, run=str(args.run), task=report["task"], greedy=args.greedy)
    files: dict[str, Content] = {**config, "results.json": pretty(report), "results.csv": csv_text(_rows(report))}
    if recordable(env):
        number, name = int(played.seed[0]), Path(args.task or run.task).stem
        watch.stage(f"recording the game of seed {number}", 1, "game")
        recording = record(env, world, policy, number, f"{name}: {played.name}, game {number}")
        files |= {RECORDING: recording.save, **pictures(recording)}
    if args.movie:
        files |= {name: film(save, recording, "", [], watch) for name, save in movies(recording).items()}
    if args.replay:
        files["replay.html"] = lambda path: _page(path.with_name(RECORDING), path)
    write_run(args.out, files, args.overwrite)
    return f"wrote {args.out}: {', '.join(files)}"


def _rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each game of each player."""
    return [{"player": each["name"], **game} for each in report["players"] for game in each["results"]]


def _page(recording: Path, path: Path) -> None:
    from hive.worlds.kept import write_page

    write_page(recording, path)


COMMAND = Subcommand(
    name="evaluate",
    summary="compare trained policies with random actions, trees and plans",
    about="""\
Play the policies of a training run on seeds that training did not use. To compare, play the same seeds with
random actions and with units that stand still; in battles also with every tree that the player may use, as a
plan of one step, with the scenario's own plan if it has one, and with the plans of --plan. All games of a
seed begin alike. A level is played on maps that training did not use.""",
    examples=(
        "hive evaluate runs/five                               100 games of each player",
        "hive evaluate runs/five --episodes 1000 --greedy      more games, without chance in the policy",
        "hive evaluate runs/five --units 50                    the same policy with ten times the units",
        "hive evaluate runs/five --plan my.plan --movie --replay",
    ),
    notes="""\
With --out, --movie or --replay a folder is written: config.json, results.json (every game), for battles and
kitchens the first game of the best policy as recording.npz with picture.png, and on request movie.gif and
replay.html. A run that has not finished is evaluated at its newest checkpoint.""",
    options=_options,
    run=_run,
)
