"""Read TOML and JSON files of users into frozen structs: the types of a struct's fields are the schema of its table.

msgspec checks and converts. It stops at the first fault and says little about it; so where a file has one, `read` walks
through the file once more and reports every fault in our words: the place, what was found, what is allowed there, and
the nearest match of a wrong name. Places are key paths: `player.units[2].count` is the key `count` of the third entry
(entries count from 0) of `units` in the table `player`. Errors of TOML files also have line, column and carets.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from dsl.wording import did_you_mean, listing, nearest, quoted
from hive.kit.errors import Problem, ScenarioError
from hive.kit.keep.locating import Locations
from hive.kit.keep.places import reason, remedy

SCHEMA = 1
LARGEST = 1_000_000
"""Most characters of a file that is read."""

T = TypeVar("T")

_WORDS = {str: "text", bool: "true or false", int: "a number", float: "a number"}


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table whose keys are the fields of its struct; other keys are refused."""


class TableError(ValueError):
    """What is wrong with a table as a complete one; its struct raises this in `__post_init__`."""

    def __init__(self, *faults: tuple[str, str, str, str]) -> None:
        """Hold the faults, each as code, message, key (empty: the table) and help."""
        self.faults = faults
        super().__init__(faults)


def names(what: str, options: Iterable[str], help: str = "") -> Meta:
    """Return the limits of a text that is one of some names."""
    options = tuple(options)
    pattern = "|".join(map(re.escape, options))
    return Meta(pattern=rf"\A(?:{pattern})\Z", extra={"what": what, "options": options, "help": help})


def worded(expected: str, help: str = "", pattern: str | None = None) -> Meta:
    """Return the limits of a value with words of their own: what was expected there, and how it is written."""
    return Meta(pattern=pattern, extra={"expected": expected, "help": help})


_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
Line = Annotated[
    str,
    worded(
        "one line of text", "write a single line that is not empty", rf"\A(?=.*\S)[^{_BREAKS}]*(\r\n|[{_BREAKS}])?\Z"
    ),
]
"""A text of one line that does not consist of blanks alone."""


class Problems:
    """The problems found so far in one file."""

    def __init__(self, prefix: str, source: str = "") -> None:
        """Start with none.

        Args:
            prefix: First word of the codes of problems, such as `kitchen` in `kitchen-range`.
            source: Name of the file, for messages.
        """
        self.prefix, self.source, self.text = prefix, source, ""
        self.found: list[Problem] = []
        self.keys: set[str] = set()  # places where the key is wrong, and not its value

    def add(self, code: str, message: str, place: str = "", help: str | None = None) -> None:
        """Keep a problem; the code gets the prefix."""
        self.found.append(Problem(f"{self.prefix}-{code}", message, place, help or ""))

    def finish(self) -> None:
        """Raise what was found.

        Raises:
            ScenarioError: There is at least one problem.
        """
        if self.found:
            raise self.error()

    def error(self) -> ScenarioError:
        """Return what was found as an error, with the places in the text if it is known."""
        if self.text:
            places = Locations(self.source, self.text)
            syntax = f"{self.prefix}-syntax"
            spans = [
                places.syntax(p.message) if p.code == syntax else places.find(p.place, p.place in self.keys)
                for p in self.found
            ]
            self.found = [replace(each, span=span) for each, span in zip(self.found, spans, strict=True)]
        return ScenarioError(self.source, self.found)

    def read(self, value: Any, kind: type[T], place: str = "") -> T | None:
        """Return a value of a file as the type `kind`, or None after at least one problem was noted.

        Args:
            value: Plain data, as `tomllib` and `json` return them.
            kind: A struct, or another type that msgspec converts to, with its limits as `Annotated[int, Meta(ge=1)]`.
            place: Key path of the value.
        """
        before = len(self.found)
        try:
            return msgspec.convert(value, kind)
        except (msgspec.ValidationError, UnicodeError, RecursionError):
            value = _explain(value, kind, place, self)  # whole numbers that were written as 5.0 are integers in it
        if len(self.found) > before:
            return None
        try:
            return msgspec.convert(value, kind)
        except UnicodeError:
            self.add("type", "the name of a key is no valid text", place)
            return None

    def parse(self, text: str) -> dict[str, Any]:
        """Return the table of a TOML file.

        Raises:
            ScenarioError: It is too long, or no TOML; problems that were found before are raised too.
        """
        try:
            if len(text) <= LARGEST:
                self.text = text
                return tomllib.loads(text)
            help = "leave out comments and blanks, or make the file smaller in another way"
            self.add("long", f"the file is too long: it may have at most {LARGEST:,} characters", "", help)
        except (ValueError, RecursionError) as error:  # also for extreme numbers and depths
            self.add("syntax", f"this cannot be read as TOML: {error}")
        raise self.error()


