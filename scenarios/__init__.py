"""Shipped scenarios, trees, plans and sets of drawn battles: text files read by name. Data only; nothing is parsed."""

from __future__ import annotations

from importlib.resources import files

__all__ = ["names", "plan", "plans", "read", "read_set", "sets", "tree", "trees"]


def names() -> tuple[str, ...]:
    """Return the names of the shipped scenarios, sorted."""
    return _stems("", ".toml")


def read(name: str) -> str:
    """Return the TOML text of a shipped scenario; raises FileNotFoundError when there is none of that name."""
    return _text("", f"{name}.toml")


def trees() -> tuple[str, ...]:
    """Return the names of the shipped behaviour trees, sorted: the behaviours a plan may name."""
    return _stems("trees", ".bt")


def tree(name: str) -> str:
    """Return the text of a shipped behaviour tree; raises FileNotFoundError when there is none of that name."""
    return _text("trees", f"{name}.bt")


def plans() -> tuple[str, ...]:
    """Return the names of the shipped plans, sorted."""
    return _stems("plans", ".plan")


def plan(name: str) -> str:
    """Return the text of a shipped plan; raises FileNotFoundError when there is none of that name."""
    return _text("plans", f"{name}.plan")


def sets() -> tuple[str, ...]:
    """Return the names of the shipped sets of drawn battles, sorted, such as `battles-v1/test`."""
    folders = [each.name for each in files(__name__).joinpath("sets").iterdir() if each.is_dir()]
    return tuple(sorted(f"{each}/{stem}" for each in folders for stem in _stems(f"sets/{each}", ".toml")))


def read_set(name: str) -> str:
    """Return the TOML text of a shipped set; raises FileNotFoundError when there is none of that name."""
    return _text("sets", f"{name}.toml")


def _stems(folder: str, suffix: str) -> tuple[str, ...]:
    entries = files(__name__).joinpath(folder).iterdir()
    return tuple(sorted(e.name.removesuffix(suffix) for e in entries if e.name.endswith(suffix)))


def _text(folder: str, file: str) -> str:
    return files(__name__).joinpath(folder, file).read_text(encoding="utf-8")
