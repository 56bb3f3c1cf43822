"""What the words of an order stand for in a game: units, units of the other side, and places as cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dsl.wording import listing, plural, unit_words
from hive.ground.places import Terrain, Vector
from hive.kit.facts import Army, Cell, Facts, Feature, Ids
from hive.players.words.clauses import Place, Who

COMPASS: dict[str, Vector] = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}
COMPASS |= {a + b: (COMPASS[b][0], COMPASS[a][1]) for a in "ns" for b in "ew"}
NAMED = {
    "n": "north", "s": "south", "e": "east", "w": "west",
    "ne": "north-east", "nw": "north-west", "se": "south-east", "sw": "south-west",
}  # fmt: skip
SIDES = {each: f"{name} of" for each, name in NAMED.items()} | {
    "behind": "behind", "front": "in front of", "near": "by", "far_side": "beyond", "this_side": "this side of",
}  # fmt: skip
FAR = 2.0  # metres: types that reach further fight from afar
GAP = 8  # metres between a line and those behind it
FIXED = ("at", "feature", "markers", "goal")
Spot = tuple[Cell, str]


def shrunk(mask: np.ndarray, metres: int) -> np.ndarray:
    """Return the `[X, Y]` cells of a mask that are so many metres inside it, or the mask where there are none."""
    found = mask
    for _ in range(metres):
        wide = np.pad(found, 1, mode="edge")
        found = found & wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]
    return found if found.any() else mask


class Unclear(Exception):  # noqa: N818 - it is no fault: its text is the answer
    """Something that was said has no meaning in this game; the text is a question or tells what there is."""


class Contrary(Unclear):
    """What was said contradicts itself, or the numbers of units: no part of the order is sure."""


class Dead(Unclear):
    """All who were named are dead."""


class Scene:
    """A game, and what an order has named so far."""

    def __init__(self, facts: Facts) -> None:
        """Begin with an order of which nothing was read yet."""
        self.facts = facts
        self.terrain = Terrain(facts.ground)
        self.size = self.terrain.size
        self.named: set[int] = set()  # by any clause so far
        self.groups: list[Ids] = []  # whom the clauses named so far, the last one last
        self.squads: dict[int, Ids] = {}  # by number
        self.nouns: dict[str, Ids] = {}  # by what they are called, as in `a screen of 20 archers`
        self.picked: set[int] = set()  # whom other clauses named as a number, or a share, of some
        self.pool = np.zeros(0, int)  # of whom the last clause named a part
        self.shared = ""  # `share` or `count` where that was one of a type
        self.spots: dict[int, Vector] = {}  # where a unit will stand after the clauses so far
        self.heard: list[Place] = []  # places so far
        self.told: list[Feature] = []  # single features so far
        self.covered: list[Feature] = []  # features so far, single or all of a kind
        self.every: Place | None = None  # the last place that stood for several features
        self.goal: Vector | None = None  # where the present clause leads
        self.enemies: Who | None = None  # whom the last clause named
        self.labels: dict[Cell, str] = {}  # what the cells of places are called
        self.sentence: set[int] = set()  # whom the present sentence named so far
        self.notes: list[str] = []  # what else is to be said

    @property
    def last(self) -> Ids:
        """Whom the last clause named, or everyone."""
        return self.groups[-1] if self.groups else np.nonzero(self.facts.own.alive)[0]

    # ---- units

    def units(self, who: Sequence[Who], named: bool = True) -> Ids:
        """Return the ids of the live units that are meant, in order.

        Raises:
            Unclear: There are no such units.
        """
        found = np.unique(np.concatenate([self._one(each) for each in who])) if who else np.zeros(0, int)
        if named:
            self.named |= set(found.tolist())
        return found

    def _one(self, who: Who) -> Ids:
        own, everyone = self.facts.own, np.arange(len(self.facts.own.types))
        if who.unread:
            raise Unclear(f"I cannot tell who is meant by `{who.unread}`. You have {self.army(own)}.")
        kinds = np.array(own.types)
        ids = everyone[np.isin(kinds, self.types(who.names, own))] if who.names else everyone
        if who.base == "they":
            ids = np.unique(np.concatenate(self.groups[-who.number :])) if who.number and self.groups else self.last
            ids = self.pool if who.part is not None and len(self.pool) else ids
        elif who.base == "rest":
            left = np.array([unit for unit in self.pool if unit not in self.named], int)
            of_type = self.shared in ("share", "count") and bool(who.number) and not who.names
            of_type &= who.part == len(left) or (who.part is None and self.shared == "share")
            if not (len(left) and (who.percent or of_type)):  # `half of the archers ..., the rest ...`
                left = np.array([unit for unit in ids if unit not in self.named], int)
            ids = left
        elif who.base == "called":
            if who.called not in self.nouns:
                raise Unclear(f"Who is the {who.called}? Say it as in `a {who.called} of 20 archers`.")
            ids = self.nouns[who.called]
        elif who.base == "squad":
            if who.number not in self.squads and -1 not in (who.number,):
                known = f"squads {listing([str(each) for each in self.squads], 'and')}" if self.squads else "no squads"
                raise Unclear(f"There are {known}: say how the army is split, as in `split the army into 3 squads`.")
            ids = self.squads.get(who.number, self.last)
        ids = self._numbered(who, ids, own) if who.ids else ids
        if len(ids) and not own.alive[ids].any():
            raise Dead(f"{self.dead(who, own)}. You have {self.army(own) or 'nobody left'}.")
        if who.ids and len(gone := ids[~own.alive[ids]]):
            self.notes.append(f"of the units that are named by number, these are dead: {self.ids(gone, ranges=True)}")
        ids = ids[own.alive[ids]]
        less = np.unique(np.concatenate([self._one(each) for each in who.minus])) if who.minus else np.zeros(0, int)
        ids = self._standing(who, np.setdiff1d(ids, less) if len(less) else ids)
        if who.base not in ("they", "rest") or (who.base == "they" and who.part is not None):
            self.pool = less if len(less) else ids if who.part is not None else np.zeros(0, int)
            kind = "share" if who.percent else "count" if who.part is not None else ""
            self.shared = self.shared if who.base == "they" else kind if who.names else ""
        if who.part is not None:
            ids = self._part(who, ids)
        if not len(ids):
            raise Unclear(f"No unit is left for that. You have {self.army(own)}.")
        return ids

    def _numbered(self, who: Who, ids: Ids, army: Army) -> Ids:
        """Return the units of an army that are named by number; `ids` are those of the types that are named.

        Raises:
            Unclear: There are no such units, or they are of other types.
        """
        mine, whole = army is self.facts.own, len(army.types)
        most = max((stop if stop is not None else start + 1) for start, stop in who.ids)
        if most > whole:
            one, all_ = ("unit", "your units") if mine else ("enemy", "the enemies")
            raise Unclear(f"There is no {one} {most - 1}: {all_} are 0 to {whole - 1}.")
        chosen = np.unique(np.concatenate([np.arange(whole)[start:stop] for start, stop in who.ids]))
        if len(outside := np.setdiff1d(chosen, ids)):
            kinds = unit_words(who.names[0], 2)
            has = f"{'You have' if mine else 'The enemy has'} {self.army(army)}"
            there = self.ids(ids, ranges=True)
            raise Unclear(f"Units {self.ids(outside, ranges=True)} are no {kinds}: {kinds} are {there}. {has}.")
        return chosen

    def dead(self, who: Who, army: Army) -> str:
        """Return in words that those are dead who are meant."""
        side = "Your" if army is self.facts.own else "Enemy"
        if who.ids:
            ids = np.unique(np.concatenate([np.arange(len(army.types))[start:stop] for start, stop in who.ids]))
            unit, are = ("units", "are") if len(ids) > 1 else ("unit", "is")
            return f"{side} {unit} {self.ids(ids, ranges=True)} {are} dead"
        kinds = listing(phrases=[unit_words(kind, 2) for kind in who.names], joint="and") if who.names else "units"
        return f"All {side.lower()} {kinds} are dead"

    def _standing(self, who: Who, ids: Ids) -> Ids:
        """Return those of some units that stand where was said, or all in the order of their distance."""
        position = self.facts.own.position
        if who.pick == "nearest" and len(ids):
            goal = self.spot(who.where, self.middle(ids))[0] if who.where else self.goal or self.foe_middle()
            return ids[np.argsort(np.hypot(*(position[ids] - np.array(goal)).T), kind="stable")]
        if who.where is None or not len(ids):
            return ids
        if who.where.kind == "part" and who.where.dir and not who.where.of:
            x, y = COMPASS[who.where.dir]
            sent = [squad for squad in self.squads.values() if len(np.intersect1d(squad, ids)) and not who.names]
            ends = [np.array(self.middle(squad)) @ (x, y) for squad in sent]
            if len(ends) > 1 and max(ends) > min(ends) + 5:  # of squads, the one that was sent to that side
                return sent[int(np.argmax(ends))]
            if who.pick == "most":
                return ids[np.argsort(-(position[ids] @ np.array((x, y))), kind="stable")]
            for middle in ((self.size / 2, self.size / 2), position[ids].mean(0)):
                at = position[ids] - middle
                inside = (at[:, 0] * x >= 0) & (at[:, 1] * y >= 0)
                if inside.any() and not inside.all():
                    break
            return ids[inside]
        told = np.array([self.spots.get(unit, tuple(position[unit])) for unit in ids.tolist()])
        far = np.hypot(*(told - np.array(self.spot(who.where, self.middle(ids))[0])).T)
        if far.min() > 40:
            raise Unclear(f"None of them stands there now: {self.spot(who.where, self.middle(ids))[1]}.")
        return ids[far <= max(20.0, far.min() + 10)]

    def _part(self, who: Who, ids: Ids) -> Ids:
        """Return a share of units of each type, or a count; those without an order, and low ids, before others."""
        assert who.part is not None
        kinds = np.array(self.facts.own.types)[ids]
        types = list(dict.fromkeys(kinds.tolist()))
        if who.percent and not 0 < who.part <= 100:
            raise Contrary(f"{who.part}% of them cannot be sent: a share is between 1% and 100%.")
        if not who.percent and (who.part * (len(types) if who.each else 1) > len(ids) or not who.part):
            kind = unit_words(who.names[0], 2) if who.names else "units"
            owned = self.facts.own
            gone = int((~owned.alive & np.isin(owned.types, self.types(who.names, owned))).sum()) if who.names else 0
            more = f" ({gone} of them are dead)" if gone else ""
            raise Contrary(f"You have {len(ids)} {kind}, not {who.part}{more}: {self.army(owned)}.")
        share = {33: 1 / 3, 67: 2 / 3}.get(who.part, who.part / 100)
        found: list[int] = []
        left, whole, step = who.part, len(ids), -1 if who.pick == "last" else 1
        for number, kind in enumerate(types):
            mine = ids[kinds == kind].tolist()
            if who.percent:
                count = max(1, math.floor(len(mine) * share + 0.5 + 1e-9))
            elif who.each:
                count = min(who.part, len(mine))
            else:
                count = left if number == len(types) - 1 else round(left * len(mine) / max(1, whole))
                left, whole = left - count, whole - len(mine)
            if who.pick in ("", "last"):
                mine.sort(key=lambda unit: (unit in self.named, step * unit))
            found += mine[:count]
        again = self.picked & set(found)
        if who.percent and len(again) <= len(types) < len(found):  # shares are rounded: those that are left
            found = [unit for unit in found if unit not in again]
        elif again:
            raise Contrary(f"{len(again)} of them have an order already: say who goes where with numbers that add up.")
        return np.array(sorted(found), int)

    def types(self, names: Sequence[str], army: Army) -> list[str]:
        """Return the types that some words name: types, or `melee` and `ranged`.

        Raises:
            Unclear: The army has none of them.
        """
        there = dict.fromkeys(army.types)
        found = [kind for kind in there for name in names if name in (kind, self.range_of(kind))]
        missing = [name for name in names if name not in found and name not in ("melee", "ranged")]
        if missing or not found:
            side = "You have" if army is self.facts.own else "The enemy has"
            raise Unclear(f"{side} no {unit_words((missing or list(names))[0], 2)}: {side.lower()} {self.army(army)}.")
        return found

    def range_of(self, kind: str) -> str:
        """Return `ranged` for a type that fights from afar, else `melee`."""
        return "ranged" if self.facts.types[kind].reach > FAR else "melee"

    @staticmethod
    def counted(kinds: Sequence[str]) -> str:
        """Return types with their numbers in words."""
        parts = [f"{kinds.count(kind):,} {unit_words(kind, kinds.count(kind))}" for kind in dict.fromkeys(kinds)]
        return listing(phrases=parts, joint="and")

    def army(self, army: Army) -> str:
        """Return what lives of an army in words."""
        return self.counted([kind for kind, lives in zip(army.types, army.alive, strict=True) if lives])

    def who(self, ids: Ids) -> str:
        """Return units in words."""
        return self.counted([self.facts.own.types[unit] for unit in ids])

    @staticmethod
    def ids(ids: Ids, ranges: bool = False) -> str:
        """Return ids in words; with `ranges`, one after another as `3 to 9`."""
        if ranges:
            runs = np.split(ids, np.nonzero(np.diff(ids) > 1)[0] + 1)
            parts = [f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
            return listing(phrases=[*parts[:5], *(["…"] if len(parts) > 5 else [])], joint="and")
        return ", ".join(map(str, ids[:5])) + (", …" if len(ids) > 5 else "")

    def opponents(self, foes: Ids) -> str:
        """Return enemies in words."""
        kinds = dict.fromkeys(np.array(self.facts.foe.types)[foes].tolist())
        return f"{len(foes):,} {'enemies' if len(kinds) > 1 else 'enemy ' + unit_words(next(iter(kinds)), len(foes))}"

    def chosen(self, meant: Sequence[Who], foes: Ids) -> str:
        """Return in words which enemies are meant of many: by number, or the nearest or weakest ones."""
        if any(who.ids for who in meant):
            return f"{self.opponents(foes)} ({self.ids(foes, ranges=True)})"
        pick = next((who.pick for who in meant if who.pick in ("weakest", "strongest")), "nearest")
        return f"the {pick} {self.opponents(foes)}"

    def enemies_named(self, who: Who) -> Ids:
        """Return the ids of the enemies of the types and numbers that are meant, alive or dead.

        Raises:
            Unclear: There are no such enemies.
        """
        army = self.facts.foe
        if who.unread:
            raise Unclear(f"I cannot tell which enemies are meant by `{who.unread}`. The enemy has {self.army(army)}.")
        ids = np.arange(len(army.types))
        if not len(ids):
            raise Unclear("There is no enemy in this world.")
        ids = ids[np.isin(army.types, self.types(who.names, army))] if who.names else ids
        return self._numbered(who, ids, army) if who.ids else ids

    def foes(self, who: Who, near: Vector) -> Ids:
        """Return the ids of the live units of the other side that are meant.

        Raises:
            Unclear: There are none.
        """
        army, ids = self.facts.foe, self.enemies_named(who)
        if not army.alive[ids].any():
            raise Dead(f"{self.dead(who, army)}. The enemy has {self.army(army) or 'nobody left'}.")
        ids = ids[army.alive[ids]]
        if who.base == "rest":  # those who were not named yet
            who = replace(who, number=0)
            if self.enemies is not None and self.enemies.base != "rest":
                ids = left if len(left := np.setdiff1d(ids, self.foes(self.enemies, near))) else ids
        if who.part is not None and not who.percent and who.part > len(ids):
            raise Unclear(f"The enemy has {len(ids)} of them, not {who.part}: {self.army(army)}.")
        if who.where is not None and who.where.kind == "part" and who.where.dir and not who.where.of:
            x, y = COMPASS[who.where.dir]
            at = army.position[ids] - self.size / 2
            kept = ids[(at[:, 0] * x >= 0) & (at[:, 1] * y >= 0)]
            if not len(kept):
                raise Unclear(f"No such enemy is in the {NAMED[who.where.dir]} now.")
            return kept
        goal = np.array(self.spot(who.where, near)[0] if who.where is not None else near)
        if who.part is not None:
            far = np.linalg.norm(army.position[ids] - goal, axis=1)
            rank = {"weakest": army.health[ids], "strongest": -army.health[ids]}.get(who.pick, far)
            count = max(1, math.floor(len(ids) * who.part / 100 + 0.5)) if who.percent else who.part
            return np.sort(ids[np.argsort(rank, kind="stable")[:count]])
        groups = self.clusters(ids)
        if who.where is not None or who.pick == "nearest" or who.number:
            groups.sort(key=lambda each: float(np.linalg.norm(army.position[each].mean(0) - goal)))
            if len(groups) < who.number:
                raise Unclear(f"The enemy stands in {plural(len(groups), 'group')} now, not {who.number}.")
            return np.sort(np.concatenate(groups[: max(1, who.number)]))
        if who.pick in ("weakest", "strongest"):
            ranked = sorted(groups, key=lambda each: float(army.health[each].sum()))
            return ranked[0 if who.pick == "weakest" else -1]
        return ids

    def clusters(self, ids: Ids) -> list[Ids]:
        """Return groups of the other side whose units stand within 15 m of each other, about; largest first."""
        blocks: dict[Cell, list[int]] = {}
        for unit in ids.tolist():
            x, y = self.facts.foe.position[unit] // 15
            blocks.setdefault((int(x), int(y)), []).append(unit)
        groups = []
        while blocks:
            front, group = [next(iter(blocks))], []
            while front:
                x, y = front.pop()
                group += blocks.pop((x, y), [])
                front += [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (x + i, y + j) in blocks]
            groups.append(np.array(sorted(group)))
        return sorted(groups, key=len, reverse=True)

    def middle(self, ids: Ids) -> Vector:
        """Return where units stand on the average, after the clauses so far."""
        known = [self.spots.get(unit) or tuple(self.facts.own.position[unit]) for unit in ids.tolist()]
        x, y = np.mean(known, 0) if known else (self.size / 2, self.size / 2)
        return float(x), float(y)

    def foe_middle(self, ids: Ids | None = None) -> Vector:
        """Return the middle of the other side, or of some of its units."""
        army = self.facts.foe
        ids = np.nonzero(army.alive)[0] if ids is None else ids
        x, y = army.position[ids].mean(0) if len(ids) else (self.size / 2, self.size / 2)
        return float(x), float(y)

    # ---- places

    def back(self, place: Vector, along: Vector | None = None) -> Vector:
        """Return the direction of length 1 that leads away from the other side, or towards what is guarded.

        Args:
            place: From where.
            along: A line, to which it is then at right angles; else it follows one axis of the map.
        """
        fx, fy = self.foe_middle()
        if math.dist(place, (fx, fy)) < GAP:  # in the middle of them: the way back is home
            place = self.facts.own.position.mean(0)
        guarded = self.facts.guarded
        dx, dy = (guarded[0] - place[0], guarded[1] - place[1]) if guarded else (place[0] - fx, place[1] - fy)
        if along is not None:
            across = -along[1], along[0]
            sign = 1.0 if dx * across[0] + dy * across[1] >= 0 else -1.0
            dx, dy = sign * across[0], sign * across[1]
        elif not guarded:
            dx, dy = (0.0, dy) if abs(dy) >= abs(dx) else (dx, 0.0)
        long = math.hypot(dx, dy) or 1.0
        return dx / long, dy / long

    @staticmethod
    def beyond(place: Vector, near: Vector) -> Vector:
        """Return the direction along one axis of the map that leads from units past a place, of length 1."""
        dx, dy = place[0] - near[0], place[1] - near[1]
        return (0.0, math.copysign(1, dy)) if abs(dy) >= abs(dx) else (math.copysign(1, dx), 0.0)

    def around(self, place: Place, near: Vector) -> list[Spot]:
        """Return the place at the side of enemies that a way behind them leads by, for `behind the enemy`."""
        if place.kind != "beside" or place.value != "behind" or not (isinstance(place.of[0], Who) and place.of[0].foe):
            return []
        (x, y), (half_x, half_y) = self.extent(place.of[0], near)
        dx, dy = self.beyond((x, y), near)
        wide = (half_y if dx else half_x) + self.facts.sight + 3
        sides = [(x + side * dy * wide, y + side * dx * wide) for side in (-1, 1)]
        inside = [all(0 <= each < self.size for each in side) for side in sides]
        sides = [side for side, fits in zip(sides, inside, strict=True) if fits or not any(inside)]
        cell = self.terrain.near(min(sides, key=lambda side: math.dist(side, near)))
        self.labels[cell] = f"{cell}, round the enemy"
        return [(cell, str(cell))]

    def away(self, place: Vector, metres: float, back: Vector | None = None) -> Cell:
        """Return the cell so many metres from a place, away from the other side (or in a direction)."""
        dx, dy = back or self.back(place)
        return self.terrain.near((place[0] + dx * metres, place[1] + dy * metres))

    def relative(self, ids: Ids, metres: float, side: str, back: Vector | None = None) -> Cell:
        """Return the cell that many metres from units, as `away` does, and call it by them in lines."""
        cell = self.away(self.middle(ids), metres, back)
        self.labels[cell] = f"{cell}, {abs(metres):.0f} m {side} {self.who(ids)}"
        return cell

    def places(self) -> str:
        """Return a sentence that names what can be a place here."""
        markers = [f"marker {letter}" for letter, _ in self.facts.context.markers or ()]
        names = list(dict.fromkeys(each.name for each in self.facts.features))
        return f"Places here are {listing(phrases=[*names[:9], *markers, '(x, y)', 'the centre'], joint='and')}."

    def features(self, place: Place, near: Vector) -> list[Feature]:
        """Return the features that a place names.

        Raises:
            Unclear: There is none, or it is not clear which.
        """
        found = self._features(place, near)
        self.told += [] if place.every else found
        self.covered += found
        self.every = place if place.every else self.every
        return found

    def _features(self, place: Place, near: Vector) -> list[Feature]:
        every, kind = self.facts.features, place.value
        if named := [each for each in every if each.name == kind]:
            return named
        if not kind:  # `the western one`
            kind = self.covered[-1].kind if self.covered else "bridge"
        found = [each for each in every if each.kind == kind]
        if not found:
            raise Unclear(f"There is no {kind} here. {self.places()}")
        if place.other:
            found = [each for each in found if not any(each is told for told in self.covered)] or found
        if place.own and kind == "bridge":  # `our bridges`: those that lead from our bank
            bank = ~shrunk(~self.bank(near), 4)
            found = [each for each in found if (each.cells & bank).any()] or found
        if place.most:
            x, y = COMPASS[place.dir]
            found = [max(found, key=lambda each: each.place[0] * x + each.place[1] * y)]
        elif place.dir and not (place.other and place.every):
            found = self._on_side(found, place.dir, place.every)
        if len(place.among) > 1:
            found = [each for each in found if each.name.rpartition(" ")[2] in {str(one) for one in place.among}]
            if len(found) < len(place.among):
                raise Unclear(f"There are not as many of them as you number. {self.places()}")
        if place.number:
            ends = [each for each in found if each.name.endswith(f" {place.number}")]
            found = ends or found[place.number - 1 : place.number]
            if not found:
                raise Unclear(f"There is no {kind} number {place.number}. {self.places()}")
        if place.every or len(found) == 1:
            return found
        same = [each for each in self.told[::-1] if any(each is other for other in found)]
        if same and not place.dir and not place.number:
            return same[:1]
        if kind != "bridge":
            return [min(found, key=lambda each: math.dist(self.terrain.near(near, each.cells), near))]
        raise Unclear(f"Which {kind} is meant: {listing((each.name for each in found), 'or')}?")

    def on_side(self, place: Place) -> bool:
        """Whether features of a kind are named after a side of the map."""
        word = f"{NAMED[place.dir]} "
        return any(each.kind == place.value and each.name.lower().startswith(word) for each in self.facts.features)

    def _on_side(self, found: list[Feature], side: str, every: bool) -> list[Feature]:
        word = NAMED[side].replace("-", " ")
        named = [each for each in found if each.name.lower().replace("-", " ").startswith(f"{word} ")]
        exact = [each for each in named if f"{NAMED[side]} " in each.name.lower()]
        if exact or named:
            return exact or named
        reach = [float(np.dot(np.array(each.place) - self.size / 2, COMPASS[side])) for each in found]
        half = [each for each, far in zip(found, reach, strict=True) if far > 0]
        return half if every and half else [found[int(np.argmax(reach))]]

    def spot(self, place: Place, near: Vector) -> Spot:
        """Return the one cell that a place stands for, as `all_spots` does."""
        return self.all_spots(place, near)[-1]

    def all_spots(self, place: Place, near: Vector) -> list[Spot]:
        """Return the cells that a place stands for, in order, with names: several for markers and all of a kind.

        Raises:
            Unclear: There is no such place, or it is not clear which.
        """
        found = self._all_spots(place, near)
        self.labels |= dict(found)
        return found

    def _all_spots(self, place: Place, near: Vector) -> list[Spot]:
        if place.kind == "same":
            if (heard := self.last_heard()) is None:
                raise Unclear(f"Which place is meant? {self.places()}")
            return self.all_spots(heard, near)
        if place.kind == "markers":
            return self._markers(place)
        if place.kind == "beside" and place.of[0] == Place("same") and (it := self.it(place.value in COMPASS)):
            place = replace(place, of=(it,))
        if place.of == (Place("feature", "water"),) and not any(each.kind == "water" for each in self.facts.features):
            place = replace(place, of=())
        if place.kind == "part" and place.dir and place.of and not place.value:  # the side of a house is beside it
            anchor = self.it(False) if place.of[0] == Place("same") else place.of[0]
            solid = isinstance(anchor, Place) and anchor.kind == "feature"
            if isinstance(anchor, Place) and solid and self.features(anchor, near)[0].kind in ("building", "water"):
                return self.all_spots(Place("beside", place.dir, of=(anchor,), metres=4), near)
        alike = [each for each in self.facts.features if place.value in (each.name, each.kind)]
        sided = place.kind == "feature" and place.dir and not (place.every or place.deep or place.most)
        if sided and len(alike) == 1 and NAMED[place.dir] not in alike[0].name.lower():  # `the camp on the west side`
            return self.all_spots(Place("part", "", place.dir, of=(replace(place, dir=""),)), near)
        if place.kind == "feature":
            found = self.features(place, near)
            return [(cell, f"{each.name} {cell}") for each in found for cell in [self._on(each, place, near)]]
        if place.kind in ("xs", "span") and isinstance(place.value, tuple):
            y = self.spot(place.of[0], near)[0][1] if place.of and isinstance(place.of[0], Place) else near[1]
            return [(cell, str(cell)) for x in place.value for cell in [self.terrain.near((x, y))]]
        if place.kind == "sides" and isinstance(place.value, tuple):
            return [self.spot(replace(place, kind="beside", value=side, every=False), near) for side in place.value]
        if place.kind == "part" and place.value == "corner" and place.every:
            sides = [side for side in ("sw", "se", "nw", "ne") if not place.dir or place.dir in side]
            return [self.spot(Place("part", "corner", dir=side), near) for side in sides]
        if place.kind == "part" and place.value == "corner" and not place.dir:
            corners = [Place("part", "corner", dir=side) for side in ("sw", "se", "nw", "ne")]
            nearest = min(corners, key=lambda each: math.dist(self._cell(each, near), near))
            place = next((each for each in self.heard[::-1] if each.value == "corner" and each.dir), nearest)
        if place.kind == "part" and place.value == "wings":
            x, y = self.middle(np.nonzero(self.facts.own.alive)[0])
            return [(cell, str(cell)) for way in (-0.2, 0.2) for cell in [self.terrain.near((x + way * self.size, y))]]
        cell = self._cell(place, near)
        if place.kind == "at" and place.of and isinstance(place.of[0], Place):
            inner = place.of[0]
            name = self.features(inner, cell)[0].name if inner.kind == "feature" else self.spot(inner, near)[1]
            return [(cell, f"{name.partition(' (')[0]} {cell}")]
        if place.kind == "zone" and isinstance(place.value, tuple):
            axis, value = place.value
            return [(cell, f"{NAMED[place.dir]} of {axis[0]}={value} {cell}")]
        if place.kind == "beside" and place.value == "between":
            both = [self.called(each, near) for each in self.anchors(place, near)]
            return [(cell, f"{cell}, between {listing(phrases=both, joint='and')}")]
        if place.kind == "beside" and (side := SIDES.get(str(place.value))):
            anchor = place.of[0]
            if (isinstance(anchor, Who) and anchor.foe) or (isinstance(anchor, Place) and anchor.kind == "feature"):
                return [(cell, f"{cell}, {side} {self.called(anchor, near).partition(' (')[0]}")]
        if place.kind != "part":
            return [(cell, {"goal": f"the objective {cell}"}.get(place.kind, str(cell)))]
        name = f"the {NAMED.get(place.dir, '')} {place.value or ''}".replace("  ", " ").strip()
        if place.of and isinstance(place.of[0], Place) and place.of[0].kind == "feature":
            name += f" of {self.features(place.of[0], near)[0].name}"
        return [(cell, f"{name} {cell}")]

    def called(self, anchor: Place | Who, near: Vector) -> str:
        """Return what a place is beside in words."""
        if isinstance(anchor, Place):
            return self.spot(anchor, near)[1]
        return self.opponents(self.foes(anchor, near)) if anchor.foe else self.who(self.units([anchor], named=False))

    def _markers(self, place: Place) -> list[Spot]:
        markers = dict(self.facts.context.markers or ())
        known = f"markers are {listing(markers, 'and')}" if markers else "this map has no markers"
        letters = list(markers) if place.value in ("all", "one") else list(str(place.value))
        missing = [letter for letter in letters if letter not in markers]
        if missing or not letters:
            raise Unclear(f"There is no marker {missing[0]}: {known}." if missing else f"Which markers? {known}.")
        if place.value == "one":
            letters = letters[place.number - 1 :][:1] if place.number > 0 else letters[-1:]
        return [(markers[letter], f"marker {letter} {markers[letter]}") for letter in letters]

    def _on(self, feature: Feature, place: Place, near: Vector) -> Cell:
        """Return the cell of a feature that is meant: deep inside a wood, or the way in that is nearest."""
        if feature.kind != "forest":
            return feature.place
        inner = feature.cells & self.terrain.forest
        mine = inner & self.bank(near) if place.own else inner
        inner = mine if mine.any() else inner
        deepest = int(self.terrain.depth[inner].max()) if inner.any() else 0
        return self.terrain.near(near, inner & (self.terrain.depth >= min(12 if place.deep else 6, deepest)))

    def _cell(self, place: Place, near: Vector) -> Cell:
        size, value = self.size, place.value
        margin = max(3, round(size * 0.04))
        if place.kind == "at" and isinstance(value, tuple):
            if not (0 <= value[0] < size and 0 <= value[1] < size):
                raise Unclear(f"{value} is not on the map, which is {size} m wide: x and y go from 0 to {size - 1}.")
            return int(value[0]), int(value[1])
        if place.kind == "box" and isinstance(value, tuple):
            (ax, ay), (bx, by), _ = value
            return self.terrain.near(((ax + bx) / 2, (ay + by) / 2))
        if place.kind == "y" and isinstance(value, int):
            return self._cell(Place("at", (self.terrain.near((near[0], value))[0], value)), near)
        if place.kind == "goal":
            goal = self.facts.goal or self.facts.guarded
            if goal is None:
                raise Unclear(f"This mission has no place to reach: every enemy is to be eliminated. {self.places()}")
            return goal
        if value == "ring" and not place.of and self.told:  # `inside the ring`, that was formed round it
            return self.told[-1].place
        if place.kind == "start":
            army = self.facts.foe if value == "foe" else self.facts.own
            x, y = army.position[army.alive].mean(0)
            return self.terrain.near((float(x), float(y)))
        if place.kind == "way":
            metres = place.metres or 20
            if value in ("forward", "back"):
                return self.away(near, -metres if value == "forward" else metres)
            dx, dy = COMPASS[str(value)]
            long = math.hypot(dx, dy)
            return self.terrain.near((near[0] + dx / long * metres, near[1] + dy / long * metres))
        if place.kind == "units":
            return self.terrain.near(self.extent(place.of[0], near)[0])
        if place.kind in ("zone", "home"):
            inside = self.zone(place, near)
            return self.terrain.near(near, inside if inside is None else shrunk(inside, 3))
        if place.kind == "beside":
            return self._beside(place, near)
        if value == "edge" and not place.dir and place.of and isinstance(place.of[0], Place):
            edge = self.features(place.of[0], near)[0] if place.of[0].kind == "feature" else None
            ring = ~shrunk(~edge.cells, 2) & ~edge.cells if edge else None
            return self.terrain.near(near, ring) if edge else self.spot(place.of[0], near)[0]
        low, high = self._box(place, near)
        (x0, y0), (x1, y1) = low, high
        inset = margin if not place.of else min(6.0, (x1 - x0) / 2, (y1 - y0) / 2)
        inner = inset if value in ("corner", "edge") else max(inset, (x1 - x0) * (0.16 if not place.of else 0.25))
        upper = inset if value in ("corner", "edge") else max(inset, (y1 - y0) * (0.16 if not place.of else 0.25))
        middle = value in ("centre", "row", "column") or bool(place.of)
        x, y = ((x0 + x1) / 2, (y0 + y1) / 2) if middle else near
        if value == "halfway":
            y = (y0 + y1) / 2
        x = {"e": x1 - inner, "w": x0 + inner}.get(place.dir[-1:], x)
        y = {"n": y1 - upper, "s": y0 + upper}.get(place.dir[:1], y)
        inside = self._mask(place, near)
        return self.terrain.near((x, y), inside)

    def zone(self, place: Place, near: Vector) -> np.ndarray | None:
        """Return the `[X, Y]` cells of a place, of a point those that are in sight of it; None for others."""
        x, y = np.indices(self.terrain.enter.shape)
        if place.kind in ("at", "markers", "goal"):
            spots = np.array([cell for cell, _ in self.all_spots(place, near)])
            away = np.hypot(x[..., None] - spots[:, 0], y[..., None] - spots[:, 1]).min(-1)
            return away <= (self.facts.sight if place.metres is None else place.metres)
        if place.kind == "zone" and isinstance(place.value, tuple):
            along = x if place.value[0] == "xs" else y
            return along > place.value[1] if place.dir in ("n", "e") else along < place.value[1]
        if place.kind == "home":
            return self.bank(near)
        if place.kind == "feature":
            return np.any([each.cells for each in self.features(place, near)], 0)
        if place.kind == "part" and place.dir and not place.of:
            dx, dy = COMPASS[place.dir]
            return ((x - self.size / 2) * dx >= 0) & ((y - self.size / 2) * dy >= 0)
        return None

    def bank(self, near: Vector) -> np.ndarray:
        """Return the `[X, Y]` cells that are reached from a place without a bridge, in blocks of 3 m."""
        land = self.terrain.enter.copy()
        for each in self.facts.features:
            land &= ~each.cells if each.kind == "bridge" else True
        coarse = land[::3, ::3]
        found = np.zeros_like(coarse)
        x, y = self.terrain.near(near, land)
        found[x // 3, y // 3] = True
        count = 0
        while count != (count := int(found.sum())):
            for axis in (0, 1):
                for way in (-1, 1):
                    moved = np.roll(found, way, axis)
                    np.moveaxis(moved, axis, 0)[0 if way > 0 else -1] = False
                    found |= moved
            found &= coarse
        whole = np.repeat(np.repeat(found, 3, 0), 3, 1)[: land.shape[0], : land.shape[1]]
        return whole & land

    def across(self, bridge: Feature, near: Vector) -> Cell:
        """Return a cell just beyond a bridge, seen from a place."""
        own, (x, y) = self.bank(near), bridge.place
        far = self.terrain.enter & shrunk(~own, 4)
        for each in self.facts.features:
            far &= ~each.cells if each.kind == "bridge" else True
        dx, dy = np.subtract(bridge.place, self.terrain.near(bridge.place, own))
        return self.terrain.near((x + 1.5 * dx, y + 1.5 * dy), far)

    def hidden(self, cell: Cell) -> Cell:
        """Return the cell under trees that is nearest a cell, if it is near, else the cell."""
        wood = self.terrain.forest & (self.terrain.depth >= 4)
        under = self.terrain.near(cell, wood) if wood.any() else cell
        return under if math.dist(under, cell) < 0.15 * self.size else cell

    def _mask(self, place: Place, near: Vector) -> np.ndarray | None:
        if not place.of or not isinstance(place.of[0], Place) or place.of[0].kind != "feature":
            return None
        feature = self.features(place.of[0], near)[0]
        if feature.kind != "forest":
            return None
        inner = feature.cells & self.terrain.forest
        return inner & (self.terrain.depth >= min(6, int(self.terrain.depth[inner].max()))) if inner.any() else None

    def _box(self, place: Place, near: Vector) -> tuple[Vector, Vector]:
        """Return the corners of what a part is a part of: a feature, the place before, or the map."""
        if place.of:
            (x, y), (half_x, half_y) = self.extent(place.of[0], near)
            if half_x or half_y:
                return (x - half_x, y - half_y), (x + half_x, y + half_y)
        return (0.0, 0.0), (self.size - 1.0, self.size - 1.0)

    def _beside(self, place: Place, near: Vector) -> Cell:
        middles = [self.extent(each, near) for each in self.anchors(place, near)]
        wood = self.wood(place, near)
        x, y = (float(each) for each in np.mean([middle for middle, _ in middles], 0))
        half_x, half_y = middles[0][1]
        relation, metres = str(place.value), place.metres
        foes = isinstance(place.of[0], Who) and place.of[0].foe
        if relation in COMPASS:
            dx, dy = COMPASS[relation]
            reach = 10 if metres is None else metres
            cell = self.terrain.near((x + dx * (half_x + reach), y + dy * (half_y + reach)), wood)
            return cell if wood is None else self.outside(cell, (x, y), (dx * half_x, dy * half_y), place)
        if relation in ("behind", "front") and foes:
            dx, dy = self.beyond((x, y), near)
            half = half_x if dx else half_y
            far = (GAP if metres is None else metres) + half
            cell = self.away((x, y), far if relation == "behind" else -far, (dx, dy))
            if (cell[0] - x) * dx + (cell[1] - y) * dy < half and relation == "behind":
                raise Unclear(f"There is no room behind them: {(round(x), round(y))} is near the edge of the map.")
            return cell
        if relation in ("behind", "front"):
            back = self.back((x, y))
            half = self.reach(back, half_x, half_y) if wood is not None else min(half_x, half_y)
            gap = ((GAP if metres is None else metres) + half) * (-1 if relation == "front" else 1)
            cell = self.terrain.near((x + back[0] * gap, y + back[1] * gap), wood)
            ray = math.copysign(half, gap) * back[0], math.copysign(half, gap) * back[1]
            return cell if wood is None else self.outside(cell, (x, y), ray, place)
        over = place.of[0] if relation == "far_side" else None
        if isinstance(over, Place) and over.kind == "feature" and self.features(over, near)[0].kind == "bridge":
            return self.across(self.features(over, near)[0], near)
        if relation in ("far_side", "this_side"):
            dx, dy = x - near[0], y - near[1]
            if half_x > 3 * half_y or half_y > 3 * half_x:
                dx, dy = (0.0, dy) if half_x > half_y else (dx, 0.0)
            long = math.hypot(dx, dy) or 1.0
            dx, dy = dx / long, dy / long
            half = self.reach((dx, dy), half_x, half_y) if wood is not None else min(half_x, half_y)
            beyond = (half + (10 if metres is None else metres)) * (1 if relation == "far_side" else -1)
            cell = self.terrain.near((x + dx * beyond, y + dy * beyond), wood)
            ray = math.copysign(half, beyond) * dx, math.copysign(half, beyond) * dy
            return cell if wood is None else self.outside(cell, (x, y), ray, place)
        return self.terrain.near((x, y))

    def last_heard(self) -> Place | None:
        """Return the place that `there` means: the last one that is not `there` itself; None where none was named."""
        return next((each for each in reversed(self.heard) if each.kind != "same"), None)

    def it(self, beside: bool) -> Place | None:
        """Return the feature that `it` means after a place beside it or, unless `beside`, after itself; else None."""
        last = self.heard[-1] if self.heard else None
        if last is not None and last.kind == "beside":
            last = last.of[0] if isinstance(last.of[0], Place) else None
        elif beside:
            return None
        return last if last is not None and last.kind == "feature" and last.value and not last.every else None

    def wood(self, place: Place, near: Vector) -> np.ndarray | None:
        """Return the `[X, Y]` cells outside a wood that a place is beside; None beside anything else."""
        anchor = place.of[0]
        if len(place.of) > 1 or not isinstance(anchor, Place) or anchor.kind != "feature" or place.value == "near":
            return None
        feature = self.features(anchor, near)[0]
        return ~feature.cells & self.terrain.enter if feature.kind == "forest" else None

    @staticmethod
    def outside(cell: Cell, middle: Vector, ray: Vector, place: Place) -> Cell:
        """Return a cell beside a wood, if it lies on the side to which a ray leads from the middle to the edge.

        Raises:
            Unclear: It lies on another side, since the map ends there.
        """
        dx, dy = cell[0] - middle[0], cell[1] - middle[1]
        if dx * ray[0] + dy * ray[1] < (ray[0] ** 2 + ray[1] ** 2) / 2:
            raise Unclear(f"There is no room {SIDES[str(place.value)]} that wood: the map ends there.")
        return cell

    @staticmethod
    def reach(way: Vector, half_x: float, half_y: float) -> float:
        """Return the metres from the middle of a box to its edge in a direction of length 1."""
        return min(half / abs(part) for half, part in zip((half_x, half_y), way, strict=True) if abs(part) > 1e-6)

    def anchors(self, place: Place, near: Vector) -> Sequence[Place | Who]:
        """Return what a place is beside; `between the two hamlets` is between each of them."""
        (one, *others) = place.of
        if one == Who("they", number=2) and len(self.groups) > 1:
            return [Place("at", tuple(map(round, self.middle(group)))) for group in self.groups[-2:]]
        if place.value != "between" or others or not isinstance(one, Place) or one.kind != "feature":
            return place.of
        return [Place("feature", each.name) for each in self.features(one, near)]

    def extent(self, anchor: Place | Who, near: Vector) -> tuple[Vector, Vector]:
        """Return the middle of what a place is beside or a part of, and half its extent along x and y."""
        if isinstance(anchor, Who) and not anchor.foe and anchor.where is not None and anchor.where.kind in FIXED:
            return self.extent(anchor.where, near)  # `back to the archers waiting at (75, 75)`
        if isinstance(anchor, Who) and not anchor.foe:
            if anchor.base == "rest":
                anchor = replace(anchor, base="all")
            return self.middle(self.units([anchor], named=False)), (0.0, 0.0)
        if isinstance(anchor, Who):
            at = self.facts.foe.position[self.foes(anchor, near)]
        elif anchor.kind == "same" and (self.told or self.last_heard()):
            named = next((each.name for each in self.told[::-1] if each.kind != "forest"), None)
            last = Place("feature", named) if named else self.last_heard()
            assert last is not None
            return self.extent(last, near)
        elif anchor.kind == "feature":
            at = np.argwhere(self.features(anchor, near)[0].cells)
            low, high = at.min(0), at.max(0)
            x, y = (low + high) / 2
            return (float(x), float(y)), (float(high[0] - low[0]) / 2, float(high[1] - low[1]) / 2)
        else:
            x, y = self.spot(anchor, near)[0]
            return (float(x), float(y)), (0.0, 0.0)
        x, y = at.mean(0)
        return (float(x), float(y)), (float(np.ptp(at[:, 0])) / 2, float(np.ptp(at[:, 1])) / 2)
