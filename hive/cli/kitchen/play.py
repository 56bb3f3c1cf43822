"""`hive kitchen play`: an alias of `hive run` for several tasks, with the options of the kitchen by their own names."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dsl import UserError
from hive.cli.command import Command, option
from hive.cli.kitchen.orders import Orders
from hive.cli.model_options import OneModel, prompts_option, temperature_option
from hive.cli.options import Cache
from hive.cli.team_options import TeamPlay
from hive.cli.values import count, index, real
from hive.kit.keep.places import read_text
from hive.players.teams.frameworks.cook import TEMPERATURE
from hive.players.teams.rules import TeamRules
from hive.worlds.kitchen.switches import SWITCH_NAMES, flipped
from hive.worlds.kitchen.tasks import GAMMA

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.kit.team_world import TeamWorld
    from hive.players.running import TeamRun

_RULES = TeamRules()


@dataclass(frozen=True, kw_only=True)
class Play(Orders, OneModel, TeamPlay, Cache):
    """Settings of `hive kitchen play`."""

    pair: Annotated[
        Literal["planner", "speaker", "model"] | None,
        option(
            "who cooks: the fastest plan, a scripted pair that talks, or a model; default: speaker, or model with "
            "--model or --replay"
        ),
    ] = None
    games: Annotated[int, option("games of each task; default: 1", "N", read=count)] = 1
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
    switches: Annotated[
        tuple[str, ...],
        option(
            "rules that may be as published or not (docs/rules/kitchen.md 7.1): set this one to the opposite of its "
            "default; may be given several times",
            name="--switch",
            choices=SWITCH_NAMES,
        ),
    ] = ()
    published: Annotated[
        bool,
        option(
            "carry out plans as the published program does: no action waits for an item, so one that comes too "
            "early is refused and the rest of the plan dropped (docs/rules/kitchen.md 10.5)"
        ),
    ] = False
    gamma: Annotated[
        tuple[float, ...],
        option(
            f"a delivery counts until this multiple of the published time; default: {GAMMA:g}; may be given several "
            "times: games last as long as the largest allows, and are scored with each",
            "G",
            read=real,
        ),
    ] = (GAMMA,)
    references: Annotated[
        Path | None,
        option(
            "score the games against the annotated trajectories of this JSON file too: `reference_1`, ..., each with "
            "`agent_0` and `agent_1`; of several tasks under the name of each",
            "FILE",
        ),
    ] = None
    beside: Annotated[
        tuple[Path, ...],
        option("an earlier run whose curves the picture shows too; may be given several times", "DIR"),
    ] = ()
    movie: Annotated[bool, option("make a movie of the first game")] = False
    model: Annotated[str | None, option("ask this model; default: the scripted pair, which is no model", "NAME")] = None
    temperature: Annotated[float | None, temperature_option(f"{TEMPERATURE:g}, as the rules of the kitchen say")] = None
    prompts: Annotated[Path | None, prompts_option("cook_plan.md")] = None
    out: Annotated[Path | None, option("save the run in this folder; default: runs/kitchen-TASK-PAIR", "DIR")] = None

    def __post_init__(self) -> None:
        """Check that a task is named, and that options fit to who cooks.

        Raises:
            UserError: No task is named, or options do not fit.
        """
        super().__post_init__()
        pair = self.cooks
        if self.asks and pair != "model":
            raise UserError(
                f"--model and --replay cannot be used here: the pair `{pair}` asks no model\n"
                "  = help: leave them out, or give `--pair model`"
            )
        if pair == "model" and not self.asks:
            raise UserError(
                "the pair `model` needs a model\n  = help: add --model NAME, or a recording with --replay FILE"
            )
        self.check_drawn(self.asks)
        self.check_named("play")

    @property
    def asks(self) -> bool:
        """Whether a model or a recording answers."""
        return bool(self.model or self.recording)

    @property
    def cooks(self) -> str:
        """The pair that cooks."""
        return self.pair or ("model" if self.asks else "speaker")


def _run(settings: Play) -> int:
    """Play the tasks that the command line names, and keep the run."""
    from hive.cli.team_runs import play_and_keep, players_of, tell_new_words

    pair = settings.cooks
    world, rules = _world(settings), _rules(settings)
    beside = dict(map(_earlier, settings.beside))
    settings.use_cache()
    plain = settings.tasks and not (settings.task_file or settings.references or len(settings.gamma) > 1)
    if plain:
        words = [f"kitchen/{settings.tasks[0]}", "--player", "team" if pair == "model" else pair]
        words += [word for name, value in _options(settings).items() for word in ("--set", f"{name}={value}")]
        tell_new_words("kitchen play", shlex.join(words))
    names = [] if pair == "model" else [pair]
    return play_and_keep(
        settings,
        world,
        lambda world, watch: players_of(settings, world, names, rules, [], watch),
        range(settings.games),
        f"kitchen-{settings.tasks[0] if settings.tasks else 'own'}-{pair}",
        {
            "pair": pair,
            "games_of_each": settings.games,
            "replies": settings.replies,
            "corrections": settings.corrections,
        },
        lambda played: _curves(played, beside),
    )


def _world(settings: Play) -> TeamWorld:
    """Load the kitchen and the tasks."""
    from hive.kit.team_world import TeamRequest
    from hive.worlds.kitchen.teams import KitchenTeams

    options = _options(settings)
    return KitchenTeams(TeamRequest(worlds=settings.tasks, options=options, published=settings.published))


def _options(settings: Play) -> dict[str, object]:
    """Return the settings of the kitchen that are given, as `hive run --set` names them."""
    files = {name: getattr(settings, name) for name in ("cookbook", "layout", "task_file", "references")}
    found: dict[str, object] = {name: path for name, path in files.items() if path}
    found |= {name: int(getattr(flipped([name]), name)) for name in settings.switches}
    if settings.gamma != (GAMMA,):
        found["gamma"] = settings.gamma if len(settings.gamma) > 1 else settings.gamma[0]
    return found


def _rules(settings: Play) -> TeamRules:
    return TeamRules(
        replies=settings.replies,
        corrections=settings.corrections,
        published=settings.published,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
    )


def _curves(played: TeamRun, beside: Mapping[str, list[Any]]) -> dict[str, Content]:
    """Return the pictures of several levels or of this run next to others, and of several limits."""
    from hive.experiments.plots.kitchen_levels import save_gammas, save_levels

    games, found = list(played.results.rows()), played.results.json()
    files: dict[str, Content] = {}
    if len({game["level"] for game in games}) > 1 or beside:
        files["levels.png"] = partial(save_levels, {**beside, played.players[0].client.name: games})
    if "gamma" in found:
        files["gamma.png"] = partial(save_gammas, found["gamma"])
    return files


def _earlier(folder: Path) -> tuple[str, list[Any]]:
    """Return the name and the games of an earlier run.

    Raises:
        UserError: The folder holds no run of the kitchen.
    """
    path = folder / "result.json"
    try:
        found = json.loads(read_text(path))
        keys = ("level", "task", "success", "pc", "ic", "rc", "events")
        games = [{key: game[key] for key in keys} for game in found["games"]]
        if not games or not all(map(_drawable, games)):
            raise ValueError
        return str(found.get("speaker") or found["players"][0]["speaker"]), games
    except OSError as error:
        raise UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        help = "give a folder that `hive kitchen play` wrote"
        raise UserError(f"{path} is not the result of a run of the kitchen\n  = help: {help}") from None


def _drawable(game: Mapping[str, Any]) -> bool:
    """Whether a game of an earlier run has values that a picture can show."""
    shares = [game["success"], game["pc"], *([game["ic"], game["rc"]] if game["events"] else [])]
    whole = type(game["level"]) is type(game["events"]) is int and isinstance(game["task"], str)
    return whole and all(isinstance(share, int | float) and 0 <= share <= 1 for share in shares)


COMMAND = Command(
    settings=Play,
    run=_run,
    alias=True,
    repeats=True,
    about="""\
