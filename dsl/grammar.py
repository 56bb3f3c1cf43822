"""The only module that uses Lark: it loads a grammar file, parses with it and lists what may follow at a place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lark import Lark, Token, Tree
    from lark.parsers.lalr_interactive_parser import InteractiveParser


class StuckError(Exception):
    """A text does not fit its grammar.

    Attributes:
        offset: The first place that does not fit; the text's length when the text ends too early.
        expected: Returns what would fit there.
    """

    def __init__(self, offset: int, expected: Callable[[], Expected]) -> None:
        """Keep the place and the way to learn what would fit."""
        super().__init__(offset)
        self.offset = offset
        self.expected = expected


class Word(NamedTuple):
    """A word or sign of a parsed text: its terminal in the grammar, its characters and its offsets."""

    terminal: str
    text: str
    start: int
    end: int


class Branch(NamedTuple):
    """What a rule of the grammar matched; a part is None where something optional is left out."""

    rule: str
    parts: tuple[Branch | Word | None, ...]
    start: int
    end: int

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The parts that are rules."""
        return tuple(part for part in self.parts if isinstance(part, Branch))

    @property
    def words(self) -> tuple[Word, ...]:
        """The parts that are words."""
        return tuple(part for part in self.parts if isinstance(part, Word))

    def all_words(self) -> Iterator[Word]:
        """Return the words at any depth, in text order."""
        for part in self.parts:
            if isinstance(part, Branch):
                yield from part.all_words()
            elif part:
                yield part


@dataclass(frozen=True)
class Expected:
    """What may stand at a place.

    Attributes:
        words: Words and signs, as they are written.
        phrases: What cannot be listed, such as "a number" or "the end".
    """

    words: tuple[str, ...]
    phrases: tuple[str, ...]


@dataclass(frozen=True)
class Grammar:
    """A grammar file, loaded when first used: Lark takes longer to import than everything else here.

    Attributes:
        file: Name in the folder.
        starts: Rules that a text may be parsed by.
        phrases: What to call the terminals that are patterns, by name.
        package: The package that ships the file.
        folder: Its folder inside the package; empty for the package's own.
        words: Rules that are added to those of the file: the name of each, and the words of which it takes one.
    """

    file: str
    starts: tuple[str, ...]
    phrases: Mapping[str, str]
    package: str = "dsl"
    folder: str = "grammars"
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The complete grammar in the notation of Lark."""
        text = files(self.package).joinpath(self.folder, self.file).read_text(encoding="utf-8")
        rules = (f"!{rule}: " + " | ".join(f'"{word}"' for word in words) for rule, words in self.words.items())
        return "\n".join((text, *rules)) if self.words else text

    def load(self, *, strict: bool = False) -> Lark:
        """Build the parser; `strict` also refuses words that could be read in two ways (needs `interegular`)."""
        from lark import Lark

        return Lark(
            self.text,
            parser="lalr",
            start=list(self.starts),
            propagate_positions=True,
            maybe_placeholders=True,
            strict=strict,
        )

    @cached_property
    def _lark(self) -> Lark:
        return self.load()

    @cached_property
    def _wording(self) -> dict[str, str]:
        return {terminal.name: terminal.pattern.value for terminal in self._lark.terminals} | dict(self.phrases)

    def parse(self, text: str, start: str) -> Branch:
        """Parse a text by a start rule; brackets must not nest deeper than Python's stack.

        Raises:
            StuckError: At the first place that does not fit.
        """
        from lark import UnexpectedCharacters, UnexpectedToken

        try:
            return _branch(self._lark.parse(text, start=start))
        except UnexpectedCharacters as error:
            raise StuckError(error.pos_in_stream or 0, partial(self._accepted, error.interactive_parser)) from None
        except UnexpectedToken as error:
            # Lark places the end of input at the start of the last token.
            at_end = error.token.type == "$END"
            offset = len(text) if at_end else error.token.start_pos or 0
            raise StuckError(offset, partial(self._accepted, error.interactive_parser)) from None

    def expected(self, text: str, start: str) -> Expected:
        """Return what may follow a text; nothing where it does not fit so far."""
        from lark import UnexpectedInput

        interactive = self._lark.parse_interactive(text, start=start)
        try:
            interactive.exhaust_lexer()
        except UnexpectedInput:
            return Expected((), ())
        return self._accepted(interactive)

    def _accepted(self, interactive: InteractiveParser) -> Expected:
        names = interactive.accepts()
        wording = self._wording.items()
        return Expected(
            tuple(word for name, word in wording if name in names and name not in self.phrases),
            tuple(word for name, word in wording if name in names and name in self.phrases),
        )


def _branch(tree: Tree[Token]) -> Branch:
    return Branch(str(tree.data), tuple(map(_part, tree.children)), tree.meta.start_pos, tree.meta.end_pos)


def _part(child: Tree[Token] | Token | None) -> Branch | Word | None:
    if child is None:
        return None
    if not isinstance(child, str):
        return _branch(child)
    start = child.start_pos or 0
    return Word(child.type, str(child), start, start + len(child))
