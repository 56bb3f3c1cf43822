"""The settings of `hive study`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from dsl import UserError
from hive.cli import names
from hive.cli.command import option
from hive.cli.commanders import Moments, is_model
from hive.cli.model_options import StudyModels
from hive.cli.options import Cache, JsonOnly, PromptVersion, ResumedFolder, given
from hive.cli.values import games, index

_SEEDS = 4  # games in each battle


@dataclass(frozen=True, kw_only=True)
class StudySet(StudyModels, Moments, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive study`."""

    set: Annotated[
        str, option("the set of drawn battles: a name from `hive list`, or its .toml file", "SET", complete=names.SET)
    ]
    by: Annotated[
        tuple[str, ...],
        option(
            "a commander: stand, hold, attack, default, words, words:ORDER, search-N, plan:FILE, plans:DIR, policy:RUN "
            "or a model as NAME@URL; may be given several times; default, where no model is named: stand, attack, "
            "default, words",
            "WHO",
        ),
    ] = ()
    command: Annotated[
        bool, option("let commanders give new orders during each game; default: one plan for each battle")
    ] = False
    seeds: Annotated[
        int, option(f"games in each battle, with the seeds 0 to K - 1; default: {_SEEDS}", "K", read=games)
    ] = _SEEDS
    repairs: Annotated[
        int, option("how often a model's plan with errors is sent back; default: 0", "N", read=index)
    ] = 0
    prompt_version: PromptVersion = None

    def __post_init__(self) -> None:
        """Refuse moments and budgets without `--command`.

        Raises:
            UserError: One of them is given, or those of `Endpoint` are wrong.
        """
        super().__post_init__()
        wrong = given(self, [each.name for each in fields(Moments)])
        if wrong and not self.command:
            raise UserError(f"{wrong[0]} is for commanders that give new orders during a game\n  = help: add --command")

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are named, with --model or --by."""
        return (*self.model, *(each for each in self.by if is_model(each)))
