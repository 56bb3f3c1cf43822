"""`hive evaluate`: play trained policies next to random actions, trees and plans, on the same seeds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.learning.learners import OfCheckpoint, TaskChanges, need, test_maps
from hive.cli.learning.references import TREE, References, references
from hive.cli.options import Cache, Folder, JsonOnly, given
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.values import games, seed, world_name
from hive.kit.keep.json_text import pretty
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.kit.environment.env import Env
    from hive.kit.keep.runfolder import Content
    from hive.rl.evaluation import PlayerGames
    from hive.rl.policies import Policy
    from hive.rl.registry import LearningTask
    from hive.rl.runs import Checkpoint, TrainedRun

EPISODES = 100
FIRST = 1_000_000  # seeds of training are far below it


@dataclass(frozen=True, kw_only=True)
class Evaluate(TaskChanges, OfCheckpoint, Folder, JsonOnly, Cache):
    """Settings of `hive evaluate`."""

    run: Annotated[Path, argument("a folder that `hive train` wrote, finished or not", "RUN")] = field(kw_only=False)
    episodes: Annotated[int, option(f"games of each player; default: {EPISODES}", "K", read=games)] = EPISODES
    first: Annotated[int, option(f"seed of the first game; default: {FIRST:,}", "S", read=seed)] = FIRST
    greedy: Annotated[bool, option("take the most probable action; default: draw actions, as in training")] = False
    task: Annotated[
        str | None,
        option(
            "play another task with the same observations and actions", "TASK", read=world_name, complete=names.TASK
        ),
    ] = None
    plans: Annotated[
        tuple[str, ...],
        option(
            "also play a plan on the same seeds; may be given several times",
            "NAME|FILE",
            name="--plan",
            complete=names.PLAN,
        ),
    ] = ()
    movie: Annotated[bool, option("make a movie of the first game of the best policy")] = False
    replay: Annotated[bool, option("make an HTML page of that game")] = False
    held_out: Annotated[
        bool,
        option(
            "play the held-out games of training once more, with the newest and the best checkpoint; --out saves the "
            "folder of the run with what comes out"
        ),
    ] = False
    out: Annotated[
        Path | None,
        option("save results and that game in this folder; default with --movie and --replay: RUN-evaluation", "DIR"),
    ] = None

    def __post_init__(self) -> None:
        """Refuse options that change the held-out games of a run.

        Raises:
            UserError: One is given.
        """
        others = ("checkpoint", "units", "numbers", "episodes", "first", "greedy", "task", "plans", "movie", "replay")
        if self.held_out and given(self, others):
            raise UserError(
                "--held-out plays the games that training played, with both checkpoints\n"
                "  = help: leave out all other options but --out"
            )

    def again(self, folder: Path) -> list[str]:
        """Return the words after `hive` that play these games again inside a folder."""
        from hive.cli.keeping import plan_inside, task_inside, words_of

        same = ("episodes", "first", "greedy", "checkpoint", "units", "numbers")
        plans = [plan_inside(plan, folder) for plan in self.plans]
        task = self.task and task_inside(self.task, folder)
        return words_of("evaluate", self, same, run=os.path.relpath(self.run, folder), task=task, plans=plans)

    def maps(self, task: LearningTask) -> range | None:
        """Return the seeds of maps that training did not use; None for a world of one map."""
        return test_maps(task, self.first, self.episodes)


def _run(settings: Evaluate) -> int:
    need()
    settings.use_cache()
    from hive.rl import registry
    from hive.rl.evaluation import best, seeds_of
    from hive.rl.runs import facts, read_run

    run = read_run(settings.run)
    if settings.held_out:
        return _retest(settings, run)
    task = registry.task(settings.task or run.task)
    maps, changes = settings.maps(task), settings.changes()
    env = run.make_env(settings.task, maps, **changes)
    world = registry.load_world(task, maps, **run.changed(settings.task, changes))
    beside = references(task, env, world, settings.plans)
    out = settings.out
    if settings.movie or settings.replay:
        if not env.recordable:
            raise UserError("games of levels cannot be recorded\n  = help: leave out --movie and --replay")
        out = out or settings.run.with_name(f"{settings.run.name}-evaluation")
    settings.check_folder(out)
    seeds = seeds_of(env, settings.first, settings.episodes)
    with watching(quiet=settings.json) as watch:
        kept = run.checkpoint(settings.checkpoint)
        policies = _policies(settings, run, kept, env)
        played, others = _play(beside, policies, seeds, watch)
        report = _report(settings, run, kept, beside.world, [*played, *others])
        settings.output(report, table([*played, *_shown(others)], run, kept, task, beside.world, seeds), watch.say)
        if out:
            top = best(played)
            who = {task.id: [changes, facts(env)]}, _players(played, others, report, beside)
            _keep(out, settings, env, beside.world, policies[top.name], top, report, who, watch)
    return 0


def _retest(settings: Evaluate, run: TrainedRun) -> int:
    """Play the held-out games of a run once more."""
    from hive.cli.learning.retesting import retest
    from hive.kit.keep.runfolder import write_run

    settings.check_folder(settings.out)
    with watching(quiet=settings.json) as watch:
        watch.stage("playing held-out games", 1, "run")
        found = retest(run)
        settings.output(found.json(), found.table(), watch.say)
        if settings.out:
            write_run(settings.out, found.files(settings.line), settings.overwrite)
            tell(f"wrote {settings.out}: the files of {run.folder}, with these results")
    return 0


def _players(
    played: Sequence[PlayerGames], others: Sequence[PlayerGames], report: Mapping[str, Any], beside: References
) -> list[dict[str, Any]]:
    """Return who played, as `hive.kit.keep.record.games_folder` takes it."""
    policies = zip(played, report["policies"], strict=True)
    found = [{"name": each.name, "plays": "policy", "identity": own["digest"]} for each, own in policies]
    return found + [beside.player(each.name) for each in others]


def _policies(settings: Evaluate, run: TrainedRun, kept: Checkpoint, env: Env) -> dict[str, Policy]:
    import jax

    policy = run.policy(kept, env, greedy=settings.greedy)
    return {
        f"policy, {lane.label}": policy.replace(params=jax.tree.map(itemgetter(row), kept.params))
        for row, lane in enumerate(run.lanes)
    }


def _play(
    beside: References, policies: dict[str, Policy], seeds: Sequence[int], watch: Watch
) -> tuple[list[PlayerGames], list[PlayerGames]]:
    """Play the games of the policies, and those of the players that they are compared with."""
    from hive.rl.evaluation import play_policy
    from hive.rl.policies import with_baselines

    every = with_baselines(policies)
    watch.stage("playing", len(every) + len(beside), "player")
    found = []
    for number, (name, policy) in enumerate(every.items()):
        found.append(play_policy(beside.env, policy, seeds, name))
        watch.update(number + 1)
    found += beside.play(seeds)
    watch.update(len(found))
    return found[: len(policies)], found[len(policies) :]


def _shown(others: Sequence[PlayerGames]) -> list[PlayerGames]:
    """Of the trees only the best."""
    from hive.rl.evaluation import best

    trees = [each for each in others if each.name.startswith(TREE)]
    top = [best(trees)] if trees else []
    return [each for each in others if each not in trees or each in top]


def table(
    played: Sequence[PlayerGames],
    run: TrainedRun,
    kept: Checkpoint,
    task: LearningTask,
    world: Any,
    seeds: Sequence[int],
) -> str:
    """Return the share of games won by each player as a readable table, on a set also by class and level."""
    from hive.players.policies import games_table

    lines = [games_table(played, task)]
    if played[0].world:
        from hive.cli.learning.set_evaluating import set_table

        lines += ["", set_table(world, played), ""]
    trees = "; of the trees the best is shown" if any(each.name.startswith(TREE) for each in played) else ""
    chosen = "some of the seeds" if played[0].world else "seeds"
    lines.append(f"{plural(len(seeds), 'game')} each, {chosen} {seeds[0]} to {seeds[-1]}{trees}")
    lines.append(f"policies of {run.task}:")
    lines += [f"  {line}" for line in kept.in_words(run.lanes)]
    return "\n".join(lines)


def _report(
    settings: Evaluate, run: TrainedRun, kept: Checkpoint, world: Any, played: Sequence[PlayerGames]
) -> dict[str, Any]:
    players = [each.json() for each in played]
    if played[0].world:
        from hive.cli.learning.set_evaluating import groups_json

        players = [{**row, "groups": groups_json(world, each)} for row, each in zip(players, played, strict=True)]
    return {
        "run": str(settings.run),
        "task": settings.task or run.task,
        "changes": settings.changes(),
        "algorithm": run.config["algorithm"],
        "updates": run.updates,
        "steps": run.updates * run.settings.batch_size,
        "checkpoint": kept.which,
        "policies": kept.json(run.lanes),
        "greedy": settings.greedy,
        "first": settings.first,
        "episodes": settings.episodes,
        "players": players,
    }


def _keep(
    out: Path,
    settings: Evaluate,
    env: Env,
    world: Any,
    policy: Policy,
    played: PlayerGames,
    report: dict[str, Any],
    who: tuple[dict[str, Any], list[dict[str, Any]]],
    watch: Watch,
) -> None:
    """Write the folder of the evaluation."""
    from hive.cli.keeping import film
    from hive.kit.keep.csv_text import csv_text
    from hive.kit.keep.record import games_folder
    from hive.kit.keep.runfolder import RECORDING
    from hive.rl.evaluation import record
    from hive.worlds.kept import movies, pictures

    files: dict[str, Content] = {"results.json": pretty(report), "results.csv": csv_text(_rows(report))}
    if env.recordable:
        number, name = int(played.seed[0]), Path(report["task"]).stem
        watch.stage(f"recording the game of seed {number}", 1, "game")
        recording = record(env, world, policy, number, f"{name}: {played.name}, game {number}")
        files |= {RECORDING: recording.save, **pictures(recording)}
    if settings.movie:
        files |= {name: film(save, recording, "", [], watch) for name, save in movies(recording).items()}
    if settings.replay:
        files["replay.html"] = lambda path: _page(path.with_name(RECORDING), path)
    facts = {"task": report["task"], "greedy": settings.greedy, "games": len(_rows(report))}
    facts["arguments"] = {"run": str(settings.run)}
    files = games_folder(settings.line, settings.again(out), *who, played.seed, files, **facts)
    settings.save_folder(out, files)


def _rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each game of each player."""
    return [{"player": each["name"], **game} for each in report["players"] for game in each["results"]]


