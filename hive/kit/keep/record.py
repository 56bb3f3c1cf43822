"""The files of a folder of played games in one form, whoever played, so that they can be played again and compared.

`config.json` holds the command, the words that play the games again (`again`), the seeds, the versions, and `record`:
the form, a digest of all values of each world, and who played. `digests.json` holds the SHA-256 of every file. Folders
of earlier versions have neither `record` nor digests.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from hive.kit.errors import DataError
from hive.kit.keep.config import Seeds, config_file
from hive.kit.keep.digests import DIGESTS, MissingFileError, check_digests, write_digests
from hive.kit.keep.json_text import pretty
from hive.kit.keep.runfolder import MARK, Content

FORM = 1
"""Number of the form of `record`."""

_SMALL = {".bt", ".csv", ".json", ".jsonl", ".plan", ".toml", ".txt"}  # endings of files that stay in a thin folder
_LARGE = {"metrics.jsonl", "outcome.csv"}  # files that do not, although they end so: other files hold the results
_INSIDE = "in this folder: "  # where the words that play the games again are to be given


def digest_of(value: Any) -> str:
    """Return the SHA-256 of plain values, in hexadecimal digits; what JSON does not keep counts as its text."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def games_folder(
    command: str,
    again: Sequence[str] | None,
    worlds: Mapping[str, Any],
    players: Sequence[Mapping[str, Any]],
    seeds: Seeds,
    files: Mapping[str, Content],
    /,
    **facts: Any,
) -> dict[str, Content]:
    """Return all files of a folder of played games, for `write_run` or `finish_run`.

    Args:
        command: The complete command line, as a shell reads it.
        again: The words after `hive` that play the games again, as they stand inside the folder; None
            where no command can, since a person played.
        worlds: All that decides the games of each world besides players and seeds, in plain values, by its name.
        players: Who played: `name`, `plays` (such as `plan`, `policy` or a framework) and `identity`, all that decides
            how it plays, in values that JSON keeps.
        seeds: See `config_file`.
        files: The other files.
        **facts: What `config.json` holds besides, in values that JSON keeps.

    Raises:
        ValueError: A fact is not a finite number.
    """
    record = {
        "form": FORM,
        "worlds": {name: digest_of(values) for name, values in worlds.items()},
        "players": [dict(each) for each in players],
    }
    words = {} if again is None else {"again": f"{_INSIDE}{shlex.join(['hive', *again])}"}
    config = config_file(command, seeds, **words, record=record, **facts)
    return {**config, **files, DIGESTS: lambda path: write_digests(path.parent)}  # the last file that is written


def plan_players(texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return plans as the players of `games_folder`.

    Args:
        texts: The text of each plan, by its name.
    """
    return [{"name": name, "plays": "plan", "identity": digest_of(text)} for name, text in texts.items()]


def may_drop(name: str) -> bool:
    """Return whether a thin folder may do without a file: a recording, a picture or metrics, and never a result."""
    path = PurePosixPath(name)
    return path.suffix not in _SMALL or path.name in _LARGE


def thin(folder: Path) -> None:
    """Remove the recordings, pictures and metrics of a folder of played games, for a place where it has to be small.

    `dropped` in `config.json` then names these files, and `hive verify` does without them: it plays the games again as
    before, and compares what is left.

    Raises:
        DataError: It is no such folder, or a file in it was changed.
        OSError: A file cannot be read, written or removed.
        UserError: `digests.json` cannot be written.
    """
    config = check_record(folder)
    if config is None:
        raise DataError(f"{MARK} holds no record of games")
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    dropped = [name for name in files if may_drop(name)]
    for name in dropped:
        files[name].unlink()
    config = {**config, "dropped": sorted({*config.get("dropped", ()), *dropped})}
    (folder / MARK).write_text(pretty(config), encoding="utf-8")
    write_digests(folder)


def check_record(folder: Path) -> dict[str, Any] | None:
    """Return `config.json` of a folder of played games, whose files are as they were written.

    Returns:
        The values; None for a folder of an earlier version, which holds no record.

    Raises:
        DataError: A file was changed or removed, or the record has another form.
        OSError: A file cannot be read.
    """
    check_digests(folder)
    return read_record(folder)


def read_record(folder: Path) -> dict[str, Any] | None:
    """Return what `check_record` returns, without a look at the digests of the files.

    Raises:
        DataError: The file is damaged, or the record has another form.
        OSError: It cannot be read.
    """
    try:
        config = json.loads((folder / MARK).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{MARK} is no JSON: {error}") from None
    if not isinstance(config, dict):
        raise DataError(f"{MARK} holds no object")
    if "record" not in config:
        return None
    record = config["record"]
    if not isinstance(record, dict) or record.get("form") != FORM:
        raise DataError(f"the record in {MARK} has another form than {FORM}")
    if not isinstance(record.get("worlds"), dict) or not _are_players(record.get("players")):
        raise DataError(f"the record in {MARK} does not say which worlds were played, and by whom")
    if not (folder / DIGESTS).exists():
        raise MissingFileError(DIGESTS)
    return config


def again_of(config: Mapping[str, Any]) -> list[str] | None:
    """Return the words after `hive` that play the games again inside their folder; None where a person played.

    Args:
        config: What `read_record` returned.

    Raises:
        DataError: There is something else in their place.
    """
    text = config.get("again")
    if text is None:
        return None
    try:
        words = shlex.split(text.removeprefix(_INSIDE)) if isinstance(text, str) and text.startswith(_INSIDE) else []
    except ValueError:
        words = []
    if len(words) < 2 or words[0] != "hive":
        raise DataError(f"`again` in {MARK} is no command of hive")
    return words[1:]


def _are_players(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and isinstance(each.get("name"), str) and {"plays", "identity"} <= each.keys()
        for each in value
    )
