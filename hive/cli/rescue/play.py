"""`hive rescue play`: an alias of `hive run` for several rescues and teams, with their options by their own names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from dsl import UserError
from hive.cli.command import Command, option
from hive.cli.model_options import SeveralModels
from hive.cli.rescue.instances import Instances
from hive.cli.team_options import TeamPlay
from hive.cli.values import count, index
from hive.players.teams.rules import TeamRules
from hive.worlds.rescue.codes import LITERAL, STEPS, VARIANTS

_VARIANTS = [name for name in VARIANTS if name != LITERAL]
TEAMS = ("heuristic", *(f"heuristic:{name}" for name in _VARIANTS), "optimal", "speaker", "model")


_RULES = TeamRules()


@dataclass(frozen=True, kw_only=True)
class Play(Instances, SeveralModels, TeamPlay):
    """Settings of `hive rescue play`."""

    agents: Annotated[
        tuple[str, ...],
        option(
            f"who plays: heuristic, or a variant of it as heuristic:NAME ({', '.join(_VARIANTS)}); optimal, a best "
            "plan; speaker, a scripted team that talks; or model; may be given several times; default: speaker, or "
            "model with --model or --replay",
            "TEAM",
            choices=TEAMS,
        ),
    ] = ()
    limit: Annotated[int, option(f"most steps, up to {STEPS}, the default", "N", read=count)] = STEPS
    tools: Annotated[
        Literal["offer", "text"],
        option("offer: the server receives the tools, and a call as text is read too; text: calls are text alone"),
    ] = "offer"
    thoughts: Annotated[
        int,
        option(
            f"most answers without a call in one turn; one more ends the run; default: {_RULES.thoughts}",
            "N",
            read=index,
        ),
    ] = _RULES.thoughts
    published: Annotated[
        bool,
        option("the actions and messages of the study: no tool `wait`, and a message after every action"),
    ] = False
    movie: Annotated[bool, option("make a movie of the first run of each team")] = False
    out: Annotated[
        Path | None, option("save results and pictures in this folder; default: a new one in runs/", "DIR")
    ] = None

    def kinds(self) -> list[str]:
        """Return which kinds of teams play.

        Raises:
            UserError: Options do not fit to them.
        """
        asks = bool(self.model or self.recording)
        kinds: list[str] = list(dict.fromkeys(self.agents or (["model"] if asks else ["speaker"])))
        if asks and "model" not in kinds:
            raise UserError(
                "--model and --replay cannot be used here: none of these teams asks a model\n"
                "  = help: leave them out, or add `--agents model`"
            )
        if "model" in kinds and not asks:
            raise UserError(
                "the team `model` needs a model\n  = help: add --model NAME, or a recording with --replay FILE"
            )
        self.check_drawn("model" in kinds)
        return kinds


def _run(settings: Play) -> int:
    """Play, show and keep.

    Raises:
        UserError: A team, the limit, the prompts or the model's address is wrong, no instance is named, or the folder
            cannot be written.
    """
    from hive.cli.team_runs import play_and_keep, players_of, tell_new_words
    from hive.kit.team_world import TeamRequest
    from hive.worlds.rescue.teams import RescueTeams

    settings.load("play")
    kinds = settings.kinds()
    rules = TeamRules(
        thoughts=settings.thoughts,
        by_text=settings.tools == "text",
        published=settings.published,
        max_tokens=settings.max_tokens,
        top_p=settings.top_p,
    )
    first, options = settings.instances[0], {"limit": settings.limit}
    world = RescueTeams(TeamRequest(worlds=settings.instances, options=options, published=settings.published))
    players = ["team" if kind == "model" else kind for kind in kinds]
    named = first if "." in first else f"rescue/{first.removeprefix('rescue/')}"
    tell_new_words("rescue play", f"{named} {' '.join(f'--player {each}' for each in players)}")
    temperatures = settings.temperature or [0.0]
    return play_and_keep(
        settings,
        world,
        lambda world, watch: players_of(settings, world, players, rules, temperatures, watch),
        [0],
        f"rescue-{'-'.join(kinds)}".replace(":", "-"),
        {},
    )


COMMAND = Command(
    settings=Play,
    run=_run,
    alias=True,
    repeats=True,
    about="""\
Let teams play rescues: one agent after another calls a tool, which works at once, and sends a message, which
is deleted when its sender's next turn comes. A model answers for every agent. This is an alias of `hive run`.""",
    examples=(
        "hive rescue play map_7/agents-1    the scripted team, kept with its messages",
        "hive rescue play all --agents heuristic --agents optimal --agents speaker",
        "hive rescue play all --model ONE --model OTHER --temperature 0 --temperature 0.5",
        "hive replay runs/rescue-speaker",
    ),
    notes="""\
Teams, models and temperatures are played one after another and compared in two tables. The first has the
steps of each run that helped all victims, and of any other run how many it helped and why it ended. The
second has sums for each team: `redundant` counts moves back into a room, `meetings` how often agents came to
share a room, and `level` is the mean coordination level. Each run has a folder TEAM/INSTANCE: result.json,
steps.jsonl, transcript.md, journal.jsonl, picture.png, recording.npz and on request movies; exchanges.jsonl
is a recording for --replay. What is finished is saved in DIR.progress, and the same command goes on there.""",
)
