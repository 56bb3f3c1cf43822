"""`hive perception`: what descriptions of what agents see are worth and cost, by what a model reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dsl import UserError
from dsl.wording import listing
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.model_options import Endpoint, Models, Temperature
from hive.cli.options import Cache, JsonOnly, Numbers, ResumedFolder
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.values import count, seed, world_name
from hive.kit.agent_env import NOTHING, PERCEPTIONS, RULES
from hive.kit.keep.json_text import pretty
from hive.players.llm.client import PLAIN, Settings

if TYPE_CHECKING:
    from hive.experiments.perceiving import Describer, PerceptionStudy, Sample
    from hive.kit.keep.runfolder import Content
    from hive.kit.reporting import Watch
    from hive.kit.team_world import PicturedWorld
    from hive.players.llm.calling import Ledger
    from hive.players.llm.client import Client

_BARE = (RULES, NOTHING)  # described without a call
_SAMPLES = 100  # as published


@dataclass(frozen=True, kw_only=True)
class Perceiving(Numbers, Endpoint, ResumedFolder, JsonOnly, Cache):
    """Settings of `hive perception`."""

    scenario: Annotated[
        tuple[str, ...],
        argument(
            "worlds of one kind, whose agents draw what they see, such as wildfire levels",
            "SCENARIO",
            read=world_name,
            complete=names.WORLD,
        ),
    ] = field(kw_only=False, default=())
    perception: Annotated[
        tuple[str, ...],
        option(
            "how samples are described: by a model that reads a text, a bare picture, one with a grid, or the text and "
            "that one; by the world's rules; or as seeing nothing; may be given several times; default: rules, nothing "
            "and text, with a model also image and grid",
            choices=(*PERCEPTIONS, *_BARE),
        ),
    ] = ()
    samples: Annotated[int, option(f"how many samples are described; default: {_SAMPLES}", "N", read=count)] = _SAMPLES
    seeds: Annotated[int, option("games of each world that samples are drawn from; default: 2", "K", read=count)] = 2
    steps: Annotated[int, option("most steps of a game; default: 20", "N", read=count)] = 20
    seed: Annotated[int, option("seed with which samples are drawn; default: 0", "S", read=seed)] = 0
    model: Models = ()
    judge: Annotated[
        str | None,
        option("the model that judges; default: rules that compare coordinates with the true cells", "NAME[@URL]"),
    ] = None
    temperature: Temperature = PLAIN.temperature
    out: Annotated[Path | None, option("save the study in this folder; default: runs/perception", "DIR")] = None

    def __post_init__(self) -> None:
        """Check that something is named, and that a model is where pictures are to be read.

        Raises:
            UserError: Something is missing.
        """
        super().__post_init__()
        if not self.scenario:
            raise UserError(
                "the following arguments are required: SCENARIO\n"
                "  = help: name worlds, as in `hive perception wildfire/suppress_extinguish`"
            )
        if not self.model and any(each in PERCEPTIONS and each != "text" for each in self.perception):
            from hive.players.teams.speaking import NO_PICTURES

            raise UserError(NO_PICTURES)
        if (self.recording or self.base_url or self.api_key or self.api_key_env) and not self.models:
            raise UserError("no model is named\n  = help: add --model NAME, whose recording or server this is")
        if not self.model and self.temperature:
            raise UserError("--temperature cannot be used here: no model describes\n  = help: name one with --model")

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are asked, the judge too."""
        return (*self.model, *((self.judge,) if self.judge else ()))

    @property
    def ways(self) -> list[str]:
        """How samples are described."""
        usual = (*_BARE, "text", *(("image", "grid") if self.model else ()))
        return list(dict.fromkeys(self.perception or usual))


def _run(settings: Perceiving) -> int:
    from hive.cli.keeping import again_words
    from hive.cli.progress_folder import open_progress
    from hive.experiments.perceiving import draw_samples, study
    from hive.kit.keep.record import games_folder
    from hive.kit.keep.runfolder import EXCHANGES
    from hive.players.llm.calling import Ledger
    from hive.worlds import id_of

    worlds, world = _world(settings)
    out = settings.usable_folder("perception")
    drawn = Settings(temperature=settings.temperature, max_tokens=settings.max_tokens, top_p=settings.top_p)
    asked = {"samples": settings.samples, "steps": settings.steps, "seed": settings.seed, "perceptions": settings.ways}
    facts = {**asked, "models": list(settings.model), "judge": settings.judge, "settings": drawn.json()}
    settings.use_cache()
    with watching(quiet=settings.json) as watch:
        identity = {**world.identity(), **facts, "seeds": settings.seeds}
        progress, _ = open_progress(out, identity, "study of perception", settings.restart)
        ledger = Ledger()
        record = None if settings.recording else settings.record or progress / EXCHANGES
        describers, judge = _clients(settings, world, ledger, record, watch)
        try:
            samples = draw_samples(
                world, range(settings.seeds), settings.steps, settings.samples, settings.seed, progress, watch
            )
            found = study(world, samples, describers, judge, settings.concurrent, watch, drawn)
        except (UserError, KeyboardInterrupt):
            tell(f"what was asked so far is kept in {record or progress}; the same command resumes from there")
            raise
        settings.output(found.json(), "\n" + found.table(), watch.say)
    if settings.models:
        tell(ledger.line())
    files = games_folder(
        settings.line,
        again_words(settings.line, out, bool(settings.models)),
        {id_of(name): [world.identity()] for name in worlds},
        [{"name": each.name, "plays": "perception", "identity": [each.name, drawn.json()]} for each in describers],
        range(settings.seeds),
        {**_files(found, samples, describers), EXCHANGES: _exchanges(found, ledger)},
        **facts,
    )
    settings.save_folder(out, files, ", and the pictures that were sent", finish=True)
    return 0


