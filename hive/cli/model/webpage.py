"""`hive serve`: a page in the browser that shows a live game and takes orders."""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING

from dsl import UserError
from hive.cli.arguments import Parser, Subcommand, add_cache, add_changes, add_fire_rules, add_markers
from hive.cli.asking import add_model_options, client_of
from hive.cli.cache import use_cache
from hive.cli.model.chatting import PLAYED
from hive.cli.model.dialogue import add_manner, exchange_files, manner_of
from hive.cli.model.team_page import add_team_options, make_team_game, plays_team
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.setting import host_of, request_of
from hive.cli.values import index, seed

if TYPE_CHECKING:
    from socket import socket

    from hive.kit.contract import Kind, Request, Run, Watch
    from hive.players.llm.calling import Caller
    from hive.web.app import PageGame
    from hive.web.audience import Audience
    from hive.web.journal import Past

_PORT = 8321
_SCENARIO = "coordinate"
_HERE = "127.0.0.1"
_ALL = ("0.0.0.0", "::")  # every address of this computer


def _options(parser: Parser) -> None:
    parser.add_argument(
        "scenario",
        metavar="SCENARIO",
        nargs="?",
        help=f"a name from `hive list`, or a path to a .toml file; default: {_SCENARIO}",
    )
    net = parser.add_argument_group("the server")
    net.add_argument(
        "--port", type=_port, metavar="N", help=f"the port; default: {_PORT}, or the next one that is free"
    )
    net.add_argument("--host", default=_HERE, metavar="ADDRESS", help=f"the address to listen at; default: {_HERE}")
    net.add_argument(
        "--allow-remote",
        action="store_true",
        help="allow an address of --host that other computers reach; anyone who has the link commands the game and "
        "spends the model's tokens, and nothing is encrypted",
    )
    add_changes(parser)
    add_markers(parser)
    add_fire_rules(parser)
    add_manner(parser)
    add_team_options(parser)
    add_model_options(parser)
    parser.add_argument("--seed", type=seed, metavar="S", help="the game's seed; default: 0, or a level's first")
    parser.add_argument(
        "--session",
        type=Path,
        metavar="FILE",
        help="keep the session in this file, and resume it if the file exists; default: a new file in runs",
    )
    add_cache(parser)