class Reader(Problems):
    """A TOML file that begins with the number of its schema, while it is read and checked."""

    def __init__(self, prefix: str, source: str, text: str) -> None:
        """Parse a file.

        Args:
            prefix: First word of the codes of its problems.
            source: Name for messages.
            text: Content.

        Raises:
            ScenarioError: It is no TOML, too long, or of another schema.
        """
        super().__init__(prefix, source)
        self.data = self.parse(text)
        if self.data.pop("schema", None) != SCHEMA:
            self.add("schema", f"the file must begin with `schema = {SCHEMA}`", "schema")
            self.finish()

    def table(self, kind: type[T]) -> T:
        """Return the content of the file.

        Raises:
            ScenarioError: It is not as its struct says; all problems are listed.
        """
        found = self.read(self.data, kind)
        if found is None:
            raise self.error()
        return found


def read_text(path: Path, code: str) -> str:
    """Read a file of the user, of at most one character more than a file may have.

    Args:
        path: The file.
        code: Code of the problem if it cannot be read.

    Raises:
        ScenarioError: It cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        problem = Problem(code, f"the file cannot be read: {reason(error)}", help=remedy(error))
        raise ScenarioError(str(path), [problem]) from error


@cache
def keys(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the types of the keys of a struct, with their limits."""
    hints = get_type_hints(kind, include_extras=True)
    return {key: hints[name] for key, name in zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)}


def limits(kind: type[msgspec.Struct], key: str) -> Meta:
    """Return the limits of a key, which may be left out or null."""
    return _bare(keys(kind)[key])[1]


def join(place: str, key: str) -> str:
    """Return the place of a key in a table, such as `rooms[1].at`."""
    return f"{place}.{key}" if place else key


def hint(name: str, options: Collection[str]) -> str:
    """Return a hint with the nearest match of an unknown name, or the allowed names when none is near."""
    return did_you_mean(nearest(name, options)) or f"write {listing(options)}"


def describe(value: Any) -> str:
    """Describe a value for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {_figures(value)}"
    if isinstance(value, str):
        return f'the text "{value if len(value) <= 30 else value[:27] + "..."}"'
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a table" if isinstance(value, dict) else "a date or time"


def _figures(value: float) -> str:
    """Return a number for a message; Python writes no whole number of more than some thousand digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value) if abs(value) < 1e18 else "a huge number"


def _bare(kind: Any) -> tuple[Any, Meta]:
    """Return a type without its limits, without null if that is the only other choice, and the limits."""
    meta = Meta()
    if get_origin(kind) is Annotated:
        meta = next((each for each in kind.__metadata__ if isinstance(each, Meta)), meta)
        kind = kind.__origin__
    if get_origin(kind) in (Union, UnionType):
        rest = [each for each in get_args(kind) if each is not NoneType]
        if len(rest) == 1:
            return _bare(rest[0])
    return kind, meta


def _explain(value: Any, kind: Any, place: str, problems: Problems) -> Any:
    """Note what is wrong with a value, and return it with integers for whole numbers where integers are wanted."""
    base, meta = _bare(kind)
    choices = get_args(base) if get_origin(base) in (Union, UnionType) else (base,)
    if value is None and NoneType in get_args(kind):
        return None
    base = next((each for each in choices if isinstance(value, dict) and _is_struct(each)), base)
    if _is_struct(base):
        return _explain_table(value, base, place, problems)
    if get_origin(base) is dict:
        if not isinstance(value, dict):
            problems.add("type", f"expected a table, found {describe(value)}", place, _allowed(base, meta))
            return value
        _explain_length(value, "a table", meta, place, problems)
        of_key, of_value = get_args(base)
        for key in value:
            before = len(problems.found)
            _explain(key, of_key, join(place, key), problems)
            problems.keys.update(each.place for each in problems.found[before:])
        return {key: _explain(each, of_value, join(place, key), problems) for key, each in value.items()}
    if get_origin(base) is tuple:
        kinds = get_args(base)
        same = kinds[-1] is Ellipsis
        if not isinstance(value, list) or not (same or len(value) == len(kinds)):
            length = "" if same else f" of {len(kinds)}"
            problems.add("type", f"expected a list{length}, found {describe(value)}", place)
            return value
        _explain_length(value, "a list", meta, place, problems)
        of = [kinds[0]] * len(value) if same else kinds
        return [_explain(each, of[number], f"{place}[{number}]", problems) for number, each in enumerate(value)]
    if base is int and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    try:
        msgspec.convert(value, kind)
    except UnicodeError:  # half of a surrogate pair, as JSON can write it
        problems.add("type", "this is no valid text", place)
    except msgspec.ValidationError:
        problems.add(*_fault(value, base, meta, place))
    return value


