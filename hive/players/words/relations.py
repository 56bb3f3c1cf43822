"""Whether the steps of a plan agree with what an order says: who goes which way, how many, what is denied, and when.

A reading takes words for what they usually mean. Here each clause is held against its own steps, with nothing but the
words as they stand and where the steps lead. What does not agree is asked about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

import dsl
from dsl.wording import is_whole
from hive.kit.facts import Cell, Feature, Ids
from hive.players.words.clauses import Clause
from hive.players.words.lexicon import Item
from hive.players.words.phrases import SHARES
from hive.players.words.scene import COMPASS, NAMED, Scene
from hive.players.words.stages import Squad, Stage
from hive.players.words.waits import UNHEARD

CLOSE = 40  # metres within which units are behind others, or at a feature
LINE = 15  # metres over which units that form a line stand at least
MANY = 8  # units, of which a line has more
FIGHTS = {"attack", "flank", "match"}
"""Verbs that send units against the enemy."""
QUIET = ("retreat", "hide", "avoid", "follow", "shield", "stand")
"""Verbs of units that do not fight on their way."""
PLACES = ("at", "xs", "y", "name", "feature", "area", "dir", "letter", "goal")
"""Meanings of words that name a place."""
NO = re.compile(r"\b(?:no|not|never|nobody|none|nor|neither|without)\b", re.IGNORECASE)
EACH = re.compile(r"\b(?:each|every|per|apiece|both|all)\b", re.IGNORECASE)
WITH = re.compile(r"\b(?:with|using|by|our|my|your)\b", re.IGNORECASE)
THEIRS = re.compile(r"\b(?:they|their|them)\b", re.IGNORECASE)
ASKS = re.compile(
    r"(?:^|[.!?;\n])\s*((?:how many|how much|whom?|what|which|where|why|is|are|do|does|did)\b[^.!?;\n]*\?)",
    re.IGNORECASE,
)
SOME = re.compile(
    r"\b(?:any(?:body|one)|every(?:body|one)|those|all) (?:of you )?(?:who|that) (?:stands?|is|are|has|have)\b",
    re.IGNORECASE,
)
UNKNOWN = re.compile(  # what refers to something in a way that is not known here
    r"\b(?:of )?(?:that|the same) (?:type|kind|sort|group)\b|\bvice versa\b|\brespectively\b|\blikewise\b"
    r"|\bdo(?:es)? the same\b|\bfrom \d+ (?:on|up|onwards?)\b|\bevery (?:second|other|third|fourth|fifth|tenth)\b",
    re.IGNORECASE,
)


Wrong = tuple[int, str]
"""The number of a clause, or -1 for the whole order, and what does not agree."""


@dataclass(frozen=True)
class View:
    """An order, and the steps that were written for it.

    Attributes:
        order: What was written.
        found: Its clauses.
        acted: Stages and units of each clause that was carried out, by number.
        lines: How each clause was understood, by number.
        scene: The game.
        stages: All stages.
        running: Whether the order changes a plan.
    """

    order: str
    found: Sequence[Clause]
    acted: Mapping[int, tuple[Sequence[int], Ids]]
    lines: Mapping[int, str]
    scene: Scene
    stages: Sequence[Stage]
    running: bool

    def ids(self, number: int) -> Ids:
        """The units that carry a clause out."""
        return self.acted[number][1]

    def squads(self, number: int) -> list[Squad]:
        """The squads of the stages of a clause that have units of it."""
        return self._squads[number]

    @cached_property
    def _squads(self) -> dict[int, list[Squad]]:
        return {
            number: [squad for n in own for squad in self.stages[n].squads if np.isin(squad.ids, ids).any()]
            for number, (own, ids) in self.acted.items()
        }

    def cells(self, number: int) -> list[Cell]:
        """The places to which a clause leads."""
        return [squad.cell for squad in self.squads(number)]

    def new(self, number: int) -> list[Stage]:
        """The stages that a clause added."""
        return [self.stages[n] for n in self.acted[number][0] if self._first[n] == number]

    @cached_property
    def _first(self) -> dict[int, int]:
        """The first clause that each stage is of."""
        return {n: number for number in sorted(self.acted, reverse=True) for n in self.acted[number][0]}

    @cached_property
    def alive(self) -> list[int]:
        """The units that live."""
        return np.nonzero(self.scene.facts.own.alive)[0].tolist()

    def typed(self, kind: str) -> list[int]:
        """The live units of a type."""
        return [unit for unit in self.alive if self.scene.facts.own.types[unit] == kind]

    @cached_property
    def tracks(self) -> dict[int, tuple[int, ...]]:
        """The squads that each unit is in, one after another, as numbers over all stages; none for those without."""
        found: dict[int, tuple[int, ...]] = dict.fromkeys(range(len(self.scene.facts.own.types)), ())
        for number, squad in enumerate(squad for stage in self.stages for squad in stage.squads):
            for unit in squad.ids.tolist():
                found[unit] = (*found[unit], number)
        return found

    @cached_property
    def visited(self) -> dict[int, dict[int, list[Cell]]]:
        """Where the units of each clause were sent by those before it, the last place last."""
        found: dict[int, dict[int, list[Cell]]] = {}
        at = self.scene.facts.own.position
        cells: dict[int, list[Cell]] = {unit: [(round(at[unit][0]), round(at[unit][1]))] for unit in self.alive}
        for number in sorted(self.acted):
            found[number] = {unit: cells[unit] for unit in self.ids(number).tolist()}
            for squad in self.squads(number):
                for unit in squad.ids.tolist():
                    cells[unit] = [*cells[unit], squad.cell]
        return found

    @cached_property
    def fights(self) -> list[bool]:
        """Whether each clause names an attack, or goes on with one that was named."""
        found, fought = list[bool](), False
        for clause in self.found:
            said = _verbs(clause)
            bare = (bool(clause.who) or clause.link == "then") and not clause.verbs and _at_foes(clause)
            goes_on = fought and (any(foe.base == "rest" for foe in clause.foe) or not (said or clause.places))
            got = any(  # `get the archers`, but not `get their protection from them`
                one.word in ("get", "gets") and bool(other.get("type", "foe", "all") or other.word == "them")
                for one, other in pairwise(_named(clause))
            )
            named = bool(said & FIGHTS) or (clause.got and got) or "shoot" in clause.deeds
            found.append(named or goes_on or (bare and not said))
            fought = found[-1] and not (bare and not said)
        return found

    def hunts(self, stage: Stage) -> bool:
        """Whether a stage sends units to where enemies stand, until these are dead."""
        foe = self.scene.facts.foe
        at = foe.position[foe.alive]
        ends = stage.ends and isinstance(stage.objective, dsl.Elimination) and len(at) > 0
        return ends and any(
            squad.behaviour.startswith("attack_in")
            and np.hypot(*(at - np.array(squad.cell)).T).min() < self.scene.facts.sight
            for squad in stage.squads
        )


def disagreements(view: View) -> list[tuple[int, str]]:
    """Return what does not agree between an order and its plan: the number of a clause, or -1, and what is wrong."""
    found = [wrong for check in OF_ORDERS for wrong in check(view)]
    for number, clause in enumerate(view.found):
        if number in view.acted:
            wrong = [why for differs, why in OF_CLAUSES.items() if differs(view, number, clause)]
            found += [(number, f"`{clause.text}`: {why}") for why in wrong]
    return list(dict.fromkeys(found))


# ---- words


def _words(clause: Clause) -> list[Item]:
    return [item for item in clause.items if not item.get("stop")]


def _named(clause: Clause, *small: str) -> list[Item]:
    """Return the words of a clause without articles and other small ones."""
    return [item for item in _words(clause) if not item.means.keys() <= {"noise", "own", *small} or not item.means]


def _verbs(clause: Clause) -> set[str]:
    """Return the verbs that the words of a clause name, without those that are denied."""
    found = set[str]()
    for number, item in enumerate(clause.items):
        before = clause.items[max(0, number - 4) : number]
        after = clause.items[number + 1] if number + 1 < len(clause.items) else Item("")
        cut = max((at for at, each in enumerate(before) if each.get("stop", "type") or each.word == "but"), default=-1)
        noun = item.get("area") and before and before[-1].means.keys() == {"noise"}  # `the line`
        if item.get("verb") and not noun and not any(each.get("not") for each in before[cut + 1 :]):
            over = item.get("deed") == "charge" and not clause.foe and after.get("to", "move")  # `charge over it`
            found.add("go" if over else str(item.get("verb")))
        found |= {"attack"} if item.get("against") else set()
    return found


def _at_foes(clause: Clause) -> bool:
    """Whether a clause sends units at others without a verb, as in `archers at their spearmen`."""
    return any(
        one.word in ("at", "for", "on", "upon", "to", "into") and bool(other.get("foe") or other.get("type"))
        for one, other in pairwise(_named(clause, "pronoun"))
    )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def _meant(scene: Scene, item: Item) -> list[Feature]:
    """Return the features that a word may mean: by name, or of a kind."""
    known = scene.facts.features
    return [each for each in known if item.get("name") == each.name or item.get("feature") == each.kind]


# ---- what an order as a whole says


def questions(view: View) -> Iterator[Wrong]:
    """A question about the game orders nothing."""
    asked = [_plain(match.group(1)) for match in ASKS.finditer(view.order)]
    for number, (own, _) in view.acted.items():
        if own and any(_plain(view.found[number].text) in text for text in asked):
            yield number, f"`{view.found[number].text}` is a question"


def references(view: View) -> Iterator[Wrong]:
    """What refers to others in a way that is not known has no meaning here."""
    for match in UNKNOWN.finditer(view.order):
        said = (n for n, clause in enumerate(view.found) if _plain(match.group()) in _plain(clause.text))
        yield next(said, -1), f"`{match.group()}` is not understood"


def left_out(view: View) -> Iterator[Wrong]:
    """What says who does what is not left out, or passed over without a line."""
    for number, clause in enumerate(view.found):
        line = view.lines.get(number, "")
        told = any(who.base not in ("they", "all") or who.where for who in clause.who)
        silent = not line and told and (clause.verbs or clause.places or clause.unknown)
        unread = line.startswith("left out: ") and "is not understood" in line and clause.who
        spoken = bool(clause.verbs) or any(who.base != "they" for who in clause.who)  # else its line names it
        if silent or unread or (spoken and line.startswith("left out. ") and UNHEARD not in line):
            yield number, f"`{clause.text}` would be left out"


def order_of_steps(view: View) -> Iterator[Wrong]:
    """What is to be done `until then` comes before it."""
    for clause in view.found:
        then = re.search(r"\b(?:until|till) then\b", clause.text, re.IGNORECASE) and clause.until is None
        if (clause.link == "otherwise" or then) and clause.acts:
            yield -1, f"`{clause.text}` would come later"


def manners(view: View) -> Iterator[Wrong]:
    """How `they` act is said of those who were named last, or of everyone."""
    last: Ids | None = None
    everyone = view.scene.who(np.array(view.alive, int))
    for number, clause in enumerate(view.found):
        if number in view.acted:
            last = view.ids(number)
        elif last is not None and clause.manner and not clause.acts and THEIRS.search(clause.text):
            line = view.lines.get(number, "left out")
            if not line.startswith(("left out", f"{view.scene.who(last)}:", f"{everyone}:")):
                yield number, f"`{clause.text}` would hold for {line.partition(':')[0]}"


def markers(view: View) -> Iterator[Wrong]:
    """Where all markers are to be visited, none of them is passed over."""
    items = [item for clause in view.found for item in clause.items]
    cells = {squad.cell for stage in view.stages for squad in stage.squads}
    known = view.scene.facts.context.markers or ()
    near = {letter for letter, at in known if any(math.dist(at, cell) < 10 for cell in cells)}
    said = {letter for item in items for letter in str(item.get("letter") or "")}
    in_turn = any(item.get("alphabet") for item in items)
    several = any(item.get("marker") and item.word.endswith("s") for item in items) and not said
    if near and len(near) < len(known) and (several or (in_turn and len(said) < 3)):
        yield -1, "not all markers would be visited"


def idle(view: View) -> Iterator[Wrong]:
    """Of units that are named as a whole, and of the rest, no unit is left without an order."""
    types, items = view.scene.facts.own.types, [item for clause in view.found for item in clause.items]
    left = [] if view.running else [unit for unit in view.alive if not view.tracks[unit]]
    rest = any(item.get("rest") and "other" not in item.word for item in items)
    if rest and {types[unit] for unit in left} & {item.get("type") for item in items}:
        yield -1, "some of the rest would have no order"
    apart = {"number", "share", "ids", "range", "ordinal", "percent", "squad", "dir", "except", "foe"}
    for kind in dict.fromkeys(types[unit] for unit in left):
        named = [at for at, item in enumerate(items) if item.get("type") == kind]
        near = [each for at in named for each in items[max(0, at - 4) : at + 4]]
        part = any(each.means.keys() & apart or each.word in ("nearest", "closest") for each in near)
        if named and not part and sum(types[unit] == kind for unit in left) < len(view.typed(kind)):
            yield -1, f"some {kind} would have no order"


def groups(view: View) -> Iterator[Wrong]:
    """So many units of a type, and a share of one, are told apart from the others by the steps."""
    for at, clause in enumerate(view.found):
        words = _named(clause)
        for before, item, noun in zip([Item(""), *words], words, [*words[1:], Item("")], strict=False):
            whole = view.typed(str(noun.get("type")))
            object_ = before.get("foe") or before.get("verb") == "attack" or noun.get("foe")
            if not whole or object_ or EACH.search(clause.text) or before.get("number"):
                continue
            amounts, number = list[int](), item.get("number")
            if isinstance(number, int) and number > 1 and not item.means.keys() & {"share", "every", "metres"}:
                amounts = [number]
            share = SHARES.get(str(item.get("share")), item.get("percent"))
            inexact = clause.foe or before.get("dir") or item.get("share") in ("some", "few", "most")
            if isinstance(share, int) and not inexact:
                exact = math.floor(len(whole) * {33: 1 / 3, 67: 2 / 3}.get(share, share / 100))
                amounts = [exact - 1, exact, exact + 1, exact + 2]
            if amounts and not _told_apart(view, whole, amounts):
                yield at, f"`{item.text} {noun.text}` would not be told apart"


def _told_apart(view: View, whole: Sequence[int], amounts: Sequence[int]) -> bool:
    """Whether some squads together have one of some numbers of units."""
    sums, tracks = 1, [view.tracks[unit] for unit in whole]  # a bit for each sum
    for track in set(tracks):
        sums |= sums << tracks.count(track)
    return any(sums >> amount & 1 for amount in amounts if amount >= 0)


def subjects(view: View) -> Iterator[Wrong]:
    """The types that a clause begins with carry it out, and groups on two sides are not the same units."""
    own, sides = view.scene.facts.own, dict[str, set[int]]()
    small = {"noise", "then", "own", "number", "every", "all"}
    for number, clause in enumerate(view.found):
        words, kinds = _words(clause), set[str]()
        first = next((n for n, each in enumerate(words) if not each.means.keys() <= {*small, "type", "verb"}), 0)
        kinds = {str(item.get("type")) for item in words[:first] if item.get("type")} & set(own.types)
        goes_on = number > 0 and view.fights[number - 1] and not _verbs(clause)  # `kill archers, then cavalry`
        shields = any(item.get("shield") for item in words)
        if kinds and clause.foe and not clause.who and words[first].get("offset"):
            yield number, f"`{clause.text}` names a place of your own units"
        if number not in view.acted:
            continue
        kinds -= {name for foe in clause.foe for name in foe.names} if words and words[0].get("verb") else set()
        if kinds and not (goes_on or shields or kinds & {own.types[unit] for unit in view.ids(number).tolist()}):
            yield number, f"`{clause.text}` would be done by others"
        for one, other in pairwise(words[:4]):
            if one.get("dir") and other.get("squad") and clause.who and not clause.foe:
                mine, side = set(view.ids(number).tolist()), str(one.get("dir"))
                if any(mine & units for name, units in sides.items() if name != side):
                    yield number, f"`{clause.text}` would be done by others"
                sides[side] = mine


OF_ORDERS: tuple[Callable[[View], Iterator[Wrong]], ...] = (
    questions, references, left_out, order_of_steps, manners, markers, idle, groups, 
    subjects,
)  # fmt: skip


# ---- what a clause says


def unsaid_attack(view: View, number: int, clause: Clause) -> bool:
    """Whether steps lead to the enemy, and the clause names no attack."""
    return not view.fights[number] and any(view.hunts(stage) for stage in view.new(number))


def unsaid_peace(view: View, number: int, clause: Clause) -> bool:
    """Whether units that hold or fight are to ignore the enemy, and nothing says so, or it is denied."""
    squads = view.squads(number)
    items = [item for each in view.found for item in each.items]
    said = any(
        item.get("manner") in ("peace", "cover")
        or item.get("verb") in QUIET
        or item.get("mind", "leave_out", "forbidden")
        for item in items
    )
    denied = any(
        one.get("not") and other.get("manner") == "peace" and not NO.search(other.text)
        for one, other in pairwise(clause.items)
    )
    peaceful = [squad.behaviour == "follow_map" for squad in squads]
    return (any(peaceful) and denied) or (
        bool(peaceful) and all(peaceful) and not said and bool(_verbs(clause) & {"attack", "hold"})
    )


def other_targets(view: View, number: int, clause: Clause) -> bool:
    """Whether units attack one type, and wait for the death of others."""
    types = view.scene.facts.foe.types
    for stage in (view.stages[n] for n in view.acted[number][0]):
        kinds = {kind for squad in stage.squads for kind in squad.types}
        end = stage.objective
        if kinds and isinstance(end, dsl.Elimination) and not kinds & {types[n] for n in end.units.ids(len(types))}:
            return True
    return False


def nobody_left(view: View, number: int, clause: Clause) -> bool:
    """Whether units are sent to attack once everyone is dead, but where that is only said again."""
    foe = view.scene.facts.foe
    alive = set(np.nonzero(foe.alive)[0].tolist())
    if all(_plain(each.text) in _plain(clause.text) for each in view.found[:number] if each.acts):
        return False
    before = {n for stage in view.new(number) if view.hunts(stage) for n in stage.after} - set(view.acted[number][0])
    ends = [view.stages[n].objective for n in before]
    return any(isinstance(end, dsl.Elimination) and alive <= set(end.units.ids(len(foe.types))) for end in ends)


def own_object(view: View, number: int, clause: Clause) -> bool:
    """Whether units named right after an attack are taken for one's own, as in `kill the eleven archers`."""
    words = _named(clause, "number", "dir", "ordinal")[:2]
    names = {name for who in clause.who for name in who.names}
    return (
        len(words) == 2
        and words[0].get("verb") == "attack"
        and words[1].get("type") in names
        and not (words[1].get("verb") or clause.foe or WITH.search(clause.text))
    )


