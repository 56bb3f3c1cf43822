"""`hive rescue play`: an alias of `hive run` for several rescues and teams, with their options by their own names."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dsl import UserError
from hive.cli.arguments import Parser
from hive.cli.asking import add_model_options, add_prompts, check_drawn
from hive.cli.values import count, index
from hive.players.teams.rules import TeamRules
from hive.worlds.rescue.codes import LITERAL, STEPS, VARIANTS

if TYPE_CHECKING:
    from hive.worlds.rescue.instance import Instance

ABOUT = "let teams play: the heuristic, a best plan, a scripted team that talks, or language models"
OPTIONS: tuple[str, ...] = (
    *(
        "--agents",
        "--limit",
        "--tools",
        "--thoughts",
        "--published",
        "--prompts",
        "--model",
        "--base-url",
        "--api-key",
        "--api-key-env",
    ),
    *(
        "--replay",
        "--record",
        "--temperature",
        "--top-p",
        "--max-tokens",
        "--timeout",
        "--retries",
        "--concurrent",
        "--grammar",
    ),
    *("--restart", "--movie"),
)
"""Options that belong to this action alone."""

_VARIANTS = [name for name in VARIANTS if name != LITERAL]
TEAMS = ("heuristic", *(f"heuristic:{name}" for name in _VARIANTS), "optimal", "speaker", "model")
TOOLS = ("offer", "text")


def add_options(parser: Parser) -> None:
    """Add the options of playing."""
    parser.add_argument(
        "--agents",
        action="append",
        choices=TEAMS,
        metavar="TEAM",
        help=f"play: who plays: heuristic, or a variant of it as heuristic:NAME ({', '.join(_VARIANTS)}); optimal, a "
        "best plan; speaker, a scripted team that talks; or model; may be given several times; default: speaker, or "
        "model with --model or --replay",
    )
    rules = TeamRules()
    parser.add_argument(
        "--limit", type=count, default=STEPS, metavar="N", help=f"play: most steps, up to {STEPS}, the default"
    )
    parser.add_argument(
        "--tools",
        choices=TOOLS,
        default=TOOLS[0],
        help="play: offer: the server receives the tools, and a call as text is read too; text: calls are text alone",
    )
    parser.add_argument(
        "--thoughts",
        type=index,
        default=rules.thoughts,
        metavar="N",
        help=f"play: most answers without a call in one turn; one more ends the run; default: {rules.thoughts}",
    )
    parser.add_argument(
        "--published",
        action="store_true",
        help="play: the actions and messages of the study: no tool `wait`, and a message after every action",
    )
    parser.add_argument("--movie", action="store_true", help="play: make a movie of the first run of each team")
    add_prompts(parser, "turns_act.md")
    add_model_options(parser, study=True, temperatures=True)


def run(args: argparse.Namespace, instances: list[Instance]) -> int:
    """Play, show and keep.

    Raises:
        UserError: A team, the limit, the prompts or the model's address is wrong, no instance is named, or the folder
            cannot be written.
    """
    from hive.cli.team_runs import play_and_keep, players_of, tell_new_words
    from hive.kit.contract import TeamRequest
    from hive.worlds.rescue.teams import RescueTeams

    kinds = _kinds(args)
    if not instances:
        raise UserError("name a rescue\n  = help: hive rescue play map_7/agents-1; `all` means all that are shipped")
    rules = TeamRules(
        thoughts=args.thoughts,
        by_text=args.tools == "text",
        published=args.published,
        max_tokens=args.max_tokens,
        top_p=args.top_p,
    )
    world = RescueTeams(TeamRequest(worlds=args.instances, options={"limit": args.limit}, published=args.published))
    players = ["team" if kind == "model" else kind for kind in kinds]
    named = f"rescue/{args.instances[0].removeprefix('rescue/')}" if "." not in args.instances[0] else args.instances[0]
    tell_new_words("rescue play", f"{named} {' '.join(f'--player {each}' for each in players)}")
    heats = args.temperature or [0.0]
    return play_and_keep(
        args,
        world,
        lambda world, watch: players_of(args, world, players, rules, heats, watch),
        [0],
        f"rescue-{'-'.join(kinds)}".replace(":", "-"),
        {},
    )


def _kinds(args: argparse.Namespace) -> list[str]:
    """Return which kinds of teams play; refuse options that do not fit."""
    asks = bool(args.model or args.replay)
    kinds: list[str] = list(dict.fromkeys(args.agents or (["model"] if asks else ["speaker"])))
    if asks and "model" not in kinds:
        raise UserError(
            "--model and --replay cannot be used here: none of these teams asks a model\n"
            "  = help: leave them out, or add `--agents model`"
        )
    if "model" in kinds and not asks:
        raise UserError("the team `model` needs a model\n  = help: add --model NAME, or a recording with --replay FILE")
    check_drawn(args, "model" in kinds)
    return kinds
