"""`hive describe`: a scenario as text, for a commander, or the facts of a task for learners."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated

from dsl.wording import plural
from hive.cli import names
from hive.cli.command import Command, option
from hive.cli.options import Cache, Changes, Fires, Json, Markers, PlanOf, Wording, World, scenario_argument
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.setting import host_of
from hive.cli.subjects import OfKinds
from hive.cli.values import index, seed
from hive.kit.contract import Kind
from hive.worlds import id_of


@dataclass(frozen=True, kw_only=True)
class Describe(World, PlanOf, Changes, Markers, Fires, Wording, Json, Cache):
    """Settings of `hive describe`."""

    scenario: Annotated[str, scenario_argument(names.DESCRIBED)] = field(kw_only=False)
    tick: Annotated[int, option("describe the units after T ticks; default: 0", "T", read=index)] = 0
    seed: Annotated[int | None, option("the game's seed; default: 0, or a level's first published", "S", read=seed)] = (
        None
    )
    compact: Annotated[bool, option("groups of units instead of every unit, and a shorter map")] = False
    rules_text: Annotated[
        bool,
        option("also state the rules of fire and civilians that the scripted commanders know"),
    ] = False


_FIELDS = [each.name for each in fields(Describe)]
_OF_LEARNERS = ("scenario", "json", "no_cache")  # fields that a task for learners takes


def _refused(kind: Kind) -> set[str]:
    """Return the fields of options that a kind of world does not take."""
    return {*kind.foreign, *kind.undescribed, *(() if kind.planned else ("tick",))}


def _run(settings: Describe) -> int:
    from hive.rl.registry import is_for_learners

    settings.use_cache()
    if is_for_learners(settings.scenario):
        return _task(settings)
    request = settings.request()
    kind = host_of(request)
    if settings.tick:
        with watching(quiet=True) as watch:
            watch.stage(f"playing {plural(settings.tick, 'tick')}", settings.tick, "tick")
            scene = kind.describe(request, settings.tick)
    else:
        scene = kind.describe(request, 0)
    words = scene.words
    for line in scene.remarks:
        tell(line)
    if scene.tick < settings.tick:
        tell(f"the game ended after {plural(scene.tick, 'tick')}")
    if settings.json:
        print_json(
            {
                "scenario": scene.world,
                "id": id_of(settings.scenario),
                "seed": scene.seed,
                "tick": scene.tick,
                "prompt": words.prompt,
                "system": words.system,
                "state": words.state,
                "compact": words.compact,
                "characters": words.characters,
            }
        )
        return 0
    print(words.compact if settings.compact else words.full)
    tell(f"characters: {words.characters['full']:,} in full, {words.characters['compact']:,} compact")
    return 0


def _task(settings: Describe) -> int:
    """Print the facts of a task for learners."""
    from hive.rl.facts import describe, facts
    from hive.rl.registry import task

    if settings.json:
        found = facts(settings.scenario)
        print_json(
            {
                "task": found.name,
                "id": task(settings.scenario).id,
                "summary": found.summary,
                "facts": dict(found.rows),
                "actions": [{"number": number, "action": words} for number, words in found.actions],
            }
        )
    else:
        print(describe(settings.scenario))
    return 0


COMMAND = Command(
    settings=Describe,
    run=_run,
    subjects=OfKinds(refused=_refused, learners=[name for name in _FIELDS if name not in _OF_LEARNERS]),
    about="""\
Print the text that a commander reads, be it a person or a language model: the rules, the map, the armies,
the plan language and the mission, then the health and position of every unit at a tick, in the published
format. With --compact units are described in groups, so the text stays short for any army. For a wildfire
level the text says what the crew knows: the task, the plan language of crews, and the part of the map that it
has seen. For an order of the kitchen, a rescue or a household it says what its agents know, do and see at the
start. For a task of `hive train`, also for a set of battles, it lists the facts: teams, rewards, observations
and all actions.""",
    examples=(
        "hive describe coordinate --compact",
        "hive describe markers_terrain --marker E=120,60",
        "hive describe coordinate --tick 200 --seed 3 --json",
        "hive describe wildfire/rescue_search             a level's task, and what its crew sees at the start",
        "hive describe kitchen/boiled_egg                 what both cooks know, do and see at the start",
        "hive describe rescue/map_7/agents-1              a rescue as its agents know it at the start",
        "hive describe household/cwah_0                   a household as each of its agents knows it at the start",
        "hive describe skirmish_5v5                       what a learner of this task observes, does and is rewarded",
    ),
)
