"""Module size, public names, the shims, and what may not stand in a published file."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import tomllib

import pytest

from tests.arch.sources import PACKAGES, ROOT, modules
from tests.conftest import missing

TOOLS = {"scripts.compare"}  # for developers; they import nothing of ours, and call the command line
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:work|root|home|Users)/")


def published() -> list[str]:
    """Files of the repository: those git tracks, and those it would."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        missing(f"git does not list the files here: {listed.stderr.strip()}")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_exist_and_explain_themselves(package: str) -> None:
    module = importlib.import_module(package)

    assert module.__doc__
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        public = getattr(module, name)
        if inspect.isclass(public) or inspect.isfunction(public):
            written = public.__dict__.get("__doc__") if inspect.isclass(public) else public.__doc__
            assert written, f"{package}.{name} has no docstring"
            assert not written.startswith(f"{name}("), f"{package}.{name} has the docstring that a dataclass makes"


def test_names_that_are_loaded_late_are_not_hidden_by_modules() -> None:
    """Importing a module sets its name in its package, so a function `tasks` would be gone after `import tasks`."""
    late = [path for path in ROOT.glob("hive/**/__init__.py") if "attach(" in path.read_text(encoding="utf-8")]
    assert late
    for path in late:
        package = ".".join(path.parent.relative_to(ROOT).parts)
        body = ast.parse(path.read_text(encoding="utf-8")).body
        at_once = {name.name for line in body if isinstance(line, ast.ImportFrom) for name in line.names}
        inside = {each.stem for each in path.parent.iterdir()} - at_once
        assert not inside & set(importlib.import_module(package).__all__), package


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_ship_their_types(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


def test_the_console_command_leads_somewhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for target in project["scripts"].values():
        module, function = target.split(":")
        assert callable(getattr(importlib.import_module(module), function))


def test_scripts_are_shims() -> None:
    for name, path in modules("scripts").items():
        statements = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] not in '"#']
        if name in TOOLS:
            continue
        assert len(statements) <= 3, f"{name} holds logic, which is not installed from there"
        assert path.stem not in PACKAGES, f"{name} hides the package of its name from itself"


def test_no_file_names_a_place_on_one_machine() -> None:
    wrong = []
    for name in published():
        try:
            lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # a picture
        wrong += [f"{name}:{number}" for number, line in enumerate(lines, start=1) if MACHINE_PATH.search(line)]
    assert not wrong
