"""Numbers of an order: how many, which part, how far."""

from __future__ import annotations

from dsl.wording import is_whole
from hive.players.words.cursor import Cursor, fits

SHARES = {
    "half": 1 / 2, "third": 1 / 3, "two_thirds": 2 / 3, "quarter": 1 / 4, "three_quarters": 3 / 4, "most": 3 / 4,
    "some": 1 / 3, "few": 1 / 10, "tenth": 1 / 10, "sixth": 1 / 6, "eighth": 1 / 8, "fifth": 1 / 5,
}  # fmt: skip


class Numbers(Cursor):
    """Reads numbers; like all readers of phrases, it leaves the items as they are if none comes."""

    def count(self) -> int | None:
        """Read a whole number in digits or words, such as `two hundred and fifty`."""
        start, total, part = self.at, 0, 0
        while isinstance(number := self.item().get("number"), int) and self.item().word != "ones":
            digits = is_whole(self.item().text[:1])
            fits_on = part % 100 == 0 or (part % 10 == 0 and number < 10)
            if self.at > start and (digits or (number < 100 and not fits_on)):
                break
            if number == 1000:
                total, part = total + max(1, part) * 1000, 0
            else:
                part = max(1, part) * 100 if number == 100 and not digits else part + number
            self.at += 1
            if part >= 100 and self.ahead("'and' number"):
                self.at += 1
        return total + part if self.at > start else None

    def share(self) -> float:
        """Read a part of some units: `30%`, `half`, `a ninth of`, `thirty percent`; 0 if none comes."""
        start = self.at
        self.skip("'a'|'an'|'the'|'about'|'some'|'roughly'|'equal'|'another'*")
        item, found = self.item(), 0.0
        if isinstance(percent := item.get("percent"), int):
            found = percent / 100
        elif (
            fits(item, "share")
            and not fits(item, "area", "share:some", "share:few")
            and not self.ahead("share:most dir")
        ):
            found = SHARES[str(item.get("share"))]
        elif isinstance(ordinal := item.get("ordinal"), int) and ordinal > 2 and self.ahead("ordinal 'of'"):
            found = 1 / ordinal
        elif self.ahead("number 'out_of' number") or self.ahead("number 'in' number 'of'|type|class|all|own"):
            part, _, whole = self.count() or 0, self.skip("'in'|'out_of'"), self.count() or 1
            found, self.at = min(1.0, part / whole), self.at - 1  # `one in four of the archers`
        self.at = self.at + 1 if found else start
        return found

    def distance(self) -> int | None:
        """Read metres."""
        start = self.at
        self.skip("approx*")
        metres = self.item().get("metres")
        found = metres if isinstance(metres, int) else self.count()
        if found and (isinstance(metres, int) or fits(self.item(), "metres")):
            self.at += 1
            return found
        if found is None and self.skip("'few'|'couple_of'|'a_few'|'a_couple_of' metres"):
            return 5
        self.at = start
        return None