def denied_way(view: View, number: int, clause: Clause) -> bool:
    """Whether a clause that only denies something sends units somewhere."""
    no = next((n for n, item in enumerate(clause.items) if NO.search(item.text) and not item.get("noise")), None)
    if no is None or any(item.get(*PLACES) for item in clause.items[:no]) or _verbs(clause) or clause.foe:
        return False
    if any(place.every for place in clause.places) or any(
        item.get("manner") in ("peace", "cover") for item in clause.items
    ):
        return False
    where = view.visited[number]
    return any(
        all(squad.cell not in where[unit][1:] and math.dist(squad.cell, where[unit][0]) > LINE for unit in mine)
        for squad in view.squads(number)
        if (mine := [unit for unit in squad.ids.tolist() if unit in where])
    )


def all_alike(view: View, number: int, clause: Clause) -> bool:
    """Whether squads that are formed all do the same."""
    tracks = {view.tracks[unit] for unit in view.ids(number).tolist()}
    return "are split into" in view.lines.get(number, "") and len(tracks) < 2


def one_for_each(view: View, number: int, clause: Clause) -> bool:
    """Whether what is said of each group, or side, is done at one place."""
    words = _words(clause)
    said = any(
        item.word == "each" and other.get("squad", "type", "feature", "area") for item, other in pairwise(words[1:])
    )
    places = {id(squad.front) if squad.front else squad.cell for squad in view.squads(number)}
    return said and len(places) == 1 and not clause.squads


