"""Prompts of the ability tests as tasks of frameworks that evaluate or train models, and rewards that share batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from dsl import UserError
from dsl.wording import listing
from hive.experiments.study.asking import without_hints
from hive.players.llm.gathering import Gathering
from hive.players.llm.prompting import conversations
from hive.players.llm.rewards import Rewards
from hive.worlds.battle.abilities import ABILITIES
from hive.worlds.battle.study_prompts import read_prompts, study_prompts
from hive.worlds.battle.world import load

ABILITY_NAMES = tuple(ability.name for ability in ABILITIES)


@dataclass(frozen=True)
class AbilityTask:
    """One prompt of an ability test.

    Attributes:
        name: Ability and number of the prompt from 0, such as `coordinate/3`.
        scenario: The scenario that the plan is for.
        system: The system message: role, rules, map, plan language, mission.
        prompt: The user's message: the prompt and the state of the game.
    """

    name: str
    scenario: str
    system: str = field(repr=False)
    prompt: str = field(repr=False)


def ability_tasks(
    abilities: Sequence[str] = ABILITY_NAMES, prompts: Path | None = None, full: bool = False
) -> list[AbilityTask]:
    """Return the prompts of abilities, which describe the scenarios at their own sizes.

    Args:
        abilities: Names of the abilities.
        prompts: A folder of ABILITY.txt with one prompt a line; None: the shipped prompts.
        full: Whether every unit is listed and the map is complete; else groups of units and a shorter map.

    Raises:
        UserError: There is no such ability, or its prompts cannot be read.
    """
    known = {ability.name: ability for ability in ABILITIES}
    found = []
    for name in abilities:
        ability = known.get(name)
        if ability is None:
            raise UserError(f"`{name}` is no ability\n  = help: abilities are {listing(known, 'and')}")
        texts = read_prompts(prompts, name) if prompts else study_prompts(name)
        world = without_hints(load(ability.scenario), ability)
        for number, (system, user) in enumerate(conversations(world, texts, full=full)):
            found.append(AbilityTask(f"{name}/{number}", ability.scenario, system["content"], user["content"]))
    return found


@cache
def gathering(scenario: str, units: int | None, seeds: tuple[int, ...], floor: float, pause: float) -> Gathering:
    """Return what scores the replies of one scenario: all callers of a process with equal arguments share its batches.

    Args:
        scenario: A name from `hive list`, or the path of a .toml file.
        units: Size of the player's team in the games; None: the scenario's.
        seeds: Seeds of the games of each plan.
        floor: The reward of a text that holds no plan to play.
        pause: Seconds for which a batch waits for further replies.

    Raises:
        UserError: Anything is wrong with the scenario, the seeds or the floor.
    """
    return Gathering(Rewards(scenario, seeds, units=units, floor=floor), pause)
