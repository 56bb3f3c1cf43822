"""An order as a whole: the one thing that an order of the whole army comes to, where its parts cannot all be read."""

from __future__ import annotations

from collections.abc import Sequence

from hive.players.words.clauses import Clause, Place, Who
from hive.players.words.cursor import fits

LINES = ("row", "column", "centre")
"""Parts of the map over which an army is spread."""
OUT = {"spread", "split", "hold", "stay", "shield"}
"""Verbs of those who are to be in several places at once."""


def as_whole(found: Sequence[Clause]) -> Clause | None:
    """Return the clause that an order comes to.

    Squads by type go each against the enemies that they beat; an army spreads over a line, holds places of a kind, or
    goes to places one after the other.

    Returns:
        None where the order tells groups of units apart, waits for more than arrivals, or names enemies.
    """
    items = [item for clause in found for item in clause.items]
    found = [clause for clause in found if clause.verbs != ["cancel"]]
    verbs = {verb for clause in found for verb in clause.verbs}
    squads = any(clause.squads for clause in found)
    places = [place for clause in found for place in clause.places if _stands(place)]
    each = any(fits(item, "every") for item in items)
    kinds = "split" in verbs or squads or any(item.word.startswith(("type", "kind", "sort")) for item in items)
    if not places and each and kinds and any(fits(item, "foe") for item in items):
        return Clause(verbs=["match"], items=items)  # squads by type, each against some enemies
    told = any(who.part or who.number or who.minus or who.where for clause in found for who in clause.who)
    waits = any(clause.when and clause.when.kind != "arrive" for clause in found)
    if told or waits or any(foe.names or foe.where or foe.count for clause in found for foe in clause.foe):
        return None
    placed = {clause.who[0].names if clause.who else () for clause in found if any(map(_stands, clause.places))}
    if len(placed - {()}) > 1:
        return None
    names = next(iter(placed), ()) if len(placed) == 1 else ()
    if any(who.names and who.names != names for clause in found for who in clause.who):
        names = ()  # `the infantry on the middle row, archers behind them`
    manner = set[str]().union(*(clause.manner for clause in found), {"cover"} if "hide" in verbs else ())
    whole = Clause(who=(Who(names=names),) if names else (), items=items)
    lines = [place for place in places if place.kind == "part" and place.value in LINES and not place.of]
    every = [place for place in places if place.kind == "feature" and place.every]
    if (every and not verbs - {"think"}) or ((every or lines) and (squads or verbs & OUT)):
        whole.verbs = ["hold"] if every else ["spread"]
        whole.places = every[:1] or sorted(lines, key=lambda place: LINES.index(str(place.value)))[:1]
        return whole
    if not places or ("attack" in verbs and "peace" not in manner) or squads:
        return None
    whole.verbs, whole.manner = ["go"], manner & {"peace", "cover", "forward", "backward", "in_turn"}
    if manner & {"forward", "in_turn"} and any(place.kind == "markers" for place in places):
        places = [Place("markers", "all"), *(place for place in places if place.kind == "goal")]
    whole.places = places  # the objective comes last in all orders that send everyone
    return whole


def _stands(place: Place) -> bool:
    """Whether a place is one by itself, and not where others are or how far to go."""
    beside = place.kind == "beside" and any(isinstance(each, Who) for each in place.of or (Who(),))
    return place.kind not in ("same", "units", "home", "start", "way") and not beside and not place.origin
