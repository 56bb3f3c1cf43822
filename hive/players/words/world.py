"""What the words of an order stand for in a game: units and enemies as ids, places as cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dsl.wording import listing, unit_words
from hive.ground.places import Terrain, Vector
from hive.kit.facts import Army, Cell, Facts, Feature, Ids
from hive.players.words.lexicon import stem
from hive.players.words.meaning import Place, Who

COMPASS: dict[str, Vector] = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}
COMPASS |= {a + b: (COMPASS[b][0], COMPASS[a][1]) for a in "ns" for b in "ew"}
NAMED = {
    "n": "north", "s": "south", "e": "east", "w": "west",
    "ne": "north-east", "nw": "north-west", "se": "south-east", "sw": "south-west",
}  # fmt: skip
FAR = 2.0  # metres: types that reach further fight from afar
GAP = 8  # metres between a line and those behind it
Spot = tuple[Cell, str]


class Unclear(Exception):  # noqa: N818 - it is no fault: its text is the answer
    """Something that was said has no meaning in this game; the text is a question or tells what there is."""


class Dead(Unclear):
    """All who were named are dead."""


def grown(mask: np.ndarray, metres: int) -> np.ndarray:
    """Return the `[X, Y]` cells within so many metres of a mask, about."""
    found = mask
    for _ in range(metres):
        wide = np.pad(found, 1)
        found = found | wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
    return found


class Ledger:
    """The ledger of an order in a game: what it has named so far, of units, groups, squads, places and enemies."""

    def __init__(self, facts: Facts) -> None:
        """Begin with an order of which nothing was read yet."""
        self.facts, self.terrain = facts, Terrain(facts.ground)
        self.size = self.terrain.size
        self.named: set[int] = set()  # units with an order so far
        self.groups: list[Ids] = []  # whom the clauses named so far, the last one last
        self.squads: dict[object, Ids] = {}  # by number, letter or noun
        self.shares = False  # whether that part was a share
        self.pool: Ids | None = None  # of whom the last clause named a part
        self.foes_named: Ids | None = None
        self.spots: dict[int, Vector] = {}  # where a unit will stand after the clauses so far
        self.places: list[Place] = []  # so far
        self.features: list[Feature] = []  # so far
        self.labels: dict[Cell, str] = {}
        self.notes: list[str] = []
        self.heard: list[tuple[frozenset[str], Ids]] = []  # stems of the words of each clause, and whom it told

    # ---- units

    def spot(self, place: Place, near: Vector) -> Spot:
        """Return the one cell that a place stands for, with its name; see `World`."""
        raise NotImplementedError

    def zone(self, place: Place) -> np.ndarray | None:
        """Return the `[X, Y]` cells of a place that is an area; see `World`."""
        raise NotImplementedError

    @property
    def everyone(self) -> Ids:
        """All living units."""
        return np.nonzero(self.facts.own.alive)[0]

    @property
    def last(self) -> Ids:
        """Whom the last clause named, or everyone."""
        return self.groups[-1] if self.groups else self.fighters

    @property
    def fighters(self) -> Ids:
        """All living units but civilians, where there are others."""
        return self.units(Who("all", "own"))

    def units(self, who: Who, side: str = "", near: Vector | None = None) -> Ids:
        """Return the ids of the living units that are meant, in the order in which a number of them is taken.

        Raises:
            Unclear: There are none.
        """
        side = who.side or side or "own"
        army = self.facts.own if side == "own" else self.facts.foe
        ids = self._units(who, side, army, near)
        if len(ids) and not army.alive[ids].any():
            raise Dead(self._gone(who, ids, side))
        if who.base == "ids" and len(gone := ids[~army.alive[ids]]):
            self.notes.append(f"of the units that are named by number, these are dead: {self.runs(gone)}")
        ids = ids[army.alive[ids]]
        if not len(ids):
            has = "You have" if side == "own" else "The enemy has"
            raise Unclear(f"No unit is left for that. {has} {self.army(army)}.")
        return ids

    def _gone(self, who: Who, ids: Ids, side: str) -> str:
        word = "Your" if side == "own" else "Enemy"
        if who.base == "ids":
            return f"{word} unit{'s' * (len(ids) > 1)} {self.runs(ids)} {'are' if len(ids) > 1 else 'is'} dead"
        kinds = listing(phrases=[unit_words(each, 2) for each in who.names], joint="and") if who.names else "units"
        return f"All {word.lower()} {kinds} are dead"

    def _units(self, who: Who, side: str, army: Army, near: Vector | None) -> Ids:
        whole = np.arange(len(army.types))
        if not len(whole):
            raise Unclear("There is no enemy in this world.")
        inner = who.of[0] if who.of else None
        if who.base in ("all", "comer"):
            civil = np.array([kind == "civilian" for kind in army.types])
            return whole[~civil] if side == "own" and not civil.all() else whole
        if who.base == "type":
            return whole[np.isin(army.types, self.types(who.names, army, side))]
        if who.base == "ids":
            return self._numbered(who, army, side)
        if who.base == "union":
            return np.unique(np.concatenate([self.units(each, side, near) for each in who.of]))
        if who.base == "meet":
            one, other = (self.units(each, side, near) for each in who.of)
            return np.intersect1d(one, other)
        if who.base == "they":
            if side == "foe":
                return self.foes_named if self.foes_named is not None else whole
            if who.number > 1 and len(self.groups) > 1:
                return np.unique(np.concatenate(self.groups[-who.number :]))
            return self.last
        if who.base == "some":
            if side == "foe":
                return self.foes_named if self.foes_named is not None else whole
            return self.pool if self.pool is not None else self.everyone
        if who.base == "rest":
            return self._rest(who, side, army, near)
        if who.base == "called":
            if who.of:
                self.squads[who.names[0]] = self.units(who.of[0], side, near)
            elif who.names[0] not in self.squads:
                heard = [ids for words, ids in self.heard if any(stem(who.names[0]) in word for word in words)]
                if not heard:
                    raise Unclear(f"Who is the {who.names[0]}? Say it as in `a {who.names[0]} of 20 units`.")
                return heard[-1]
            return self.squads[who.names[0]]
        if who.base == "squad":
            key = who.names[0] if who.names else who.number
            if key == -1 and self.squads:
                key = max((each for each in self.squads if isinstance(each, int)), default=key)
            if key not in self.squads and not self.squads and isinstance(key, int) and side == "own":
                groups = sorted(self.clusters(np.nonzero(army.alive)[0], army), key=lambda each: int(each[0]))
                self.squads = dict(enumerate(groups, 1)) if len(groups) > 1 else {}
                key = len(groups) if key == -1 else key
            if key not in self.squads:
                known = [str(each) for each in self.squads]
                there = f"There are squads {listing(known, 'and')}" if known else "There are no squads yet"
                raise Unclear(f"{there}: say how the army is split, as in `split the army into 3 squads`.")
            return self.squads[key]
        if who.base == "group":
            groups = self.clusters(whole[army.alive], army)
            return self._nearest(groups, who, army, near)
        if who.base == "but":
            return np.setdiff1d(
                self.units(who.of[0], side, near), self.units(replace(who.of[1], each=False), side, near)
            )
        assert inner is not None or who.where is not None
        if who.base == "at" and inner is not None and inner.base == "group":
            goal = self.spot(who.where, self.middle(self.last))[0]
            return min(
                self.clusters(whole[army.alive], army), key=lambda each: np.hypot(*(army.position[each] - goal).T).min()
            )
        ids = self.units(inner, side, near) if inner is not None else whole[army.alive]
        return self._standing(who, ids, army, side) if who.base == "at" else self._part(who, ids, army, side, near)

    def _nearest(self, groups: list[Ids], who: Who, army: Army, near: Vector | None) -> Ids:
        if who.pick in ("biggest", "strongest"):
            return groups[0]
        if who.pick in ("smallest", "weakest"):
            return groups[-1]
        here = near or self.middle(self.last)
        ranked = sorted(groups, key=lambda each: math.dist(army.position[each].mean(0), here))
        return ranked[-1 if who.pick == "farthest" else 0]

    def _rest(self, who: Who, side: str, army: Army, near: Vector | None) -> Ids:
        if side == "foe":
            ids = self.units(who.of[0], side, near) if who.of else np.nonzero(army.alive)[0]
            return np.setdiff1d(ids, self.foes_named) if self.foes_named is not None else ids
        ids = self.units(who.of[0], side, near) if who.of else self.everyone
        if not who.of and self.pool is not None and self.shares:  # `half of the archers ..., the rest`
            left = np.array([unit for unit in self.pool.tolist() if unit not in self.named], int)
            ids = left if len(left) else ids
        left = np.array([unit for unit in ids.tolist() if unit not in self.named], int)
        if who.amount is not None and not who.amount.share and who.amount.value not in (len(left),):
            return left[: int(who.amount.value)]
        return left

    def _numbered(self, who: Who, army: Army, side: str) -> Ids:
        whole = len(army.types)
        most = max(first if stop is None else stop - 1 for first, stop in who.ids)
        if most >= whole:
            one, all_ = ("unit", "your units") if side == "own" else ("enemy", "the enemies")
            raise Unclear(f"There is no {one} {most}: {all_} are 0 to {whole - 1}.")
        ids = np.unique(np.concatenate([np.arange(whole)[first:stop] for first, stop in who.ids]))
        if who.names:
            mine = np.nonzero(np.isin(army.types, self.types(who.names, army, side)))[0]
            if len(wrong := np.setdiff1d(ids, mine)):
                if most < len(mine):  # `archers 0 to 9` of a type that begins later
                    raise Unclear(
                        f"Units {self.runs(wrong)} are no {unit_words(who.names[0], 2)}: these are {self.runs(mine)}."
                    )
                raise Unclear(
                    f"Units {self.runs(wrong)} are no {unit_words(who.names[0], 2)}: these are {self.runs(mine)}."
                )
        return ids

    def _standing(self, who: Who, ids: Ids, army: Army, side: str) -> Ids:
        """Return those of some units that stand at a place; of a side of the map, a whole group if there is one."""
        where, at = who.where, army.position[ids]
        if side == "own" and self.spots:
            at = np.array([self.spots.get(unit, tuple(army.position[unit])) for unit in ids.tolist()])
        if where.kind == "part" and where.dir and not where.of:
            x, y = COMPASS[where.dir]
            groups = self.clusters(ids, army)
            for key in self.squads:
                if isinstance(key, int) and side == "own" and len(self.squads) > 1:
                    ends = {k: np.array(self.middle(each)) @ (x, y) for k, each in self.squads.items()}
                    if max(ends.values()) > min(ends.values()) + 5:
                        return self.squads[max(ends, key=lambda k: ends[k])]
            if (who.pick == "group" or side == "foe") and len(groups) > 1:
                ends_ = [army.position[each].mean(0) @ (x, y) / math.hypot(x, y) for each in groups]
                middles = [army.position[each].mean(0) - self.size / 2 for each in groups]
                inside = [g for g, (mx, my) in zip(groups, middles, strict=True) if x * mx >= 0 and y * my >= 0]
                if inside and side == "foe":
                    return np.sort(np.concatenate(inside))
                best = max(ends_)
                return np.sort(np.concatenate([g for g, e in zip(groups, ends_, strict=True) if e > best - 10]))
            for middle in (np.array((self.size / 2, self.size / 2)), at.mean(0)):
                off = at - middle
                inside = (off[:, 0] * x >= 0) & (off[:, 1] * y >= 0)
                if inside.any() and not inside.all():
                    return ids[inside]
            return ids
        zone = self.zone(where)
        if zone is not None:
            cells = np.clip(at.round().astype(int), 0, self.size - 1)
            inside = (
                grown(zone, 3)[cells[:, 0], cells[:, 1]] if where.kind != "zone" else zone[cells[:, 0], cells[:, 1]]
            )
            if inside.any():
                return ids[inside]
        goal = np.array(self.spot(where, self.middle(ids) if side == "own" else self.middle(self.last))[0])
        far = np.hypot(*(at - goal).T)
        if far.min() > max(40.0, self.size / 5):
            raise Unclear(f"None of them stands there now: {tuple(map(int, goal))}.")
        return ids[far <= max(20.0, far.min() + 10)]

    def _part(self, who: Who, ids: Ids, army: Army, side: str, near: Vector | None) -> Ids:
        amount, types = who.amount, np.array(army.types)
        kinds = list(dict.fromkeys(types[ids].tolist()))
        if who.pick in ("nearest", "farthest", "weakest", "strongest", *COMPASS):
            if amount is None and side == "foe":
                return self._nearest(self.clusters(ids, army), who, army, near)
            goal = (
                self.spot(who.where, self.middle(ids))[0]
                if who.where is not None
                else (near or self.middle(self.last) if side == "foe" else self.foe_middle())
            )
            far = np.hypot(*(army.position[ids] - np.array(goal)).T)
            rank = {"farthest": -far, "weakest": army.health[ids], "strongest": -army.health[ids]}.get(who.pick, far)
            if who.pick in COMPASS:
                rank = -(army.position[ids] @ np.array(COMPASS[who.pick]))
            ids = ids[np.argsort(rank, kind="stable")]
            if amount is None:
                return np.sort(ids[: max(1, len(ids) // 3)])
            count = max(1, round(len(ids) * amount.value / 100)) if amount.share else int(amount.value)
            self._enough(who, count, ids, army, side)
            return np.sort(ids[:count])
        assert amount is not None
        if (
            who.of[0] == Who("rest") and self.pool is not None and not amount.share
        ):  # `20 archers here, the other 10 there`
            left = np.array([unit for unit in self.pool.tolist() if unit not in self.named], int)
            ids = left if len(left) == amount.value else ids
        if side == "foe" and not (who.pick or amount.share):
            self._enough(who, int(amount.value), ids, army, side)
            return self._part(replace(who, pick="nearest"), ids, army, side, near)
        if amount.share:
            if not 0 < amount.value <= 100:
                raise Unclear(f"{amount.value:g}% of them cannot be sent: a share is between 1% and 100%.")
            if side == "own":
                self.pool, self.shares = ids, True
            found = list[int]()
            for kind in kinds:
                mine = ids[types[ids] == kind].tolist()
                count = max(1, math.floor(len(mine) * amount.value / 100 + 0.5 + 1e-9))
                found += self._free(mine, who.pick)[:count]
            taken = [unit for unit in found if unit in self.named] if side == "own" else []
            if len(taken) <= len(kinds) < len(found) or (
                taken and len(taken) < len(found)
            ):  # shares are rounded: those that are left
                found = [unit for unit in found if unit not in taken]
            return np.array(sorted(found), int)
        count = int(amount.value) * (len(kinds) if who.each and who.of and who.of[0].base == "all" else 1)
        free = self._free(ids.tolist(), who.pick) if side == "own" else ids.tolist()
        self._enough(who, count, ids, army, side)
        if (
            who.pick not in ("first", "last", "nth")
            and len([unit for unit in free if unit not in self.named]) < count
            and side == "own"
            and who.of
            and who.of[0].base in ("type", "all")
        ):
            idle = len([unit for unit in free if unit not in self.named])
            if idle and idle < len(free):
                raise Unclear(
                    f"{count - idle} of them have an order already: say who goes where with numbers that add up."
                )
        if side == "own":
            self.pool, self.shares = ids, False
        if who.pick == "nth":
            ids = ids[count * (who.number - 1) : count * who.number]
            if len(ids) < count:
                raise Unclear(f"There are not {who.number} times {count} of them: {self.army(army)}.")
            return ids
        if len(kinds) == 1 or who.pick in ("first", "last") or (who.of and who.of[0].base == "ids"):
            return np.array(sorted(free[:count]), int)
        chosen, rest, whole = list[int](), count, len(free)
        for kind in kinds:
            mine = [unit for unit in free if types[unit] == kind]
            take = rest if kind == kinds[-1] else round(rest * len(mine) / max(1, whole))
            chosen, rest, whole = chosen + mine[:take], rest - take, whole - len(mine)
        return np.array(sorted(chosen), int)

    def _free(self, ids: list[int], pick: str) -> list[int]:
        """Return units with those first that have no order, low ids before others."""
        step = -1 if pick == "last" else 1
        return sorted(ids, key=lambda unit: (unit in self.named and pick not in ("first", "last"), step * unit))

    def _enough(self, who: Who, count: int, ids: Ids, army: Army, side: str) -> None:
        if 0 < count <= len(ids):
            return
        inner = who.of[0]
        kind = unit_words(inner.names[0], 2) if inner.names else "units"
        has = f"You have {len(ids)} {kind}" if side == "own" else f"The enemy has {len(ids)} {kind}"
        dead = int((~army.alive & np.isin(army.types, self.types(inner.names, army, side))).sum()) if inner.names else 0
        raise Unclear(f"{has}, not {count}{f' ({dead} of them are dead)' * bool(dead)}: {self.army(army)}.")

    def types(self, names: Sequence[str], army: Army, side: str) -> list[str]:
        """Return the types that some words name: types, or `melee` and `ranged`.

        Raises:
            Unclear: The army has none of them.
        """
        there = list(dict.fromkeys(army.types))
        found = [kind for kind in there for name in names if name in (kind, self.range_of(kind))]
        missing = [name for name in names if name not in found and name not in ("melee", "ranged")]
        if missing or not found:
            has = "You have" if side == "own" else "The enemy has"
            raise Unclear(f"{has} no {unit_words((missing or list(names))[0], 2)}: {has.lower()} {self.army(army)}.")
        return found

    def range_of(self, kind: str) -> str:
        """Return `ranged` for a type that fights from afar, else `melee`."""
        return "ranged" if self.facts.types[kind].reach > FAR else "melee"

    def clusters(self, ids: Ids, army: Army | None = None) -> list[Ids]:
        """Return groups of units that stand within 15 m of each other, about; largest first."""
        army, step = army or self.facts.foe, 15
        blocks: dict[Cell, list[int]] = {}
        for unit in ids.tolist():
            x, y = army.position[unit] // step
            blocks.setdefault((int(x), int(y)), []).append(unit)
        groups = []
        while blocks:
            front, group = [next(iter(blocks))], list[int]()
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

    # ---- words

    @staticmethod
    def counted(kinds: Sequence[str]) -> str:
        """Return types with their numbers in words."""
        parts = [f"{kinds.count(kind):,} {unit_words(kind, kinds.count(kind))}" for kind in dict.fromkeys(kinds)]
        return listing(phrases=parts, joint="and")

    def army(self, army: Army) -> str:
        """Return what lives of an army in words."""
        return (
            self.counted([kind for kind, lives in zip(army.types, army.alive, strict=True) if lives]) or "nobody left"
        )

    def who(self, ids: Ids) -> str:
        """Return units in words; a part of a type with its ids."""
        types = np.array(self.facts.own.types)
        whole = all(
            int(self.facts.own.alive[types == kind].sum()) == int((types[ids] == kind).sum())
            for kind in set(types[ids])
        )
        return self.counted(types[ids].tolist()) + ("" if whole else f" [{self.runs(ids)}]")

    @staticmethod
    def runs(ids: Ids) -> str:
        """Return ids in words, one after another as `3 to 9`."""
        runs = np.split(np.sort(ids), np.nonzero(np.diff(np.sort(ids)) > 1)[0] + 1)
        parts = [f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
        return listing(phrases=[*parts[:5], *(["…"] if len(parts) > 5 else [])], joint="and")

    def opponents(self, foes: Ids) -> str:
        """Return enemies in words."""
        kinds = dict.fromkeys(np.array(self.facts.foe.types)[foes].tolist())
        all_ = len(foes) == int(self.facts.foe.alive.sum())
        text = f"{len(foes):,} {'enemies' if len(kinds) > 1 else 'enemy ' + unit_words(next(iter(kinds)), len(foes))}"
        return f"all {text}" if all_ and len(foes) > 1 else text

    def known(self) -> str:
        """Return a sentence that names what can be a place here."""
        letters = [f"marker {letter}" for letter, _ in self.facts.context.markers or ()]
        names = list(dict.fromkeys(each.name for each in self.facts.features))
        return f"Places here are {listing(phrases=[*names[:9], *letters, '(x, y)', 'the centre'], joint='and')}."
