"""`hive abilities`: the paper's five tests, for plans of a folder, the shipped ones, or those of language models."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dsl import render
from dsl.wording import plural
from hive.cli.command import Command
from hive.cli.measuring.study_settings import Abilities
from hive.cli.measuring.studying import study
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.setting import load_battle, tell_rescaled
from hive.kit.keep.json_text import pretty
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.engine.batch.result import GameProgress
    from hive.kit.keep.runfolder import Content
    from hive.worlds.battle.abilities import AbilityPlan, AbilityTrial, Scores
    from hive.worlds.battle.world import Battle


def _run(settings: Abilities) -> int:
    from hive.worlds.battle.abilities import Scores, collect, shipped

    settings.use_cache()
    if settings.asks():
        return study(settings)
    settings.check_folder(settings.out)
    entries, left = (shipped(), []) if settings.plans is None else collect(settings.plans)
    for path in left:
        tell(f"left out {path}: it is not a player's plan for an ability")
    worlds: dict[str, Battle] = {}
    for entry in entries:
        name = entry.ability.scenario
        worlds[name] = worlds.get(name) or load_battle(settings.request(name))
    trials: list[AbilityTrial] = []
    seconds: dict[str, float] = {}
    with watching() as watch:
        for name, world in worlds.items():
            began = time.perf_counter()
            trials += _play(world, [entry for entry in entries if entry.ability.scenario == name], settings, watch)
            seconds[name] = time.perf_counter() - began
    scores = Scores(tuple(sorted(trials, key=lambda trial: entries.index(trial.entry))), seconds)
    settings.output(_object(scores, settings), _tables(scores))
    if settings.out:
        settings.save_folder(settings.out, _files(scores, worlds, settings), ", and the plans")
    return 0


def _play(world: Battle, entries: list[AbilityPlan], settings: Abilities, watch: Watch) -> list[AbilityTrial]:
    """Play the plans of one scenario, and print the errors of plans that could not be played."""
    from hive.worlds.battle.abilities import run

    tell(f"{world.name}: {plural(len(entries), 'plan')}, {plural(settings.seed_count(), 'seed')}")
    tell_rescaled(world, settings.written_for)

    def watcher(count: int) -> GameProgress:
        some = f"{plural(count, 'game')} of {plural(sum(world.sizes), 'unit')}"
        watch.stage(f"playing {some}", world.scenario.rules.limit, "tick")
        return lambda tick, ends: watch.update(tick, f"{ends.count('running')} of {plural(count, 'game')} to go")

    trials = run(world, entries, range(settings.seed_count()), watcher, settings.lenient, settings.written_for)
    for trial in trials:
        if not trial.played:
            end = "no plan" if trial.result.outcome[0] == "no_plan" else "an invalid plan"
            tell(f"not played: {trial.entry.file} contains {end}\n\n{render(trial.findings)}\n")
    return trials


def _tables(scores: Scores) -> str:
    from hive.experiments.plots.ability_tables import outcomes_table, plans_table, wins_table

    return "\n\n".join([wins_table(scores), outcomes_table(scores), plans_table(scores)])


def _object(scores: Scores, settings: Abilities) -> dict[str, object]:
    return {"seeds": settings.seed_count(), "units": settings.units, "rules": dict(settings.numbers), **scores.json()}


def _files(scores: Scores, worlds: dict[str, Battle], settings: Abilities) -> dict[str, Content]:
    """Return the files of the folder: everything needed to play the tests again, and the results."""
    from hive.cli.keeping import words_of
    from hive.experiments.plots.abilities import save_outcomes, save_scores
    from hive.experiments.plots.ability_tables import outcomes_table, plans_table, wins_table
    from hive.kit.keep.csv_text import csv_text
    from hive.kit.keep.record import games_folder, plan_players
    from hive.worlds.battle.scenario import portable

    same = ("units", "numbers", "lenient", "written_for")
    again = words_of("abilities", settings, same, plans="plans", seeds=settings.seed_count())
    files: dict[str, Content] = {
        "abilities.json": pretty(_object(scores, settings)),
        "abilities.csv": csv_text(
            {"ability": ability["ability"], "scenario": ability["scenario"], "plan": plan["plan"], **game}
            for ability in scores.json()["abilities"]
            for plan in ability["plans"]
            for game in plan["results"]
        ),
        "table.md": "\n\n".join([plans_table(scores), wins_table(scores), outcomes_table(scores)]) + "\n",
        "outcomes.png": lambda path: save_outcomes(scores, path),
        "scores.png": lambda path: save_scores(scores, path),
        **{f"plans/{t.entry.ability.name}/{t.entry.plan}.plan": t.entry.text for t in scores.trials},
    }
    return games_folder(
        settings.line,
        again,
        {world.id: portable(world.scenario, None) for world in worlds.values()},
        plan_players({f"{t.entry.ability.name}/{t.entry.plan}": t.entry.text for t in scores.trials}),
        range(settings.seed_count()),
        files,
        games=len(scores.trials) * settings.seed_count(),
        units=settings.units,
        rules=dict(settings.numbers),
        lenient=settings.lenient,
        arguments={"plans": str(settings.plans) if settings.plans else None},
    )


COMMAND = Command(
    settings=Abilities,
    run=_run,
    repeats=True,
    about="""\
