"""A recording of one game: plain NumPy on the host, ready to be drawn. This module contains no rules of the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dsl.vocabulary import SIDES, UNIT_TYPES
from hive.ground.layers import Layer
from hive.ground.shapes import Ground
from hive.kit.errors import DataError
from hive.kit.keep.archive import Arrays
from hive.kit.keep.fields import Kept, MapField, PlaceField, check_finite, codes, index, kept, numbers, ticks, word
from hive.kit.keep.layout import ArrayLayout, NamedValues
from hive.kit.keep.packing import by_unit
from hive.kit.keep.recording import Recording
from hive.worlds.battle.course import Course, CourseKept
from hive.worlds.battle.scenario import schema


class FireCode(IntEnum):
    """Codes of a recorded fire; the first three harm units that stand there, and 0 is a cell that does not burn."""

    KINDLED = 1
    FLAMING = 2
    SMOULDERING = 3
    BURNT = 4


PUBLISHED_RADIUS = np.array([kind.radius for kind in schema.DEFAULT_TYPES], np.float32)
"""Radius of each unit type in metres, in the order of `dsl.vocabulary.UNIT_TYPES`, where a scenario sets none."""

_LEAST = np.finfo(np.float16).tiny  # least health stored for a living unit


@dataclass(frozen=True)
class _Health(Kept):
    """Health `[T, N]` as its rank among the values that occur, in float16; 0 for dead."""

    def layout(self, name: str) -> ArrayLayout:
        """Return the layout of the ranks and of the values."""
        return {name: ("u1 u2 u4", "N T"), f"{name}_values": ("f4", "values")}

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return ranks and values; shapes and errors are those of `Kept`."""
        found = getattr(recording, name)
        health = np.asarray(found, np.float16)
        health = np.where(found > 0, np.maximum(health, _LEAST), np.float16(0))
        values, rank = np.unique(np.append(health, np.float16(0)), return_inverse=True)
        ranks = by_unit(rank[:-1].reshape(health.shape), len(values))
        return {name: ranks, f"{name}_values": values.astype(np.float32)}, {}

    def unpack(self, name: str, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any], done: Any) -> Any:
        """Return the health; shapes and errors are those of `Kept`."""
        rank, values = arrays[name], arrays[f"{name}_values"]
        if rank.size and rank.max() >= len(values):
            raise DataError(f'the array "{name}" refers to value {rank.max():,} of {len(values):,} in "{name}_values"')
        if not (np.abs(values) <= np.finfo(np.float16).max).all():
            raise DataError(f'the array "{name}_values" holds a value that is not finite')
        return values.astype(np.float16)[rank].T

    def check(self, name: str, recording: Any) -> None:
        """Check the shape, and that all values are finite; shapes and errors are those of `Kept`."""
        check_finite(name, recording, (recording.frames, recording.units))


@dataclass(frozen=True, eq=False)
class BattleRecording(Recording):
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
        radius: float [K]. Metres, by type; by default the radii of a scenario that sets none.

    Raises:
        DataError: Shapes disagree, or a value is outside its range.
    """

    format: ClassVar[str] = "hive-recording/1"
    noun: ClassVar[str] = "recording"

    title: str = word(str)
    kind: NDArray[np.uint8] = codes("S S", stored="S S", type="u1")
    side: NDArray[np.integer] = codes("N", end=len(SIDES), type="u1")
    type: NDArray[np.integer] = codes("N", end=len(UNIT_TYPES), type="u1")
    tick: NDArray[np.integer] = ticks()
    position: NDArray[np.floating] = kept(PlaceField("N", "S", "kind"))
    health: NDArray[np.floating] = kept(_Health())
    max_health: NDArray[np.floating] = numbers("N")
    attack: NDArray[np.integer] = index("T N", of="N")
    targets: Sequence[tuple[float, float, str]] = word(
        [(float, float, str)],
        dump=lambda targets: [list(target) for target in targets],
        read=lambda said: [(float(x), float(y), label) for x, y, label in said],
        default=(),
    )
    markers: Mapping[str, tuple[float, float]] = word(
        NamedValues((float, float)),
        dump=lambda markers: {letter: list(place) for letter, place in markers.items()},
        read=lambda said: {letter: (float(x), float(y)) for letter, (x, y) in said.items()},
        default_factory=dict,
    )
    course: Course | None = kept(CourseKept(), default=None)
    fire: Layer | None = kept(MapField("S", FireCode.BURNT + 1, optional=True), default=None)
    radius: NDArray[np.floating] = numbers("K", default_factory=PUBLISHED_RADIUS.copy)

    def lengths(self) -> Mapping[str, int]:
        """Units, the side of the map, and unit types."""
        return {"N": len(self.side), "S": len(self.kind), "K": len(UNIT_TYPES)}

    def check(self) -> None:
        """Check the map.

        Raises:
            DataError: It is empty or not of bytes.
        """
        if len(self.kind) == 0:
            raise DataError("recording: it needs a map of at least one cell")
        if self.kind.dtype != np.uint8:
            raise DataError(f"recording: kind is {self.kind.dtype}, expected uint8")
        if (self.radius < 0).any():
            raise DataError("recording: a radius is negative")

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
