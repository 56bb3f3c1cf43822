"""`hive bench` and `hive scale`: what they print, keep and refuse; the measuring itself is tested in `tests/bench`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hive.experiments.bench.against import Comparison
from hive.experiments.bench.apart import CaseError
from hive.experiments.bench.rows import ROWS
from tests.cli.conftest import Hive

WHERE = {"device": "cpu", "commit": "0123456789ab", "versions": {}, "load": 0.5, "time": "2026-01-01T00:00:00Z"}


def pretend(row: str, case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Lines as a process would send them: a tick takes 2 us a unit, and the row `swap` fails after its first line."""
    units = case.get("units") or 100
    if row in ("tick", "dense", "sweep"):
        figures = {"tick_ms": units / 500, "dense_ms": units**2 / 1e5, "sweep_ms": units / 900, "limit_ms": units / 2e3}
        yield {"row": row, "units": units, "layout": "scattered", "ground": "open", **figures, **WHERE}
    elif row == "batch":
        for batch in case["batches"]:
            for ground in ("open", "walls"):
                figures = {"batch": batch, "ground": ground, "env_steps_per_s": 9_000 * batch}
                yield {"row": row, "units": units, **figures, **WHERE}
    elif row == "peers":
        about = {"peer": "Other", "version": "1.2", "work": "a battle", "unit": "step", "units": 10, "ratio": 4.0}
        yield {"row": row, **about, "ours": 200.0, "theirs": 50.0, "not_comparable": "its agents do not move", **WHERE}
    else:
        yield {"row": row, "units": units, **WHERE}
    if row == "swap":
        raise CaseError("exit code 1: MemoryError: no room")


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Mapping[str, Any]]]:
    """The cases that were to be measured; none is."""
    seen: list[tuple[str, Mapping[str, Any]]] = []

    def run_apart(row: str, case: Mapping[str, Any], sizes: str) -> Iterator[dict[str, Any]]:
        seen.append((row, case))
        yield from pretend(row, case)

    monkeypatch.setattr("hive.experiments.bench.apart.run_apart", run_apart)
    return seen


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[str]]:
    """Another checkout, whose ticks take 1.25 times as long, and which of the two was measured, in turn."""
    tree, order = (tmp_path / "other").resolve(), list[str]()
    (tree / "hive/experiments/bench").mkdir(parents=True)
    (tree / "hive/experiments/bench/__main__.py").touch()

    def run_apart(row: str, case: Mapping[str, Any], sizes: str, where: Path) -> Iterator[dict[str, Any]]:
        order.append("there" if where == tree else "here")
        for line in pretend(row, case):
            yield line | ({"tick_ms": 1.25 * line["tick_ms"]} if where == tree and "tick_ms" in line else {})

    monkeypatch.setattr("hive.experiments.bench.against.run_apart", run_apart)
    return tree, order


def test_two_checkouts_are_measured_in_turn(hive: Hive, other: tuple[Path, list[str]]) -> None:
    """Neither is always the first, and a verdict needs six rounds that agree."""
    tree, order = other
    ran = hive("bench", "tick", "--quick", "--against", str(tree), "--json", "--out", "against.jsonl")
    assert order == ["here", "there", "there", "here"] * 3
    (line,) = (each for each in ran.json["lines"] if each["figure"] == "tick ms")
    assert (line["row"], line["line"]) == ("tick", "4,000 scattered open")
    assert (line["here"], line["there"]) == ([8.0] * 6, [10.0] * 6)
    assert (line["ratio"], line["least"], line["most"], line["verdict"]) == (0.8, 0.8, 0.8, "better")
    assert {key: line[key] for key in WHERE} == WHERE and {"instructions", "against"} <= line.keys()
    assert [json.loads(text) for text in Path("against.jsonl").read_text().splitlines()] == ran.json["lines"]
    ran = hive("bench", "tick", "--quick", "--against", str(tree), "--rounds", "1")
    assert "4,000 scattered open" in ran.out and "0.80 (0.80 to 0.80)\n" in ran.out


