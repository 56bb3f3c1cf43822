"""Forms: what a person fills in where a model would answer, and the answer that a filled form stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dsl import UserError
from dsl.wording import listing

MOST_CHARACTERS = 4_000
"""Most characters of a field."""


@dataclass(frozen=True)
class Offer:
    """A button of a field.

    Attributes:
        text: What it puts into the field.
        words: What it says; empty: the text.
        does: `send` sends the form, `write` replaces what the field holds, `add` appends to it after a semicolon.
    """

    text: str
    words: str = ""
    does: Literal["send", "write", "add"] = "send"


@dataclass(frozen=True, kw_only=True)
class Field:
    """One text of a form.

    Attributes:
        name: Its name, and its tag in the answer.
        words: What it is for.
        offers: Its buttons.
        empty: What stands in the answer where the field is empty; None: it must not be empty.
        written: Whether it holds any text, not only that of an offer.
        tagged: Whether the answer has the field in a tag of its name; else the answer is the text itself.
        aside: Whether it is seldom needed.
    """

    name: str
    words: str
    offers: Sequence[Offer] = ()
    empty: str | None = ""
    written: bool = True
    tagged: bool = True
    aside: bool = False

    def json(self) -> dict[str, Any]:
        """Return what a page or a program needs to show the field."""
        shown = {"name": self.name, "words": self.words, "written": self.written, "aside": self.aside}
        return {**shown, "needed": self.empty is None, "offers": [asdict(offer) for offer in self.offers]}


Form = Sequence[Field]


def any_answer() -> Form:
    """Return the form of a call that has no form of its own: one text."""
    return (Field(name="answer", words="Your answer", empty=None, tagged=False),)


def reply_of(form: Form, given: Mapping[str, str]) -> str:
    """Return the answer that a filled form stands for.

    Args:
        form: The fields.
        given: Texts by name; fields that are left out are empty.

    Raises:
        UserError: There is no such field, a text is too long or none of those that may be chosen, or one is missing.
    """
    names = [field.name for field in form]
    wrong = next((name for name in given if name not in names), None)
    if wrong is not None:
        raise UserError(f"the answer has no field `{wrong[:40]}`\n  = help: its fields are {listing(names, 'and')}")
    parts = []
    for field in form:
        text = given.get(field.name, "").strip()
        if len(text) > MOST_CHARACTERS:
            raise UserError(f"`{field.name}` has {len(text):,} characters, and at most {MOST_CHARACTERS:,} are taken")
        offers = [offer.text for offer in field.offers]
        if text and not field.written and text not in offers:
            words = listing([offer.words or offer.text for offer in field.offers])
            raise UserError(f"`{field.name}` cannot be `{text[:80]}`\n  = help: it is one of {words}")
        found = text or field.empty
        if found is None:
            raise UserError(f"`{field.name}` is empty\n  = help: {field.words[:1].lower()}{field.words[1:]}")
        if found:
            parts.append(f"<{field.name}>{found}</{field.name}>" if field.tagged else found)
    return "\n".join(parts)
