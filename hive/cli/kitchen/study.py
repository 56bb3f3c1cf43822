"""`hive kitchen study`: why collaboration fails, by probes of single collaborative actions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, quoted
from hive.cli.command import Command, option
from hive.cli.kitchen.orders import Orders
from hive.cli.model_options import OneModel, prompts_option, temperature_option
from hive.cli.options import Cache
from hive.cli.team_options import TeamPlay
from hive.cli.values import BadValueError, count
from hive.players.teams.frameworks.cook import TEMPERATURE
from hive.players.teams.rules import TeamRules
from hive.worlds.kitchen.probes.names import EXPERIMENTS, PAIRS

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.players.running import TeamRun

REPEATS = 20
"""Published number of answers that are drawn to each probe."""


def _experiment(text: str) -> str:
    """Read the name of an experiment.

    Raises:
        BadValueError: There is none of that name.
    """
    name = text.strip().upper()
    if name not in EXPERIMENTS:
        help = did_you_mean(nearest(name, EXPERIMENTS)) or f"the experiments are {listing(EXPERIMENTS, 'and')}"
        raise BadValueError(f"there is no experiment {quoted(text)}; {help}")
    return name


@dataclass(frozen=True, kw_only=True)
class Study(Orders, OneModel, TeamPlay, Cache):
    """Settings of `hive kitchen study`."""

    experiment: Annotated[
        tuple[str, ...],
        option(
            "; ".join(f"{name}: {words}" for name, words in EXPERIMENTS.items())
            + "; default: A; may be given several times",
            "NAME",
            read=_experiment,
        ),
    ] = ("A",)
    pair: Annotated[
        tuple[str, ...],
        option(
            "who answers, for each: a pair that knows all recipes, one that asks for the first line of its recipe, or "
            "a model; default: both scripted pairs, or the model that is named",
            choices=(*PAIRS, "model"),
        ),
    ] = ()
    repeats: Annotated[
        int | None,
        option(
            f"answers to each probe; default: {REPEATS}, as published, and 1 of scripted pairs, which do not vary",
            "N",
            read=count,
        ),
    ] = None
    model: Annotated[str | None, option("ask this model; default: the scripted pairs", "NAME[@URL]")] = None
    temperature: Annotated[float | None, temperature_option(f"{TEMPERATURE:g}, as the rules of the kitchen say")] = None
    prompts: Annotated[Path | None, prompts_option("cook_plan.md")] = None
    out: Annotated[Path | None, option("save the run in this folder; default: runs/kitchen-study", "DIR")] = None

    def __post_init__(self) -> None:
        """Check that options fit to who answers.

        Raises:
            UserError: They do not.
        """
        super().__post_init__()
        asks = self.asks_models
        scripted = [name for name in self.pair if name != "model"]
        if asks and "model" in self.pair and scripted:
            raise UserError(
                f"{listing(scripted, 'and')} cannot play beside a model: a scripted pair gives each probe one "
                "answer, and a model several\n  = help: run the study once for scripted pairs, and once for the model"
            )
        if asks and self.pair and "model" not in self.pair:
            asking = "asks" if len(self.pair) == 1 else "ask"
            raise UserError(
                f"--model and --replay cannot be used here: {listing(self.pair, 'and')} {asking} no model\n"
                "  = help: leave them out, or ask the model alone, without --pair"
            )
        if "model" in self.pair and not asks:
            raise UserError(
                "the pair `model` needs a model\n  = help: add --model NAME, or a recording with --replay FILE"
            )
        self.check_drawn(asks)

    @property
    def players(self) -> list[str]:
        """Names of the players, as `hive.players.choosing` knows them."""
        if self.asks_models:
            return ["team" if name == "model" else name for name in self.pair or ("model",)]
        return [*(self.pair or PAIRS)]


def _run(settings: Study) -> int:
    """Ask for each collaborative action of the tasks, and keep what was answered."""
    from hive.cli.team_runs import play_and_keep, terms_of
    from hive.kit.team_world import TeamRequest
    from hive.players.choosing import team_players
    from hive.players.varied import Variant
    from hive.worlds.kitchen.probes.teams import KitchenProbes

    files = {name: getattr(settings, name) for name in ("cookbook", "layout", "task_file")}
    request = TeamRequest(worlds=settings.tasks or (() if settings.task_file else ("level3",)), options=files)
    world = KitchenProbes(request, list(dict.fromkeys(settings.experiment)))
    rules = TeamRules(
        replies=1,
        corrections=0,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
    )
    asks = "team" in settings.players
    repeats = settings.repeats or (REPEATS if asks else 1)
    settings.use_cache()
    terms = terms_of(settings, rules)
    return play_and_keep(
        settings,
        [Variant({}, world, (), range(repeats))],
        lambda world, watch: team_players(world, settings.players, terms, watch),
        "kitchen-study",
        {"repeats": repeats},
        _picture,
    )


def _picture(played: TeamRun) -> dict[str, Content]:
    """Return the picture of the study."""
    from hive.experiments.plots.kitchen_probes import save_probes

    return {"probes.png": partial(save_probes, played.results.json()["figures"])}


COMMAND = Command(
    settings=Study,
    run=_run,
    repeats=True,
    about="""\
Find out at which collaborative action two cooks fail. For each action that the cook without the recipe has to
do until it hands over its first item, the kitchen is brought to the point where that action is next; then the
cook with the recipe decides, and the other one answers. An initiation or a response is right if its ITES is
above 0. Wrong initiations are premature, repetitive, irrelevant, or without a request.

A model answers for both cooks. Without --model two scripted pairs answer, which are no models: `speaker`
knows all recipes, and `reader` asks for the first line of its recipe, whatever has been done.""",
    examples=(
        "hive kitchen study                                    experiment A on the tasks of level 3",
        "hive kitchen study --experiment A --experiment B --experiment C",
        "hive kitchen study --model MODEL@http://127.0.0.1:8080/v1 --out runs/failures",
        "hive kitchen study level2 --pair reader --json",
    ),
    notes="""\
The table has a line for each player, experiment and action, with Wilson intervals of 95%, and the confusion
matrix of initiations and responses. The folder of a run has probes.png besides, and for each probe a folder
TASK/EXPERIMENT+ACTION/N such as baked_carrot_soup/A3/0, as `hive run` keeps games.

Rules of the study: docs/rules/kitchen.md 12.""",
)
