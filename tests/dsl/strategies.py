"""Random trees and plans for laws: every value is one that its language can write."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from dsl import (
    Contain,
    Cut,
    Elimination,
    Extinguish,
    Fallback,
    Group,
    Leaf,
    Node,
    Objective,
    PlanSyntax,
    Position,
    Rescue,
    Scout,
    Sequence,
    Step,
    Transport,
    UnitList,
    UnitSlice,
)
from dsl.vocabulary import BEHAVIOURS, FORMS, UNIT_TYPES, Form

TEAM = 40
FOES = 30
MAP = 50


def _types() -> st.SearchStrategy[tuple[str, ...]]:
    named = st.lists(st.sampled_from(UNIT_TYPES), min_size=1, max_size=3).map(tuple)
    return st.one_of(st.just(()), st.just(("any",)), named)


def _leaf(form: Form) -> st.SearchStrategy[Leaf]:
    args = st.tuples(*(st.sampled_from(slot) for slot in form.slots))
    return st.builds(Leaf, st.just(form.role), st.just(form.name), args, _types() if form.types else st.just(()))


def trees() -> st.SearchStrategy[Node]:
    """Trees of any shape, with every atomic in every form."""

    def parents(children: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        several = st.lists(children, min_size=1, max_size=4).map(tuple)
        return st.one_of(several.map(Sequence), several.map(Fallback))

    return st.recursive(st.sampled_from(FORMS).flatmap(_leaf), parents, max_leaves=12)


def _unit_lists(low: int, high: int) -> st.SearchStrategy[UnitList]:
    """Lists of units in `[low, high)`, which is not empty; bounds are left out only where that means the same."""
    single = st.integers(low, high - 1)
    bounds = st.lists(st.integers(low, high), min_size=2, max_size=2, unique=True).map(sorted)
    items = st.one_of(single, bounds.map(lambda pair: UnitSlice(*pair)))
    lists = st.lists(items, min_size=1, max_size=4).map(lambda found: UnitList(tuple(found)))
    if low == 0:
        lists |= st.integers(1, high).map(lambda stop: UnitList((UnitSlice(None, stop),)))
    return lists


def _whole(size: int) -> st.SearchStrategy[UnitList]:
    open_end = st.integers(0, size - 1).map(lambda start: UnitList((UnitSlice(start, None),)))
    return st.one_of(st.just(UnitList(None)), st.just(UnitList((UnitSlice(None, None),))), open_end)


_CELLS = st.tuples(st.integers(0, MAP - 1), st.integers(0, MAP - 1))


def _objectives() -> st.SearchStrategy[Objective]:
    """Objectives of battles and of wildfires."""
    return st.one_of(
        st.just(Position()),
        st.one_of(_unit_lists(0, FOES), _whole(FOES)).map(Elimination),
        st.lists(_CELLS, min_size=1, max_size=4).map(lambda cells: Cut(tuple(cells))),
        st.just(Extinguish()),
        st.builds(Contain, _CELLS, st.integers(0, MAP)),
        st.builds(Rescue, st.integers(1, 999_999_999), _CELLS),
        st.builds(Transport, st.integers(1, TEAM), _CELLS),
        st.builds(Scout, st.none() | st.tuples(_CELLS, _CELLS)),
    )


@st.composite
def _groups(draw: st.DrawFn) -> tuple[Group, ...]:
    """One group of open units, or up to four whose units lie in stretches of their own."""
    if draw(st.booleans()):
        unit_lists = [draw(_whole(TEAM))]
    else:
        cuts = sorted(draw(st.sets(st.integers(0, TEAM), min_size=2, max_size=5)))
        unit_lists = [draw(_unit_lists(low, high)) for low, high in pairwise(cuts)]
    return tuple(Group(units, draw(_CELLS), draw(st.sampled_from(BEHAVIOURS)), draw(_types())) for units in unit_lists)


@st.composite
def plans(draw: st.DrawFn) -> PlanSyntax:
    """Plans without a fault for a team of `TEAM` against `FOES` on a map of `MAP` metres."""
    numbers = draw(st.lists(st.integers(0, 999_999_999), min_size=1, max_size=4, unique=True))
    steps = []
    for place, number in enumerate(numbers):
        earlier = numbers[:place]
        prerequisites = draw(st.lists(st.sampled_from(earlier), max_size=3)) if earlier else []
        steps.append(Step(number, tuple(prerequisites), draw(_objectives()), draw(_groups())))
    return PlanSyntax(tuple(steps))
