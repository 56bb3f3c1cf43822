"""`hive study`: commanders on a set of drawn battles, with scores by level, pairs and costs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli import names
from hive.cli.command import Command, option
from hive.cli.model_options import StudyModels
from hive.cli.options import Cache, Folder, JsonOnly
from hive.cli.printing import pretty, print_json, tell
from hive.cli.progress import watching
from hive.cli.values import games, index
from hive.kit.contract import Watch

if TYPE_CHECKING:
    from hive.experiments.panel.commanders import SetCommander, Written
    from hive.experiments.panel.measuring import Trial
    from hive.experiments.panel.scoring import SetStudy
    from hive.kit.keep.runfolder import Content
    from hive.players.llm.calling import Ledger

_SEEDS = 4  # games of each plan
_BASELINES = ("stand", "attack", "default", "words")
_SET_FILE = "set.toml"


@dataclass(frozen=True, kw_only=True)
class StudySet(StudyModels, Folder, JsonOnly, Cache):
    """Settings of `hive study`."""

    set: Annotated[
        str, option("the set of drawn battles: a name from `hive list`, or its .toml file", "SET", complete=names.SET)
    ]
    by: Annotated[
        tuple[str, ...],
        option(
            "a commander: stand, attack, default, words, search:PLANS or plans:DIR; may be given several times; "
            "default, where no model is named: the first four",
            "NAME",
        ),
    ] = ()
    seeds: Annotated[
        int, option(f"games of each plan, with the seeds 0 to K - 1; default: {_SEEDS}", "K", read=games)
    ] = _SEEDS
    repairs: Annotated[
        int, option("how often a model's plan with errors is sent back; default: 0", "N", read=index)
    ] = 0


def _run(settings: StudySet) -> int:
    """Let all commanders write a plan for each battle, play the plans, and show scores.

    Raises:
        UserError: The set, a commander or a model is unknown, or the folder cannot be written.
    """
    from hive.experiments.panel.measuring import Trial
    from hive.experiments.panel.scoring import play_set
    from hive.kit.keep.runfolder import check_writable, write_run
    from hive.players.llm.calling import Ledger
    from hive.worlds.battle.drawn.sets import load_set

    if settings.out:
        check_writable(settings.out, settings.overwrite)
    ledger = Ledger()
    commanders = _commanders(settings, ledger)
    found = load_set(settings.set)
    settings.use_cache()
    with watching(quiet=settings.json) as watch:
        trials = [Trial(name) for name in found.names]
        written = {each.name: _write(each, trials, settings.concurrent, watch) for each in commanders}
        total = len(trials) * len(commanders) * settings.seeds
        watch.stage(f"playing {plural(total, 'game')}", total, "game")
        study = play_set(found, trials, written, settings.seeds, lambda done, _: watch.update(done))
    if settings.json:
        print_json({**study.json(), "games": [*study.games()]})
    else:
        print("\n\n".join(_tables(study)))
    if settings.out:
        write_run(settings.out, _files(settings, study, trials, ledger), settings.overwrite)
        tell(f"wrote {settings.out}: study.json, games.csv, table.md, scores.png, {_SET_FILE} and the plans")
    return 0


def _commanders(settings: StudySet, ledger: Ledger) -> list[SetCommander]:
    """Return who writes plans, each under a name of its own.

    Raises:
        UserError: One is unknown, or two have one name.
    """
    from hive.experiments.panel.commanders import ModelMember, read_commander
    from hive.kit.keep.runfolder import folder_name
    from hive.players.llm.opening import models_of, open_client

    named = settings.by or (() if settings.model or settings.recording else _BASELINES)
    commanders = [read_commander(text) for text in dict.fromkeys(named)]
    models = [*dict.fromkeys(settings.model)] or (models_of(settings.recording) if settings.recording else [])
    for model in models:
        client = open_client(replace(settings.choice(model=model), reuse=not settings.recording), ledger, tell)
        tell(client.about)
        commanders.append(ModelMember(client, settings.drawn(), settings.repairs, settings.grammar != "off"))
    known = [folder_name(each.name) for each in commanders]
    if twice := [name for name in known if known.count(name) > 1]:
        raise UserError(
            f"two commanders are called {twice[0]}, and results are told apart by the name\n"
            "  = help: give one of the folders of plans another name"
        )
    return commanders


def _write(commander: SetCommander, trials: Sequence[Trial], concurrent: int, watch: Watch) -> dict[str, Written]:
    """Let a commander write a plan for each battle, and note how long each took; requests to a model overlap.

    Raises:
        UserError: No request to a model brought a reply.
    """
    from hive.experiments.panel.commanders import ModelMember
    from hive.players.llm.threads import side_by_side

    watch.stage(f"{commander.name} writes plans", len(trials), "plan")
    heard: list[Written] = []

    def write(trial: Trial) -> Written:
        began = time.perf_counter()
        found = commander.write(trial)
        return replace(found, seconds=found.seconds or round(time.perf_counter() - began, 3))

    def hear(one: Written) -> None:
        heard.append(one)
        lost = sum(each.kind == "no_reply" for each in heard)
        watch.update(len(heard), f"{lost} without a reply" if lost else "")

    most = concurrent if isinstance(commander, ModelMember) else 1
    written = side_by_side([partial(write, trial) for trial in trials], most, hear)
    if isinstance(commander, ModelMember) and all(each.kind == "no_reply" for each in written):
        raise UserError(written[0].text)
    return {trial.name: each for trial, each in zip(trials, written, strict=True)}


def _tables(study: SetStudy) -> list[str]:
    ranks = study.ranks()
    alike = (
        "rank correlation of the commanders between halves of the set: "
        + (
            f"Spearman {ranks['spearman']:.2f}, Kendall {ranks['kendall']:.2f}, means of {ranks['divisions']} divisions"
            if ranks["divisions"]
            else "not defined for less than three commanders with different scores"
        )
    )  # fmt: skip
    pairs = [study.pairs_table()] if len(study.commanders) > 1 else []
    about = (
        f"{study.found.name}, {plural(len(study.found.battles), 'battle')}, {plural(study.seeds, 'game')} of each plan"
    )
    return [about, study.table(), *pairs, alike, f"digest of the set: {study.found.digest}"]


def _files(settings: StudySet, study: SetStudy, trials: Sequence[Trial], ledger: Ledger) -> dict[str, Content]:
    """Return the files of the folder: set, plans and results, from which `hive verify` plays all games again."""
    from hive.experiments.panel.commanders import digest_texts, files_of
    from hive.experiments.plots.sets import save_scores
    from hive.kit.keep.csv_text import csv_text
    from hive.kit.keep.record import digest_of, games_folder
    from hive.kit.keep.runfolder import EXCHANGES, folder_name

    folders = {name: f"plans/{folder_name(name)}" for name in study.commanders}
    again = ["study", "--set", _SET_FILE, "--seeds", str(settings.seeds)]
    again += [word for folder in folders.values() for word in ("--by", f"plans:{folder}")]
    players: list[Mapping[str, Any]] = [
        {
            "name": name,
            "plays": "plans",
            "identity": digest_of(digest_texts([*study.written[name].values()])),
        }
        for name in study.commanders
    ]
    plans: dict[str, Content] = {
        f"{folder}/{file}": text
        for name, folder in folders.items()
        for file, text in files_of(study.written[name]).items()
    }
    files: dict[str, Content] = {
        "study.json": pretty(study.json()),
        "games.csv": csv_text(study.games()),
        "table.md": "\n\n".join(f"```\n{table}\n```" for table in _tables(study)) + "\n",
        "scores.png": lambda path: save_scores(study, path),
        _SET_FILE: study.found.toml(),
        **plans,
    }
    if ledger.lines:
        files[EXCHANGES] = "\n".join([*ledger.lines, ""])
    return games_folder(
        settings.line,
        again,
        {trial.world.id: trial.digest for trial in trials},
        players,
        range(settings.seeds),
        files,
        arguments={"by": [*settings.by], "model": [*settings.model], "set": settings.set},
    )


COMMAND = Command(
    settings=StudySet,
    run=_run,
    repeats=True,
    about="""\