def unsaid_share(view: View, number: int, clause: Clause) -> bool:
    """Whether units are shared out over several places, and the clause does not name several."""
    line, words = view.lines.get(number, ""), _words(clause)
    kinds = ("feature", "area", "marker", "name", "squad", "at", "offset")
    for at, item in enumerate(words):
        plural = item.get(*kinds) and item.word.endswith("s")
        many = item.get("every", "not", "number") and any(each.get(*kinds) for each in words[at : at + 4])
        if (
            plural
            or many
            or item.get("rest", "at", "letter")
            or item.word in ("each", "apiece", "there", "them", "they")
        ):
            return False
    return line.startswith("share out over") and "as was said" not in line


def so_many_places(view: View, number: int, clause: Clause) -> bool:
    """Whether so many features are named, and the steps lead to more or fewer of them."""
    words, cells = _named(clause, "dir", "manner"), view.cells(number)
    for item, noun in pairwise(words):
        amount = 2 if item.word == "both" else item.get("number")
        if not isinstance(amount, int) or amount < 2 or clause.foe:
            continue
        between = amount == 2 and any(each.get("offset") for each in words)
        kind = [each for each in view.scene.facts.features if each.kind == noun.get("feature")]
        near = sum(any(math.dist(each.place, cell) < CLOSE / 2 for cell in cells) for each in kind)
        if kind and noun.word.endswith("s") and near != amount and len(cells) > 1 and not between:
            return True
    return False


