"""The thunks of a compiled program: what the GPU's run time executes, one after another, read from XLA's dump.

A thunk is a kernel, a copy, a call of a library, a graph of those that is launched at once, a loop or a branch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

LOOP, BRANCH, GRAPH = "kWhile", "kConditional", "kCommandBuffer"
GROUPS = (GRAPH, "kSequential")  # thunks that only hold others

_THUNK = re.compile(r"(\s*)(\d+): (k\w+)\s+\[")
_BODY = re.compile(r"\s*(?:No thunks\.)?\s*body:")  # an empty condition is followed by the body in the same line
_LABEL = re.compile(r"(\s*)(false_branch|true_branch|branch_\d+)\b.*:")
_NAMED = re.compile(r'profile_annotation: "([^"]*)"\s+thunk_id: (\d+)')


@dataclass
class Thunk:
    """A thunk with those that it holds.

    Attributes:
        kind: XLA's word, such as `kCustomKernel`.
        name: Of the instruction that it was made from; empty if the dump does not say.
        body: Thunks of a graph, or of one turn of a loop.
        condition: Thunks that decide whether a loop goes on.
        branches: Thunks of each branch, by the label that the dump gives it.
    """

    kind: str
    name: str = ""
    body: list[Thunk] = field(default_factory=list)
    condition: list[Thunk] = field(default_factory=list)
    branches: dict[str, list[Thunk]] = field(default_factory=dict)


@dataclass
class _Open:
    """A thunk whose inner thunks are being read: they are indented more than it and go into `into`."""

    indent: int
    thunk: Thunk
    into: list[Thunk]


def read_thunks(text: str, metadata: str) -> list[Thunk]:
    """Read a program.

    Args:
        text: The dump `*.thunk_sequence_after_thunk_passes.txt`.
        metadata: The dump `*.thunk_metadata.txt`, which names the instruction of each thunk.

    Raises:
        ValueError: A line of the dump has an unknown form.
    """
    names = {int(number): name for name, number in _NAMED.findall(metadata)}
    program = Thunk("kSequential")
    open_thunks = [_Open(-1, program, program.body)]
    for line in text.splitlines():
        if not line.strip() or line.strip() in ("condition:", "No thunks."):
            continue
        if found := _THUNK.match(line):
            indent, kind = len(found[1]), found[3]
            while open_thunks[-1].indent >= indent:
                open_thunks.pop()
            thunk = Thunk(kind, "" if kind == GRAPH else names.get(int(found[2]), ""))
            open_thunks[-1].into.append(thunk)
            open_thunks.append(_Open(indent, thunk, thunk.condition if kind == LOOP else thunk.body))
        elif _BODY.match(line):
            while (last := open_thunks[-1]).thunk.kind != LOOP or last.into is last.thunk.body:
                open_thunks.pop()
                if not open_thunks:
                    raise ValueError(f"a body without a loop in a dump of XLA: {line.strip()}")
            last.into = last.thunk.body
        elif found := _LABEL.match(line):
            while open_thunks[-1].indent >= len(found[1]):
                open_thunks.pop()
            last = open_thunks[-1]
            last.into = last.thunk.branches.setdefault(found[2], [])
        else:
            raise ValueError(f"a line of unknown form in a dump of XLA: {line.strip()}")
    return program.body


def each(thunks: list[Thunk]) -> Iterator[Thunk]:
    """Yield the thunks and all that they hold."""
    for thunk in thunks:
        yield thunk
        for inner in (thunk.condition, thunk.body, *thunk.branches.values()):
            yield from each(inner)
