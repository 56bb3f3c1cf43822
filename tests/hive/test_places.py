"""What stands at the place of a written file stays what it is: a link, a device, a pipe, permissions, other names."""

from __future__ import annotations

import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from dsl import UserError
from hive.cli.entry import main
from hive.kit.keep.runfolder import EXCHANGES, check_file, whole_file, write_run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="devices and pipes of POSIX")


def write(path: Path, text: str = "new", private: bool = False) -> None:
    with whole_file(path, private) as part:
        part.write_text(text)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    """Links are followed over several steps, and one that leads to nothing yet makes its target."""
    (tmp_path / "far").mkdir()
    target = tmp_path / "far" / "target.txt"
    target.write_text("old")
    link, second, dangling = tmp_path / "link", tmp_path / "second", tmp_path / "dangling"
    link.symlink_to("far/target.txt")
    second.symlink_to("link")
    dangling.symlink_to("far/fresh.txt")
    write(second)
    write(dangling)
    assert (target.read_text(), (tmp_path / "far" / "fresh.txt").read_text()) == ("new", "new")
    assert link.is_symlink() and second.is_symlink() and dangling.is_symlink()
    assert {entry.name for entry in (tmp_path / "far").iterdir()} == {"target.txt", "fresh.txt"}


def test_a_pipe_and_a_device_are_written_to(tmp_path: Path) -> None:
    """Neither becomes a regular file, nor does what a link to it leads to."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "null").symlink_to(os.devnull)
    heard: list[str] = []
    assert check_file(pipe) and check_file(os.devnull) and not check_file(tmp_path / "file")
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write(pipe, "through the pipe")
    reader.join(10)
    write(tmp_path / "null")
    write(Path(os.devnull))
    assert heard == ["through the pipe"] and stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode) and (tmp_path / "null").is_symlink()
    assert {entry.name for entry in tmp_path.iterdir()} == {"pipe", "null"}


def test_an_open_file_of_this_process_is_written_where_it_stands(tmp_path: Path) -> None:
    """`--out /dev/stdout > FILE` adds to what is in the file, as any output does."""
    with (tmp_path / "file").open("w") as file:
        file.write("before ")
        file.flush()
        write(Path(f"/dev/fd/{file.fileno()}"), "and")
        file.write(" after")
    assert (tmp_path / "file").read_text() == "before and after"


def test_a_socket_and_a_folder_are_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        for check in (check_file, write):
            with pytest.raises(UserError, match="s: it is a socket"):
                check(tmp_path / "s")
        assert stat.S_ISSOCK((tmp_path / "s").stat().st_mode)
    for check in (check_file, write):
        with pytest.raises(UserError, match="it is a folder"):
            check(tmp_path)
        with pytest.raises(UserError, match="there is no folder"):
            check(tmp_path / "missing" / "file")


def test_a_file_keeps_its_permissions_and_a_private_one_gets_them(tmp_path: Path) -> None:
    old, new, secret = tmp_path / "old", tmp_path / "new", tmp_path / "secret"
    old.write_text("old")
    for bits in (0o600, 0o640, 0o444):
        old.chmod(bits)
        write(old)
        assert mode(old) == bits
    write(new)
    write(secret, private=True)
    write(new, private=True)  # it is not new any more
    assert (mode(new) & 0o600, mode(secret)) == (0o600, 0o600) and mode(new) & 0o044 == 0o044 & ~_mask()
    folder = write_run(tmp_path / "run", {"config.json": "{}", EXCHANGES: "{}\n", f"a/{EXCHANGES}": b""})
    assert mode(folder / EXCHANGES) == mode(folder / "a" / EXCHANGES) == 0o600 != mode(folder / "config.json")


def test_a_file_keeps_its_other_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content is then written in place; if that fails, the old content comes back."""
    old, other = tmp_path / "old", tmp_path / "other"
    old.write_text("an old and longer text")
    os.link(old, other)
    write(old)
    assert old.samefile(other) and other.read_text() == "new"
    synced = []

    def full(number: int) -> None:
        synced.append(number)
        if len(synced) == 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="no space left on device"):
        write(other, "newer")
    assert other.read_text() == "new" and {entry.name for entry in tmp_path.iterdir()} == {"old", "other"}


def test_format_write_leaves_links_names_and_permissions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree, name, link = tmp_path / "a.bt", tmp_path / "b.bt", tmp_path / "c.bt"
    for linked in (False, True):
        for path in (tree, name, link):
            path.unlink(missing_ok=True)
        tree.write_text("A   ( stand )")
        tree.chmod(0o600)
        if linked:
            os.link(tree, name)
        link.symlink_to("a.bt")
        assert main(["format", str(link), "--write"]) == 0
        assert tree.read_text() != "A   ( stand )" and mode(tree) == 0o600 and link.is_symlink()
        assert not linked or name.samefile(tree)
    capsys.readouterr()


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
