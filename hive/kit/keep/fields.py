"""How the fields of recordings are kept: in arrays, in words or in both; `hive.kit.keep.recording` has the table.

Arrays have named axes, `T` frames among them. Numbers are stored agent by agent, so that equal values are adjacent for
the compressor, in the smallest type that holds them; indices from -1 on are stored plus one. Everything else is
"words": JSON in an array of bytes.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.archive import Arrays
from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.keep.layout import ArrayLayout
from hive.kit.keep.packing import fold, layer_layout, pack_layer, smallest, unfold, unpack_layer

KEPT = "kept"
"""Key of the metadata of a field that holds its `Kept`."""


class Kept(ABC):
    """How a field of a recording is kept: in arrays, in words or in both."""

    @property
    def optional(self) -> bool:
        """Whether the arrays of the field may be missing."""
        return False

    def layout(self, name: str) -> ArrayLayout:
        """Return the types and axes of its arrays; by default it has none."""
        return {}

    def form(self, name: str) -> Mapping[str, Any]:
        """Return the forms of its words (`hive.kit.keep.layout`); by default it has none."""
        return {}

    @abstractmethod
    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return its arrays and words."""

    def unpack(self, name: str, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any], done: Any) -> Any:
        """Return its value; by default its array as it is.

        Args:
            name: Name of the field.
            arrays: All arrays of the recording, in the types and shapes of `layout`.
            words: All words, in the forms of `form`.
            done: The fields above it, by name.

        Raises:
            DataError: The values do not fit together.
        """
        return arrays[name]

    def check(self, name: str, recording: Any) -> None:  # noqa: B027
        """Check the value of a recording; by default its own type holds what is allowed.

        Raises:
            DataError: It does not fit the rest.
        """


@dataclass(frozen=True)
class Column(Kept):
    """An array of whole numbers or truth values; see `codes`, `index` and `flags`."""

    axes: str
    least: int
    end: int | str | None
    truth: bool = False
    stored: str = ""  # axes as they are stored; empty: the last ones first joined, frames last
    type: str = ""  # a fixed type; empty: the smallest that holds the values

    def layout(self, name: str) -> ArrayLayout:
        """Return type and axes of its one array."""
        narrow = self.truth or (isinstance(self.end, int) and self.end - self.least <= 1 << 8)
        return {name: (self.type or ("u1" if narrow else "u1 u2 u4"), self._stored())}

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return its one array; shapes and errors are those of `Kept`."""
        values = np.asarray(getattr(recording, name)).transpose(self._order())
        joined = values.reshape(-1, values.shape[-1]) if "*" in self._stored() else values
        shifted = joined.astype(np.uint8) if self.truth else joined - self.least
        end = recording.length(self.end) if self.end is not None else int(shifted.max(initial=0)) + 1 + self.least
        kind = np.dtype(self.type) if self.type else smallest(end - self.least)
        return {name: np.ascontiguousarray(shifted.astype(kind))}, {}

    def unpack(self, name: str, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any], done: Any) -> Any:
        """Return the array, joined axes apart again; shapes and errors are those of `Kept`."""
        stored, axes = arrays[name], self.axes.split()
        if "*" in self._stored():
            fixed = [int(axis) for axis in axes[2:]]
            if len(stored) % int(np.prod(fixed)):
                raise DataError(f"{name} has {len(stored)} rows, not a multiple of {int(np.prod(fixed))}")
            stored = stored.reshape(-1, *fixed, stored.shape[-1])
        values = stored.transpose(np.argsort(self._order()))
        if self.truth or self.type:
            return values.astype(bool) if self.truth else values
        return values.astype(np.int32) + np.int32(self.least)

    def check(self, name: str, recording: Any) -> None:
        """Check the shape and, where it is known, the range; shapes and errors are those of `Kept`."""
        values, noun = getattr(recording, name), recording.noun
        shape = tuple(recording.length(axis) for axis in self.axes.split())
        if values.shape != shape:
            raise DataError(f"{noun}: {name} has shape {values.shape}, expected {shape}")
        end = None if self.end is None else recording.length(self.end)
        if end is not None and values.size and not (values.min() >= self.least and values.max() < end):
            raise DataError(f"{noun}: {name} must lie in {self.least} to {end - 1}")

    def _stored(self) -> str:
        axes = self.axes.split()
        return self.stored or " ".join([*(["*".join(axes[1:])] if axes[1:] else []), axes[0]])

    def _order(self) -> list[int]:
        """Return the permutation from the axes of the field to the stored ones before any are joined."""
        axes, stored = self.axes.split(), self._stored().replace("*", " ").split()
        return list(range(len(axes))) if stored == axes else [axes.index(axis) for axis in stored]


@dataclass(frozen=True)
class TickField(Kept):
    """The tick of each frame, `[T]`, rising."""

    def layout(self, name: str) -> ArrayLayout:
        """Return the layout of its one array."""
        return {name: ("i4", "T")}

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return its one array; shapes and errors are those of `Kept`."""
        return {name: getattr(recording, name).astype(np.int32)}, {}

    def check(self, name: str, recording: Any) -> None:
        """Check that there is a frame and that ticks rise; shapes and errors are those of `Kept`."""
        found = getattr(recording, name)
        if found.ndim != 1 or not len(found) or found[0] < 0 or (found[1:] <= found[:-1]).any():
            raise DataError(f"{recording.noun}: it needs a frame, and ticks that rise from 0 or later")


