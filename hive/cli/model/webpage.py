"""`hive serve`: a page in the browser that shows a live game and takes orders."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, cast

from dsl import UserError
from hive.cli.command import Command
from hive.cli.model.dialogue import exchange_files
from hive.cli.model.serve_settings import PORT, SCENARIO, Serve, refused_of_kind
from hive.cli.model.team_page import make_team_game, plays_team
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.setting import host_of
from hive.cli.subjects import OfKinds
from hive.kit.keep.places import reason

if TYPE_CHECKING:
    from socket import socket

    from hive.kit.contract import Kind
    from hive.kit.planned_world import Request, Run
    from hive.kit.reporting import Watch
    from hive.players.llm.calling import Caller
    from hive.players.llm.session import Session
    from hive.web.app import PageGame
    from hive.web.audience import Audience
    from hive.web.journal import Past
    from hive.worlds.battle.world import Battle

_ALL = ("0.0.0.0", "::")  # every address of this computer


def _run(settings: Serve) -> int:
    missing = [name for name in ("starlette", "uvicorn", "websockets") if find_spec(name) is None]
    if missing:
        raise UserError(
            f"hive serve needs {' and '.join(missing)}, which is not installed\n  = help: pip install 'hive-swarm[web]'"
        )
    from hive.web.server import listen

    settings.use_cache()
    kind: Kind | None = None  # of a world that agents play
    if settings.scenario or not (settings.session and settings.session.exists()):
        settings = replace(settings, scenario=settings.scenario or SCENARIO)
        found = host_of(settings.request())
        kind = found if plays_team(settings, found) else None
    client = None if kind else settings.client()
    with listen(settings.host, settings.port or PORT, search=settings.port is None) as connection:
        if kind:
            _serve_team(settings, kind, connection)
        elif client:
            _serve(settings, client, connection)
    return 0


def _serve_team(settings: Serve, kind: Kind, found: socket) -> None:
    from hive.web.audience import Audience

    audience = Audience()
    game, left = make_team_game(settings, kind, audience)
    seat = f", the seat of {settings.seat}" if settings.seat else ""
    _answer(settings, game, audience, f"{settings.scenario}{seat}", found)
    left()


def _answer(settings: Serve, game: PageGame, audience: Audience, title: str, found: socket) -> None:
    """Serve a game until the command is interrupted."""
    from hive.web.app import WebRoutes
    from hive.web.guard import Guard, new_token
    from hive.web.server import serve

    guard = Guard(new_token(), found.getsockname()[1], settings.remote)
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    if settings.host in _ALL:
        address = gethostname()

    def ready() -> None:
        tell(f"{title}: open http://{address}:{guard.port}/?token={guard.token}")
        tell("Ctrl-C ends the server")

    serve(WebRoutes(game, audience, guard), found, ready)


def _serve(settings: Serve, client: Caller, found: socket) -> None:
    from hive.cli.keeping import keep
    from hive.kit.keep.runfolder import check_writable, free_folder
    from hive.players.llm.session import Session
    from hive.web import journal
    from hive.web.audience import Audience
    from hive.web.game import WebGame
    from hive.web.keeping import Save

    past = journal.read(settings.session) if settings.session and settings.session.exists() else None
    request = _request(settings, past)
    session = Session(request, host_of(request), client, settings.config(converse=True))
    session.suggestions = settings.suggestions(session)
    who, every = settings.against, settings.against_every
    if past:
        who, every = past.start.get("against"), past.start.get("against_every", every)
        if not isinstance(every, int) or every < 1:
            raise UserError(f"{settings.session}: `against_every` is {every!r}, and not a number of ticks from 1 on")
    if who is not None:
        _play_against(session, str(who), int(every))
    name = Path(session.request.scenario).stem
    path = settings.session or _free_file(name)
    kept = journal.SessionJournal(path, past.chain) if past else journal.begin(path, session)

    def place() -> Path:
        folder = free_folder(f"serve-{name}")
        check_writable(folder)
        return folder

    def record(run: Run, folder: Path, watch: Watch) -> None:
        try:
            for _ in run.play(watch):
                pass
            keep(folder, run, watch, settings.line, extra=exchange_files(session, client))
        except UserError as error:  # no tab may be there any more to be told
            tell(f"{folder} was not written: {error}")
            raise

    audience = Audience()
    game = WebGame(session, audience, kept, Save(place, record))
    if past:
        with watching() as watch:
            watch.stage(f"playing again to tick {past.tick}", max(past.tick, 1), "tick")
            game.resume(past, watch.update)
    tell(client.about)
    tell(f"the session is kept in {path}; `hive serve --session {path}` resumes it")
    title = session.world.title
    _answer(settings, game, audience, f"{title}, against {who}" if session.against else title, found)


def _play_against(session: Session, who: str, every: int) -> None:
    """Let a commander command the enemy of a session, whose game has not begun.

    Raises:
        UserError: There is no enemy, its plans could not be kept, or it is no such commander.
    """
    from hive.experiments.arena.rival import Rival, rival_of

    commander, world = rival_of(who), session.world
    if not world.sizes[1]:
        raise UserError(f"--against needs an enemy, and {world.name} has none\n  = help: name a battle")
    if session.request.written_for not in (None, world.sizes):
        raise UserError("--against cannot be used with --written-for: the enemy's plans are for the present armies")
    session.against = (who, lambda: Rival(cast("Battle", session.world), commander, every))


def _request(settings: Serve, past: Past | None) -> Request:
    if past is None:
        return replace(settings.request(), units=settings.recorded_units(settings.units))
    against = "--against" if settings.against else None
    if given := settings.saved_option() or against or ("a scenario" if settings.scenario else None):
        raise UserError(
            f"{given} cannot be named with a session that is resumed: {settings.session} says what is played"
        )
    return replace(
        past.request(),
        printed_speeds=settings.printed_speeds,
        map_picture=settings.map_picture,
        prompt_version=settings.prompt_version,
    )


def _free_file(name: str) -> Path:
    """Return the file of a new session, `runs/serve-NAME.jsonl`, with a number if that exists."""
    folder = Path("runs")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {folder}: {reason(error)}") from None
    names = (f"serve-{name}{f'-{number}' if number > 1 else ''}.jsonl" for number in count(1))
    return next(path for path in map(folder.joinpath, names) if not path.exists())


COMMAND = Command(
    settings=Serve,
    run=_run,
    subjects=OfKinds(
        refused=refused_of_kind,
        advice=lambda kind: "" if kind.acting else "agents, whose seats may be taken, play the other worlds",
    ),
    about="""\
