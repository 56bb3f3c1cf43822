"""What the commands for learners share: the packages that they need."""

from __future__ import annotations

from importlib.util import find_spec

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
