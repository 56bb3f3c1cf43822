"""What commands share that let teams play a world with agents: who plays, and a run that is kept and can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from hive.cli.model_options import Endpoint
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.team_options import TeamAsked, TeamPlay
from hive.players.occasions import DEFAULT_OCCASIONS, Occasions

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.kit.reporting import Watch
    from hive.kit.team_world import TeamWorld
    from hive.players.choosing import Terms
    from hive.players.llm.calling import Caller
    from hive.players.llm.client import Client
    from hive.players.running import RunPlayer, TeamRun
    from hive.players.teams.rules import TeamRules
    from hive.players.varied import Variant, VariedRun

_MOST_VARIANTS = 64  # worlds of one run with varied settings

More = Callable[[Any], Mapping[str, "Content"]]
"""Returns further files of the folder of a finished `TeamRun` or `VariedRun`; those in `.txt` are printed, too."""


def team_settings(numbers: Sequence[tuple[str, object]], fire_rules: str | None) -> dict[str, object]:
    """Return the settings of a world with agents by name, from `--set` and `--rules`.

    Raises:
        UserError: One is given twice.
    """
    found = dict(numbers)
    if len(found) < len(numbers):
        raise UserError("a setting is given twice with --set\n  = help: set each setting once")
    return found if fire_rules is None else found | {"rules": fire_rules}


def variants_of(
    vary: Sequence[tuple[str, Sequence[float | str]]], options: Mapping[str, object]
) -> list[dict[str, float | str]]:
    """Return every combination of the values of `--vary`; empty where nothing is varied.

    Raises:
        UserError: A setting or a value is given twice, or there are too many combinations.
    """
    names = [name for name, _ in vary]
    for name, values in vary:
        if name in options or names.count(name) > 1:
            raise UserError(f"the setting `{name}` is given twice: write --vary {name}=A,B once, without --set")
        if len(set(values)) < len(values):
            raise UserError(f"--vary {name} names a value twice\n  = help: name each value once")
    found = [dict(zip(names, some, strict=True)) for some in product(*(values for _, values in vary))] if vary else []
    if len(found) > _MOST_VARIANTS:
        raise UserError(f"--vary makes {len(found)} worlds, and a run has at most {_MOST_VARIANTS}")
    return found


def terms_of(
    settings: TeamAsked,
    rules: TeamRules,
    temperatures: Sequence[float] = (),
    occasions: Occasions = DEFAULT_OCCASIONS,
    plans: Path | None = None,
) -> Terms:
    """Return who answers for the players of a command line, and how they are asked.

    Args:
        settings: Who answers, and the prompts.
        rules: How teams are run.
        temperatures: Each model plays once with each; empty: once, with that of the rules.
        occasions: When the player `plans` is asked.
        plans: A folder of plans that answer for the player `plans`; None: a scripted writer does.

    Raises:
        UserError: A model cannot be asked, or the prompts cannot be read.
    """
    from hive.players.choosing import Terms
    from hive.players.llm.scripted import PlanWriter
    from hive.players.teams.prompting import Prompts

    def opened(speaker: Client) -> Client:
        return settings.script(speaker, plans=plans if isinstance(speaker, PlanWriter) else None)

    return Terms(
        rules=rules,
        prompts=Prompts(settings.prompts),
        models=clients_of(settings),
        temperatures=temperatures,
        occasions=occasions,
        opened=opened,
    )


def clients_of(settings: Endpoint) -> list[Caller]:
    """Open a client for each model that the command line names, or for each in the recording that it replays."""
    from hive.players.llm.opening import open_client

    names = settings.asked()
    if not names and (settings.base_url or settings.api_key or settings.api_key_env):
        open_client(settings.choice(model=None, plans=None))  # raises
    return [open_client(settings.choice(model=name, plans=None), None, tell) for name in names]


def play_or_resume(
    variants: Sequence[Variant],
    out: Path,
    what: str,
    restart: bool,
    concurrent: int,
    watch: Watch,
) -> TeamRun | VariedRun:
    """Play what is not finished yet; finished steps are saved in the progress folder of a run folder.

    Args:
        variants: What is played and by whom; one without a name and changed settings is a run of its own.
        out: The run folder.
        what: What the command makes, for messages.
        restart: Whether to drop the progress that there is.
        concurrent: Most requests at the same time.
        watch: Receives the progress.

    Raises:
        UserError: The progress belongs to other work, or a model could not be asked.
    """
    from hive.cli.progress_folder import open_progress
    from hive.players.running import identity_of, play_team_run
    from hive.players.varied import identity_of_variants, play_variants

    one = variants[0]
    several = bool(one.varied or one.name)
    found = identity_of_variants(variants) if several else identity_of(one.world, one.players, one.seeds)
    progress, _ = open_progress(out, found, what, restart)
    try:
        if several:
            return play_variants(variants, progress, concurrent, watch)
        return play_team_run(one.world, one.players, one.seeds, progress, concurrent, watch)
    except (UserError, KeyboardInterrupt):
        tell(f"what was asked and played so far is kept in {progress}; the same command resumes from there")
        raise


def play_and_keep(
    settings: TeamPlay,
    variants: Sequence[Variant],
    players: Callable[[TeamWorld, Watch], Sequence[RunPlayer]],
    default: str,
    facts: Mapping[str, Any],
    more: More | None = None,
) -> int:
    """Play, print and keep a run.

    Args:
        settings: Where the run is kept, and how it is shown.
        variants: What is played, yet without players.
        players: Returns who plays a world.
        default: Name of the run folder where `--out` names none.
        facts: What `config.json` and `--json` hold besides.
        more: Returns further files of the run folder.

    Raises:
        UserError: A player or the folder cannot be used, or a model could not be asked.
    """
    from hive.cli.keeping import again_words, films
    from hive.kit.keep.record import games_folder
    from hive.players.running import MOST_PICTURES
    from hive.players.teams.prompting import Prompts

    out = settings.usable_folder(default)
    Prompts(settings.prompts)  # raises, before anything is begun
    with watching(quiet=settings.json) as watch:
        some = [replace(each, players=players(each.world, watch)) for each in variants]
        cast, seeds = some[0].players, {each.name: each.seeds for each in some if each.name}
        run = play_or_resume(some, out, "run of agents", settings.restart, settings.concurrent, watch)
        added = more(run) if more else {}
        objects = {Path(name).stem: json.loads(str(text)) for name, text in added.items() if name.endswith(".json")}
        texts = [str(text).rstrip() for name, text in added.items() if name.endswith(".txt")]
        worlds = _identities(some, facts)
        words = "\n" + "\n\n".join([run.table(), *texts])
        settings.output_run({**facts, **run.json(), **objects, "worlds": list(worlds)}, words, watch.say)
        files = games_folder(
            settings.line,
            again_words(settings.line, out, settings.asks_models),
            worlds,
            [{"name": each.name, "plays": each.plays, "identity": each.identity()} for each in cast],
            seeds or some[0].seeds,
            {**run.files(films(settings.movie, watch), facts), **added},
            **{**facts, **_played(some)},
        )
        such = f", and a folder for each game, such as {run.name_of(run.games[0])}"
        settings.save_folder(out, files, such, finish=True)
    if len(run.games) > MOST_PICTURES:
        tell(f"  only the first game of each player has pictures; `hive replay {out} --episode NAME` shows another")
    return 0


def _identities(variants: Sequence[Variant], facts: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return what decides the games of each world, by its name with its version, as `games_folder` takes it."""
    from hive.worlds import id_of

    first = variants[0]
    if first.name:
        return {id_of(each.name): [each.world.identity()] for each in variants}
    named = id_of(facts["world"]) if "world" in facts else first.world.noun
    return {named: [first.world.identity(), *(dict(each.varied) for each in variants if each.varied)]}


def _played(variants: Sequence[Variant]) -> dict[str, Any]:
    """Return who played and how, and of a run of one world its settings, in plain values for `config.json`."""
    first = variants[0]
    manners = {each.name: each.manner() for each in first.players}
    found: dict[str, Any] = {"players": [each.name for each in first.players], "rules": manners}
    if not first.name:
        found |= {name: value for name, value in first.world.identity().items() if name != "instances"}
    return found
