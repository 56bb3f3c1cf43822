"""The required contents of a kind of file, as tables: its arrays with types and axes, and the fields of its words.

A layout maps the name of each array to its types and its axes. Types are those of `numpy.dtype.str` without the byte
order (`u1`, `f4`), or a kind alone (`i`: of any width). An axis is a length or a name; axes of one name are equally
long. `{"kind": ("u1", "S S"), "health": ("u1 u2", "N T")}` is such a layout.

"Words" are JSON in an array of bytes. Their fields are described by nested values: `str`, `int`, `bool`, `float`
(any finite number), `[field]` (a list), `(field, field)` (a list of that length), `{"name": field}` (an object with
these names; one that ends in `?` may be missing), `NamedValues(field)` (an object with any names) and `Nullable(field)`
(also null).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dsl.wording import is_whole
from hive.kit.errors import DataError

ArrayLayout = Mapping[str, tuple[str, str]]

_WORDS: ArrayLayout = {"words": ("u1", "bytes")}
_MOST_WORDS = 1 << 28  # bytes
_INTS = 1 << 31
_FLOATS = sys.float_info.max  # whole numbers in JSON may be larger


class Shaped(Protocol):
    """An array, or the header of one."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""


class NamedValues(NamedTuple):
    """An object with arbitrary names, whose values have the same form."""

    field: Any


class Nullable(NamedTuple):
    """A value or null."""

    field: Any


@dataclass(frozen=True)
class Format:
    """A kind of recording.

    Attributes:
        name: Name of the format in its words, such as `hive-recording/1`.
        arrays: Arrays that it always holds, in addition to its words.
        parts: Groups of arrays of which either all or none are present.
        words: Fields of its words, `format` included.
    """

    name: str
    arrays: ArrayLayout
    parts: tuple[ArrayLayout, ...]
    words: Mapping[str, Any]

    def check(self, found: Mapping[str, Shaped], array: Callable[[str], NDArray[Any]]) -> dict[str, Any]:
        """Return the words of a recording, after a check of them and of all shapes and types.

        Args:
            found: Its arrays, or their headers, by name.
            array: Returns the values of one of them; called for the words only.

        Raises:
            DataError: It is a recording of another kind, or not a recording.
        """
        words = read_words(found, array)
        if words["format"] != self.name:
            raise DataError(f"its format is {_shown(words['format'])}, expected is {self.name!r}")
        wanted = {**_WORDS, **self.arrays}
        for part in self.parts:
            wanted |= part if part.keys() & found.keys() else {}
        check_layout(found, wanted)
        check_words(words, self.words, "words")
        return words


def read_words(found: Mapping[str, Shaped], array: Callable[[str], NDArray[Any]]) -> dict[str, Any]:
    """Return the words of a recording of any kind: an object that has at least a text `format`.

    Args:
        found: Its arrays, or their headers, by name.
        array: Returns the values of one of them; called for `words`, `[bytes]` uint8.

    Raises:
        DataError: There are no words, or they are not JSON.
    """
    check_layout({name: found[name] for name in _WORDS if name in found}, _WORDS)
    if found["words"].shape[0] > _MOST_WORDS:
        raise DataError(f'the array "words" is longer than {_MOST_WORDS:,} bytes')
    try:
        words = json.loads(array("words").tobytes().decode())
    except UnicodeDecodeError:
        raise DataError('the array "words" is not UTF-8 text') from None
    except (ValueError, RecursionError):  # also numbers of thousands of digits
        raise DataError('the array "words" is not JSON that can be read') from None
    check_words(words if isinstance(words, dict) else {}, {"format": str}, "words", others=True)
    return dict(words)