def test_throughputs_are_worse_where_they_are_lower(hive: Hive, other: tuple[Path, list[str]]) -> None:
    assert Comparison("batch", "10", "env steps/s", (8.0,) * 6, (10.0,) * 6, higher_is_better=True).verdict == "worse"
    assert Comparison("batch", "10", "env steps/s", (8.0, 12.0) * 3, (10.0,) * 6, True).verdict == ""
    ran = hive("bench", "batch", "--quick", "--against", str(other[0]), "--json")
    figures = {line["figure"] for line in ran.json["lines"]}
    assert "env steps/s" in figures and {line["verdict"] for line in ran.json["lines"] if line["ratio"] == 1} == {None}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--against no-such-commit", "git has no sources of `no-such-commit`"),
        ("--against .", "git has no sources of `.`"),
        ("--rounds 2", "argument --rounds: nothing to measure in turn with"),
        ("--against HEAD --rounds 0", "--rounds"),
    ],
)
def test_what_cannot_be_measured_in_turn_gets_a_sentence(hive: Hive, words: str, complaint: str) -> None:
    ran = hive("bench", "tick", *words.split())
    assert ran.code == 2 and complaint in ran.err


def test_named_rows_are_measured_in_the_order_of_the_table(
    hive: Hive, asked: list[tuple[str, Mapping[str, Any]]]
) -> None:
    ran = hive("bench", "dense", "tick")
    assert ran.code == 0
    assert asked == [(row, case) for row in ("tick", "dense") for case in ROWS[row].full]
    assert ran.out.index("tick: one tick and its parts") < ran.out.index("dense: the tick, compared")
    assert "100,000  scattered  open      200.00" in ran.out
    assert "measuring tick, 200 units ..." in ran.err


def test_everything_is_measured_by_default_and_quick_is_less(
    hive: Hive, asked: list[tuple[str, Mapping[str, Any]]]
) -> None:
    hive("bench", "--quick")
    assert asked == [(name, case) for name, row in ROWS.items() for case in row.quick if not row.named]


def test_other_programs_stand_in_one_table_at_the_end(hive: Hive) -> None:
    ran = hive("bench", "peers", "sweep", "--quick")
    table = [line.split() for line in ran.out.partition("other programs beside ours\n")[2].splitlines()]
    assert ["Other", "(1.2)", "step,", "a", "battle", "10", "20", "ms", "5", "ms", "4.0x"] in table
    assert ["plain", "C", "sensing", "sweep,", "scattered", "units"] in [line[:6] for line in table]
    ran = hive("bench", "peers", "--quick", "--json")
    assert "4.0x" in ran.err and ran.json["lines"]
    assert "other programs" not in hive("bench", "sweep", "--quick").out


