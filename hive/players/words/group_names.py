"""Names of groups that an order makes up: `a screen of 15 spearmen`, `the left wing, 20 archers,`, `as the reserve`.

Where a group is named and comes again, or its units follow it as in `the support group, all archers,`, its names become
one item each with the same value: of the kind `label`, or `role` where it is said of units that the clause has. All
else that such words may mean, such as `the left wing` of an army that named none, stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hive.players.words.cursor import fits
from hive.players.words.lexicon import Item

BEFORE = ("'the'", "'a'", "'an'", "'our'", "'my'", "'your'", "'this'", "'that'", "'another'")
NOUN = ("squad", "called", "'reserve'", "'reserves'", "'wing'", "'flank'", "'force'", "'team'", "'escort'", "'element'")
COUNTED = ("number", "share", "percent", "ids", "range", "type", "class", "all", "every", "rest", "'unit'", "'units'")
IS = ("'is'", "'are'", "'means'")
LINK = ("','", "':'", "'('", "'-'")
NO_PART = ("$", "then:then", *BEFORE, "to", "when", "foe", "at", "xs", "y", "not", "'of'", *COUNTED)
"""What no adjective of a name is."""
ROLES = ("as", "is", "are", "form", "forms")
"""First words of what is said of units that come before: `as the reserve`, `are my reserve`."""
PLACES = ("wing", "flank")
"""Nouns that may be places: they name a group only where they come again."""
BOTH = tuple(f"both {noun}s" for noun in PLACES)
"""What may be places, and means both groups where two are named so."""
OTHERS = ("attack", "avoid", "flank", "match")
"""Verbs whose object is no group of one's own."""


@dataclass(frozen=True)
class _Mention:
    """A name in an order: its items, the noun, and the words that tell it from others of this noun."""

    start: int
    stop: int
    noun: str
    adjectives: frozenset[str]
    ordinal: int
    role: bool  # whether it is said of units that come before it
    introduces: bool


def with_group_names(items: Sequence[Item]) -> list[Item]:
    """Return an order in which each name of a group is one item, where it is introduced and comes again."""
    mentions = list[_Mention]()
    for at in range(len(items)):
        if (not mentions or at >= mentions[-1].stop) and (mention := _mention(items, at)):
            mentions.append(mention)
    known = [each for each in mentions if each.introduces]
    wings = [each for each in known if each.noun in PLACES]
    meant = {each: _one(known, each) for each in mentions}
    again = {each for mention, each in meant.items() if each is not None and mention is not each}
    linked = [each for each in known if fits([*items, Item("")][each.stop], *LINK)]
    again |= {each for each in linked if each.noun not in PLACES and not each.role}
    both = len(wings) == 2 and any(item.word in BOTH for item in items)  # `until both wings are in place`
    again |= {*wings} if both else set()
    label = " + ".join(f"{each.noun} {known.index(each)}" for each in wings)
    found, at = list[Item](), 0
    for mention, each in meant.items():
        if each is not None and each in again and mention.start >= each.start:
            words = items[mention.start : mention.stop]
            means: dict[str, object] = {"role" if mention.role else "label": f"{each.noun} {known.index(each)}"}
            means |= {"verb": verb} if mention.role and (verb := words[0].get("verb")) else {}
            found += [*items[at : mention.start], Item(" ".join(item.text for item in words), means)]
            at = mention.stop
    found += items[at:]
    return [Item(item.text, {"label": label}) if both and item.word in BOTH else item for item in found]


def _mention(items: Sequence[Item], start: int) -> _Mention | None:
    """Return the name that begins at an item; None if none does."""
    within = items[start].word.split()
    if within[:1] in (["as"], ["in"]) and fits(Item(within[-1]), *NOUN):  # `as a reserve` of the lexicon
        return _Mention(start, start + 1, within[-1], frozenset(), 0, role=True, introduces=True)
    theirs = any(fits(item, "foe", "'their'", "'his'") for item in items[max(0, start - 4) : start])
    role = items[start].word in ROLES and not theirs
    at = start + role
    while at < len(items) and fits(items[at], *BEFORE):
        at += 1
    first, led = at, at > start
    no_part = NO_PART if led else (*NO_PART, "verb")
    while at < min(first + 2, len(items)) and not fits(items[at], *NOUN, *no_part):
        at += 1
    if at == len(items) or not fits(items[at], *NOUN) or not (led or not start or fits(items[start - 1], "$")):
        return None
    if (not led and fits(items[at], "verb")) or (
        fits(items[at], "squad") and items[at + 1 : at + 2] and items[at + 1].get("number")
    ):
        return None
    words = frozenset(item.word for item in items[first:at])
    ordinal = int(str(items[first].get("ordinal") or 0)) if len(words) == 1 else 0
    introduces = role or _introduces(items, start, at + 1)
    return _Mention(start, at + 1, items[at].word.removesuffix("s"), words, ordinal, role, introduces)


def _introduces(items: Sequence[Item], start: int, stop: int) -> bool:
    """Whether units come after a name."""
    before = (items[at] for at in range(start - 1, -1, -1) if not fits(items[at], "noise"))
    if next(before, Item("")).get("verb") in OTHERS:
        return False
    begins = not start or str(items[start - 1].get("stop", ",")) in ".!?;:\n"
    ahead = [*items[stop : stop + 5], Item("", {"stop": "."})]
    if not fits(ahead[0], "'of'", *IS, *(LINK if begins else ())):
        return False
    counted = next((item for item in ahead[1:] if not fits(item, "noise", "own")), ahead[-1])
    return fits(counted, *COUNTED)


def _one(known: Sequence[_Mention], mention: _Mention) -> _Mention | None:
    """Return the name that a mention repeats; None if there is none, or more than one."""
    if mention.introduces:
        return mention
    alike = [each for each in known if each.noun == mention.noun]
    close = [each for each in alike if mention.adjectives <= each.adjectives]
    if not close and 0 < mention.ordinal <= len(alike):
        return alike[mention.ordinal - 1]
    return close[0] if len(close) == 1 else None
