"""`hive abilities` for a model: prompts are asked, the plans of the replies are played, and a study is kept."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli.measuring.conditions import read_conditions
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.kit.keep.json_text import pretty
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.cli.measuring.study_settings import Abilities
    from hive.engine.batch.result import GameProgress
    from hive.experiments.study.asking import Procedure, PromptResult, StudyCondition
    from hive.experiments.study.playing import Study, Tried
    from hive.kit.keep.runfolder import Content
    from hive.players.llm.calling import Caller, Ledger


def study(settings: Abilities) -> int:
    """Ask, play, and show a study.

    Raises:
        UserError: An option is wrong, or no prompt at all brought a reply.
    """
    from hive.experiments.study.asking import Procedure
    from hive.experiments.study.playing import Study
    from hive.players.llm.calling import Ledger

    settings = _as_recorded(settings)
    settings.check_folder(settings.out)
    conditions = read_conditions(settings)
    if settings.beside and any(condition.label for condition in conditions):
        raise UserError("--beside compares the study of the five abilities: leave out options that vary it")
    procedure = Procedure(
        settings.drawn(),
        settings.repairs,
        settings.lenient,
        settings.written_for,
        settings.concurrent,
        settings.grammar != "off",
    )
    ledger, record = Ledger(), _record(settings)
    clients = _clients(settings, ledger, record)
    with watching() as watch:
        asked = _ask(clients, conditions, procedure, watch, record)
        tried, seconds = _play(asked, range(settings.seed_count()), procedure, watch)
    found = Study(tuple(conditions), tuple(tried), settings.seed_count(), seconds)
    tell(ledger.line())
    settings.output(_object(found, settings, ledger), "\n\n".join(_tables(found, settings)))
    if settings.out:
        files = _files(found, settings, ledger, record)
        settings.save_folder(settings.out, files, ", the prompts and the plans")
        if record and record != settings.record:
            record.unlink()
    return 0


def _as_recorded(settings: Abilities) -> Abilities:
    """Return the settings with the armies and the information of a short recording that answers.

    Raises:
        UserError: Other armies are asked for.
    """
    if not (found := settings.recorded()):
        return settings
    units = settings.recorded_units(next(iter(settings.sizes()), settings.units))
    return replace(settings, units=units, info=settings.info or (found.info,))


def _record(settings: Abilities) -> Path | None:
    """Return the recording that a study is resumed from: next to the folder, until that is written.

    A study that replaces its folder begins with the replies that are kept there.
    """
    if settings.record or not settings.model or settings.recording or not settings.out:
        return settings.record
    from hive.kit.keep.runfolder import EXCHANGES, whole_file

    folder = settings.out.resolve()
    record = folder.with_name(f"{folder.name}.{EXCHANGES}")
    if (folder / EXCHANGES).is_file() and not record.exists():
        with whole_file(record, private=True) as part:
            shutil.copyfile(folder / EXCHANGES, part)
    return record


def _clients(settings: Abilities, ledger: Ledger, record: Path | None) -> list[Caller]:
    """Open a client for each model, before anything is asked."""
    from hive.players.llm.opening import open_client
    from hive.players.words.commander import PlainCommander

    clients = [settings.script(PlainCommander(), ledger, record=None)] if settings.commander else []
    names = settings.asked() or ([] if settings.commander else [None])
    for name in names:
        choice = settings.choice(model=name, record=record, reuse=bool(name) and not settings.recording)
        clients.append(open_client(choice, ledger, tell))
    for line in dict.fromkeys(client.about for client in clients):
        tell(line)
    return clients


def _ask(
    clients: Sequence[Caller],
    conditions: Sequence[StudyCondition],
    procedure: Procedure,
    watch: Watch,
    record: Path | None,
) -> list[PromptResult]:
    """Ask all models, one after another, and say which prompts brought no reply.

    Raises:
        UserError: No prompt brought one.
    """
    from hive.experiments.study.asking import ask_all

    asked: list[PromptResult] = []
    total = sum(len(condition.prompts) for condition in conditions)
    try:
        for client in clients:
            watch.stage(f"asking {client.name}", total, "prompt")
            heard: list[PromptResult] = []

            def hear(one: PromptResult, heard: list[PromptResult] = heard) -> None:
                heard.append(one)
                lost = sum(each.kind == "no_reply" for each in heard)
                watch.update(len(heard), f"{lost} without a reply" if lost else "")

            asked += ask_all(client, conditions, procedure, hear)
    except KeyboardInterrupt:
        if record and record.exists():
            tell(f"the replies so far are kept in {record}; the same command resumes the study")
        raise
    failed = [each for each in asked if each.kind == "no_reply"]
    if len(failed) == len(asked):
        raise UserError(failed[0].error)
    for error in dict.fromkeys(each.error for each in failed):
        tell(f"{plural(sum(each.error == error for each in failed), 'prompt')} brought no reply: {error}")
    if failed and record:
        tell("the same command, with --overwrite where the folder exists, asks only for the missing replies")
    return asked


def _play(
    asked: Sequence[PromptResult], seeds: range, procedure: Procedure, watch: Watch
) -> tuple[list[Tried], dict[str, float]]:
    """Play the plans of each scenario and size as one batch."""
    from hive.experiments.study.playing import by_arena, play_all

    tried: list[Tried] = []
    seconds: dict[str, float] = {}
    for name, group in by_arena(asked).items():
        limit = group[0].condition.world.limit

        def watcher(count: int, name: str = name, limit: int = limit) -> GameProgress:
            watch.stage(f"playing {plural(count, 'game')} of {name}", limit, "tick")
            return lambda tick, ends: watch.update(tick, f"{ends.count('running')} of {plural(count, 'game')} to go")

        began = time.perf_counter()
        tried += play_all(group, seeds, procedure, watcher)
        seconds[name] = time.perf_counter() - began
    place = {id(each): number for number, each in enumerate(asked)}
    return sorted(tried, key=lambda each: place[id(each.asked)]), seconds


def _object(found: Study, settings: Abilities, ledger: Ledger) -> dict[str, Any]:
    from hive.experiments.study.pairing import paired

    usage = ledger.json()
    del usage["exchanges"]
    return {
        "units": settings.units,
        "rules": dict(settings.numbers),
        "repairs": settings.repairs,
        **found.json(),
        **({"pairs": [pair.json() for pair in paired(found)]} if len(found.models) > 1 else {}),
        "usage": usage,
    }


def _tables(found: Study, settings: Abilities) -> list[str]:
    from hive.experiments.plots.study_tables import study_tables
    from hive.worlds.battle.abilities import published_wins

    return study_tables(found, published_wins() if settings.beside else None)


def _files(found: Study, settings: Abilities, ledger: Ledger, record: Path | None) -> dict[str, Content]:
    """Return the files of the folder: everything needed to repeat the study without a model, and its results."""
    from hive.cli.keeping import words_of
    from hive.experiments.plots.abilities import save_outcomes, save_scores
    from hive.experiments.plots.study import save_lengths, save_scaling, save_times
    from hive.experiments.study.playing import by_arena
    from hive.kit.keep.csv_text import csv_text
    from hive.kit.keep.record import digest_of, games_folder
    from hive.kit.keep.runfolder import EXCHANGES
    from hive.worlds.battle.scenario import portable

    scores = found.scores()
    same = (
        *("temperature", "max_tokens", "top_p", "repairs", "grammar", "ability", "info", "map_input"),
        *("alone", "printed_speeds", "lenient", "prompt_version", "units", "numbers", "written_for"),
    )
    inside = {"replay": EXCHANGES, "prompts": "prompts", "model": found.models}
    seeds, scaling = settings.seed_count(), settings.sizes()
    again = words_of("abilities", settings, same, **inside, seeds=seeds, scaling=scaling)
    worlds: dict[str, list[Any]] = {}  # of each scenario, those of all sizes
    for group in by_arena([each.asked for each in found.tried]).values():
        played = group[0].condition.world
        worlds.setdefault(played.id, []).append(portable(played.scenario, None))
    replies = {
        name: digest_of([each.asked.text for each in found.tried if each.asked.model == name]) for name in found.models
    }
    kept = record.read_bytes() if record and record != settings.record else "\n".join([*ledger.lines, ""])
    files: dict[str, Content] = {
        "study.json": pretty(_object(found, settings, ledger)),
        "study.csv": csv_text(found.json()["replies"]),
        "table.md": "\n\n".join(_tables(found, settings)) + "\n",
        "outcomes.png": lambda path: save_outcomes(scores, path),
        "scores.png": lambda path: save_scores(scores, path),
        "times.png": lambda path: save_times(found, path),
        "lengths.png": lambda path: save_lengths(found, path),
        **({"scaling.png": lambda path: save_scaling(found, path)} if settings.sizes() else {}),
        EXCHANGES: kept,
        **{f"prompts/{each.task}.txt": "\n".join([*each.prompts, ""]) for each in found.conditions},
        **_plans(found),
    }
    return games_folder(
        settings.line,
        again,
        worlds,
        [{"name": name, "plays": "commander", "identity": replies[name]} for name in found.models],
        range(settings.seed_count()),
        files,
        games=len(found.tried) * found.seeds,
        settings=vars(settings.drawn()),
        repairs=settings.repairs,
        grammar=settings.grammar,
        units=settings.units,
        rules=dict(settings.numbers),
        lenient=settings.lenient,
    )


def _plans(found: Study) -> dict[str, Content]:
    """Return the last reply to each prompt as a file that `hive abilities --plans` finds."""
    from hive.experiments.study.playing import plan_name

    files: dict[str, Content] = {}
    for asked in (each.asked for each in found.tried if each.asked.replies):
        stem = f"plans/{asked.condition.ability.name}/" + re.sub(r"[^\w.-]+", "-", plan_name(asked))
        number = sum(name.startswith(f"{stem}.") for name in files)  # two models whose names differ in signs alone
        files[f"{stem}.{number + 1}.plan" if number else f"{stem}.plan"] = asked.text
    return files
