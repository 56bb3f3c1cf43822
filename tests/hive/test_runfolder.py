"""Run folders and files are written atomically, and nothing that is not ours is ever deleted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dsl import UserError
from hive.kit.keep import runfolder
from hive.kit.keep.runfolder import Content, check_writable, versions, whole_file, write_run
from tests.conftest import ROOT

FILES: dict[str, Content] = {"config.json": "{}", "replies/001.txt": "héllo\n", "raw.bin": b"\x00\x01"}


def listing(folder: Path) -> set[str]:
    """Return every path below `folder`, hidden ones included."""
    return {str(entry.relative_to(folder)) for entry in folder.rglob("*")}


def fail(path: Path) -> None:
    path.write_text("half")
    raise RuntimeError("the run broke")


def test_a_run_folder_holds_text_bytes_and_what_functions_write(tmp_path: Path) -> None:
    made = write_run(tmp_path / "a" / "run", FILES | {"made.txt": lambda path: path.write_text("made") and None})
    assert made == tmp_path / "a" / "run"
    assert (made / "replies" / "001.txt").read_bytes() == "héllo\n".encode()
    assert (made / "raw.bin").read_bytes() == b"\x00\x01" and (made / "made.txt").read_text() == "made"
    assert listing(tmp_path / "a") == {
        "run", "run/config.json", "run/replies", "run/replies/001.txt", "run/raw.bin", "run/made.txt",
    }  # fmt: skip


@pytest.mark.parametrize("exists", [False, True])
def test_a_failing_writer_leaves_everything_as_it_was(tmp_path: Path, exists: bool) -> None:
    if exists:
        write_run(tmp_path / "run", FILES)
    before = listing(tmp_path)
    with pytest.raises(RuntimeError, match="the run broke"):
        write_run(tmp_path / "run", {"config.json": "new", "bad": fail}, overwrite=exists)
    assert listing(tmp_path) == before
    assert not exists or (tmp_path / "run" / "config.json").read_text() == "{}"


def test_a_failing_swap_brings_the_old_folder_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path / "run", FILES)
    before, rename = listing(tmp_path), Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(UserError, match="no space left"):
        write_run(run, {"config.json": "new"}, overwrite=True)
    assert listing(tmp_path) == before and (run / "config.json").read_text() == "{}"


def test_an_existing_folder_is_refused_unless_overwriting(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", FILES)
    for attempt in (lambda: check_writable(run), lambda: write_run(run, FILES)):
        with pytest.raises(UserError, match="exists already"):
            attempt()
    write_run(run, {"config.json": "new"}, overwrite=True)
    assert listing(tmp_path) == {"run", "run/config.json"} and (run / "config.json").read_text() == "new"


def test_overwriting_spares_a_folder_that_is_no_run_folder(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    for attempt in (check_writable, lambda folder, overwrite: write_run(folder, FILES, overwrite)):
        with pytest.raises(UserError, match="not a run folder"):
            attempt(tmp_path / "thesis", True)
    assert listing(tmp_path) == {"thesis", "thesis/chapter.tex"}


def test_overwriting_spares_a_checkout_even_with_a_config(tmp_path: Path) -> None:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "config.json").write_text("{}")
    with pytest.raises(UserError, match="checkout"):
        write_run(tmp_path / "project", FILES, overwrite=True)


def test_overwriting_spares_the_current_folder_its_parents_and_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "home" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "home" / "config.json").write_text("{}")
    with monkeypatch.context() as patch:
        patch.chdir(inner)
        for folder in (inner, Path("."), tmp_path / "home"):
            with pytest.raises(UserError, match="current folder"):
                check_writable(folder, overwrite=True)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    with pytest.raises(UserError, match="home folder"):
        check_writable(tmp_path / "home", overwrite=True)


def test_an_empty_folder_may_be_overwritten(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert (write_run(tmp_path / "run", FILES, overwrite=True) / "raw.bin").exists()


def test_a_link_to_a_run_folder_stays_a_link(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", FILES)
    (tmp_path / "latest").symlink_to(run)
    write_run(tmp_path / "latest", {"config.json": "new"}, overwrite=True)
    assert (tmp_path / "latest").is_symlink() and (run / "config.json").read_text() == "new"


def test_a_file_in_the_way_is_the_users_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder, words in ((tmp_path / "file", "a file of that name"), (tmp_path / "file" / "run", "cannot create")):
        for overwrite in (False, True):
            with pytest.raises(UserError, match=words) as caught:
                check_writable(folder, overwrite)
            assert str(caught.value).endswith("\n  = help: name another folder")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_parent_that_cannot_be_written_is_refused_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(runfolder.tempfile, "mkdtemp", refuse)
    for attempt in (check_writable, lambda folder: write_run(folder, FILES)):
        with pytest.raises(UserError, match=r"cannot create the run folder .*: permission denied"):
            attempt(tmp_path / "deep" / "run")
    assert listing(tmp_path) == set()


def test_checking_leaves_nothing_behind(tmp_path: Path) -> None:
    assert check_writable(tmp_path / "a" / "b" / "run") == tmp_path / "a" / "b" / "run"
    assert listing(tmp_path) == set()


@pytest.mark.parametrize("files", [{"a.txt": ""}, {"config.json": "", "../b": ""}, {"config.json": "", "/tmp/b": ""}])
def test_names_outside_the_folder_or_no_config_are_our_fault(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"config\.json"):
        write_run(tmp_path / "run", files)
    assert listing(tmp_path) == set()


KILLED = """
import os, signal, sys
from pathlib import Path
from hive.kit.keep import runfolder
place, where = Path(sys.argv[1]), sys.argv[2]
die = lambda *args: os.kill(os.getpid(), signal.SIGKILL)
if where == "swap":
    rename = Path.rename
    Path.rename = lambda self, target: die() if self.name == "new" else rename(self, target)
