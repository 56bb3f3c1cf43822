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
from pathlib import Path
from typing import Any

from hive.kit.errors import DataError
from hive.kit.keep.config import Seeds, config_file
from hive.kit.keep.digests import DIGESTS, check_digests, write_digests
from hive.kit.keep.runfolder import MARK, Content

FORM = 1
"""Number of the form of `record`."""


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
    words = {} if again is None else {"again": f"in this folder: {shlex.join(['hive', *again])}"}
    config = config_file(command, seeds, **words, record=record, **facts)
    return {**config, **files, DIGESTS: lambda path: write_digests(path.parent)}  # the last file that is written


def check_record(folder: Path) -> dict[str, Any] | None:
    """Return `config.json` of a folder of played games, whose files are as they were written.

    Returns:
        The values; None for a folder of an earlier version, which holds no record.

    Raises:
        DataError: A file was changed or removed, or the record has another form.
        OSError: A file cannot be read.
    """
    check_digests(folder)
    try:
        config = json.loads((folder / MARK).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{MARK} is no JSON: {error}") from None
    if not isinstance(config, dict):
        raise DataError(f"{MARK} holds no object")
    if "record" not in config:
        return None
    if not isinstance(config["record"], dict) or config["record"].get("form") != FORM:
        raise DataError(f"the record in {MARK} has another form than {FORM}")
    if not (folder / DIGESTS).exists():
        raise DataError(f"the file {DIGESTS} is missing")
    return config
