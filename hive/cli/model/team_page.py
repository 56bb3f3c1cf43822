"""`hive serve` of a world with agents: its players are watched, or a person takes one of the seats."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dsl import UserError
from hive.cli.model.serve_settings import OF_COMMANDED, Serve
from hive.cli.options import refuse
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.setting import folder_stem
from hive.cli.team_runs import clients_of, team_settings
from hive.kit.contract import Kind
from hive.kit.team_world import TeamRequest, TeamWorld
from hive.worlds import id_of

if TYPE_CHECKING:
    from hive.players.llm.client import Client
    from hive.players.running import TeamRun
    from hive.players.teams.games import TeamPlayer
    from hive.web.audience import Audience
    from hive.web.team import TeamPageGame


def plays_team(settings: Serve, kind: Kind) -> bool:
    """Return whether agents play: where no plan commands a world, or a seat or a player is named."""
    return bool(settings.seat or settings.player or not kind.planned)


def make_team_game(settings: Serve, kind: Kind, audience: Audience) -> tuple[TeamPageGame, Callable[[], None]]:
    """Begin a game, or resume one that the same command began.

    Args:
        settings: The settings of the command.
        kind: The kind of its world.
        audience: The tabs.

    Returns:
        The game, and what is to be called when the server has ended.

    Raises:
        UserError: The world has no agents or no such seat, or a player or an option is wrong.
    """
    from hive.cli.progress_folder import open_progress
    from hive.kit.keep.finishing import is_finished, progress_of
    from hive.kit.keep.runfolder import folder_name, free_folder
    from hive.players.live import LiveTeam
    from hive.players.running import identity_of
    from hive.players.seats import Desk, seated
    from hive.web.team import TeamPageGame

    request = settings.request()
    options = team_settings(settings.numbers, settings.fire_rules)
    world = kind.team_world(TeamRequest(worlds=[request.scenario], options=options))
    why = f"agents play {settings.scenario}, and no plan commands them"
    refuse(settings, OF_COMMANDED, why, "a game of agents is kept in runs, and the same command resumes it")
    seed = world.seeds[0] if settings.seed is None else settings.seed
    models = clients_of(settings)
    seat, desk = settings.seat or "", Desk() if settings.seat else None
    player = _player(settings, world, models)
    player = seated(player, seat, desk) if desk else player
    out = free_folder(f"serve-{folder_stem(request.scenario)}-{folder_name(seat or player.name)}", False, is_finished)
    identity = identity_of(world, [player], [seed])
    resumes = progress_of(out).exists()
    progress, _ = open_progress(out, identity, f"game of a {world.noun}", restart=False)
    again = None if desk else _again(settings, seed, out, bool(models))
    keep = partial(_keep, settings, world, seed, out, again)
    begin = partial(LiveTeam, world, player, seed, progress, desk=desk, seat=seat, concurrent=settings.concurrent)
    game = TeamPageGame(begin, audience, about=player.about, seat=seat, desk=desk, keep=keep)
    tell(f"{'resuming' if resumes else 'preparing'} {request.scenario} ...")
    try:
        game.open()
    except UserError:
        if not resumes:
            shutil.rmtree(progress, ignore_errors=True)
        raise
    tell(player.about)

    def left() -> None:
        if game.live.run is None:
            tell(f"what was played is kept in {progress}; the same command resumes from there")

    return game, left


def _player(settings: Serve, world: TeamWorld, models: Sequence[Client]) -> TeamPlayer:
    """Return the team that plays, as the command line names it, without a person in its seat.

    Raises:
        UserError: There is no such player, models are named and nobody asks them, or it is no team.
    """
    from hive.players.choosing import Terms, check_asked, team_of, team_players
    from hive.players.teams.frameworks import FAMILIES
    from hive.players.teams.prompting import Prompts

    names = [settings.player] if settings.player else []
    if models:
        check_asked(names)
    rules = replace(
        FAMILIES[world.acting].rules(),
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        temperature=settings.temperature or None,
    )
    with watching() as watch:
        terms = Terms(rules=rules, prompts=Prompts(), models=models, seat=settings.seat or "")
        (chosen,) = team_players(world, names, terms, watch)
    return team_of(chosen)


def _keep(settings: Serve, world: TeamWorld, seed: int, out: Path, again: Sequence[str] | None, run: TeamRun) -> str:
    """Write the folder of a finished game, and say where it is; `again` is as in `games_folder`."""
    from hive.kit.keep.finishing import finish_run
    from hive.kit.keep.record import games_folder

    facts = {"world": settings.scenario}
    files = games_folder(
        settings.line,
        again,
        {id_of(settings.scenario): [world.identity()]},
        [{"name": each.name, "plays": each.plays, "identity": each.identity()} for each in run.players],
        [seed],
        run.files(None, facts),
        **{**facts, "players": [each.name for each in run.players]},
    )
    finish_run(out, files, False)
    tell(f"wrote {out}")
    return f"The run is kept in {out}."


def _again(settings: Serve, seed: int, folder: Path, asked: bool) -> list[str]:
    """Return the words after `hive` that play a watched game again inside its folder, without a page."""
    from hive.cli.keeping import again_words, words_of

    drawn = ("top_p", "max_tokens") if asked else ()
    temperature = settings.temperature or None if asked else None
    same = ("scenario", "player", "numbers", "fire_rules", *drawn)
    words = words_of("run", settings, same, seed=seed, temperature=temperature)
    return again_words(shlex.join(["hive", *words]), folder, asked)
