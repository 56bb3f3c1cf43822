"""An order in English to a plan or a question: `interpret`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

import dsl
from dsl.wording import listing
from hive.kit.facts import Facts, Ids, Running
from hive.players.words.clauses import OF_FOES, Clause, Clauses, gist, rivals
from hive.players.words.describing import described
from hive.players.words.lexicon import read
from hive.players.words.phrases import Units
from hive.players.words.running import adjusted, remains
from hive.players.words.scene import Scene, Unclear
from hive.players.words.writing import Writer

MEANT = "Is this what you mean?"
"""Begins the question that reads an answer back."""
AS_WHOLE = "This is the order as a whole: how its parts go together is not clear."
LONGEST, MOST = 1_500, 150  # characters of an order; words and numbers


@dataclass(frozen=True)
class Reading:
    """How an order was read.

    Attributes:
        plan: Text of a plan without errors; None for a question.
        question: What is asked back; empty with a plan.
        lines: For each clause, how it was understood.
        unknown: Words that were not understood.
        draft: Text of the plan that would be written without what is asked about; None where there is none.
    """

    plan: str | None
    question: str
    lines: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    draft: str | None = None

    @property
    def decided(self) -> Reading:
        """The reading where nobody answers a question: its draft is the plan, and the question one of its lines."""
        if self.draft is None:
            return self
        asked = self.question.split("\n")[0]
        return Reading(self.draft, "", (*self.lines, f"Carried out without an answer: {asked}"), self.unknown)

    @property
    def text(self) -> str:
        """The answer as a commander gives it: a plan between its markers, or a question."""
        return "\n".join([*self.lines, *([""] if self.lines else []), self.plan or self.question])


def interpret(order: str, facts: Facts, running: Running | None = None) -> Reading:
    """Read an order and write a plan, or ask a question.

    It is a pure function: the same order in the same game has the same reading. A plan comes of an order of which every
    word has a place; if some have none, what was read is a draft, and the question names them.

    Args:
        order: What a player wrote, in English.
        facts: What is known of the game.
        running: The plan that is followed now: all units that the order does not name go on with it.

    Returns:
        A reading, whose plan has no errors in `facts.context`.
    """
    scene = Scene(facts)
    if problem := _unreadable(order):
        return Reading(None, f"{problem}\n{scene.examples()}")
    items = read(order, scene.names(), "".join(letter for letter, _ in facts.context.markers or ()))
    found = Clauses(items).read()
    reading = _Answer(found, scene, running).reading()
    told = tuple(f"`{item.text}` is read as `{item.read_as}`" for item in items if item.read_as)
    whole = gist(items) if reading.plan is None and running is None else None
    if whole is not None and (draft := _Answer([whole], Scene(facts), None).reading()).plan:
        reading = replace(reading, lines=(*draft.lines, AS_WHOLE), draft=draft.plan)
    return replace(reading, lines=(*told, *reading.lines))


class _Answer:
    """What comes of clauses: the stages of a plan, lines that say how they were understood, and questions."""

    def __init__(self, found: list[Clause], scene: Scene, running: Running | None) -> None:
        self.found, self.scene, self.running = found, scene, running
        self.writer, self.whole = Writer(scene), len(scene.facts.own.types)
        self.kept = remains(running, set(), self.whole) if running else []  # steps of the plan that is followed now
        self.done, self.lines, self.questions = list[tuple[Clause, list[int], Ids]](), list[str](), list[str]()

    def reading(self) -> Reading:
        """Carry out the clauses, and return the reading."""
        found, scene, writer, lines = self.found, self.scene, self.writer, self.lines
        lost = tuple(dict.fromkeys(word for clause in found for word in clause.lost))
        pairs = [f"{one.text} {other.text}" for one, other in pairwise(found) if rivals(one, other)]
        asks = [f"`{each}` asks for two things that exclude each other: which of them?" for each in pairs]
        _throughout(found)
        for clause in found:
            try:
                self._carry_out(clause)
            except Unclear as unclear:
                self.questions.append(str(unclear))
        steps = writer.plan(max((step.id for step in self.running.plan.steps), default=-1) + 1 if self.running else 0)
        lines += [f"`{clause.text}`: {described(writer, own, ids)}" for clause, own, ids in self.done if own]
        if left := [each for clause in found for each in clause.left]:
            lines.append(f"Left out: {listing(dict.fromkeys(left), 'and')}.")
        place = [f"I found no place for {listing(lost, 'and')}."] if lost else []
        questions = dict.fromkeys([*place, *asks, *self.questions])
        named = set[int]().union(*(stage.units() for stage in writer.stages))
        if self.running is not None:
            kept = remains(Running(dsl.PlanSyntax(tuple(self.kept))), named, self.whole)
            steps = (*kept, *steps) if steps or lines else ()
        elif steps and len(idle := np.setdiff1d(writer.everyone, [*named])):
            lines.append(f"No order for {scene.who(idle)}: they stand.")
        if not steps:
            asked = [*(questions or ["I found no order in this."]), scene.examples()]
            return Reading(None, "\n".join(asked), tuple(lines), lost)
        text = dsl.format_plan(dsl.PlanSyntax(steps))
        question = "\n".join([f"{MEANT} {' '.join(questions)}", scene.examples()]) if questions else ""
        return Reading(None if question else text, question, tuple(lines), lost, text if question else None)

    def _carry_out(self, clause: Clause) -> None:
        """Carry out a clause, or ask about it.

        Raises:
            Unclear: It cannot be carried out.
        """
        who, waits = clause.who, clause.when or clause.until
        rest = who and who[0].base in ("rest", "others") and clause.verb == "stay" and not clause.full
        idle = clause.verb == "go" and not (clause.full or clause.squads or clause.when)
        later = self.found[self.found.index(clause) + 1 :]
        again = later and later[0].who[:1] in ((), (Units("they"),))
        others = [*clause.own, *(each for place in clause.places for each in place.of if isinstance(each, Units))]
        if any(each.who and each.who[0] in others and each.link != "then" for each in later):
            raise Unclear(f"`{clause.text}`: say first where those go beside whom they are to be.")
        if self.running is not None and (clause.verb == "resume" or rest):
            self.lines.append(f"`{clause.text}`: they go on as before")
        elif idle and not (who or clause.manner) and len(self.found) > 1:
            pass  # `go!`
        elif idle and who and again:
            self.scene.name(who, self.scene.units(who))  # `take 20 archers and bring them to A`
        elif clause.acts:
            self.done.append((clause, *self.writer.carry_out(clause)))
        elif clause.manner and who and not waits and self.running is not None:
            self.kept = adjusted(self.kept, self.scene.units(who), self.whole, self._behaviours(clause))
            self.lines.append(f"`{clause.text}`: {listing(phrases=sorted(clause.manner), joint='and')}, as they go on")
        elif clause.manner and who and not waits:  # `archers keep their distance`
            self.done.append((clause, *self.writer.carry_out(replace(clause, verb="stay"))))
        elif who or waits:
            self.questions.append(f"`{clause.text}`: what are they to do?")

    def _behaviours(self, clause: Clause) -> Callable[[Ids, dsl.Group], Sequence[tuple[Ids, str]]]:
        """Return a function that gives some units of a group the behaviours of a clause."""
        squads = self.writer.squads
        return lambda ids, group: [(each.ids, each.behaviour) for each in squads(ids, group.target, clause, "go")]


def _throughout(found: list[Clause]) -> None:
    """Let what was said once of how units act hold for all that they do: `go to A. Do not fight`."""
    alike = list[list[Clause]]()  # clauses of one sentence about the same units
    for clause in found:
        stays = clause.verb == "stay" and "cover" in clause.manner
        acts = clause.places or clause.foe or clause.squads or clause.until
        bare = (stays or clause.verb in ("", "go", "resume")) and not acts
        if clause.manner and bare and (not clause.who or clause.who[0].whole):
            for each in found:
                each.manner |= clause.manner & {"peace", "cover", "distance", "leash", "in_turn"}
            clause.who, clause.when, clause.verb = (), None, ""
        if clause.link == "stop" or clause.who or not alike:
            alike.append([])
        alike[-1].append(clause)
    for said in alike:  # `to A, then to B, no fighting`
        fights = any(each.verb in OF_FOES or each.when for each in said)
        for each in said if not fights else ():
            each.manner |= said[-1].manner & {"peace", "cover"}


def _unreadable(order: str) -> str:
    """Return why an order cannot be read at all, or nothing."""
    if len(order) > LONGEST:
        return f"This order has {len(order):,} characters; I read up to {LONGEST:,}. Say it in a few sentences."
    if (words := len(re.findall(r"[^\W\d]+|\d+", order))) > MOST:
        return f"This order has {words} words and numbers; I read up to {MOST}. Say it in a few sentences."
    letters = [sign for sign in order if sign.isalpha()]
    if not letters and not re.search(r"\d", order):
        return "There is nothing to read."
    if negative := re.search(r"(?:^|[\s(,=])-\d+", order):
        return f"I cannot read `{negative.group().strip()}`: no number is below 0."
    if sum(sign.isascii() for sign in letters) < 0.8 * len(letters):
        return "I read English in Latin letters only."
    return ""
