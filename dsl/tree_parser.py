"""Reading of behaviour trees into nodes. Reading stops at the first syntax error; `checker` checks the nodes."""

from __future__ import annotations

import re

from dsl.diagnostics import Diagnostic
from dsl.grammar import Branch, Expected, Grammar, StuckError
from dsl.nodes import Fallback, Leaf, Node, Sequence
from dsl.source import Source, Span, find_excess
from dsl.vocabulary import (
    CREW_TYPES,
    DIRECTIONS,
    INTENSITIES,
    NEGATIONS,
    OTHERS,
    QUALIFIERS,
    ROLES,
    SENSES,
    SOURCES,
    THINGS,
    TIMES,
    UNIT_TYPES,
    WHO,
    WORDS,
)
from dsl.wording import did_you_mean, found, listing, nearest, quoted, word_at

MAX_TREE_LENGTH = 100_000
"""Longest tree in characters, blanks and line breaks not counted: with another layout a tree stays as long as it is."""

MAX_TREE_DEPTH = 64
"""Deepest nesting of brackets, leaves included."""

TREE_GRAMMAR = Grammar(
    "tree.lark",
    ("start",),
    {"$END": "the end of the tree"},
    words={
        "sense": SENSES,
        "direction": DIRECTIONS,
        "qualifier": QUALIFIERS,
        "time": TIMES,
        "intensity": INTENSITIES,
        "source": SOURCES,
        "negation": NEGATIONS,
        "other": OTHERS,
        "who": WHO,
        "unit": UNIT_TYPES,
        "thing": THINGS,
        "crew": CREW_TYPES,
    },
)

_LETTERS = {"S", "F", "C", "A"}
_LETTER_NAMES = {"sequence": "S", "fallback": "F", "selector": "F", "condition": "C", "action": "A"}


def read_tree(source: Source) -> tuple[Node | None, list[Diagnostic]]:
    """Parse one behaviour tree; the node is None exactly when there is a diagnostic."""
    excess = _find_excess(source)
    if excess:
        return None, [excess]
    try:
        parsed = TREE_GRAMMAR.parse(source.plain, "start")
    except StuckError as stuck:
        return None, [_Trouble(source, stuck.offset).explain()]
    (root,) = parsed.branches
    return _build(root, source), []


def _find_excess(source: Source) -> Diagnostic | None:
    """Refuse a text that is too long or too deep before any recursive function reads it."""
    if excess := find_excess(source, MAX_TREE_LENGTH):
        return _error("tree-size", f"a tree has at most {MAX_TREE_LENGTH:,} characters without blanks", excess)
    depth = 0
    for bracket in re.finditer(r"[()]", source.text):
        depth += 1 if bracket.group() == "(" else -1
        if depth > MAX_TREE_DEPTH:
            span = Span(source, *bracket.span())
            return _error("tree-depth", f"a tree nests at most {MAX_TREE_DEPTH} brackets deep", span)
    return None


def _build(branch: Branch, source: Source) -> Node:
    span = Span(source, branch.start, branch.end)
    if branch.rule == "sequence":
        return Sequence(tuple(_build(child, source) for child in branch.branches), span)
    if branch.rule == "fallback":
        return Fallback(tuple(_build(child, source) for child in branch.branches), span)
    (atomic,) = branch.branches
    args = [word.text for slot in atomic.branches if slot.rule != "types" for word in slot.all_words()]
    types = [word.text for slot in atomic.branches if slot.rule == "types" for word in slot.all_words()]
    name_span = Span(source, atomic.start, atomic.start + len(atomic.rule))
    return Leaf("A" if branch.rule == "action" else "C", atomic.rule, tuple(args), tuple(types), span, name_span)