def numbered_place(view: View, number: int, clause: Clause) -> bool:
    """Whether a feature that is named by its number is not where a clause leads."""
    cells = view.cells(number)
    for before, one, other in zip([Item(""), *clause.items], clause.items, clause.items[1:], strict=False):
        name, side = f" {other.text}", NAMED.get(str(before.get("dir")), "")
        meant = [
            each
            for each in view.scene.facts.features
            if each.kind == one.get("feature") and each.name.endswith(name) and each.name.lower().startswith(side)
        ]
        near = any(math.dist(each.place, cell) < CLOSE for each in meant for cell in cells)
        if meant and is_whole(other.text) and cells and not near and not clause.foe:
            return True
    return False


def behind(view: View, number: int, clause: Clause) -> bool:
    """Whether units that are to be behind, or in front of, a type do not stand there, near it, at any time."""
    scene, words, ids = view.scene, _named(clause, "every"), view.ids(number)
    for item, noun in pairwise(words):
        anchor = np.setdiff1d(np.array(view.typed(str(noun.get("type"))), int), ids)
        if item.get("offset") not in ("behind", "front") or not len(anchor) or noun.get("foe"):
            continue
        fronts = [s.cell for stage in view.stages for s in stage.squads if len(np.intersect1d(s.ids, anchor))]
        cells = fronts or [(round(x), round(y)) for x, y in scene.facts.own.position[anchor].tolist()]
        sign = 1 if item.get("offset") == "behind" else -1
        there = any(
            math.dist(squad.cell, cell) <= CLOSE
            and float(np.subtract(squad.cell, cell) @ np.array(scene.back(cell))) * sign > 0
            for squad in view.squads(number)
            for cell in cells
        )
        led = any(s.front and len(np.intersect1d(s.front.ids, anchor)) for s in view.squads(number))
        if not (there or led):
            return True
    return False


