"""What the commands for learners share: the packages that they need, and changes of a task."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from dsl import UserError
from dsl.wording import listing
from hive.cli.command import option
from hive.cli.options import Numbers, Units
from hive.rl.algorithms import BEST, NEWEST

if TYPE_CHECKING:
    from hive.kit.environment.tasks import LearningTask

_PACKAGES = ("optax", "orbax.checkpoint")
_MAPS = 128  # most maps of a level


def need() -> None:
    """Check that the packages of the extra `rl` are installed.

    Raises:
        UserError: One is missing.
    """
    missing = [name for name in _PACKAGES if find_spec(name.partition(".")[0]) is None]
    if missing:
        raise UserError(f"training needs {listing(missing, 'and')}\n  = help: pip install 'hive-swarm[rl]'")


def test_maps(task: LearningTask, first: int, episodes: int) -> range | None:
    """Return the seeds of maps for games from a seed on; None for a world of one map."""
    return range(first, first + min(episodes, _MAPS)) if task.mapped else None


@dataclass(frozen=True, kw_only=True)
class OfCheckpoint:
    """`--checkpoint`, which parameters of a training run play."""

    title: ClassVar[str] = "what is played"
    checkpoint: Annotated[
        str | None,
        option(
            "parameters of the policies: best, by held-out games during training, or newest; default: the best of "
            "runs that kept one, else the newest",
            choices=(BEST, NEWEST),
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TaskChanges(Units, Numbers):
    """Options that change a task for learners."""

    def changes(self) -> dict[str, Any]:
        """Return the overrides of the task.

        Raises:
            UserError: A rule is set twice.
        """
        changes: dict[str, Any] = {} if self.units is None else {"units": self.units}
        for name, value in self.numbers:
            if name in changes:
                raise UserError(f"the rule `{name}` is set twice\n  = help: set each rule once")
            changes[name] = value
        return changes
