"""The settings of `hive run`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from dsl import UserError
from hive.cli import names
from hive.cli.command import option
from hive.cli.model_options import NoGrammar, SeveralModels, prompts_option, temperature_option
from hive.cli.options import (
    Cache,
    Fires,
    Lenient,
    Markers,
    PlanOf,
    Seeds,
    Tuning,
    Units,
    World,
    WrittenFor,
    scenario_argument,
)
from hive.cli.team_options import TeamPlay
from hive.cli.values import count, enemy_swap, index, method, quirks, setting, setting_values, swap
from hive.kit.agent_env import PERCEPTIONS
from hive.players.teams.rules import Quirks, TeamRules

_RULES = TeamRules()


def _values(text: str) -> tuple[str, list[float | str]]:
    return setting_values(text, "RULE=A,B,C with numbers or words, as in `firefighters=3,5`")


@dataclass(frozen=True, kw_only=True)
class Occasional:
    """When the player `plans`, one commander, is asked for a new plan."""

    title: ClassVar[str] = "the player plans"
    period: Annotated[
        int | None,
        option("ask for a new plan after so many steps; default: 10, or never with --events", "N", read=count),
    ] = None
    events: Annotated[
        bool, option("ask when something new is seen, a step of the plan is achieved or a unit is lost")
    ] = False
    plans: Annotated[Path | None, option("let the plans of this folder answer, not a model", "DIR")] = None
    grammar: NoGrammar = "off"


@dataclass(frozen=True, kw_only=True)
class Teams:
    """How teams play, and whether as published."""

    title: ClassVar[str] = "teams of agents"
    direct_perception: Annotated[bool, option("agents read a paragraph that is made by rules, without a call")] = False
    perception: Annotated[
        str,
        option(
            "what is sent to the model that describes an agent's view: a text, a bare picture, a picture with a grid, "
            "or the text and that picture; default: text",
            choices=PERCEPTIONS,
        ),
    ] = "text"
    direct_execution: Annotated[
        bool, option("agents name an action by its exact form, which is read without a call")
    ] = False
    quirks: Annotated[
        tuple[str, ...],
        option(
            f"do as the published program does, where it differs from its paper: {', '.join(Quirks.names())}, or all",
            "A,B",
            read=quirks,
            joined=True,
        ),
    ] = ()
    replies: Annotated[
        int,
        option(
            f"most answers of the other cook in one conversation; default: {_RULES.replies}",
            "N",
            read=count,
        ),
    ] = _RULES.replies
    corrections: Annotated[
        int,
        option(
            f"how often a refused plan is corrected in one timestep; default: {_RULES.corrections}",
            "N",
            read=index,
        ),
    ] = _RULES.corrections
    thoughts: Annotated[
        int,
        option(
            f"most answers without a call in one turn; one more ends the run; default: {_RULES.thoughts}",
            "N",
            read=index,
        ),
    ] = _RULES.thoughts
    tools: Annotated[
        Literal["offer", "text"],
        option("offer: the server receives the tools, and a call as text is read too; text: calls are text alone"),
    ] = "offer"
    published: Annotated[bool, option("ask and act as the published programs do, without what this project adds")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class Run(
    World,
    PlanOf,
    Units,
    Lenient,
    WrittenFor,
    Markers,
    Fires,
    Seeds,
    Teams,
    Occasional,
    SeveralModels,
    TeamPlay,
    Tuning,
    Cache,
):
    """Settings of `hive run`."""

    scenario: Annotated[str, scenario_argument(names.PLAYED)] = field(kw_only=False)
    player: Annotated[
        tuple[str, ...],
        option(
            "who plays: plan, commander:NAME, team, team:FRAMEWORK, a player by rules such as speaker, optimal or "
            "planner, plans for one commander next to teams, policy:FOLDER for the policy of a training run (of "
            "its first seed and best checkpoint, or with @newest the newest one), or random; several players may "
            "stand side by side; default: the world's plan or commander, else the first of its players by rules",
            "NAME",
        ),
    ] = ()
    numbers: Annotated[
        tuple[tuple[str, float | str], ...],
        option(
            "change a rule of the scenario, as in `limit=300`; may be given several times",
            "RULE=VALUE",
            name="--set",
            read=setting,
        ),
    ] = ()
    vary: Annotated[
        tuple[tuple[str, list[float | str]], ...],
        option(
            "agents play once with each of these values of a setting, to compare; several settings are combined",
            "RULE=A,B",
            read=_values,
        ),
    ] = ()
    swaps: Annotated[
        tuple[tuple[int, str], ...],
        option(
            "follow another plan from this tick on, or as soon as the plan is finished; may be given several times",
            "TICK=PLAN",
            name="--swap",
            read=swap,
        ),
    ] = ()
    enemy_swaps: Annotated[
        tuple[tuple[int, str], ...],
        option(
            "the enemy follows another plan from this tick on, 0 for the start; it is written from the "
            "enemy's side, with ids of its units; may be given several times",
            "TICK=PLAN",
            name="--enemy-swap",
            read=enemy_swap,
        ),
    ] = ()
    commander: Annotated[
        str | None,
        option("the commander that writes the plans, `scripted` or `nothing`; default: scripted", "NAME"),
    ] = None
    method: Annotated[str | None, option("the player's name in results", "NAME", read=method)] = None
    temperature: Annotated[
        tuple[float, ...],
        temperature_option(
            "0.7 in kitchens and households, 0 there with proagent and roco, and 0 elsewhere; may be given several "
            "times"
        ),
    ] = ()
    movie: Annotated[bool, option("also make a movie of the first seed's game")] = False
    prompts: Annotated[Path | None, prompts_option("cook_plan.md")] = None
    out: Annotated[Path | None, option("save the run in this folder: results, metrics, inputs, a picture", "DIR")] = (
        None
    )
    every: Annotated[int | None, option("ticks between two frames of a saved battle; default: 1", "T", read=count)] = (
        None
    )

    def __post_init__(self) -> None:
        """Check that options do not exclude each other.

        Raises:
            UserError: Two of them do.
        """
        super().__post_init__()
        self.check_seeds()

    def changes(self) -> dict[str, float]:
        """Return the values of `--set` by name, where all of them have to be numbers.

        Raises:
            UserError: One is a word, or set twice.
        """
        found: dict[str, float] = {}
        for name, value in self.numbers:
            if isinstance(value, str):
                shown = f"{name}={value}"
                raise UserError(f"argument --set: `{shown}` is not of the form RULE=NUMBER, as in `limit=300`")
            if name in found:
                raise UserError(f"the rule `{name}` is set twice\n  = help: set each rule once")
            found[name] = value
        return found
