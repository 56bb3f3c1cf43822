"""Sets of drawn battles: named lists with a digest of all bytes of their battles, shipped or in a file of the user.

Rules: docs/rules/sets.md 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from msgspec import Meta

import scenarios
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.errors import Problem, ScenarioError
from hive.kit.keep import toml
from hive.kit.keep.lines import split_lines
from hive.kit.keep.reading import SCHEMA, Line, Reader, Record, TableError, read_text, worded
from hive.worlds.battle.drawn.classes import is_drawn, read_name
from hive.worlds.battle.drawn.draw import VERSION, Drawn, draw_with_facts

LEVELS = 6
"""Levels are whole numbers from 0, below this (docs/rules/sets.md 2)."""
MOST = 10_000
"""Most battles of a set."""

_Name = Annotated[
    str,
    worded(
        "the name of a set",
        "a name is one or two parts such as `battles-v0/test`: small letters, digits, `_`, `-` and `.`",
        r"\A[a-z0-9][a-z0-9_.-]{0,39}(/[a-z0-9][a-z0-9_.-]{0,39})?\Z",
    ),
]
_Digest = Annotated[str, worded("a SHA-256", "64 hexadecimal digits in small letters", r"\A[0-9a-f]{64}\Z")]


class SetBattle(Record, frozen=True):
    """A battle of a set, and its level if that was measured."""

    name: str
    level: Annotated[int, Meta(ge=0, le=LEVELS - 1)] | None = None


class SetFile(Record, frozen=True):
    """The file of a set; without battles it publishes the digest of a set that stays private."""

    name: _Name
    summary: Line
    version: Annotated[int, Meta(ge=1)]
    digest: _Digest
    battles: Annotated[tuple[SetBattle, ...], Meta(max_length=MOST)] = ()

    def __post_init__(self) -> None:
        """Check the names.

        Raises:
            TableError: One is no drawn battle, or stands twice.
        """
        faults = []
        seen: dict[str, int] = {}
        for number, each in enumerate(self.battles):
            place = f"battles[{number}].name"
            if not is_drawn(each.name):
                help = "a set holds drawn battles, such as battle/rivers/17"
                faults.append(("unknown-name", f"`{each.name}` is not a drawn battle", place, help))
                continue
            try:
                read_name(each.name)
            except ScenarioError as error:
                faults.append(("unknown-name", error.problems[0].message, place, error.problems[0].help))
            if each.name in seen:
                message = f"`{each.name}` is already entry {seen[each.name]} of the set"
                faults.append(("twice", message, place, "leave one of them out"))
            seen.setdefault(each.name, number)
        if faults:
            raise TableError(*faults)


@dataclass(frozen=True)
class BattleSet:
    """A set of drawn battles.

    Attributes:
        name: Its name, such as `battles-v0/test`; results name it together with the digest.
        summary: What it is, in one line.
        digest: SHA-256 of names, levels and all files of the battles (docs/rules/sets.md 1.2).
        battles: The battles in their order; empty for a private set whose file is not at hand.
    """

    name: str
    summary: str
    digest: str
    battles: tuple[SetBattle, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the battles, such as `battle/rivers/17`."""
        return tuple(each.name for each in self.battles)

    @property
    def levels(self) -> tuple[int | None, ...]:
        """The level of each battle; None where it was not measured."""
        return tuple(each.level for each in self.battles)

    def toml(self) -> str:
        """Return the file of the set."""
        head = {"schema": SCHEMA, "name": self.name, "summary": self.summary, "version": VERSION, "digest": self.digest}
        rows = ({"name": each.name} | ({} if each.level is None else {"level": each.level}) for each in self.battles)
        battles = [f"battles = {toml.rows(rows)}"] if self.battles else []
        return "\n".join([*toml.pairs(head), *battles, ""])


def is_set(name: str) -> bool:
    """Return whether a name is that of a shipped set, or looks like one, or is the path of a set's file."""
    known = scenarios.sets()
    if name in known or name.partition("/")[0] in {each.partition("/")[0] for each in known}:
        return True
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        return False
    text = read_text(path, "set-file")
    return any(re.match(r"(digest|battles)\s*=", line) for line in split_lines(text))


