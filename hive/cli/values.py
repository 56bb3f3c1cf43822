"""Types of arguments: numbers within their ranges, seeds, markers, changed rules, and the text of a file."""

from __future__ import annotations

import math
import os
import re
import sys
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, is_whole, listing, nearest
from hive.kit.keep import places
from hive.kit.keep.versions import split_version
from hive.kit.planned_world import PUBLISHED
from hive.kit.seeds import SEEDS
from hive.players.teams.rules import Quirks

MOST_GAMES = 100_000  # of one run
MOST_DEVICES = 64  # of one process, on a machine with fewer cores
WARMEST = 2.0  # the highest temperature that the protocol of chat completions allows
SAMPLED = 0.8  # the temperature of several samples, where none is given
_MOST_DIGITS = 1_000  # Python reads 4,300


class BadValueError(ValueError):
    """A value of an argument is wrong; the message says what is allowed."""


def world_name(text: str) -> str:
    """Read the name or path of a world or a task, and drop the version behind it, as in `coordinate-v1`.

    Raises:
        BadValueError: This HIVE has another version.
    """
    if split_version(text)[1] is None:
        return text
    from hive.rl.registry import bare_name

    try:
        return bare_name(text)
    except UserError as error:
        raise BadValueError(str(error)) from None


def seed(text: str) -> int:
    """Read a seed."""
    return _whole(text, 0, SEEDS - 1)


def map_sides(text: str) -> tuple[int, ...]:
    """Read sides of the maps of drawn battles, metres, with commas between them.

    Raises:
        BadValueError: No drawn battle has such a side.
    """
    from hive.worlds.battle.drawn.classes import CAPACITY

    found = tuple(dict.fromkeys(count(word) for word in text.split(",")))
    if wrong := [side for side in found if side not in CAPACITY]:
        known = listing(map(str, CAPACITY), "and")
        raise BadValueError(f"no drawn battle has a side of {wrong[0]} m; sides are {known}")
    return found


def seed_range(text: str) -> range:
    """Read seeds from A to B - 1, written A:B; a missing A is 0.

    Raises:
        BadValueError: It has another form, holds no seed, or holds more than games may be played.
    """
    first, colon, end = text.partition(":")
    if not colon:
        raise BadValueError(f"`{text}` is not of the form A:B, as in `0:200` for the seeds 0 to 199")
    found = range(_whole(first or "0", 0, SEEDS - 1), _whole(end, 1, SEEDS))
    if not 0 < len(found) <= MOST_GAMES:
        raise BadValueError(f"`{text}` holds {len(found):,} seeds, allowed are 1 to {MOST_GAMES:,}")
    return found


def games(text: str) -> int:
    """Read a number of games."""
    return _whole(text, 1, MOST_GAMES)


def seeds(text: str) -> int | str:
    """Read a number of games, or the word `published`.

    Raises:
        BadValueError: It is neither.
    """
    if text == PUBLISHED:
        return PUBLISHED
    try:
        return games(text)
    except BadValueError as error:
        raise BadValueError(f"{error}, or `{PUBLISHED}` for the published seeds of a level") from None


def method(text: str) -> str:
    """Read the name of a commander in results.

    Raises:
        BadValueError: It is none.
    """
    if not text.strip() or not text.isprintable():
        raise BadValueError(f"{text!r} is not a name")
    return text.strip()


def count(text: str) -> int:
    """Read a number of units or metres."""
    return _whole(text, 1, 1_000_000)


def index(text: str) -> int:
    """Read a tick or a unit's id."""
    return _whole(text, 0, 1_000_000)


def device_count(text: str) -> int:
    """Read a number of devices; JAX makes as many, and a thousand on a CPU take gigabytes."""
    return _whole(text, 1, max(MOST_DEVICES, os.cpu_count() or 1))


def seconds(text: str) -> int:
    """Read a waiting time in seconds."""
    return _whole(text, 1, 86_400)


def named_number(text: str, form: str) -> tuple[str, float]:
    """Read NAME=NUMBER; a whole number is an int.

    Args:
        text: The argument.
        form: The form in words, for messages.

    Raises:
        BadValueError: It has another form, or the number is not finite.
    """
    name, numbers = named_numbers(text, form)
    if len(numbers) > 1:
        raise BadValueError(f"`{text}` is not of the form {form}")
    return name, numbers[0]


