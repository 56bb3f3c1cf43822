"""What the commands for learners share: the packages that they need, and changes of a task."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import Any

from dsl import UserError
from dsl.wording import listing

_PACKAGES = ("optax", "orbax.checkpoint")


def need() -> None:
    """Check that the packages of the extra `rl` are installed.

    Raises:
        UserError: One is missing.
    """
    missing = [name for name in _PACKAGES if find_spec(name.partition(".")[0]) is None]
    if missing:
        raise UserError(f"training needs {listing(missing, 'and')}\n  = help: pip install 'hive-swarm[rl]'")


def changes_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return the overrides of the task.

    Raises:
        UserError: A rule is set twice.
    """
    changes: dict[str, Any] = {} if args.units is None else {"units": args.units}
    for name, value in args.rules:
        if name in changes:
            raise UserError(f"the rule `{name}` is set twice\n  = help: set each rule once")
        changes[name] = value
    return changes