def line_at_a_point(view: View, number: int, clause: Clause) -> bool:
    """Whether many units that form a line stand at one place."""
    squads = view.squads(number)
    drawn = any(item.word in ("line", "row", "wall", "chain") or item.get("verb") == "spread" for item in clause.items)
    shaped = "spread" in clause.verbs or any(item.word in ("line", "wall", "row") for item in clause.items)
    if not (drawn and shaped and squads) or any(squad.front for squad in squads):
        return False
    wide = np.ptp(np.array([squad.cell for squad in squads]), axis=0).max()
    return bool(wide < LINE and sum(len(squad.ids) for squad in squads) > MANY)


def other_way(view: View, number: int, clause: Clause) -> bool:
    """Whether a direction that is said, without a place, leads neither that way nor to that side of the map."""
    squads, words = view.squads(number), _words(clause)
    sides = [
        str(one.get("dir"))
        for one, other in zip(words, [*words[1:], Item("")], strict=False)
        if one.get("dir") and not one.get("offset", "event", "name")
        and not other.get("type", "foe", "squad", "feature", "name", "share", "id")
    ]  # fmt: skip
    if "round on both sides" in view.lines.get(number, "") and any(
        one.get("dir") and not other.get("squad", "foe", "type") for one, other in pairwise([*words, Item("")])
    ):
        return True
    fixed = any(item.get("at", "xs", "y", "name", "feature", "foe", "type", "every") for item in words)
    if (
        len(sides) != 1
        or not squads
        or not len(view.ids(number))
        or fixed
        or clause.foe
        or any(squad.front for squad in squads)
    ):
        return False
    way, middle = np.array(COMPASS[sides[0]], float), view.scene.size / 2
    begun = np.mean([cells[-1] for cells in view.visited[number].values()], 0)
    along = [(np.subtract(s.cell, start) * way)[way != 0].min() for s in squads for start in (begun, (middle, middle))]
    return max(along) < -1