Compare commanders on a set of drawn battles. Each commander writes one plan for each battle before its first
tick, and its plans play the same seeds as those of the others. The table has the share of games won by level
and in all, with an interval over battles, beside what the plans cost; a second one compares the commanders
battle by battle. Commanders are

  stand, attack, default   the members of the panel that need no search (docs/rules/sets.md 2.1)
  words                    the plain commander, which reads an order that says the mission
  search:PLANS             a search of at most PLANS plans (32 or more), which plays seeds of its own
  plans:DIR                plans that exist: DIR/CLASS-SEED.plan for each battle
  --model NAME[@URL]       a language model, which gets the compact text of each battle

`hive verify DIR` plays all games of a study again.""",
    examples=(
        "hive study --set battles-v1/duels                                  four commanders without a search",
        "hive study --set battles-v1/duels --by default --by search:64 --out runs/searched",
        "hive study --set my.toml --model MODEL --base-url http://127.0.0.1:8080/v1 --by words --out runs/study",
        "hive study --set my.toml --by plans:mine --by words",
    ),
    notes="""\
With --out a folder is written atomically: config.json, study.json, games.csv, table.md, scores.png, set.toml,
and the plans of each commander with what they cost, in plans/COMMANDER; with a model also exchanges.jsonl. A
commander without a plan for a battle loses its games.""",
)