class _Trouble:
    """The place where a tree stops making sense, and how to say what is wrong there."""

    def __init__(self, source: Source, offset: int) -> None:
        self.source, self.text = source, source.plain
        self.start, self.end = word_at(self.text, offset)
        self.word = self.text[self.start : self.end]
        self.expected = self._expect(self.start)
        self.before = self.text[: self.start].rstrip()
        if self.start < offset < self.end and not self._is_best_taken_whole(offset):
            # Blanks between words are optional: the front of the word was understood.
            self.start, self.word, self.expected = offset, self.text[offset : self.end], self._expect(offset)
            self.before = self.text[:offset]

    def _expect(self, offset: int) -> Expected:
        return TREE_GRAMMAR.expected(self.text[:offset], "start")

    def _is_best_taken_whole(self, offset: int) -> bool:
        """Say whether `archers` is a misspelt `archer` rather than an `archer` followed by some `s`."""
        if self.word.lower() in WORDS or set(self.expected.words) >= _LETTERS:
            return True
        if nearest(self.text[offset : self.end], self._expect(offset).words):
            return False
        return nearest(self.word, self.expected.words) is not None

    def explain(self) -> Diagnostic:
        if not self.word:
            return self._explain_end()
        if not self.expected.words:
            return self._explain_surplus()
        if re.match(r"\w", self.word):
            return self._explain_any_mixed() or self._explain_word()
        return self._explain_sign()

    def _explain_end(self) -> Diagnostic:
        if not self.before:
            return self._error("tree-empty", "there is no tree in this text", "write for example `A(stand)`")
        return self._error("tree-unclosed", f"the text ends before the tree does: expected {self._choices()}")

    def _explain_surplus(self) -> Diagnostic:
        rest = self.text[self.start :]
        if re.match(r"(::|\|>|\s)*[SFCA]\s*\(", rest):
            hint = "put both roots into one `S( )` or `F( )`"
            return self._error("tree-two-roots", "a tree has one root, and a second one starts here", hint)
        return self._error("tree-syntax", f"expected the end of the tree, found {found(self.word)}")

    def _explain_sign(self) -> Diagnostic:
        opening = re.search(r"([SFCA])\s*\($", self.before)
        separator = re.search(r"(::|\|>)$", self.before)
        if self.word == ")" and opening:
            self.start = opening.start()
            letter = opening.group(1)
            what = "has no children" if letter in "SF" else "names nothing to do" if letter == "A" else "asks nothing"
            return self._error("tree-empty-node", f"this `{letter}( )` {what}")
        if self.word == ")" and separator:
            self.start, self.end = separator.span()
            return self._error("tree-trailing-separator", f"no node follows this `{separator.group()}`", "remove it")
        if self.word in (")", "::", "|>") and all(re.match(r"\w", word) for word in self.expected.words):
            if set(self.expected.words) >= _LETTERS or set(self.expected.words) >= ROLES.keys():
                return self._explain_unexpected()
            return self._error("tree-missing-word", f"a word is missing here: expected {self._choices()}")
        return self._explain_unexpected()

    def _explain_unexpected(self, hint: str | None = None) -> Diagnostic:
        if "::" in self.expected.words and (self.word in _LETTERS or self.word in ",;:|"):
            hint = "children are separated by `::`"
        return self._error("tree-syntax", f"expected {self._choices()}, found {found(self.word)}", hint)

    def _explain_any_mixed(self) -> Diagnostic | None:
        after_any = self.word.startswith("or") and self.before.endswith("any")
        after_or = self.word == "any" and self.before.endswith("or") and "any" not in self.expected.words
        if not (after_any or (after_or and set(self.expected.words) == set(UNIT_TYPES))):
            return None
        hint = "write `any` alone, or name the types without it"
        return self._error("tree-any-mixed", "`any` already stands for every type, so it takes no `or`", hint)

    def _explain_word(self) -> Diagnostic:
        words, lower = self.expected.words, self.word.lower()
        if set(words) >= _LETTERS:
            return self._explain_letter(lower)
        if lower in words or self.word.upper() in words:
            return self._error("tree-case", "words are written in lower case", f"write `{lower}`")
        if set(words) >= ROLES.keys():
            return self._explain_atomic()
        known = [word for word in words if re.match(r"\w", word)]
        if not known:
            return self._explain_unexpected()
        if lower in WORDS:
            return self._error("tree-misplaced-word", f"`{self.word}` cannot stand here: expected {self._choices()}")
        hint = did_you_mean(nearest(self.word, known))
        return self._error(
            "tree-unknown-word", f"{quoted(self.word)} is not a word that fits here", hint, f"expected {listing(known)}"
        )

    def _explain_letter(self, lower: str) -> Diagnostic:
        if lower.upper() in _LETTERS:
            return self._error("tree-case", "node letters are upper case", f"write `{lower.upper()}`")
        if lower in ROLES:
            return self._explain_unexpected(f"write `{ROLES[lower]}({lower} …)`")
        letter = _LETTER_NAMES.get(lower)
        return self._explain_unexpected(f"write `{letter}( )`" if letter else None)

    def _explain_atomic(self) -> Diagnostic:
        if self.word in _LETTERS:
            return self._explain_unexpected("only `S( )` and `F( )` hold other nodes")
        role = "C" if re.search(r"C\s*\($", self.before) else "A"
        what = "action" if role == "A" else "condition"
        known = [name for name in ROLES if ROLES[name] == role]
        hint = did_you_mean(nearest(self.word, known) or nearest(self.word, ROLES))
        help_ = f"{what}s are {listing(known, 'and')}"
        return self._error("tree-unknown-atomic", f"there is no {what} called {quoted(self.word)}", hint, help_)

    def _choices(self) -> str:
        """Return in words what may stand here."""
        words = self.expected.words
        if set(words) >= ROLES.keys():
            return "an action or a condition"
        if set(words) >= _LETTERS:
            return "a node, that is `S( )`, `F( )`, `C( )` or `A( )`"
        return listing(word for word in words if word != "|>")

    def _error(self, code: str, message: str, hint: str | None = None, help_: str | None = None) -> Diagnostic:
        return _error(code, message, Span(self.source, self.start, self.end), hint, help_)


def _error(code: str, message: str, span: Span, hint: str | None = None, help_: str | None = None) -> Diagnostic:
    return Diagnostic(code, "error", message, span, hint, help_)
