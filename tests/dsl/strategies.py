"""Random trees and plans for laws: every value is one that its language can write."""

from __future__ import annotations

from functools import cache
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
    PlanContext,
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
from dsl.vocabulary import BEHAVIOURS, FORMS, UNIT_TYPES, Feature, Form

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
"""What `st.text()` gives as well, but for that it looks through all characters for those of a codec first."""

TEAM = 40
FOES = 30
MAP = 50


@cache
def _types() -> st.SearchStrategy[tuple[str, ...]]:
    named = st.lists(st.sampled_from(UNIT_TYPES), min_size=1, max_size=3).map(tuple)
    return st.one_of(st.just(()), st.just(("any",)), named)


@cache
def _leaf(form: Form) -> st.SearchStrategy[Leaf]:
    args = st.tuples(*(st.sampled_from(slot) for slot in form.slots))
    return st.builds(Leaf, st.just(form.role), st.just(form.name), args, _types() if form.types else st.just(()))


@cache
def trees() -> st.SearchStrategy[Node]:
    """Trees of any shape, with every atomic in every form."""

    def parents(children: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        several = st.lists(children, min_size=1, max_size=4).map(tuple)
        return st.one_of(several.map(Sequence), several.map(Fallback))

    return st.recursive(st.sampled_from(FORMS).flatmap(_leaf), parents, max_leaves=12)


@cache
def _unit_lists(low: int, high: int) -> st.SearchStrategy[UnitList]:
    """Lists of units in `[low, high)`, which is not empty; bounds are left out only where that means the same."""
    single = st.integers(low, high - 1)
    bounds = st.lists(st.integers(low, high), min_size=2, max_size=2, unique=True).map(sorted)
    items = st.one_of(single, bounds.map(lambda pair: UnitSlice(*pair)))
    lists = st.lists(items, min_size=1, max_size=4).map(lambda found: UnitList(tuple(found)))
    if low == 0:
        lists |= st.integers(1, high).map(lambda stop: UnitList((UnitSlice(None, stop),)))
    return lists


@cache
def _whole(size: int) -> st.SearchStrategy[UnitList]:
    open_end = st.integers(0, size - 1).map(lambda start: UnitList((UnitSlice(start, None),)))
    return st.one_of(st.just(UnitList(None)), st.just(UnitList((UnitSlice(None, None),))), open_end)


_CELLS = st.tuples(st.integers(0, MAP - 1), st.integers(0, MAP - 1))
_CUTS = st.sets(st.integers(0, TEAM), min_size=2, max_size=5)
_NAMES = st.sampled_from(BEHAVIOURS)
_NUMBERS = st.lists(st.integers(0, 999_999_999), min_size=1, max_size=4, unique=True)


@cache
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
        cuts = sorted(draw(_CUTS))
        unit_lists = [draw(_unit_lists(low, high)) for low, high in pairwise(cuts)]
    return tuple(Group(units, draw(_CELLS), draw(_NAMES), draw(_types())) for units in unit_lists)


@st.composite
def plans(draw: st.DrawFn) -> PlanSyntax:
    """Plans without a fault for a team of `TEAM` against `FOES` on a map of `MAP` metres."""
    numbers = draw(_NUMBERS)
    steps = []
    for place, number in enumerate(numbers):
        earlier = numbers[:place]
        prerequisites = draw(st.lists(st.sampled_from(earlier), max_size=3)) if earlier else []
        steps.append(Step(number, tuple(prerequisites), draw(_objectives()), draw(_groups())))
    return PlanSyntax(tuple(steps))


WORDED = PlanContext(
    team_size=TEAM,
    foe_size=FOES,
    map_size=MAP,
    team_blocks=(("spearmen", 15), ("archer", 33), ("cavalry", TEAM)),
    markers=(("A", (3, 4)),),
    features=(Feature("North Bridge", (20, 40), ((18, 38), (23, 43))), Feature("Hill 203", (5, 5), ((0, 0), (11, 9)))),
)
"""What plans in words may name."""


@st.composite
def worded(draw: st.DrawFn) -> str:
    """Text of a plan in words without a fault in the context `WORDED`, blanks and layout apart."""
    lines: list[str] = []
    for number in range(draw(st.integers(1, 3))):
        after = draw(st.sets(st.integers(0, number - 1), max_size=2)) if number else set()
        objective = draw(st.sampled_from(("position", "time 9", "arrival any", "arrival 80%", "sighted", "losses 5%")))
        lines += [f"Step {number}:", f"prerequisites: {sorted(after)}", f"objective: {objective}"]
        named: list[str] = []
        for kind in draw(st.lists(st.sampled_from(("spearmen", "archer", "[33:40]")), min_size=1, unique=True)):
            shares = st.sampled_from(
                ("", "half of ", "a third of ", "two thirds of ", "40% of ", "3 of ", "2 of half of ")
            )
            named.append(f"{draw(shares)}{kind}")
        named += draw(st.sampled_from(([], ["the rest"], ["half of the rest", "the rest"])))
        split = False  # whether the last group is of chosen units that spread
        for index, units in enumerate(named):
            near = draw(st.sampled_from(("{}", "{}", "nearest 1 of {} to (5, 6)", "{} in (1, 2) - (30, 40)")))
            simple = near != "{}"
            target = draw(_places() | _spreads(simple))
            if index and not simple and not split:
                target = draw(st.just(target) | st.just(f"behind {named[index - 1]} by 8"))
            split = simple and target.startswith(("line", "area"))
            leash = draw(st.sampled_from(("", " within 12")))
            behaviour = f"{draw(st.sampled_from(BEHAVIOURS))}{leash}"
            lines += [f"units: {near.format(units)}", f"- target position: {target}", f"- behavior: {behaviour}"]
    return "\n".join(("BEGIN PLAN", *lines, "END PLAN"))


@cache
def _places() -> st.SearchStrategy[str]:
    cells = _CELLS.map(str)
    named = st.sampled_from(
        ("marker A", "North Bridge", "Hill 203", "north-east", "centre of Hill 203", "south of the map")
    )
    return st.tuples(cells | named, st.sampled_from(("", " via (1, 2)", " under cover"))).map("".join)


@cache
def _spreads(chosen: bool) -> st.SearchStrategy[str]:
    ends = st.tuples(_CELLS.map(str), st.sampled_from(("marker A", "North Bridge", "north")))
    ways = st.sampled_from(("", " via north" if chosen else " via north, (3, 4)"))
    return st.tuples(st.sampled_from(("line", "area")), ends, ways).map(
        lambda found: f"{found[0]} {found[1][0]} - {found[1][1]}{found[2]}"
    )
