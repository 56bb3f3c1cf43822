"""`hive run`: play a plan with some seeds, print the results, and save the run on request."""

from __future__ import annotations

from dsl import render
from hive.cli.command import Command
from hive.cli.games.run_settings import Run
from hive.cli.games.team_playing import (
    REFUSED_OF_LEARNERS,
    plays_policies,
    refused_of_kind,
    run_policies,
    run_team,
    with_plan,
)
from hive.cli.printing import print_json, tell, verdict
from hive.cli.progress import watching
from hive.cli.setting import host_of
from hive.cli.subjects import OfKinds
from hive.kit.contract import Kind


def run(settings: Run) -> int:
    """Let the players that the settings name play.

    Raises:
        UserError: The world, a player, a plan, a seed, an option or the folder is wrong.
    """
    settings.use_tuning()
    settings.use_cache()
    if plays_policies(settings):
        return run_policies(settings)
    kind = host_of(settings.request())
    planned = with_plan(settings, kind)
    return run_team(settings, kind) if planned is None else _run_plan(planned, kind)


def _run_plan(settings: Run, kind: Kind) -> int:
    """Let a plan or a commander play, print the results and keep the run on request."""
    from hive.kit.keep.runfolder import check_writable, free_folder

    if settings.out:
        check_writable(settings.out, settings.overwrite)
    run = kind.prepare(settings.request())
    for text in run.texts:
        if text.report.diagnostics:
            tell(render(text.report.diagnostics))
    failed = next((text for text in run.texts if text.failure), None)
    if failed and failed.failure:
        why = "there is no plan" if failed.failure == "no_plan" else f"{verdict(failed.report.diagnostics)} in the plan"
        tell(f"\nnot played: {why}{f' {failed.name}' if len(run.texts) > 1 else ''}")
        if settings.json:
            for result in run.unplayed(failed.failure):
                print_json(result)
        return 2
    folder = settings.out
    if settings.movie and not folder:
        folder = free_folder(run.folder, settings.overwrite)
        check_writable(folder, settings.overwrite)
    for line in run.remarks:
        tell(line)
    with watching(quiet=settings.json) as watch:
        for outcome in run.play(watch):
            settings.output_run({**outcome.json(), **run.played()}, f"\n{outcome.table()}", watch.say)
        if run.summary():
            watch.say(f"\n{run.summary()}")
        if folder:
            from hive.cli.keeping import keep

            for line in keep(folder, run, watch, settings.line, movie=settings.movie, overwrite=settings.overwrite):
                tell(line)
    return 0


_PLANS = """\
A run folder contains config.json (how to run it again), digests.json (the SHA-256 of every file),
outcome.json, metrics.jsonl (a line for each tick of each game), scenario.toml, the plans and picture.png; it
is written atomically. `hive replay DIR` makes an HTML page of it.

Outcomes: win, lose, timeout, plan_finished (no step of the plan is left), invalid_plan, no_plan."""
_AGENTS = """\
Several players stand side by side, episodes of several seeds are played side by side, and --vary plays once
with each of several values of a setting. What was asked and played is kept while it goes on, and the same
command resumes after an interruption; only the unfinished step is asked again.

The folder of a team's run is kept without --out, too, and has result.json, table.txt, games.csv,
exchanges.jsonl (a recording for --replay), overlap.csv (how often agents have the same action at once and
repeat themselves), where calls were made costs.csv and, for teams of several sizes, costs.png (calls and
tokens of a step, with those that the rules predict), and for each game a folder with result.json,
steps.jsonl, transcript.md, journal.jsonl, recording.npz and picture.png. With --vary each value has a folder
of its own."""


def _notes(kind: Kind) -> str:
    """Return what the help says about worlds of a kind alone."""
    return "\n\n".join(filter(None, [kind.notes, _PLANS if kind.planned else "", _AGENTS if kind.acting else ""]))


COMMAND = Command(
    settings=Run,
    run=run,
    repeats=True,
    subjects=OfKinds(
        refused=refused_of_kind,
        learners=REFUSED_OF_LEARNERS,
        advice=lambda kind: "" if kind.acting else "`hive ask` asks a model for a plan, agents play other worlds",
        notes=_notes,
    ),
    about="""\
Let a player play a world, one game for each seed, and print how each game ended: a plan or a commander in
battles and wildfire levels; in wildfire levels, kitchens, rescues and households agents, by rules, by a
scripted team (the default), or by language models with --model; in all of them policies that `hive train` has
trained. Everything that is named is checked before anything is played. On one kind of device and with one
version of JAX, the same world, plan and seed give the same game.""",
    examples=(
        "hive run coordinate                              the scenario's own plan, seed 0",
        "hive run coordinate --plan my.plan --seeds 10    your plan, ten games",
        "hive run coordinate --units 100 --set limit=300  fewer units, a shorter game",
        "hive run coordinate --swap 100=my.plan           another plan from tick 100 on",
        "hive run coordinate --movie --out runs/first     save results, picture and movie",
        "hive run coordinate --seeds 10 --json            one JSON object, for programs",
        "hive run wildfire/scout_fire_small               a level, on the map of its first published seed",
        "hive run wildfire/suppress_contain --seeds published --commander nothing --json",
        "hive run wildfire/suppress_contain --rules published --seeds published",
        "hive run wildfire/all --seeds published --json   one object per line, for `hive competency`",
        "hive run wildfire/all --player team:camon --player team:embodied --seeds published",
        "hive run kitchen/boiled_egg                      a scripted pair of cooks that talk",
        "hive run rescue/map_7/agents-1 --player heuristic --player optimal --player speaker",
        "hive run household/cwah_0 --player team:coela --set team=3 --seeds 5",
        "hive run wildfire/scout_fire_small --player team:camon --player plans --period 5",
        "hive run wildfire/cut_trees_sparse_small --vary firefighters=3,5",
        "hive run skirmish_5v5 --player policy:runs/five --player random --seeds 100 --movie",
        "hive run kitchen/boiled_egg --model MODEL --base-url http://127.0.0.1:8080/v1 --seeds 10",
    ),
)
