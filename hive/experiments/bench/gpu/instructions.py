"""The instructions of a compiled program, read from XLA's dump of it, and the bytes that each has to move."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

_INSTRUCTION = re.compile(r"\s+(ROOT )?%([\w.\-]+) = (.*?) ([\w\-]+)\((.*)")
_COMPUTATION = re.compile(r"(?:ENTRY )?%([\w.\-]+) \(.*\{$")
_SHAPE = re.compile(r"\b(pred|[suf]\d+\w*|bf16|c64|c128)\[([\d,]*)\]")
_OPERAND = re.compile(r"%([\w.\-]+)(?:#(\d+))?")
_SEES_THROUGH = ("bitcast", "reshape")
_PARTS = ("gather", "dynamic-slice", "slice")
_IN_PLACE = {"dynamic-update-slice": 1, "scatter": 2}  # operand that is written
_SECTOR = 32  # bytes that a GPU reads at least


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        shapes: Bytes and elements of its result, or of each part of a tuple.
        operands: Names of its operands, each with the number of the part of a tuple that is meant, or None.
        rest: The text after its operands.
    """

    name: str
    kind: str
    shapes: tuple[tuple[int, int], ...]
    operands: tuple[tuple[str, int | None], ...]
    rest: str
    is_root: bool

    def attribute(self, name: str) -> str:
        """An attribute such as `calls`, without the percent sign; empty if there is none."""
        found = re.search(rf"\b{name}=%?([\w.\-]+)", self.rest)
        return found[1] if found else ""

    @cached_property
    def origin(self) -> str:
        """What JAX calls the operation, such as `jit(tick)/loop3/while`."""
        found = re.search(r'op_name="([^"]*)"', self.rest)
        return found[1] if found else ""

    @cached_property
    def turns(self) -> int | None:
        """Turns of a loop, if the compiler knows them."""
        found = re.search(r'"known_trip_count":\{"n":"(\d+)"', self.rest)
        return int(found[1]) if found else None

    @property
    def size(self) -> int:
        """Bytes of the result."""
        return sum(size for size, _ in self.shapes)


class Instructions:
    """All instructions of a program, by name; within a module of XLA names are unique."""

    def __init__(self, text: str) -> None:
        """Read the dump `*gpu_after_optimizations.txt`."""
        self._computations: dict[str, dict[str, Instruction]] = {}
        self._all: dict[str, Instruction] = {}
        here: dict[str, Instruction] = {}
        for line in text.splitlines():
            if found := _COMPUTATION.match(line):
                here = self._computations.setdefault(found[1], {})
            elif found := _INSTRUCTION.match(line):
                one = _read(*found.groups())
                here[one.name] = self._all[one.name] = one

    def __contains__(self, name: str) -> bool:
        """Whether the program has an instruction of that name."""
        return name in self._all

    def __getitem__(self, name: str) -> Instruction:
        """The instruction of that name."""
        return self._all[name]

    def deciding(self) -> dict[str, Instruction]:
        """All loops and conditionals by name."""
        return {name: one for name, one in self._all.items() if one.kind in ("while", "conditional")}

    def sorted_elements(self, name: str) -> int:
        """Elements that an instruction sorts, 0 if it is no sort."""
        one = self._all[name]
        if one.kind == "sort":
            return one.shapes[0][1]
        inner = self._computations.get(one.attribute("calls"), {})
        return max((each.shapes[0][1] for each in inner.values() if each.kind == "sort"), default=0)

    def traffic(self, name: str) -> int:
        """Return the bytes that an instruction has to read and write.

        An operand counts whole, except one of which only parts are taken: there, 32 bytes for each part or what the
        part holds, if that is more. A result counts whole, except one that is changed in place: there, the change.
        """
        one = self._all[name]
        inner = self._computations.get(one.attribute("calls"))
        if one.kind != "fusion" or inner is None:
            return one.size + sum(_size_of(self._all, operand) for operand in one.operands)
        parameters = [each for each in inner.values() if each.kind == "parameter"]
        root = next(each for each in inner.values() if each.is_root)
        parts = [inner[given] for given, _ in root.operands] if root.kind == "tuple" else [root]
        users: dict[str, list[tuple[int, Instruction]]] = {}
        for each in inner.values():
            for place, (given, _) in enumerate(each.operands):
                users.setdefault(given, []).append((place, each))
        return sum(_read_of(each, users) for each in parameters) + sum(_written(each, inner) for each in parts)


def _read(root: str | None, name: str, shape: str, kind: str, after: str) -> Instruction:
    shapes = tuple(_measure(*found) for found in _SHAPE.findall(shape))
    given, _, rest = after.partition(")")
    operands = tuple((who, int(part) if part else None) for who, part in _OPERAND.findall(given))
    return Instruction(name, kind, shapes, operands, rest, root is not None)


def _measure(kind: str, sides: str) -> tuple[int, int]:
    elements = math.prod(int(side) for side in sides.split(",") if side)
    bits = re.search(r"\d+", kind)
    return elements * max(1, int(bits[0]) // 8 if bits else 1), elements


def _size_of(known: Mapping[str, Instruction], operand: tuple[str, int | None]) -> int:
    name, part = operand
    if name not in known:
        return 0
    shapes = known[name].shapes
    return shapes[part][0] if part is not None and part < len(shapes) else known[name].size


def _read_of(one: Instruction, users: Mapping[str, list[tuple[int, Instruction]]]) -> int:
    """Bytes of a value that those who use it need; at most all."""
    needed = 0
    for place, user in users.get(one.name, ()):
        if user.kind in _SEES_THROUGH:
            needed += _read_of(user, users)
        elif user.kind in _PARTS and place == 0:
            needed += _parts(user)
        elif user.kind not in _IN_PLACE or place != 0:
            return one.size
    return min(one.size, needed)


def _parts(one: Instruction) -> int:
    """Bytes that are read to take parts of an array."""
    if one.kind != "gather":
        return one.size
    sides = re.search(r"slice_sizes=\{([\d,]*)\}", one.rest)
    each = math.prod(int(side) for side in sides[1].split(",") if side) if sides else 1
    elements = max(one.shapes[0][1], 1)
    return max(one.size, elements // max(each, 1) * _SECTOR)


def _written(one: Instruction, inner: Mapping[str, Instruction]) -> int:
    while one.kind in _SEES_THROUGH and one.operands[0][0] in inner:
        one = inner[one.operands[0][0]]
    if one.kind in _IN_PLACE:
        return _size_of(inner, one.operands[_IN_PLACE[one.kind]])
    return one.size
