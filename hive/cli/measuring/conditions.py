"""The conditions of a study, by the options of `hive abilities`: abilities, armies, maps and prompts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from dsl import UserError
from dsl.wording import listing
from hive.cli.arguments import Parser
from hive.cli.setting import read_world
from hive.cli.values import count, index
from hive.kit.contract import MAP_PICTURES

if TYPE_CHECKING:
    from hive.experiments.study.asking import StudyCondition
    from hive.players.llm.client import Image
    from hive.worlds.battle.abilities import Ability
    from hive.worlds.battle.world import Battle

SIZES = (200, 1000, 4000, 20000)  # units of both armies
INPUTS = ("text", *MAP_PICTURES)
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


def add_study_options(parser: Parser) -> None:
    """Add the options that say what a study asks."""
    study = parser.add_argument_group("the study")
    study.add_argument("--ask", action="store_true", help="ask for plans, even without a model")
    study.add_argument(
        "--ability", action="append", metavar="NAME", help="ask for this one alone; may be given several times"
    )
    study.add_argument(
        "--prompts", type=Path, metavar="DIR", help="a folder of ABILITY.txt, one prompt a line; default: our own"
    )
    study.add_argument(
        "--info",
        action="append",
        choices=("full", "compact"),
        help="game information: every unit, or groups of units; both may be given; default: full",
    )
    study.add_argument(
        "--repairs",
        type=index,
        default=0,
        metavar="N",
        help="how often a plan with errors is sent back; default: 0, as published",
    )
    study.add_argument(
        "--printed-speeds",
        action="store_true",
        help="give speeds as the published prompt prints them, twice the true ones",
    )
    study.add_argument(
        "--beside", choices=("published",), help="show the wins of the paper's models in the first table, too"
    )
    kinds = study.add_mutually_exclusive_group()
    kinds.add_argument(
        "--scaling",
        nargs="?",
        type=_sizes,
        const=SIZES,
        metavar="N,N,...",
        help=f"ask with so many units in both armies; default: {','.join(map(str, SIZES))}",
    )
    kinds.add_argument(
        "--alone", action="store_true", help="also ask with prompts that leave the strategy to the model"
    )
    kinds.add_argument(
        "--map-input",
        action="append",
        choices=INPUTS,
        help="give the map in words, or as a picture: bare, with a grid or with coordinates; several may be given",
    )


def read_conditions(args: argparse.Namespace) -> list[StudyCondition]:
    """Return what a study asks.

    Raises:
        UserError: An ability, a rule or a folder is unknown, an army cannot be made, or a prompt is missing.
    """
    abilities = _abilities(args)
    if args.scaling and len(abilities) > 1:
        raise UserError("--scaling compares sizes of army for one ability: give --ability once")
    return [condition for ability in abilities for condition in _conditions(args, ability)]


def _abilities(args: argparse.Namespace) -> list[Ability]:
    from hive.worlds.battle.abilities import ABILITIES

    known = [ability.name for ability in ABILITIES]
    chosen = args.ability or next((names for kind, names in _TASKS.items() if getattr(args, kind)), known)
    wrong = [name for name in chosen if name not in known]
    if wrong:
        raise UserError(f"there is no ability `{wrong[0]}`\n  = help: abilities are {listing(known, 'and')}")
    return [ability for ability in ABILITIES if ability.name in chosen]


def _conditions(args: argparse.Namespace, ability: Ability) -> Iterator[StudyCondition]:
    from hive.experiments.study.asking import StudyCondition, without_hints
    from hive.worlds.battle.study_prompts import ALONE, read_prompts, study_prompts

    infos = list(dict.fromkeys(args.info or ["full"]))
    inputs = list(dict.fromkeys(args.map_input or ["text"]))
    for size, info, form, task in product(
        args.scaling or [None], infos, inputs, [ability.name, ALONE] if args.alone else [ability.name]
    ):
        world = without_hints(_world(args, ability, size, None if form == "text" else form), ability)
        labels = [f"{sum(world.sizes):,} units"] if size else []
        labels += [_MAPS[form]] if args.map_input else []
        labels += [info] if len(infos) > 1 else []
        labels += ["HIVE alone" if task == ALONE else "with the player"] if args.alone else []
        yield StudyCondition(
            ability,
            world,
            task,
            tuple(study_prompts(task) if args.prompts is None else read_prompts(args.prompts, task)),
            ", ".join(labels),
            info == "full",
            () if form == "text" else (_picture(world, form),),
        )


def _world(args: argparse.Namespace, ability: Ability, size: int | None, form: str | None) -> Battle:
    words = {**vars(args), "scenario": ability.scenario, "map_picture": form, "plans": None, "seeds": None}
    if size is None:
        return read_world(argparse.Namespace(**words))
    if args.units:
        raise UserError("--units and --scaling both set the size of the armies: leave one out")
    own, foes = read_world(argparse.Namespace(**words)).sizes
    return read_world(argparse.Namespace(**{**words, "units": max(1, round(size * own / (own + foes)))}))


def _picture(world: Battle, form: str) -> Image:
    from hive.engine.instant import state_at_start
    from hive.players.llm.client import Image

    return Image(f"{world.name}-{form}.png", world.map_png(state_at_start(world, 0), form))


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(count(word) for word in text.split(",")))
