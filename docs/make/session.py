"""The session of `docs/commander/session.md`: what was said, its recording, and the page made by replaying it."""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "commander"
RECORDING = FOLDER / "session.jsonl"
PAGE = FOLDER / "session.md"
PICTURE = FOLDER / "session.png"
WORDS = ("coordinate", "--units", "200")
FOUGHT = 220  # ticks before the second order

_CUTS = (0, 17, 34, 50, 67, 84, 100)  # squads of spearmen; those of archers are 100 higher


def _groups(places: tuple[int, ...], y: int, foes: str = "any") -> str:
    """Return six squads of spearmen in a row and six of archers 6 m behind; the first shoots at `foes`."""
    lines = []
    for first, back, behaviour in ((0, 0, "attack_in_close_range"), (100, 6, "attack_in_long_range")):
        for x, start, stop in zip(places, _CUTS[:-1], _CUTS[1:], strict=True):
            lines.append(f"units: [{first + start}:{first + stop}]\n- target position: ({x}, {y - back})")
            lines.append(f"- behavior: {behaviour} {foes if first + start == 100 else 'any'}")
    return "\n".join(lines)


def _plan(places: tuple[int, ...], y: int, foes: str = "any") -> str:
    groups = _groups(places, y, foes)
    return f"BEGIN PLAN\nStep 0:\nprerequisites: []\nobjective: elimination all\n{groups}\nEND PLAN\n"


_ROW, _CAMPS = (12, 37, 62, 87, 112, 137), (20, 30, 70, 80, 120, 130)

SAID: tuple[tuple[str, tuple[str, ...]], ...] = (  # lines of the player, and the replies to each
    (
        "I want to hold the middle row. How many squads would you make?",
        (
            """\
Each unit sees 15 m, so a squad watches a strip about 30 m wide, and the field is 150 m across. Five squads would just
touch; I would make six, 25 m apart, so that nobody slips through. Each squad needs spearmen in front to hold the enemy
up, and archers 6 m behind them.

Two questions. Shall the squads march to the middle, or wait further south, where you stand now? And may the archers
give ground when spearmen come close, or do they hold their place?
""",
        ),
    ),
    (
        "Wait in the south, and let the archers give ground.",
        (
            "Six squads in the southern third, archers 6 m behind the spearmen:\n\n" + _plan(_ROW, 40, "bowmen"),
            "The name of a type is `archer`, and all enemies are spearmen, so `any` says it best:\n\n"
            + _plan(_ROW, 40),
        ),
    ),
    (f"/play {FOUGHT}", ()),
    (
        "Whoever is left gathers half-way up. Go and get them.",
        (
            "They gather in the west, the centre and the east. Two squads for each place, which is more than one squad "
            "can face alone:\n\n" + _plan(_CAMPS, 75),
        ),
    ),
    ("/play", ()),
    ("/keep out", ()),
)

_HEAD = """\
# A session, from a prompt to a victory

`python -m docs.make --pictures` makes this page by replaying [session.jsonl](session.jsonl). A language model wrote the
replies for this page, and they are kept, so that no model is needed to play the session again:

```bash
hive chat {words} --replay docs/commander/session.jsonl
```

Type the lines after `>`. The first reply is a question, the first plan has an error and goes back with its diagnostic,
and after {fought} ticks a new order changes the plan of the running game. `hive ask` takes both orders at once, with
`--order {fought}=...` for the second order. Without `--replay`, `--model` and `--base-url` name the model to ask; see
[endpoints.md](endpoints.md).
"""
_TAIL = """
The picture that `/keep` saved in the run folder, beside the plans, the exact text that was sent and the recording:

![Four moments of the battle: squads in a row, the enemy's line, the second order, the end](session.png)
"""


def make_session() -> None:
    """Record the session, replay it through `hive chat`, and write the page and the picture."""
    record()
    with tempfile.TemporaryDirectory() as folder:
        text = replay(Path(folder))
        shutil.copy(Path(folder) / "out" / "picture.png", PICTURE)
    PAGE.write_text(text, encoding="utf-8", newline="\n")


def record() -> None:
    """Play the session with its replies in place of a model, and record the exchanges."""
    from hive.kit.planned_world import Request
    from hive.players.llm.calling import Caller, Ledger
    from hive.players.llm.recorded import Recorder, ReplyRecording
    from hive.players.llm.scripted import Script
    from hive.players.llm.session import DialogueConfig, Session
    from hive.worlds import kind_of

    RECORDING.unlink(missing_ok=True)
    script = Script([reply for _, replies in SAID for reply in replies], name="a model")
    client = Caller(Recorder(script, [], ReplyRecording(RECORDING)), ledger=Ledger())
    session = Session(
        Request(scenario="coordinate", units=200),
        kind_of("coordinate"),
        client,
        DialogueConfig(grammar=False, converse=True),
    )
    for line, replies in SAID:
        if replies:
            session.prompt(line)
        elif line.startswith("/play "):
            session.play(FOUGHT)


def replay(folder: Path) -> str:
    """Replay the recording through `hive chat` in a folder; return the page."""
    from hive.cli.entry import COMMANDS
    from hive.cli.model.chatting import COMMAND, TerminalChat, open_session
    from hive.cli.reading import read

    settings = read("hive chat", COMMAND, [*WORDS, "--replay", str(RECORDING)], COMMANDS)
    client = settings.client()
    chat = TerminalChat(shlex.join(["hive", "chat", *WORDS]), open_session(settings, client), client)
    parts = [_HEAD.format(words=" ".join(WORDS), fought=FOUGHT)]
    with contextlib.chdir(folder):
        for line, _ in SAID:
            screen = io.StringIO()
            with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
                chat.take(line)
            shown = "\n".join(
                row for row in screen.getvalue().splitlines() if not row.startswith(("  tick ", "  compiling"))
            )
            parts.append(f"```text\n> {line}\n\n{shown.strip()}\n```\n")
    return "\n".join(parts) + _TAIL
