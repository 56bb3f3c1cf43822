"""When: what clauses wait for, and what they are done after, before or until."""

from __future__ import annotations

from hive.players.words.clauses import Event
from hive.players.words.collector import Collector
from hive.players.words.cursor import fits


def _earlier(reader: Collector) -> bool:
    """Read `before`, with what is done after that: `before you attack, go to A`."""
    gerund = reader.ahead("when:before verb") and reader.item(1).word.partition(" ")[0].endswith("ing")
    you = reader.ahead("when:before 'you'|'we'|'they' !$")
    if not gerund and not (you and reader.ahead("verb", you)):
        return False
    reader.at += you or 1
    link = "then" if reader.clause.acts else "later"
    reader.begin(link).link = link
    return True


def _links(reader: Collector) -> None:
    kind = str(reader.item().get("when"))
    reader.at += 1
    reader.begin(kind if kind in ("while", "otherwise") else "then")


def _before(reader: Collector) -> bool:
    found = reader.skip("when:before 'that'|'this'|'it'") or reader.skip("'beforehand'")
    if found:
        reader.begin("before")
    return found


def _event(reader: Collector) -> None:
    """Read what is waited for."""
    item, kind, begun, clause = reader.item(), reader.item().get("when"), reader.at, reader.clause
    reader.at += 1
    event = None if kind == "unclear" else reader.event()
    start = reader.at
    if event is not None and reader.skip("'or'") and reader.event() is not None:
        reader.leave(reader.text(start))  # `until they are dead or 400 ticks have passed`
    if event is None and kind == "until":
        reader.skip("'you'|'they'|'we'|'are'|'almost'|'right'*")
        event = Event("arrive", place=place) if (place := reader.place()) is not None else None
    if event is None and fits(item, "'after'", "'upon'", "'once'"):
        reader.begin("then")
    elif event is None:
        reader.to_end("$|then")
        clause = reader.apart() if reader.joined else clause
        ends = kind == "until" and not any(each.get("then") for each in reader.items[reader.at :])
        (clause.left if ends else clause.lost).append(reader.text(begun))
    elif kind == "until" and event.kind == "arrive" and event.place and all(who.whole for who in event.who):
        clause.places += [event.place] if event.place.kind not in ("units", "same") else []  # `until you are at A`
    elif kind in ("until", "before"):
        clause.until = event
    else:
        clause = reader.begin("and") if (clause.acts and reader.joined) or clause.when else clause
        clause.when = event
    reader.joined = False


def when(reader: Collector) -> None:
    """Read when something is done: words such as `when`, `once`, `until`, `before` and `while`, with what follows."""
    if reader.ahead("'as' squad|formation"):  # `spread out as squads`
        reader.at += 1
    elif reader.ahead("when:while|when:otherwise") or reader.ahead("'after' to:to"):
        _links(reader)
    elif reader.ahead("when:before") and (_before(reader) or _earlier(reader)):
        return
    elif reader.ahead("'once' 'and'|'but'|$"):  # `attack once and come back`
        reader.at += 1
        reader.lose("once")
    else:
        _event(reader)


def ticks(reader: Collector) -> bool:
    """Read `50 ticks`, for which units do something, or `50 ticks later`."""
    start, clause, count = reader.at, reader.clause, reader.count()
    units = reader.ahead("metres") and not reader.ahead("'ticks'|'tick'")
    if not count or units or not reader.skip("event:ticks"):
        reader.at = start
    elif reader.skip("'later'") or (clause.full and not clause.verbs):
        clause = clause if clause.who and not clause.full else reader.begin("then")
        clause.when = Event("ticks", count)
        clause.verbs = ["go" if verb == "follow" else verb for verb in clause.verbs]  # `archers follow 40 ticks later`
    else:
        clause.until = Event("ticks", count)
    return reader.at > start