@dataclass(frozen=True)
class WordField(Kept):
    """A field that is kept in words alone; see `word` and `words`."""

    forms: Mapping[str, Any] | Any
    dump: Callable[[Any], Any]
    read: Callable[[Any, Any], Any]
    single: bool

    def form(self, name: str) -> Mapping[str, Any]:
        """Return the forms of its words."""
        found: Mapping[str, Any] = {name: self.forms} if self.single else self.forms
        return found

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return its words; shapes and errors are those of `Kept`."""
        return {}, {name: self.dump(getattr(recording, name))} if self.single else dict(self.dump(recording))

    def unpack(self, name: str, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any], done: Any) -> Any:
        """Return its value; errors of a text are those of the recording; shapes and errors are those of `Kept`."""
        try:
            return self.read(words[name] if self.single else words, done)
        except UserError as error:
            raise DataError(str(error)) from None


@dataclass(frozen=True)
class NumberField(Kept):
    """An array of finite numbers that need no packing, stored as float32.

    Attributes:
        axes: Names or lengths of its axes.
    """

    axes: str

    def layout(self, name: str) -> ArrayLayout:
        """Return the layout of its one array."""
        return {name: ("f4", self.axes)}

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return its one array; shapes and errors are those of `Kept`."""
        return {name: np.asarray(getattr(recording, name), np.float32)}, {}

    def check(self, name: str, recording: Any) -> None:
        """Check the shape, and that all values are finite; shapes and errors are those of `Kept`."""
        check_finite(name, recording, tuple(recording.length(axis) for axis in self.axes.split()))


@dataclass(frozen=True)
class PlaceField(Kept):
    """Places `[T, N, 2]` on a square map, as 16-bit fractions of its side; see `hive.kit.keep.packing.fold`.

    Attributes:
        units: Name of the number of units.
        side: Name of the map's side, of which `map` is the field.
        map: Name of the field above that holds the map.
    """

    units: str
    side: str
    map: str

    def layout(self, name: str) -> ArrayLayout:
        """Return the layout of its one array."""
        return {name: ("u1", f"2 2 {self.units} T")}

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return its one array; shapes and errors are those of `Kept`."""
        return {name: fold(getattr(recording, name), recording.length(self.side))}, {}

    def unpack(self, name: str, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any], done: Any) -> Any:
        """Return the places; shapes and errors are those of `Kept`."""
        return unfold(arrays[name], len(done[self.map]))

    def check(self, name: str, recording: Any) -> None:
        """Check the shape, and that all values are finite; shapes and errors are those of `Kept`."""
        check_finite(name, recording, (recording.frames, recording.length(self.units), 2))


@dataclass(frozen=True)
class MapField(Kept):
    """A map of codes over time, `hive.ground.layers.Layer`; None where it may be missing.

    Attributes:
        side: Name of the map's side.
        codes: Codes are below this number.
        optional: Whether a recording may have none.
    """

    side: str
    codes: int
    optional: bool = False

    def layout(self, name: str) -> ArrayLayout:
        """Return the layout of its arrays."""
        return layer_layout(name)

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return its arrays; shapes and errors are those of `Kept`."""
        layer = getattr(recording, name)
        return ({} if layer is None else pack_layer(name, layer, recording.frames)), {}

    def unpack(self, name: str, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any], done: Any) -> Any:
        """Return the map, or None where its arrays are missing; shapes and errors are those of `Kept`."""
        return None if self.optional and f"{name}_start" not in arrays else unpack_layer(name, arrays, self.codes)

    def check(self, name: str, recording: Any) -> None:
        """Check the size; shapes and errors are those of `Kept`."""
        found, side = getattr(recording, name).start.shape, recording.length(self.side)
        if found != (side, side):
            raise DataError(f"{recording.noun}: {name} is a map of {found}, not of {(side, side)}")