Play plans in the paper's five tests, with the same seeds for all plans, and print how often each plan won,
how the games ended, and the scores. A plan with errors counts as `invalid_plan` in all its games and a file
without a plan as `no_plan`; the other plans are still played. Without --plans the shipped plans are played.
Each line has an ability, its task and its scenario:

  coordinate         cover a wide front with two unit types together     coordinate
  exploit_weakness   send each unit type against the one it beats        exploit_weakness
  follow_markers     lead units along given places                       markers_terrain
  exploit_terrain    use the cover that the map gives                    markers_terrain
  strategize_points  split the army over the places that matter          strategize_points

With any option of the study or of the model, the command asks for plans: ten prompts for each ability, each
in a dialogue of its own, and one game for each plan. `cut_off` counts replies that reached the token limit
before their plan was complete, and `no_reply` prompts whose request failed. Without --model, the shipped
plans answer.""",
    examples=(
        "hive abilities                               the shipped plans, ten games each",
        "hive abilities --plans mine --out runs/mine  a folder of plans; save tables and pictures",
        "hive abilities --units 100 --seeds 3 --json  smaller armies, one JSON object",
        "hive abilities --model MODEL --base-url http://127.0.0.1:8080/v1 --out runs/study",
        "hive abilities --model MODEL --scaling 200,1000,4000 --info full --info compact --out runs/scaling",
        "hive abilities --model MODEL --map-input text --map-input grid --out runs/maps",
        "hive abilities --ask                         the same study without a model: shipped plans answer",
        "hive abilities --replay                      the same study with the recorded replies of one model",
    ),
    notes="""\
A plan is a file DIR/ABILITY/NAME.plan, DIR/ABILITY_NAME.plan or DIR/ABILITY.plan. Plans with the same NAME
form a set, which is a column of the first table. With --out a folder is written atomically: config.json,
abilities.json, table.md, outcomes.png, scores.png and the plans. The score is the share of enemies
eliminated; for follow_markers and exploit_terrain it is the distance in metres from the nearest unit to the
objective at the end, where lower is better.

The folder of a study holds config.json, study.json (every reply), table.md, outcomes.png, scores.png,
times.png, lengths.png, scaling.png, exchanges.jsonl (everything sent and received), prompts and plans. While
a model is asked, replies are appended to DIR.exchanges.jsonl, or to the file of --record, and the same
command resumes from there. With --overwrite the replies of the old folder are used again; remove the folder
to ask again. --alone, --map-input and --scaling ask for the abilities that the paper chose for them; only
one of the three can be given. The recording that is shipped answers each of the fifty prompts, whatever else
a request says, with a plan for 100 units of the player (docs/commander/study.md).""",
)
