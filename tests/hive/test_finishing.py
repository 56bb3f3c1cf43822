"""A command that was killed between its results and the removal of its progress finishes when it is run again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dsl import UserError
from hive.kit.keep import finishing
from hive.kit.keep.finishing import (
    check_results,
    finish_run,
    held_progress,
    hold_progress,
    is_finished,
    progress_of,
)
from hive.kit.keep.runfolder import Content, free_folder, remove_leftovers, write_run

FILES: dict[str, Content] = {"config.json": "{}", "table.txt": "first"}
LATER: dict[str, Content] = {"config.json": "{}", "table.txt": "second"}


def begin(folder: Path) -> None:
    write_run(progress_of(folder), {"config.json": "{}", "part": "1"})


def kill(monkeypatch: pytest.MonkeyPatch, name: str) -> pytest.MonkeyPatch:
    """Let a function of the module end the process, as far as this can be shown."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(finishing, name, end)
    return monkeypatch


def test_a_finished_run_has_no_progress(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    begin(folder)
    finish_run(folder, FILES, overwrite=False)
    assert {entry.name for entry in tmp_path.iterdir()} == {"run"} and not is_finished(folder)
    assert {entry.name for entry in folder.iterdir()} == {"config.json", "table.txt"}
    with pytest.raises(UserError, match="exists already"):
        check_results(folder, overwrite=False, restart=False)


def test_results_that_are_complete_are_left_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The progress is removed, and nothing is written again, since replies of a model would not be the same."""
    folder = tmp_path / "run"
    begin(folder)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        kill(patch, "temporary_folder")
        finish_run(folder, FILES, overwrite=False)
    assert is_finished(folder) and (progress_of(folder) / "part").exists()
    check_results(folder, overwrite=False, restart=False)
    with pytest.raises(UserError, match="exists already"):  # what is dropped cannot be finished
        check_results(folder, overwrite=False, restart=True)
    finish_run(folder, LATER, overwrite=False)
    assert (folder / "table.txt").read_text() == "first"
    assert {entry.name for entry in tmp_path.iterdir()} == {"run"}


def test_the_progress_is_removed_at_once_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets another name first, so that no part of it is ever resumed from; the next run removes that."""
    folder = tmp_path / "run"
    begin(folder)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", lambda *_, **__: None)
        finish_run(folder, FILES, overwrite=False)
    assert not progress_of(folder).exists() and len(list(tmp_path.iterdir())) > 1
    monkeypatch.setattr("hive.kit.keep.runfolder._runs", lambda pid: False)
    remove_leftovers(tmp_path)
    assert {entry.name for entry in tmp_path.iterdir()} == {"run"}


def test_older_results_are_not_taken_for_those_of_the_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with equal settings: a process that is killed before it replaces them has not finished."""
    folder = tmp_path / "run"
    write_run(folder, FILES)
    begin(folder)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):

        def end(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("hive.kit.keep.runfolder._swap", end)
        finish_run(folder, LATER, overwrite=True)
    assert (progress_of(folder) / "finished.json").exists() and not is_finished(folder)
    with pytest.raises(UserError, match="exists already"):
        check_results(folder, overwrite=False, restart=False)
    finish_run(folder, LATER, overwrite=True)
    assert (folder / "table.txt").read_text() == "second" and not progress_of(folder).exists()


def test_a_default_folder_that_is_complete_is_named_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same command without `--out` finishes too, where it would otherwise begin `runs/NAME-2`."""
    monkeypatch.chdir(tmp_path)
    folder = Path("runs/one")
    begin(folder)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        kill(patch, "temporary_folder")
        finish_run(folder, FILES, overwrite=False)
    assert (free_folder("one", False, is_finished), free_folder("one")) == (folder, Path("runs/one-2"))


def test_a_progress_that_another_process_uses_is_refused_until_that_has_ended(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    begin(folder)
    code = (
        "import pathlib, sys; from hive.kit.keep.finishing import hold_progress;"
        " hold_progress(pathlib.Path(sys.argv[1])); print('held', flush=True); input()"
    )
    words = [sys.executable, "-c", code, str(progress_of(folder))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with pytest.raises(UserError, match="another command is at work"):
            hold_progress(progress_of(folder))
        assert held_progress() is None
        other.communicate("\n")
    hold_progress(progress_of(folder))
    hold_progress(progress_of(folder))  # one process may open it again, as when it resumes
    assert held_progress() == progress_of(folder)
    finish_run(folder, FILES, overwrite=False)
    assert held_progress() is None


def test_a_run_folder_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    """Two commands that began at the same time both found the name free; the second one keeps its hands off."""
    folder = tmp_path / "run"

    def write_first(path: Path) -> None:
        write_run(folder, FILES)
        path.write_text("late", encoding="utf-8")

    with pytest.raises(UserError, match="exists already"):
        write_run(folder, {"config.json": "{}", "table.txt": write_first})
    assert (folder / "table.txt").read_text(encoding="utf-8") == "first"
