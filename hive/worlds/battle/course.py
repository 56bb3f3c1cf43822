"""What commanded the units of a recorded game: the steps of both plans, the units in them, and the winning leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dsl.vocabulary import SIDES
from hive.engine.course import CourseGroup, CourseStep, step_states
from hive.kit.errors import DataError
from hive.kit.keep.archive import Arrays
from hive.kit.keep.fields import Kept
from hive.kit.keep.layout import ArrayLayout, Nullable
from hive.kit.keep.packing import by_unit, index


@dataclass(frozen=True, eq=False)
class Course:
    """The plans in T frames of N units: P steps and G groups of both sides, and L leaves.

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
        DataError: Shapes disagree, or an index is outside its range.
    """

    steps: tuple[CourseStep, ...]
    groups: tuple[CourseGroup, ...]
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
                raise DataError(f"course: {name} has shape {getattr(self, name).shape}, expected {shape}")
        for name, top in (("group", len(self.groups)), ("leaf", len(self.leaves))):
            values = getattr(self, name)
            if not ((values >= -1) & (values < top)).all():
                raise DataError(f"course: {name} must be -1 or an index below {top}")
        if not all(0 <= group.step < len(self.steps) for group in self.groups):
            raise DataError(f"course: the step of a group must be an index below {len(self.steps)}")
        if not all(0 <= step.side < len(SIDES) for step in self.steps):
            raise DataError("course: the side of a step must be 0 or 1")

    def states(self, tick: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Return uint8 [T, P]: WAITING, ACTIVE or ACHIEVED, for frames at the ticks `tick`, int [T]."""
        achieved = np.array([step.achieved for step in self.steps], int)
        done = (achieved >= 0) & (achieved <= np.asarray(tick)[:, None])
        return step_states(np.where(done, achieved, -1), self.active).astype(np.uint8)


def join(parts: Sequence[Course], begins: Sequence[tuple[bool, bool]] = ()) -> Course:
    """Join the courses of a game in which plans are changed.

    Args:
        parts: Courses in the order of time, for the same units; at least one.
        begins: For each part, whether the player and whether the enemy follows a new plan in it; empty: the player in
            all parts, and the enemy in the first one. Those of the first part do not count.

    Returns:
        The first part's steps and groups, with those of a plan that goes on as of the last part, then the later ones.
    """
    first = parts[0]
    steps, groups = list(first.steps), list(first.groups)
    known = [[index for index, step in enumerate(steps) if step.side == side] for side in (0, 1)]  # of the plan now
    led = [[index for index, group in enumerate(groups) if steps[group.step].side == side] for side in (0, 1)]
    active, group_of, number = [first.active], [first.group], [0, 0]
    for at_part, part in enumerate(parts[1:], start=1):
        new = begins[at_part] if begins else (True, False)
        for side in (0, 1):
            if new[side]:
                number[side] += 1
                known[side] = _more(steps, sum(step.side == side for step in part.steps))
                led[side] = _more(groups, sum(part.steps[group.step].side == side for group in part.groups))
        rows = [iter(each) for each in known]
        at = [next(rows[step.side]) for step in part.steps]
        for row, step in zip(at, part.steps, strict=True):
            steps[row] = replace(step, plan=number[step.side])
        rows = [iter(each) for each in led]
        leaders = [next(rows[part.steps[group.step].side]) for group in part.groups]
        for row, group in zip(leaders, part.groups, strict=True):
            groups[row] = replace(group, step=at[group.step])
        now = np.zeros((len(part.score), len(steps)), bool)
        now[:, at] = part.active
        active.append(now)
        group_of.append(np.take([-1, *leaders], np.asarray(part.group) + 1))
    return replace(
        parts[-1],
        steps=tuple(steps),
        groups=tuple(groups),
        active=np.concatenate([np.pad(rows, ((0, 0), (0, len(steps) - rows.shape[1]))) for rows in active]),
        group=np.concatenate(group_of),
        leaf=np.concatenate([part.leaf for part in parts]),
        score=np.concatenate([part.score for part in parts]),
    )


def _more(rows: list[Any], count: int) -> list[int]:
    """Add so many rows, to be filled in, and return their indices."""
    indices = list(range(len(rows), len(rows) + count))
    rows += [None] * count
    return indices


@dataclass(frozen=True)
class CourseKept(Kept):
    """How the course of a recording is kept: its arrays, and a word that is null where there is no course."""

    optional: ClassVar[bool] = True

    def layout(self, name: str) -> ArrayLayout:
        """Return the layout of its arrays."""
        codes = "u1 u2 u4"
        return {"active": ("u1", "T P"), "group": (codes, "N T"), "leaf": (codes, "N T"), "score": ("f4", "T")}

    def form(self, name: str) -> Mapping[str, Any]:
        """Return the form of its word."""
        step = {"side": int, "number": int, "after": [int], "objective": str, "achieved": int, "plan?": int}
        group = {"step": int, "units": str, "target": (float, float), "behaviour": str}
        course = {"steps": [step], "groups": [group], "leaves": [(str, str)], "score_is": str, "outcome": str}
        return {name: Nullable(course)}

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and word; shapes and errors are those of `Kept`."""
        course = getattr(recording, name)
        if course is None:
            return {}, {name: None}
        arrays: Arrays = {
            "active": course.active.astype(np.uint8),
            "group": by_unit(course.group + 1, len(course.groups) + 1),
            "leaf": by_unit(course.leaf + 1, len(course.leaves) + 1),
            "score": course.score.astype(np.float32),
        }
        said = {
            "steps": [asdict(step) for step in course.steps],
            "groups": [asdict(group) for group in course.groups],
            "leaves": course.leaves,
            "score_is": course.score_is,
            "outcome": course.outcome,
        }
        return arrays, {name: said}

    def unpack(self, name: str, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any], done: Any) -> Any:
        """Return the course, or None; shapes and errors are those of `Kept`."""
        said = words[name]
        if (said is None) != ("active" not in arrays):
            raise DataError(
                "it holds one half of the course of its plans: words without arrays, or arrays without words"
            )
        if said is None:
            return None
        return Course(
            steps=tuple(CourseStep(**step | {"after": tuple(step["after"])}) for step in said["steps"]),
            groups=tuple(CourseGroup(**group | {"target": tuple(group["target"])}) for group in said["groups"]),
            leaves=tuple((behaviour, text) for behaviour, text in said["leaves"]),
            active=arrays["active"].astype(bool),
            group=index(arrays["group"]),
            leaf=index(arrays["leaf"]),
            score=arrays["score"],
            score_is=said["score_is"],
            outcome=said["outcome"],
        )

    def check(self, name: str, recording: Any) -> None:
        """Check that it is of the recording's frames and units; shapes and errors are those of `Kept`."""
        found, wanted = getattr(recording, name).leaf.shape, (recording.frames, recording.units)
        if found != wanted:
            raise DataError(f"recording: the course has (frames, units) {found}, not {wanted}")
