"""What units do: each deed of a clause as stages of a plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import dsl
from dsl.wording import plural
from hive.ground.places import Vector
from hive.kit.facts import Cell, Ids
from hive.players.words.clauses import Clause, Place, Who
from hive.players.words.scene import COMPASS, GAP, Spot, Unclear
from hive.players.words.stages import MOST_SQUADS, Stages

SPACING = 15  # metres between the squads of a line: about what units see


class Deeds(Stages):
    """Writes the stages of what units do."""

    def go(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> None:
        """Units go to places one after the other, and hold the last one if so said."""
        stops, scene = self.stops(clause, ids), self.scene
        if any(place.via and scene.kind(place) == "forest" for place in clause.places):
            clause = replace(clause, manner=clause.manner | {"trees"})  # `through the wood to A`
        wanted = "stand" if "stand" in verbs else "hold" if verbs & {"hold", "stay", "hide"} else "go"
        wanted = "fight" if "fight" in clause.manner else wanted
        behind = [place for place in clause.places if place.kind == "beside" and place.value == "behind"]
        own = [place for place in behind if all(isinstance(who, Who) and not who.foe for who in place.of[:1])]
        if own and any(place not in own and not place.via for place in clause.places):
            clause = replace(clause, places=[place for place in clause.places if place not in own])
            stops = self.stops(clause, ids)
            scene.notes.append(f"Behind whom {scene.who(ids)} stand is left out, since another place is named for them")
        elif own:
            gap = next((place.metres for place in clause.places if place.metres is not None), clause.leash)
            self.behind(replace(clause, leash=None), replace(own[-1], metres=gap), ids, after)
            return
        place, parts = clause.places[0] if len(clause.places) == 1 else Place(""), self.grouped(ids)
        if (place.kind == "way" and len(parts) > 1) or (place.of and len(scene.apart(place, scene.middle(ids))) > 1):
            moved = [(part, self._nearest(place, part)) for part in parts]  # `wait on our side of the bridges`
            self.add([squad for part, cell in moved for squad in self.squads(part, cell, clause, wanted)], after)
            return
        if "hide" in verbs:
            clause = replace(clause, manner=clause.manner | {"peace"})
        sent = {scene.spots.get(unit) for unit in ids.tolist()}
        if len(stops) > 1 and sent == {stops[0][0]}:
            stops = stops[1:]  # `to the edge, then along the edge to the wood`
        for number, (cell, _) in enumerate(stops):
            last = number == len(stops) - 1
            if not last or wanted == "stand":  # units that stand do not walk
                after = {self.add(self.squads(ids, cell, clause, "go"), after)}
            if last:
                after = {self.add(self.squads(ids, cell, clause, wanted), after)}

    def _nearest(self, place: Place, ids: Ids) -> Cell:
        """Return the cell nearest to units of those that a place stands for."""
        near = self.scene.middle(ids)
        return min((cell for cell, _ in self.scene.cells(place, near)), key=lambda cell: math.dist(cell, near))

    def stops(self, clause: Clause, ids: Ids) -> list[Spot]:
        """Return the places of a clause in order; those that are only passed come first, and woods lie on the way."""
        scene, found = self.scene, list[Spot]()
        places, said = list(clause.places), self.said(ids, clause)
        if "hide" in clause.verbs and not places:
            places = [Place("feature", "forest")]
        elif not places:  # `cross`
            places = [Place("beside", "far_side", of=(Place("feature", "bridge"),))]
        ends = [place for place in places if not place.via]
        if len(ends) == 1:
            places = sorted(places, key=lambda place: not place.via)
        elif (
            not ends
            and (last := places[-1]).kind == "feature"
            and scene.features(last, scene.middle(ids))[0].kind == "bridge"
        ):
            places = [*places, Place("beside", "far_side", of=(last,))]  # `over the bridge` ends beyond it
        if any(item.word.startswith("patrol") for item in clause.items):
            scene.notes.append("They go there once: nothing is done again and again")
        here, before = scene.middle(ids), scene.middle(ids, before=True)
        for place, later in zip(places, [*places[1:], None], strict=True):
            if place.kind == "part" and place.value == "half" and not place.of and later is not None:
                continue  # `south to the corner`
            back = place.kind == "way" and place.value in ("back", "here") and not place.metres
            if back and place.value == "back" and not self.stages:
                raise Unclear("Back where to? Say it as in `fall back 20 m`, `go back to (20, 20)`.")
            if back:  # `come back`
                x, y = scene.facts.own.position[ids].mean(0)
                found.append((scene.terrain.near((float(x), float(y))), ""))
                continue
            if place.via and place.value == "edge" and later is not None and later.kind != "part":
                x, y = scene.cells(later, here)[0][0]  # `along the south edge to D`
                side = replace(place, via=False)
                found += [scene.cells(side, here)[0], scene.cells(side, (float(x), float(y)))[0]]
                here, before = found[-1][0], here
                continue
            start = before if place.value == "far_side" else here
            cells = scene.cells(place, start)
            scene.hear(place, start)
            for cell, name in cells:
                if "cover" in said and place.kind == "part":
                    cell = self._hidden(cell)
                found += [(cell, name)] if not found or found[-1][0] != cell else []
                here, before = cell, here
        return found

    def _hidden(self, cell: Cell) -> Cell:
        """Return the cell under trees that is nearest a cell, if it is near, else the cell."""
        terrain = self.scene.terrain
        wood = terrain.forest & (terrain.depth >= 4)
        under = terrain.near(cell, wood) if wood.any() else cell
        return under if math.dist(under, cell) < 0.15 * self.scene.size else cell

    def stay(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> None:
        """Units stay where they are, or gather in their middle."""
        if "gather" in verbs:
            middle = self.scene.terrain.near(self.scene.middle(ids))
            self.add(self.squads(ids, middle, clause, "go"), after)
        ignores = any(squad.behaviour == "follow_map" for number in after for squad in self.stages[number].squads)
        until = clause.until and (clause.until.kind != "arrive" or "stand" in verbs)
        ends = until or clause.when or "stand" in verbs or (ignores and "hold" in verbs)
        goes_on = after and not ends and clause.link != "then"
        if "gather" not in verbs and not goes_on:
            rest = verbs == {"stay"} and clause.who and clause.who[0].base == "rest"  # `ten go to A, the rest stay`
            still = "stand" in verbs or "still" in clause.manner or rest
            self.add(self.here(ids, clause, "stand" if still else "stay"), after)

    def behind(self, clause: Clause, place: Place, ids: Ids, after: set[int]) -> None:
        """Units stay so far behind others of their side, who lead them where they go."""
        of = [who for who in place.of if isinstance(who, Who)] or [Who("they")]
        leaders = np.setdiff1d(self.scene.units(of, named=False), ids)
        said = any(each.value == "behind" for each in clause.places)
        if said and of == [Who("they")] and (clause.link == "stop" or not any(who.part for who in clause.who)):
            leaders = np.setdiff1d(np.concatenate([leaders, *self.alike]).astype(int), ids)
        if of[0].base == "they" and not self.last_of(leaders):  # `the archers split up: half behind those`
            apart = [group for group in self.scene.groups[::-1] if self.last_of(np.setdiff1d(group, ids))]
            leaders = np.setdiff1d(apart[0], ids) if apart else leaders
        gap = GAP if place.metres is None else place.metres
        stages = sorted(self.last_of(leaders))
        if not len(leaders):
            raise Unclear(f"Behind whom are {self.scene.who(ids)} to stay?")
        if after - set(stages) or not stages or "behind" not in self.scene.facts.context.orders:
            (x, y), (dx, dy) = self.scene.middle(leaders), self.scene.back(self.scene.middle(leaders))
            self.add(self.squads(ids, self.scene.terrain.near((x + dx * gap, y + dy * gap)), clause, "hold"), after)
            return
        self.leave(stages, ids)
        fronts = [(self.stages[number], squad) for number in stages for squad in self.stages[number].squads]
        fronts = [(stage, squad) for stage, squad in fronts if len(np.intersect1d(squad.ids, leaders))]
        sizes = [len(np.intersect1d(squad.ids, leaders)) for _, squad in fronts]
        for (stage, front), part in zip(fronts, self.parts(ids, len(fronts), sizes), strict=True):
            for squad in self.squads(part, front.cell, clause, "hold"):
                squad.front, squad.gap = front.front or front, gap + (front.gap if front.front else 0)
                squad.leash, squad.cover = None, False
                stage.squads.append(squad)

    def follow(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> None:
        """Units follow others of their side; who shields others stands between them and the enemy."""
        clause.own = clause.own or (Who("they"),)
        scene, others = self.scene, self.scene.units(clause.own, named=False)
        at = clause.places and clause.places[-1].kind == "at"
        sent = any(place.kind in ("at", "feature", "markers", "goal", "part") for place in clause.places)
        if sent and "follow" in verbs:  # `escort the civilians to A`
            scene.notes += [] if clause.who else ["Who escorts them is left out: they are sent there"]
            self.go(replace(clause, own=()), set(), np.union1d(ids, others) if clause.who else others, after)
            return
        if "shield" in verbs:
            x, y = scene.cells(clause.places[-1], scene.middle(others))[0][0] if at else scene.middle(others)
            back = scene.back((x, y))  # before them, or where they are said to be
            cell = scene.terrain.near((x - back[0] * GAP, y - back[1] * GAP))
            self.add(self.squads(ids, cell, clause, "hold"), after)
        else:
            far = next((place.metres for place in clause.places if place.metres is not None), clause.leash or GAP)
            self.behind(clause, Place("beside", "behind", of=clause.own, metres=far), ids, after)

    def split(self, clause: Clause, ids: Ids) -> None:
        """Name squads by number; nobody is sent anywhere."""
        count = clause.squads if clause.squads > 0 else 2
        kinds = np.array(self.scene.facts.own.types)[ids]
        there = list(dict.fromkeys(kinds))
        if count > len(ids):
            raise Unclear(f"{plural(len(ids), 'unit')} cannot be split into {count} squads.")
        by_type = count == len(there) and any(item.word.startswith(("type", "kind")) for item in clause.items)
        parts = [ids[kinds == kind] for kind in there] if by_type else self.parts(ids, count)
        self.scene.squads = dict(enumerate(parts, 1))

    def share_out(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Share units out over places, each with units of every type; at a bridge, on the side that is ours."""
        scene, near = self.scene, self.scene.middle(ids)
        posts = list[Cell]()
        for place in (each for places in clause.places for each in scene.apart(places, near)):
            cells = [cell for cell, _ in scene.cells(place, near)]
            posts += [self._inner(cells[0])] if scene.kind(place) == "bridge" else cells
        if len(posts) > clause.squads > 1:
            raise Unclear(f"{clause.squads} squads cannot be at {len(posts)} places: which of them?")
        self._post([(cell, scene.back(cell)) for cell in posts], clause, ids, after)

    def _post(self, posts: Sequence[tuple[Cell, Vector]], clause: Clause, ids: Ids, after: set[int]) -> list[Ids]:
        """Share units out over posts, each with the direction of those who fight from afar; return the parts."""
        parts, named = self.parts(ids, len(posts)), clause.foe and all(foe.names for foe in clause.foe)
        types = (
            self.scene.foe_types(np.concatenate([self.scene.foes(foe, (0, 0)) for foe in clause.foe])) if named else ()
        )
        squads = [
            squad
            for (cell, back), part in zip(posts, parts, strict=True)
            for squad in self.squads(part, cell, clause, "hold", types, back)
        ]
        self.stages[self.add(squads, after)].spread = True
        return parts

    def _inner(self, centre: Cell) -> Cell:
        """Return the cell just off a bridge on the side of what is guarded, or of our army."""
        facts, terrain = self.scene.facts, self.scene.terrain
        home = facts.guarded or tuple(facts.own.position[facts.own.alive].mean(0))
        x, y = np.indices(terrain.enter.shape)
        far = np.hypot(x - centre[0], y - centre[1])
        straight = np.array(home, float) - centre
        straight /= np.linalg.norm(straight) or 1.0
        return terrain.near((centre[0] + 9 * straight[0], centre[1] + 9 * straight[1]), (far >= 6) & (far <= 10))

    def spread(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Spread units along a line, or a ring, in squads of every type; those who fight from afar stand behind."""
        exact = [place for place in clause.places if place.kind == "at"]
        if len(exact) == clause.squads > 1:  # `along the river, three groups at A, B and C`
            self.share_out(replace(clause, places=exact), ids, after)
            return
        ring = next((place for place in clause.places if place.value == "ring"), None)
        spots = self._round(ring, clause, ids) if ring else self._along(clause, ids)
        parts = self._post([(self.scene.terrain.near(spot), back) for spot, back in spots], clause, ids, after)
        if clause.squads > 0:
            self.scene.squads = dict(enumerate(parts, 1))

    def _along(self, clause: Clause, ids: Ids) -> list[tuple[Vector, Vector]]:
        """Return places along the line that a clause names, each with the direction away from the enemy."""
        (ax, ay), (bx, by) = self._ends(clause, ids)
        kinds = np.array(self.scene.facts.own.types)[ids]
        count = clause.squads if clause.squads > 0 else max(2, round(math.dist((ax, ay), (bx, by)) / SPACING))
        count = max(1, min(count, MOST_SQUADS, *((kinds == kind).sum() for kind in set(kinds))))
        across = np.array([-(by - ay), bx - ax]) / (math.dist((ax, ay), (bx, by)) or 1.0)
        across *= 1.0 if across @ np.array(self.scene.back(((ax + bx) / 2, (ay + by) / 2))) >= 0 else -1.0
        shares = [(number + 0.5) / count for number in range(count)]
        return [((ax + (bx - ax) * share, ay + (by - ay) * share), (across[0], across[1])) for share in shares]

    def _round(self, ring: Place, clause: Clause, ids: Ids) -> list[tuple[Vector, Vector]]:
        """Return places on a ring, each with the direction to its middle."""
        scene, others = self.scene, [place for place in clause.places if place is not ring]
        around = [(*place.of, place)[0] for place in others]
        of = [*ring.of, *around, *clause.own, Who("they")][0]
        (x, y), extent = scene.box(of, scene.middle(ids))
        far = max(12.0, max(extent) + GAP) if ring.metres is None else max(*extent, ring.metres)
        count = min(clause.squads, MOST_SQUADS) if clause.squads > 0 else 8
        turns = [math.tau / count * number for number in range(count)]
        posts = [(x + far * math.cos(turn), y + far * math.sin(turn)) for turn in turns]
        return [(post, ((x - post[0]) / far, (y - post[1]) / far)) for post in posts]

    def _ends(self, clause: Clause, ids: Ids) -> tuple[Vector, Vector]:
        """Return the ends of the line that a clause spreads units over."""
        scene, last, near = self.scene, self.scene.size - 1.0, self.scene.middle(ids)
        places = clause.places
        y = next((float(str(place.value)) for place in places if place.kind == "y"), None)
        line = next((place for place in places if place.kind in ("line", "xs", "markers", "at")), None)
        if line is not None:
            spots = [cell for place in places if place.kind == line.kind for cell, _ in scene.cells(place, near)]
            if len(spots) > 1:
                return (spots[0][0], spots[0][1] if y is None else y), (spots[-1][0], spots[-1][1] if y is None else y)
            if line.kind == "xs":
                return (float(spots[0][0]), 0.0), (float(spots[0][0]), last)
            return self._across(spots[0], scene.back(spots[0]), 2 * SPACING)  # a line at a place
        if y is not None:
            west, east = (any(place.dir == side for place in places) for side in "we")
            return (last / 2 if east and not west else 0.0, y), (last / 2 if west and not east else last, y)
        beside = [place for place in places if place.kind in ("feature", "beside", "units") or place.of]
        beside = [place for place in beside if not (place.via and place.value in COMPASS)]
        of = beside[0] if beside else None
        part = next((place for place in places if place.kind == "part"), Place("part", "row"))
        if of is not None:
            anchor = of if of.kind == "feature" else of.of[0] if of.of else Who("they")
            middle, extent = scene.box(anchor, near)
            if isinstance(anchor, Who) and not anchor.foe and of.value in COMPASS:  # as long as their line
                others = scene.units([anchor], named=False).tolist()
                at = np.array([scene.spots[unit] for unit in others if unit in scene.spots] or [middle])
                extent = (float(np.ptp(at[:, 0])) / 2, float(np.ptp(at[:, 1])) / 2)
            return self._beside_line(of, middle, extent)
        spot = scene.cells(part, near)[0][0]
        if part.value == "column" or (part.dir in ("e", "w") and part.value in ("edge", "row", "half")):
            return (float(spot[0]), 0.0), (float(spot[0]), last)
        height = float(spot[1] if part.value in ("edge", "centre", "row", "half") else near[1])
        return (0.0, height), (last, height)

    def _beside_line(self, of: Place, middle: Vector, extent: Vector) -> tuple[Vector, Vector]:
        """Return the ends of a line along something, or on a side of it."""
        way = COMPASS.get(of.dir or str(of.value), (0.0, 0.0))
        gap, least = (GAP, 2 * SPACING) if any(way) else (4, 0)
        far = [each + (gap if of.metres is None else of.metres) for each in extent]
        at = (middle[0] + way[0] * far[0], middle[1] + way[1] * far[1])
        if not any(way):
            way = (1.0, 0.0) if extent[1] > extent[0] else (0.0, 1.0)
        return self._across(at, way, max(least, abs(way[1]) * extent[0], abs(way[0]) * extent[1]))

    def _across(self, at: Vector, way: Vector, wing: float) -> tuple[Vector, Vector]:
        """Return the ends of a line through a place, across a way; those beyond water or the map are left out."""
        long = math.hypot(*way)
        dx, dy = (abs(way[1]) / long, -way[0] * way[1] / long) if way[1] else (0.0, 1.0)
        inside, ends = self.scene.land, list[Vector]()
        for turn in (-1, 1):
            end = at
            for step in range(1, round(wing) + 1):
                x, y = at[0] + turn * step * dx, at[1] + turn * step * dy
                cell = round(x), round(y)
                if min(cell) < 0 or max(cell) >= self.scene.size or (step > SPACING / 2 and not inside[cell]):
                    break
                end = (x, y)
            ends.append(end)
        return ends[0], ends[1]

    def match(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Send each type against the type that it beats; those whose enemy stands farther wait for the others."""
        scene = self.scene
        kinds, theirs, alive = np.array(scene.facts.own.types), np.array(scene.facts.foe.types), scene.facts.foe.alive
        pairs = [
            (mine, their) for mine, their in scene.facts.beats
            if (kinds[ids] == mine).any() and (alive & (theirs == their)).any()
        ]  # fmt: skip
        if not pairs:
            raise Unclear("No type of your army beats a type of the enemy here.")
        far = {their: scene.foe_middle(np.nonzero(alive & (theirs == their))[0]) for _, their in pairs}
        here, first = scene.middle(ids), set[int]()
        pairs.sort(key=lambda pair: math.dist(here, far[pair[1]]))
        for mine, their in pairs:  # the way to those who stand farther leads past the others
            part, foes = ids[kinds[ids] == mine], np.nonzero(alive & (theirs == their))[0]
            squads = self.squads(part, scene.terrain.near(far[their]), clause, "fight", types=(their,))
            later = math.dist(here, far[their]) > 1.2 * math.dist(here, far[pairs[0][1]])
            waits = after | first if later else after
            share = 1 - (scene.facts.sight + 12) / math.dist(here, far[their])
            if later and share > 0:  # a long way strings units out: they gather out of sight
                x, y = (a + share * (b - a) for a, b in zip(here, far[their], strict=True))
                waits = {self.add(self.squads(part, scene.terrain.near((x, y)), clause, "go"), waits)}
            number = self.add(squads, waits, self.death(foes))
            first |= set() if later else {number}

    def retreat(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Units go back without fighting, to a place or away from the enemy."""
        peace = replace(clause, manner=clause.manner | {"peace"})
        x, y = self.scene.middle(ids)
        dx, dy = self.scene.back((x, y))
        away = self.scene.terrain.near((x + dx * 40, y + dy * 40))
        clause.places = [place for place in clause.places if place.kind != "way"] or clause.places
        for cell, _ in self.stops(clause, ids) if clause.places else [(away, "")]:
            after = {self.add(self.squads(ids, cell, peace, "peace"), after)}

    def avoid(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Units keep away from enemies: they fight the other types, go on without fighting, or go away."""
        scene = self.scene
        if clause.places and clause.foe:
            scene.notes.append("No way round enemies is planned: they are not fought on the way")
            self.go(replace(clause, manner=clause.manner | {"peace"}), set(), ids, after)
        elif clause.places:
            raise Unclear(f"`{clause.text}`: no plan keeps units out of a place. Say where they go instead.")
        else:
            self.retreat(replace(clause, foe=[]), ids, after)

    def attack(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> None:
        """Units go where the enemies stand that are meant, group after group, until these are dead."""
        scene = self.scene
        if not clause.foe and clause.places and clause.places[-1].kind in ("goal", "markers"):  # `go for the objective`
            self.go(clause, {"go"}, ids, after)
            return
        if [place.kind for place in clause.places] == ["at"] and not (clause.foe or "shoot" in clause.manner):
            self.go(replace(clause, manner=clause.manner | {"fight"}), {"go"}, ids, after)  # `charge to (75, 60)`
            return
        if not clause.foe and clause.places and "shoot" not in clause.manner:
            self._attack_there(clause, ids)
        where = clause.foe[0].where if len(clause.foe) == 1 else None
        if where is not None:
            near, foe = scene.middle(ids), clause.foe[0]
            scene.hear(where, near)
            cell = scene.cells(where, near)[0][0]
            if where.kind == "part":
                foes = scene.foes(replace(foe, where=None), near)
                empty = not scene.standing(scene.facts.foe.position[foes], where, own=False).any()
            else:
                far = 5 if where.kind == "beside" else 3  # a side of something is wide
                empty = math.dist(cell, scene.foe_middle(scene.foes(foe, near))) > far * scene.facts.sight
            if empty:  # now; they go there and fight whom they meet
                self.add(self.squads(ids, cell, clause, "fight", foe.names), after)
                return
        meant = clause.foe or [Who("all", foe=True)]
        if self.last:  # `attack the nearest enemies`: these first, then the next ones
            meant = [replace(who, pick="") if who.pick == "nearest" and not who.count else who for who in meant]
        foes = np.unique(np.concatenate([scene.foes(each, scene.middle(ids)) for each in meant]))
        scene.foe = meant[0] if meant[0].base != "rest" else scene.foe
        types = scene.foe_types(foes) if all(each.names for each in meant) else ()
        places = [place for place in clause.places if not (place.kind == "part" and "flank" in verbs)]
        if places:
            stops = self.stops(replace(clause, places=places), ids)
            stays = "shoot" in clause.manner or not clause.foe
            for cell, _ in stops[:-1] if stays else stops:
                after = {self.add(self.squads(ids, cell, clause, "go"), after)}
            if stays:  # `fire from the hill`
                squads = self.squads(ids, stops[-1][0], clause, "hold" if clause.leash else "fight", types)
                self.add(squads, after, self.death(foes))
                return
        if "flank" in verbs:
            side = next((place.dir for place in clause.places if place.dir), "")
            after = {self.add(self.squads(ids, self._flank(foes, ids, side), clause, "go"), after)}
        groups = scene.clusters(foes)
        near = scene.middle(ids)
        while groups:
            group = min(groups, key=lambda each: math.dist(scene.foe_middle(each), near))
            groups = [each for each in groups if each is not group]
            near = scene.foe_middle(group)
            squads = self.squads(ids, scene.terrain.near(near), clause, "fight", types)
            after = {self.add(squads, after, self.death(group if groups else foes))}

    def death(self, foes: Ids) -> dsl.Elimination:
        """Return the objective that some enemies are dead."""
        return dsl.Elimination(self.listed(foes, len(self.scene.facts.foe.types)))

    def _attack_there(self, clause: Clause, ids: Ids) -> None:
        """Let those be the enemies who are at a place that is attacked: `hit the patrol at (26, 22)`."""
        *ways, last = clause.places
        cell = self.scene.cells(last, self.scene.middle(ids))[0][0]
        near_by = np.hypot(*(self.scene.facts.foe.position - np.array(cell)).T) < 2 * self.scene.facts.sight
        if (near_by & self.scene.facts.foe.alive).any():
            told = last.kind == "at"  # `the post on the west bank, around (26, 22)`
            clause.places = [place for place in ways if not (told and place.kind in ("part", "beside"))]
            clause.foe = [Who("all", foe=True, where=last)]

    def _flank(self, foes: Ids, ids: Ids, side: str) -> Cell:
        """Return a cell at a side of some enemies, out of their sight: the side that was said, or the nearer one."""
        scene = self.scene
        at, here = scene.facts.foe.position[foes], scene.middle(ids)
        (x, y), wide = at.mean(0), np.ptp(at, axis=0) / 2 + scene.facts.sight + 3
        across = [(0.0, 1.0), (0.0, -1.0)] if abs(x - here[0]) > abs(y - here[1]) else [(1.0, 0.0), (-1.0, 0.0)]
        sides = [COMPASS[side]] if side else across
        inside = [(x + dx * wide[0], y + dy * wide[1]) for dx, dy in sides]
        inside = [spot for spot in inside if 0 <= spot[0] < scene.size and 0 <= spot[1] < scene.size] or inside
        return scene.terrain.near(min(inside, key=lambda spot: math.dist(spot, here)))
