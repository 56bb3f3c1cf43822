"""Files of users become structs, or problems that name the place in the text, what is wrong and what is allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from hive.kit.errors import ScenarioError
from hive.kit.keep.locating import Locations
from hive.kit.keep.reading import Line, Problems, Record, TableError, names, worded

ROOT = Path(__file__).parents[2]

FILES = [*sorted((ROOT / "hive").rglob("*.toml"))[::6], ROOT / "scenarios" / "duel.toml", ROOT / "pyproject.toml"]
TRICKY = '''
"a key" = "x # no comment" # a comment
plain.dotted.key = 1.5
many = """
a "quoted" text, [with] {signs}\\"""" # ends here
'single' = \'\'\'it's''\'\'\'
when = 1979-05-27 07:32:00
list = [ # of lists
  [1, 2,
  ], [], { x = [true], y.z = "]" },
]
[table.sub]
key = inf
[[rows]]
name = "one"
[[rows.inner]]
deep = 1
[[rows]]
name = "two"
[rows.part]
last = -17
hexadecimal = 0x1F
'''


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from leaves(each, f"{place}[{number}]")
    else:
        yield place, value


@pytest.mark.parametrize(
    "path", [None, *sorted((ROOT / "hive").rglob("*.toml"))[::6], ROOT / "pyproject.toml"], ids=str
)
def test_every_value_of_a_file_is_found_where_it_stands(path: Path | None) -> None:
    """The text that is found at a key path is the TOML of the value of that path."""
    text = path.read_text(encoding="utf-8") if path else TRICKY
    places = Locations("file", text)
    for place, value in leaves(tomllib.loads(text)):
        found = places.find(place)
        assert found is not None, place
        assert tomllib.loads(f"x = {found.text}") == {"x": value}, place


@pytest.mark.parametrize(
    ("place", "key", "text"),
    [
        ("rows[1].part", False, "[rows.part]"),
        ("rows[1].part.missing", False, "[rows.part]"),
        ("list[2].missing", False, '{ x = [true], y.z = "]" }'),
        ("list[2].y.z", True, "z"),
        ("rows[0].inner[0].deep", True, "deep"),
        ("missing", False, None),
        ("]", False, None),
    ],
)
def test_what_is_missing_is_placed_at_its_table(place: str, key: bool, text: str | None) -> None:
    found = Locations("file", TRICKY).find(place, key)
    assert (found and found.text) == text


def test_the_search_ends_in_every_text() -> None:
    """A text that is no TOML has fewer places, and no error and no endless search."""
    for end in range(len(TRICKY)):
        Locations("file", TRICKY[:end]).find("rows[1].name")


class Inner(Record, frozen=True, kw_only=True):
    """A table with a rule for all of it."""

    low: Annotated[int, Meta(ge=0, le=10)] = 0
    high: Annotated[float, Meta(gt=0, le=10, multiple_of=1 / 4)]

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise TableError(("order", "low is above high", "low", "swap them"))


class Outer(Record, frozen=True, kw_only=True):
    """A table with one key of each type."""

    title: Line = "none"
    kind: Annotated[str, names("kind", ("small", "large"))] = "small"
    flag: bool = False
    pair: tuple[int, int] | None = None
    inner: Annotated[tuple[Inner, ...], Meta(max_length=2)] = ()
    named: Annotated[dict[str, Annotated[int, Meta(ge=1)]], Meta(min_length=1)] | None = None
    goal: Annotated[Literal["any"] | Inner, worded("a goal", 'write "any" or a table')] = "any"


def test_a_right_file_becomes_a_struct_with_its_defaults() -> None:
    """A whole number may be written as 5.0 where an integer is wanted, and as 5 where a number is."""
    problems = Problems("test")
    found = problems.read({"pair": [1.0, 2], "inner": [{"high": 5}], "named": {"a": 3}}, Outer)
    assert found == Outer(pair=(1, 2), inner=(Inner(high=5.0),), named={"a": 3}) and not problems.found
    assert found is not None and found.pair is not None and type(found.pair[0]) is int
    assert type(found.inner[0].high) is float
    assert problems.read({"goal": {"high": 1}, "pair": None}, Outer) == Outer(goal=Inner(high=1.0))


@pytest.mark.parametrize(
    ("line", "code", "place", "says"),
    [
        ("titel = 'x'", "unknown-key", "titel", "did you mean `title`?"),
        ("title = '''a\nb'''", "range", "title", "expected one line of text"),
        ("title = ' '", "range", "title", "not empty"),
        ("kind = 'smal'", "unknown-name", "kind", "did you mean `small`?"),
        ("kind = 3", "type", "kind", "expected the name of a kind, found the number 3"),
        ("flag = 1", "type", "flag", "expected true or false, found the number 1"),
        ("pair = [1]", "type", "pair", "expected a list of 2, found a list of 1"),
        ("pair = [1, true]", "type", "pair[1]", "expected a number, found true"),
        ("pair = [1, 2.5]", "range", "pair[1]", "2.5 is not a whole number"),
        ("inner = [{}]", "missing", "inner[0].high", "a number above 0 up to 10"),
        ("inner = [{ high = 0 }]", "range", "inner[0].high", "0 is out of range"),
        ("inner = [{ high = nan }]", "range", "inner[0].high", "nan is out of range"),
        ("inner = [{ high = 0.3 }]", "range", "inner[0].high", "the nearest is 0.25"),
        ("inner = [{ high = 1, low = 2 }]", "order", "inner[0].low", "swap them"),
        ("inner = [{ high = 1 }, { high = 1 }, { high = 1 }]", "range", "inner", "at most 2"),
        ("inner = 3", "type", "inner", "expected a list, found the number 3"),
        ("named = {}", "range", "named", "at least 1"),
        ("named = { b = 0 }", "range", "named.b", "a whole number from 1"),
        ("goal = 'all'", "type", "goal", 'expected a goal, found the text "all"'),
        ("goal = { high = 11 }", "range", "goal.high", "above 0 up to 10"),
    ],
)
def test_a_wrong_value_is_one_problem_with_place_and_help(line: str, code: str, place: str, says: str) -> None:
    problems = Problems("test", "mine.toml")
    assert problems.read(problems.parse(f"# first line\n{line}\n"), Outer) is None
    with pytest.raises(ScenarioError) as caught:
        problems.finish()
    (problem,) = caught.value.problems
    assert (problem.code, problem.place) == (f"test-{code}", place)
    assert says in str(caught.value) and " --> mine.toml:2:" in str(caught.value)
    assert problem.span is not None and (problem.span.text in line or code == "missing")


def test_a_key_that_is_no_unicode_is_refused() -> None:
    """JSON can write half of a surrogate pair, which no text in UTF-8 can hold."""
    problems = Problems("test")
    assert problems.read({"\ud800": 1}, msgspec.defstruct("Open", [])) is None and len(problems.found) == 1
