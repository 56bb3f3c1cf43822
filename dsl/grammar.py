"""The one door to Lark: a grammar file, parsing with it, and what it would accept at a place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

    Branch = Tree[Token]


class Stuck(Exception):
    """The text cannot be parsed beyond `offset`, its length when the text ends too early."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(offset)


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
    """A `.lark` file beside this module, loaded when first used (Lark takes longer to import than all else here).

    Attributes:
        file: Name in `dsl/grammars`.
        starts: Rules that a text may be parsed by.
        phrases: What to call the terminals that are patterns, by name.
    """

    file: str
    starts: tuple[str, ...]
    phrases: Mapping[str, str]

    def load(self, *, strict: bool = False) -> Lark:
        """Build the parser; `strict` also refuses words that could be read in two ways (needs `interegular`)."""
        from lark import Lark

        return Lark.open_from_package(
            "dsl",
            self.file,
            ("grammars",),
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
        """Parse a text by a start rule.

        Raises:
            Stuck: With the offset of the first place that does not fit.
        """
        from lark import Token, UnexpectedCharacters, UnexpectedToken

        try:
            return self._lark.parse(text, start=start)
        except UnexpectedCharacters as error:
            raise Stuck(error.pos_in_stream) from None
        except UnexpectedToken as error:
            # Lark places the end of input at the start of the last token.
            token: Token = error.token
            offset = len(text) if token.type == "$END" or token.start_pos is None else token.start_pos
            raise Stuck(offset) from None

    def expected(self, text: str, start: str) -> Expected:
        """Return what may follow a text that fits so far."""
        interactive = self._lark.parse_interactive(text, start=start)
        interactive.exhaust_lexer()
        names = interactive.accepts()
        wording = self._wording.items()
        return Expected(
            tuple(word for name, word in wording if name in names and name not in self.phrases),
            tuple(word for name, word in wording if name in names and name in self.phrases),
        )
