"""`hive household play`: a team of language agents does housework, with a model or with a scripted team."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from dsl import UserError
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.model_options import OneModel, prompts_option, temperature_option
from hive.cli.options import Cache
from hive.cli.team_options import TeamPlay
from hive.cli.values import count, index
from hive.kit.keep.places import read_text
from hive.kit.team_world import Cast
from hive.players.teams.frameworks.liet import TEMPERATURE
from hive.players.teams.rules import TeamRules

AGENTS = {
    "liet": "learned costs of proposals, and a shared list about messages that evolves",
    "liet_blind": "the same without costs",
    "liet_guessed": "the same with costs that agents guess",
    "liet_fixed": "LIET without a list; messages are drafted by a prompt that never changes",
    "liet_report": "LIET without a list; messages are reports of a fixed form",
    "liet_kept": "LIET whose list stays as it is",
    "coela": "agents draft messages and see no costs",
    "proagent": "no messages; agents infer what others intend",
    "roco": "the team talks without cost until it agrees on a plan",
    "roco_paid": "the same, and each utterance costs a step",
}
_LONGEST_TIPS = 5_000  # characters of the words that a team begins with


@dataclass(frozen=True, kw_only=True)
class Play(OneModel, TeamPlay, Cache):
    """Settings of `hive household play`."""

    episodes: Annotated[
        tuple[str, ...],
        argument(
            "cwah_0 or another published episode, cwah for all ten, tdw for the 24 of transport, generated_7 or "
            "transport_7 for the episode of a seed, or a .toml file",
            "EPISODE",
            complete=names.HOUSEHOLD,
        ),
    ] = field(kw_only=False, default=())
    generated: Annotated[int | None, option("add the generated episodes 0 to N-1", "N", read=count)] = None
    agents: Annotated[
        str,
        option(
            "how the agents talk and decide: "
            + "; ".join(f"{name}: {about}" for name, about in AGENTS.items())
            + "; default: liet",
            "NAME",
            choices=tuple(AGENTS),
        ),
    ] = "liet"
    team: Annotated[int, option("size of the team, 1 to 4; default: 2", "N", read=count)] = 2
    seeds: Annotated[int, option("plays of each episode; default: 1", "N", read=count)] = 1
    first_seed: Annotated[int, option("seed of the first play; default: 0", "N", read=index)] = 0
    utility: Annotated[
        str | None,
        option(
            "costs of proposals in LIET: a file of learned costs, or exact for the true ones; default: costs are "
            "learned from exploratory episodes before the first play",
            "FILE|exact",
        ),
    ] = None
    tips: Annotated[Path | None, option("text file with the list that the team begins with", "FILE")] = None
    carry: Annotated[
        bool,
        option("play the episodes one after the other: a team begins each with the list with which it ended the last"),
    ] = False
    published: Annotated[
        bool,
        option(
            "ask as the published programs do: two calls for each choice, nothing about what team mates do, and no "
            "proposal to wait"
        ),
    ] = False
    movie: Annotated[bool, option("write a movie of the first play, too")] = False
    model: Annotated[str | None, option("ask this model; default: the scripted team, which is no model", "NAME")] = None
    temperature: Annotated[
        float | None, temperature_option(f"{TEMPERATURE:g}, and 0 with --agents proagent, roco and roco_paid")
    ] = None
    prompts: Annotated[Path | None, prompts_option("liet_message.md")] = None
    out: Annotated[
        Path | None, option("save the run in this folder; default: runs/household-EPISODE-AGENTS", "DIR")
    ] = None

    def __post_init__(self) -> None:
        """Check that there is something to play, and that no option is without effect.

        Raises:
            UserError: No episode is named, or an option cannot be used.
        """
        super().__post_init__()
        if not (self.episodes or self.generated):
            raise UserError("name an episode\n  = help: hive household play cwah_0")
        self.check_drawn(bool(self.model or self.recording))


def _run(settings: Play) -> int:
    from hive.cli.team_runs import play_and_keep, players_of, tell_new_words
    from hive.kit.team_world import TeamRequest
    from hive.worlds.household.teams import HouseholdTeams

    words = _episodes(settings)
    options = {
        "team": settings.team,
        "utility": settings.utility,
        "tips": _tips(settings.tips) or None,
        "carry": settings.carry or None,
    }
    world = HouseholdTeams(TeamRequest(worlds=words, options=options, published=settings.published))
    world.check(Cast("", settings.agents))
    settings.use_cache()
    named = words[0] if words[0].endswith(".toml") else f"household/{words[0].removeprefix('household/')}"
    tell_new_words("household play", f"{named} --player team:{settings.agents}")
    rules = TeamRules(
        direct_perception=True,
        published=settings.published,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
    )
    return play_and_keep(
        settings,
        world,
        lambda world, watch: players_of(settings, world, [f"team:{settings.agents}"], rules, [], watch),
        range(settings.first_seed, settings.first_seed + settings.seeds),
        f"household-{(settings.episodes or ['generated'])[0]}-{settings.agents}",
        {"agents": settings.agents, "team": settings.team},
    )


def _episodes(settings: Play) -> list[str]:
    """Return the episodes that the command line names."""
    from hive.worlds.household.generator import GENERATED_PREFIX

    return [*settings.episodes, *(f"{GENERATED_PREFIX}{number}" for number in range(settings.generated or 0))]


def _tips(path: Path | None) -> str:
    """Read the list with which the team begins."""
    from hive.players.teams.frameworks.liet import MOST_LIST_WORDS

    if path is None:
        return ""
    try:
        words = read_text(path).split()
    except OSError as error:
        raise UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text") from None
    if len(words) > MOST_LIST_WORDS:
        raise UserError(f"{path} has {len(words):,} words, and a shared list has at most {MOST_LIST_WORDS}")
    if len(text := " ".join(words)) > _LONGEST_TIPS:
        raise UserError(f"{path} has {len(text):,} characters, and a shared list has at most {_LONGEST_TIPS:,}")
    return text


COMMAND = Command(
    settings=Play,
    run=_run,
    alias=True,
    repeats=True,
    about="""\
