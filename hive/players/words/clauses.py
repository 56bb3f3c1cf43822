"""Phrases to clauses: frames with slots for who, what, where, how and when, filled in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from hive.players.words.lexicon import Edge, Token
from hive.players.words.meaning import Act, Amount, Before, Event, Manner, Place, Squads, When, Who, standing

CONDITIONS = ("when", "onc", "if", "until", "till", "unless", "after", "befor", "wheneve", "as long as")
ORDINALS = {"first": 1, "second": 2}
NEGATIVE = {"not", "no", "nobody", "without", "never", "no one", "ignor", "nothing"}
DETERMINERS = ("the", "our", "my", "all", "these", "thos", "those", "some", "every", "your")
ASKS = tuple(
    [
        "how",
        "wher",
        "what",
        "who",
        "which",
        "is",
        "are",
        "do",
        "doe",
        "did",
        "when",
        "why",
        "ha",
        "hav",
        "am",
        "was",
        "wer",
    ]
)
TAKES_FOES = ("attack", "avoid", "flank")
TAKES_OWN = ("follow", "hold", "gather", "hide")


@dataclass
class Clause:
    """One frame.

    Attributes:
        link: How it follows the one before: `then`, `and`, `stop`, `while`, `before`, `otherwise`; empty: the first.
        who: Whom it tells; None where it is not said.
        acts: What they do.
        foes: Enemies that it names.
        own: Units of one's own side that others follow or protect.
        places: Places, in order.
        manner: How they act.
        start: What is waited for before.
        end: What ends it.
        squads: A split.
        unread: Words without a meaning, each with the slot that they may have had: `where`, `who`, `when`, `what`.
        first: Number of its first token.
        last: Number of the token after its last one.
        asks: Whether it is a question about the game.
    """

    link: str = ""
    who: Who | None = None
    acts: list[Act] = field(default_factory=list)
    foes: list[Who] = field(default_factory=list)
    own: list[Who] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    manner: list[Manner] = field(default_factory=list)
    start: list[Event] = field(default_factory=list)
    end: Event | None = None
    before: Event | None = None
    later: Act | None = None  # what is done only afterwards
    squads: Squads | None = None
    unread: list[tuple[str, str]] = field(default_factory=list)
    first: int = 0
    last: int = 0
    final: bool = False
    words: frozenset[str] = frozenset()

    @property
    def bare(self) -> bool:
        """Whether it says only how units act, or what they are not to do."""
        how = self.manner or any(act.denied for act in self.acts)
        known = {"hold", "stay", "go", "attack", "gather"} if self.manner else set()
        peace = any(each.how == "peace" for each in self.manner) and all(
            each.base in ("all", "they", "comer") for each in self.foes
        )
        return (
            bool(how)
            and not (set(self.verbs) - (known - {"attack"} if self.who is None else known))
            and not (self.places or (self.foes and not peace) or self.own or self.start or self.end or self.squads)
            and (self.who is not None or not self.verbs)
        )

    @property
    def verbs(self) -> list[str]:
        """The verbs that are not denied."""
        return [act.verb for act in self.acts if not act.denied]

    @property
    def empty(self) -> bool:
        """Whether nothing is in it but perhaps a condition."""
        return not (
            self.unread or self.who or self.acts or self.foes or self.places or self.manner or self.squads or self.own
        )


class Reader:
    """Collects the phrases of an order into clauses."""

    def __init__(self, tokens: Sequence[Token], phrases: Sequence[Edge]) -> None:
        """Read all of them."""
        self.tokens, self.phrases = tokens, phrases
        self.clauses: list[Clause] = []
        self.now = Clause()
        self.comma = self.after_with = self.split = False
        self.why = self.sure = False  # whether words are passed over up to the next comma, or stop
        for number, phrase in enumerate(phrases):
            self._phrase(number, phrase)
        self.close("stop")

    def close(self, link: str) -> Clause:
        """End the present clause and begin the next one."""
        if not self.now.empty or self.now.unread or (link == "stop" and (self.now.start or self.now.end)):
            self.clauses.append(self.now)
            self.now = Clause(link, first=self.now.last, last=self.now.last)
        else:
            self.now.first = self.now.last
            if self.clauses and (link == "then" or self.now.link != "then"):
                self.now.link = link
        self.comma = False
        return self.now

    def later(self, number: int) -> list[str]:
        """Return the kinds of the phrases after one up to the end of its sentence, or the next `then`."""
        found = []
        for phrase in self.phrases[number + 1 :]:
            if (phrase.kind == "Stop" and phrase.value[0] in ".;!?\n") or phrase.kind == "Link":
                break
            found.append("," if phrase.kind == "Stop" else phrase.kind)
        return found

    def _phrase(self, number: int, phrase: Edge) -> None:
        kind, value = phrase.kind, phrase.value
        word = self.tokens[phrase.stop - 1].stem
        if kind == "Stop":
            if value[0] in ".;!?\n" or (value[0] == "," and not self.sure):
                self.why = self.sure = False
            if value[0] == "?":
                self._asked(phrase.start)
            if value[0] in ".;!?\n" or (value[0] == ":" and self.now.acts):
                self.close("stop")
            elif value[0] in ",:-&+":
                self.comma = True
            return
        if self.why and kind != "Link":
            text, slot = self.now.unread.pop() if self.now.unread else ("", "why")
            self.now.unread.append((f"{text} {self.text(phrase)}".strip(), slot))
            self.now.last = phrase.stop
            return
        if kind in ("Skip", "Noise"):
            self.comma |= word in ("and", "but")
            self.after_with = word == "with" or word == "use"
            return
        with_, self.after_with = self.after_with, False
        if kind == "reason":
            self.why = True
            self.now.unread.append((self.text(phrase), "why"))
        elif (
            kind == "Link"
            and value in ORDINALS
            and self.split
            and self.later(number)[:1] in (["Place"], ["Act"], ["Spot"])
        ):
            self._who(number, Who("squad", number=ORDINALS[value]), False)
        elif kind == "Link":
            self.why = self.sure = False
            if value == "first":
                self.comma = True
            elif value == "before":
                self.close("before")
            elif value == "while":
                self.close("while")
            elif value == "then" and not (self.now.empty and not self.now.start):
                self.close("then")
            elif self.clauses:
                self.now.link = "then" if value in ("then", "second") else value
        elif kind == "When":
            self._when(number, value)
        elif kind == "Who":
            self._who(number, value, with_)
        elif kind == "Act":
            self._act(number, value)
        elif kind in ("Place", "Spot"):
            self._place(number, value)
        elif kind == "Manner":
            if self.comma and self.now.who is not None and self.now.acts and self.later(number)[:1] == ["Act"]:
                self.close("and")
            self.now.manner.append(value)
        elif kind == "Squads":
            self.now.squads, self.split = value, True
        elif kind == "Unread":
            if word in CONDITIONS:
                self._condition(number, phrase)
            else:
                self._unread(number, phrase)
        elif kind == "Dist" and self.now.verbs[-1:] in (["retreat"], ["go"]) and not self.now.places:
            self.now.places.append(Place("way", "back" if self.now.verbs[-1] == "retreat" else "forward", metres=value))
        elif kind in ("Amount", "Dist"):
            self.now.unread.append((self.text(phrase), "number" if kind == "Amount" else "far"))
        self.now.last = phrase.stop
        if kind not in ("Link", "When"):
            self.comma = False

    def _asked(self, stop: int) -> None:
        """Drop the clauses of a sentence that is a question about the game."""
        start = max((at + 1 for at in range(stop) if self.tokens[at].stem in (*".;!?", "\n")), default=0)
        if self.tokens[start].stem in ASKS and start < stop:
            self.clauses = [clause for clause in self.clauses if clause.first < start]
            self.now = Clause("stop" if self.clauses else "", first=start, last=stop)
            self.now.unread.append((" ".join(token.text for token in self.tokens[start:stop]), "ask"))

    def text(self, phrase: Edge) -> str:
        """Return the words of a phrase as they were written."""
        return " ".join(token.text for token in self.tokens[phrase.start : phrase.stop])

    def _condition(self, number: int, phrase: Edge) -> None:
        """Leave out a condition that was not read, up to the next comma: what waits for it is left out as well."""
        if (
            not self.now.empty
            and (self.comma or "," in self.later(number))
            and self.tokens[phrase.start].stem != "until"
        ):
            self.close("and")
        self.why = True
        self.now.unread.append((self.text(phrase), "when"))

    def _when(self, number: int, when: When | Before) -> None:
        later = self.later(number)
        now = self.now
        if isinstance(when, Before):
            now.later = when.act
            return
        opens = (
            self.comma
            and "," in later
            and any(each in ("Act", "Who", "Place", "Spot") for each in later[later.index(",") :])
        )
        if opens and not now.empty and (now.acts or now.who or now.foes):
            now = self.close("and")
        if when.kind == "until":
            if (now.empty and "," in later) or (now.empty and later):
                now.start.append(when.event)  # `until they come, hold`: see Planner
                now.start[-1:] = []
                now.end = when.event
            else:
                now.end = when.event
        elif when.kind == "before":
            now.before = when.event
        elif when.kind in ("when", "while"):
            now.start.append(when.event)
        else:
            now.unread.append(("a condition", "when"))

    def _who(self, number: int, who: Who, with_: bool) -> None:
        now, last = self.now, self.now.acts[-1] if self.now.acts else None
        verb = last.verb if last else ""
        nexts = self.later(number)
        if (
            who == Who("rest")
            and now.empty
            and self.tokens[self.phrases[number].start].stem == "rest"
            and "Act" not in nexts
        ):
            now.acts.append(Act("stay"))  # `rest there for 30 ticks`
            return
        if (
            who.base == "union"
            and last
            and not with_
            and nexts[:1] == ["Act"]
            and (verb in (*TAKES_FOES, *TAKES_OWN) or now.who)
        ):
            *mine, other = who.of  # `kill the riders, archers shoot`
            self._who(number, mine[0] if len(mine) == 1 else Who("union", who.side, of=tuple(mine)), False)
            self._subject(other)
            return
        if (
            (who.side == "foe" and verb in (*TAKES_FOES, "go", "follow", "match"))
            or who.base == "comer"
            or (who.side == "foe" and not last)
        ):
            now.foes.append(who)
            return
        if verb in TAKES_FOES and who.side != "own" and not with_ and not (self.comma and nexts[:1] == ["Act"]):
            everyone = who.base == "all" and now.who is None and not now.foes
            if not everyone and not (who.base == "rest" and now.foes and nexts):
                if now.foes and self.comma and nexts and nexts[0] != ",":
                    return self._subject(who)
                return now.foes.append(who)
        if now.squads is not None and now.squads.count < 0 and who.base == "squad":
            self.close("and")
            self.now.who = who
            return
        if now.who is not None and now.who.base == "squad" and not (now.acts or now.places) and who.base != "squad":
            now.squads = Squads(-1, who)  # `first group the archers`: its name
            return
        if (
            with_
            and any(place.every for place in now.places)
            and (now.who is None or now.who.base == "all")
            and who.base != "part"
        ):
            now.unread.append(("with", "mix"))  # of each part
            return
        if verb in TAKES_FOES and who.side == "own" and not with_ and not self.comma and nexts[:1] != ["Act"]:
            now.foes.append(who)  # nobody attacks these
            return
        if with_ and now.who is None:
            now.who = who
            return
        if with_ and verb not in TAKES_OWN and not now.places:
            assert now.who is not None
            now.who = Who("union", "own", of=(now.who, who))
            return
        if verb in ("hold", "gather") and who.base == "they" and not self.comma:  # `hold them`: the places
            now.places += [] if now.places else [Place("there", role="at")]
            return
        if verb in TAKES_OWN and not self.comma and (now.who is not None or verb == "follow") and who.base != "rest":
            now.own.append(who)
            return
        if now.who is None and not (
            self.comma and (now.acts or now.foes) and (now.places or now.foes or verb in ("stay", "stand", "retreat"))
        ):
            now.who = who
            return
        self._subject(who)

    def _subject(self, who: Who) -> None:
        """Begin a clause for other units, at the same time as the one before; or say more about who is told."""
        now = self.now
        if now.who is not None and not (now.acts or now.places or now.foes or now.squads or now.manner or now.start):
            if who.base == "part" and who.of[0].base == "some":  # `archers: 10 to the bridge`
                now.who = replace(who, of=(now.who,))
                return
            now.who = who if who.base == "ids" else Who("union", who.side, of=(now.who, who))
            return
        self.close("and")
        self.now.who = who

    def _act(self, number: int, act: Act) -> None:
        now = self.now
        if act.verb == "think":  # what is to be found out is known
            if now.acts or now.places or now.foes:
                now = self.close("and")
            self.why = self.sure = True
            now.unread.append((self.text(self.phrases[number]), "think"))
            return
        before = self.phrases[number - 1] if number else None
        if before is not None and before.kind == "Manner" and self.tokens[self.phrases[number].start].stem == "to":
            return  # `no stopping to fight`
        if act.nobody and (now.who is not None or now.acts or now.places):
            now = self.close("and")
        now.who = Who("all", "own") if act.nobody else now.who
        if (
            now.acts
            and (self.comma or (now.places and act.verb != "spread"))
            and not (act.verb == now.acts[-1].verb and not now.places)
        ):
            to = self.tokens[self.phrases[number].start].stem == "to"
            if not to or self.comma:
                now = self.close("and")
        elif (
            not now.acts
            and now.who is not None
            and now.places
            and not self.comma
            and not act.denied
            and now.who.base not in ("they",)
        ):
            place = now.places[-1]
            direct = (
                number > 1
                and self.phrases[number - 1].kind in ("Place", "Spot")
                and self.phrases[number - 2].kind == "Who"
            )
            if place.role in ("at", "from") and len(now.places) == 1 and direct:
                now.who = Who("at", now.who.side, of=(now.who,), where=place, pick="perhaps")
                now.places = []
        if now.acts and now.acts[-1].denied and self.tokens[self.phrases[number].start].stem == "to":
            act = Act(act.verb, act.deed, True)  # `nobody stops to fight`
        now.acts.append(act)

    def _place(self, number: int, place: Place) -> None:
        now = self.now
        last = now.acts[-1].verb if now.acts else ""
        inner = place.of[0] if place.kind == "beside" else None
        if place.kind == "who" and place.role == "out" and place.of[0].side == "foe" and not set(now.verbs) - {"hold"}:
            now.manner.append(Manner("distance"))  # `archers well away from the enemy`
            return
        if place.kind == "who" and place.role == "by" and place.of[0].side != "foe" and now.who is None:
            now.who = place.of[0]
            return
        if isinstance(inner, Who) and inner.base == "union" and now.who is None and self.later(number)[:1] == ["Act"]:
            *mine, other = inner.of  # `behind the spearmen, archers wait`
            place = replace(place, of=(mine[0] if len(mine) == 1 else replace(inner, of=tuple(mine)),))
            now.places.append(place)
            now.who = other
        elif (
            place.kind == "beside"
            and place.value == "behind"
            and isinstance(place.of[0], Who)
            and now.who is None
            and now.places
        ):
            now.who = place.of[0]  # `every bridge is held by ...`
            now.acts.append(Act("hold"))
        elif (
            last in ("attack", "avoid")
            and now.foes
            and now.foes[-1].base not in ("they", "comer")
            and place.role in ("at", "")
            and place.kind != "way"
            and not self.comma
        ):
            now.foes[-1] = standing(now.foes[-1], place) or now.foes[-1]
        elif (
            place.kind == "who"
            and place.of[0].side == "foe"
            and place.role in ("to", "at")
            and last not in ("hold", "stay", "retreat")
        ):
            who = place.of[0]
            if not now.acts:
                now.acts.append(Act("attack"))
            if who.base == "union" and self.later(number)[:1] in (["Place"], ["Act"], ["Spot"]):
                *mine, other = who.of  # `riders at their archers, archers at their spearmen`
                now.foes += [replace(each, side="foe") for each in mine]
                self._subject(replace(other, side=""))
            else:
                now.foes.append(who)
        else:
            now.places.append(place)

    def _unread(self, number: int, phrase: Edge) -> None:
        before = self.phrases[number - 1] if number else None
        word = self.tokens[before.stop - 1].stem if before is not None else ""
        text, now = self.text(phrase), self.now
        kinds = self.later(number)
        slot = ""
        if (
            before is not None
            and before.kind in ("Skip", "Noise", "Unread")
            and self._after(
                number, ("to", "at", "in", "into", "toward", "on", "behind", "through", "over", "from", "by", "near")
            )
        ):
            slot = "where"
        elif word in ("when", "once", "if", "until", "till", "unless", "after", "befor"):
            slot = "when"
        elif (
            now.who is None
            and not now.acts
            and "Act" in kinds[:2]
            and (before is None or before.kind in ("Stop", "Skip", "Noise", "Unread"))
        ):
            slot = "who"
        elif self.comma and kinds[:1] == ["Act"] and not now.empty:
            now, slot = self.close("and"), "who"
        elif (now.acts and now.acts[-1].verb == "attack" and not now.foes and not now.places) or (
            now.acts
            and now.who is None
            and not now.places
            and not text.endswith("ly")
            and before is not None
            and word in DETERMINERS
        ):
            slot = "who"
        elif not now.acts and now.who is not None and not now.places and now.who.base not in ("all", "they"):
            slot = "what"
        now.unread.append((text, slot))

    def _after(self, number: int, words: Sequence[str]) -> bool:
        """Whether a word stands after one of some words, with nothing but words without a meaning between."""
        for phrase in self.phrases[number - 1 :: -1] if number else ():
            if phrase.kind not in ("Skip", "Noise", "Unread"):
                return False
            if self.tokens[phrase.stop - 1].stem in words:
                return True
        return False


def clauses(tokens: Sequence[Token], phrases: Sequence[Edge]) -> list[Clause]:
    """Return the clauses of an order; those that name only units, or only a place, do what the one before does."""
    found = Reader(tokens, phrases).clauses
    for clause in found:  # `the enemy does not interest us`; other statements about enemies order nothing
        if clause.foes and not clause.acts and not clause.who and not clause.places:
            words = {token.stem for token in tokens[clause.first : clause.last]}
            if not words & NEGATIVE and clause.link != "then" and all(each.side == "foe" for each in clause.foes):
                clause.unread.append(("what is said of the enemy", "why"))
                clause.foes = []
            elif words & NEGATIVE and not any(each.names for each in clause.foes):
                clause.manner, clause.foes = [*clause.manner, Manner("peace")], []
    for number in range(1, len(found)):  # `attack; before that, go to the bridge`
        if found[number].link == "before":
            found[number - 1 : number + 1] = [found[number], found[number - 1]]
            found[number - 1].link, found[number].link = found[number].link, "then"
            found[number].who, found[number - 1].who = (
                found[number].who or found[number - 1].who,
                found[number - 1].who or found[number].who,
            )
    for number in range(len(found) - 1, -1, -1):  # `before you attack, go to the bridge`
        if (act := found[number].later) is not None:
            found.insert(number + 1, Clause("then", acts=[act], first=found[number].last, last=found[number].last))
    for number, clause in enumerate(found):
        clause.final = not any(each.acts or each.places for each in found[number + 1 :])
        clause.words = frozenset(token.stem for token in tokens[clause.first : clause.last])
    for one, other in pairwise(found):
        bare = not (other.acts or other.manner or other.squads)
        if (
            bare
            and other.who is None
            and other.places
            and one.acts
            and other.link in ("then", "stop")
            and not other.foes
        ):
            other.acts = [
                act for act in one.acts if not act.denied and act.verb in ("go", "hold", "retreat", "hide", "attack")
            ][-1:]
        if bare and other.who is not None and one.acts and other.link in ("and", "then", "stop"):
            last = [act for act in one.acts if not act.denied][-1:]
            if last and last[0].verb == "attack" and not other.places and not other.foes and other.who.side != "own":
                other.foes, other.who = [other.who], None
                other.acts = list(last)
            elif other.places or other.foes or other.own:
                other.acts = [act for act in last if act.verb not in ("think", "cannot")]
    return found


__all__ = ["Amount", "Clause", "clauses"]