def named_numbers(text: str, form: str) -> tuple[str, list[float]]:
    """Read NAME=NUMBER,NUMBER,...; see `named_number`.

    Raises:
        BadValueError: It has another form, or a number is not finite.
    """
    name, _, values = text.partition("=")
    try:
        numbers = [real(value) for value in values.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not name.strip() or not all(map(math.isfinite, numbers)):
        raise BadValueError(f"`{text}` is not of the form {form}")
    return name.strip(), [int(each) if each.is_integer() and abs(each) < 2**63 else each for each in numbers]


def setting_values(text: str, form: str) -> tuple[str, list[float | str]]:
    """Read NAME=VALUE,VALUE,... whose values are numbers or words; see `setting`.

    Raises:
        BadValueError: It has another form.
    """
    name, _, values = text.partition("=")
    try:
        return name.strip(), [setting(f"{name}={value}")[1] for value in values.split(",")]
    except BadValueError:
        raise BadValueError(f"`{text}` is not of the form {form}") from None


def quirks(text: str) -> tuple[str, ...]:
    """Read the names of quirks of published programs, or `all`.

    Raises:
        BadValueError: There is no such quirk.
    """
    names = [part.strip().replace("-", "_") for part in text.split(",")]
    if names == ["all"]:
        return Quirks.names()
    for name in names:
        if name not in Quirks.names():
            near = did_you_mean(nearest(name, Quirks.names())) or f"there are {', '.join(Quirks.names())}"
            raise BadValueError(f"there is no quirk `{name}`; {near}")
    return tuple(dict.fromkeys(names))


def read_text(name: str) -> tuple[str, str]:
    """Return the text of a file, or of standard input for `-`, and its name in messages.

    Raises:
        UserError: It cannot be read.
    """
    try:
        if name == "-":
            return sys.stdin.read(), "<stdin>"
        return places.read_text(name), name
    except IsADirectoryError:
        why = "it is a folder\n  = help: name a file in it"
    except FileNotFoundError as error:
        near = _near_file(Path(name))
        why = f"{places.reason(error)}\n  = help: {did_you_mean(near)}" if near else places.because(error)
    except (OSError, UnicodeDecodeError) as error:
        why = places.because(error)
    raise UserError(f"cannot read {'standard input' if name == '-' else name}: {why}")


def _near_file(path: Path) -> str | None:
    """Return the file next to a missing one that has nearly its name, or None."""
    try:
        near = nearest(path.name, [each.name for each in path.parent.iterdir() if each.is_file()])
    except OSError:
        return None
    return str(path.with_name(near)) if near else None


def marker(text: str) -> tuple[str, tuple[int, int]]:
    """Read a lettered marker and its place.

    Raises:
        BadValueError: It has another form.
    """
    read = re.fullmatch(r"\s*(\w+)\s*=\s*\(?\s*(-?[0-9]+)\s*,\s*(-?[0-9]+)\s*\)?\s*", text)
    if not read:
        raise BadValueError(f"`{text}` is not LETTER=X,Y with whole numbers, as in `A=193,85`")
    return read.group(1), (int(read.group(2)), int(read.group(3)))


def swap(text: str, first: int = 1) -> tuple[int, str]:
    """Read a tick, at least `first`, and the plan to follow from there.

    Raises:
        BadValueError: It has another form.
    """
    tick, equals, plan = text.partition("=")
    if not equals or not plan:
        raise BadValueError(f"`{text}` is not of the form TICK=PLAN, as in `100=my.plan`")
    return _whole(tick, first, 1_000_000), plan


def enemy_swap(text: str) -> tuple[int, str]:
    """Read a tick from 0 on and the plan that the enemy follows from there.

    Raises:
        BadValueError: It has another form.
    """
    return swap(text, 0)


def sizes(text: str) -> tuple[int, int]:
    """Read the sizes of both teams; the enemy's may be missing."""
    player, comma, enemy = text.partition(",")
    own = count(player)
    return own, count(enemy) if comma else own


def rule(text: str) -> tuple[str, float]:
    """Read a rule and its number."""
    return named_number(text, "RULE=NUMBER, as in `limit=300`")


def setting(text: str) -> tuple[str, float | str]:
    """Read a setting and its number or word.

    Raises:
        BadValueError: It has another form.
    """
    try:
        return rule(text)
    except BadValueError:
        name, _, value = text.partition("=")
        if not name.strip() or not value.strip():
            raise
        return name.strip(), value.strip()


def real(text: str) -> float:
    """Read a number in ASCII digits, as in `-1.5` or `3e6`.

    Raises:
        ValueError: It is none.
    """
    if not text.isascii() or "_" in text:  # Python reads digits of all scripts, and `_` between them
        raise ValueError(f"`{text}` is not a number")
    return float(text)


def _whole(text: str, low: int, high: int) -> int:
    if not is_whole(text.removeprefix("-")) or len(text) > _MOST_DIGITS:
        raise BadValueError(f"`{text[:_MOST_DIGITS]}` is not a whole number")
    value = int(text)
    if not low <= value <= high:
        raise BadValueError(f"{value} is out of range, allowed is a whole number from {low} to {high}")
    return value


def share(text: str) -> float:
    """Read a probability above 0.

    Raises:
        BadValueError: It is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise BadValueError(f"`{text}` is no probability, allowed is a number above 0 and up to 1")
    return value


def temperature_of(text: str) -> float:
    """Read a temperature.

    Raises:
        BadValueError: It is none.
    """
    try:
        value = real(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= WARMEST:
        raise BadValueError(f"`{text}` is no temperature, allowed is a number from 0 to {WARMEST:g}")
    return value