def one_place(view: View, number: int, clause: Clause) -> bool:
    """Whether a place on, or in, another one is taken for two, one after the other."""
    words = _words(clause)
    joined = any(
        one.get("name") and joint.word in ("on", "in", "at", "of") and other.get("name")
        for one, joint, other in zip(words, words[1:], words[2:], strict=False)
    )
    return joined and len(set(view.cells(number))) > 1


def too_near(view: View, number: int, clause: Clause) -> bool:
    """Whether units that are to be so many metres from a place are sent into it."""
    words = _words(clause)
    for at, (item, joint) in enumerate(pairwise(words)):
        place = next((each for each in words[at + 2 : at + 6] if each.get("feature", "name")), None)
        if item.get("metres") and joint.word in ("from", "away from", "off") and place:
            return any(each.cells[cell] for each in _meant(view.scene, place) for cell in view.cells(number))
    return False


def not_picked(view: View, number: int, clause: Clause) -> bool:
    """Whether units of which something is said, as in `anyone who stands ...`, are told apart by nothing."""
    picked = any(who.where or who.names or who.pick or (who.minus and NO.search(clause.text)) for who in clause.who)
    return bool(SOME.search(clause.text)) and bool(clause.who) and not picked


def no_units(view: View, number: int, clause: Clause) -> bool:
    """Whether so many lines, or other places, are taken for so many units."""
    return any(
        isinstance(item.get("number"), int)
        and noun.get("area")
        and any(who.part == item.get("number") for who in clause.who)
        for item, noun in pairwise(clause.items)
    )


