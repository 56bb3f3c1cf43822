"""Sessions with a script in place of a model, recorded so that commands can replay them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hive.kit.planned_world import Request
from hive.players.llm.calling import Caller, Ledger
from hive.players.llm.client import ModelError, Reply
from hive.players.llm.recorded import Recorder, ReplyRecording
from hive.players.llm.scripted import Script
from hive.players.llm.session import DialogueConfig, Session
from hive.worlds import kind_of

SMALL = Request(scenario="coordinate", units=20, numbers=(("limit", 60),))  # as tests/cli plays it
PROMPT = "cover the middle row, archers behind spearmen"

HOLD = """\
The archers stay behind.

BEGIN PLAN
Step 0:
prerequisites: []
objective: elimination all
units: [0:10]
- target position: (75, 60)
- behavior: attack_in_close_range
units: [10:20]
- target position: (75, 50)
- behavior: attack_in_long_range
END PLAN
"""
RETREAT = HOLD.replace("(75, 60)", "(20, 10)").replace("(75, 50)", "(30, 10)")
BROKEN = HOLD.replace("[10:20]", "[5:20]").replace("(75, 60)", "(75, 600)")
QUESTION = "Do you want the archers to keep their distance?"
CUT = Reply(HOLD.partition("units: [10:20]")[0], "script", finish="length")


def session(replies: Sequence[str | Reply | ModelError], record: Path | None = None, **config: object) -> Session:
    """Begin a session whose model gives these replies in turn; its client is `dialogue.client`."""
    client = Recorder(Script(replies), [], ReplyRecording(record) if record else None)
    caller = Caller(client, retries=0, ledger=Ledger())
    return Session(SMALL, kind_of("coordinate"), caller, DialogueConfig(**config))  # type: ignore[arg-type]
