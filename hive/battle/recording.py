"""A recording of one game: plain NumPy on the host, ready to be drawn. This module contains no rules of the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dsl.vocabulary import SIDES, UNIT_TYPES
from hive.battle.course import Course
from hive.keep.archive import DataError
from hive.keep.columns import Framed
from hive.world.layers import Layer
from hive.world.shapes import Ground


class FireCode(IntEnum):
    """Codes of a recorded fire; the first three harm units that stand there, and 0 is a cell that does not burn."""

    KINDLED = 1
    FLAMING = 2
    SMOULDERING = 3
    BURNT = 4


@dataclass(frozen=True, eq=False)
class BattleRecording(Framed):
    """One game, frame by frame. T frames, N units, a map of S metres.

    Cells are `[x, y]`, and y grows to the north (docs/rules/battles.md 1.1).

    Attributes:
        title: Heading of the pictures.
        kind: uint8 [S, S]. Terrain bits of each cell: building 1, water 2, forest 4; 0 is normal ground.
        side: int [N]. 0 player, 1 enemy.
        type: int [N]. 0 spearmen, 1 archer, 2 cavalry, 3 balista, 4 dragon, 5 civilian.
        tick: int [T]. Tick of each frame, rising; frames may skip ticks.
        position: float [T, N, 2]. Metres, (x, y).
        health: float [T, N]. A unit is alive while its health is above 0.
        max_health: float [N].
        attack: int [T, N]. Id of the unit attacked in that frame's tick, or -1.
        targets: (x, y, label) of each place a plan sends units to, in metres.
        markers: Letter to (x, y) of each marker set on the map, in metres.
        course: What commanded the units; None if that was not recorded.
        fire: State of the fire in each cell, `FireCode`, else 0; None where nothing can burn.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str] = "hive-recording/1"
    noun: ClassVar[str] = "recording"

    title: str
    kind: NDArray[np.uint8]
    side: NDArray[np.integer]
    type: NDArray[np.integer]
    tick: NDArray[np.integer]
    position: NDArray[np.floating]
    health: NDArray[np.floating]
    max_health: NDArray[np.floating]
    attack: NDArray[np.integer]
    targets: Sequence[tuple[float, float, str]] = ()
    markers: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    course: Course | None = None
    fire: Layer | None = None

    def __post_init__(self) -> None:
        """Refuse fields that do not fit together."""
        t, n, s = len(self.tick), len(self.side), len(self.kind)
        wanted = {
            "kind": (s, s), "side": (n,), "type": (n,), "tick": (t,), "position": (t, n, 2),
            "health": (t, n), "max_health": (n,), "attack": (t, n),
        }  # fmt: skip
        self.check_shapes(wanted)
        if self.fire is not None and self.fire.start.shape != (s, s):
            raise DataError(f"recording: the fire has {self.fire.start.shape} cells, not of {(s, s)}")
        if s == 0 or t == 0:
            raise DataError("recording: it needs a map of at least one cell and at least one frame")
        if self.kind.dtype != np.uint8:
            raise DataError(f"recording: kind is {self.kind.dtype}, expected uint8")
        self.check_ranges({"side": (0, len(SIDES)), "type": (0, len(UNIT_TYPES))})
        if not ((self.attack >= -1) & (self.attack < n)).all():
            raise DataError(f"recording: attack must be -1 or a unit id below {n}")
        self.check_ticks("ticks must rise from frame to frame, from 0 or later")
        for name in ("position", "health", "max_health"):
            if not np.isfinite(getattr(self, name)).all():
                raise DataError(f"recording: {name} holds values that are not finite")
        if self.course is not None and self.course.leaf.shape != (t, n):
            raise DataError(f"recording: the course has (frames, units) {self.course.leaf.shape}, not {(t, n)}")

    def save(self, path: Path) -> None:
        """Write it as one file, atomically; see `hive.battle.replay_data`."""
        from hive.battle.replay_data import save_recording

        save_recording(self, path)

    @property
    def units(self) -> int:
        """Number of units, N, the dead included."""
        return len(self.side)

    @property
    def metres(self) -> int:
        """Side of the map, S."""
        return len(self.kind)

    def alive(self, t: int) -> NDArray[np.bool_]:
        """Return bool [N]: whether each unit is alive in frame `t`."""
        return self.health[t] > 0

    def counts(self, t: int) -> tuple[int, int]:
        """Return the number of live units of the player and of the enemy in frame `t`."""
        living = np.bincount(self.side[self.alive(t)], minlength=2)
        return int(living[0]), int(living[1])

    def sizes(self) -> tuple[int, int]:
        """Return the number of units of the player and of the enemy, the dead included."""
        everyone = np.bincount(self.side, minlength=2)
        return int(everyone[0]), int(everyone[1])

    def in_forest(self, t: int) -> NDArray[np.bool_]:
        """Return bool [N]: whether each unit is in a forest cell that is not burnt out in frame `t`."""
        cell = np.clip(self.position[t].astype(int), 0, self.metres - 1)
        inside = (self.kind[cell[:, 0], cell[:, 1]] & Ground.FOREST.value) > 0
        return inside if self.fire is None else inside & (self.fire.at(t)[cell[:, 0], cell[:, 1]] != FireCode.BURNT)

    def moments(self, count: int) -> list[int]:
        """Return up to `count` ticks that summarise the game: start, end, and some between by time and losses."""
        if self.frames == 1:
            return [int(self.tick[0])]
        lost = (self.health <= 0).sum(axis=1)
        passed = (self.tick - self.tick[0]) / (self.tick[-1] - self.tick[0])
        story = passed + np.maximum.accumulate(lost) / max(1, int(lost.max()))
        frames = np.searchsorted(story, np.linspace(story[0], story[-1], count)).clip(0, self.frames - 1)
        return [int(self.tick[t]) for t in np.unique(frames)]

    def caption(self, t: int) -> str:
        """Return a line such as `tick 40: player 480 of 500, enemy 312 of 1,000` for frame `t`."""
        living, total = self.counts(t), self.sizes()
        sides = [f"{name} {living[i]:,} of {total[i]:,}" for i, name in enumerate(SIDES) if total[i]]
        return f"tick {int(self.tick[t]):,}" + (": " + ", ".join(sides) if sides else "")

    def thin(self, every: int) -> BattleRecording:
        """Return the recording with only the last frame and those whose tick is a multiple of `every`.

        Raises:
            ValueError: `every` is below 1.
        """
        kept = kept_frames(self.tick, every)
        kept[-1] = True
        course = self.course
        if course is not None:
            names = ("active", "group", "leaf", "score")
            course = replace(course, **{name: getattr(course, name)[kept] for name in names})
        names = ("tick", "position", "health", "attack")
        fire = None if self.fire is None else self.fire.thin(kept)
        return replace(self, **{name: getattr(self, name)[kept] for name in names}, course=course, fire=fire)


def kept_frames(tick: NDArray[np.integer], every: int) -> NDArray[np.bool_]:
    """Return bool [T]: whether the tick of each frame is a multiple of `every`.

    Raises:
        ValueError: `every` is below 1.
    """
    if every < 1:
        raise ValueError(f"frames are kept every 1 or more ticks, not {every}")
    kept: NDArray[np.bool_] = np.asarray(tick) % every == 0
    return kept
