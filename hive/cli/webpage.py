"""`hive serve`: a page in the browser that shows a live game and takes orders."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from dsl import UserError
from hive.cli.arguments import Command, Parser, add_cache, add_changes, add_fire_rules, add_markers, index, seed
from hive.cli.asking import add_model_options, client_of
from hive.cli.cache import use_cache
from hive.cli.ordering import add_manner, manner_of
from hive.cli.printing import tell
from hive.cli.setting import host_of, request_of

_PORT = 8321
_SCENARIO = "coordinate"
_HERE = "127.0.0.1"


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
        help="allow an address of --host that other computers reach; whoever has the link commands the game and "
        "spends the model's tokens, and nothing is encrypted",
    )
    add_changes(parser)
    add_markers(parser)
    add_fire_rules(parser)
    add_manner(parser)
    add_model_options(parser)
    parser.add_argument("--seed", type=seed, metavar="S", help="the game's seed; default: 0, or a level's first")
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
    from hive.llm.session import Session
    from hive.web.app import Site
    from hive.web.audience import Audience
    from hive.web.battle import BattleStage
    from hive.web.game import Game
    from hive.web.guard import Guard, new_token
    from hive.web.server import listen, serve

    remote = args.host not in (_HERE, "localhost", "::1")
    if remote and not args.allow_remote:
        raise UserError(
            f"{args.host} is an address that other computers reach: whoever has the link then commands the game, and "
            "nothing is encrypted\n  = help: add --allow-remote if you mean it"
        )
    args.scenario = args.scenario or _SCENARIO
    use_cache(args)
    client = client_of(args)
    request = request_of(args)
    session = Session(request, host_of(request), client, manner_of(args, converse=True))
    tell(client.about)
    found = listen(args.host, args.port or _PORT, search=args.port is None)
    port = found.getsockname()[1]
    audience, guard = Audience(), Guard(new_token(), port, remote)
    game = Game(session, BattleStage(session.world), audience)
    name = f"[{args.host}]" if ":" in args.host else args.host
    link = f"http://{name}:{port}/?token={guard.token}"
    serve(
        Site(game, audience, guard), found, lambda: tell(f"{session.world.title}: open {link}\nCtrl-C ends the server")
    )
    return 0


COMMAND = Command(
    name="serve",
    summary="open a page in the browser that shows a live game and takes orders",
    about="""\
Serve a page on which you see a battle live, mark the map, say what to do or write a plan, and stop the clock to
change the orders. The link that is printed holds a random token: only a browser that has it may look or command.
Several tabs may look at one game, and one of them commands.""",
    examples=(
        "hive serve                                  the scenario coordinate; the shipped plan answers",
        "hive serve markers_terrain --model MODEL --base-url http://127.0.0.1:8080/v1",
        "hive serve coordinate --units 1000 --port 8400",
    ),
    notes="""\
The key is that of --api-key-env, else OPENAI_API_KEY; it is never sent to the page.""",
    options=_options,
    run=_run,
)