def test_a_gpu_is_counted_only_where_it_is_named(
    hive: Hive, asked: list[tuple[str, Mapping[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hive.experiments.bench.gpu.wheels.missing", lambda: [])
    assert hive("bench", "gpu", "--quick").code == 0
    assert asked == [("gpu", case) for case in ROWS["gpu"].quick]


def test_what_compiling_for_a_gpu_needs_is_said_where_it_is_missing(
    hive: Hive, asked: list[tuple[str, Mapping[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hive.experiments.bench.gpu.wheels._version", {"jax": "0.11.2"}.get)
    ran = hive("bench", "gpu", "maps", "--out", "bench.jsonl")
    assert (ran.code, ran.out, asked) == (2, "", [])
    assert "not installed: jax-cuda13-plugin, jax-cuda13-pjrt, nvidia-cuda-nvcc\n" in ran.err
    assert "= help: `pip install 'hive-swarm[gpu]'` adds it, with Python 3.12 or newer" in ran.err


def test_results_are_kept_one_object_a_line(hive: Hive, tmp_path: Path) -> None:
    ran = hive("bench", "tick", "--quick", "--out", "bench.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "bench.jsonl").read_text().splitlines()]
    assert [line["units"] for line in lines] == [4_000] and {line["row"] for line in lines} == {"tick"}
    assert ran.err.endswith("wrote bench.jsonl: 1 line\n")


def test_an_interrupted_run_keeps_the_lines_before(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And an older file stays until there is a first line."""
    (tmp_path / "bench.jsonl").write_text("older")
    seen: list[str] = []

    def run_apart(row: str, case: Mapping[str, Any], sizes: str) -> Iterator[dict[str, Any]]:
        seen.append((tmp_path / "bench.jsonl").read_text())
        if row == "dense":
            raise KeyboardInterrupt
        yield from pretend(row, case)

    monkeypatch.setattr("hive.experiments.bench.apart.run_apart", run_apart)
    assert hive("bench", "tick", "sweep", "dense", "--quick", "--out", "bench.jsonl").code == 130
    lines = [json.loads(line)["row"] for line in (tmp_path / "bench.jsonl").read_text().splitlines()]
    assert lines == ["tick", "sweep", "sweep"]
    assert [text.count("\n") for text in seen] == [0, 1, 2, 3] and seen[0] == "older"
    assert {path.name for path in tmp_path.iterdir()} == {"bench.jsonl"}


def test_json_is_one_object_on_standard_output(hive: Hive) -> None:
    ran = hive("bench", "tick", "--quick", "--json")
    assert ran.json["quick"] is True and [line["units"] for line in ran.json["lines"]] == [4_000]
    assert "tick ms" in ran.err


def test_a_case_that_fails_is_said_and_the_others_are_measured(hive: Hive, tmp_path: Path) -> None:
    """Honest: exit code 1, and a line of its own in the file."""
    ran = hive("bench", "swap", "compile", "tick", "--quick", "--out", "bench.jsonl")
    assert ran.code == 1
    assert "not measured: swap, 1,000 units: exit code 1: MemoryError: no room" in ran.err
    lines = [json.loads(line) for line in (tmp_path / "bench.jsonl").read_text().splitlines()]
    assert [line["row"] for line in lines] == ["tick", "compile", "swap", "swap"]
    assert lines[-1] == {"row": "swap", "case": {"units": 1_000}, "error": "exit code 1: MemoryError: no room"}


def test_growth_is_fitted_and_drawn(hive: Hive, tmp_path: Path, asked: list[tuple[str, Mapping[str, Any]]]) -> None:
    ran = hive("scale", "--units", 64_000, 1_000, 4_000, "--batch", 1, 4, "--out", "kept")
    assert ran.code == 0
    assert "units ^ 1.000, from 1,000 to 64,000 units at equal density" in ran.out
    folder = tmp_path / "kept"
    assert {file.name for file in folder.iterdir()} == {
        "config.json",
        "scale.jsonl",
        "scale.csv",
        "growth.png",
        "throughput.png",
    }
    config = json.loads((folder / "config.json").read_text())
    assert config["command"] == "hive scale --units 64000 1000 4000 --batch 1 4 --out kept"
    assert config["growth"] == {"exponent": 1.0, "from": 1_000, "to": 64_000} and config["seeds"] == []
    lines = [json.loads(line) for line in (folder / "scale.jsonl").read_text().splitlines()]
    assert len(lines) == 3 + 3 + 2 + 3 * 2 * 2
    assert [case["units"] for row, case in asked if row == "dense"] == [1_000, 4_000]  # the paper's wall
    for name in ("growth.png", "throughput.png"):
        with Image.open(folder / name) as picture:
            assert picture.width > 1_000 and len(picture.convert("RGB").getcolors(2**24) or []) > 100


def test_an_interrupted_scale_resumes_after_its_last_case(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case is measured once: the same command goes on with the next one, and other work does not mix with it."""
    asked: list[str] = []
    stop = "dense"

    def run_apart(row: str, case: Mapping[str, Any], sizes: str) -> Iterator[dict[str, Any]]:
        if row == stop:
            raise KeyboardInterrupt
        asked.append(row)
        yield from pretend(row, case)

    monkeypatch.setattr("hive.experiments.bench.apart.run_apart", run_apart)
    words = ("scale", "--units", 200, 1_000, "--batch", 1, "--out", "kept")
    ran = hive(*words)
    assert ran.code == 130 and "is kept in " in ran.err and asked == ["tick", "tick", "sweep", "sweep"]
    assert [path.name for path in tmp_path.iterdir()] == ["kept.progress"]
    other = hive("scale", "--units", 200, "--batch", 1, "--out", "kept")
    assert other.code == 2 and "belongs to another measurement: `cases` differ" in other.err
    stop = ""
    asked.clear()
    ran = hive(*words)
    assert ran.code == 0 and "resuming after 4 of 9 cases from " in ran.err and asked == ["dense"] * 2 + ["batch"] * 3
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    rows = [json.loads(line)["row"] for line in (tmp_path / "kept" / "scale.jsonl").read_text().splitlines()]
    assert list(dict.fromkeys(rows)) == ["tick", "sweep", "dense", "batch"] and rows.count("tick") == 2


@pytest.mark.slow
def test_one_size_has_no_exponent_and_is_still_drawn(hive: Hive, tmp_path: Path) -> None:
    ran = hive("scale", "--units", 200, "--batch", 1, "--out", "kept", "--json")
    assert ran.code == 0 and ran.json["growth"] is None
    assert (tmp_path / "kept" / "growth.png").is_file()


def test_an_existing_folder_is_refused_before_anything_is_measured(
    hive: Hive, tmp_path: Path, asked: list[tuple[str, Mapping[str, Any]]]
) -> None:
    (tmp_path / "kept").mkdir()
    ran = hive("scale", "--out", "kept")
    assert (ran.code, asked) == (2, []) and "kept exists already" in ran.err
    assert hive("scale", "--quick", "--out", "kept", "--overwrite").code == 0


@pytest.mark.slow
def test_what_another_machine_measured_is_drawn_beside(hive: Hive, tmp_path: Path) -> None:
    """From a file of results, which may hold other rows too."""
    plain = ["scale", "--units", 1_000, 4_000, "--batch", 1, 4]
    far = {"device": "NVIDIA H100", "sizes": "gpu"}
    lines = [
        {"row": "constants", "what": "branch", "us": 8.6, **far},
        {"row": "tick", "units": 64_000, "layout": "scattered", "ground": "open", "tick_ms": 1.6, **far},
        {"row": "batch", "units": 10, "batch": 4_096, "ground": "open", "env_steps_per_s": 12_000_000, **far},
        {"row": "tick", "case": {}, "error": "exit code 1", **far},
    ]
    (tmp_path / "h100.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert hive(*plain, "--out", "alone").code == hive(*plain, "--out", "both", "--beside", "h100.jsonl").code == 0
    for name in ("growth.png", "throughput.png"):
        alone, both = ((tmp_path / folder / name).read_bytes() for folder in ("alone", "both"))
        assert alone != both


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line of row `tick` or `batch`"),
        ("x\n", "far.jsonl:1 is no line of results"),
        ('{"row": "fire"}\n[1]\n', "far.jsonl:2 is no line of results"),
        ('{"row": "tick", "units": 5}\n', "far.jsonl:1 lacks units, tick_ms"),
    ],
)
def test_a_file_that_holds_no_results_is_refused_before_anything_is_measured(
    hive: Hive, tmp_path: Path, asked: list[tuple[str, Mapping[str, Any]]], text: str, message: str
) -> None:
    (tmp_path / "far.jsonl").write_text(text)
    ran = hive("scale", "--out", "kept", "--beside", "far.jsonl")
    assert (ran.code, asked) == (2, []) and message in ran.err
    assert hive("scale", "--out", "kept", "--beside", "none.jsonl").code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bench", "tick", "--sizes", "block=100"], "size `block` is 100\n  = help: it must be a power of two"),
        (["scale", "--out", "kept", "--sizes", "tpu9"], "there is no size `tpu9`"),
        (["bench", "tik"], "there is no row `tik`\n  = help: did you mean `tick`?"),
        (["bench", "dance"], "rows are `tick`, `sweep`"),
        (["bench", "--out", "no/such/file.jsonl"], "cannot write no/such/file.jsonl: there is no folder no/such"),
        (["scale"], "the following arguments are required: --out"),
        (["scale", "--out", "kept", "--units", "4"], "argument --units: 4 is out of range, a measured world"),
        (["scale", "--out", "kept", "--units", "x"], "argument --units: `x` is not a whole number"),
        (["scale", "--out", "kept", "--batch", "100000"], "argument --batch: 100000 is out of range"),
        (["scale", "--out", "kept", "--batch", "0"], "argument --batch: 0 is out of range"),
    ],
)
def test_a_wrong_command_line_is_the_users_input(
    hive: Hive, asked: list[tuple[str, Mapping[str, Any]]], words: list[str], message: str
) -> None:
    ran = hive(*words)
    assert (ran.code, ran.out, asked) == (2, "", []) and message in ran.err
