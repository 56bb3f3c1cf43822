"""`hive team`: an alias of `hive run` for teams on wildfire levels, with their options by older names."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated

from hive.cli import names
from hive.cli.command import Command, Table, argument, option
from hive.cli.games.playing import COMMAND as RUN
from hive.cli.games.playing import run
from hive.cli.model_options import Endpoint, OneModel, OwnPrompts, Writing, prompts_option, temperature_option
from hive.cli.options import Cache, Fires, JsonOnly, Numbers, ResumedFolder, Seeds
from hive.cli.reading import read, without_keys
from hive.cli.team_options import Frameworks
from hive.cli.team_runs import tell_new_words
from hive.cli.values import BadValueError, count, world_name
from hive.players.occasions import PLANS

_SAME = (  # fields of options that have the same names in `hive run`
    *("seed", "seeds", "prompts", "model", "base_url", "plans", "record", "temperature"),
    *("top_p", "perception", "method", "out", "timeout", "retries", "concurrent", "max_tokens"),
)
_FLAGS = ("direct_perception", "direct_execution", "events", "overwrite", "restart", "json", "no_cache")


def _sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(count(part) for part in text.split(","))
    if len(set(sizes)) < len(sizes):
        raise BadValueError(f"`{text}` names a number twice")
    return sizes


@dataclass(frozen=True, kw_only=True)
class Team(Numbers, Fires, Seeds, Frameworks, OwnPrompts, OneModel, Writing, Endpoint, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive team`."""

    scenario: Annotated[
        str,
        argument(
            "a wildfire level from `hive list`",
            "LEVEL",
            read=world_name,
            complete=names.WORLD,
        ),
    ] = field(kw_only=False)
    framework: Annotated[
        tuple[str, ...],
        option(
            "who plays: camon, coela, embodied, hmas2, nothing or plans; may be given several times; default: camon",
            "NAME",
        ),
    ] = ("camon",)
    steps: Annotated[int | None, option("most steps of an episode; default: the level's limit", "N", read=count)] = None
    agents: Annotated[
        tuple[int, ...],
        option(
            "play once with each of these numbers of firefighters, to compare costs", "N,M", read=_sizes, joined=True
        ),
    ] = ()
    every: Annotated[
        int | None,
        option(
            "for plans: ask for a new plan after so many steps; default: 10, or never with --events", "N", read=count
        ),
    ] = None
    events: Annotated[
        bool,
        option("for plans: ask when something new is seen, a step of the plan is achieved or a unit is lost"),
    ] = False
    method: Annotated[str | None, option("name in results; default: the framework and the model", "NAME")] = None
    model: Annotated[str | None, option("ask this model; default: a scripted speaker, which is no model", "NAME")] = (
        None
    )
    temperature: Annotated[float | None, temperature_option("0, or 0.7 where a quirk of the framework says so")] = None
    prompts: Annotated[Path | None, prompts_option("camon_plan.md")] = None
    out: Annotated[Path | None, option("save the run in this folder; default: that of `hive run`", "DIR")] = None

    def __post_init__(self) -> None:
        """Check that options do not exclude each other.

        Raises:
            UserError: Two of them do.
        """
        super().__post_init__()
        self.check_seeds()


def _run(settings: Team) -> int:
    words = new_words(settings)
    tell_new_words("team", shlex.join(without_keys(words)))
    return run(read("hive run", RUN, words, Table({})))


def new_words(settings: Team) -> list[str]:
    """Return the words of the same command after `hive run`."""
    words = [settings.scenario]
    for name in settings.framework:
        words += ["--player", name if name == PLANS else f"team:{name}"]
    changes = [*settings.numbers, *([("limit", settings.steps)] if settings.steps else [])]
    for name, value in changes:
        words += ["--set", f"{name}={value}"]
    if settings.agents:
        words += ["--vary", f"firefighters={','.join(map(str, settings.agents))}"]
    defaults = {each.name: each.default for each in fields(settings)}
    same = {name: getattr(settings, name) for name in _SAME}
    given: dict[str, object] = {
        f"--{name.replace('_', '-')}": value for name, value in same.items() if value != defaults[name]
    }
    given |= {
        "--replay": settings.recording,
        "--rules": settings.fire_rules,
        "--quirks": ",".join(settings.quirks) or None,
    }
    given |= {"--period": settings.every, "--api-key": settings.api_key.reveal() if settings.api_key else None}
    writes = PLANS in settings.framework and settings.model  # then the default of `hive run` is another
    given["--grammar"] = settings.grammar if writes or settings.grammar != defaults["grammar"] else None
    words += [word for option, value in given.items() if value is not None for word in (option, str(value))]
    words += [word for name in settings.api_key_env for word in ("--api-key-env", name)]
    return words + [f"--{flag.replace('_', '-')}" for flag in _FLAGS if getattr(settings, flag)]


COMMAND = Command(
    settings=Team,
    run=_run,
    alias=True,
    about="""\
An alias of `hive run` for one release: it prints the new words and runs them. Let language agents play a
wildfire level together, by one of the published frameworks. The framework `plans` is one commander that
writes plans for the complete crew and changes them after some steps or on events; `nothing` gives no orders.

Without --model a scripted speaker answers, which is no model: it reads the same prompts and follows rules.""",
    examples=(
        "hive team wildfire/cut_trees_sparse_small                        CAMON, one episode, scripted speaker",
        "hive team wildfire/cut_trees_sparse_small --framework camon --framework plans --every 5",
        "hive team wildfire/cut_trees_sparse_small --framework embodied --agents 3,5,7 --steps 3",
    ),
    notes="""\
--framework NAME is now --player team:NAME, or --player plans; --agents N,M is --vary firefighters=N,M;
--steps N is --set limit=N; --every N is --period N. Other options are those of `hive run`.""",
)