def _page(recording: Path, path: Path) -> None:
    from hive.worlds.kept import write_page

    write_page(recording, path)


COMMAND = Command(
    settings=Evaluate,
    run=_run,
    repeats=True,
    about="""\
Play the policies of a training run on seeds that training did not use. To compare, play the same seeds with
random actions and with units that stand still; in kitchens, rescues and households also with the world's own
rules and best plans; in battles with every tree that the player may use, as a plan of one step, with the
scenario's own plan if it has one, and with the plans of --plan. All games of a seed begin alike. A level is
played on maps that training did not use. On a set of battles each battle has as many games, and the shares
are also shown by class and level.""",
    examples=(
        "hive evaluate runs/five                               100 games of each player",
        "hive evaluate runs/five --episodes 1000 --greedy      more games, without chance in the policy",
        "hive evaluate runs/five --units 50                    the same policy with ten times the units",
        "hive evaluate runs/five --plan my.plan --movie --replay",
        "hive evaluate runs/all --task battles-v0/test         a policy of battles-v0/train on new battles",
    ),
    notes="""\
With --out, --movie or --replay a folder is written: config.json, results.json (every game), but for wildfires
the first game of the best policy as recording.npz with picture.png, and on request movie.gif and
replay.html; `hive verify` plays its games again. The best checkpoint of each policy plays unless
--checkpoint names the newest one, in a run that has not finished, too.""",
)
