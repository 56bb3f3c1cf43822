"""What commanded the units of a recorded game: the steps of both plans, who obeyed which, and the leaves that won."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hive.view.palette import SIDE_NAMES

WAITING, ACTIVE, ACHIEVED = range(3)  # states of a step


@dataclass(frozen=True)
class Step:
    """One step of a side's plan.

    Attributes:
        side: 0 player, 1 enemy.
        number: As written in the plan.
        after: Numbers of the steps it waits for.
        objective: As written in the plan, such as `position` or `elimination all`.
        achieved: Tick at which it was achieved, or -1.
    """

    side: int
    number: int
    after: tuple[int, ...]
    objective: str
    achieved: int


@dataclass(frozen=True)
class Group:
    """One group of a step.

    Attributes:
        step: Index into the steps of the course.
        units: Ids in its own team, as a plan writes them.
        target: Cell that it goes to.
        behaviour: Name of its tree, with the target types where the plan names any.
    """

    step: int
    units: str
    target: tuple[int, int]
    behaviour: str


@dataclass(frozen=True, eq=False)
class Course:
    """The plans in T frames of N units: P steps and G groups of both sides, the player's first, and L leaves.

    Attributes:
        steps: [P].
        groups: [G].
        leaves: [L]. Behaviour and text of each leaf that may win.
        active: bool [T, P]. Whether a step is active after the frame's tick.
        group: int [T, N]. Group that commands a unit after the frame's tick, or -1: none yet.
        leaf: int [T, N]. Leaf that won in the frame's tick, or -1: the unit is dead, was not commanded, or no leaf won.
        score: float [T]. The player's score after the frame's tick; infinite where it has none.
        score_is: What the score measures.
        outcome: How the game ended.

    Raises:
        ValueError: Shapes disagree, or an index is outside its range.
    """

    steps: tuple[Step, ...]
    groups: tuple[Group, ...]
    leaves: tuple[tuple[str, str], ...]
    active: NDArray[np.bool_]
    group: NDArray[np.integer]
    leaf: NDArray[np.integer]
    score: NDArray[np.floating]
    score_is: str
    outcome: str

    def __post_init__(self) -> None:
        """Refuse fields that do not fit together."""
        frames = len(self.score)
        wanted = {"active": (frames, len(self.steps)), "group": self.leaf.shape, "score": (frames,)}
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"course: {name} has shape {getattr(self, name).shape}, expected {shape}")
        for name, top in (("group", len(self.groups)), ("leaf", len(self.leaves))):
            values = getattr(self, name)
            if not ((values >= -1) & (values < top)).all():
                raise ValueError(f"course: {name} must be -1 or an index below {top}")
        if not all(0 <= group.step < len(self.steps) for group in self.groups):
            raise ValueError(f"course: the step of a group must be an index below {len(self.steps)}")
        if not all(0 <= step.side < len(SIDE_NAMES) for step in self.steps):
            raise ValueError("course: the side of a step must be 0 or 1")

    def states(self, tick: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Return uint8 [T, P]: WAITING, ACTIVE or ACHIEVED, for frames at the ticks `tick`, int [T]."""
        achieved = np.array([step.achieved for step in self.steps], int)
        done = (achieved >= 0) & (achieved <= np.asarray(tick)[:, None])
        return np.where(done, ACHIEVED, np.where(self.active, ACTIVE, WAITING)).astype(np.uint8)
