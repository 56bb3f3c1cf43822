"""What commands share that let teams play a world with agents: who plays, and a run that is kept and can be resumed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from hive.cli.asking import choice_of
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching

if TYPE_CHECKING:
    from hive.kit.contract import TeamWorld, Watch
    from hive.kit.keep.runfolder import Content
    from hive.players.llm.calling import Caller
    from hive.players.llm.client import Client
    from hive.players.occasions import Occasions
    from hive.players.running import RunPlayer, TeamRun
    from hive.players.teams.rules import TeamRules

More = Callable[["TeamRun"], dict[str, "Content"]]
"""Returns further files of a run folder."""


def players_of(
    args: argparse.Namespace,
    world: TeamWorld,
    names: Sequence[str],
    rules: TeamRules,
    temperatures: Sequence[float],
    watch: Watch,
    occasions: Occasions | None = None,
    models: Sequence[Caller] | None = None,
) -> list[RunPlayer]:
    """Return the players that a command line names.

    Args:
        args: The command line, with the options of `hive.cli.asking.add_model_options` and `--prompts`.
        world: What they play.
        names: Names of players; empty: the default.
        rules: How teams are run.
        temperatures: Each model plays once with each; empty: once, with that of the rules.
        watch: Receives the progress of what has to be computed.
        occasions: When the player `plans` is asked; None: after its default period.
        models: From `clients_of`; None: they are opened here.

    Raises:
        UserError: A player does not exist, cannot play this world, or needs a model that is not named.
    """
    from hive.players.choosing import check_asked, team_players
    from hive.players.llm.opening import open_client
    from hive.players.llm.scripted import PlanWriter
    from hive.players.occasions import Occasions
    from hive.players.teams.prompting import Prompts

    def opened(speaker: Client) -> Client:
        plans = args.plans if isinstance(speaker, PlanWriter) else None
        silent = choice_of(args, model=None, plans=plans, base_url=None, key=None, replay=None)
        return open_client(silent, None, tell, speaker)

    if args.model or args.replay:
        check_asked(names)
    models = clients_of(args) if models is None else models
    return team_players(
        world,
        names,
        models,
        rules,
        Prompts(args.prompts),
        watch,
        temperatures=temperatures,
        occasions=occasions or Occasions(),
        opened=opened,
    )


def clients_of(args: argparse.Namespace) -> list[Caller]:
    """Open a client for each model that the command line names, or for each in the recording that it replays."""
    from hive.players.llm.opening import open_client
    from hive.players.llm.recorded import ReplyRecording

    given = args.model if isinstance(args.model, list | tuple) else [args.model] if args.model else []
    names: list[str | None] = [*dict.fromkeys(given)]
    if not names and not args.replay:
        if args.base_url or args.api_key or args.api_key_env:
            open_client(choice_of(args, model=None, plans=None))  # raises
        return []
    if not names:
        names = [None]
        if args.replay.is_file():
            names = list(ReplyRecording(args.replay).models) or names
    return [open_client(choice_of(args, model=name, plans=None), None, tell) for name in names]


def tell_new_words(old: str, words: str) -> None:
    """Tell which command replaces an old one after this release."""
    tell(f"note: `hive {old}` is an alias for one release; the new words are `hive run {words}`")


def play_and_keep(
    args: argparse.Namespace,
    world: TeamWorld,
    players: Callable[[TeamWorld, Watch], Sequence[RunPlayer]],
    seeds: Sequence[int],
    default: str,
    facts: Mapping[str, Any],
    more: More | None = None,
    variants: Sequence[tuple[Mapping[str, float], TeamWorld]] = (),
) -> int:
    """Play, print and keep a run.

    Args:
        args: The command line, with `--out`, `--overwrite`, `--restart`, `--json`, `--concurrent` and `--movie`.
        world: What is played.
        players: Returns who plays a world.
        seeds: Of each world.
        default: Name of the run folder where `--out` names none.
        facts: What `config.json` and `--json` hold besides.
        more: Returns further files of the run folder.
        variants: Changed settings and the world with them, each of which is played in place of `world`.

    Raises:
        UserError: A player or the folder cannot be used, or a model could not be asked.
    """
    from hive.cli.keeping import again_words, films
    from hive.cli.progress_folder import deciding_versions, open_progress
    from hive.kit.keep.finishing import check_results, finish_run, is_finished
    from hive.kit.keep.record import games_folder
    from hive.kit.keep.runfolder import free_folder
    from hive.players.running import MOST_PICTURES, TeamRun, identity_of, play_team_run
    from hive.players.varied import Variant, identity_of_variants, play_variants

    out: Path = args.out or free_folder(default, args.overwrite, is_finished)
    check_results(out, args.overwrite, args.restart)
    with watching(quiet=args.json) as watch:
        some = [Variant(varied, each, players(each, watch)) for varied, each in variants]
        cast = some[0].players if some else players(world, watch)
        found = identity_of_variants(some, seeds) if some else identity_of(world, cast, seeds)
        identity = {**found, "versions": deciding_versions()}
        progress, _ = open_progress(out, identity, "run of agents", args.restart)
        try:
            run = (
                play_variants(some, seeds, progress, args.concurrent, watch)
                if some
                else play_team_run(world, cast, seeds, progress, args.concurrent, watch)
            )
        except (UserError, KeyboardInterrupt):
            tell(f"what was asked and played so far is kept in {progress}; the same command resumes from there")
            raise
        if args.json:
            print_json({**facts, **run.json()})
        else:
            watch.say("\n" + run.table())
        settings = {
            "players": [each.name for each in cast],
            "rules": {each.name: each.manner() for each in cast},
            **{name: value for name, value in world.identity().items() if name != "instances"},
        }
        files = games_folder(
            args.line,
            again_words(args.line, out, bool(args.model or args.replay)),
            {str(facts.get("world", world.noun)): [world.identity(), *(dict(each.varied) for each in some)]},
            [{"name": each.name, "plays": each.plays, "identity": each.identity()} for each in cast],
            seeds,
            {**run.files(films(args.movie, watch), facts), **(more(run) if more and isinstance(run, TeamRun) else {})},
            **{**facts, **settings},
        )
        finish_run(out, files, args.overwrite)
    shown = ", ".join(name for name in files if "/" not in name)
    tell(f"wrote {out}: {shown}, and a folder for each game, such as {run.name_of(run.games[0])}")
    if len(run.games) > MOST_PICTURES:
        tell(f"  only the first game of each player has pictures; `hive replay {out} --episode NAME` shows another")
    return 0