def unread_number(view: View, number: int, clause: Clause) -> bool:
    """Whether a number, or what is counted by an ordinal, is passed over."""
    return any(
        item.text in clause.unknown
        and ((not item.means and bool(one.get("ordinal"))) or item.get("number") not in (None, 1))
        for one, item in pairwise([Item(""), *clause.items])
    )


def other_condition(view: View, number: int, clause: Clause) -> bool:
    """Whether a condition is waited for of others than those that it names."""
    event, own = clause.when, view.scene.facts.own
    at = next((n for n, item in enumerate(clause.items) if item.get("when")), None)
    if event is None or at is None:
        return False
    words = clause.items[at + 1 :]
    end = next((n for n, each in enumerate(words) if each.get("event", "stop")), len(words))
    subject, later = words[:end], words[end:]
    if event.kind == "losses" and not event.who and any(each.get("squad") or not each.means for each in subject):
        return True
    if event.kind == "losses" and event.who and event.who[0].base not in ("all", "they"):
        who = set(view.scene.units(event.who, named=False).tolist())
        waited = {n for own_ in view.acted[number][0] for n in view.stages[own_].after}
        return any(isinstance(view.stages[n].objective, dsl.Losses) and view.stages[n].units() - who for n in waited)
    if event.kind == "arrive" and event.place and all(who.base == "they" for who in event.who):
        invented = any("to be waited for" in note for note in view.scene.notes)
        return bool(clause.foe) or invented  # enemies who come, and not one's own units
    kinds = {str(each.get("type")) for each in subject if each.get("type")} & set(own.types)
    said = bool(kinds) and not any(each.get("foe") for each in subject) and any(each.word == "they" for each in later)
    they = not clause.who or clause.who[0].base == "they"
    return said and they and bool({own.types[unit] for unit in view.ids(number).tolist()} - kinds)


OF_CLAUSES: dict[Callable[[View, int, Clause], bool], str] = {
    unsaid_attack: "this names no attack, and the plan makes one",
    unsaid_peace: "they would not fight",
    other_targets: "they would wait for the death of others than those whom they attack",
    nobody_left: "they would attack once all enemies are dead",
    own_object: "are these enemies?",
    denied_way: "this would send units somewhere",
    all_alike: "the squads would all do the same",
    one_for_each: "all of them would go to one place",
    unsaid_share: "this does not name several places, and the plan shares units out",
    so_many_places: "the plan leads to another number of them",
    numbered_place: "a place that is named would be left out",
    behind: "they would not stand there",
    line_at_a_point: "they would stand at one place",
    other_way: "this would lead another way",
    one_place: "is this one place, or one after the other?",
    too_near: "they would be sent there",
    not_picked: "I cannot tell who that is",
    no_units: "how many units are meant?",
    unread_number: "a number, or what it counts, is not understood",
    other_condition: "others would be waited for",
}
"""What may be wrong with a clause, and how it is said."""
