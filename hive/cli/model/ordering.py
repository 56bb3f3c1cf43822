"""`hive ask`: a language model writes the plan for one prompt, and the plan is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.model.dialogue import Dialogue, Game, ask, exchange_files
from hive.cli.model.sampling import Samples, SeveralSamples
from hive.cli.options import Cache, Folder, JsonOnly, scenario_argument
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.setting import host_of
from hive.cli.subjects import PLANNED
from hive.cli.values import BadValueError, count, games, index, read_text

if TYPE_CHECKING:
    from hive.players.llm.calling import Caller
    from hive.players.llm.session import Session

_ENDS = {
    "no_plan": "the reply holds no plan",
    "invalid_plan": "the plan of the reply has errors",
    "cut_off": "the reply was cut off by its limit of tokens",
}


def _order(text: str) -> tuple[int, str]:
    tick, equals, prompt = text.partition("=")
    if not equals or not prompt.strip():
        raise BadValueError(f"{text!r} is not TICK=PROMPT, as in `200=fall back to the forest`")
    if index(tick) < 1:
        raise BadValueError("the first prompt is sent at tick 0, so an order comes at tick 1 or later")
    return index(tick), prompt


@dataclass(frozen=True, kw_only=True)
class Ask(Game, Dialogue, SeveralSamples, Folder, JsonOnly, Cache):
    """Settings of `hive ask`."""

    scenario: Annotated[str, scenario_argument()] = field(kw_only=False)
    prompt: Annotated[
        str,
        argument(
            "what you want, in your own words; `-` reads standard input", "PROMPT", complete=names.nothing, dash=True
        ),
    ] = field(kw_only=False)
    orders: Annotated[
        tuple[tuple[int, str], ...],
        option(
            "pause at this tick, send another prompt with the state of the game, and follow the new plan; repeatable",
            "TICK=PROMPT",
            name="--order",
            read=_order,
        ),
    ] = ()
    seeds: Annotated[int | None, option("play the plan with the seeds 0 to K - 1", "K", read=games)] = None
    movie: Annotated[bool, option("also make a movie of the first seed's game")] = False
    every: Annotated[int | None, option("ticks between two frames of a saved battle; default: 1", "T", read=count)] = (
        None
    )
    out: Annotated[Path | None, option("the run folder; default: runs/ask-SCENARIO", "DIR")] = None

    def __post_init__(self) -> None:
        """Check that the seeds and the orders do not contradict each other.

        Raises:
            UserError: They do.
        """
        super().__post_init__()
        if self.seed is not None and self.seeds is not None:
            raise UserError("argument --seeds: not allowed with argument --seed\n  = help: leave one out")
        for (tick, _), (again, _) in pairwise(sorted(self.orders)):
            if tick == again:
                raise UserError(f"two orders are given for tick {tick}\n  = help: give one order for each tick")

    def shown(self, session: Session) -> Sequence[int]:
        """Return the seeds of the games that are shown."""
        return range(self.seeds) if self.seeds else [session.seed]


def _run(settings: Ask) -> int:
    settings.use_cache()
    prompts = _prompts(settings)
    folder = settings.usable_folder("ask-" + Path(settings.scenario).stem)
    client = settings.client()
    session = _session(settings, client)
    samples = Samples()
    try:
        outcome = _ask_in_turn(settings, session, prompts, samples)
        tell(f"{client.name}: {client.ledger.line()}")
        if not session.plans:
            _keep_dialogue(settings, session, client, folder, outcome, samples)
            tell(f"\nnot played: {_ENDS[outcome]}; the dialogue is in {folder}")
            tell(f"  = help: answer it with `hive chat --resume {folder / 'dialogue.json'}`, or ask in other words")
            if settings.json:
                print_json({**_object(session, client, outcome), **samples.json(), "results": []})
            return 2
        results = _play(settings, session, client, folder, samples)
    except (UserError, KeyboardInterrupt, BrokenPipeError):
        if client.ledger.lines and (settings.overwrite or not folder.exists()):  # replies may have been paid for
            place = folder.with_name(f"{folder.name}-failed") if folder.exists() else folder
            _keep_dialogue(settings, session, client, place, "failed", samples)
            tell(f"what was answered so far is kept in {place}")
        raise
    if settings.json:
        print_json({**_object(session, client, outcome), **samples.json(), "results": results})
    return 0


def _ask_in_turn(settings: Ask, session: Session, prompts: list[tuple[int, str]], samples: Samples) -> str:
    """Send every prompt at its tick, the first for all samples; return what the last answer is."""
    for number, (tick, prompt) in enumerate(prompts):
        if tick:
            with watching(quiet=settings.json) as watch:
                watch.stage(f"playing to tick {tick}", tick, "tick")
                session.play(tick - session.tick)
            if session.over:
                tell(f"the game ended after {session.tick} ticks ({session.outcome}), so these prompts were not sent:")
                for late, words in prompts[number:]:
                    tell(f"  {late}: {words}")
                break
            if session.tick < tick:
                tell(f"the plan was finished at tick {session.tick}, so the prompt for tick {tick} is sent there")
        if settings.samples > 1 and not tick:
            outcome = samples.ask(
                settings, session, prompt, session.images(), settings.shown(session), quiet=settings.json
            )
        else:
            outcome = ask(session, prompt, quiet=settings.json).kind
        if outcome != "plan":
            if not tick:
                break
            tell(f"{_ENDS[outcome]}, so the present plan is followed further")
    return outcome


def _play(settings: Ask, session: Session, client: Caller, folder: Path, samples: Samples) -> list[dict[str, Any]]:
    """Play the plans of a session to the end and keep the run; return the results in plain values."""
    from hive.cli.keeping import keep

    run = session.run(keep=True, seeds=settings.seeds, every=settings.every)
    for line in run.remarks:
        tell(line)
    with watching(quiet=settings.json) as watch:
        results = list(run.play(watch))
        for result in results:
            if not settings.json:
                watch.say(f"\n{result.table()}")
        extra = {**exchange_files(session, client), **samples.files()}
        for line in keep(
            folder, run, watch, settings.line, movie=settings.movie, overwrite=settings.overwrite, extra=extra
        ):
            tell(line)
    return [result.json() for result in results]


def _prompts(settings: Ask) -> list[tuple[int, str]]:
    """Return the prompts with their ticks."""
    first = read_text("-")[0] if settings.prompt == "-" else settings.prompt
    if not first.strip():
        raise UserError("the prompt is empty\n  = help: say what you want, as in `hive ask coordinate 'hold the line'`")
    return [(0, first), *sorted(settings.orders)]


def _session(settings: Ask, client: Caller) -> Session:
    """Load the world that the command names and begin a dialogue about it; say who answers.

    Raises:
        UserError: No model is named, and rules read no orders in this world; or anything is wrong with the request.
    """
    from hive.players.llm.session import Session

    request = replace(settings.request(), units=settings.recorded_units(settings.units))
    kind = host_of(request)
    session = Session(request, kind, client, settings.config(samples=settings.samples))
    if settings.by_rules and not kind.readable:
        raise UserError(
            f"no model is named, and there are no rules that read orders in plain words for a {kind.noun}\n"
            f"  = help: let a model answer with `--model NAME`, or play its plan with `hive run {settings.scenario}`"
        )
    tell(client.about)
    return session


def _keep_dialogue(
    settings: Ask, session: Session, client: Caller, folder: Path, outcome: str, samples: Samples
) -> None:
    """Keep what was said where no game is kept."""
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import write_run

    config = config_file(settings.line, settings.shown(session), scenario=settings.scenario, outcome=outcome)
    files = {**config, **exchange_files(session, client), **samples.files()}
    write_run(folder, files, settings.overwrite)


def _object(session: Session, client: Caller, outcome: str) -> dict[str, Any]:
    return {
        "scenario": session.world.name,
        "model": client.name,
        "outcome": outcome,
        "plans": [{"tick": tick, "text": plan.text} for tick, plan in session.plans],
        "usage": client.ledger.json(),
    }


COMMAND = Command(
    settings=Ask,
    run=_run,
    subjects=PLANNED,
    about="""\