def _world(settings: Perceiving) -> tuple[list[str], PicturedWorld]:
    """Return the names of all worlds, and what they are for a team.

    Raises:
        UserError: They are of several kinds, or their agents draw no pictures.
    """
    from hive.kit.team_world import PicturedWorld, TeamRequest
    from hive.worlds import kind_of

    kinds = {type(kind_of(name)): kind_of(name) for name in settings.scenario}
    if len(kinds) > 1:
        raise UserError(f"{listing(settings.scenario, 'and')} are of several kinds\n  = help: name worlds of one kind")
    (kind,) = kinds.values()
    worlds = list(dict.fromkeys(member for name in settings.scenario for member in kind.members(name)))
    world = kind.team_world(TeamRequest(worlds=worlds, options=dict(settings.numbers)))
    if not isinstance(world, PicturedWorld):
        raise UserError(
            f"agents of {settings.scenario[0]} draw no pictures of what they see, so there is nothing to compare\n"
            "  = help: wildfire levels have pictures, as in `hive perception wildfire/suppress_extinguish`"
        )
    return worlds, world


def _clients(
    settings: Perceiving, world: PicturedWorld, ledger: Ledger, record: Path | None, watch: Watch
) -> tuple[list[Describer], Client]:
    """Return the describers in the order of the table, and the judge."""
    from hive.experiments.perceiving import Describer
    from hive.players.llm.opening import open_client
    from hive.players.teams.speaking import ScriptedSpeaker

    def model(name: str) -> Client:
        return open_client(settings.choice(model=name, record=record, reuse=not settings.recording), ledger, tell)

    script = partial(settings.script, ledger=ledger, record=None)
    speaker = world.rule_player(next(iter(world.players)), watch).speaker
    assert speaker is not None, "agents that draw what they see are asked"
    clients = [model(name) for name in dict.fromkeys(settings.model)] or [script(ScriptedSpeaker(speaker))]
    judge = model(settings.judge) if settings.judge else script(ScriptedSpeaker(world.judge, "scripted judge"))
    asking = any(way in PERCEPTIONS for way in settings.ways)
    for line in dict.fromkeys(getattr(each, "about", each.name) for each in (*(clients if asking else ()), judge)):
        tell(line)
    bare = [Describer(way) for way in settings.ways if way in _BARE]
    return bare + [Describer(way, each) for each in clients for way in settings.ways if way in PERCEPTIONS], judge


def _files(found: PerceptionStudy, samples: list[Sample], describers: list[Describer]) -> dict[str, Content]:
    """Return the files of the folder: results, tables and the pictures that were sent."""
    from hive.experiments.perceiving import view_picture
    from hive.experiments.plots.perceptions import save_perceptions
    from hive.kit.keep.csv_text import csv_text
    from hive.players.teams.speaking import IN_WORDS

    figures = found.figures()
    words = all(each.model in ("", *IN_WORDS) for each in describers)
    files: dict[str, Content] = {
        "result.json": pretty(found.json()),
        "table.txt": found.table() + "\n",
        "perceptions.csv": csv_text(figures),
        "samples.csv": csv_text(found.rows()),
        "perceptions.png": partial(save_perceptions, figures, "words" if words else "tokens"),
    }
    for way in dict.fromkeys(each.perception for each in describers):
        pictures = [view_picture(sample, way) for sample in samples]
        files |= {f"pictures/{number}-{way}.png": png for number, png in enumerate(pictures) if png}
    return files


def _exchanges(found: PerceptionStudy, ledger: Ledger) -> str:
    """Return all exchanges as a recording, in the order in which they were asked for."""
    import json

    lines: dict[str, str] = {}
    for line in ledger.lines:
        lines.setdefault(json.loads(line)["key"], line)
    return "".join(f"{lines[key]}\n" for key in dict.fromkeys(found.keys))


COMMAND = Command(
    settings=Perceiving,
    run=_run,
    repeats=True,
    about="""\
Compare descriptions of what agents see, by what the model that writes them reads: a text with a map of
characters, a bare picture of the map, or a picture with a grid and coordinates. The scripted speaker plays
games, samples of what agents see are drawn from them, and a judge who knows the true cells gives each
description scores from 0 to 10; for wildfires one for fire and one for civilians.

Without --model the scripted speaker describes from the text, which is no model and reads no pictures. Two
descriptions without a call stand beside it: that of the world's rules, and one that sees nothing.""",
    examples=(
        "hive perception wildfire/suppress_extinguish wildfire/rescue_search",
        "hive perception wildfire/suppress_extinguish --model MODEL@http://127.0.0.1:8080/v1 --judge MODEL",
        "hive perception wildfire/rescue_known_small --samples 20 --steps 10 --json",
    ),
    notes="""\
The table has the mean of each score over all samples and over those in which there was anything to tell, with
95% intervals, the seconds and tokens of a call, and paired differences of a model's perceptions from its
first one. The folder has result.json, table.txt, perceptions.csv, samples.csv, perceptions.png, the exchanges
and the pictures that were sent. Seconds are those of --concurrent requests at a time.

Rules of the study: docs/rules/teams.md 2.1.""",
)
