"""`hive baselines`: a table of algorithms on tasks, trained where it lacks runs, with held-out games and references."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import product
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dsl import UserError
from dsl.wording import columns, listing, plural
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.learning.evaluating import EPISODES, FIRST
from hive.cli.learning.learners import OfCheckpoint, need, test_maps
from hive.cli.learning.references import TREE, references
from hive.cli.learning.settings import Train, of_setting, of_steps, of_values
from hive.cli.learning.training import folder_name, held_out, train, trainer_of
from hive.cli.options import Cache, Folder, JsonOnly
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.cli.values import BadValueError, games, seed, world_name
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.finishing import check_results, is_finished
from hive.kit.reporting import Watch
from hive.rl.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.rl.evaluation import PlayerGames
    from hive.rl.runs import Checkpoint, TrainedRun
    from hive.rl.training import Lane, MetricsRow, Trainer

_CHOOSING = 2_000_000  # seed of the first game by which settings are chosen
_MEMORIES = {"no": (False,), "yes": (True,), "both": (False, True)}


def _algorithms(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(text.split(",")))
    for name in found:
        if name not in ALGORITHMS:
            raise BadValueError(f"there is no algorithm `{name}`; they are {listing(list(ALGORITHMS), 'and')}")
    return found


@dataclass(frozen=True, kw_only=True)
class Baselines(OfCheckpoint, Folder, JsonOnly, Cache):
    """Settings of `hive baselines`."""

    tasks: Annotated[
        tuple[str, ...],
        argument("tasks, as `hive train` lists them", "TASK", read=world_name, complete=names.TASK),
    ] = field(kw_only=False)
    algorithms: Annotated[
        tuple[str, ...],
        option("algorithms; default: ippo,mappo", "A,B,...", read=_algorithms, joined=True),
    ] = ("ippo", "mappo")
    memory: Annotated[
        str,
        option("whether networks have a memory (a GRU): no, yes or both; default: no", "M", choices=tuple(_MEMORIES)),
    ] = "no"
    steps: Annotated[
        int | None, option("environment steps of each policy; default: those of the task", "N", read=of_steps)
    ] = None
    seed: Annotated[int, option("seed of the first policy; default: 0", "S", read=seed)] = 0
    seeds: Annotated[int, option("policies of each algorithm on each task; default: 3", "K", read=games)] = 3
    settings: Annotated[
        tuple[tuple[str, float], ...],
        option(
            "change a setting of all runs whose algorithm reads it, as in `num_envs=128`; may be given several times",
            "NAME=VALUE",
            name="--setting",
            read=of_setting,
        ),
    ] = ()
    vary: Annotated[
        tuple[tuple[str, list[float]], ...],
        option(
            "train with several values of a setting, in runs of their own where a run has one, and choose by held-out "
            "games for each algorithm and task; may be repeated",
            "NAME=V,W,...",
            read=of_values,
        ),
    ] = ()
    prune: Annotated[
        bool, option("stop settings of --vary that win fewest held-out games during training; see `hive train`")
    ] = False
    episodes: Annotated[int, option(f"games of each player; default: {EPISODES}", "G", read=games)] = EPISODES
    runs: Annotated[
        Path, option("the folder of the training runs, which are not made again; default: runs/baselines", "DIR")
    ] = Path("runs/baselines")
    no_training: Annotated[bool, option("take runs that are finished alone, and train none")] = False

    def again(self, folder: Path) -> list[str]:
        """Return the words after `hive` that make this table again inside a folder, from the same runs."""
        from hive.cli.keeping import task_inside, words_of

        same = ("algorithms", "memory", "episodes", "seed", "seeds", "steps", "checkpoint", "prune", "settings", "vary")
        tasks = [task_inside(task, folder) for task in self.tasks]
        runs = os.path.relpath(self.runs, folder)
        return words_of("baselines", self, same, tasks=tasks, runs=runs, no_training=True)


@dataclass(frozen=True)
class _Games:
    """Games of several policies, which differ in their seed of training."""

    won: np.ndarray  # [seeds] share of each
    score: np.ndarray  # [seeds] mean of each
    ticks: np.ndarray  # [seeds] mean length of each

    def json(self) -> dict[str, Any]:
        from hive.rl.baselines import bootstrap, interquartile_mean

        return {
            "won": self.won.tolist(),
            "score": self.score.tolist(),
            "ticks": self.ticks.tolist(),
            "iqm": interquartile_mean(self.won),
            "interval": list(bootstrap(self.won[:, None])),
        }


@dataclass(frozen=True)
class _Candidate:
    """Settings that were tried, and the games by which those of a table are chosen."""

    settings: Mapping[str, float]
    drawn: _Games
    greedy: _Games

    @property
    def rank(self) -> tuple[float, float, float]:
        """The higher the better: games won, drawn and greedy ones alike, then mean score, then shorter games."""
        from hive.rl.baselines import interquartile_mean

        both = self.drawn, self.greedy
        won = sum(interquartile_mean(each.won) for each in both)
        score, ticks = (sum(float(getattr(each, name).mean()) for each in both) for name in ("score", "ticks"))
        return won, score, -ticks

    def json(self) -> dict[str, Any]:
        return {"settings": dict(self.settings), "drawn": self.drawn.json(), "greedy": self.greedy.json()}


@dataclass(frozen=True)
class _Cell:
    """One algorithm on one task."""

    task: str
    name: str
    run: TrainedRun
    kept: Checkpoint
    chosen: Mapping[str, float]  # settings, of those that vary within the run
    settings: Mapping[str, float]  # these, and those by which runs of the table differ
    candidates: tuple[_Candidate, ...]  # empty where none vary
    stopped: tuple[Mapping[str, Any], ...]  # settings that were stopped early, and after how many steps
    drawn: _Games
    greedy: _Games

    @property
    def seeds(self) -> list[int]:
        return [lane.seed for lane in self.run.lanes if lane.changes == self.chosen]

    @cached_property
    def policies(self) -> list[dict[str, Any]]:
        """The policies with the chosen settings, in plain values, with digests of their numbers."""
        every = zip(self.kept.json(self.run.lanes), self.run.lanes, strict=True)
        return [each for each, lane in every if lane.changes == self.chosen]

    @cached_property
    def rows(self) -> list[MetricsRow]:
        """Metrics of the policies with the chosen settings."""
        from hive.rl.runs import read_metrics

        return [row for row in read_metrics(self.run.folder, self.run.updates) if row["settings"] == self.chosen]

    @property
    def steps(self) -> int:
        return self.run.updates * self.run.settings.batch_size

    @property
    def seconds(self) -> float | None:
        """Of one policy, in which the others of the run trained beside it; None if the run does not say it."""
        speed = self.run.config.get("steps_per_second")
        return sum(self.run.reached) * self.run.settings.batch_size / speed if speed else None

    def json(self) -> dict[str, Any]:
        return {
            "algorithm": self.run.config["algorithm"],
            "recurrent": bool(self.run.settings.recurrent),
            "run": str(self.run.folder),
            "seeds": self.seeds,
            "checkpoint": self.kept.which,
            "policies": self.policies,
            "settings": dict(self.settings),
            "candidates": [each.json() for each in self.candidates],
            **({"stopped": list(self.stopped)} if self.stopped else {}),
            "steps": self.steps,
            "seconds": self.seconds,
            "drawn": self.drawn.json(),
            "greedy": self.greedy.json(),
        }


def _run(settings: Baselines) -> int:
    from hive.kit.keep.record import games_folder
    from hive.kit.keep.runfolder import check_writable, write_run

    need()
    settings.use_cache()
    if settings.out:
        check_writable(settings.out, settings.overwrite)
    wanted = _wanted(settings)
    with watching(quiet=settings.json) as watch:
        rows: dict[tuple[str, str], list[tuple[_Wanted, TrainedRun]]] = {}
        for each in wanted:
            run = _trained(each, settings.no_training, watch)
            rows.setdefault((each.task, each.name), []).append((each, run))
        watch.stage("playing held-out games", len(rows) + len(settings.tasks), "part")
        cells: list[_Cell] = []
        beside: dict[str, _Beside] = {}
        for (task, name), runs in rows.items():
            cells.append(_played(name, runs, settings))
            watch.update(len(cells) + len(beside), f"{task}, {name}")
        for task in settings.tasks:
            beside[task] = _references(task, settings.episodes)
            watch.update(len(cells) + len(beside), task)
        report = _report(settings, cells, {task: each.games for task, each in beside.items()})
        if settings.json:
            print_json(report)
        else:
            watch.say(table(report))
        if settings.out:
            files: dict[str, Content] = {
                "results.json": pretty(report),
                "results.csv": csv_text(_rows(report)),
                "marl_eval.json": pretty(_marl_eval(cells)),
                "curves.png": _curves(cells),
            }  # fmt: skip
            again, (worlds, players) = settings.again(settings.out), _who(cells, beside)
            facts = {"games": _count(cells, beside), "arguments": {"runs": str(settings.runs)}}
            files = games_folder(settings.line, again, worlds, players, report["seeds"], files, **facts)
            write_run(settings.out, files, settings.overwrite)
            tell(f"wrote {settings.out}: {', '.join(files)}")
    return 0


@dataclass(frozen=True)
class _Wanted:
    """A training run of the table, as `hive train` would be asked for it.

    Attributes:
        words: The words of that command.
        shape: Settings by which it differs from other runs of the same algorithm and task: those that cannot vary
            within a run.
        folder: Of the runs.
    """

    words: Train
    shape: Mapping[str, float]
    folder: Path

    @property
    def task(self) -> str:
        return str(self.words.task)

    @property
    def name(self) -> str:
        return f"{self.words.algorithm}{' recurrent' * self.words.recurrent}"

    @property
    def out(self) -> Path:
        values = "".join(f"-{name}_{value:g}" for name, value in self.shape.items())
        return self.folder / f"{folder_name(self.words, self.task)}{values}"


def _wanted(settings: Baselines) -> list[_Wanted]:
    """Return the training runs of the table: for each task and algorithm one, or one for each shape that varies."""
    if len(set(settings.tasks)) < len(settings.tasks):
        raise UserError("a task is named twice\n  = help: name each task once")
    read = {name: _read_by(name, settings) for name in settings.algorithms}
    varied = {name: _varied(own) for name, own in read.items()}
    found = [
        _Wanted(
            Train(
                task=task, algorithm=name, recurrent=recurrent, steps=settings.steps, seed=settings.seed,
                seeds=settings.seeds, settings=(*read[name].settings, *shape.items()), vary=within,
                prune=settings.prune and any(len(values) > 1 for _, values in within), line=settings.line,
            ),
            shape,
            settings.runs,
        )
        for task in settings.tasks
        for name, (within, shapes) in varied.items()
        for recurrent in ((False,) if "recurrent" in ALGORITHMS[name].settings else _MEMORIES[settings.memory])
        for shape in shapes
    ]  # fmt: skip
    folders = Counter(each.out for each in found)
    if shared := [out.name for out, count in folders.items() if count > 1]:
        raise UserError(f"two tasks would share the folder `{shared[0]}`\n  = help: give one of the files another name")
    if settings.prune and not any(each.words.prune for each in found):
        raise UserError(
            "--prune stops settings of --vary that vary within a run\n"
            "  = help: give --vary with several values of such a setting, as in `lr=0.003,0.001`, or leave it out"
        )
    for each in found:  # everything is checked before anything is trained
        trainer = trainer_of(each.words, each.task)
        if _missing(each.out):
            check_results(each.out, overwrite=False, restart=False)
        else:
            _check_run(each, trainer)
    return found


def _read_by(name: str, settings: Baselines) -> Baselines:
    """Return the settings of the table for one algorithm: without those that only others of the table read.

    Raises:
        UserError: A setting is unknown.
    """
    from hive.rl.settings import setting_name

    rows = [ALGORITHMS[each] for each in settings.algorithms]
    others = {word for word in ALGORITHMS[name].unread if any(word not in row.unread for row in rows)}
    given = tuple(each for each in settings.settings if setting_name(each[0]) not in others)
    return replace(
        settings, settings=given, vary=tuple(each for each in settings.vary if setting_name(each[0]) not in others)
    )


def _varied(settings: Baselines) -> tuple[tuple[tuple[str, list[float]], ...], list[dict[str, float]]]:
    """Return the settings that vary within runs, and all combinations of the others, each of which has runs of its own.

    Raises:
        UserError: A setting is unknown, or given twice.
    """
    from hive.rl.settings import VARYING, setting_name

    named = [(setting_name(word), values) for word, values in settings.vary]
    given = Counter([*(name for name, _ in named), *(setting_name(word) for word, _ in settings.settings)])
    if twice := [name for name, _ in named if given[name] > 1]:
        raise UserError(
            f"the setting `{twice[0]}` is given twice\n  = help: give it once, with --setting or with --vary"
        )
    others = {name: values for name, values in named if name not in VARYING}
    shapes = [dict(zip(others, values, strict=True)) for values in product(*others.values())]
    return tuple((name, values) for name, values in named if name in VARYING), shapes


def _trained(wanted: _Wanted, only_finished: bool, watch: Watch) -> TrainedRun:
    """Return a run of the table; it is made, or finished, if it is not there.

    Raises:
        UserError: It is not there, and may not be made.
    """
    trainer = trainer_of(wanted.words, wanted.task)
    if _missing(wanted.out):
        if only_finished:
            raise UserError(
                f"the training run {wanted.out} is not there\n"
                "  = help: put it back, or train it: leave out --no-training, or name its folder with --runs"
            )
        train(wanted.words, wanted.task, trainer, wanted.out, watch)
    return _check_run(wanted, trainer)


def _missing(out: Path) -> bool:
    """Return whether a run is not there, or a command that made it was interrupted at its very end."""
    try:
        return not out.is_dir() or is_finished(out)
    except OSError:  # such as a name that is too long, which writing it will say
        return True


def _check_run(wanted: _Wanted, trainer: Trainer) -> TrainedRun:
    """Read the folder of a run.

    Raises:
        UserError: It has another run, or none.
    """
    from hive.rl.runs import identity, read_run
    from hive.rl.settings import Config

    words, out = wanted.words, wanted.out
    run = read_run(out)
    kept = {**run.config, "settings": {**asdict(Config()), **run.config["settings"]}}  # which older runs lack in part
    tests = held_out(words, trainer)
    decides = identity(trainer, wanted.task, words.sparse, words.changes(), tests, prune=words.prune)
    decides = json.loads(json.dumps(decides | {"settings": asdict(trainer.config)}))
    kept.setdefault("held_out", decides["held_out"])  # older runs played none, and their newest checkpoint counts
    if other := [name for name, value in decides.items() if kept.get(name) != value]:
        settings = [name for name, value in decides["settings"].items() if kept["settings"][name] != value]
        named = [*(name for name in other if name != "settings"), *settings]
        raise UserError(
            f"{out} is another run: {listing(named, 'and')} differ\n"
            "  = help: give another --runs, or remove that folder to train again"
        )
    return run


def _played(name: str, runs: Sequence[tuple[_Wanted, TrainedRun]], settings: Baselines) -> _Cell:
    """Choose among the settings of runs of one algorithm on one task by held-out games, and play the test games."""
    choices: dict[tuple[tuple[str, float], ...], tuple[TrainedRun, Checkpoint, _Play, list[Lane]]] = {}
    stopped: dict[tuple[tuple[str, float], ...], dict[str, Any]] = {}
    for wanted, run in runs:
        kept = run.checkpoint(settings.checkpoint)
        play = _player(run, kept, settings.episodes)
        for lane, updates in zip(run.lanes, run.reached, strict=True):
            values = (*wanted.shape.items(), *lane.changes.items())
            if updates < run.updates:
                stopped[values] = {"settings": dict(values), "steps": updates * run.settings.batch_size}
                continue
            choices.setdefault(values, (run, kept, play, []))[-1].append(lane)
    candidates: tuple[_Candidate, ...] = ()
    best = next(iter(choices))
    if len(choices) > 1:
        candidates = tuple(
            _Candidate(dict(values), *(play(lanes, _CHOOSING, greedy) for greedy in (False, True)))
            for values, (*_, play, lanes) in choices.items()
        )
        best = tuple(max(candidates, key=attrgetter("rank")).settings.items())
    run, kept, play, lanes = choices[best]
    drawn, greedy = (play(lanes, FIRST, greedy) for greedy in (False, True))
    early = tuple(stopped.values())
    return _Cell(run.task, name, run, kept, lanes[0].changes, dict(best), candidates, early, drawn, greedy)


_Play = Callable[[Sequence["Lane"], int, bool], _Games]


def _player(run: TrainedRun, kept: Checkpoint, episodes: int) -> _Play:
    """Return what plays games of some policies of a run from a seed on, greedy or drawn."""
    import jax
    import jax.numpy as jnp

    from hive.rl.evaluation import play_policy, seeds_of
    from hive.rl.policies import drawn_or_greedy
    from hive.rl.registry import task

    def play(lanes: Sequence[Lane], first: int, greedy: bool) -> _Games:
        env = run.make_env(seeds=test_maps(task(run.task), first, episodes))
        seeds, policy, found = seeds_of(env, first, episodes), drawn_or_greedy(run.network(kept, env)), []
        for lane in lanes:
            own = jax.tree.map(itemgetter(run.lanes.index(lane)), kept.params)
            found.append(play_policy(env, policy.replace(params=(own, jnp.array(greedy))), seeds, lane.label))
        return _Games(*(np.array([getattr(each, name).mean() for each in found]) for name in ("won", "score", "ticks")))

    return play


@dataclass(frozen=True)
class _Beside:
    """Games of players without training on one task.

    Attributes:
        games: Of each.
        players: Who they are, as `hive.kit.keep.record.games_folder` takes it.
        world: Name and version of the task.
        facts: Of its environment with the maps of the games.
    """

    games: list[PlayerGames]
    players: list[dict[str, Any]]
    world: str
    facts: dict[str, Any]


def _references(name: str, episodes: int) -> _Beside:
    """Play the test games of a task without learning: at random, standing, and with the task's `references`."""
    from hive.rl.evaluation import play_policy, seeds_of
    from hive.rl.policies import POLICIES
    from hive.rl.registry import load_world, make, task
    from hive.rl.runs import facts

    own = task(name)
    maps = test_maps(own, FIRST, episodes)
    env = make(name, seeds=maps)
    beside = references(own, env, load_world(own, maps))
    seeds = seeds_of(env, FIRST, episodes)
    played = [play_policy(env, policy, seeds, word) for word, policy in POLICIES.items()]
    played += beside.play(seeds)
    players = [{**beside.player(each.name), "name": f"{each.name} on {name}"} for each in played]
    return _Beside(played, players, own.id, facts(env))


