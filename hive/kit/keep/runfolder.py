"""Files and run folders that are written atomically, and the versions that a run was made with.

Both are built under a temporary name next to their final place and renamed at the end. The temporary name holds the
host and the number of the process, so that the next run can remove what a killed process left behind.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path, PurePosixPath

from dsl import UserError
from hive.kit.keep.places import PRIVATE, find_place, make_folder, reason, settle, umask

Content = bytes | str | Callable[[Path], None]
RECORDING = "recording.npz"  # the kept game of a run folder
EXCHANGES = "exchanges.jsonl"  # what was sent to a model and received, which only the owner may read

_PACKAGES = ("hive-swarm", "jax", "jaxlib", "flax", "numpy", "lark")
_RUNS = Path("runs")
MARK = "config.json"  # every run folder holds it; a folder without it is not a run folder
_LONGEST_FOLDER = 120  # characters
_ANOTHER = "name another folder"
_HOST = re.sub(r"[^\w.-]", "_", platform.node(), flags=re.ASCII)[:64] or "host"
_TEMPORARY = re.compile(r"\.hive-(?P<host>[\w.-]+)-(?P<pid>[0-9]{1,9})-[a-z0-9_]{8}(\..*)?", re.ASCII)


@contextmanager
def whole_file(path: Path | str, private: bool = False) -> Iterator[Path]:
    """Yield a temporary path with the suffix of `path`; it goes to `path` if the block ends without an error.

    What stands there stays what it is, such as a link or a device; see `hive.kit.keep.places`.

    Args:
        path: The file to write.
        private: Whether only its owner may read it, if it is new.

    Raises:
        UserError: The folder is missing or cannot be written, or `path` is a folder or a socket.
    """
    place = find_place(path)
    folder = Path(tempfile.gettempdir()) if place.stream else place.path.parent
    part: Path | None = None
    remove_leftovers(folder)
    try:
        handle, name = tempfile.mkstemp(prefix=_prefix(), suffix=Path(path).suffix, dir=folder)
        os.close(handle)
        part = Path(name)
        yield part
        settle(part, place, private)
    except OSError as error:
        raise UserError(f"cannot write {path}: {reason(error)}") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def check_file(path: Path | str) -> bool:
    """Check before a long run that `whole_file` could write a file; what stands there is left as it is.

    Returns:
        Whether it is a stream, such as a pipe, which is to be written once, at the end.

    Raises:
        UserError: It could not.
    """
    place = find_place(path)
    try:
        if place.stream:
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        else:
            handle, name = tempfile.mkstemp(prefix=_prefix(), dir=place.path.parent)
            os.close(handle)
            os.unlink(name)
    except OSError as error:
        raise UserError(f"cannot write {path}: {reason(error)}") from error
    return place.stream


def check_writable(folder: Path, overwrite: bool = False) -> Path:
    """Return the resolved path of a run folder that `write_run` could create now; call it before a long run.

    It also calls `remove_leftovers` on the parent folder.

    Args:
        folder: The run folder, which need not exist, nor its parents.
        overwrite: Whether an existing run folder (one that holds `config.json`) or an empty folder may be replaced.

    Raises:
        UserError: It exists and may not be replaced, or its parent cannot be written.
    """
    path = Path(folder)
    try:
        path = path.resolve()
        remove_leftovers(path.parent)
        if path.exists():
            _check_replaceable(path, overwrite)
        parent = path.parent
        while not parent.exists():
            parent = parent.parent
        if not parent.is_dir():
            raise UserError(f"cannot create the run folder {folder}: {parent} is a file\n  = help: {_ANOTHER}")
        os.rmdir(tempfile.mkdtemp(prefix=_prefix(), dir=parent))
    except OSError as error:
        raise UserError(f"cannot create the run folder {folder}: {reason(error)}") from error
    return path


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files and folders in `folder` that belong to processes of this host which no longer run.

    A process that was killed while it replaced a run folder may have moved the old one aside: that folder is moved
    back. Files without a temporary name of this module, and files that cannot be removed, are left alone.
    """
    if os.name != "posix":  # elsewhere there is no test whether a process runs
        return
    try:
        entries = list(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        read = _TEMPORARY.fullmatch(entry.name)
        if read and read["host"] == _HOST and not entry.is_symlink() and not _runs(int(read["pid"])):
            with suppress(OSError):
                _remove(entry)


def temporary_folder(parent: Path) -> Path:
    """Make a folder that the next run removes if this process is killed before it does; what is kept in it is `new`.

    Raises:
        OSError: It cannot be made.
    """
    return Path(tempfile.mkdtemp(prefix=_prefix(), dir=parent))


def folder_name(text: str) -> str:
    """Return a name as that of a folder, such as `map_7-agents-1`; other signs than letters and digits become `-`.

    What is too long for a folder loses its end.
    """
    kept = "".join(sign if sign.isalnum() or sign in "_.-" else "-" for sign in text).strip(".-")
    return kept[:_LONGEST_FOLDER] or "unnamed"


def free_folder(name: str, overwrite: bool = False, usable: Callable[[Path], bool] = lambda folder: False) -> Path:
    """Return the default folder of a run: `runs/NAME`, with a number if that exists and may not be replaced.

    Args:
        name: Name of the folder.
        overwrite: Whether an existing folder may be replaced.
        usable: Whether an existing folder is taken all the same.
    """
    folder, number = _RUNS / name, 1
    while folder.exists() and not overwrite and not usable(folder):
        number += 1
        folder = _RUNS / f"{name}-{number}"
    return folder


def write_run(
    folder: Path,
    files: Mapping[str, Content],
    overwrite: bool = False,
    note: Callable[[Path], None] | None = None,
) -> Path:
    """Create a run folder atomically.

    A run that fails leaves no folder, and a folder that it should have replaced is unchanged.

    Args:
        folder: The run folder; missing parents are made.
        files: Maps each name, with `/` for subfolders, to a text, bytes, or a function that writes the file at a given
            path. `config.json` must be among them: it marks a run folder.
        overwrite: Whether to replace an existing run folder or an empty folder.
        note: Called with the finished folder before it is moved to its place.

    Returns:
        The resolved path of the folder.

    Raises:
        UserError: The folder exists and may not be replaced, or it cannot be written.
        ValueError: `config.json` is missing, or a name leads out of the folder.
    """
    names = [PurePosixPath(name) for name in files]
    if MARK not in files or any(name.is_absolute() or ".." in name.parts for name in names):
        raise ValueError(f"a run folder holds {MARK} and names inside itself, not {sorted(files)}")
    path = check_writable(folder, overwrite)
    try:
        make_folder(path.parent)
        beside = temporary_folder(path.parent)
    except OSError as error:
        raise UserError(f"cannot create the run folder {folder}: {reason(error)}") from error
    try:
        fresh = beside / "new"
        fresh.mkdir()
        for name, content in files.items():
            _fill(fresh / name, content)
        if note:
            note(fresh)
        if path.exists():  # also one that another process wrote since the check above
            _check_replaceable(path, overwrite)
        _swap(fresh, path, beside / "old" / path.name)
    except OSError as error:
        raise UserError(f"cannot write the run folder {folder}: {reason(error)}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return path


def versions(device: bool = True) -> dict[str, str | int | bool | None]:
    """Return what a run depends on: versions of packages and Python, platform, device, commit; None if unknown.

    `dirty` says whether the checkout had uncommitted changes.

    Args:
        device: Whether to query the device, which starts JAX's backend.
    """
    found: dict[str, str | int | bool | None] = {}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    found |= {"python": platform.python_version(), "platform": platform.platform()}
    if device:
        import jax

        devices = jax.devices()
        found |= {"device": devices[0].device_kind, "backend": devices[0].platform, "devices": len(devices)}
    commit, dirty = _checkout(Path(__file__).resolve())
    return found | {"commit": commit, "dirty": dirty}


def _check_replaceable(path: Path, overwrite: bool) -> None:
    """Refuse to replace anything but a run folder or an empty folder."""
    if not path.is_dir():
        raise UserError(f"cannot create the run folder {path}: a file of that name exists\n  = help: {_ANOTHER}")
    if not overwrite:
        raise UserError(f"the run folder {path} exists already\n  = help: {_ANOTHER}, or replace it with --overwrite")
    here = Path.cwd()
    if path in (here, *here.parents, Path.home(), *Path.home().parents):
        raise UserError(f"will not replace {path}: it holds the current folder or a home folder\n  = help: {_ANOTHER}")
    inside = {entry.name for entry in path.iterdir()}
    if inside and (MARK not in inside or ".git" in inside):
        raise UserError(
            f"will not replace {path}: it is not empty and not a run folder (no {MARK}, or a checkout)\n"
            f"  = help: {_ANOTHER}"
        )


def _fill(path: Path, content: Content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name == EXCHANGES:
        path.touch(PRIVATE)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8", newline="\n")
    else:
        content(path)


def _swap(fresh: Path, path: Path, aside: Path) -> None:
    """Move the finished folder to its place; an old folder is moved aside first, and moved back if that fails."""
    fresh.chmod(0o777 & ~umask())
    if not path.exists():
        fresh.rename(path)
        return
    aside.parent.mkdir()
    path.rename(aside)
    try:
        fresh.rename(path)
    except OSError:
        aside.rename(path)
        raise


def _remove(left: Path) -> None:
    """Remove a file or folder that a killed process left; a run folder that it had moved aside is moved back."""
    if not left.is_dir():
        left.unlink()
    elif {inside.name for inside in left.iterdir()} <= {"new", "old"}:
        for old in (left / "old").glob("*"):
            if not (left.parent / old.name).exists():
                old.rename(left.parent / old.name)
        shutil.rmtree(left, ignore_errors=True)


def _prefix() -> str:
    """Return how the temporary names of this process begin; `tempfile` adds eight random characters."""
    return f".hive-{_HOST}-{os.getpid()}-"


def _runs(pid: int) -> bool:
    """Return whether a process of this host runs; signal 0 only asks."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # the process belongs to another user
        return True
    return True


def _checkout(file: Path) -> tuple[str | None, bool | None]:
    """Return the commit and whether there are changes if git tracks `file`, else `(None, None)`."""
    if _git(file, "ls-files", "--error-unmatch", "--", file.name) is None:
        return None, None
    changes = _git(file, "status", "--porcelain")
    return _git(file, "rev-parse", "HEAD"), None if changes is None else bool(changes)


def _git(file: Path, *arguments: str) -> str | None:
    """Return the output of git in the folder of `file`; None where git or the checkout is missing."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=file.parent,
            env=surroundings,
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
