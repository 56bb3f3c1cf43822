"""Settings of `hive train`, `hive improve` and `hive league`, which these commands and what they save share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from dsl import UserError
from hive.cli import names
from hive.cli.command import argument, option
from hive.cli.learning.learners import TaskChanges
from hive.cli.options import Cache, Changes, JsonOnly, Markers, ResumedFolder, World
from hive.cli.values import (
    BadValueError,
    count,
    device_count,
    games,
    index,
    named_number,
    named_numbers,
    real,
    seed,
    world_name,
)
from hive.rl.algorithms import ALGORITHMS, DEFAULT

UNITS = 40  # of the player's team in a search
TESTS, TESTS_OF_LARGE, LARGE = 20, 5, 400  # test games at each size, those of large armies, and units of a large one
_TEST_GAMES = 32  # held-out games of each policy in a test, drawn and greedy each
_CHUNK = 10  # updates between two checkpoints
_GAMES = 1000  # of a search
_SEEDS = 10  # games of each pair of a league in either seat


@dataclass(frozen=True, kw_only=True)
class Train(TaskChanges, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive train`."""

    task: Annotated[
        str | None,
        argument(
            "a task, a set of battles, or a scenario file; without it the tasks are listed",
            "TASK",
            read=world_name,
            complete=names.TASK,
        ),
    ] = field(kw_only=False, default=None)
    algorithm: Annotated[
        str,
        option(
            "; ".join([*(f"{each.name}: {each.summary}" for each in ALGORITHMS.values()), f"default: {DEFAULT}"]),
            choices=tuple(ALGORITHMS),
        ),
    ] = DEFAULT
    recurrent: Annotated[bool, option("give the networks a memory (a GRU)")] = False
    start: Annotated[
        str | None,
        option(
            "begin with the networks of another training run, as RUN@best or RUN@newest; RUN is its best checkpoint if "
            "it kept one",
            "RUN",
        ),
    ] = None
    steps: Steps = None
    seed: FirstSeed = 0
    seeds: Annotated[int, option("train K policies side by side, from --seed on; default: 1", "K", read=games)] = 1
    settings: Annotated[
        tuple[tuple[str, float], ...],
        option(
            "change a setting of the algorithm, as in `num_envs=128`; may be given several times",
            "NAME=VALUE",
            name="--setting",
            read=of_setting,
        ),
    ] = ()
    vary: Annotated[
        tuple[tuple[str, list[float]], ...],
        option(
            "train with several values of a setting, side by side, as in `lr=0.001,0.0003`; may be repeated",
            "NAME=V,W,...",
            read=of_values,
        ),
    ] = ()
    prune: Annotated[
        bool,
        option(
            "stop settings of --vary that win fewest held-out games: four go on from an eighth of the run on, two from "
            "a quarter, one from half"
        ),
    ] = False
    sparse: Annotated[bool, option("reward only wins")] = False
    every: Annotated[int, option(f"updates between two checkpoints; default: {_CHUNK}", "U", read=count)] = _CHUNK
    test_games: Annotated[
        int,
        option(
            "held-out games with drawn and with the most probable actions, by which the best checkpoint of each policy "
            f"is kept; 0: none is; default: {_TEST_GAMES}",
            "G",
            read=index,
        ),
    ] = _TEST_GAMES
    test_every: Annotated[
        int | None, option("updates between two such tests; default: a tenth of the run", "U", read=count)
    ] = None
    devices: Annotated[int | None, option("spread the environments over D devices", "D", read=device_count)] = None
    out: Annotated[Path | None, option("save the run in this folder; default: runs/TASK-ALGORITHM", "DIR")] = None


