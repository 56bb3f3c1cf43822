"""What `hive arena duel` and `hive study` share: when commanders are asked, their models, and games that are kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from dsl import UserError
from hive.cli.command import option
from hive.cli.model_options import Endpoint, split_model
from hive.cli.printing import tell
from hive.cli.values import count, index
from hive.players.llm.client import Settings

if TYPE_CHECKING:
    from hive.experiments.commanders.kept import Written
    from hive.experiments.commanders.moments import Commander
    from hive.experiments.commanders.playing import CommandedGame, Terms
    from hive.kit.keep.runfolder import Content
    from hive.players.llm.calling import Ledger

Part = TypeVar("Part")
_EVERY = 50  # ticks between two moments, where nothing else is said


@dataclass(frozen=True, kw_only=True)
class Moments:
    """When commanders are asked, and what they may spend in a game."""

    title: ClassVar[str] = "moments and budgets"
    every: Annotated[
        int | None,
        option(
            f"ask commanders every N ticks; 0: only before the first tick and at events; default: {_EVERY}, or 0 with "
            "--at",
            "N",
            read=index,
        ),
    ] = None
    at: Annotated[
        tuple[str, ...],
        option(
            "ask a commander when this happens: sighted, 'losses 30%', 'enemy losses 50%' or step, a step of its plan "
            "that is achieved; may be given several times",
            "EVENT",
        ),
    ] = ()
    calls: Annotated[
        int | None, option("most calls of a model in one game; then its last plan goes on", "N", read=count)
    ] = None
    tokens: Annotated[int | None, option("most tokens sent and received in one game, likewise", "N", read=count)] = None

    def terms(self) -> Terms:
        """Return when commanders are asked, and what they may spend.

        Raises:
            UserError: An event does not exist.
        """
        from hive.experiments.commanders.events import read_event
        from hive.experiments.commanders.playing import Terms

        events = tuple(dict.fromkeys(read_event(each) for each in self.at))
        every = (0 if events else _EVERY) if self.every is None else self.every
        return Terms(every, events, self.calls, self.tokens)


def is_model(who: str) -> bool:
    """Return whether a commander is a model, `NAME@URL`."""
    return split_model(who)[1] is not None


def check_names(commanders: Sequence[str], models: Sequence[str | None]) -> None:
    """Refuse two commanders of one name: results and folders are told apart by it.

    Args:
        commanders: Names of those that are no models.
        models: Models as they were given; None: the one of a recording.

    Raises:
        UserError: Two have one name.
    """
    from hive.kit.keep.runfolder import folder_name

    called = [*commanders] + [split_model(each)[0] for each in models if each]
    known = [folder_name(each) for each in called]
    if twice := [name for name in known if known.count(name) > 1]:
        raise UserError(
            f"two commanders are called `{twice[0]}`, and results are told apart by the name\n"
            "  = help: give one of their files or folders another name, or leave one out"
        )


def model_opener(
    settings: Endpoint,
    drawn: Settings,
    repairs: int,
    grammar: bool,
    prompt_version: int | None,
    ledger: Ledger,
    record: Path | None,
) -> Callable[[str | None], Commander]:
    """Return what makes the commander of a model.

    Args:
        settings: Where models are asked.
        drawn: How replies are drawn.
        repairs: How often a plan with errors is sent back.
        grammar: Whether servers that can are given the grammar of plans.
        prompt_version: Of the prompt; None: the present one.
        ledger: Where exchanges are counted.
        record: Where replies are kept; a request that it holds is not made again. None: they are not.

    Raises:
        UserError: There is no prompt of the version that is given.
    """
    from hive.experiments.commanders.known import Model
    from hive.players.llm.opening import open_client
    from hive.worlds.battle.briefing import TRUE, Wording

    wording = TRUE if prompt_version is None else Wording(prompt=prompt_version)

    def opened(who: str | None) -> Commander:
        reuse = record is not None and settings.recording is None
        client = open_client(settings.choice(model=who, record=record, reuse=reuse), ledger, tell)
        tell(client.about)
        return Model(client, drawn, repairs, grammar, wording)

    return opened


@dataclass(frozen=True)
class GamesProgress:
    """The finished games and plans of a command and the replies of its models, in a folder beside its results' place.

    Attributes:
        folder: The progress folder.
        commit: That of the run which began it; None where unknown.
    """

    folder: Path
    commit: str | None

    @property
    def record(self) -> Path:
        """Where the replies of models are kept."""
        from hive.kit.keep.runfolder import EXCHANGES

        return self.folder / EXCHANGES

    def find(self, number: int) -> CommandedGame | None:
        """Return a finished game; None where it is still to be played.

        Raises:
            UserError: Its file is damaged or cannot be read.
        """
        from hive.experiments.commanders.playing import CommandedGame

        return self._read("game", number, CommandedGame)

    def find_plan(self, number: int) -> Written | None:
        """Return what a commander wrote for a battle; None where it is still to be asked.

        Raises:
            UserError: Its file is damaged or cannot be read.
        """
        from hive.experiments.commanders.kept import Written

        return self._read("plan", number, Written)

    def add(self, number: int, done: CommandedGame | Written) -> None:
        """Save one more game or plan; its file is written atomically."""
        from hive.experiments.commanders.kept import Written
        from hive.kit.keep.digests import write_value

        write_value(self._file("plan" if isinstance(done, Written) else "game", number), asdict(done))

    def _read(self, what: str, number: int, kind: type[Part]) -> Part | None:
        from msgspec import convert

        from hive.cli.progress_folder import cannot_resume
        from hive.kit.keep.digests import read_value

        path = self._file(what, number)
        if not path.exists():
            return None
        try:
            return convert(read_value(path), kind)
        except (OSError, ValueError) as error:
            raise cannot_resume(self.folder, f"{path.name} is damaged: {error}") from None

    def _file(self, what: str, number: int) -> Path:
        return self.folder / f"{what}-{number:05}.json"


def exchanges_file(record: Path | None) -> dict[str, Content]:
    """Return the file of a run folder with the replies of models, if a recording holds any."""
    from hive.kit.keep.runfolder import EXCHANGES

    return {EXCHANGES: copy_of(record)} if record and record.is_file() and record.stat().st_size else {}


def copy_of(source: Path) -> Callable[[Path], Any]:
    """Return what writes the copy of a file."""
    return partial(shutil.copyfile, source)


def identity_of(settings: Any, terms: Terms | None) -> dict[str, Any]:
    """Return what decides the games of `hive study` or `hive arena duel` besides their battles, in plain values.

    Args:
        settings: Those of the command.
        terms: When commanders are asked, and what they may spend; None: they plan once.

    Raises:
        UserError: A plan cannot be read.
    """
    from hive.kit.keep.record import digest_of

    return {
        "by": list(settings.by),
        "replay": settings.recording and digest_of(settings.recording.read_bytes().hex()),
        "plans": plan_sources(settings.by),
        "terms": json.loads(json.dumps(asdict(terms))) if terms else None,
        "seeds": settings.seeds,
        "temperature": settings.temperature,
        "top-p": settings.top_p,
        "max-tokens": settings.max_tokens,
        "repairs": settings.repairs,
        "grammar": settings.grammar,
        "prompt-version": settings.prompt_version,
    }


def plan_sources(by: tuple[str, ...]) -> dict[str, Any]:
    """Return what decides how commanders play whose plans are files, in plain values, by their names.

    Raises:
        UserError: A plan cannot be read.
    """
    from hive.experiments.commanders.kept import COSTS
    from hive.experiments.commanders.naming import plan_files
    from hive.kit.keep.record import digest_of
    from hive.kit.plan_text import plan_text

    found: dict[str, Any] = {}
    for each in by:
        kind, _, rest = each.partition(":")
        if kind == "plan":
            found[each] = [plan_text(file)[0] for file in plan_files(rest) if file is not None]
        if kind == "plans":
            files = sorted([*Path(rest).rglob("*.plan"), *Path(rest).glob(COSTS)])
            found[each] = digest_of([[path.relative_to(rest).as_posix(), path.read_bytes().hex()] for path in files])
    return found