def read_set(name_or_path: str | Path) -> BattleSet:
    """Return a shipped set by its name, or the set in a file; its battles are not drawn and its digest not checked.

    A file whose set has the name of a shipped one must have the digest that is shipped. This is how a private set is
    used: its digest is shipped, and its file is given by those who hold it.

    Raises:
        ScenarioError: There is no such set, the file has errors, its battles are of another version, or it is not the
            set whose name it has.
    """
    name = str(name_or_path)
    if name in scenarios.sets():
        return _parse(scenarios.read_set(name), f"{name}.toml")
    path = Path(name_or_path)
    if path.suffix != ".toml":
        near = did_you_mean(nearest(name, scenarios.sets())) or ""
        known = f"{near} shipped are {listing(scenarios.sets(), 'and')}; or give a path to a .toml file".strip()
        raise ScenarioError(name, [Problem("set-unknown-name", f"there is no set `{name}`", "", known)])
    found = _parse(read_text(path, "set-file"), name)
    if found.name in scenarios.sets():
        published = _parse(scenarios.read_set(found.name), f"{found.name}.toml")
        if published.digest != found.digest:
            message = f"this is not the set {found.name}: its digest is {found.digest[:12]}… in this file, and "
            message += f"{published.digest[:12]}… was published"
            help = "give the file of the published set, or another name to a set of your own"
            raise ScenarioError(name, [Problem("set-digest", message, "digest", help)])
    return found


def load_set(name_or_path: str | Path) -> BattleSet:
    """Return a set whose digest was checked: all of its battles are drawn, 10 ms each.

    Args:
        name_or_path: A shipped name, or a path that ends in `.toml`.

    Raises:
        ScenarioError: As for `read_set`; the set is private and only its digest is known; or the digest differs.
    """
    found, source = read_set(name_or_path), str(name_or_path)
    if not found.battles:
        message = f"the battles of {found.name} are private: only their digest is published"
        raise ScenarioError(source, [Problem("set-private", message, "", "give the path of the file that lists them")])
    digest = digest_of_set(found.battles)
    if digest != found.digest:
        message = f"the battles do not have the digest of {found.name}: it is {digest[:12]}… and should be "
        message += f"{found.digest[:12]}…"
        help = "names or levels in the file were changed, or other bytes are drawn today; `hive draw CLASS --save-set "
        help += "FILE` makes a set of your own"
        raise ScenarioError(source, [Problem("set-digest", message, "digest", help)])
    return found


def make_set(name: str, summary: str, battles: Sequence[SetBattle]) -> BattleSet:
    """Return a new set.

    Args:
        name: Its name, such as `mine/easy`.
        summary: What it is, in one line.
        battles: Its battles, at least one, none of them twice.

    Raises:
        ScenarioError: The name, the line or a battle is not allowed.
    """
    made = _parse(BattleSet(name, summary, "0" * 64, tuple(battles)).toml(), name)  # checked before it is drawn
    return replace(made, digest=digest_of_set(battles))


def digest_of_set(battles: Iterable[SetBattle]) -> str:
    """Return the digest of battles in their order: SHA-256 of names, levels and all files (docs/rules/sets.md 1.2)."""
    digest = sha256()
    for each in battles:
        digest.update(
            f"{each.name} {'-' if each.level is None else each.level} {digest_of_battle(each.name)}\n".encode()
        )
    return digest.hexdigest()


def digest_of_battle(name: str) -> str:
    """Return the SHA-256 of the files of a drawn battle: its scenario, its briefing and the plans of both sides."""
    return digest_of_files(draw_with_facts(*read_name(name)))


def digest_of_files(drawn: Drawn) -> str:
    """Return what `digest_of_battle` returns, of a battle that is drawn."""
    parts = (f"{file} {len(data)}\n".encode() + data for file, data in _files(drawn))
    return sha256(b"".join(parts)).hexdigest()


def _files(drawn: Drawn) -> list[tuple[str, bytes]]:
    return [(name, text.encode()) for name, text in sorted(drawn.files().items())]


def _parse(text: str, source: str) -> BattleSet:
    reader = Reader("set", source, text)
    found = reader.table(SetFile)
    if found.version != VERSION:
        message = f"its battles are of version {found.version}, and this version of HIVE draws version {VERSION}"
        reader.add("version", message, "version", "use it with the version of HIVE that made it, or make it again")
        reader.finish()
    return BattleSet(found.name, found.summary, found.digest, found.battles)
