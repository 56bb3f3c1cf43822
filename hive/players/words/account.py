"""What an answer accounts for: what an order says and no line of the answer states is missing from its plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hive.players.words.clauses import Clause, Event, Place, Who
from hive.players.words.lexicon import Item
from hive.players.words.parts import NAMED as TOLD
from hive.players.words.scene import NAMED

SAYS = {  # what the line of a clause says of a verb, or of a manner, that was carried out
    "attack": r"attack|fight|hold|distance|behind|do nothing",
    "retreat": r"ignore the enemy|follow|fight|as said",
    "hide": r"under cover|ignore the enemy",
    "follow": r"follow|behind| to |share",
    "flank": r"go round|spread|attack",
    "avoid": r"keep off|ignore|under cover|distance|nobody|kept out",
}
THROUGHOUT = {  # the same for what may be said once for all
    "peace": r"ignore the enemy|do nothing|nobody",
    "cover": r"under cover",
    "weakest": r"weakest",
    "strongest": r"strongest",
    "slow": r"slowly",
}
WAITS = r"\b(after|until|as soon as|for \d|lasts|nobody)\b"
WHEN = ("when", "until", "before")
NEAR = 10  # metres between a coordinate as it was said and the cell that a line names


def doubts(
    found: Sequence[Clause], lines: Mapping[int, str], cells: Mapping[int, Sequence[int]], running: bool
) -> tuple[list[tuple[int, str]], list[str]]:
    """Return the words of an order that its plan would leave out: with the number of the clause, and details.

    Words without a meaning count where some units are told apart, and a clause says nothing else to do: there they
    tell who does what.

    Args:
        found: The clauses.
        lines: How each was understood, by number.
        cells: The coordinates of all places to which each leads, of which lines name a few.
        running: Whether the order changes a plan.
    """
    answer = " ".join(line for line in lines.values() if not line.startswith("left out. "))  # no words of a question
    words, details = list[tuple[int, str]](), list[str]()
    apart = running or any(
        who.part or who.where or who.base in ("ids", "squad", "rest") for clause in found for who in clause.who
    )
    for number, clause in enumerate(found):
        line = lines.get(number, "")
        left = "left out" in line
        lost = [clause.lost[kind] for kind in ("when", "verb") if kind in clause.lost and line and not left]
        thought = [clause.text] if "think" in clause.verbs and (clause.places or clause.who) else []
        acts = clause.verbs or (clause.who and clause.places)
        unread = clause.unknown if apart and not acts and line and (clause.who or not left) else []
        lost += _denied(clause)
        lost += [clause.text] if set(clause.denied) & {"go", "attack"} and line.startswith("the fight lasts") else []
        told_apart = any(who.part or who.ids or who.base in TOLD for who in clause.who) and not clause.acts
        if told_apart and not line and (number + 1 == len(found) or found[number + 1].who):
            words.append((number, clause.text))
        types = [who for who in clause.who if who.base == "type"] if not (line or clause.acts) else []
        if types and clause.link == "then" and found[number - 1].foe:  # `kill archers first, then cavalry`
            words.append((number, clause.text))
        elif types and number + 1 == len(found) and not re.search("share out|spread", answer):  # both have all types
            details.append(clause.text)
        ends = number + 1 == len(found) or found[number + 1].link != "then"
        absent = missing(clause, line, cells.get(number, ()), answer, ends)
        named = f"{clause.lost.get('purpose', '')} {clause.lost.get('until', '')}"  # in a note of their own
        absent = [(word, detail) for word, detail in absent if word not in named]
        details += [word for word, detail in absent if detail]
        details += [clause.lost[kind] for kind in ("purpose", "distance") if kind in clause.lost]
        unsaid = [*lost, *thought, *unread, *(word for word, detail in absent if not detail)]
        words += [(number, word) for word in unsaid if _counts(word)]
    return words, [word for word in dict.fromkeys(details) if _counts(word)]


def _denied(clause: Clause) -> Iterator[str]:
    """Return words without a meaning that are a place where nobody is to go, as in `never to the windmill`."""
    said = [item for item in clause.items if not item.means or item.get("not", "to")]
    for one, to, other in zip(said, said[1:], said[2:], strict=False):
        if one.get("not") and to.get("to") and not other.means:
            yield f"{one.text} {to.text} {other.text}"


def _counts(word: str) -> bool:
    return len(word) > 1 and word.lower() not in ("one", "ones")


def missing(clause: Clause, line: str, cells: Sequence[int], answer: str, ends: bool) -> list[tuple[str, bool]]:
    """Return the words of a clause that the answer does not account for, each with whether it is a detail.

    Numbers of units, conditions, places, units and deeds are none; distances and how units act are.

    Args:
        clause: The clause, with its items.
        line: How it was understood.
        cells: The coordinates of the places to which it leads.
        answer: All lines of the answer.
        ends: Whether nothing follows once it is done; then its end is a detail.
    """
    numbers = [*(int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?<!,)", line)), *cells]
    said, line, answer = set(_parts(clause)), line.lower(), answer.lower()
    sides = {str(item.get("dir")) for item in clause.items if item.get("dir")}
    said |= {"one side"} if len(sides & {"e", "w"}) == 1 else set()  # `the left half of the line`
    if "no unit can do" in line or "i do not understand when" in line:
        return []
    found, quoted = list[tuple[str, bool]](), set(" ".join(re.findall("`([^`]*)`", line)).split())
    for number, item in enumerate(clause.items):
        event = any(each.get("when") for each in clause.items[max(0, number - 3) : number])
        if item.get("verb") == "attack" and "peace" in clause.manner and re.search(THROUGHOUT["peace"], answer):
            continue  # `not to strike a blow`
        if not quoted.issuperset(item.word.split()) and not _stated(item, said, numbers, line, answer, event):
            unit = clause.items[number + 1] if number + 1 < len(clause.items) else Item("")
            far = "number" in item.means and (not unit.means or unit.get("metres", "stop"))
            shown = f"{item.text} {unit.text}" if far and unit.get("metres") else item.text
            found.append((shown, bool(far) or _slight(item)))
    waits = [event for event in (clause.when, clause.until) if event is not None and event.kind != "arrive"]
    waits = [event for event in waits if event.kind != "dead" or (event.foe and event.foe.names)]
    until = clause.until is not None and clause.until.kind == "arrive"
    if (waits or until) and not re.search(WAITS, line):
        found += [
            (each.text, until and ends) for each in clause.items if each.get("when") in (("until",) if until else WHEN)
        ][:1]
    return found


def _slight(item: Item) -> bool:
    """Whether a word says how something is done, or how far, and not who does what where."""
    return "metres" in item.means or item.get("manner") in ("slow", "weakest", "strongest")


def _stated(item: Item, said: set[str], numbers: Sequence[int], line: str, answer: str, event: bool) -> bool:
    """Whether an answer states what an item says, where that is part of an order."""
    for kind in ("at", "xs", "y"):
        if kind in item.means:
            value = item.means[kind]
            if f"stands {value}" in said:  # `the nearest 30 to (5, 5)`
                return True
            cells = value if isinstance(value, tuple) else (value,)
            return all(any(abs(each - int(str(cell))) <= NEAR for each in numbers) for cell in cells)
    amount = item.get("number", "metres", "percent")
    if amount is not None and not item.means.keys() & {"ordinal", "all", "share"}:
        small = item.word in ("one", "ones", "single") or not isinstance(amount, int)
        return small or amount in numbers or bool(said & {"part", "every", "ids", f"gap {amount}"})
    if item.get("share") not in (None, "some", "most", "few") and "area" not in item.means:
        half = item.get("share") == "half" and ("half" in line or "spread" in answer)
        return bool(said & {"part", "rest", "squad"}) or half
    if "range" in item.means or "ids" in item.means:
        return bool(said & {"ids", "among"})
    if letters := str(item.get("letter") or ""):
        return all(f"marker {letter}".lower() in answer for letter in letters)
    if name := item.get("name"):
        return str(name).lower() in answer or f"stands {name}" in said
    if kind := str(item.get("type") or ""):
        return kind[:5] in answer or "minus" in said or bool(said & {f"waits {kind}", f"own {kind}"})
    if (side := item.get("dir")) and not item.get("offset", "event"):
        spread = "spread" in answer and "one side" not in said
        return (
            NAMED[str(side)] in line
            or spread
            or any(str(side) in each[4:6] for each in said if each.startswith("dir "))
        )
    if item.get("feature") and not item.means.keys() & {"verb", "light", "type", "manner"}:  # `from the woods`
        return bool(said & {"feature", "among", "same", "cover"}) or any(
            str(item.get("feature")) in text for text in (line, answer)
        )
    if item.get("except"):
        return "minus" in said
    if not event and not item.means.keys() & {"type", "noise", "light", "event", "area"}:
        for kind in ("verb", "manner"):
            deed = str(item.get(kind) or "")
            if deed in SAYS:
                return bool(re.search(SAYS[deed], line))
            if deed in THROUGHOUT:
                return bool(re.search(THROUGHOUT[deed], answer))
    return True


def _parts(each: object) -> Iterator[str]:
    """Return what a clause, and what it is made of, has taken in: `part`, `ids`, `minus` and directions."""
    if isinstance(each, Clause):
        yield from (f"own {name}" for who in each.own for name in who.names)
        for one in (*each.who, *each.foe, *each.own, *each.places, each.when, each.until):
            yield from _parts(one)
    elif isinstance(each, Who):
        yield from (name for name, value in (("part", each.part), ("ids", each.ids), ("minus", each.minus)) if value)
        if each.where is not None:
            yield f"stands {each.where.value}"
        yield each.base
        for more in (each.where, *each.minus):
            yield from _parts(more)
    elif isinstance(each, Place):
        yield from ("every" for _ in range(each.every or (each.kind == "markers" and each.value == "all")))
        yield "among" if each.among else each.kind
        yield f"gap {each.metres}"
        yield f"dir {each.dir or (each.value if each.kind in ('beside', 'way') else '')}"
        for of in each.of:
            yield from _parts(of)
            yield from (f"own {name}" for name in (of.names if isinstance(of, Who) and of.where else ()))
    elif isinstance(each, Event):
        yield from ("part" for _ in range(bool(each.amount) and each.kind != "ticks"))
        yield from (f"waits {name}" for who in (*each.who, each.foe) if who for name in who.names)
        for one in (*each.who, each.foe, each.place):
            yield from _parts(one)
