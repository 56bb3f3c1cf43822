"""Reading of plans: one line of actions separated by `;`, each checked for its form (docs/rules/kitchen.md 9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dsl.diagnostics import Diagnostic
from dsl.grammar import Branch, Grammar, StuckError
from dsl.source import Source, Span
from dsl.wording import did_you_mean, found, listing, nearest, quoted, word_at
from hive.worlds.kitchen.action import (
    ACTION_NAMES,
    COUNTER,
    DISHES,
    INGREDIENTS,
    MAX_WAIT,
    WAIT_FOR,
    KitchenWords,
    NamedAction,
)
from hive.worlds.kitchen.codes import ActionKind

ACTION_GRAMMAR = Grammar(
    "actions.lark", ("action",), {"WORD": "a word", "$END": "the end of the action"}, "hive.worlds.kitchen", ""
)
MAX_CHARACTERS = 20_000
"""Longest plan that is read."""

REQUEST = "request"
_ALIASES = {"deliver_soup": ACTION_NAMES[ActionKind.DELIVER]}
_DEEDS = {name: kind for kind, name in ACTION_NAMES.items()}
_INDEX = re.compile(r"_(\d+)$")
_REQUEST_HELP = "a request holds one action in quotation marks, such as `request('place_obj_on_counter()')`"
_HELP = "a plan is actions separated by `;` on one line, without prose or numbering"


@dataclass(frozen=True)
class PlanEntry:
    """One piece of a plan.

    Attributes:
        span: Its characters.
        action: The action; None when a finding is an error.
        request: Whether the action is asked of the teammate instead of done.
        findings: What is wrong or overlooked in its form.
    """

    span: Span
    action: NamedAction | None
    request: bool
    findings: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class CookPlanText:
    """A plan as read: every entry in text order.

    Requests are taken out before the other entries form the queue, wherever they stand in the text.
    """

    entries: tuple[PlanEntry, ...]

    @property
    def queue(self) -> tuple[PlanEntry, ...]:
        """The agent's own actions in order, unreadable entries included: each is refused when its turn comes."""
        return tuple(entry for entry in self.entries if not entry.request)

    @property
    def requests(self) -> tuple[PlanEntry, ...]:
        """The requests in order, unreadable ones included."""
        return tuple(entry for entry in self.entries if entry.request)


def read_plan(text: str, words: KitchenWords, name: str = "<plan>") -> CookPlanText:
    """Read a plan; never raises, whatever the text is.

    Args:
        text: Actions separated by `;`. Case, blanks and quotation marks do not matter; empty pieces are skipped.
        words: The words of the kitchen.
        name: What messages call the text.
    """
    source = Source(name, text)
    if len(text) > MAX_CHARACTERS:
        message = f"the plan has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read"
        span = Span(source, 0, 0)
        return CookPlanText((PlanEntry(span, None, False, (_error("F1", message, span, help=_HELP),)),))
    return CookPlanText(tuple(_read(Span(source, start, end), words) for start, end in _pieces(text)))