def _port(text: str) -> int:
    number = index(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{number} is no port, allowed is a number from 1 to 65535")
    return number


def _run(args: argparse.Namespace) -> int:
    missing = [name for name in ("starlette", "uvicorn", "websockets") if find_spec(name) is None]
    if missing:
        raise UserError(
            f"hive serve needs {' and '.join(missing)}, which is not installed\n  = help: pip install 'hive-swarm[web]'"
        )
    remote = args.host not in (_HERE, "localhost", "::1")
    if remote and not args.allow_remote:
        raise UserError(
            f"{args.host} is an address that other computers reach: whoever has the link then commands the game, and "
            "nothing is encrypted\n  = help: add --allow-remote if you mean it"
        )
    from hive.web.server import listen

    use_cache(args)
    resumed = bool(args.session and args.session.exists() and not args.scenario)
    if not resumed:
        args.scenario = args.scenario or _SCENARIO
    teams = not resumed and plays_team(args, kind := host_of(request_of(args)))
    client = None if teams else client_of(args)
    found = listen(args.host, args.port or _PORT, search=args.port is None)
    with found:
        if client is None:
            _serve_team(args, kind, found, remote)
        else:
            _serve(args, client, found, remote)
    return 0


def _serve_team(args: argparse.Namespace, kind: Kind, found: socket, remote: bool) -> None:
    from hive.web.audience import Audience

    audience = Audience()
    game, left = make_team_game(args, kind, audience)
    _answer(args, game, audience, f"{args.scenario}{f', the seat of {args.seat}' if args.seat else ''}", found, remote)
    left()


def _answer(
    args: argparse.Namespace, game: PageGame, audience: Audience, title: str, found: socket, remote: bool
) -> None:
    """Serve a game until the command is interrupted."""
    from hive.web.app import WebRoutes
    from hive.web.guard import Guard, new_token
    from hive.web.server import serve

    guard = Guard(new_token(), found.getsockname()[1], remote)
    address = f"[{args.host}]" if ":" in args.host else args.host
    if args.host in _ALL:
        address = gethostname()

    def ready() -> None:
        tell(f"{title}: open http://{address}:{guard.port}/?token={guard.token}")
        tell("Ctrl-C ends the server")

    serve(WebRoutes(game, audience, guard), found, ready)


def _serve(args: argparse.Namespace, client: Caller, found: socket, remote: bool) -> None:
    from hive.cli.keeping import keep
    from hive.kit.keep.runfolder import check_writable, free_folder
    from hive.players.llm.session import Session
    from hive.web import journal
    from hive.web.audience import Audience
    from hive.web.fire import stage_of
    from hive.web.game import WebGame
    from hive.web.keeping import Save

    past = journal.read(args.session) if args.session and args.session.exists() else None
    request = _request(args, past)
    session = Session(request, host_of(request), client, manner_of(args, converse=True))
    name = Path(session.request.scenario).stem
    path = args.session or _free_file(name)
    kept = journal.SessionJournal(path, past.chain) if past else journal.begin(path, session)

    def place() -> Path:
        folder = free_folder(f"serve-{name}")
        check_writable(folder)
        return folder

    def record(run: Run, folder: Path, watch: Watch) -> None:
        for _ in run.play(watch):
            pass
        keep(folder, run, watch, args.line, extra=exchange_files(session, client))

    audience = Audience()
    game = WebGame(session, stage_of(session), audience, kept, Save(place, record))
    if past:
        with watching() as watch:
            watch.stage(f"playing again to tick {past.tick}", max(past.tick, 1), "tick")
            game.resume(past, watch.update)
    tell(client.about)
    tell(f"the session is kept in {path}; `hive serve --session {path}` resumes it")
    _answer(args, game, audience, session.world.title, found, remote)


def _request(args: argparse.Namespace, past: Past | None) -> Request:
    if past is None:
        return request_of(args)
    given = next((option for name, option in PLAYED.items() if getattr(args, name)), None)
    if given or args.seed is not None or args.scenario is not None:
        what = given or ("a scenario" if args.seed is None else "--seed")
        raise UserError(f"{what} cannot be named with a session that is resumed: {args.session} says what is played")
    return replace(past.request(), printed_speeds=args.printed_speeds, map_picture=args.map_picture)


def _free_file(name: str) -> Path:
    """Return the file of a new session, `runs/serve-NAME.jsonl`, with a number if that exists."""
    folder = Path("runs")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {folder}: {(error.strerror or str(error)).lower()}") from None
    names = (f"serve-{name}{f'-{number}' if number > 1 else ''}.jsonl" for number in count(1))
    return next(path for path in map(folder.joinpath, names) if not path.exists())


COMMAND = Subcommand(
    name="serve",
    summary="open a page in the browser that shows a live game and takes orders",
    about="""\
Serve a page on which you see a battle or a wildfire live, mark the map, say what to do or write a plan,
and stop the clock to change the orders. The link that is printed holds a random token: only a browser
that has it may look or command. Several tabs may look at one game, and one of them commands. Orders,
replies and plans are kept in a file before they take effect, so a session survives the end of the server.

Kitchens, rescues and households are played by agents: you watch their players, or take the place of one agent
with --seat, which is asked what a model would be asked. --player lets a team play a wildfire level, too.
Finished steps are kept in runs, and the same command resumes an unfinished game.""",
    examples=(
        "hive serve                                  the scenario coordinate; its shipped plan answers",
        "hive serve markers_terrain --model MODEL --base-url http://127.0.0.1:8080/v1",
        "hive serve coordinate --units 1000 --port 8400",
        "hive serve wildfire/suppress_contain        a wildfire level, with a scripted plan",
        "hive serve --session runs/serve-coordinate.jsonl",
        "hive serve kitchen/boiled_egg --seat Alice  you are the assistant; a scripted chef asks you",
        "hive serve rescue/map_7/agents-1            watch a scripted team",
        "hive serve household/cwah_0 --seat Bob --player team:coela --model MODEL",
    ),
    notes="""\
The key is that of --api-key-env, else OPENAI_API_KEY; it is never sent to the page.""",
    options=_options,
    run=_run,
)