def _who(cells: Sequence[_Cell], beside: Mapping[str, _Beside]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what was played, and by whom, as `hive.kit.keep.record.games_folder` takes it."""
    players = [
        {"name": f"{cell.name} on {cell.task}, seed {each['seed']}", "plays": "policy", "identity": each["digest"]}
        for cell in cells
        for each in cell.policies
    ]
    players += [player for each in beside.values() for player in each.players]
    return {each.world: each.facts for each in beside.values()}, players


def _count(cells: Sequence[_Cell], beside: Mapping[str, _Beside]) -> int:
    """Return the number of games of a table."""
    ways = [games for cell in cells for games in (cell.drawn, cell.greedy)]
    ways += [games for cell in cells for each in cell.candidates for games in (each.drawn, each.greedy)]
    one = len(next(iter(beside.values())).games[0].seed)
    return one * (sum(len(each.won) for each in ways) + sum(len(each.games) for each in beside.values()))


def _report(settings: Baselines, cells: Sequence[_Cell], beside: Mapping[str, Sequence[PlayerGames]]) -> dict[str, Any]:
    from hive.rl.baselines import bootstrap, interquartile_mean

    tasks = [
        {
            "task": task,
            "algorithms": {cell.name: cell.json() for cell in cells if cell.task == task},
            "references": [
                {name: value for name, value in each.json().items() if name != "results"} for each in beside[task]
            ],
        }
        for task in settings.tasks
    ]
    overall: dict[str, Any] = {}
    for name in dict.fromkeys(cell.name for cell in cells):
        own = [cell for cell in cells if cell.name == name]
        overall[name] = {
            way: {"iqm": interquartile_mean(shares), "interval": list(bootstrap(shares))}
            for way, shares in (
                ("drawn", np.stack([cell.drawn.won for cell in own], axis=1)),
                ("greedy", np.stack([cell.greedy.won for cell in own], axis=1)),
            )
        }
    seeds = [*range(settings.seed, settings.seed + settings.seeds)]
    return {"seeds": seeds, "episodes": settings.episodes, "first": FIRST, "tasks": tasks, "overall": overall}


def table(report: Mapping[str, Any]) -> str:
    """Return the report of the command as a readable table."""
    heads = ("won, drawn", "95% interval", "won, greedy", "95% interval", "length", "steps", "time")
    lines = [("task", "player", *heads)]
    for task in report["tasks"]:
        for name, cell in task["algorithms"].items():
            chosen = f", {_settings(cell['settings'])}" if cell["settings"] else ""
            spent = "-" if cell["seconds"] is None else f"{cell['seconds']:,.0f} s"
            length = f"{np.mean(cell['drawn']['ticks']):.1f}"
            lines.append((task["task"], name + chosen, *_shown(cell), length, f"{cell['steps']:,}", spent))
        for each in _top(task["references"]):
            low, high = each["interval"]
            shares = f"{each['share']:.1%}", f"{low:.1%} to {high:.1%}"
            lines.append((task["task"], each["name"], *shares, "", "", f"{each['ticks']:.1f}", "", ""))
    if len(report["tasks"]) > 1:
        lines += [("all tasks", name, *_shown(own), "", "", "") for name, own in report["overall"].items()]
    words = [
        columns(lines, left=(0, 1)),
        *_tried(report),
        f"of algorithms: interquartile mean over {plural(len(report['seeds']), 'seed')} and its stratified bootstrap "
        "interval;",
        *_checkpoints(report),
        f"of references: share of games and Wilson's interval, of trees the best; {plural(report['episodes'], 'game')} "
        "of each player;",
        "length: mean of the drawn games, in ticks or turns of the world",
    ]
    return "\n".join(words)


def _tried(report: Mapping[str, Any]) -> list[str]:
    """Return the settings that were tried, as a readable table; none where none vary."""
    lines = [("task", "player", "settings tried", "won, drawn", "won, greedy", "length")]
    for task in report["tasks"]:
        for name, cell in task["algorithms"].items():
            for each in cell["candidates"]:
                shown = [f"{each[way]['iqm']:.1%}" for way in ("drawn", "greedy")]
                length = f"{np.mean(each['drawn']['ticks']):.1f}"
                lines.append((task["task"], name, _settings(each["settings"]), shown[0], shown[1], length))
            for each in cell.get("stopped", ()):
                early = f"{_settings(each['settings'])}, stopped after {each['steps']:,} steps"
                lines.append((task["task"], name, early, "-", "-", "-"))
    return [columns(lines, left=(0, 1, 2)), "settings were chosen by games of their own;"] if len(lines) > 1 else []


def _settings(rows: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in rows.items())


def _checkpoints(report: Mapping[str, Any]) -> list[str]:
    """Return lines that say which policies of the table are those of best, and of newest checkpoints."""
    found: dict[str, list[str]] = {}
    for task in report["tasks"]:
        for name, cell in task["algorithms"].items():
            found.setdefault(cell["checkpoint"], []).append(f"{name} on {task['task']}")
    if len(found) == 1:
        return [f"policies: the {next(iter(found))} checkpoint of each"]
    return [f"{which} checkpoints: {listing(joint='and', phrases=names)}" for which, names in found.items()]


def _rows(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Return a row for each policy: task, algorithm, seed, and what it won and scored in the test games."""
    for task in report["tasks"]:
        for name, cell in task["algorithms"].items():
            for at, lane in enumerate(cell["seeds"]):
                won = {f"{way}_won": cell[way]["won"][at] for way in ("drawn", "greedy")}
                score = {f"{way}_score": cell[way]["score"][at] for way in ("drawn", "greedy")}
                ticks = {f"{way}_ticks": cell[way]["ticks"][at] for way in ("drawn", "greedy")}
                yield {"task": task["task"], "algorithm": name, "seed": lane, **won, **score, **ticks}


def _shown(found: Mapping[str, Any]) -> tuple[str, str, str, str]:
    cells: list[str] = []
    for way in ("drawn", "greedy"):
        low, high = found[way]["interval"]
        cells += [f"{found[way]['iqm']:.1%}", f"{low:.1%} to {high:.1%}"]
    return cells[0], cells[1], cells[2], cells[3]


def _top(references: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of the trees only the best."""
    trees = [each for each in references if each["name"].startswith(TREE)]
    top = max(trees, key=lambda each: (each["won"], each["score"]), default=None)
    return [each for each in references if each not in trees or each is top]


def _marl_eval(cells: Sequence[_Cell]) -> dict[str, Any]:
    from hive.rl.baselines import Scored, marl_eval

    return marl_eval(
        [
            Scored(cell.task, cell.name, cell.seeds, cell.rows, cell.drawn.won.tolist(), cell.drawn.score.tolist())
            for cell in cells
        ]
    )


def _curves(cells: Sequence[_Cell]) -> Callable[[Path], None]:
    from hive.experiments.plots.learning import Curve, save_table_curves

    rows = [Curve(cell.task, cell.name, cell.rows, cell.steps, cell.seconds) for cell in cells]
    return lambda path: save_table_curves(rows, path)


COMMAND = Command(
    settings=Baselines,
    run=_run,
    repeats="--no-training",
    about="""\
Compare algorithms on tasks: train a few policies of each, and play held-out games with them, with drawn and
with the most probable actions, next to random actions, standing still, scripted players of the world if it
has some, the best tree and the scenario's own plan on the same seeds. Training runs are folders of `hive
train`: a run that is there is not made again, an interrupted one goes on, so the same command with more tasks
or algorithms extends a table. With --vary each algorithm gets the settings that win most on each task, in
held-out games that the table does not use.""",
    examples=(
        "hive baselines skirmish_5v5                                    IPPO and MAPPO, three seeds each",
        "hive baselines skirmish_5v5 kitchen_two_orders --memory both --seeds 10 --out runs/table",
        "hive baselines skirmish_5v5 --algorithms ippo --vary lr=0.003,0.001,0.0003 --vary num_steps=16,64",
    ),
    notes="""\
With --out a folder is written: config.json, results.csv and results.json (all shares, means and intervals,
and what was tried with --vary), marl_eval.json (results in the form of the package id-marl-eval) and
curves.png (shares of games won in training over steps and over time). `hive verify` makes the table again
from the runs, which it finds where they were, and trains none. The interquartile mean leaves a
quarter of the policies out at each end, of fewer than four none.""",
)