Let a team of agents find things in an apartment and bring them where they are wanted. Agents see what is in
their room, choose among the actions that they can begin, and may spend a step on a message. In LIET each
proposal says how many steps it will take, as learned from texts, and all agents share a list about messages
of at most 100 words, which an agent that heard a message may rewrite.

A model answers for all agents, each of which sees its own prompts. Without --model a scripted team plays,
which is no model: it reads the same prompts and follows rules.""",
    examples=(
        "hive household play cwah_0                                  the scripted team, one episode",
        "hive household play cwah --agents coela --seeds 3",
        "hive household play cwah_16 --agents roco --team 3 --movie",
        "hive household play --generated 200 --utility exact --json",
        "hive household play cwah --carry                            the shared list goes on from episode to episode",
        "hive household play cwah_5 --model MODEL --base-url http://127.0.0.1:8080/v1",
    ),
    notes="""\
The table has for each episode: plays and how many of them met the goal; the share of the wanted objects that
were placed; the mean of the steps, where an unfinished play counts the limit; and messages, actions that were
abandoned and calls of a play. The row `all` has the 95% interval of the steps over the episodes.

The folder of a run is written atomically: config.json, result.json, table.txt, exchanges.jsonl (a recording
for --replay), utility.npz where costs were learned, picture.png, replay.html and with --movie a movie of the
first play, and for each play a folder EPISODE/SEED with result.json, steps.jsonl, transcript.md,
journal.jsonl and recording.npz. What is finished is saved in DIR.progress, and the same command resumes from
there after an interruption or a failure of the server.

Rules of households: docs/rules/household.md.""",
)