Let two cooks prepare and deliver an order together. Each of them reaches only a part of the kitchen, and one
of them alone has the recipe. Cooks write plans of several actions, which a validator checks one by one, and
talk without spending time.

A model answers for both cooks, each of which sees its own prompts. Without --model a scripted pair cooks,
which is no model: it reads the same prompts and follows rules. The pair `planner` follows the fastest plan
that a search finds, and does not talk.""",
    examples=(
        "hive kitchen play boiled_egg                       the scripted pair, one game",
        "hive kitchen play level5 --pair planner            the fastest plans of five tasks",
        "hive kitchen play all --json",
        "hive kitchen play level1 level2 --gamma 1 --gamma 1.5 --gamma 2",
        "hive kitchen play --task-file mine.toml            all tasks of a file of your own",
        "hive kitchen play baked_potato_soup --model MODEL --base-url http://127.0.0.1:8080/v1 --games 10",
    ),
    notes="""\
The table has for each task: SR, the share of games that deliver within the limit; the timestep of the
delivery, from 0, and its limit; PC, the progress completeness; IC and RC, the initiating and responding
capability in each conversation that the cook with the recipe began; and, for each game, the number of these
conversations, refused actions and calls. Metrics are scored against all reference trajectories of the task.
A second table counts the conversations by right and wrong initiations and responses, and wrong initiations by
what they ask for.

The folder of a run is written atomically: config.json, result.json, table.txt, exchanges.jsonl (a recording
for --replay), levels.png for tasks of several levels (SR, PC, IC and RC, with the runs of --beside),
gamma.png for several --gamma, and for each game a folder TASK/N with result.json, steps.jsonl, transcript.md,
journal.jsonl and recording.npz. What is finished is saved in DIR.progress, and the same command resumes from
there after an interruption or a failure of the server.

Rules of the kitchen: docs/rules/kitchen.md.""",
)
