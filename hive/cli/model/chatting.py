"""`hive chat`: a dialogue with a language model about a scenario, in the terminal, with the game at hand."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dsl import UserError
from dsl.wording import did_you_mean, nearest, plural
from hive.cli.command import Command, CommandLine, option
from hive.cli.model.dialogue import Dialogue, Game, ask, exchange_files
from hive.cli.options import Cache, scenario_argument
from hive.cli.printing import error_text, tell
from hive.cli.progress import watching
from hive.cli.setting import host_of
from hive.cli.subjects import PLANNED
from hive.kit.keep.json_text import pretty
from hive.kit.keep.places import refuse_paths

if TYPE_CHECKING:
    from hive.players.llm.calling import Caller
    from hive.players.llm.session import Session

_HELP = """\
Write what you want; the commander answers, asks, or writes a plan. Lines that begin with / are commands:
  /play [TICKS]      play under the present plan, to the end or for so many ticks; then write a new order
  /state             how the game stands
  /plan              the present plan
  /marker A X,Y      put a lettered marker on the map; `/marker A -` removes it
  /orders [N]        suggested orders, such as those that a recording answers; N sends that order
  /undo              forget the last prompt and its answer
  /again             back to tick 0, with the dialogue kept
  /keep [DIR]        save the run: results, picture, plans and the dialogue
  /save FILE         save the dialogue, for `hive chat --resume FILE`
  /quit              leave (or Ctrl-D)"""


@dataclass(frozen=True, kw_only=True)
class Chat(Game, Dialogue, Cache):
    """Settings of `hive chat`."""

    scenario: Annotated[str, scenario_argument()] = field(kw_only=False, default="")
    resume: Annotated[Path | None, option("take up a dialogue that was saved", "FILE")] = None
    line: CommandLine = ""

    def __post_init__(self) -> None:
        """Check that the scenario, or a saved dialogue, says what is played, and nothing else beside that.

        Raises:
            UserError: Both or neither is named, or an option contradicts the saved dialogue.
        """
        super().__post_init__()
        if (self.resume is None) == (not self.scenario):
            raise UserError("name a scenario, or a saved dialogue with --resume\n  = help: see `hive chat --help`")
        if self.resume and (given := self.saved_option()):
            raise UserError(f"{given} cannot be used with --resume: the saved dialogue says what is played")


def _run(settings: Chat) -> int:
    settings.use_cache()
    client = settings.client()
    chat = TerminalChat(settings.line, open_session(settings, client), client)
    tell(client.about)
    tell(f"{chat.session.world.title}: write a prompt, or /help")
    if chat.session.suggestions:
        tell(f"{plural(len(chat.session.suggestions), 'order')} may be given: /orders lists them")
    while chat.goes_on:
        try:
            line = _read()
            if line is None:
                break
            _take(chat, line)
        except KeyboardInterrupt:
            if not sys.stdin.isatty():  # nobody is there to go on
                raise
            tell("\ninterrupted; the dialogue and the game are kept, and /quit leaves")
    return 0


def _take(chat: TerminalChat, line: str) -> None:
    """Carry out a line; an error is told, and the dialogue and the game are kept."""
    try:
        with refuse_paths():
            chat.take(line)
    except UserError as error:
        tell(error_text(error))


def open_session(settings: Chat, client: Caller) -> Session:
    """Begin the dialogue that a command line names, or take up a saved one.

    Raises:
        UserError: There is no such scenario, or the saved dialogue cannot be read.
    """
    from hive.players.llm import saving
    from hive.players.llm.session import Session

    found = saving.read_saved(settings.resume) if settings.resume else None
    if found:
        request = replace(
            saving.request_of(found),
            printed_speeds=settings.printed_speeds,
            map_picture=settings.map_picture,
            prompt_version=settings.prompt_version,
        )
    else:
        request = replace(settings.request(), units=settings.recorded_units(settings.units))
    session = Session(request, host_of(request), client, settings.config(converse=True))
    session.suggestions = settings.suggestions(session)
    if found:
        saving.restore(session, found)
        count = len(session.dialogue.messages)
        tell(f"resumed {settings.resume}: {count} messages, tick {session.tick}, {session.outcome}")
    return session


def _read() -> str | None:
    """Return the next line that is not empty, or None at the end of the input."""
    while True:
        try:
            if sys.stdin.isatty():
                import readline  # noqa: F401  # arrow keys recall lines

                line = input("> ")
            else:
                line = sys.stdin.readline()
                if not line:
                    return None
        except EOFError:
            return None
        except UnicodeDecodeError:
            raise UserError("cannot read standard input: it is not UTF-8 text") from None
        if line.strip():
            return line.strip()


class TerminalChat:
    """One dialogue in the terminal."""

    def __init__(self, command: str, session: Session, client: Caller) -> None:
        """Begin with a session; `command` is the command line, for what is kept."""
        self._command, self.session, self.client = command, session, client
        self.goes_on = True
        self._commands: dict[str, Callable[[str], None]] = {
            "help": lambda rest: print(_HELP),
            "play": self._play,
            "state": lambda rest: self._tell_state(),
            "plan": lambda rest: self._show_plan(),
            "marker": self._mark,
            "orders": self._suggest,
            "undo": lambda rest: self._undo(),
            "again": lambda rest: self._again(),
            "keep": self._keep,
            "save": self._save,
            "quit": lambda rest: self._quit(),
        }

    def take(self, line: str) -> None:
        """Carry out a command, or send a prompt.

        Raises:
            UserError: There is no such command, it cannot be carried out, or the model does not answer.
        """
        if not line.startswith("/"):
            self._ask(line)
            return
        name, _, rest = line[1:].partition(" ")
        if name not in self._commands:
            near = nearest(name, self._commands)
            advice = did_you_mean(f"/{near}") if near else "see /help"
            raise UserError(f"there is no command `/{name}`\n  = help: {advice}")
        self._commands[name](rest.strip())

    def _ask(self, prompt: str) -> None:
        answer = ask(self.session, prompt, quiet=False)
        if answer.kind == "plan":
            tell(f"this plan is followed from tick {self.session.plans[-1][0]} on; /play goes on")
        elif answer.kind == "invalid_plan":
            tell("the plan has errors and is not followed; say what to change, or /undo")
        elif answer.kind == "cut_off":
            tell("the reply was cut off by its limit of tokens; ask for a shorter plan, or raise --max-tokens")

    def _play(self, rest: str) -> None:
        session = self.session
        if rest and not re.fullmatch(r"[0-9]{1,9}", rest):
            raise UserError(f"`{rest}` is no number of ticks\n  = help: as in /play 100, or /play for the rest")
        ticks = int(rest) if rest else session.world.limit
        with watching() as watch:
            watch.stage("playing", min(ticks, session.world.limit), "tick")
            session.play(ticks)
        self._tell_state()

    def _tell_state(self) -> None:
        session = self.session
        ending = session.live.ending if session.plans else None
        print(f"tick {session.tick} of {session.world.limit}: {ending or session.outcome.replace('_', ' ')}")
        if session.outcome == "running":
            words = session.words()
            print(words.short_state)

    def _show_plan(self) -> None:
        if not self.session.plans:
            raise UserError("there is no plan yet\n  = help: say first what the units are to do")
        tick, plan = self.session.plans[-1]
        print(f"followed from tick {tick} on:\n{plan.text}", end="")

    def _suggest(self, rest: str) -> None:
        orders = self.session.suggestions
        if not orders:
            raise UserError("no orders are suggested here\n  = help: `hive chat coordinate --replay` has some")
        if not rest:
            print("\n".join(f"{number:>3} {order}" for number, order in enumerate(orders, 1)))
            return
        if not re.fullmatch(r"[0-9]{1,9}", rest) or not 1 <= int(rest) <= len(orders):
            raise UserError(f"`{rest}` is no suggested order\n  = help: give a number from 1 to {len(orders)}")
        print(orders[int(rest) - 1])
        self._ask(orders[int(rest) - 1])

    def _mark(self, rest: str) -> None:
        read = re.fullmatch(r"([A-Z])\s+(?:(-)|\(?([0-9]{1,7})\s*,\s*([0-9]{1,7})\)?)", rest)
        if not read:
            raise UserError(f"`{rest}` is no marker\n  = help: as in /marker A 30,40, or /marker A - to remove it")
        letter, gone, x, y = read.groups()
        self.session.mark(letter, None if gone else (int(x), int(y)))
        tell(f"marker {letter} {'removed' if gone else f'at ({x}, {y})'}")

    def _undo(self) -> None:
        if not self.session.dialogue.undo():
            raise UserError("nothing was said yet\n  = help: say first what the units are to do")
        tell("forgotten; the plan and the game stay as they are, and /again goes back to tick 0")

    def _again(self) -> None:
        self.session.again()
        tell("back at tick 0, without a plan; the dialogue is kept")

    def _keep(self, rest: str) -> None:
        from hive.cli.keeping import keep
        from hive.kit.keep.runfolder import check_writable, free_folder

        folder = Path(rest) if rest else free_folder("chat-" + Path(self.session.request.scenario).stem)
        check_writable(folder)
        run = self.session.run(keep=True)
        with watching() as watch:
            for result in run.play(watch):
                watch.say(f"\n{result.table()}")
            extra = exchange_files(self.session, self.client)
            for line in keep(folder, run, watch, self._command, extra=extra):
                tell(line)

    def _save(self, rest: str) -> None:
        from hive.kit.keep.runfolder import whole_file
        from hive.players.llm.saving import read_saved, saved

        if not rest:
            raise UserError("name a file\n  = help: as in /save my.json")
        if Path(rest).exists():
            read_saved(Path(rest))  # raises for a file that is no dialogue, which stays
        with whole_file(rest, private=True) as part:
            part.write_text(pretty(saved(self.session)), encoding="utf-8")
        tell(f"saved {rest}; take it up with `hive chat --resume {rest}`")

    def _quit(self) -> None:
        self.goes_on = False


COMMAND = Command(
    settings=Chat,
    run=_run,
    subjects=PLANNED,
    about="""\
A dialogue in the terminal: you write what you want, and the commander answers, asks back or writes a plan: a
language model, or without --model rules that read English. A plan without errors is followed with /play, for
some ticks or to the end; a prompt in a paused game is sent with the present state, and a new plan replaces
the old one without a restart. After a game, /again plays the same scenario once more with the dialogue kept.
Commands begin with a slash; /help lists them.""",
    examples=(
        "hive chat coordinate --model MODEL --base-url http://127.0.0.1:8080/v1",
        "hive chat markers_terrain --marker E=120,60 --model MODEL",
        "hive chat --resume runs/ask-coordinate/dialogue.json --model MODEL",
        "hive chat coordinate                          without a model: rules read what you write",
        "hive chat coordinate --replay                 recorded orders, answered by one model's recorded replies",
    ),
    notes="""\
The key is that of --api-key-env, else OPENAI_API_KEY; it is never written down. Lines may also come from a
file or a pipe.""",
)