def check_layout(found: Mapping[str, Shaped], layout: ArrayLayout) -> None:
    """Check names, types and shapes of arrays.

    Args:
        found: The arrays, or their headers.
        layout: The required names, types and shapes.

    Raises:
        DataError: An array is missing, is unknown, or has another type or shape.
    """
    for name in layout:
        if name not in found:
            raise DataError(f'the array "{name}" is missing')
    for name in found:
        if name not in layout:
            raise DataError(f'it holds an unknown array "{name[:40]}"')
    lengths: dict[str, tuple[int, str]] = {}
    for name, (types, axes) in layout.items():
        dtype, shape = found[name].dtype, tuple(found[name].shape)
        if not {dtype.str[1:], dtype.kind} & set(types.split()):
            raise DataError(f'the array "{name}" holds {dtype}, expected {" or ".join(map(_type, types.split()))}')
        if len(shape) != len(axes.split()):
            raise DataError(f'the array "{name}" has {_axes(len(shape))}, expected {len(axes.split())}')
        for number, (axis, length) in enumerate(zip(axes.split(), shape, strict=True)):
            wanted, why = (int(axis), "") if is_whole(axis) else lengths.setdefault(axis, (length, name))
            if length != wanted:
                like = f', as in "{why}"' if why else ""
                raise DataError(f'axis {number} of the array "{name}" has length {length:,}, expected {wanted:,}{like}')


def check_words(value: Any, field: Any, place: str, others: bool = False) -> None:
    """Check a value that was read from JSON.

    Args:
        value: The value.
        field: Its form, as the module docstring describes.
        place: What messages call it.
        others: Whether an object may have other names too; its parts may not.

    Raises:
        DataError: It does not match.
    """
    if isinstance(field, Nullable):
        if value is not None:
            check_words(value, field.field, place)
    elif isinstance(field, NamedValues):
        _demand(isinstance(value, dict), value, "an object", place)
        for name, each in value.items():
            check_words(name, str, f"a name in {place}")
            check_words(each, field.field, f"{place}.{_shown(name)}")
    elif isinstance(field, Mapping):
        _check_fields(value, field, place, others)
    elif isinstance(field, list):
        _demand(isinstance(value, list), value, "a list", place)
        for number, each in enumerate(value):
            check_words(each, field[0], f"{place}[{number}]")
    elif isinstance(field, tuple):
        _demand(isinstance(value, list) and len(value) == len(field), value, f"a list of {len(field)}", place)
        for number, (each, part) in enumerate(zip(value, field, strict=True)):
            check_words(each, part, f"{place}[{number}]")
    else:
        _check_plain(value, field, place)


def _check_fields(value: Any, fields: Mapping[str, Any], place: str, others: bool) -> None:
    """Check an object with the names of `fields`; see `check_words`."""
    _demand(isinstance(value, dict), value, "an object", place)
    needed = {name for name in fields if not name.endswith("?")}
    for name in sorted(needed - value.keys()):
        raise DataError(f"{place}.{name} is missing")
    for name, each in value.items():
        if name in fields or f"{name}?" in fields:
            check_words(each, fields[name if name in fields else f"{name}?"], f"{place}.{name}")
        elif not others:
            raise DataError(f"{place} has an unknown field {_shown(name)}")


def _check_plain(value: Any, field: Any, place: str) -> None:
    """Check a text, a number or a truth value; see `check_words`."""
    if field is str:
        _demand(isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value),
                value, "a text", place)  # fmt: skip
    elif field is int:
        _demand(type(value) is int and abs(value) <= _INTS, value, f"a whole number of at most {_INTS:,}", place)
    elif field is bool:
        _demand(type(value) is bool, value, "true or false", place)
    else:
        _demand(type(value) in (int, float) and abs(value) <= _FLOATS, value, "a finite number", place)


def _demand(holds: bool, value: Any, what: str, place: str) -> None:
    if not holds:
        raise DataError(f"{place} must be {what}, found {_shown(value)}")


def _shown(value: Any) -> str:
    """Return a value as a short ASCII text."""
    if isinstance(value, (list, dict)):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value):,}"
    words = ascii(value[:40] if isinstance(value, str) else value)
    return words if len(words) <= 60 else f"{words[:60]}..."


def _type(code: str) -> str:
    names = {"b": "truth values", "i": "signed whole numbers", "u": "whole numbers", "f": "numbers"}
    return str(np.dtype(code)) if code[1:] else names[code]


def _axes(count: int) -> str:
    return f"{count} {'axis' if count == 1 else 'axes'}"