def read_action(text: str, words: KitchenWords, name: str = "<action>") -> PlanEntry:
    """Read one action; a text without any action has the finding N0, one with several F1."""
    entries = read_plan(text, words, name).entries
    if len(entries) == 1:
        return entries[0]
    span = Span(Source(name, text), 0, len(text) if entries else 0)
    if entries:
        return PlanEntry(span, None, False, (_error("F1", "more than one action is given", span, help=_HELP),))
    return PlanEntry(span, None, False, (_error("N0", "no action is given", span, help=_HELP),))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Bounds of the pieces between semicolons outside brackets, without blanks around them, empty ones left out."""
    depth, start = 0, 0
    for place, sign in enumerate((*text, ";")):
        depth = max(depth + (sign == "(") - (sign == ")"), 0)
        if place == len(text) or (sign == ";" and not depth):
            piece = text[start:place]
            if piece.strip():
                first = start + len(piece) - len(piece.lstrip())
                yield first, first + len(piece.strip())
            start = place + 1


def _error(code: str, message: str, span: Span, hint: str | None = None, help: str | None = None) -> Diagnostic:
    return Diagnostic(code, "error", message, span, hint, help)


def _read(span: Span, words: KitchenWords) -> PlanEntry:
    try:
        branch = ACTION_GRAMMAR.parse(span.text, "action")
    except StuckError as stuck:
        return PlanEntry(span, None, _asks(span), (_explain(span, stuck),))
    head, *rest = branch.branches
    if rest and rest[0].rule == "call":
        if _word(head) != REQUEST:
            message = f"{quoted(_word(head))} cannot hold another action; only `request` can"
            return PlanEntry(span, None, False, (_error("F1", message, _part(span, rest[0]), help=_HELP),))
        inner = rest[0]
        checked = _Form(span, inner.branches[0], inner.branches[1:], words, inner).check()
        return replace(checked, request=True)
    if _word(head) == REQUEST:
        message = "a request holds exactly one action of the teammate"
        return PlanEntry(span, None, True, (_error("F1", message, span, help=_REQUEST_HELP),))
    return _Form(span, head, tuple(rest), words, branch).check()


def _asks(span: Span) -> bool:
    return span.text.lstrip("'\"` ").lower().startswith(REQUEST)


def _word(name: Branch) -> str:
    return "".join(word.text for word in name.words).lower()


def _part(span: Span, branch: Branch) -> Span:
    return Span(span.source, span.start + branch.start, span.start + branch.end)


def _explain(span: Span, stuck: StuckError) -> Diagnostic:
    first, last = word_at(span.text, stuck.offset)
    expected = stuck.expected()
    what = f"{found(span.text[first:last])} was found" if first < last else "the text ends"
    hint = f"expected {listing(expected.words, phrases=expected.phrases)}"
    place = Span(span.source, span.start + first, span.start + last)
    help = _REQUEST_HELP if _asks(span) else _HELP
    return _error("F1", f"this cannot be read as an action: {what}", place, hint, help)


class _Form:
    """The checks of one action's form, in their fixed order: the first that fails wins."""

    def __init__(
        self, span: Span, name: Branch, arguments: tuple[Branch, ...], words: KitchenWords, branch: Branch
    ) -> None:
        self.span, self.words = span, words
        self.name, self.whole = _part(span, name), _part(span, branch)
        self.word = _ALIASES.get(_word(name), _word(name))
        self.spans = tuple(_part(span, argument) for argument in arguments)
        self.arguments = tuple(self._known(_word(argument)) for argument in arguments)
        self.overlooked: list[Diagnostic] = []

    def _known(self, word: str) -> str:
        """A utensil's index may be written with an underscore."""
        joined = _INDEX.sub(r"\1", word)
        return joined if joined in self.words.utensils else word

    def check(self) -> PlanEntry:
        """Return the entry: an action, or the error that its form has."""
        result = self._action()
        if isinstance(result, Diagnostic):
            return PlanEntry(self.span, None, False, (*self.overlooked, result))
        return PlanEntry(self.span, replace(result, span=self.whole), False, tuple(self.overlooked))

    def _action(self) -> NamedAction | Diagnostic:
        if self.word in self.words.operations:
            return self._operate()
        kind = _DEEDS.get(self.word)
        if self.word == WAIT_FOR and self.words.wait_for:
            awaited = self._pickup()
            return replace(awaited, kind=ActionKind.WAIT) if isinstance(awaited, NamedAction) else awaited
        if kind is None:
            names = (*ACTION_NAMES.values(), *self.words.operations, REQUEST, *([WAIT_FOR] * self.words.wait_for))
            hint = did_you_mean(nearest(self.word, names))
            return _error("F1", f"there is no action called {quoted(self.word)}", self.name, hint, _HELP)
        if kind == ActionKind.PICKUP:
            return self._pickup()
        if kind == ActionKind.PUT:
            return self._utensil("F8", ActionKind.PUT, 2)
        if kind == ActionKind.FILL:
            return self._utensil("F9", ActionKind.FILL, 1)
        if kind == ActionKind.WAIT:
            return self._wait()
        if self.arguments:
            self._overlook(f"{quoted(self.word)} takes no argument, so what stands in its brackets is ignored")
        return NamedAction(kind)

    def _overlook(self, message: str) -> None:
        self.overlooked.append(Diagnostic("W1", "warning", message, self.whole))

    def _pickup(self) -> NamedAction | Diagnostic:
        if len(self.arguments) != 2:
            message = f"`{self.word}` needs 2 arguments, an object and a place; given: {len(self.arguments)}"
            return _error("F2", message, self.whole, help=f"such as `{self.word}(dish, counter)`")
        (item, place), (item_span, place_span) = self.arguments, self.spans
        if item not in self.words.items and item not in self.words.utensils:
            hint = did_you_mean(nearest(item, self.words.items))
            return _error("F3", f"no recipe knows an object called {quoted(item)}", item_span, hint)
        if COUNTER in place:
            place = COUNTER
        if place not in self.words.places:
            hint = did_you_mean(nearest(place, self.words.places))
            help = f"places are {listing(self.words.places, 'and')}"
            return _error("F4", f"there is no place called {quoted(place)}", place_span, hint, help)
        if place in (INGREDIENTS, DISHES) and item not in (*self.words.ingredients, self.words.dish):
            message = f"dispensers give raw ingredients and dishes only, and {quoted(item)} is neither"
            return _error("F5", message, item_span)
        if place == INGREDIENTS and item == self.words.dish:
            return _error("F6", f"dishes come from `{DISHES}` only", place_span)
        if place == DISHES and item != self.words.dish:
            return _error("F7", f"ingredients come from `{INGREDIENTS}` only", place_span)
        return NamedAction(ActionKind.PICKUP, item, place)

    def _utensil(self, code: str, kind: ActionKind, most: int) -> NamedAction | Diagnostic:
        """An action on a utensil; `put_obj_in_utensil(obj, utensil)` is tolerated and its object ignored."""
        help = f"utensils are {listing(self.words.utensils, 'and')}"
        if not 1 <= len(self.arguments) <= most:
            message = f"`{self.word}` needs 1 argument, a utensil; given: {len(self.arguments)}"
            return _error(code, message, self.whole, help=help)
        utensil = self.arguments[-1]
        if utensil not in self.words.utensils:
            hint = did_you_mean(nearest(utensil, self.words.utensils))
            return _error(code, f"there is no utensil called {quoted(utensil)}", self.spans[-1], hint, help)
        if len(self.arguments) == 2:
            self._overlook("the object is ignored: what the hand holds is put in")
        return NamedAction(kind, place=utensil)

    def _operate(self) -> NamedAction | Diagnostic:
        fitting = [utensil for utensil, operation in self.words.utensils.items() if operation == self.word]
        help = f"`{self.word}` works on {listing(fitting, 'and')}"
        if len(self.arguments) != 1:
            message = f"`{self.word}` needs 1 argument, a utensil; given: {len(self.arguments)}"
            return _error("F10", message, self.whole, help=help)
        if self.arguments[0] not in fitting:
            hint = did_you_mean(nearest(self.arguments[0], fitting))
            message = f"{quoted(self.arguments[0])} is no utensil that can `{self.word}`"
            return _error("F10", message, self.spans[0], hint, help)
        return NamedAction(ActionKind.OPERATE, place=self.arguments[0], operation=self.word)

    def _wait(self) -> NamedAction | Diagnostic:
        text = self.arguments[0] if self.arguments else ""
        if len(self.arguments) > 1:
            return _error("F11", "`wait` needs 1 argument, a number of timesteps", self.whole)
        if not re.fullmatch(r"[-+]?[0-9]+", text):
            self._overlook(f"{quoted(text) if text else 'nothing'} is no whole number, so the wait is 1 timestep")
            return NamedAction(ActionKind.WAIT, timesteps=1)
        if len(text) > 9 or not 1 <= int(text) <= MAX_WAIT:
            message = f"a wait is 1 to {MAX_WAIT} timesteps long, not {text[:12]}"
            return _error("F11", message, self.spans[0])
        return NamedAction(ActionKind.WAIT, timesteps=int(text))
