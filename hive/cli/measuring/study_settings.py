"""Settings of `hive abilities`, for the plans of a folder and for a study of models."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from dsl import UserError
from hive.cli.command import option
from hive.cli.model_options import StudyModels
from hive.cli.options import Cache, Changes, Folder, JsonOnly, PromptVersion, given
from hive.cli.values import count, games, index
from hive.kit.planned_world import MAP_PICTURES, Request

SIZES = (200, 1000, 4000, 20000)  # units of both armies
INPUTS = ("text", *MAP_PICTURES)
_SEEDS = 10  # games of each plan of a folder


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """What a study asks."""

    title: ClassVar[str] = "the study"
    ask: Annotated[bool, option("ask for plans, even without a model")] = False
    commander: Annotated[
        Literal["words"] | None,
        option("ask the plain commander, which reads prompts by rules; a column beside those of the models"),
    ] = None
    ability: Annotated[tuple[str, ...], option("ask for this one alone; may be given several times", "NAME")] = ()
    prompts: Annotated[Path | None, option("a folder of ABILITY.txt, one prompt a line; default: our own", "DIR")] = (
        None
    )
    info: Annotated[
        tuple[Literal["full", "compact"], ...],
        option("game information: every unit, or groups of units; both may be given; default: full"),
    ] = ()
    repairs: Annotated[
        int, option("how often a plan with errors is sent back; default: 0, as published", "N", read=index)
    ] = 0
    printed_speeds: Annotated[bool, option("give speeds as the published prompt prints them, twice the true ones")] = (
        False
    )
    prompt_version: PromptVersion = None
    beside: Annotated[
        Literal["published"] | None, option("show the wins of the paper's models in the first table, too")
    ] = None
    scaling: Annotated[
        tuple[int, ...] | None,
        option(
            f"ask with so many units in both armies; default: {','.join(map(str, SIZES))}",
            "N,N,...",
            read=_sizes,
            joined=True,
            bare=True,
        ),
    ] = None
    alone: Annotated[bool, option("also ask with prompts that leave the strategy to the model")] = False
    map_input: Annotated[
        tuple[str, ...],
        option(
            "give the map in words, or as a picture: bare, with a grid or with coordinates; several may be given",
            choices=INPUTS,
        ),
    ] = ()

    def varied(self) -> list[str]:
        """Return which studies of the paper are asked for, by the names of its options."""
        given = {"scaling": self.scaling is not None, "alone": self.alone, "map_input": bool(self.map_input)}
        return [name for name, each in given.items() if each]

    def sizes(self) -> tuple[int, ...]:
        """Return the sizes of both armies together; empty for those of the scenarios."""
        return () if self.scaling is None else self.scaling or SIZES


@dataclass(frozen=True, kw_only=True)
class Abilities(StudyOptions, StudyModels, Changes, Folder, JsonOnly, Cache):
    """Settings of `hive abilities`."""

    plans: Annotated[Path | None, option("a folder of plans; default: the shipped ones", "DIR")] = None
    seeds: Annotated[
        int | None,
        option(
            f"games of each plan, with the seeds 0 to K - 1; default: {_SEEDS}, or 1 for plans that are asked for",
            "K",
            read=games,
        ),
    ] = None
    out: Annotated[Path | None, option("save tables, pictures and plans in this folder", "DIR")] = None

    def __post_init__(self) -> None:
        """Refuse two studies at once.

        Raises:
            UserError: Two options vary what is asked, or two keys are given.
        """
        super().__post_init__()
        if len(varied := [f"--{name.replace('_', '-')}" for name in self.varied()]) > 1:
            raise UserError(
                f"argument {varied[1]}: not allowed with argument {varied[0]}\n"
                "  = help: each of them is a study of its own: leave one out"
            )

    def asks(self) -> bool:
        """Return whether plans are asked for: any option of a study or of its models is given."""
        return bool(given(self, [each.name for each in (*fields(StudyOptions), *fields(StudyModels))]))

    def seed_count(self) -> int:
        """Return how many games each plan plays."""
        return self.seeds or (1 if self.asks() else _SEEDS)

    def request(self, scenario: str, map_picture: str | None = None) -> Request:
        """Return the battle of an ability, with a picture of its map in place of words where its form is given."""
        return Request(
            scenario=scenario,
            units=self.units,
            numbers=self.numbers,
            lenient=self.lenient,
            written_for=self.written_for,
            printed_speeds=self.printed_speeds,
            prompt_version=self.prompt_version,
            map_picture=map_picture,
            keep=bool(self.out),
        )


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(count(word) for word in text.split(",")))