def check_finite(name: str, recording: Any, shape: tuple[int, ...]) -> None:
    """Check the shape of a field of numbers, and that all of them are finite.

    Raises:
        DataError: They are not.
    """
    values = np.asarray(getattr(recording, name))
    if values.shape != shape:
        raise DataError(f"{recording.noun}: {name} has shape {values.shape}, expected {shape}")
    if not np.isfinite(values).all():
        raise DataError(f"{recording.noun}: {name} holds values that are not finite")


@dataclass(frozen=True)
class LineField(Kept):
    """The lines next to a replay, `tuple[Line, ...]`, in the order of time.

    Attributes:
        agents: Name of the number of agents.
        who: What messages call an agent.
    """

    agents: str
    who: str = "agent"

    def form(self, name: str) -> Mapping[str, Any]:
        """Return the form of its words: tick, agent, kind and text of each line."""
        return {name: [(int, int, int, str)]}

    def pack(self, name: str, recording: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return its words; shapes and errors are those of `Kept`."""
        lines: Sequence[Line] = getattr(recording, name)
        return {}, {name: [(line.tick, line.agent, int(line.kind), line.text) for line in lines]}

    def unpack(self, name: str, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any], done: Any) -> Any:
        """Return the lines; shapes and errors are those of `Kept`."""
        rows = words[name]
        if any(kind not in set(LineKind) for _, _, kind, _ in rows):
            raise DataError("a line is of an unknown kind")
        return tuple(Line(tick, agent, LineKind(kind), text) for tick, agent, kind, text in rows)

    def check(self, name: str, recording: Any) -> None:
        """Check that the agents exist; shapes and errors are those of `Kept`."""
        count = recording.length(self.agents)
        if not all(0 <= line.agent < count for line in getattr(recording, name)):
            raise DataError(f"{recording.noun}: a line belongs to {self.who} 0 to {count - 1}")


def kept(how: Kept, **options: Any) -> Any:
    """Return a field of a recording that is kept like this; `options` are those of `dataclasses.field`."""
    return dataclasses.field(metadata={KEPT: how}, **options)


def ticks() -> Any:
    """Return the field of the tick of each frame."""
    return kept(TickField())


def codes(axes: str, end: int | str | None = None, stored: str = "", type: str = "") -> Any:
    """Return a field of whole numbers from 0 on.

    Args:
        axes: Names or lengths of its axes, frames first, as in `T A 3`.
        end: Values are below this number or length; None: any that the type holds.
        stored: Axes as they are stored, as in `A 3 T`; empty: `A*3 T`, the joined ones flat.
        type: Type as it is stored, such as `i4`; empty: the smallest unsigned one.
    """
    return kept(Column(axes, 0, end, stored=stored, type=type))


def numbers(axes: str, **options: Any) -> Any:
    """Return a field of finite numbers, stored as float32.

    Args:
        axes: Names or lengths of its axes.
        **options: Those of `dataclasses.field`.
    """
    return kept(NumberField(axes), **options)


def index(axes: str, of: int | str, stored: str = "") -> Any:
    """Return a field of indices, -1 for none: below `of`, a number or the name of a length."""
    return kept(Column(axes, -1, of, stored=stored))


def flags(axes: str, stored: str = "") -> Any:
    """Return a field of truth values."""
    return kept(Column(axes, 0, None, truth=True, stored=stored))


def word(
    form: Any, *, dump: Callable[[Any], Any] | None = None, read: Callable[[Any], Any] | None = None, **options: Any
) -> Any:
    """Return a field that is one word.

    Args:
        form: Its form in JSON (`hive.kit.keep.layout`).
        dump: Returns the JSON of a value.
        read: Returns the value of JSON.
        **options: Those of `dataclasses.field`.
    """
    how = WordField(form, dump or (lambda value: value), lambda found, _: read(found) if read else found, single=True)
    return kept(how, **options)


def words(
    forms: Mapping[str, Any],
    *,
    dump: Callable[[Any], Mapping[str, Any]],
    read: Callable[[Any, Any], Any],
    **options: Any,
) -> Any:
    """Return a field that is several words.

    Args:
        forms: The form of each in JSON (`hive.kit.keep.layout`).
        dump: Returns the words, given the recording.
        read: Returns the value, given all words of the recording and the fields above this one by name.
        **options: Those of `dataclasses.field`.
    """
    return kept(WordField(forms, dump, read, single=False), **options)


def lines(agents: str, who: str = "agent", **options: Any) -> Any:
    """Return the field of the lines next to a replay.

    Args:
        agents: Name of the number of agents.
        who: What messages call an agent.
        **options: Those of `dataclasses.field`.
    """
    return kept(LineField(agents, who), **options)