Send a prompt to a commander, a language model or rules that read English, with the rules, the map, the
armies and the state of the game. The reply is checked; a plan with errors goes back with its diagnostics,
twice by default. A plan without errors is played and kept in a run folder with its picture. With --order the
game pauses at a tick, the commander reads the present state and another prompt, and the game goes on under
the new plan.

With --samples the first prompt is sent several times. All plans without errors are played in one batch, on
seeds that are not those of the game that is shown, and the plan with the best mean value is followed.

Any server that speaks the protocol of OpenAI's chat completions will do: name it with --base-url and --model.
Without --model no model is asked: the plain commander reads the prompt by rules (docs/commander/words.md), so
that every battle is commanded without a key. There are no such rules for wildfires, which need a model.""",
    examples=(
        'hive ask coordinate "cover the middle row, archers behind spearmen"',
        'hive ask coordinate "hold the south" --model MODEL --base-url http://127.0.0.1:8080/v1',
        'hive ask coordinate "advance" --order "200=fall back to the forest" --model MODEL',
        'hive ask markers_terrain "follow A, B, C and D" --model MODEL --seeds 10 --json',
        'hive ask coordinate "hold the south" --samples 16 --model MODEL',
        'hive ask wildfire/suppress_contain "cut a line around the fire" --model MODEL',
        'hive ask coordinate "hold the south" --replay runs/ask-coordinate/exchanges.jsonl',
    ),
    notes="""\
The key is that of --api-key-env, else OPENAI_API_KEY; it is never written down. The run folder holds what
`hive run` writes, and dialogue.md (the exact text that was sent and received), dialogue.json (for `hive chat
--resume`), exchanges.jsonl (a recording for --replay) and usage.json. Exit code 2: no plan could be played;
the dialogue is kept all the same.""",
)
