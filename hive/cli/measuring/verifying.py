"""`hive verify`: play the games of kept results again, and say whether they are the same."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import columns, plural
from hive.cli import names
from hive.cli.command import AllCommands, Command, Table, argument
from hive.cli.options import Cache, Json
from hive.cli.printing import print_json
from hive.cli.progress import watching
from hive.cli.reading import find, read

if TYPE_CHECKING:
    from hive.kit.keep.verifying import Verdict


@dataclass(frozen=True, kw_only=True)
class Verify(Json, Cache):
    """Settings of `hive verify`."""

    results: Annotated[
        tuple[Path, ...],
        argument(
            "folders of played games, folders with such folders in them, or files of such folders, as result.json",
            "RESULT",
            complete=names.ANY_FILE,
        ),
    ] = field(kw_only=False)
    commands: AllCommands = None


def _run(settings: Verify) -> int:
    from hive.kit.keep.runfolder import versions
    from hive.kit.keep.verifying import State, find_results, verify

    if not settings.results:
        raise UserError("the following arguments are required: RESULT\n  = help: see `hive verify --help`")
    folders = list(dict.fromkeys(folder for path in settings.results for folder in find_results(path)))
    settings.use_cache()
    verdicts: list[Verdict] = []

    def play(words: Sequence[str], folder: Path, out: Path) -> None:
        _play_again(settings.commands, words, folder, out)

    with watching(quiet=settings.json) as watch:
        watch.stage("playing again", len(folders), "result")
        for folder in folders:
            watch.update(len(verdicts), str(folder))
            verdicts.append(verify(folder, play))
    counts = {state: sum(each.state is state for each in verdicts) for state in State}
    now = versions()
    if settings.json:
        print_json(
            {
                "results": [each.json() for each in verdicts],
                **{state.value.replace(" ", "_"): count for state, count in counts.items()},
                "verified_with": now,
            }
        )
    else:
        print(_table(verdicts))
        for each in verdicts:
            if each.state is State.EQUAL:
                print(f"\n{_verified(each, now)}")
            else:
                more = f"\n  and {plural(each.more, 'more difference')}" if each.more else ""
                print(f"\n{each.state.value}: {each.folder}\n  {each.why}{more}")
        print("\n" + ", ".join(f"{count} {state.value}" for state, count in counts.items()))
    if counts[State.DIFFERENT]:
        return 1
    return 0 if counts[State.EQUAL] else 2


def _play_again(commands: Table, words: Sequence[str], folder: Path, out: Path) -> None:
    """Run the words of a kept result inside its folder, in this process and in silence.

    A stranger may have written the words, so only commands that play are run, without options that write or send, and
    no code that they name is imported.

    Raises:
        UserError: They cannot be run, or the command refuses them.
    """
    from hive.cli.keeping import NEVER_AGAIN
    from hive.kit.own_code import no_own_code

    path, command, rest = find(commands, words)
    options = [word.partition("=")[0].replace("_", "-") for word in rest if word.startswith("-")]  # as they are read
    wrong = next((option for option in options if option in NEVER_AGAIN), None)
    if wrong or not command.repeats:
        raise _plays_nothing(f"the option {wrong}" if wrong else f"`{path}`")
    needed = command.repeats if isinstance(command.repeats, str) else None
    without = _plays_nothing(f"`{path}` without {needed}")
    if needed and (needed not in rest or any(word.startswith(f"{needed}=") for word in rest)):
        raise without
    if "--model" in options and "--replay" not in options:
        raise UserError(
            "a language model played, and its replies are not in the folder\n"
            "  = help: a game of a language model is played again from a recording of its replies alone"
        )
    said = io.StringIO()
    with no_own_code(), chdir(folder), redirect_stdout(said), redirect_stderr(said):
        settings = read(path, command, ["--out", str(out), *rest], commands)
        if needed and getattr(settings, needed.removeprefix("--").replace("-", "_")) is not True:
            raise without  # what the words say counts less than what is read from them
        code = command.run(settings)
    if code:
        last = said.getvalue().rstrip().rpartition("\n")[2]
        raise UserError(f"its games cannot be played: {last}\n  = help: `hive check` finds the errors of a plan")


def _plays_nothing(what: str) -> UserError:
    return UserError(
        f"its words hold {what}, which plays no games again\n"
        "  = help: `again` in config.json was changed, or another command than `hive run` wrote it"
    )


def _table(verdicts: Sequence[Verdict]) -> str:
    rows = [["result", "verdict", "games", "world", "player"]]
    for each in verdicts:
        found = each.json()
        players = ", ".join(player["name"] for player in found["players"])
        rows.append([str(each.folder), each.state.value, str(each.games or "-"), ", ".join(found["worlds"]), players])
    return columns(rows, left=(0, 1, 3, 4))


def _verified(verdict: Verdict, now: dict[str, Any]) -> str:
    """Return the line that says what was verified, and with which version of HIVE."""
    commit = f", commit {now['commit']}{' with changes' if now['dirty'] else ''}" if now["commit"] else ""
    return (
        f"verified {verdict.folder}: {plural(verdict.games, 'game')} again with hive {now['hive-swarm']}{commit}\n"
        f"  digest of the result: {verdict.digest}"
    )


COMMAND = Command(
    settings=Verify,
    run=_run,
    about="""\
Verify kept results: play every game of a folder again, from its world, seeds, plans, replies of models and
policies, and compare everything that the folder holds with what comes out, value by value. Nothing needs to
be trusted but this program. A result is

  equal           every value is the same
  different       a file was changed after it was written, or a value does not come out: the first one is
                  named with its file, game, field and both values
  not checkable   a person played, a model's replies or a policy are missing, the world has changed since, or
                  an earlier version of HIVE wrote the folder

Digests of files are checked first. Then the words in config.json that play the games again are run in this
process; only commands that play games are, and no model is asked. Times, versions, headings and pictures may
differ.""",
    examples=(
        "hive verify runs/first                  one result",
        "hive verify runs                        all results below a folder",
        "hive verify runs/first/outcome.json     the result that a file belongs to",
        "hive verify runs --json                 one object, for a leaderboard",
    ),
    notes="""\
Exit codes: 0 every result that can be checked is equal, and there is one at least; 1 a result is different;
2 none can be checked, or an error in your input. With --json, `results` says for each folder what was played
(the digests of its worlds, its players, seeds and games), `digest` of the complete result and its `state`,
and `verified_with` names the version and the commit of HIVE. See docs/verify.md.""",
)