if where == "file":
    with runfolder.whole_file(place) as part:
        part.write_text("half")
        die()
runfolder.write_run(place, {"config.json": "new", "last": die if where == "fill" else ""}, overwrite=True)
"""


def kill(place: Path, where: str) -> None:
    """Write a run folder or a file in a process that is killed on the way."""
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(place), where], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False
    )
    assert ran.returncode == -signal.SIGKILL


@pytest.mark.parametrize("where", ["fill", "swap"])
def test_the_next_run_removes_the_temporary_folder_of_a_killed_one(tmp_path: Path, where: str) -> None:
    """And a folder that was about to be replaced is in its place again."""
    write_run(tmp_path / "run", FILES)
    before = listing(tmp_path)
    kill(tmp_path / "run", where)
    assert any(name.startswith(".hive-") for name in listing(tmp_path)), "else the test shows nothing"
    check_writable(tmp_path / "another")
    assert listing(tmp_path) == before and (tmp_path / "run" / "config.json").read_text() == "{}"


def test_the_next_file_removes_the_temporary_file_of_a_killed_process(tmp_path: Path) -> None:
    kill(tmp_path / "a.txt", "file")
    assert len(listing(tmp_path)) == 1
    with whole_file(tmp_path / "b.txt") as part:
        part.write_text("whole")
    assert listing(tmp_path) == {"b.txt"}


def test_what_belongs_to_a_live_process_another_host_or_another_program_stays(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host = runfolder._HOST
    kept = [
        f".hive-{host}-{os.getpid()}-abcd_123",  # this very process
        f".hive-{host}-{os.getppid()}-abcd_123",
        f".hive-{host}-1-abcd_123",
        f".hive-{host}x-{gone.pid}-abcd_123",
        f".hive-{host}-{gone.pid}-mine",
        f"hive-{host}-{gone.pid}-abcd_123",
        f".hive-{host}-{gone.pid}",
        ".run-abcd_123",
    ]
    for name in set(kept):  # a parent may be process 1
        (tmp_path / name / "new").mkdir(parents=True)
    (tmp_path / f".hive-{host}-{gone.pid}-withmore" / "thesis").mkdir(parents=True)
    (tmp_path / "target").mkdir()
    (tmp_path / f".hive-{host}-{gone.pid}-linked_1").symlink_to(tmp_path / "target")
    before = listing(tmp_path)
    (tmp_path / f".hive-{host}-{gone.pid}-abcd_123" / "new").mkdir(parents=True)
    check_writable(tmp_path / "run")
    assert listing(tmp_path) == before


def test_a_whole_file_replaces_the_old_one_at_the_end_only(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with whole_file(path) as part:
        part.write_text("new")
        assert path.read_text() == "old" and part.suffix == ".txt"
    assert path.read_text() == "new" and listing(tmp_path) == {"a.txt"}
    with pytest.raises(RuntimeError), whole_file(path) as part:
        fail(part)
    assert path.read_text() == "new" and listing(tmp_path) == {"a.txt"}


def test_a_whole_file_gets_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    with whole_file(tmp_path / "a") as part:
        part.write_text("")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_versions_name_what_a_run_depends_on() -> None:
    found = versions()
    assert {"hive-swarm", "jax", "jaxlib", "flax", "numpy", "lark", "python", "platform", "device"} <= set(found)
    assert found["jax"] and found["device"] and {"commit", "dirty"} <= set(found)


def test_the_commit_is_that_of_the_checkout_which_tracks_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        name = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *name, *arguments], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.delenv("GIT_DIR")
    try:
        git("init")
    except OSError:
        pytest.skip("git is not installed")
    (tmp_path / "tracked.py").write_text("")
    git("add", "tracked.py")
    git("commit", "-m", "first")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    commit, dirty = runfolder._checkout(tmp_path / "tracked.py")
    assert commit is not None and len(commit) == 40 and dirty is False
    (tmp_path / "other.py").write_text("")
    assert runfolder._checkout(tmp_path / "tracked.py") == (commit, True)
    assert runfolder._checkout(tmp_path / "other.py") == (None, None), (
        "not tracked: installed inside a foreign checkout"
    )


def test_without_git_the_commit_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert runfolder._checkout(Path(runfolder.__file__)) == (None, None)
