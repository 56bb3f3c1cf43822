"""What `hive arena duel` saves: finished games while it runs, and its folder at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl.vocabulary import SIDES
from dsl.wording import plural
from hive.cli.keeping import run_files
from hive.cli.learning.duel_settings import plan_files
from hive.cli.printing import pretty
from hive.cli.progress_folder import deciding_versions, open_progress, saved_parts
from hive.experiments.arena.commanders import Order
from hive.experiments.arena.duel import Account, Duel, Said, Terms
from hive.experiments.arena.games import ArenaStandings, Pairing
from hive.kit.contract import Request, Unwatched, Watch
from hive.kit.keep.config import config_file
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.keep.digests import read_value, write_value
from hive.kit.keep.finishing import finish_run
from hive.kit.keep.record import digest_of
from hive.kit.keep.runfolder import EXCHANGES, Content, folder_name
from hive.kit.plan_text import plan_text
from hive.worlds.battle.host import Battles
from hive.worlds.battle.scenario import portable
from hive.worlds.battle.world import Battle

if TYPE_CHECKING:
    from hive.cli.learning.duel_settings import DuelSettings
    from hive.players.llm.calling import Ledger


@dataclass(frozen=True)
class ArenaProgress:
    """The finished games of an arena, in a folder next to the place of its results.

    Attributes:
        folder: The progress folder.
        commit: That of the run which began the arena; None where unknown.
    """

    folder: Path
    commit: str | None

    def read(self) -> list[Duel]:
        """Return the finished games in their order.

        Raises:
            UserError: A file is damaged.
        """
        return saved_parts(self.folder, _file, _duel)

    def add(self, number: int, duel: Duel) -> None:
        """Save one more game; its file is written atomically."""
        write_value(self.folder / _file(number), asdict(duel))


def resume(
    out: Path, settings: DuelSettings, names: Sequence[str], worlds: Mapping[str, Battle], terms: Terms
) -> ArenaProgress:
    """Find the progress folder of an earlier run of the same arena, or begin one.

    Raises:
        UserError: The folder is no progress folder, belongs to another arena, or cannot be read or written.
    """
    identity = {
        "by": list(settings.by),
        "battles": {name: digest_of(portable(world.scenario, None)) for name, world in worlds.items()},
        "plans": {each: _source(each) for each in settings.by if each.startswith("plan:")},
        "terms": asdict(terms),
        "seeds": settings.seeds,
        "drawn": [settings.temperature, settings.top_p, settings.max_tokens, settings.repairs, settings.grammar],
        "names": list(names),
        "versions": deciding_versions(),
    }
    return ArenaProgress(*open_progress(out, identity, "arena", settings.restart))


def keep(
    settings: DuelSettings,
    kept: ArenaProgress,
    worlds: Mapping[str, Battle],
    rows: Sequence[Pairing],
    standings: ArenaStandings,
    report: Mapping[str, Any],
    ledger: Ledger,
    seconds: float,
    watch: Watch,
) -> str:
    """Write the folder of a finished arena atomically, and drop its progress.

    Each game is played once more from its plans, as `hive run` plays it, which gives its recording.

    Returns:
        A line that says what was written.

    Raises:
        UserError: It cannot be written; the progress stays.
        RuntimeError: A game that was played once more ended in another way, which is a fault of ours.
    """
    assert settings.out is not None, "only an arena with a folder is kept"
    duels, names = kept.read(), standings.names
    files: dict[str, Content] = {
        **config_file(
            settings.line,
            range(settings.seeds),
            battles=list(worlds),
            by=list(settings.by),
            terms=asdict(Terms(settings.every, settings.calls, settings.tokens)),
            units=settings.units,
            rules=dict(settings.numbers),
            games=len(rows),
            seconds=round(seconds, 3),
            begun_at_commit=kept.commit,
        ),
        "games.jsonl": "".join(json.dumps(game, allow_nan=False) + "\n" for game in standings.games_json()),
        "ratings.json": pretty(report),
        "ratings.csv": csv_text([{**row, **row["costs"], "costs": ""} for row in report["ratings"]]),
        "table.txt": standings.table() + "\n",
        "usage.json": pretty(ledger.json()),
        EXCHANGES: "".join(line + "\n" for line in ledger.lines),
    }
    watch.stage(f"recording {plural(len(rows), 'game')}", len(rows), "game")
    for number, (row, duel) in enumerate(zip(rows, duels, strict=True)):
        inside = f"games/{number:04}-{folder_name(names[row.player])}-{folder_name(names[row.enemy])}"
        pair = (names[row.player], names[row.enemy])
        request = request_of(settings.request(row.battle), worlds[row.battle], row.seed, duel)
        for name, content in _game_files(request, duel, pair, settings.line).items():
            files[f"{inside}/{name}"] = content
        watch.update(number + 1)
    finish_run(settings.out, files, settings.overwrite)
    return f"wrote {settings.out}: {', '.join(name for name in files if '/' not in name)}, and the games"


def request_of(request: Request, world: Battle, seed: int, duel: Duel) -> Request:
    """Return what plays a duel once more: its world, its seed and the plans of both sides with their ticks."""
    (_, first), *later = duel.plans
    return replace(
        request,
        written_for=None if world.sizes == world.written_for else world.sizes,
        plan=first,
        swaps=list(later),
        enemy_swaps=list(duel.enemy_plans),
        seed=seed,
        keep=True,
    )


def chat_lines(duel: Duel) -> list[Line]:
    """Return what both commanders were asked and said, for the page of a replay."""
    found = []
    for said in duel.chat:
        order = said.order
        problem = "its budget is used up" if said.outcome == "spent" else order.problem
        for kind, text in ((LineKind.ASKED, order.asked), (LineKind.TALK, order.said), (LineKind.PROBLEM, problem)):
            if text:
                found.append(Line(said.tick, said.side, kind, text))
    return found


def chat_text(duel: Duel, names: tuple[str, str]) -> str:
    """Return the same as a text to be read."""
    verbs = {LineKind.ASKED: "is asked", LineKind.TALK: "says", LineKind.PROBLEM: "gives no plan"}
    return "\n".join(
        f"# tick {line.tick}: {names[line.agent]} ({SIDES[line.agent]}) {verbs[line.kind]}\n\n{line.text.strip()}\n"
        for line in chat_lines(duel)
    )


def _game_files(request: Request, duel: Duel, names: tuple[str, str], command: str) -> dict[str, Content]:
    from hive.worlds.battle.view.replay import make_page

    run = Battles().prepare(request)
    quiet = Unwatched()
    for result in run.play(quiet):
        ended = (result.outcome[0], int(result.ticks[0]))
        if ended != (duel.outcome, duel.ticks):
            raise RuntimeError(f"a duel ended as {duel.outcome} at {duel.ticks}, and ends as {ended} when repeated")
    page = make_page(run.recordings(quiet)[""], names, chat_lines(duel))
    extra: dict[str, Content] = {"chat.md": chat_text(duel, names), "replay.html": page}
    return run_files(run, quiet, command, extra=extra)


def _file(number: int) -> str:
    return f"game-{number:05}.json"


def _duel(path: Path) -> Duel:
    """Read a saved game.

    Raises:
        ValueError: The file is damaged.
    """
    try:
        found = read_value(path)
        mine, theirs = found["alive"]
        one, other = (Account(**account) for account in found["accounts"])
        return Duel(
            outcome=found["outcome"],
            ticks=found["ticks"],
            alive=(tuple(mine), tuple(theirs)),
            plans=[(tick, text) for tick, text in found["plans"]],
            enemy_plans=[(tick, text) for tick, text in found["enemy_plans"]],
            chat=[Said(each["tick"], each["side"], Order(**each["order"]), each["outcome"]) for each in found["chat"]],
            accounts=(one, other),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"it lacks {error}") from None


def _source(by: str) -> list[str]:
    return [plan_text(file)[0] for file in plan_files(by.removeprefix("plan:")) if file is not None]
