"""Clauses to the stages of a plan: who goes where, does what, and waits for which other stage."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

import dsl
from dsl.wording import listing
from hive.kit.facts import Ids
from hive.players.words.clauses import ALL, Clause, Event, Place, Who
from hive.players.words.deeds import Deeds
from hive.players.words.scene import GAP, THERE, Unclear
from hive.players.words.stages import NEAR

CONTRARY = (
    ({"hold", "stay", "stand"}, {"retreat"}), ({"attack"}, {"retreat", "hide", "stand"}),
    ({"stay", "stand", "retreat"}, {"go"}),
)  # fmt: skip
SIGHTED = "The first enemy who is seen is waited for: plans know neither where enemies are nor whom they attack"


class Steps(Deeds):
    """The stages of an order, clause by clause."""

    def carry_out(self, clause: Clause) -> tuple[list[int], Ids]:
        """Carry out a clause; return the numbers of its stages, and its units.

        Raises:
            Unclear: It cannot be carried out.
        """
        scene, verbs, self.implied = self.scene, set(clause.verbs), np.zeros(0, int)
        if any(one & verbs and other & verbs and not clause.places for one, other in CONTRARY) or (
            "peace" in clause.manner and "attack" in verbs
        ):
            raise Unclear(f"`{clause.text}` asks for two things that exclude each other: which of them?")
        if any(who.pick == "nearest" and who.where is None for who in clause.who) and clause.places:
            clause.who = tuple(replace(who, where=who.where or clause.places[-1]) for who in clause.who)
        ids = self._meant(clause, verbs)
        self._on_sight(clause, verbs)
        self._hear(clause, ids)
        there = clause.places == [Place("same")] and verbs <= {"hold", "stay", "stand"} and verbs
        if there and clause.who[:1] in ((), (Who("they"),)) and self._elsewhere(ids):
            clause.places = []  # `archers behind them. Wait there`
        if self._stands_so(clause, ids):
            scene.notes.append(
                f"{scene.who(ids)} stand so already: those who fight from afar are {GAP} m behind the others"
            )
            return sorted(self.last_of(ids)), ids
        earlier = self._overridden(ids, clause)
        after = self.last_of(ids) | (self.before if clause.link == "then" else set())
        for number in earlier & after:
            after = after - {number} | self.stages[number].after
        if earlier:
            beside = any(place.kind == "beside" and not place.of for place in clause.places)
            for unit in () if beside else ids.tolist():  # `everyone to A, spearmen in front`: in front of A
                scene.spots.pop(unit, None)
            self.leave(earlier, ids)
        count = len(self.stages)
        if clause.when is not None:
            after = self.wait(clause.when, ids, after)
        self._act(clause, verbs, ids, after)
        self._remember(clause, verbs, ids)
        self._until(clause, ids, count)
        for stage in self.stages[count:]:
            stage.general = not clause.who or clause.who[0].whole
            stage.typed = not stage.general and not any(who.part or who.minus or who.where for who in clause.who)
        new = {n for n in range(count, len(self.stages)) if not any(each >= count for each in self.stages[n].after)}
        for number in earlier:
            self.stages[number].instead |= new
        stays = verbs and verbs <= {"stay", "stand", "resume"} and not clause.full
        if len(self.stages) > count and not (stays and self.before and clause.who and clause.link != "then"):
            self.before = self.last_of(ids)  # `archers attack, the rest stay. Then ...`: after the attack
        ids = np.union1d(ids, self.implied)
        return [*range(count, len(self.stages))] or sorted(self.last_of(ids)), ids

    @property
    def context(self) -> tuple[Any, ...]:
        """What `they`, `there` and `then` mean in the next clause."""
        return [*self.scene.groups], self.alike, self.acting, self.before, self.scene.heard

    @context.setter
    def context(self, kept: tuple[Any, ...]) -> None:
        self.scene.groups, self.alike, self.acting, self.before, self.scene.heard = kept

    def _hear(self, clause: Clause, ids: Ids) -> None:
        """Let the places of a clause be what `there` means from now on."""
        wheres = [who.where for who in clause.who if who.where and who.where.kind != "part"]
        for place in (*wheres, *clause.places):  # `the archers nearest to A go there`, `there, on the bridge, ...`
            if not place.via and Place("same") not in place.of:
                self.scene.hear(place, self.scene.middle(ids))

    def _meant(self, clause: Clause, verbs: set[str]) -> Ids:
        """Return the units of a clause: whom it names, whose event it waits for, or who is there."""
        scene, they = self.scene, clause.who[:1] == (Who("they"),)
        of_event = clause.when.who if clause.when and clause.when.who and not clause.when.who[0].foe else ()
        if of_event and (
            (they and clause.link != "and") or (not clause.who and of_event[0].whole and of_event[0].base == "all")
        ):
            ids = scene.units(of_event)
        else:
            ids = scene.units(self._apiece(clause)) if clause.who else self._acting()
        if clause.who and clause.who[0].whole and clause.until and verbs == {"stay"}:  # `nobody moves before they do`
            awaited = [each for each in clause.until.who if not (each.foe or each.whole)]
            ids = np.setdiff1d(ids, scene.units(awaited, named=False)) if awaited else ids
        typed = clause.who and not clause.who[0].part and clause.who[0].names
        beside = _beside(clause, verbs) or self._behind_own(clause)
        if typed and beside and len(among := np.intersect1d(ids, np.concatenate([self._acting(), *self.alike]))):
            ids = among  # `the main body to A, spears ahead`
        if clause.squads < -1:
            clause.squads = max(1, round(len(ids) / -clause.squads))
        if not clause.who and verbs & {"attack", "flank"}:
            ids = self._fighters(ids, shoot="shoot" in clause.manner and verbs == {"attack"})
        if clause.own and clause.own[0].base not in ("they", "rest"):  # `spearmen guard the archers, the rest attack`
            scene.units(clause.own)
        return ids

    @staticmethod
    def _behind_own(clause: Clause) -> bool:
        """Whether a clause says behind whom of their side its units stand: `the archers behind the spearmen`."""
        return bool(clause.places) and all(
            place.kind == "beside" and place.value == "behind" and isinstance(who, Who) and not who.foe
            for place in clause.places
            for who in place.of or (None,)
        )

    @staticmethod
    def _on_sight(clause: Clause, verbs: set[str]) -> None:
        """Let a clause that waits for enemies say what its units do with them."""
        if clause.foe and clause.foe[0].pick == "comer" and clause.foe[0].ids:  # `kill those who come (0 to 71)`
            clause.until = clause.until or Event("dead", who=(replace(clause.foe[0], pick=""),))
        flees = clause.when and clause.when.kind in ("sighted", "engaged") and verbs == {"go"}
        if flees and any(place.kind == "way" and place.value == "back" for place in clause.places):
            clause.manner.add("peace")  # `once you see them, run back to A`
        seen = clause.when is not None and clause.when.kind == "sighted" and "shoot" in clause.manner
        if seen and not clause.places and not any(foe.names or foe.where or foe.count for foe in clause.foe):
            clause.foe = [Who("all", foe=True, pick="comer")]  # `when they come, archers shoot`

    def _remember(self, clause: Clause, verbs: set[str], ids: Ids) -> None:
        """Keep whom `they` means from now on, and who acts where nobody is named."""
        named = clause.who and clause.who[0].base != "they"
        kinds = [{*np.array(self.scene.facts.own.types)[each].tolist()} for each in (ids, *self.alike[-1:])]
        joined = clause.link == "and" and clause.places and len(kinds) > 1 and kinds[0] == kinds[1]
        self.alike = [*self.alike, ids] if joined else [ids]  # `30 spearmen to A and 20 to B. Archers behind them`
        detail = named and _beside(clause, verbs) and set(ids.tolist()) <= set(self._acting().tolist())
        if detail and self.acting is None:  # `everyone to A, archers behind. Wait there`
            self.acting = self._present()
        elif named and not detail:
            self.acting = None
        if named and clause.who[0].minus and verbs <= {"stay", "stand", "hold"} and not clause.full:
            left_out = self.scene.units(clause.who[0].minus, named=False)
            self.scene.groups.append(left_out)  # `all but the archers wait. They attack`
        elif named or not self.scene.groups or (clause.who and clause.who[0].number > 1):  # `all of them`
            self.scene.groups.append(ids)

    def _elsewhere(self, ids: Ids) -> bool:
        """Whether units were sent somewhere, and not to the place that was named last."""
        last = self.stages[max(self.last_of(ids))].squads if self.last_of(ids) else []
        if any(squad.front is not None and len(np.intersect1d(squad.ids, ids)) for squad in last):
            return True
        spots = [self.scene.spots[unit] for unit in ids.tolist() if unit in self.scene.spots]
        if not spots or self.scene.heard is None:
            return bool(spots)
        cell = self.scene.cells(Place("same"), self.scene.middle(ids))[0][0]
        return max(math.dist(spot, cell) for spot in spots) > NEAR

    def _acting(self) -> Ids:
        return self._present() if self.acting is None else self.acting

    def _present(self) -> Ids:
        return self.scene.groups[-1] if self.scene.groups else np.nonzero(self.scene.facts.own.alive)[0]

    def _fighters(self, ids: Ids, shoot: bool) -> Ids:
        """Return who fights where an order names nobody: no civilians, and those who can shoot if it says so."""
        kinds, reach = self.scene.facts.own.types, self.scene.range_of
        able = [unit for unit in ids.tolist() if not shoot or reach(kinds[unit]) == "ranged"] or ids.tolist()
        return np.array([unit for unit in able if kinds[unit] != "civilian"] or able, int)

    def _apiece(self, clause: Clause) -> tuple[Who, ...]:
        """Return the units of a clause; `20 archers at each corner` are 20 for each of them."""
        if any(who.vague for who in clause.who):
            heard = [self.scene.heard or place if place.kind == "same" else place for place in clause.places]
            several = clause.each or any(place.every for place in heard)  # `a part of the army at each`
            clause.who = tuple(replace(who, share=0.0 if several else who.share, vague=False) for who in clause.who)
            self.scene.notes += [] if several else ["`Some` are a third of them, and `a few` a tenth"]
        one = all(who.count == 1 and not (who.names or who.number) for who in clause.who)
        single = any(
            item.word.startswith(("unit", "man", "soldier", "scout", "guy", "single")) for item in clause.items
        )
        if one and not single and any(place.every for place in clause.places):
            clause.verbs, clause.each = [*clause.verbs, "hold"], False  # `one team for each bridge`
            return (Who("they"),) if self.scene.squads else (Who("all"),)
        if clause.squads > 0:  # `five squads of ten spearmen, one at each of the bridges`
            return clause.who
        places = [each for one in clause.places for each in (one, *one.of) if isinstance(each, Place)]
        each = clause.each or any(who.each for who in clause.who) or any(place.each for place in places)
        counted = any(who.count or who.share for who in clause.who) and each and "in_turn" not in clause.manner
        if not counted or not clause.places:
            return clause.who
        spots = self._count(clause.places, self._present())
        if spots > 1:
            clause.each = True
        return tuple(
            replace(who, count=who.count and who.count * spots, share=min(1.0, who.share * spots), each=False)
            for who in clause.who
        )

    def _count(self, places: list[Place], ids: Ids) -> int:
        """Return for how many cells some places stand."""
        return sum(len(self.scene.cells(place, self.scene.middle(ids))) for place in places)

    def _overridden(self, ids: Ids, clause: Clause) -> set[int]:
        """Return the earlier stages that meant more than these units, which get an order of their own now."""
        if (
            clause.link == "then"
            or clause.when
            or not clause.who
            or clause.who[0].whole
            or clause.who[0].base == "they"
        ):
            return set()
        stays = clause.verbs and set(clause.verbs) <= {"stay", "hold"} and not clause.full
        if clause.who[0].base == "rest" and (self.scene.again or stays):  # `five of them go on, the others stay`
            return set()
        mine = set(ids.tolist())
        found = {
            n
            for n, stage in enumerate(self.stages)
            if (stage.general or (stage.typed and all(who.part for who in clause.who)))
            and stage.units() & mine
            and not stage.until
            and (not stage.fixed or isinstance(stage.objective, dsl.Elimination))
        }
        deed = set(clause.verbs) <= {"hold", "attack", "spread"} and not (clause.places or clause.own or clause.foe)
        here = any(item.word.split()[-1:] == ["here"] for item in clause.items)  # `five of them stay here on guard`
        sent = all(isinstance(self.stages[n].objective, dsl.Position) for n in found)
        if deed and clause.verbs and sent and not here:
            return set()  # `everyone to the town, archers shoot`: there
        again = all(place.kind == "same" for place in clause.places) and not (clause.foe or clause.own)
        again = again and set(clause.verbs) <= {"hold", "stay", "go", "gather", "split", "think"}
        if again and found and all(self.stages[n].units() <= mine or self.stages[n].spread for n in found):
            clause.places, clause.verbs, clause.squads = [], ["stay"], 0  # `archers and spearmen at each of them`
            return set()
        return found

    def _act(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> None:
        scene = self.scene
        if any(who.pick == "comer" for who in clause.foe):  # whoever comes is fought from where units stand
            clause.foe, verbs = [], (verbs - {"attack"}) | {"hold"}
        if any(scene.kind(place) == "bridge" for place in clause.places):  # `cross the river by the bridge`
            clause.places = [place for place in clause.places if scene.kind(place) != "water"]
        ends = [place for place in clause.places if not place.via]
        toward = [place for place in ends[:-1] if place.value in ("back", "forward") and place.metres is None]
        clause.places = [place for place in clause.places if place not in toward]  # `back to the wood`
        out = verbs & {"split", "spread"}
        clause.places = self._apart(clause.places) if out else clause.places
        counted = [place for place in clause.places if place.every or out or not place.via]
        several = self._count(counted, ids) > 1
        sent = scene.spots.keys() >= {*ids.tolist()}
        shared = any(
            place.kind in ("feature", "part", "markers", "xs")
            if place.every
            else len(scene.apart(place, scene.middle(ids))) > 1 and not sent
            for place in clause.places
        )
        led = all(
            place.kind == "beside"
            and place.value in ("behind", "front")
            and not (place.of and isinstance(place.of[0], Place))
            for place in clause.places
        )
        if "match" in verbs:
            self.match(clause, ids, after)
        elif self._follows(clause, verbs):
            self.follow(clause, verbs, ids, after)
        elif (verbs & {"spread"} and clause.places and not shared and not led) or self._line(clause, verbs):
            self.spread(clause, ids, after)
        elif (
            clause.places
            and several
            and (shared or clause.each or verbs & {"hold", "split", "spread"} or clause.squads)
            and not verbs & {"attack"}
            and not (any(place.via for place in clause.places) and not (shared or out))
            and not {"peace", "in_turn"} & self.said(ids, clause)
        ):
            self.share_out(clause, ids, after)
        elif (verbs & {"split", "spread"} or clause.squads) and not (clause.places or clause.foe):
            self.split(clause, ids)
        elif "retreat" in verbs:
            self.retreat(clause, ids, after)
        elif "avoid" in verbs or (clause.foe and "peace" in clause.manner and not clause.places):
            self.avoid(clause, ids, after)
        elif (
            verbs & {"attack"}
            or ("flank" in verbs and (clause.foe or not clause.places))
            or (clause.foe and not clause.places)
        ) and "peace" not in clause.manner:
            self.attack(clause, verbs, ids, after)
        elif (
            clause.places
            or "hide" in verbs
            or (verbs == {"go"} and any(item.word.startswith("cross") for item in clause.items))
        ):
            if clause.foe and verbs - {"go", "think"} == set():
                scene.notes.append("No way round enemies is planned")
            self.go(clause, verbs, ids, after)
        elif verbs & {"hold", "stay", "stand", "gather"}:
            self.stay(clause, verbs, ids, after)
        elif verbs - {"think"}:
            raise Unclear(f"`{clause.text}`: where to? {scene.places()}")

    def _apart(self, places: list[Place]) -> list[Place]:
        """Return the places that units are split between: two that are named, or those of the last two stages."""
        if [place.value for place in places] != ["between"]:
            return places
        named = [place for place in places[0].of if isinstance(place, Place)]
        if len(named) > 1:
            return [replace(place, each=True) for place in named]
        squads = [squad for stage in self.stages[-2:] for squad in stage.squads if squad.front is None]
        cells = list(dict.fromkeys(squad.cell for squad in squads))
        own = not places[0].of and len(cells) == 2
        return [Place("at", cell, each=True) for cell in cells] if own else places

    def _stands_so(self, clause: Clause, ids: Ids) -> bool:
        """Whether units are told to stand behind, or before, others with whom they are spread so already."""
        if not clause.who or any(place.metres for place in clause.places) or clause.when or clause.foe:
            return False
        mine, scene = set(ids.tolist()), self.scene
        mixed = [n for n in self.last_of(ids) if self.stages[n].spread and self.stages[n].units() > mine]
        kinds = {scene.range_of(scene.facts.own.types[unit]) for unit in mine}
        sides = {("behind", "back", "home"): "ranged", ("front", "forward"): "melee"}
        told = [
            kind
            for words, kind in sides.items()
            if clause.places and all((place.value or place.kind) in words for place in clause.places)
        ]
        shields = kinds == {"melee"} and "shield" in clause.verbs
        safe = kinds == {"ranged"} and not clause.places and ("distance" in clause.manner or "hide" in clause.verbs)
        return bool(mixed and (safe or shields or (told and kinds == {told[0]})))

    @staticmethod
    def _follows(clause: Clause, verbs: set[str]) -> bool:
        """Whether units follow or shield others, and not on a ring around them."""
        led = verbs & {"follow", "shield"} and not any(place.value == "ring" for place in clause.places)
        return bool(led and (clause.own or not (clause.places or clause.foe)))

    def _line(self, clause: Clause, verbs: set[str]) -> bool:
        """Whether a clause names a line, or a row, over which units are spread."""
        if verbs & {"attack", "retreat", "flank"} and (not clause.squads or clause.foe):
            return False
        kinds, values = {place.kind for place in clause.places}, {place.value for place in clause.places}
        held = kinds & {"y", "xs"} and (verbs & {"hold", "stay"} or clause.squads > 1)
        centre = clause.squads and any(place.value == "centre" and not place.of for place in clause.places)
        xs = any(
            place.kind == "xs" and isinstance(place.value, tuple) and len(place.value) > 1 and not place.every
            for place in clause.places
        )
        return bool(held or centre or xs or "line" in kinds or values & {"row", "column", "ring"})

    def wait(self, event: Event, ids: Ids, after: set[int]) -> set[int]:
        """Return the stages that some units wait for, since a clause begins with an event.

        Raises:
            Unclear: No plan can wait for it.
        """
        if event is self.waited[0]:  # `once they are there, the archers attack and the cavalry charge`
            return after | self.waited[1]
        self.waited = event, self._awaited(event, ids, after)
        return self.waited[1]

    def _whose(self, event: Event, ids: Ids) -> Ids:
        """Return whose arrival some units wait for: of those who are named otherwise, or not at all, the only ones."""
        if event.who:
            return self.scene.units(event.who, named=False)
        mine = {*ids.tolist()}
        apart = [group for group in self.scene.groups if mine.isdisjoint(group.tolist())]
        if not apart:
            raise Unclear("Who is waited for?")
        return apart[-1]

    def _arrivals(self, event: Event, who: Ids) -> set[int]:
        """Return the stages at whose ends some units have reached a place, to which they are sent if they were not."""
        scene, place, ready = self.scene, event.place, self.last_of(who)
        if place is None or not len(who) or place.kind in ("same", "units", "way", "home"):
            return ready
        scene.hear(place, scene.middle(who))
        cells = np.array([cell for cell, _ in scene.cells(place, scene.middle(who))])
        there = [
            number
            for number, stage in enumerate(self.stages)
            for squad in stage.squads
            if len(np.intersect1d(squad.ids, who)) and np.hypot(*(cells - np.array(squad.cell)).T).min() < THERE
        ]
        if found := self.last_of(who, there):
            return found
        self.implied = np.union1d(self.implied, who)
        return {self.add(self.squads(who, scene.cells(place, scene.middle(who))[0][0], Clause(), "go"), ready)}

    def _awaited(self, event: Event, ids: Ids, after: set[int]) -> set[int]:
        """Return the stages that end with an event."""
        scene = self.scene
        if event.kind == "arrive":
            they = not event.who or (event.who[0].base == "they" and event.who[0].number in (0, 1))
            who = self._present() if they else self._whose(event, ids)
            ready = self._arrivals(event, who)
            if not ready:
                raise Unclear(
                    f"Nobody was sent anywhere before: whose arrival is waited for? You have {scene.who(ids)}."
                )
            if event.share or event.amount:
                for number in ready:
                    share = event.share or event.amount / max(1, len(who))
                    self.stages[number].objective, self.stages[number].fixed = (
                        dsl.Arrival(min(100, math.ceil(100 * share))),
                        True,
                    )
            fights = {n for n in after - ready if isinstance(self.stages[n].objective, dsl.Elimination)}
            return (after - fights) | ready  # those who fight do so until others have arrived
        if ready := self._watched(event, ids):
            return after | ready
        objective = self.objective(event, ids)
        if event.kind == "dead" and (
            same := {n for n, stage in enumerate(self.stages) if stage.objective == objective}
        ):
            return after | same
        if after and not isinstance(objective, dsl.Time):
            for number in after:  # they go on with what they did until then
                self.stages[number].objective, self.stages[number].fixed = objective, True
            return after
        return {self.add(self.here(ids, Clause(), "stay"), after, objective)}

    def _watched(self, event: Event, ids: Ids) -> set[int]:
        """Return the stages that end with what other units see or lose: `when the spearmen see the enemy, ...`."""
        they = event.who and event.who[0].base in ("they", "all") and not event.who[0].number
        others = event.who if event.who and not event.who[0].foe and not they else ()
        watched = self.scene.units(others, named=False) if others else ids
        if event.kind not in ("sighted", "losses") or set(watched.tolist()) <= set(ids.tolist()):
            return set()
        objective, ready = self.objective(replace(event, who=()), watched), self.last_of(watched)
        if not ready or any(self.stages[number].fixed for number in ready):
            ready = {self.add(self.here(watched, Clause(), "stay"), set(), objective)}
        for number in ready:
            self.stages[number].objective, self.stages[number].fixed = objective, True
        return ready

    def objective(self, event: Event, ids: Ids) -> dsl.Objective:
        """Return what a step must reach for an event.

        Raises:
            Unclear: No plan of this world can wait for it.
        """
        scene, army = self.scene, self.scene.facts.foe
        if event.kind == "dead":
            who = event.who[0] if event.who and event.who[0].foe else scene.foe or Who("all", foe=True)
            if not (who.ids or who.count) and (event.amount or event.share):  # `until ten of the archers are dead`
                who = replace(who, count=event.amount or None, share=event.share)
            found: dsl.Objective = dsl.Elimination(self.listed(scene.foes(who, scene.middle(ids)), len(army.types)))
        elif event.kind in ("losses", "enemy losses"):
            whole = len(ids) if event.kind == "losses" else int(army.alive.sum())
            share = event.share or event.amount / max(1, whole)
            if not 0 < share <= 1:
                raise Unclear("After how many losses? Say `after losses of 30%`, `once 10 enemies are dead`.")
            percent = min(100, math.ceil(100 * share - 1e-9))
            found = dsl.Losses(percent) if event.kind == "losses" else dsl.EnemyLosses(percent)
        elif event.kind == "ticks":
            found = dsl.Time(max(1, event.amount))
        else:
            if event.amount:
                raise Unclear("Plans wait for the sight of any enemy, not of so many, and not of one by its number.")
            if event.place is not None or event.who:
                scene.notes.append(SIGHTED)
            x, y = scene.middle(ids)
            if scene.terrain.forest[int(x), int(y)]:
                scene.notes.append(
                    "No unit sees out of a wood: who waits in one for the sight of an enemy may wait long"
                )
            found = dsl.Sighted()
        if found.word not in scene.facts.context.objectives:
            known = listing(scene.facts.context.objectives, "and")
            raise Unclear(f"No plan of this world can wait for that: objectives are {known}.")
        return found

    def _until(self, clause: Clause, ids: Ids, first: int) -> None:
        """Let the last stage of a clause end with what was said."""
        event = clause.until
        if event is None:
            return
        own, they = self.last_of(ids), event.who[:1] in ((), (Who("they"),))
        stays = {*clause.verbs} <= {"hold", "stay", "stand"} and not clause.places and len(self.scene.groups) > 1
        arrived = own and event.who == (Who("they", number=ALL),)  # `go to A and wait until all of them are there`
        if event.kind == "arrive" and (arrived or (they and not stays)):
            return
        if event.kind == "arrive":  # `stay until they are there`
            who = np.setdiff1d(self._whose(replace(event, who=() if they else event.who), ids), ids)
            ready = self._arrivals(event, who)
            if len(who) and not ready:
                self.scene.notes.append(
                    "Left out: until whom they wait for has arrived, since these were not sent anywhere"
                )
        else:
            ready = self._watched(event, ids)
        if ready or event.kind == "arrive":
            for number in own:
                self.stages[number].until |= ready
            return
        if len(self.stages) == first:
            self.add(self.here(ids, clause, "stay"), self.last_of(ids))
        objective = self.objective(event, ids)
        stage = self.stages[-1]
        if isinstance(objective, dsl.Time) and clause.places:
            self.add(
                [replace(squad) for squad in stage.squads if squad.front is None], {len(self.stages) - 1}, objective
            )
        else:
            stage.objective, stage.fixed = objective, True


def _beside(clause: Clause, verbs: set[str]) -> bool:
    """Whether a clause only says on which side of those named before its units stand: `archers behind`."""
    sides = (
        (place.kind == "beside" and not place.of) or (place.kind == "way" and place.value in ("forward", "back"))
        for place in clause.places
    )
    return not verbs and bool(clause.places) and all(sides)
