"""`hive serve` of a world with agents: its players are watched, or a person takes one of the seats."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dsl import UserError
from dsl.wording import listing
from hive.cli.model.serve_settings import OF_COMMANDED, Serve
from hive.cli.options import given
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.setting import folder_stem
from hive.cli.team_runs import clients_of, team_settings
from hive.kit.contract import Kind
from hive.kit.reporting import Unwatched
from hive.kit.team_world import TeamRequest
from hive.worlds import id_of

if TYPE_CHECKING:
    from hive.players.running import TeamRun
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
    from hive.cli.progress_folder import deciding_versions, open_progress
    from hive.kit.keep.finishing import finish_run, is_finished, progress_of
    from hive.kit.keep.record import games_folder
    from hive.kit.keep.runfolder import folder_name, free_folder
    from hive.players.choosing import check_asked, team_of, team_players
    from hive.players.live import LiveTeam
    from hive.players.running import identity_of
    from hive.players.seats import Desk, seated
    from hive.players.teams.frameworks import FAMILIES
    from hive.players.teams.prompting import Prompts
    from hive.web.team import TeamPageGame

    request = settings.request()
    options = team_settings(settings.numbers, settings.fire_rules)
    world = kind.team_world(TeamRequest(worlds=[request.scenario], options=options))
    if wrong := given(settings, OF_COMMANDED):
        raise UserError(
            f"{listing(wrong, 'and')} cannot be used here: agents play {request.scenario}, and no plan commands them\n"
            "  = help: a game of agents is kept in runs, and the same command resumes it"
        )
    seed = world.seeds[0] if settings.seed is None else settings.seed
    models, names = clients_of(settings), [settings.player] if settings.player else []
    if models:
        check_asked(names)
    rules = replace(FAMILIES[world.acting].rules(), top_p=settings.top_p, max_tokens=settings.max_tokens)
    rules = replace(rules, temperature=settings.temperature or None)
    seat, desk = settings.seat or "", Desk() if settings.seat else None
    with watching() as watch:
        (chosen,) = team_players(world, names, models, rules, Prompts(), watch, seat=seat)
    player = team_of(chosen)
    player = seated(player, seat, desk) if desk else player
    out = free_folder(f"serve-{folder_stem(request.scenario)}-{folder_name(seat or player.name)}", False, is_finished)
    identity = {**identity_of(world, [player], [seed]), "versions": deciding_versions()}
    resumes = progress_of(out).exists()
    progress, _ = open_progress(out, identity, f"game of a {world.noun}", restart=False)

    def keep(run: TeamRun) -> str:
        facts = {"world": request.scenario}
        files = games_folder(
            settings.line,
            None if desk else _again(settings, seed, out, bool(models)),
            {id_of(request.scenario): [world.identity()]},
            [{"name": each.name, "plays": each.plays, "identity": each.identity()} for each in run.players],
            [seed],
            run.files(None, facts),
            **{**facts, "players": [each.name for each in run.players]},
        )
        finish_run(out, files, False)
        tell(f"wrote {out}")
        return f"The run is kept in {out}."

    begin = partial(
        LiveTeam, world, player, seed, progress, Unwatched(), desk=desk, seat=seat, concurrent=settings.concurrent
    )
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


def _again(settings: Serve, seed: int, folder: Path, asked: bool) -> list[str]:
    """Return the words after `hive` that play a watched game again inside its folder, without a page."""
    from hive.cli.keeping import again_words, words_of

    drawn = ("top_p", "max_tokens") if asked else ()
    temperature = settings.temperature or None if asked else None
    same = ("scenario", "player", "numbers", "fire_rules", *drawn)
    words = words_of("run", settings, same, seed=seed, temperature=temperature)
    return again_words(shlex.join(["hive", *words]), folder, asked)
