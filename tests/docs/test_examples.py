"""The examples run in small, scripts as a user starts them and notebooks cell by cell; the page names what they use."""

from __future__ import annotations

import json
import re
import runpy
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import jax
import pytest

from tests.arch.sources import PACKAGES as PACKAGES_OF_OURS
from tests.arch.sources import ROOT, imports
from tests.tiers import tiers

FOLDER = ROOT / "examples"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("notebooks/*.ipynb"))
PAGE = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
MOST_LINES, MOST_BYTES = 60, 300_000
LONGER = {"lora_costs": 100}  # it learns, measures and writes a module; tests/cli/test_lora.py runs it
PACKAGES = {"dsl", "hive", "hive.rl", "hive.players.llm"}  # their names are listed in `__all__`

SMALL = {  # of each script: arguments, and what its output must hold
    "commander": ("--units 20", r"\d+ plans, at the ticks 0[\s\S]+1 game: 1 \w+"),
    "plan": ("--units 20 --seeds 1", r"of 1 games; 95% interval"),  # the program of tests of sessions
    "rewards": ("--games 4", r"observes 121 numbers[\s\S]+of your own: [+-]"),
    "team": ("--world rescue/map_7/agents-1", r"Alpha to all: .+[\s\S]+map_7/agents-1 "),
    "throughput": (
        "--task rescue/map_7/agents-1 --num-envs 8 --num-steps 10",
        r"80 steps in [\d.]+ s: [\d,]+ a second",
    ),
    "train": ("--steps 640 --games 4", r"IPPO: won +\d+% of 4 games"),
    "words": ("--units 20 --movie order.gif", r"1 game: 1 \w+[\s\S]+order\.gif: "),
}
PARAMETERS = {  # of each notebook: values for its first cell of code
    "command": {"UNITS": 20, "GAMES": 1},  # the programs of the script `words`
    "evaluate_a_model": {"PROMPTS": 2, "SEEDS": 1, "UNITS": 20},
    "train": {"TASK": "skirmish_5v5", "STEPS": 320, "GAMES": 4},
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty folder, and JAX as users have it."""
    monkeypatch.chdir(tmp_path)
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield tmp_path


def code_cells(name: str) -> list[dict[str, Any]]:
    cells = json.loads((FOLDER / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", tiers(SMALL, slow=["team", "words", "plan", "throughput"]))
def test_a_script_runs(
    name: str, desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words, shown = SMALL[name]
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *words.split()])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert re.search(shown, capsys.readouterr().out)


@pytest.mark.parametrize("name", tiers(NOTEBOOKS, slow=["command"]))
def test_the_cells_of_a_notebook_run(name: str, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *rest = ("".join(cell["source"]) for cell in code_cells(name))
    found: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(first, f"{name}.ipynb", "exec"), found)
    assert found.keys() >= PARAMETERS[name].keys()
    found |= PARAMETERS[name]
    for source in rest:
        exec(compile(source, f"{name}.ipynb", "exec"), found)
    assert capsys.readouterr().out


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_short_and_says_what_it_shows(name: str) -> None:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) < LONGER.get(name, MOST_LINES)
    assert f"`examples/{name}.py`" in PAGE


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_saved_with_sound_outputs(name: str) -> None:
    """Every cell ran once, in order, without an error; pictures are small, and no output names a place of a machine."""
    cells = code_cells(name)
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    assert cells[0]["metadata"]["tags"] == ["parameters"]
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"stream", "display_data", "execute_result"}
    assert all(output.get("name") != "stderr" for output in outputs)
    pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    assert pictures and max(map(len, pictures)) < MOST_BYTES
    assert not re.search(r"/(home|root|tmp|work|Users)/", json.dumps(outputs))
    assert f"(../examples/notebooks/{name}.ipynb)" in PAGE


def test_every_example_is_tested() -> None:
    assert SMALL.keys() | LONGER.keys() == {*SCRIPTS} and PARAMETERS.keys() == {*NOTEBOOKS}


def test_examples_import_what_the_page_names(tmp_path: Path) -> None:
    """Names that are there and not private; modules besides packages with a list of names are in the page's table."""
    files = {name: FOLDER / f"{name}.py" for name in SCRIPTS}
    for name in NOTEBOOKS:
        files[f"{name} (notebook)"] = tmp_path / f"{name}.py"
        files[f"{name} (notebook)"].write_text("\n".join("".join(cell["source"]) for cell in code_cells(name)))
    used = {each for name, path in files.items() for each in imports(name, path) if not each.in_text}
    ours = {each for each in used if each.module.split(".")[0] in (*PACKAGES_OF_OURS, "scripts", "tests")}
    assert not [part for each in ours for part in (*each.module.split("."), *each.names) if part.startswith("_")]
    table = dict(re.findall(r"^\| `(hive\.[\w.]+)` \| (.*) \|$", PAGE, re.MULTILINE))
    assert {each.module for each in ours} - PACKAGES == table.keys()
    for each in ours:
        assert each.module in PACKAGES or all(f"`{name}`" in table[each.module] for name in each.names)
        assert [name for name in each.names if not hasattr(import_module(each.module), name)] == []