@dataclass(frozen=True, kw_only=True)
class Improve(World, Changes, Markers, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive improve`."""

    plan: Annotated[
        str | None,
        argument(
            "the plan to improve: a name from `hive list`, or a file; without it, of a set, each battle's own",
            "PLAN",
            complete=names.PLAN,
        ),
    ] = field(kw_only=False, default=None)
    scenario: Annotated[
        str,
        option(
            "the scenario that the plan is for, or a set of drawn battles; default: that of the shipped plan",
            "NAME|FILE",
            read=world_name,
            complete=names.WORLD_OR_SET,
        ),
    ] = ""
    games: Annotated[int, option(f"most games, of a set in each battle; default: {_GAMES:,}", "G", read=games)] = _GAMES
    units: Annotated[
        int | None,
        option(
            f"size of the player's team in the search; default: {UNITS}, or that of a smaller scenario",
            "N",
            read=count,
        ),
    ] = None
    seed: Annotated[int, option("seed of the search; default: 0", "S", read=seed)] = 0
    words: Annotated[
        bool,
        option("also try leashes, ways under cover, groups behind others, `hold`, and further objectives of steps"),
    ] = False
    test_seeds: Annotated[
        int | None,
        option(
            "games of both plans at each size afterwards, with the seeds 0 to K - 1, which the search does not play; "
            f"default: {TESTS}, or {TESTS_OF_LARGE} of more than {LARGE} units",
            "K",
            read=games,
        ),
    ] = None
    test_units: Annotated[
        tuple[int, ...],
        option(
            "sizes of the player's team in these games; default: that of the search and that of the scenario",
            "N,M",
            read=_sizes,
            joined=True,
        ),
    ] = ()
    out: Annotated[Path | None, option("save the search in this folder; an interrupted one resumes", "DIR")] = None


@dataclass(frozen=True, kw_only=True)
class League(World, Changes, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive league`."""

    folder: Annotated[Path | None, argument("a folder of .plan files, written for the player's side", "DIR")] = field(
        kw_only=False, default=None
    )
    shipped: Annotated[bool, option("also enter all shipped plans that fit")] = False
    scenario: Annotated[
        str,
        option(
            "a battle with equal armies on a mirrored map; default: duel",
            "NAME|FILE",
            read=world_name,
            complete=names.WORLD,
        ),
    ] = "duel"
    seeds: Annotated[
        int,
        option(
            f"games of each pair in either seat, with the seeds 0 to K - 1; default: {_SEEDS}",
            "K",
            read=games,
        ),
    ] = _SEEDS
    search: Annotated[
        int | None,
        option("search with N games for a plan that beats the others, and enter it as searched-1", "N", read=games),
    ] = None
    policies: Annotated[
        tuple[Path, ...],
        option(
            "also enter the first policy of a folder of `hive train`, of a task whose squads are ordered; may be "
            "given several times",
            "RUN",
            name="--policy",
        ),
    ] = ()
    out: Annotated[Path | None, option("save the league in this folder; an interrupted league resumes", "DIR")] = None


def of_steps(text: str) -> int:
    """Read a number of environment steps, such as `3e6`.

    Raises:
        BadValueError: The text is none.
    """
    try:
        number = real(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = 0.5
    if not 1 <= number <= 1e12 or number != int(number):
        raise BadValueError(f"`{text}` is not a whole number of steps, as in `3000000` or `3e6`")
    return int(number)


# Options of both `hive train` and `hive baselines`.
Steps = Annotated[
    int | None, option("environment steps of each policy; default: those of the task", "N", read=of_steps)
]
FirstSeed = Annotated[int, option("seed of the first policy; default: 0", "S", read=seed)]


def check_once(given: Sequence[tuple[str, object]]) -> None:
    """Refuse a setting that is given twice, under one name or two, with one value or several.

    Args:
        given: Names, as they are written, with what was given.

    Raises:
        UserError: A setting is unknown, or given twice.
    """
    from hive.rl.settings import setting_name

    count = Counter(setting_name(word) for word, _ in given)
    if twice := [name for name in count if count[name] > 1]:
        raise UserError(
            f"the setting `{twice[0]}` is given twice\n  = help: give it once, with --setting or with --vary"
        )


def of_setting(text: str) -> tuple[str, float]:
    """Read a setting with its value.

    Raises:
        BadValueError: The text is none.
    """
    try:
        return named_number(text, "NAME=VALUE with a number, as in `num_envs=128`")
    except BadValueError:
        _check_name(text)
        raise


def of_values(text: str) -> tuple[str, list[float]]:
    """Read a setting with several values.

    Raises:
        BadValueError: The text is none.
    """
    form = "NAME=V,W,... with different numbers, as in `lr=0.001,0.0003`"
    try:
        name, found = named_numbers(text, form)
    except BadValueError:
        _check_name(text)
        raise
    if len(set(found)) < len(found):
        raise BadValueError(f"`{text}` is not of the form {form}")
    return name, found


def _check_name(text: str) -> None:
    """Refuse a setting by its name, whose value may be the word that another library takes, as in `ACTIVATION=tanh`."""
    from hive.rl.settings import setting_name

    try:
        setting_name(text.partition("=")[0])
    except UserError as error:
        raise BadValueError(str(error).replace("\n  = help: leave it out", "")) from None


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(count(part) for part in text.split(",")))
