"""Events of an order: what it waits for."""

from __future__ import annotations

from dataclasses import replace

from hive.players.words.clauses import Event, Place, Who
from hive.players.words.cursor import LONGEST, fits
from hive.players.words.places import Places

DONE = {  # what has happened once a verb is done
    "go": "arrive", "gather": "arrive", "spread": "arrive", "hold": "arrive", "retreat": "arrive", "stay": "arrive",
    "attack": "attack", "avoid": "sighted",
}  # fmt: skip
BREAKS = "$|then|when|'and'|'but'"
ENDS = ("arrive", "dead", "ticks")  # kinds of events with nothing after their verb
KILLS = ("kill", "destroy", "eliminat", "beat", "defeat", "clear", "finish")


class Events(Places):
    """Reads events."""

    def event(self) -> Event | None:
        """Read what is waited for."""
        start = self.at
        self.skip("'more'|'than'|'at'|'least'|'for'|'about'|'some'|'another'|'the'|'next'|'that'|'there'|light*")
        self.skip("'last' 'of'")
        fewer = any(self.ahead("fewer", ahead) for ahead in range(self.to_stop()))
        found = None if fewer else self._ticks_passed() or self._losses_or_deeds()
        if found is None:
            self.at = start
        return None if found and self._joined() else found

    def to_stop(self) -> int:
        """Return how many items come before the next stop, up to ten."""
        return next((ahead for ahead in range(10) if self.ahead("$", ahead)), 10)

    def _ticks_passed(self) -> Event | None:
        """Read a time: `50 ticks are over`."""
        start, count = self.at, self.count()
        if count is None or not self.skip("event:ticks"):
            self.at = start
            return None
        self.skip("light? 'over'|'up'|'gone'|'past'|'have_passed'")
        return Event("ticks", count)

    def _losses_or_deeds(self) -> Event | None:
        """Read how many of whom it happens to, and what happens."""
        share = self.share()
        count = (0 if share else self.count()) or 0
        self.skip("'of'")
        if self.skip("event:losses"):  # `30% losses`, `losses of half`
            self.skip("'of'")
            share = share or self.share()
            return Event("losses", count or (0 if share else self.count() or 0), share)
        ours = self.skip("'ours'|'us'|'our_own'")
        units = self._concerned()
        some = units == (Who("all"),) or (not units and (share or count))
        if some and self.ahead("to 'the'? dir") and (where := self.place()):
            units = (self.with_numbers(Who("all", where=where)),)  # `when the 20 in the west are dead`
        who = units[0] if units else Who()
        if not (share or count):
            share, count = who.share, who.count or 0
        found = self._happens(Event("", count, share))
        return self._meant(found, units, ours) if found else None

    def _concerned(self) -> tuple[Who, ...]:
        """Read to whom it happens, or who does it."""
        if self.ahead("'he'|'she' verb|light|event|to"):
            self.at += 1
            return (Who("they", number=-1),)
        those = self.ahead("'those'|'these'")
        units = self.units() if self.ahead("!$") else ()
        if those and units and units[0].names:
            attacked = {name for clause in self.found for each in clause.foe for name in each.names}
            if attacked.issuperset(units[0].names):  # `attack the archers; once those archers are dead`
                units = tuple(replace(each, foe=True) for each in units)
        if not units and self.skip("'those'|'these'"):
            units = (Who("they", number=2),)
        if not units and self.skip("someone|comer"):
            units = self.units() or (Who("all", foe=True),)
        if units and units[0].base == "they" and self.clause.foe and not self.clause.who:
            some = units[0]  # `shoot the archers; once they are dead, come back`
            units = (replace(self.clause.foe[-1], share=some.share, count=some.count),)
        return units

    def _meant(self, event: Event, units: tuple[Who, ...], ours: bool) -> Event | None:
        """Return what is waited for where something happens to some units, or where they do it to `event.who`."""
        kind, amount, share, more, place = event.kind, event.amount, event.share, event.who, event.place
        who = units[0] if units else None
        foe, they = who is not None and who.foe, who is not None and who.base == "they"
        if kind == "dead" and who and who.base == "all" and who.where and not ours:  # `when those in the west are dead`
            foe, units = True, (who := replace(who, foe=True),)
        others = () if who is None or who.base in ("all", "they") else units
        if kind == "comes":
            kind = "arrive" if others and not foe else "sighted"
        if kind == "sighted" and place is not None and who in (None, Who("they")) and not self.clause.foe:
            kind = "arrive"  # `until they come to the bridge`
        if kind in ("sighted", "engaged") or (foe and kind in ("arrive", "attack")):
            certain = foe and bool((who and who.ids) or amount > 1)
            return Event("sighted", 2 if certain else 0, place=place, who=units if kind == "engaged" else others)
        if more and not foe:  # `once you have killed the archers`
            return None if others else Event("dead", who=tuple(replace(each, foe=True) for each in more))
        if kind == "dead" and (ours or (units and not foe and not they)):
            return Event("losses", amount, share or (0.0 if amount or ours else 1.0), others)
        named = any(clause.foe or "attack" in clause.verbs for clause in self.found)
        if kind == "dead" and not (units or share or amount or named):
            return Event("arrive", place=place)  # `once you are done with that`
        if kind == "dead":
            partly = foe and who is not None and not (who.names or who.ids) and (share or amount)
            return Event("enemy losses" if partly else "dead", amount, share, units if foe and not partly else ())
        if kind == "losses":
            return Event("enemy losses" if foe else "losses", amount, share, others)
        return Event("arrive", amount, share, units, place) if kind else None

    def _joined(self) -> bool:
        """Whether something else is waited for besides: `when the archers are there and the enemy is dead`."""
        if self.ahead("'and' 'has'|'have'|'is'|'are'|event"):
            return True
        start = self.at
        joined = (
            self.skip("','? 'and'") and bool(self.units()) and fits(self.item(), "'is'", "'are'", "'has'", "'have'")
        )
        self.at = start
        return joined

    # ---- what happens

    def _happens(self, said: Event) -> Event | None:
        """Read what happens to so many units: its kind, its place, and as `who`, to whom they do it."""
        kind = self._kind()
        if kind is None:
            return None
        return self._followed(replace(said, kind=kind)) if kind else self._reached(said)

    def _kind(self) -> str | None:
        """Read up to what says the kind of an event; empty if nothing does, None if no plan can wait for it."""
        while not self.ahead(BREAKS):
            item = self.item()
            if self.ahead("event:unclear") or self.ahead("number? event:ticks"):
                return None
            if item.get("event", "verb"):
                self.at += 1
                if fits(item, "'come'", "'comes'", "'came'") and self.ahead("area:start|move|to:to"):
                    return "comes"  # `once they have come home`
                if item.word.startswith("meet") and fits(item, "verb:attack"):
                    return "engaged"
                return str(item.get("event") or DONE.get(str(item.get("verb")), "")) or None
            if not self._fills():
                return None if item.get("not") else ""
        return ""

    def _fills(self) -> bool:
        """Step over a word that tells nothing."""
        fills = self.ahead("light|'all'|'both'|'them'|'with'|'near'|'been'|noise") or not self.item().means
        self.at += int(fills)
        return bool(fills)

    def _kills(self) -> bool:
        """Whether the last word says what units do to others, and not what is done to them."""
        word = self.item(-1)
        passive = fits(self.item(-2), "'is'", "'are'", "'been'", "'be'")
        return bool(word.get("event")) and word.word.startswith(KILLS) and not passive

    def _followed(self, said: Event) -> Event | None:
        """Read what follows the kind of an event: how many, where, or whom."""
        kills = self._kills()
        for _ in range(LONGEST):
            item, ends = self.item(), ("losses", "dead") if said.share or said.amount else ENDS
            if self.ahead(f"{BREAKS}|verb") or (self.item(-1).word.startswith("meet") and self.ahead("pronoun")):
                break
            if self.ahead("event:unclear") or self.ahead("number? event:ticks"):
                return None
            if item.get("event") and not item.get("to"):
                self.at += 1
                kills = self._kills()
            elif said.kind == "dead" and self.skip("'to'/ share") and (share := self.share()):
                said = replace(said, share=1 - share)  # `when they are down to a third`
            elif share := self.share():
                said = replace(said, share=share)
                self.skip("'of'")
            elif said.kind == "arrive" and self._reaches() and (of := self.units()):
                return replace(said, place=Place("units", of=of))
            elif place := (self.skip("area:start|move/ to:to") and self.place()) or self.place():  # `home to A`
                return replace(said, place=place)
            elif said.kind in ends and item.word != "of" and not kills:
                break
            elif of := self.units():
                lost = Event("losses", of[0].count or 0, of[0].share)
                return (
                    lost if said.kind == "losses" else replace(said, who=of if said.kind in ("attack", "dead") else ())
                )
            elif not self._fills():
                return None if item.get("not") else said
        return said

    def _reaches(self) -> bool:
        """Whether the last word may have those whom units come to after it: `once they meet the cavalry`."""
        arrives = fits(self.item(-1), "verb:hold") or self.item(-1).word.startswith("arriv")
        return fits(self.item(-1), "verb") and not arrives

    def _reached(self, said: Event) -> Event | None:
        """Read a place that is reached, or held: `until at the bridge`, `until the south-east is ours`."""
        if self.skip("'in'|'up'|'there'|move/ $|'and'"):
            return replace(said, kind="arrive")
        toward = self.ahead("to|offset")
        place = self.place() if self.ahead("to|offset|dir|area|name|feature") else None
        if place and self.skip("'is'|'are' 'ours'|'clear'|'taken'|'safe'|'free'|'secured'|'cleared'|'secure'"):
            return Event("dead", who=(Who("all", where=place),))
        return replace(said, kind="arrive", place=place) if place and toward else None
