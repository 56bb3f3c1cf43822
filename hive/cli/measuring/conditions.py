"""The conditions of a study, by the options of `hive abilities`: abilities, armies, maps and prompts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from dsl import UserError
from dsl.wording import listing
from hive.cli.setting import load_battle

if TYPE_CHECKING:
    from hive.cli.measuring.study_settings import Abilities
    from hive.experiments.study.asking import StudyCondition
    from hive.players.llm.client import Image
    from hive.worlds.battle.abilities import Ability
    from hive.worlds.battle.world import Battle

_MAPS = {
    "text": "map in words",
    "raw": "bare picture of the map",
    "grid": "picture with a grid",
    "scaffold": "picture with coordinates",
}
_TASKS = {  # the abilities of each study in the paper
    "scaling": ("coordinate",),
    "alone": ("coordinate", "exploit_weakness", "exploit_terrain", "strategize_points"),
    "map_input": ("exploit_terrain", "strategize_points"),
}


def read_conditions(settings: Abilities) -> list[StudyCondition]:
    """Return what a study asks.

    Raises:
        UserError: An ability, a rule or a folder is unknown, an army cannot be made, or a prompt is missing.
    """
    abilities = _abilities(settings)
    if settings.scaling is not None and len(abilities) > 1:
        raise UserError("--scaling compares sizes of army for one ability: give --ability once")
    return [condition for ability in abilities for condition in _conditions(settings, ability)]


def _abilities(settings: Abilities) -> list[Ability]:
    from hive.worlds.battle.abilities import ABILITIES

    known = [ability.name for ability in ABILITIES]
    chosen = settings.ability or next((_TASKS[kind] for kind in settings.varied()), tuple(known))
    wrong = [name for name in chosen if name not in known]
    if wrong:
        raise UserError(f"there is no ability `{wrong[0]}`\n  = help: abilities are {listing(known, 'and')}")
    return [ability for ability in ABILITIES if ability.name in chosen]


def _conditions(settings: Abilities, ability: Ability) -> Iterator[StudyCondition]:
    from hive.experiments.study.asking import StudyCondition, without_hints
    from hive.worlds.battle.study_prompts import ALONE, read_prompts, study_prompts

    infos = list(dict.fromkeys(settings.info or ["full"]))
    inputs = list(dict.fromkeys(settings.map_input or ["text"]))
    for size, info, form, task in product(
        settings.sizes() or [None], infos, inputs, [ability.name, ALONE] if settings.alone else [ability.name]
    ):
        world = without_hints(_world(settings, ability, size, None if form == "text" else form), ability)
        labels = [f"{sum(world.sizes):,} units"] if size else []
        labels += [_MAPS[form]] if settings.map_input else []
        labels += [info] if len(infos) > 1 else []
        labels += ["HIVE alone" if task == ALONE else "with the player"] if settings.alone else []
        yield StudyCondition(
            ability,
            world,
            task,
            tuple(study_prompts(task) if settings.prompts is None else read_prompts(settings.prompts, task)),
            ", ".join(labels),
            info == "full",
            () if form == "text" else (_picture(world, form),),
        )


def _world(settings: Abilities, ability: Ability, size: int | None, form: str | None) -> Battle:
    if size is None:
        return load_battle(settings.request(ability.scenario, form))
    if settings.units:
        raise UserError("--units and --scaling both set the size of the armies: leave one out")
    own, foes = load_battle(settings.request(ability.scenario, form)).sizes
    scaled = replace(settings, units=max(1, round(size * own / (own + foes))))
    return load_battle(scaled.request(ability.scenario, form))


def _picture(world: Battle, form: str) -> Image:
    from hive.engine.instant import state_at_start
    from hive.players.llm.client import Image

    return Image(f"{world.name}-{form}.png", world.map_png(state_at_start(world, 0), form))