Serve a page on which you see a battle or a wildfire live, mark the map, say what to do or write a plan,
and stop the clock to change the orders. The link that is printed holds a random token: only a browser
that has it may look or command. Several tabs may look at one game, and one of them commands. Orders,
replies and plans are kept in a file before they take effect, so a session survives the end of the server.

Where agents play (kitchens, rescues, households and worlds of your own), you watch their players, or take the
place of one agent with --seat, which is asked what a model would be asked. --player lets a team
play a wildfire level, too. Finished steps are kept in runs, and the same command resumes an
unfinished game.""",
    examples=(
        "hive serve                                  the scenario coordinate; rules read what you write",
        "hive serve coordinate --replay              recorded orders, answered by one model's recorded replies",
        "hive serve markers_terrain --model MODEL --base-url http://127.0.0.1:8080/v1",
        "hive serve coordinate --units 1000 --port 8400",
        "hive serve wildfire/suppress_contain        a wildfire level; rules read battles only: write its plan",
        "hive serve --session runs/serve-coordinate.jsonl",
        "hive serve battle/rivers/17 --against words the plain commander commands the enemy, and sees no more than it",
        "hive serve kitchen/boiled_egg --seat Alice  you are the assistant; a scripted chef asks you",
        "hive serve rescue/map_7/agents-1            watch a scripted team",
        "hive serve household/cwah_0 --seat Bob --player team:coela --model MODEL",
    ),
    notes="""\
The key is that of --api-key-env, else OPENAI_API_KEY; it is never sent to the page.""",
)
