"""Messages that no page sends, made from a seed: each breaks a rule of the protocol."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from hive.web.messages import FIELDS, MOST_BYTES

PATHS = (
    "/etc/passwd",
    "../../secret",
    "C:\\windows\\system32",
    "file:///etc/passwd",
    "runs/../..",
    "\x00",
    "~/.ssh/id",
)
NUMBERS = (-1, 1.5, 10**400, 2**63, 1e308, -(2**31), 0.1 + 0.2)
THINGS: tuple[Any, ...] = (None, True, [], {}, "", "x", [1], {"a": 1}, *PATHS, *NUMBERS)


def messages(seed: int, count: int) -> Iterator[str | bytes]:
    """So many messages; a server refuses each of them, or answers that the plan in it cannot be used."""
    rng = random.Random(seed)
    kinds: tuple[Callable[[random.Random], str | bytes], ...] = (
        _noise, _cut, _nested, _no_object, _unknown, _missing, _wrong, _extra, _constant, _bytes, _ids, _long, _plans,
    )  # fmt: skip
    for _ in range(count):
        yield rng.choice(kinds)(rng)


def _noise(rng: random.Random) -> str:
    return "".join(
        chr(rng.choice((rng.randrange(1, 128), rng.randrange(0xE000, 0x11000)))) for _ in range(rng.randrange(40))
    )


def _cut(rng: random.Random) -> str:
    text = json.dumps({"do": rng.choice(list(FIELDS)), "text": "x" * rng.randrange(99)})
    return text[: rng.randrange(len(text) - 1)]


def _nested(rng: random.Random) -> str:
    deep = rng.randrange(500, 20_000)
    return rng.choice(("[" * deep, '{"do":' * (deep // 2), "[" * deep + "]" * deep))


def _no_object(rng: random.Random) -> str:
    return json.dumps(rng.choice([thing for thing in THINGS if not isinstance(thing, dict)]))


def _unknown(rng: random.Random) -> str:
    wrong = rng.choice([*THINGS, "RUN", "run ", "rum", "__class__", "_stop", "eval", "hello", "status"])
    return json.dumps({"do": wrong, "id": rng.randrange(9)})


def _missing(rng: random.Random) -> str:
    do = rng.choice([name for name, fields in FIELDS.items() if fields])
    return json.dumps({"do": do, "id": rng.randrange(9)})


def _wrong(rng: random.Random) -> str:
    """A field whose value is of no kind that any field takes, or far out of range."""
    do = rng.choice([name for name, fields in FIELDS.items() if fields and name != "check"])
    name = rng.choice(list(FIELDS[do]))
    good: dict[str, Any] = {"ticks": 1, "ticks_per_second": 5, "event": "step", "text": "x", "letter": "A"}
    fields = {each: good.get(each, 1) for each in FIELDS[do]}
    fields[name] = rng.choice(([], {}, True, -7, 10**30, -1e300, [1, 2], {"x": 1}))
    return json.dumps({"do": do, **fields})


def _extra(rng: random.Random) -> str:
    do = rng.choice([name for name, fields in FIELDS.items() if not fields])
    name = rng.choice(("path", "text", "tick", "__proto__", "a" * rng.randrange(1, 300), *PATHS))
    return json.dumps({"do": do, name: rng.choice(THINGS)})


def _constant(rng: random.Random) -> str:
    word = rng.choice(("NaN", "Infinity", "-Infinity", "1e999", "9" * rng.randrange(400, 9_000)))
    return '{"do": "speed", "ticks_per_second": ' + word + "}"


def _bytes(rng: random.Random) -> bytes:
    return rng.randbytes(rng.randrange(1, 2_000))


def _ids(rng: random.Random) -> str:
    wrong = rng.choice((1.5, 2**60, [], {}, True, "x" * 65, "\ud800"))
    return json.dumps({"do": "pause", "id": wrong})


def _long(rng: random.Random) -> str:
    """As long as the connection lets through, and longer than a prompt may be."""
    return json.dumps({"do": "say", "text": "x" * rng.randrange(20_001, MOST_BYTES - 100)})


def _plans(rng: random.Random) -> str:
    text = rng.choice(
        ("BEGIN PLAN\n" * rng.randrange(1, 999), "Step 0:\n" * rng.randrange(1, 2_000), *PATHS, "units: [0:999999999]")
    )
    return json.dumps({"do": "plan", "text": text, "id": rng.randrange(9)})
