"""Imports go one way: dsl <- bt <- hive <- scripts; scenarios is data; inside hive, from the ground up."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.arch.sources import PACKAGES, imports, modules

ALLOWED = {  # of our own packages
    "dsl": {"dsl"},
    "bt": {"dsl", "bt"},
    "scenarios": {"scenarios"},
    "hive": {"dsl", "bt", "scenarios", "hive"},
    "scripts": {"hive"},
}
NUMERIC = {"jax", "jaxlib", "flax", "chex", "jaxtyping", "numpy"}

# Rooms of hive that a room may not know.
UPPER = {"hive.bench", "hive.view", "hive.llm", "hive.rl", "hive.cli"}
UNKNOWN = {
    "hive.world": {"hive.units", "hive.plan", "hive.wildfire", *UPPER},
    "hive.units": {"hive.plan", "hive.wildfire", *UPPER},
    "hive.plan": {"hive.wildfire", *UPPER},
    "hive.wildfire": UPPER,
    "hive.bench": UPPER - {"hive.bench"},
    "hive.view": {"hive.llm", "hive.rl", "hive.cli"},
    "hive.llm": {"hive.rl", "hive.cli"},
    "hive.rl": {"hive.cli"},
}

ALL = modules(*PACKAGES, "scripts")


def targets(name: str, when_loaded: bool = False) -> list[tuple[str, int]]:
    """What a module imports, as modules where they are ours, with the line; all of it or what loading it runs."""
    found = []
    for each in imports(name, ALL[name]):
        if when_loaded and not each.when_loaded:
            continue
        inner = [f"{each.module}.{part}" for part in each.names if f"{each.module}.{part}" in ALL]
        outer = [each.module] if len(inner) < max(len(each.names), 1) else []
        found += [(target, each.line) for target in inner + outer]
    return found


def within(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


@pytest.mark.parametrize("package", ALLOWED)
def test_packages_import_only_downwards(package: str) -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if within(name, package)
        for target, line in targets(name)
        if target.split(".")[0] in {*ALLOWED, "tests"} - ALLOWED[package]
    ]
    assert not wrong


def test_dsl_and_scenarios_import_no_numeric_library() -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if within(name, "dsl") or within(name, "scenarios")
        for target, line in targets(name)
        if target.split(".")[0] in NUMERIC
    ]
    assert not wrong


def test_scripts_import_the_command_line_alone() -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name in modules("scripts")
        for target, line in targets(name)
        if target != "sys" and not within(target, "hive.cli")
    ]
    assert not wrong


@pytest.mark.parametrize("room", UNKNOWN)
def test_rooms_of_hive_import_from_the_ground_up(room: str) -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if within(name, room)
        for target, line in targets(name)
        if any(within(target, other) for other in UNKNOWN[room])
    ]
    assert not wrong


def test_only_the_command_line_and_scripts_import_the_command_line() -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if not within(name, "hive.cli") and not within(name, "scripts")
        for target, line in targets(name)
        if within(target, "hive.cli")
    ]
    assert not wrong


def test_commanders_know_no_module_that_makes_or_burns_a_map() -> None:
    """What a crew may know comes to them in a `Report`: wind, slope and unseen cells are out of their reach."""
    allowed = {"dsl", "hive.types", "hive.units.crews", "hive.units.explored", "hive.wildfire.commanders"}
    allowed |= {"hive.wildfire.levels", "hive.wildfire.games", "hive.wildfire.tasks"}
    wrong = [
        f"{name}:{line} imports {target}"
        for name in ALL
        if within(name, "hive.wildfire.commanders")
        for target, line in targets(name)
        if target.split(".")[0] in PACKAGES and not any(within(target, each) for each in allowed)
    ]
    assert not wrong


def test_no_module_needs_itself_to_load() -> None:
    graph = {name: {target for target, _ in targets(name, when_loaded=True) if target in ALL} for name in ALL}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other: {' -> '.join(error.args[1])}")
