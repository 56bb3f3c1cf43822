"""Items to clauses in their order: sentences are cut at stops, at `then`, `when` and the like, commas and `and`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive.players.words.clauses import ACTIONS, Clause, Event, Foe, Parser, Place, Who
from hive.players.words.lexicon import Item

_LINKS = ("then", "when", "until", "while")
_STOPS = ".!?;\n"
_ONE_THING = [  # verbs of two clauses that say one thing together: `go and hold the bridge`
    {"go"}, {"go", "hold"}, {"go", "attack"}, {"go", "gather"}, {"go", "spread"},
    {"split", "go"}, {"split", "hold"}, {"split", "spread"}, {"split", "attack"}, {"split", "match"},
]  # fmt: skip


def clauses(items: Sequence[Item]) -> list[Clause]:
    """Return the clauses of an order, in the order in which they were said."""
    found: list[Clause] = []
    for link, part in _segments(items):
        parser = Parser(part)
        fresh = True
        while parser.at < len(part):
            start = parser.at
            clause = Clause(link=link if fresh else "and")
            _fill(parser, clause)
            clause.words = [item.text for item in part[start : parser.at]]
            if not clause.said and not clause.unknown and clause.when is None:
                continue
            if (
                found
                and not (fresh and link == "stop" and clause.verbs)
                and _joins(found[-1], clause, link if fresh else "and")
            ):
                continue
            found.append(clause)
            fresh = False
    return found


def _segments(items: Sequence[Item]) -> list[tuple[str, list[Item]]]:
    """Cut at stops and at `then`, `meanwhile`: each part with what it follows on."""
    parts: list[tuple[str, list[Item]]] = [("stop", [])]
    for at, item in enumerate(items):
        stop = str(item.get("stop") or "")
        last = at + 1 == len(items) or bool(items[at + 1].get("stop"))
        if stop and stop in _STOPS:
            parts.append(("stop", []))
        elif stop == ":":
            counted = parts[-1][1] and parts[-1][1][-1].get("number", "ordinal") and len(parts[-1][1]) == 1
            parts = parts[:-1] if counted else parts
            parts.append(("then" if counted else "and", []))
        elif (
            item.get("then") == "then"
            and not (item.get("ordinal") or item.text.lower() in ("last", "next"))
            and not last
        ):
            parts.append(("then", []))
        elif item.get("when") == "while" and item.text.lower() != "as":
            parts.append(("while", []))
        else:
            parts[-1][1].append(item)
    merged: list[tuple[str, list[Item]]] = []
    waiting = ""
    for link, part in parts:
        waiting = link if link in ("then", "while") or not waiting else waiting
        if part and any(item.means.keys() - {"stop", "noise"} or not item.means for item in part):
            merged.append((waiting or link, part))
            waiting = ""
    return merged


def _fill(parser: Parser, clause: Clause) -> None:
    """Read items into a clause until the next one begins."""
    items = parser.items
    denied = False
    while parser.at < len(items):
        item = items[parser.at]
        word = item.text.lower()
        parser._moving = bool(clause.verbs)
        if item.get("stop") or (
            (word in ("and", "but", "or", "&", "+", "plus") and "noise" in item.means) or word in "&+"
        ):
            parser.at += 1
            if clause.said:
                return
            continue
        if item.get("when") in ("when", "until", "before") and (clause.said or not item.get("offset")):
            _wait(parser, clause, str(item.get("when")))
            continue
        if item.get("think") and not clause.who and not clause.places:
            parser.at += 1
            clause.verbs.append("think")
            continue
        if item.get("cannot") and not item.get("verb"):
            parser.at += 1
            clause.verbs.append("cannot")
            continue
        if item.get("not") and not denied:
            parser.at += 1
            denied = not (parser.peek("foe") or parser.peek("foe", ahead=1))
            continue
        if item.get("shield") and not clause.who and parser.peek("pronoun", ahead=1):
            parser.at += 2
            clause.verbs.append("hold")
            clause.own = (Who("they"),)
            continue
        if item.get("shield") and clause.who and (by := _shielded(parser, clause)):
            clause.behind = by
            continue
        if item.get("manner") and not _as_verb(parser, clause):
            clause.manner.add(str(item.get("manner")))
            parser.at += 1
            if item.get("manner") == "peace" and word.split()[0] in ("ignore", "disregard", "forget", "skip"):
                mark = parser.at
                if parser.foe() is None and parser.place() is not None:
                    clause.manner.discard("peace")
                    clause.verbs.append("think")
                    continue
                parser.at = mark
            if item.get("manner") == "peace":
                parser.skip(
                    "the",
                    "enemy",
                    "enemies",
                    "all",
                    "any",
                    "every",
                    "foe",
                    "foes",
                    "to",
                    "anyone",
                    "whoever",
                    "everyone",
                    "an",
                    "them",
                )
            elif item.get("manner") == "behind" and (front := parser.whos()) and clause.who:
                clause.behind = (clause.who, front)
            continue
        lined = set(clause.verbs) & {"spread"} or any(place.kind == "row" for place in clause.places)
        if item.get("to") == "from" and not lined:
            mark = parser.at
            parser.at += 1
            if parser.place() or parser.who():
                ahead = 0
                while (
                    parser.peek("noise", "manner", "to", "move", "verb", ahead=ahead)
                    and parser.peek("to", ahead=ahead) != "to"
                ):
                    ahead += 1
                if parser.peek("to", ahead=ahead) == "to":
                    continue
            parser.at = mark + 1
            continue
        if item.get("against"):
            parser.at += 1
            foe = parser.foe(bare=True)
            if foe is not None:
                clause.foe.append(foe)
                clause.verbs += ["attack"] if "attack" not in clause.verbs and "match" not in clause.verbs else []
            continue
        if item.get("verb") == "avoid":
            ahead = 1
            while parser.peek("noise", "every", "all", ahead=ahead):
                ahead += 1
            if parser.peek("verb", ahead=ahead) == "attack":  # `avoid any fight`
                clause.manner.add("peace")
                parser.at += ahead + 1
                continue
        if _verb(parser, clause, denied):
            denied = False
            continue
        before = items[parser.at - 1].text.lower() if parser.at else ""
        foe = parser.foe(bare=bool(set(clause.verbs) & set(ACTIONS)) and bool(clause.who or parser_started(clause)))
        if foe is not None:
            clause.foe.append(foe)
            continue
        if parser.peek("number") is not None and (
            parser.peek("squad", ahead=1) or (parser.peek("own", ahead=1) and parser.peek("squad", ahead=2))
        ):
            clause.squads = parser.number()
            parser.skip()
            parser.next_of("squad")
            continue
        if _ticks(parser, clause):
            continue
        mark = parser.at
        before = items[mark - 1].text.lower() if mark else ""
        before = items[mark - 2].text.lower() if before in ("the", "our", "my") and mark > 1 else before
        who = parser.who()
        if (
            who is not None
            and before in ("to", "towards", "toward", "into")
            and clause.verbs
            and who.base in ("all", "type")
        ):
            clause.places.append(Place("own", of=(who,)))
            continue
        if who is not None:
            if before == "with" and not clause.who and not clause.behind:
                clause.who = (*clause.who, who)
                continue
            if (clause.who and ("follow" in clause.verbs or "protect" in clause.verbs)) or (
                "follow" in clause.verbs and not clause.who and clause.verbs[-1] == "follow"
            ):
                clause.own = (*clause.own, who)
            elif who.base == "they" and (clause.who or clause.foe):
                pass
            elif "hold" in clause.verbs and clause.who and not clause.places and who.base in ("they", "type") and (
                items[mark - 1].get("shield") or before in ("defend", "guard", "protecting", "guarding")
            ):  # fmt: skip
                clause.verbs.append("follow")
                clause.own = (*clause.own, who)
            elif clause.who and clause.places and who.base != "they":
                parser.at = mark
                if parser.at > 0 and items[mark - 1].text.lower() == "with":
                    clause.who = (*clause.who, parser.who() or who)
                    continue
                return
            elif who.base == "all" and clause.who and clause.who[-1].base != "all" and who.part is None:
                pass
            else:
                clause.who = (*clause.who, who)
            continue
        if "go" in clause.verbs and word in ("across", "over") and item.get("to") and not parser.peek(
            "noise", "feature", "name", "at", "dir", "number", "letter", "marker", "area", "goal", ahead=1
        ):  # fmt: skip
            parser.at += 1
            clause.places.append(Place("same"))
            continue
        if item.get("offset") in ("behind", "front") and clause.who and not clause.behind:
            mark = parser.at
            beside = parser.place()
            parser.at = mark
            if beside is None or item.text.lower() in ("at their back", "at their backs"):
                parser.at += 1
                others = (Who("all", minus=clause.who),)
                clause.behind = (clause.who, others) if item.get("offset") == "behind" else (others, clause.who)
                continue
        place = parser.place()
        if place is not None:
            if place.kind == "offset" and place.value in ("behind", "front") and isinstance(place.of[0], Who):
                clause.behind = (
                    (clause.who, (place.of[0],)) if place.value == "behind" else ((place.of[0],), clause.who)
                )
            clause.places.append(place)
            continue
        parser.at += 1
        if not item.means:
            clause.unknown.append(item.text)
            prior_word = items[parser.at - 2].text.lower() if parser.at > 1 else ""
            if prior_word in ("the", "our", "my", "all", "an", "some") or (
                parser.at > 1 and items[parser.at - 2].get("number")
            ):
                prior = items[parser.at - 3].get("to") if parser.at > 2 else None
                if prior and not clause.places:
                    clause.lost_place = clause.lost_place or item.text
                elif clause.verbs and not clause.who and not clause.places and not clause.foe:
                    clause.lost_who = clause.lost_who or item.text
            elif (
                parser.at > 1
                and items[parser.at - 2].get("to")
                and not clause.places
                and prior_word not in ("at", "by", "with")
            ):
                clause.lost_place = clause.lost_place or item.text
        elif item.get("squad") and not clause.squads:
            clause.squads = -1
        elif item.get("alphabet") == "forward" and "alphabet" in item.text.lower():
            clause.alphabet = True
        elif item.get("alphabet") == "backward":
            clause.manner.add("backward")
        elif item.get("cancel"):
            clause.verbs.append("cancel")
    if denied and not clause.manner:
        clause.denied.append("")


def _shielded(parser: Parser, clause: Clause) -> tuple[tuple[Who, ...], tuple[Who, ...]] | None:
    """Read `spearmen cover the archers`, or `archers where the spearmen shield them`: who is behind whom."""
    mark = parser.at
    parser.at += 1
    who = parser.whos()
    if who and who[0].base == "they" and len(clause.who) > 1:
        return clause.who[:-1], clause.who[-1:]
    if who and who[0].base == "type" and clause.who[-1].base in ("type", "squad"):
        return who, clause.who[-1:]
    parser.at = mark
    return None


def parser_started(clause: Clause) -> bool:
    """Whether the verb of a clause has come, so that what follows is its object."""
    return bool(clause.verbs)


def _as_verb(parser: Parser, clause: Clause) -> bool:
    item = parser.items[parser.at]
    return bool(item.get("verb")) and not clause.verbs and item.get("manner") not in ("peace", "leash", "distance")


def _verb(parser: Parser, clause: Clause, denied: bool) -> bool:
    """Take a verb, unless the word is a noun here; `denied`: it was said that this is not to be done."""
    item = parser.items[parser.at]
    verb = item.get("verb")
    if not verb:
        return False
    before = parser.items[parser.at - 1] if parser.at else None
    noun = bool(
        item.means.keys()
        & {"area", "feature", "marker", "type", "squad", "all", "goal", "share", "event", "number", "foe"}
    )
    determined = before is not None and (
        before.text.lower() in ("the", "a", "an", "our", "my", "of", "each", "every", "all", "final")
        or (
            bool(before.means.keys() & {"dir", "number", "ordinal", "every", "foe", "percent", "share", "manner"})
            and not before.means.keys() & {"type", "all"}
        )
    )
    if noun and (determined or parser.peek("letter", ahead=1)):
        return False
    if noun and item.get("all", "squad") and not (item.text.endswith(("ing", "ed")) or clause.who):
        return False
    parser.at += 1
    passive = (
        verb == "attack"
        and before is not None
        and before.get("light")
        and item.text.lower().endswith(("ed", "en", "out"))
    )
    if passive and clause.who and all(who.base in ("they", "all") for who in clause.who):
        clause.who, clause.foe = (), [Foe()]
    if item.get("manner") == "cover":
        clause.manner.add("cover")
    if denied:
        clause.denied.append(str(verb))
        if verb == "attack":
            clause.manner.add("peace")
    else:
        clause.verbs.append(str(verb))
    return True


def _ticks(parser: Parser, clause: Clause) -> bool:
    mark = parser.at
    parser.skip("for", "about", "some", "another")
    if parser.peek("number") is not None:
        count = parser.number()
        if parser.peek("ticks", "event") == "ticks" or parser.peek("event") == "ticks":
            parser.at += 1
            clause.ticks = count
            return True
    parser.at = mark
    return False


def _wait(parser: Parser, clause: Clause, word: str) -> None:
    """Read what a clause waits for: when it begins, or until when it lasts."""
    start = parser.at
    parser.at += 1
    parser.single = True
    event = _event(parser)
    parser.single = False
    if event is None and parser.items[start].text.lower() == "after":
        ahead = start + 1
        while ahead < len(parser.items) and parser.items[ahead].means and not parser.items[ahead].get("stop"):
            ahead += 1
        if ahead == len(parser.items) or parser.items[ahead].get("stop"):
            parser.at, clause.link = ahead, "then"  # `after the last one` follows on what was said
            return
    if event is None:
        if not parser.items[start].get("then"):
            clause.lost_when = " ".join(item.text for item in parser.items[start : max(parser.at, start + 2)])
        parser.at = start + 1
        return
    if word == "until" and event.kind == "arrive" and event.place and event.place.kind == "feature":
        clause.places.append(event.place)
    elif word == "until":
        clause.until = event
    else:
        clause.when = event


def _event(parser: Parser) -> Event | None:
    """Read an event: `the archers arrive`, `half the enemies are dead`, `50 ticks`, `an enemy is in sight`."""
    who: tuple[Who, ...] = ()
    foe = place = None
    start, amount, kind = parser.at, 0, ""
    denied = some = False
    while parser.at < len(parser.items):
        item = parser.items[parser.at]
        if item.get("stop") or (kind and item.text.lower() in ("and", "but")):
            break
        event = item.get("event")
        if item.get("not") and not kind:
            denied = True
            parser.at += 1
        elif (item.get("percent") and parser.peek("event", ahead=1) == "losses") or item.get("percent"):
            amount = int(str(item.get("percent")))
            parser.at += 1
        elif item.get("ordinal") == 1 or item.text.lower() in ("any", "anyone", "somebody", "one"):
            some = True
            parser.at += 1
        elif event == "ticks" and amount:
            parser.at += 1
            return Event("ticks", amount)
        elif event and event != "ticks" and (not item.get("verb") or who or foe or place):
            kind = str(event)
            if item.text.lower() == "left" and not denied:
                kind = ""
            parser.at += 1
        elif (
            kind
            and (item.get("verb") or item.get("type", "class", "all", "rest", "pronoun"))
            and not (kind == "arrive" and place is None and item.get("pronoun"))
            and not (kind in ("sighted", "dead", "losses") and not foe and item.get("foe"))
        ):
            break
        elif (found := parser.foe()) is not None:
            foe = found
        elif parser.peek("share") == "half" and (
            parser.peek("foe", ahead=1) or parser.peek("foe", ahead=2) or parser.peek("foe", ahead=3)
        ):
            amount = 50
            parser.at += 1
        elif not kind and parser.peek("number") is not None and not parser.peek("squad", ahead=1):
            mark = parser.at
            amount = parser.number()
            if parser.peek("event") == "ticks":
                continue
            parser.at = mark
            if (one := parser.who()) is not None:
                who = (*who, one)
            else:
                parser.at += 1
        elif not place and (one := parser.who()) is not None:
            who = (*who, one)
        elif (kind in ("", "arrive")) and (at := parser.place()) is not None:
            place = at
            kind = kind or "arrive"
        elif item.get("verb") and not kind:
            verb = item.get("verb")
            kind = {"go": "arrive", "gather": "arrive", "attack": "dead", "spread": "arrive", "hold": "arrive"}.get(
                str(verb), ""
            )
            parser.at += 1
            if not kind:
                break
        else:
            parser.at += 1
    if not kind and foe is not None and denied:
        kind = "dead"
    if not kind and not place:
        return None
    if kind == "losses" and foe is not None:
        kind = "enemy losses"
    if kind == "sighted" and foe is None and who:
        kind = "arrive"
    if kind == "dead" and amount and foe is not None:
        kind = "enemy losses"
    said = parser.items[start : parser.at]
    shares = [each.part or 0 for each in who if each.percent] + [50 for item in said if item.get("share") == "half"]
    if kind == "dead" and foe is None and (amount or any(item.get("own") for item in said)):
        kind, amount = "losses", amount or max(shares, default=100)
    if kind in ("losses", "arrive", ""):
        amount = amount or max(shares, default=0)
    if (kind or "arrive") == "arrive" and some:
        return Event("some", amount, who, foe, place)
    return Event(kind or "arrive", amount, who, foe, place)


def _joins(last: Clause, new: Clause, link: str) -> bool:
    """Add a clause to the one before where it only says more of it; return whether it did."""
    if new.when is not None or (link == "then") or (new.ticks and not new.verbs):
        return False
    only = _only(new)
    if _only(last) == {"who"} and not new.who and new.said and last.when is None:
        _take(last, new)
        last.unknown += new.unknown
        last.words += [",", *new.words]
        return True
    if not new.said:
        last.unknown += new.unknown
        last.words += [",", *new.words]
        return True
    if link == "while":
        return False
    if only == {"foe"} and ((last.foe and "attack" in last.verbs) or (not last.foe and last.verbs and link != "stop")):
        last.foe += new.foe
    elif (
        only == {"who"}
        and last.foe
        and set(last.verbs) & set(ACTIONS)
        and last.who
        and new.who[0].base == "type"
        and not new.who[0].part
    ):
        last.foe += [replace(last.foe[-1], names=who.names) for who in new.who]
    elif (
        only == {"who"}
        and (link != "stop" or not last.said)
        and ((not last.places and not last.foe and (last.who or last.verbs)) or (not last.who and link != "stop"))
    ):
        last.who += new.who
    elif (
        only <= {"who", "verbs", "places", "manner", "foe", "squads", "until", "own"}
        and "who" in only
        and last.who
        and not (last.places or last.foe or last.manner or last.own or last.squads)
        and (not last.verbs or "verbs" not in only)
        and not (last.verbs and "verbs" in only)
        and new.who[0].base != "they"
    ):
        if last.verbs and "verbs" not in only and "who" in only and not new.places and not new.foe:
            return False
        last.who += new.who
        _take(last, new)
    elif only == {"places"} and link != "stop" and (last.places or last.verbs):
        last.places += new.places
    elif (only <= {"manner", "places"} and "manner" in only and link != "stop" and last.said) or (
        only <= {"squads", "manner"} and link != "stop"
    ):
        _take(last, new)
    elif only == {"verbs"} and link != "stop" and new.verbs in (["go"],) and not last.places and last.verbs:
        last.verbs += new.verbs
    elif (
        link != "stop" and last.verbs and not (last.places or last.foe or last.own or last.until) and "verbs" in only
        and not new.who and {last.verbs[-1], new.verbs[0]} in _ONE_THING
    ):  # fmt: skip
        _take(last, new)
    else:
        return False
    last.unknown += new.unknown
    last.words += [",", *new.words]
    return True


def _take(last: Clause, new: Clause) -> None:
    last.verbs += new.verbs
    last.denied += new.denied
    last.places += new.places
    last.foe += new.foe
    last.own += new.own
    last.manner |= new.manner
    last.squads = last.squads or new.squads
    last.until = last.until or new.until
    last.behind = last.behind or new.behind
    last.when = last.when or new.when
    last.ticks = last.ticks or new.ticks
    last.lost_who, last.lost_place = last.lost_who or new.lost_who, last.lost_place or new.lost_place


def _only(clause: Clause) -> set[str]:
    """Return the names of the fields that were said."""
    names = ("who", "verbs", "denied", "foe", "places", "manner", "squads", "ticks", "own", "until", "behind")
    return {name for name in names if getattr(clause, name)}