def _explain_length(value: Collection[Any], what: str, meta: Meta, place: str, problems: Problems) -> None:
    if len(value) < (meta.min_length or 0):
        problems.add("range", f"{what} of {len(value)} is too short", place, f"at least {meta.min_length}")
    elif meta.max_length is not None and len(value) > meta.max_length:
        problems.add("range", f"{what} of {len(value)} is too long", place, f"at most {meta.max_length}")


def _explain_table(value: Any, kind: type[msgspec.Struct], place: str, problems: Problems) -> Any:
    known, before = keys(kind), len(problems.found)
    if not isinstance(value, dict):
        problems.add("type", f"expected a table, found {describe(value)}", place, f"write {listing(known)}")
        return value
    for key in value if kind.__struct_config__.forbid_unknown_fields else ():
        if key not in known:
            message = f"there is no key called {quoted(key)} here"
            problems.add("unknown-key", message, join(place, key), hint(key, known))
            problems.keys.add(join(place, key))
    needed = {field.encode_name: field.required for field in msgspec.structs.fields(kind)}
    for key, each in known.items():
        if key in value:
            value = value | {key: _explain(value[key], each, join(place, key), problems)}
        elif needed[key]:
            base, meta = _bare(each)
            problems.add("missing", f"`{key}` is missing", join(place, key), _allowed(base, meta) or _kind_of(base))
    if len(problems.found) == before:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            if not isinstance(error.__cause__, TableError):
                raise
            for code, message, key, help in error.__cause__.faults:
                problems.add(code, message, join(place, key) if key else place, help)
        except UnicodeError:
            pass  # in a key that is not read; `Problems.read` reports it
    return value


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _fault(value: Any, base: Any, meta: Meta, place: str) -> tuple[str, str, str, str]:
    """Return code, message, place and help for a value that is neither a table nor a list, and wrong."""
    extra = meta.extra or {}
    found, allowed = describe(value), _allowed(base, meta)
    if options := extra.get("options"):
        if not isinstance(value, str):
            return "type", f"expected the name of a {extra['what']}, found {found}", place, allowed
        message = f"there is no {extra['what']} called {quoted(value)}"
        return "unknown-name", message, place, extra["help"] or hint(value, options)
    if base in (int, float) and isinstance(value, int | float) and not isinstance(value, bool):
        if base is int and isinstance(value, float) and _inside(value, meta):
            return "range", f"{_figures(value)} is not a whole number", place, allowed
        if meta.multiple_of and _inside(value, meta):
            parts = round(1 / meta.multiple_of)
            near = f"the nearest is {round(value * parts) / parts}"
            return "range", f"{value} is not a multiple of 1/{parts}", place, near
        return "range", f"{_figures(value)} is out of range", place, allowed
    wrong = base is str and isinstance(value, str)
    expected = extra.get("expected") if wrong or base not in _WORDS else _WORDS[base]
    shown = f", found {found}" if not wrong or value.isprintable() else ""
    return ("range" if wrong else "type"), f"expected {expected}{shown}", place, allowed


def _inside(value: float, meta: Meta) -> bool:
    low = value > meta.gt if meta.gt is not None else meta.ge is None or value >= meta.ge
    return low and (meta.le is None or value <= meta.le)


def _kind_of(base: Any) -> str:
    """Return what a value without limits is, as a hint; empty where it may be of several kinds."""
    if _is_struct(base):
        needed = [field.encode_name for field in msgspec.structs.fields(base) if field.required]
        return f"add a table with {listing(needed or keys(base), 'and')}"
    return {str: "add a text", bool: "add true or false", list: "add a list"}.get(get_origin(base) or base, "")


def _allowed(base: Any, meta: Meta) -> str:
    """Return what a value may be, as a hint."""
    extra = meta.extra or {}
    if options := extra.get("options"):
        return extra["help"] or f"write {listing(options)}"
    if base in (int, float):
        kind = "a whole number" if base is int else "a number"
        low = f" above {meta.gt}" if meta.gt is not None else f" from {meta.ge}" if meta.ge is not None else ""
        high = "" if meta.le is None else f"{' up' if meta.gt is not None else ''} to {meta.le}"
        return kind + low + high
    return str(extra.get("help", ""))
