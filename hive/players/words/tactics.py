"""Clauses to stages of a plan: what each group of units does where, and what it waits for."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np

from dsl.wording import listing
from hive.ground.places import Vector
from hive.kit.facts import Ids
from hive.players.words import fights, spreading, waits
from hive.players.words.clauses import Clause, Place, Who
from hive.players.words.lines import reached
from hive.players.words.phrases import CALLED
from hive.players.words.scene import COMPASS, GAP, NAMED, Contrary, Unclear, shrunk
from hive.players.words.stages import Squad
from hive.players.words.steps import LEASH, Steps
from hive.players.words.waits import UNHEARD, WHEN

DEEDS = "Units go, hold, attack, retreat, hide and follow."
RIVALS = (({"attack", "flank"}, {"go", "hold", "stay", "stand", "retreat", "hide"}),)
CONTRARY = (
    ({"hold", "stay", "stand"}, {"retreat"}), ({"attack"}, {"retreat"}), ({"hide"}, {"attack"}),
    ({"stay", "stand", "retreat"}, {"go"}), ({"stand"}, {"attack"}),
)  # fmt: skip


class Tactics(Steps):
    """The stages of an order, clause by clause."""

    def clause(self, clause: Clause) -> str:
        """Carry out a clause; return in words how it was understood.

        Raises:
            Unclear: It cannot be carried out.
        """
        scene, verbs = self.scene, set(clause.verbs)
        self.refuse(clause, verbs)
        if clause.squads and re.search(r"\beach\b", clause.text.lower()):  # `five squads, each ten archers`
            many = [replace(who, part=who.part * clause.squads) for who in clause.who if who.part and not who.percent]
            clause.who = tuple(many) if len(many) == len(clause.who) else clause.who
        back = [place for place in clause.places if place.kind == "way" and place.value == "back" and not place.metres]
        if back == clause.places and back and verbs <= {"go"} and self.stages:  # `then come back`
            clause.places = [Place("start")]
        kind = scene.every.value if scene.every and scene.every.kind == "feature" else None
        clause.places = [  # after `the South-West bridges`, `the north-east` is that of the bridges
            named
            if place.kind == "part"
            and place.dir
            and not (place.value or place.of)
            and scene.on_side(named := Place("feature", kind, place.dir, every=True))
            else place
            for place in clause.places
        ]
        clause.places = [
            scene.every if place.kind == "same" and place.every and scene.every else place for place in clause.places
        ]
        clause.places = [  # `there`, before any place was named, says nothing beside other places
            place
            for place in clause.places
            if scene.heard
            or not (place.kind == "same" or Place("same") in place.of)
            or (len(clause.places) == 1 and not clause.squads)
        ]
        for one, other in pairwise(clause.places):  # `the part of the wood that lies on our side`
            if one.kind == "feature" and other.kind == "home" and " lies " in clause.text:
                clause.places = [
                    replace(one, own=True) if each is one else each for each in clause.places if each is not other
                ]
        it = scene.it(False)
        clause.places = [  # `two on the north side of the camp, two on the south side`
            replace(place, of=(it,)) if it and self.sided(clause, place) else place for place in clause.places
        ]
        scene.heard += [who.where for who in clause.who if who.where is not None]
        clause.places = self.apart(clause, ids=scene.last)
        every = [place for place in clause.places if place.every]
        apiece = re.search(r"\b(each|every|per|apiece|wherever)\b", clause.text.lower())
        if every and apiece and clause.who and all(who.part for who in clause.who):
            count = sum(len(scene.all_spots(place, scene.middle(scene.last))) for place in every)
            clause.who = tuple(  # `20 archers at each corner`; `a part of the army at each` is all of it
                replace(who, part=None)
                if who.part in (1, 33) and who.base in ("all", "they")
                else replace(who, part=min(100, who.part * count) if who.percent else who.part * count)
                for who in clause.who
                if who.part
            )
        if clause.places and any(who.pick == "nearest" for who in clause.who):
            scene.goal = scene.spot(clause.places[-1], scene.middle(scene.last))[0]
        goal = any(place.kind == "goal" for place in clause.places)
        if (
            not goal
            and clause.text.lower().startswith("one ")
            and any(who.part == 1 and not who.names for who in clause.who)
        ):
            raise Unclear(f"I cannot tell who is meant by `{clause.text}`. You have {scene.army(scene.facts.own)}.")
        scene.picked = set() if clause.link == "then" else scene.picked
        ids = scene.units(clause.who) if clause.who else scene.last
        if not clause.who and clause.link == "stop" and scene.sentence:  # `A go there, B there. Wait for them`
            ids = np.array(sorted(scene.sentence))
        if "gather" in verbs and not clause.who and scene.named:
            ids = np.array(sorted(scene.named))
        if clause.who and clause.who[0].base != "called":
            nouns = {word for item in clause.items for word in item.word.split()} & {*CALLED}
            scene.nouns |= dict.fromkeys(nouns | {who.called for who in clause.who}, ids)
        after = self.last_of(ids) | (self.before if clause.link == "then" else set())
        count = len(self.stages)
        if clause.when is not None:
            others = clause.when.who[:1] == (Who("they"),) and clause.who and clause.who[0].base != "they"
            after = waits.wait(self, clause.when, scene.last if others and clause.when.kind == "arrive" else ids, after)
        still = clause.link == "stop" and not clause.places and verbs & {"stay", "stand"}
        joined = clause.link == "and" or still
        rival = {verb for told, verbs_ in self.told if joined and told == clause.who for verb in verbs_}
        plain = clause.who and clause.who[0].base not in ("they", "rest")
        if plain and any((one & rival and other & verbs) or (other & rival and one & verbs) for one, other in RIVALS):
            raise Contrary(f"`{clause.text}`: these units have another order already. Which of the two?")
        self.told.append((clause.who, verbs))
        back = [place for place in clause.places if place.kind == "way" and place.value == "back" and place.metres]
        earlier = set() if back and not verbs else self.overridden(ids, clause)  # `..., archers ten metres back`
        after = self.kept(after, earlier)
        if earlier and not after:  # they never go where everyone else goes
            for unit in ids.tolist():
                scene.spots.pop(unit, None)
        words = self.act(clause, verbs, ids, after)
        if clause.who or not scene.groups:
            scene.groups.append(ids)
        if any(who.part is not None and who.base != "rest" for who in clause.who):
            scene.picked = scene.picked | set(ids.tolist())
        scene.sentence = set(ids.tolist()) | (set() if clause.link == "stop" else scene.sentence)
        for place in clause.places:
            heard = [each for each in place.of if isinstance(each, Place)]
            heard = [*heard, place] if place.kind not in ("same", "units", "way") else heard
            scene.heard += heard[::-1] if place.kind == "part" else heard  # `its south end` leaves `it` what it was
        self.placed = any(place.kind != "same" for place in clause.places)
        waits.until(self, clause, ids, count)
        if len(self.stages) > count:
            self.before = self.last_of(ids)
            for stage in self.stages[count:]:
                stage.general = not clause.who or (clause.who[0].base == "all" and clause.who[0].part is None)
            for number in earlier:
                for squad in self.stages[number].squads:
                    squad.ids = np.setdiff1d(squad.ids, ids)
                self.stages[number].squads = [squad for squad in self.stages[number].squads if len(squad.ids)]
        new = range(count, len(self.stages))
        told = any(set(ids.tolist()) & self.stages[number].units() for number in new) or "squads" in words
        self.acted = (new if told else sorted(self.last_of(ids)), ids)
        return words

    @staticmethod
    def sided(clause: Clause, place: Place) -> bool:
        """Whether a place is a side of something that is not said."""
        items = [one.get("dir") for one, other in pairwise(clause.items) if other.get("area") == "side"]
        return place == Place("part", "", place.dir) and place.dir in items and not clause.foe

    def apart(self, clause: Clause, ids: Ids) -> list[Place]:
        """Return the places of a clause; each is for a part of its own in `10 archers each to A and B`."""
        near, places = self.scene.middle(ids), clause.places
        spoken = re.search(r"\beach\b", clause.text.lower()) and not (clause.squads or clause.foe)
        if not spoken or any(place.every or place.via or place.kind in ("same", "units") for place in places):
            return places
        if sum(len(self.scene.all_spots(place, near)) for place in places) < 2:
            return places
        return [replace(place, every=True) for place in places]

    def confine(self, clause: Clause) -> str:
        """Keep units out of a place, or in it: targets are moved, and fights get a leash; see `confined`."""
        scene = self.scene
        ids = scene.units(clause.who, named=False) if clause.who else np.nonzero(scene.facts.own.alive)[0]
        masks = [scene.zone(place, scene.middle(ids)) for place in clause.places]
        known = [mask for mask in masks if mask is not None]
        if not known:
            return "nobody is sent there"
        names = [name for place in clause.places for _, name in scene.all_spots(place, scene.middle(ids))]
        said = listing(phrases=dict.fromkeys(names), joint="and")
        stays = "leave" in clause.denied
        if clause.until is not None and (objective := waits.objective_of(self, clause.until, ids)) is not None:
            self.acted = ([self.add(self.here(ids, Clause(), "stay"), self.last_of(ids), objective)], ids)
            return f"nobody is sent there before {reached(scene, objective)}"
        self.zones.append((set(ids.tolist()), known[0] if stays else ~np.any(known, 0)))
        return (
            f"{scene.who(ids)} are kept {'in' if stays else 'out of'} {said} by targets, and leashes where they fight"
        )

    def confined(self) -> None:
        """Move the targets of units that are not to leave some ground into it, and keep their fights in it."""
        for units, allowed in self.zones:
            if not any(units & stage.units() for stage in self.stages):
                ids = np.array(sorted(units))
                self.add(self.here(ids, Clause(), "stay"), set())
            inner, outside = shrunk(allowed, LEASH + 1), np.argwhere(~allowed & self.scene.terrain.enter)
            for stage in self.stages:
                for squad in list(stage.squads):
                    mine = np.array([unit for unit in squad.ids.tolist() if unit in units], int)
                    if not len(mine) or squad.front is not None or not len(outside):
                        continue
                    if len(mine) < len(squad.ids):
                        squad.ids = np.setdiff1d(squad.ids, mine)
                        squad = replace(squad, ids=mine)
                        stage.squads.append(squad)
                    if not allowed[squad.cell]:
                        squad.cell = self.scene.terrain.near(squad.cell, inner)
                    if squad.behaviour not in ("follow_map", "hold", "stand"):
                        far = int(np.hypot(*(outside - np.array(squad.cell)).T).min())
                        squad.leash = max(1, min(squad.leash or far, far - 1))

    def refuse(self, clause: Clause, verbs: set[str]) -> None:
        """Refuse a clause with words in a decisive place that are not understood, or that contradicts itself.

        Raises:
            Unclear: It is such a clause.
        """
        scene, lost = self.scene, clause.lost
        if "when" in lost and clause.when is None and clause.until is None:
            raise Unclear(f"{UNHEARD}: `{lost['when']}`. {WHEN}")
        if "own" in lost:
            raise Contrary(f"`{lost['own']}` are of your own side: nobody attacks them. Which enemies are meant?")
        if "amount" in lost:
            raise Unclear(f"How many units does `{lost['amount']}` mean? Say it in numbers.")
        if "verb" in lost and not verbs:
            raise Unclear(f"I do not know how to `{lost['verb']}`. {DEEDS}")
        if "place" in lost and not (clause.places or clause.foe):
            raise Unclear(f"`{lost['place']}` is not a place that I know here. {scene.places()}")
        if "who" in lost and not clause.who and (clause.places or verbs or clause.foe):
            army = scene.army(scene.facts.own)
            raise Unclear(f"`{lost['who']}` is not one of your units or an enemy that I know here. You have {army}.")
        both = next((one for one in clause.denied if one in verbs), "")
        sides = "".join(place.dir for place in clause.places if place.kind == "part" and not place.value)
        opposite = sides in ("ns", "sn", "ew", "we") and len(clause.places) == 2 and "spread" not in verbs
        if both or opposite or ("peace" in clause.manner and verbs & {"attack"}) or any(
            some & verbs and others & verbs and not clause.places for some, others in CONTRARY
        ):  # fmt: skip
            raise Contrary(f"`{clause.text}` asks for two things that exclude each other: which of them?")

    def overridden(self, ids: Ids, clause: Clause) -> set[int]:
        """Return the earlier stages that meant more than these units, which get an order of their own now.

        What everyone does before a `then` holds for all who are named after it: a wait always, a way in one sentence.
        """
        mine = set(ids.tolist())
        own = clause.who and clause.who[0].base not in ("they", "squad", "all")
        if clause.link == "then" or clause.when or not own:
            return set()
        return {
            number
            for number, stage in enumerate(self.stages)
            if stage.general
            and stage.units() & mine
            and not (number < self.followed and (stage.ends or clause.link == "and"))
        }

    def kept(self, after: set[int], earlier: set[int]) -> set[int]:
        """Return stages that a clause waits for; for each that it takes the place of, those that this one waits for."""
        found = set[int]()
        for number in after:
            found |= self.kept(self.stages[number].after, earlier) if number in earlier else {number}
        return found

    def act(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> str:
        """Add the stages of a clause, by the strongest of its verbs."""
        scene = self.scene
        arranged = not verbs and clause.who and clause.link != "then"  # `..., archers ten metres back`
        alone = len(clause.places) == 1 and clause.places[0].value == "back" and self.stages
        if alone and (verbs & {"hold", "stay"} or (arranged and clause.places[0].metres)):
            clause.places = [Place("beside", "behind", of=(Who("rest"),), metres=clause.places[0].metres)]
        if clause.places and all(place.kind == "same" for place in clause.places) and verbs <= {"hold", "stay"} and (
            self.last_of(ids) and not (clause.when or clause.who or (clause.until and clause.until.kind != "dead"))
        ):  # fmt: skip
            return self.hold_there(clause, ids)
        lined = bool(scene.heard) and (scene.heard[-1].kind == "box" or scene.heard[-1].value == "row")
        beside = [  # `behind it`, said of a line, is behind those who form it
            replace(p, of=(Who("they"),)) if lined and p.of[0] == Place("same") else p
            for p in clause.places
            if p.kind == "beside"
        ]
        near = [place for place in beside if place.value in ("behind", "front") or place.value in COMPASS]
        if len(clause.who) < 2 and any(p.kind in ("at", "y") for p in clause.places):
            near = []
        if len(clause.who) < 2 and any(p.kind in ("feature", "at", "goal") for p in clause.places):
            near = [p for p in near if isinstance(p.of[0], Who) and p.of[0].base not in ("they", "rest")]
        behind = next((p for p in near if isinstance(p.of[0], Who) and not p.of[0].foe), None)
        if len(self.shared) and clause.link != "then" and not len(np.setdiff1d(ids, self.shared)) and not (
            clause.foe or clause.manner - {"together"} or behind or clause.when or verbs & {"retreat", "attack"}
        ) and all(place.every or place.kind in ("same", "units") for place in clause.places):  # fmt: skip
            return "share out over them, as was said"
        if "match" in verbs:
            return fights.match(self, clause, ids, after)
        if behind is not None and "retreat" not in verbs:
            return self.behind(clause, behind, ids, after)
        if "resume" in verbs and not clause.places:
            self.resumed |= {unit: after for unit in ids.tolist()}
            return "go on with their orders"
        if "retreat" in verbs or (verbs & {"avoid"} and not clause.places and not clause.foe):
            return fights.retreat(self, clause, ids, after)
        if any(place.every for place in clause.places) and not verbs & {"attack"} and not clause.manner & {"in turn"}:
            return spreading.share_out(self, clause, ids, after)
        if words := spreading.spread(self, clause, verbs, ids, after):
            return words
        if "flank" in verbs and (clause.foe or not any(p.kind in ("feature", "at", "markers") for p in clause.places)):
            return fights.flank(self, clause, ids, after)
        if clause.own and clause.who and verbs & {"follow", "shield", "hold", "gather"}:
            return self.follow(clause, ids, after)
        if "hide" in verbs:
            return self.hide(clause, ids, after)
        if clause.foe and "avoid" in verbs and not clause.places:
            return fights.avoid(self, clause, ids, after)
        if (clause.foe and not verbs & {"avoid", "hold", "stay"}) or (
            "attack" in verbs and not (clause.places or "stay" in verbs)
        ):
            return fights.attack(self, clause, ids, after)
        if clause.places:
            return self.go(clause, verbs, ids, after)
        helps = "follow" in verbs and not clause.until
        if helps and len(others := np.setdiff1d(np.array(sorted(scene.named), int), ids)):  # `come to help`
            cell = scene.terrain.near(scene.middle(others))
            scene.labels.setdefault(cell, f"{cell}, with {scene.who(others)}")
            self.add(self.squads(ids, cell, clause, "fight"), after)
            return ""
        rest = bool(clause.who) and clause.who[0].base == "rest"
        if rest and verbs and verbs <= {"hold", "stay"} and self.running is not None and not (
            self.last_of(ids) or clause.until or clause.when or clause.leash or clause.manner
        ):  # fmt: skip
            self.resumed |= {unit: after for unit in ids.tolist()}
            return "go on with their orders"
        if verbs & {"stay", "stand"} and clause.link == "and" and " where " in clause.text and self.last_of(ids):
            raise Unclear(f"`{clause.text}`: are they to stay, or to do what was said before?")
        if verbs & {"hold", "stay", "stand"} or clause.until or clause.when or clause.leash:
            if (
                clause.link != "then"
                and not clause.until
                and not clause.when
                and self.last_of(ids)
                and verbs & {"hold"}
            ):
                return self.hold_there(clause, ids)
            wanted = "stand" if "stand" in verbs or "peace" in clause.manner else "stay"
            self.add(self.here(ids, clause, wanted), after)
            return ""
        if "gather" in verbs:
            spot = scene.terrain.near(scene.middle(ids))
            self.add(self.squads(ids, spot, clause, "go"), after)
            return ""
        raise Unclear(f"Where {'are they' if len(ids) > 1 else 'is it'} to go? {scene.places()}")

    def go(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> str:
        """Units go to places one after another."""
        holding = bool(verbs & {"hold", "stay", "spread"}) and not clause.manner & {"peace"}
        holding &= clause.leash is None
        wanted = "fight" if "attack" in verbs else "hold" if holding else "stand" if "stand" in verbs else "go"
        if any(p.kind == "feature" and p.value == "forest" for p in clause.places) and "attack" not in verbs:
            clause.manner.add("cover")
        if len(clause.places) == 1 and clause.places[0].kind in ("way", "y", "zone", "home"):
            return self.shift(clause, wanted, ids, after)
        stops = self.stops(clause.places, ids, "cover" in self.said(ids, clause))
        stops = stops[::-1] if "backward" in clause.manner else stops
        if not stops:
            raise Unclear(f"Where are they to go? {self.scene.places()}")
        if holding and len({name for _, name in stops}) > 1 and not clause.manner & {"cover", "in turn"}:
            raise Unclear(
                f"Are they to hold {listing(phrases=[name for _, name in stops], joint='and')} one after another, "
                "or in parts? Say who holds which."
            )
        for number, (cell, _) in enumerate(stops):
            last = number == len(stops) - 1
            doing = wanted if last or wanted != "hold" else "go"
            squads = self.squads(ids, cell, clause, doing, behind=GAP if holding and last else 0)
            after = {self.add(squads, after)}
        return ""

    def shift(self, clause: Clause, wanted: str, ids: Ids, after: set[int]) -> str:
        """Units move in a direction, or to a row, from where each group of them stands."""
        scene, squads = self.scene, list[Squad]()
        for part in self.grouped(ids):
            squads += self.squads(part, scene.spot(clause.places[0], scene.middle(part))[0], clause, wanted)
        self.add(squads, after)
        return ""

    def hold_there(self, clause: Clause, ids: Ids) -> str:
        """Let units hold where the last clause sends them."""
        for number in self.last_of(ids):
            stage = self.stages[number]
            mine = [squad for squad in stage.squads if len(np.intersect1d(squad.ids, ids))]
            stage.squads = [squad for squad in stage.squads if squad not in mine] + [
                replace(new, types=squad.types, front=squad.front, gap=squad.gap)
                for squad in mine
                for new in self.squads(squad.ids, squad.cell, clause, "hold")
            ]
        return ""

    def behind(self, clause: Clause, place: Place, ids: Ids, after: set[int]) -> str:
        """Place units behind others wherever these are sent, at the side away from the enemy; or in front of them."""
        scene = self.scene
        assert isinstance(place.of[0], Who)
        others = place.of[0]
        if (
            others.base in ("rest", "they") and len(clause.who) > 1 and clause.who[0].base == "type"
        ):  # `spearmen, archers behind`
            leaders, followers = scene.units(clause.who[:-1]), scene.units(clause.who[-1:])
        else:
            of = Who("all", minus=clause.who) if others.base == "rest" and clause.who else others
            leaders, followers = scene.units([of], named=False), ids
        leaders = np.setdiff1d(leaders, followers)
        if place.value == "front":
            leaders, followers = (followers, leaders) if others.base == "rest" else (leaders, followers)
        if not len(followers) or not len(leaders):
            raise Unclear("Who is to stand beside whom? Name two different groups.")
        more = [each for each in clause.places if each is not place and each.kind not in ("same", "units")]
        gap = place.metres or GAP
        toward = COMPASS.get(str(place.value))
        side = next((each.dir for each in clause.places if each.kind == "part" and not (each.value or each.of)), "")
        if side and place.value == "behind":  # `behind them on the right`
            more = [each for each in more if each.dir != side]
            (ax, ay), (bx, by) = COMPASS[side], scene.back(scene.middle(leaders))
            long = math.hypot(ax + bx, ay + by) or 1.0
            toward = (ax + bx) / long, (ay + by) / long
        if more and not self.last_of(leaders):
            self.act(replace(clause, places=more, who=()), set(clause.verbs) | {"hold"}, leaders, after)
        if place.value == "front" and others.base != "rest":
            cell = scene.relative(leaders, -gap, "in front of")
            self.add(self.squads(followers, cell, clause, "hold"), self.last_of(followers))
        elif not self.mirror(followers, leaders, gap, clause, toward):
            side = f"{NAMED[str(place.value)]} of" if place.value in NAMED else "behind"
            self.add(self.squads(followers, scene.relative(leaders, gap, side, toward), clause, "hold"), after)
        return ""

    def mirror(self, followers: Ids, leaders: Ids, gap: int, clause: Clause, toward: Vector | None = None) -> bool:
        """Put followers behind leaders, or beside them, wherever these go; return whether they go anywhere."""
        scene, found, lead = self.scene, False, set(leaders.tolist())
        for stage in self.stages:
            fronts = [squad for squad in stage.squads if lead & set(squad.ids.tolist())]
            if not fronts:
                continue
            found = True
            (ax, ay), (bx, by) = fronts[0].cell, fronts[-1].cell
            line = (float(bx - ax), float(by - ay)) if (ax, ay) != (bx, by) else None
            back = toward or (None if scene.facts.guarded else scene.back((ax, ay), line))
            old = {unit: squad for squad in stage.squads for unit in squad.ids.tolist()}
            for squad in stage.squads:
                squad.ids = np.setdiff1d(squad.ids, followers)
            stage.squads = [squad for squad in stage.squads if len(squad.ids)]
            for front, part in zip(fronts, spreading.equal_parts(self, followers, len(fronts)), strict=True):
                for squad in self.squads(part, scene.away(front.cell, gap, back), clause, "hold") if len(part) else []:
                    before = old.get(int(squad.ids[0]))
                    if front.behaviour == "follow_map" or (before and not clause.manner):
                        squad.behaviour = front.behaviour if front.behaviour == "follow_map" else before.behaviour  # type: ignore[union-attr]
                    if len(fronts) == 1 and not toward and "behind" in scene.facts.context.orders:
                        squad.front, squad.gap, squad.cell = front, gap, front.cell
                    stage.squads.append(squad)
                    scene.spots |= dict.fromkeys(squad.ids.tolist(), scene.away(front.cell, gap, back))
        return found

    def follow(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go wherever others go, a little behind."""
        leaders = self.scene.units(clause.own, named=False)
        if clause.places and self.last_of(ids):  # `then join the cavalry at the bridge`
            return self.go(clause, {"go"}, ids, after)
        if clause.places and not self.last_of(leaders):  # `escort the archers over the bridge`
            self.go(clause, {"go"}, np.setdiff1d(leaders, ids), after)
        if not len(np.setdiff1d(leaders, ids)):  # `everybody follows the cavalry`
            ids = np.setdiff1d(ids, leaders)
        leaders = np.setdiff1d(leaders, ids)
        if not len(leaders) or not len(ids):
            raise Unclear("Whom are they to follow? Name another group.")
        if clause.when or not self.mirror(ids, leaders, GAP, clause):
            cell = self.scene.away(self.scene.middle(leaders), 0)
            self.add(self.squads(ids, cell, clause, "go"), after)
        return ""

    def hide(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go under trees, and do not fight."""
        if not clause.places and self.last_of(ids):  # where they were sent
            self.add(self.here(ids, replace(clause, manner=clause.manner | {"peace", "cover"}), "peace"), after)
            return ""
        if not any(place.kind not in ("part", "way") or place.of for place in clause.places):
            spot = next((place.dir for place in clause.places if place.dir), "")
            clause.places = [Place("feature", "forest", dir=spot)]
        clause.manner |= {"peace", "cover"}
        return self.go(clause, {"go"}, ids, after)
