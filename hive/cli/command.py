"""How a command of `hive` is declared: a frozen dataclass of its settings, and the function that runs it.

Each field of the settings is an argument. Its annotation says how it is read and what the help tells about it::

    @dataclass(frozen=True, kw_only=True)
    class Explain(Changes, Cache):
        unit: Annotated[int, option("the unit's id", "I", read=index)]
        plan: Annotated[str | None, option("the player's plan", "NAME|FILE")] = None

A field without a default is required. A field that is positional has `field(kw_only=False)`. Options that several
commands share are dataclasses of `hive.cli.options`, from which the settings inherit; the class attribute `title` names
their group in the help. Rules that join several options stand in `__post_init__`, which raises `UserError`.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import get_annotations
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, get_args

from cyclopts import UNSET, App, ArgumentCollection, CycloptsError, Parameter, convert

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext
    from cyclopts.token import Token

    from hive.cli.subjects import Subjects


S = TypeVar("S")
Read = Callable[[str], Any]
Complete = Callable[[str], Iterable[str]]

CommandLine = Annotated[str, Parameter(parse=False)]
"""Type of a field `line`: the whole command line without keys, which `config.json` keeps. The user cannot set it."""

AllCommands = Annotated[Any, Parameter(parse=False)]
"""Type of a field `commands`: the table of all commands. The user cannot set it."""


@dataclass(frozen=True)
class Command(Generic[S]):
    """A command, or a part of one such as `hive rescue draw`.

    Attributes:
        about: What it does, for its help.
        examples: Lines under "examples" in its help.
        settings: The class of its settings; None for a command that only has parts.
        run: Runs it and returns the exit code.
        parts: Its sub-commands.
        notes: The end of its help.
        repeats: Whether `hive verify` may call it with words from a folder of games, which a stranger may have written;
            or the option that such words must hold, since the command does more than play without it.
        subjects: What its argument `scenario` may name, where some of its options are for some of these only; an option
            is refused, and left out of the help, where it is not taken. Its help for one of them ends with their notes.
    """

    about: str
    examples: tuple[str, ...]
    settings: type[S] | None = None
    run: Callable[[S], int] | None = None
    parts: Table | None = None
    notes: str = ""
    repeats: bool | str = False
    subjects: Subjects | None = None

    def app(self, name: str) -> App:
        """Return what parses its arguments and completes them."""
        app = _App(name=name, help_flags=(), version_flags=(), default_parameter=_PLAIN, help=self.about)
        if self.settings is not None:
            app.default(_evaluated(self.settings))
        return app


class _App(App):
    """An app that reads the annotations of settings once in a process, which takes most of the time of a reading."""

    def assemble_argument_collection(self, **how: Any) -> ArgumentCollection:
        """Return the arguments, without values."""
        key = self.default_command, *sorted(how.items())
        if key not in _READ:
            _READ[key] = super().assemble_argument_collection(**how)
        return _READ[key].copy(reset_tokens=True)


_READ: dict[tuple[Any, ...], ArgumentCollection] = {}


def _evaluated(settings: type[S]) -> type[S]:
    """Return settings whose annotations are no longer texts; cyclopts evaluates texts at each of its four readings."""
    for each in settings.__mro__[:-1]:  # the locals would be the class, where the function `seed` is a field
        each.__annotations__ = get_annotations(each, locals={}, eval_str=True)
    return settings


@dataclass(frozen=True)
class Row:
    """A line of a table of commands.

    Attributes:
        name: What the user types.
        summary: One line about it.
        module: The module that has it as `COMMAND`; it is imported when the command is used.
    """

    name: str
    summary: str
    module: str


class Table(UserDict[str, Any]):
    """Commands by name, each of which is imported when it is looked up.

    Attributes:
        groups: Title and rows of each group of commands.
    """

    def __init__(self, groups: Mapping[str, Sequence[Row]]) -> None:
        """Make a table; nothing is imported yet."""
        super().__init__()
        self.groups = groups
        self.data = {row.name: row for rows in groups.values() for row in rows}

    def __getitem__(self, name: str) -> Command[Any]:
        """Return a command."""
        found = self.data[name]
        return import_module(found.module).COMMAND if isinstance(found, Row) else found


def option(
    help: str,
    metavar: str = "",
    *,
    name: str = "",
    read: Read | None = None,
    choices: Sequence[str] = (),
    complete: Complete | None = None,
    several: bool = False,
    joined: bool = False,
    bare: bool = False,
) -> Parameter:
    """Return what the annotation of an option holds; for a field of type `bool`, of a flag.

    Args:
        help: What it means, with its default.
        metavar: What stands for its value in the help.
        name: Its name; empty: the name of the field.
        read: Reads a value and raises `ValueError` for a wrong one; for a field that is a tuple of any length, one
            value of it. None: the type of the field says how it is read.
        choices: The allowed words.
        complete: Returns the words that a shell offers, from the beginning that is typed.
        several: Whether several values may follow the option once, as in `--units 10 20`.
        joined: Whether `read` reads all values of a field that is a tuple of any length from one text, as in `10,20`.
        bare: Whether the text of such a field may be left out; the field is then empty.
    """
    given: dict[str, Any] = {"help": help, "metavar": metavar or None}
    given |= {"name": name} if name else {}
    given |= {"choices": choices} if choices else {}
    given |= {"consume_multiple": (0, 1) if bare else (1, None)} if several or bare else {}
    given |= {"completer": _completer(complete)} if complete else {}
    given |= {"converter": _Converter(read, joined), "n_tokens": 1, "accepts_keys": False} if read else {}
    return Parameter(**given)


def argument(
    help: str, metavar: str, *, read: Read | None = None, complete: Complete | None = None, dash: bool = False
) -> Parameter:
    """Return what the annotation of a positional argument holds; its field has `field(kw_only=False)`.

    Args:
        help: What it means.
        metavar: What stands for it in the help.
        read: See `option`.
        complete: See `option`.
        dash: Whether it may be `-`, for standard input.
    """
    shown = option(help, metavar, read=_dashed(read) if dash else read, complete=complete)
    return Parameter.combine(shown, Parameter(allow_leading_hyphen=True)) if dash else shown


class DashError(ValueError):
    """A word that looks like an option stands where `-` may stand."""


@dataclass(frozen=True)
class _Converter:
    """Reads the values of an option, see `option`."""

    read: Read
    joined: bool

    def __call__(self, kind: Any, tokens: Sequence[Token]) -> Any:
        _refuse_empty(tokens)
        if Ellipsis in get_args(kind) and not self.joined:
            return tuple(self.read(token.value) for token in tokens)
        return self.read(tokens[-1].value)


def _convert(kind: Any, tokens: Sequence[Token]) -> Any:
    """Convert a value by its type; the last one counts where an option is given again."""
    _refuse_empty(tokens)
    return convert(kind, tokens)


def _refuse_empty(tokens: Sequence[Token]) -> None:
    """Refuse the empty text as the value of an option, which would look as if it had not been given."""
    if any(token.keyword and not token.value.strip() and token.implicit_value is UNSET for token in tokens):
        raise ValueError("its value is empty")


def _dashed(read: Read | None) -> Read:
    def read_dash(text: str) -> Any:
        if text.startswith("-") and text != "-" and " " not in text:  # an option holds no space, a prompt may
            raise DashError(text)
        return read(text) if read else text

    return read_dash


def _completer(complete: Complete) -> Callable[[CompletionContext], list[str]]:
    return lambda context: list(complete(context.incomplete))


_PLAIN = Parameter(negative=(), allow_repeating=True, converter=_convert)  # no `--no-json`; the last value counts
__all__ = [
    "AllCommands",
    "App",
    "Command",
    "CommandLine",
    "CycloptsError",
    "DashError",
    "Row",
    "Table",
    "argument",
    "option",
]
