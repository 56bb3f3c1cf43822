"""The folder in which a long command keeps what it has finished, so that the same command resumes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from dsl import UserError
from dsl.wording import differing, plural
from hive.cli.printing import tell
from hive.kit.keep.finishing import hold_progress, progress_of
from hive.kit.keep.json_text import pretty
from hive.kit.keep.runfolder import versions, write_run

T = TypeVar("T")

_DECIDES = ("hive-swarm", "jax", "jaxlib", "backend", "commit")  # versions that may change a game


def open_progress(
    out: Path, identity: Mapping[str, Any], what: str, restart: bool, device: bool = True
) -> tuple[Path, str | None]:
    """Begin the progress folder of a long command, or open the one that an earlier run of the same command began.

    Args:
        out: Where the results will go; the folder has that name with `.progress`.
        identity: What decides the results besides the versions, in values that JSON keeps.
        what: What the command makes, for messages.
        restart: Whether to drop the progress that there is.
        device: Whether the backend is among the versions that decide, which starts it.

    Returns:
        The folder, and the commit of the run that began it; None where unknown.

    Raises:
        UserError: The folder is no progress folder, belongs to other work, another process uses it, or it cannot be
            read or written.
    """
    folder = progress_of(out)
    known = versions(device)
    deciding = {name: known[name] for name in _DECIDES if name in known}
    decides = json.loads(json.dumps({**identity, "versions": deciding}))  # tuples are lists, as in what is read below
    if folder.is_dir():
        hold_progress(folder)
    if restart or not folder.exists():
        write_run(folder, {"config.json": pretty(decides)}, overwrite=restart)
        hold_progress(folder)
        return folder, decides["versions"]["commit"]
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not isinstance(found, dict) or not isinstance(found.get("versions"), dict):
            raise ValueError("it is no progress folder")
    except (OSError, ValueError, RecursionError) as error:
        raise cannot_resume(folder, error) from None
    commit, begun = decides["versions"].pop("commit"), found["versions"].pop("commit", None)
    other = [key for key in decides | found if found.get(key) != decides.get(key)]
    if other == ["chunk"] and isinstance(found.get("chunk"), int):
        raise UserError(
            f"{folder} has chunks of {plural(found['chunk'], 'game')}: resume with --chunk {found['chunk']}"
        )
    if other:
        raise UserError(
            f"{folder} belongs to another {what}: {differing(other)}\n"
            "  = help: give another --out, or drop its progress with --restart"
        )
    if begun != commit:
        tell(f"warning: {folder} was begun at commit {begun or 'unknown'}, and this is commit {commit or 'unknown'}")
    return folder, begun


@dataclass
class Parts(Generic[T]):
    """The finished parts of a command in their order, each of which is a file in its progress folder.

    Attributes:
        folder: The progress folder.
        name: Of the files, such as `part-{}.npz`; the number of a part, from 0, is put in.
        read: Returns the part in a file; it raises a `ValueError` if the file is damaged.
        write: Writes the file of a part atomically.
        found: What was found there, and what was added since.

    Raises:
        UserError: A file is damaged or cannot be read.
    """

    folder: Path
    name: str
    read: Callable[[Path], T]
    write: Callable[[Path, T], None]
    found: list[T] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Read what there is."""
        try:
            while (path := self._next()).exists():
                try:
                    self.found.append(self.read(path))
                except ValueError as error:
                    raise ValueError(f"{path.name} is damaged: {error}") from None
        except (OSError, ValueError) as error:
            raise cannot_resume(self.folder, error) from None

    def add(self, part: T) -> None:
        """Save one more part."""
        self.write(self._next(), part)
        self.found.append(part)

    def _next(self) -> Path:
        return self.folder / self.name.replace("{}", f"{len(self.found):05}")


def cannot_resume(folder: Path, why: object) -> UserError:
    """Return the error for a progress folder that cannot be read."""
    return UserError(f"cannot resume from {folder}: {why}\n  = help: remove it, or give another --out")
