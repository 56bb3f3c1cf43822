"""An order in English to a plan or a question: `interpret`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

import dsl
from dsl.wording import listing, unit_words
from hive.kit.facts import Facts, Ids, Running
from hive.players.words.clauses import Clause, Place, Who
from hive.players.words.doubts import MEANT, doubts
from hive.players.words.joined import clauses
from hive.players.words.lexicon import Item, phrases, read, stem
from hive.players.words.lines import described
from hive.players.words.running import regrouped, remains
from hive.players.words.scene import Scene, Unclear
from hive.players.words.stages import ONLY, Stage
from hive.players.words.steps import Steps
from hive.players.words.whole import as_whole

MANNERS = {
    "peace": "do not fight", "cover": "go under cover", "distance": "keep their distance",
    "close": "fight at close range", "leash": "fight what is in reach and do not chase",
    "slow": "slowly: left out, units always move at full speed",
    "weakest": "the weakest first: left out, no behaviour here picks them",
    "strongest": "the strongest first: left out, no behaviour here picks them",
    "in_turn": "one after the other", "shun": "no way round enemies is planned", "still": "stay where they are",
    "fight": "attack what they see",
}  # fmt: skip
WITHOUT_EFFECT = ("slow", "weakest", "strongest")
LASTING = ("peace", "cover", "distance", "close", "leash")
"""How units act in all that they do, where a clause says nothing else."""
NO_NUMBERS = (  # ways to write numbers that are read as others if they are read at all, and what to write
    (r"(?<!\d)(?:^|[\s(,=])-\d+", "no number is below 0."),
    (r"\b\d+\.\d+ (?:archers?|spearmen|cavalry|men|soldiers?|troops)\b", "say how many in whole numbers."),
    (r"\b\d+e\d+\b", "write numbers in digits."),
    (r"\b\d{7,}\b|\b\d{1,3}(?:,000){2,}\b", "the largest number is 999,999."),
    (r"\b(?:units?|ids?) \d+ \d+\b", "write ids with commas, as in `units 1, 2 and 5`."),
    (r"\b\d+(?: \d+){3,}", "write places as (x, y), and ids with commas."),
)
AS_WHOLE = "This is the order as a whole: how its parts go together is not clear."
LONGEST, MOST = 1_500, 150  # characters of an order; words and numbers


@dataclass(frozen=True)
class Reading:
    """How an order was read.

    Attributes:
        plan: Text of a plan without errors; None for a question.
        question: What is asked back; empty with a plan.
        lines: For each phrase, how it was understood.
        unknown: Words that were not understood.
        draft: Text of the plan that would be written without what is asked about; None where there is none.
    """

    plan: str | None
    question: str
    lines: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    draft: str | None = None

    @property
    def doubted(self) -> bool:
        """Whether the question only reads the answer back."""
        return self.question.startswith(MEANT)

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
        heard = [*self.lines, *([f"Not understood: {listing(self.unknown, 'and')}."] if self.unknown else [])]
        return "\n".join([*heard, *([""] if heard else []), self.plan or self.question])


def interpret(order: str, facts: Facts, running: Running | None = None) -> Reading:
    """Read an order and write a plan, or ask a question.

    It is a pure function: the same order in the same game has the same reading.

    Args:
        order: What a player wrote, in English.
        facts: What is known of the game.
        running: The plan that is followed now: all units that the order does not name go on with it.

    Returns:
        A reading, whose plan has no errors in `facts.context`.
    """
    if problem := _unreadable(order):
        return Reading(None, f"{problem}\n{examples(Scene(facts))}")
    items = read(order, _names(facts), _letters(facts))
    found = clauses(items)
    whole = as_whole(found) if running is None else None
    answer = _Answer(items, found, facts, running)
    if not answer.says_something():
        return answer.nothing()
    reading = answer.reading()
    if reading.plan is None and whole is not None and not reading.doubted:
        draft = _Answer(items, [whole], facts, None).reading()
        if draft.plan is not None or draft.doubted:
            return replace(reading, lines=(*draft.lines, AS_WHOLE), draft=draft.plan or draft.draft)
    return reading


def _letters(facts: Facts) -> str:
    """Return the letters of the markers of a map."""
    return "".join(letter for letter, _ in facts.context.markers or ())


def _names(facts: Facts) -> dict[tuple[str, ...], dict[str, object]]:
    """Return the names of the map as stems; `Hunter` alone is the Hunter Bridge, if nothing else begins so."""
    names: dict[tuple[str, ...], dict[str, object]] = {}
    firsts = [each.name.split()[0] for each in facts.features]
    for each in facts.features:
        words = tuple(stem(word) for word in each.name.lower().replace("-", " ").split())
        if len(words) > 1 or words not in phrases():
            names[words] = {"name": each.name}
        if "-" not in firsts[0] and firsts.count(each.name.split()[0]) == 1 and words[:1] not in phrases():
            names.setdefault(words[:1], {"name": each.name})
    return names


class _Answer:
    """What comes of an order: the stages of a plan, how each clause was understood, and what has to be asked."""

    def __init__(self, items: Sequence[Item], found: list[Clause], facts: Facts, running: Running | None) -> None:
        self.facts, self.running, self.scene, self.found = facts, running, Scene(facts), found
        self.unknown = tuple(dict.fromkeys(word for clause in self.found for word in clause.unread))
        self.told = [f"`{item.text}` is read as `{item.read_as}`" for item in items if item.read_as]
        self.told += ["`foot` is read as spearmen"] * any(item.word == "foot" and item.get("type") for item in items)
        self.words = sum(item.get("stop") is None for item in items)
        self.everyone = np.nonzero(facts.own.alive)[0]
        self.questions = list[str]()
        self.lines: dict[int, str] = {}  # how clauses were understood, by number
        self.done: dict[int, tuple[Sequence[int], Ids]] = {}  # stages and units of each clause that was carried out
        self.missing = False  # whether the units that were named last do not exist

    def says_something(self) -> bool:
        """Whether most of an order is understood, and it says something to do."""
        known = len(self.unknown) <= max(2, 0.4 * self.words)
        return known and any(clause.acts or clause.manner for clause in self.found)

    def nothing(self) -> Reading:
        """The reading of what is no order."""
        words = [*self.unknown, *(each for clause in self.found for each in clause.lost)]
        cannot = [each for clause in self.found for each in clause.left]
        problem = f"No unit can do this: {listing(cannot, 'and')}." if cannot else "I found no order in this."
        problem += f" I do not know {listing(dict.fromkeys(words), 'and')}." if words else ""
        return Reading(None, f"{problem}\n{examples(self.scene)}", tuple(self.told), self.unknown)

    def reading(self) -> Reading:
        """Carry out the clauses, and return the reading."""
        scene, found = self.scene, self.found
        if self.running is None and not any(clause.acts for clause in found):  # `archers keep their distance`
            for clause in found:
                clause.verbs += ["stay"] if clause.manner else []
        _throughout(found, _letters(self.facts))
        for one, other in pairwise(found):
            if _rivals(one, other):
                text = f"{one.text} {other.text}"
                self.questions.append(f"`{text}` asks for two things that exclude each other: which of them?")
        manners = self._manners()
        steps = Steps(scene, manners)
        if matched := _matched(found):
            found = self.found = [matched]
        waiting, tried = [number for number in range(len(found)) if not self._aside(number, steps)], list[int]()
        while waiting:  # whoever follows others comes after these
            ready = [number for number in waiting if not self._waits(number, waiting, steps)]
            number, kept = (ready or waiting)[0], steps.context
            late = any(number < each for each in tried)  # carried out after what follows it
            while number in waiting:
                waiting.remove(number)
                tried.append(number)
                self._carry_out(number, steps)
                number += late and self._goes_on(number + 1)
            steps.context = kept if late else steps.context
        steps.restore()
        for number, stage in enumerate(steps.stages):
            if stage.until and not any(number in each.after for each in steps.stages):
                scene.notes.append("Left out: until what some units wait for, since nothing is said of what follows")
        _step_over_standing(steps.stages)
        _settle(self.facts, steps.stages)
        adjusts = self.running is not None and not steps.stages and manners
        return self._written(steps, _adjusted(self.running, steps) if adjusts else write(steps, self.running))  # type: ignore[arg-type]

    def _written(self, steps: Steps, plan: dsl.PlanSyntax) -> Reading:
        """Return the reading with a plan, which is a draft where something has to be asked."""
        scene = self.scene
        for number, (own, ids) in self.done.items():
            text, deeds = self.found[number].text, described(scene, steps.stages, own, ids)
            if not deeds:  # all of them have other orders
                deeds = "what follows says it"
                if not _said_again(steps.stages, own):
                    deeds = "left out, since other orders follow for all of them"
                    self.questions.append(f"`{text}`: other orders follow for all of them. Which of these hold?")
            self.lines[number] = f"`{text}`: {deeds}"
        told = [*self.told, *(self.lines[number] for number in sorted(self.lines))]
        if left := [each for clause in self.found for each in clause.left]:
            told.append(f"Left out: {listing(dict.fromkeys(left), 'and')}.")
        told += [f"{note}." for note in dict.fromkeys(scene.notes)]
        if self.running is not None and not steps.stages and plan.steps == self.running.plan.steps:
            self.questions.append("That changes nothing in the present plan.")
        questions = self.questions or ([] if plan.steps else ["I found no order in this: who is to go where?"])
        question = "\n".join([*dict.fromkeys(questions), examples(scene)]) if questions else ""
        if not plan.steps:
            return Reading(None, question, tuple(told), self.unknown)
        idle = np.setdiff1d(self.everyone, list(set().union(*(stage.units() for stage in steps.stages))))
        if len(idle) and self.running is None:
            told.append(f"No order for {scene.who(idle)}: they stand.")
        text = dsl.format_plan(plan)
        question = question or doubts([self.found[number] for number in sorted(self.done)], "\n".join([*told, text]))
        return Reading(None if question else text, question, tuple(told), self.unknown, text if question else None)

    def _manners(self) -> list[tuple[set[int], set[str]]]:
        """Return how units act in all that they do, from the clauses that say nothing else."""
        manners, found = list[tuple[set[int], set[str]]](), self.found
        one = len({clause.who for clause in found if clause.who and not clause.who[0].whole}) < 2
        fights = any("attack" in clause.verbs or clause.foe for clause in found)
        fights |= any(clause.when and clause.when.kind != "arrive" for clause in found)
        for number, clause in enumerate(found):
            if "emerge" in clause.manner:
                clause.manner = (clause.manner - {"emerge"}) | ({"cover"} if one and not fights else set())
            lasting = {each for each in clause.manner if each in LASTING or each.startswith(ONLY)}
            if clause.manner and (self._leads(clause) or not (clause.acts or clause.when)):
                said = [MANNERS.get(each, each) for each in sorted(clause.manner)]
                self.lines[number] = f"`{clause.text}`: {listing(phrases=said, joint='and')}"
                manners.append((set(self._named(clause).tolist()), lasting))
            elif one and lasting & {"peace", "cover"} and not fights:  # said once, it holds throughout
                manners.append((set(self.everyone.tolist()), lasting & {"peace", "cover"}))
        return manners

    def _named(self, clause: Clause, ask: bool = True) -> Ids:
        """Return the units that a clause names, or everyone; nobody, and a question, where these do not exist."""
        try:
            whole = not clause.who or clause.who[0].whole
            return self.everyone if whole else self.scene.units(clause.who, named=False)
        except Unclear as unclear:
            self.questions += [str(unclear)] if ask else []
            return np.zeros(0, int)

    def _leads(self, clause: Clause) -> bool:
        """Whether a clause only says that units are to move, and others say where to: `move out: to A, then B`."""
        bare = set(clause.verbs) == {"go"} and not (clause.full or clause.when)
        crosses = any(item.word.startswith("cross") for item in clause.items)
        everyone = not clause.who or clause.who[0].whole
        same = [
            each for each in self.found if each.places and (not each.who or each.who[0].whole or each.who == clause.who)
        ]
        return bare and not crosses and bool(same) and (everyone or clause.who == same[0].who)

    def _aside(self, number: int, steps: Steps) -> bool:
        """Ask about what a clause has lost; return whether there is nothing in it to carry out."""
        clause = self.found[number]
        self.questions += [f"`{each}` is not understood" for each in clause.lost]
        if clause.when and not clause.acts:
            self.questions.append(f"`{clause.text}` says nothing to do")
        if clause.acts:
            return False
        told_apart = clause.who and not (clause.who[0].whole or clause.who[0].base == "they")
        if told_apart and not (clause.manner or clause.left):
            self.questions.append(f"`{clause.text}`: what are they to do?")
        return not told_apart

    def _goes_on(self, number: int) -> bool:
        """Whether a clause says what the units of the one before it do next."""
        clause = self.found[number] if number < len(self.found) else Clause(who=(Who("all"),))
        return clause.link == "then" or clause.who[:1] in ((), (Who("they"),))

    def _waits(self, number: int, waiting: Sequence[int], steps: Steps) -> bool:
        """Whether units follow, stand behind, or wait for others whom a clause that still waits sends somewhere."""
        clause = self.found[number]
        if number - 1 in waiting and self._goes_on(number):
            return True
        beside = (who for place in clause.places if place.value in ("behind", "front") for who in place.of)
        others = (*clause.own, *(who for who in beside if isinstance(who, Who) and not who.foe))
        before = self.found[number - 1].who if number else ()
        told = clause.who[:1] not in ((), (Who("they"),))
        again = not any(who.part for who in before)
        if (event := clause.when or clause.until) and not others and (told or again):
            others = event.who
        if clause.link == "then" or not others or others[0].base == "they" or others[0].foe:
            return False
        sent = {each.who for n, each in enumerate(self.found) if n in waiting and n != number and each.link != "then"}
        waits = (others[0],) in sent and not steps.last_of(self._named(replace(clause, who=others), ask=False))
        clause.who = clause.who if told or not waits else before
        return waits

    def _carry_out(self, number: int, steps: Steps) -> None:
        clause = self.found[number]
        named = bool(clause.who) and clause.who[0].base != "they"
        if self.missing and not named:  # said of units that do not exist
            self.lines[number] = f"`{clause.text}`: left out"
            return
        leads = self._leads(clause)
        if clause.manner and leads:  # read by `_manners`
            return
        if clause.verbs == ["cancel"]:
            self.lines[number] = f"`{clause.text}`: taken back"
            return
        if clause.verbs == ["think"] and clause.places and clause.places[-1].kind != "same":
            self.scene.heard = clause.places[-1]  # `the enemy comes over the bridges. Put archers on each one`
        if leads or set(clause.verbs) == {"think"} or _sums_up(self.found, number, steps.stages):
            self.lines[number] = f"`{clause.text}`: no order is needed for it"
            return
        rest = clause.who and clause.who[0].base == "rest" and {*clause.verbs} <= {"stay", "hold"} and not clause.full
        if self.running is not None and ({*clause.verbs} == {"resume"} or rest):  # `the rest stay` with their orders
            self.lines[number] = f"`{clause.text}`: they go on as before"
            return
        steps.last = not any(each.acts for each in self.found[number + 1 :])
        try:
            if clause.acts:
                own, ids = steps.carry_out(clause)
                idle = sorted(clause.manner & {*WITHOUT_EFFECT})
                self.scene.notes += [MANNERS[each][0].upper() + MANNERS[each][1:] for each in idle]
                self.done |= {number: (own, ids)} if own else {}
                if clause.squads and not own:
                    parts = listing(phrases=[self.scene.who(part) for part in self.scene.squads.values()], joint="and")
                    self.lines[number] = f"`{clause.text}`: squads of {parts}"
            else:  # `they` are those who were named, whatever they were to do
                self.scene.groups.append(self.scene.units(clause.who))
        except Unclear as unclear:
            self.questions.append(str(unclear))
            self.lines[number] = f"`{clause.text}`: left out. {unclear}"
            self.missing = named and not clause.who[0].whole and not steps.last_of(self._named(clause, ask=False))
            return
        self.missing = False


def _unreadable(order: str) -> str:
    """Return why an order cannot be read at all, or nothing."""
    if len(order) > LONGEST:
        return f"This order has {len(order):,} characters; I read up to {LONGEST:,}. Say it in a few sentences."
    if (words := len(re.findall(r"[^\W\d]+|\d+", order))) > MOST:
        return f"This order has {words} words and numbers; I read up to {MOST}. Say it in a few sentences."
    letters = [sign for sign in order if sign.isalpha()]
    if not letters and not re.search(r"\d", order):
        return "There is nothing to read."
    if sum(sign.isascii() for sign in letters) < 0.8 * len(letters):
        return "I read English in Latin letters only."
    for pattern, problem in NO_NUMBERS:
        if found := re.search(pattern, order, re.IGNORECASE):
            return f"I cannot read `{found.group().strip()}`: {problem}"
    return ""


def examples(scene: Scene) -> str:
    """Return a sentence with orders that fit a game."""
    kinds = list(dict.fromkeys(scene.facts.own.types))
    names = [each.name for each in scene.facts.features if each.kind in ("bridge", "forest")]
    one, other = unit_words(kinds[0], 2), unit_words(kinds[-1], 2)
    return (
        f"For example: `half of the {one} hold the {names[-1] if names else 'centre'}`, "
        f"`{other} attack the enemy, then fall back to (20, 20)`, `everyone go to (30, 40) without fighting`."
    )


def _matched(found: Sequence[Clause]) -> Clause | None:
    """Return the one clause that an order is, which asks as a whole to send each type against the one that it beats."""
    kinds = ("at", "feature", "line")
    exact = any(p.kind in kinds or (p.kind == "markers" and p.value != "all") for c in found for p in c.places)
    pitted = any(foe.names for clause in found for foe in clause.foe if "match" not in clause.verbs)
    if exact or pitted or not any("match" in clause.verbs for clause in found):
        return None
    return Clause(verbs=["match"], items=[item for clause in found for item in clause.items])


def _throughout(found: Sequence[Clause], markers: str) -> None:
    """Let the objective be the last place of an order that sends everyone, and its markers come in turn."""
    letters = [place for clause in found for place in clause.places if place.kind == "markers"]
    named, ends = {str(place.value) for place in letters}, {*markers[:1], *markers[-1:]}
    every = next((place for place in letters if place.value == "all"), None)
    if every is not None and named <= {"all", markers, *ends, markers[:1] + markers[-1:]}:
        for clause in found:  # `to every marker, first A, last D`
            clause.places = [place for place in clause.places if place.kind != "markers" or place is every]
    if any(
        not clause.acts and "peace" in clause.manner and (not clause.who or clause.who[0].whole) for clause in found
    ):
        for clause in found:  # `charge over the bridge. No fighting`
            bare = "attack" in clause.verbs and clause.places and not clause.foe
            clause.verbs = [verb for verb in clause.verbs if verb != "attack"] if bare else clause.verbs
    moving = [clause for clause in found if clause.acts]
    if any(clause.who and not clause.who[0].whole for clause in moving[1:]):
        return
    kinds = {place.kind for clause in found for place in clause.places}
    others = kinds - {"markers", "goal"} or any("attack" in clause.verbs for clause in found)
    in_turn = any("forward" in each.manner or ("in_turn" in each.manner and not others) for each in found)
    if markers and in_turn and named <= ends and moving:
        for clause in found:
            clause.places = [place for place in clause.places if place.kind != "markers"]
        moving[0].places.insert(0, Place("markers", "all"))
    moving = [clause for clause in moving if clause.places] or moving
    goals = [clause for clause in moving if any(place.kind == "goal" for place in clause.places)]
    for clause in goals:
        clause.places = [place for place in clause.places if place.kind != "goal"]
    if goals:
        moving[-1].places.append(Place("goal"))


def _rivals(one: Clause, other: Clause) -> bool:
    """Whether a clause tells the units of the one before to do something else at the same time: `hold and charge`."""
    same = (
        not other.who or other.who == one.who or other.who[0].base == "they" or (other.who[0].whole and not other.verbs)
    )
    spared = bool(one.who and one.who[0].minus)  # `nobody moves except the archers, they go to A`
    if not same or other.link not in ("and", "stop") or other.when or one.until or one.when or spared:
        return False
    fights, moves = {"attack", "flank"}, {"go", "retreat"}
    first, then = {*one.verbs}, {*other.verbs}
    still = first & {"hold", "stay", "stand"} and not (one.places or one.foe or one.own)
    leaves = then & moves or (then & fights and any(item.get("deed") == "charge" for item in other.items))
    again = bool(other.who) and other.who == one.who
    both = again and first & fights and then & {"hold", "stay", "stand", "hide", "retreat", "go"}
    frozen = "still" in other.manner and first & (moves | fights)
    joined = other.link == "and" and ((still and leaves) or (first & fights and then & {"hide"}))
    return bool(both or frozen or joined)


def _sums_up(found: Sequence[Clause], number: int, stages: Sequence[Stage]) -> bool:
    """Whether a clause only says that all enemies are to be destroyed by those who are sent to hold places."""
    clause, later = found[number], found[number + 1 :]
    all_foes = all(
        not (foe.names or foe.where or foe.pick not in ("", "comer") or foe.ids or foe.count) for foe in clause.foe
    )
    fights = set(clause.verbs) <= {"attack", "think", "hold"} and ("attack" in clause.verbs or clause.foe) and all_foes
    if not fights or (clause.who and not clause.who[0].whole) or clause.places or clause.when or clause.until:
        return False
    holds = [each for each in later if {"hold", "spread"} & {*each.verbs} and each.places and each.link != "then"]
    first = any(not each.who or each.who[0].whole for each in holds) and not stages
    if first or not stages or len(stages[-1].squads) <= 2 or stages[-1].fixed:
        return first
    before = found[number - 1] if number else clause
    waits = (
        before.verbs and {*before.verbs} <= {"stay", "stand"} and all(place.kind == "way" for place in before.places)
    )
    return not (waits and clause.link == "then")  # `wait here, then attack`


def _said_again(stages: Sequence[Stage], own: Sequence[int]) -> bool:
    """Whether other stages send units to the places of some stages whose units have all left them."""
    gone = {squad.cell for number in own for squad in stages[number].whole or []}
    return gone <= {squad.cell for stage in stages for squad in stage.squads}


def _step_over_standing(stages: Sequence[Stage]) -> None:
    """Let nobody wait for the arrival of units that stand, who reach no place, but for what these wait for."""
    for stage in stages:
        for number in [n for n in stage.after if isinstance(stages[n].objective, dsl.Position) and stages[n].stands]:
            stage.after = stage.after - {number} | stages[number].after | stages[number].until


def _settle(facts: Facts, stages: Sequence[Stage]) -> None:
    """Let stages that no other one waits for last until the end of the battle, where nothing else was said."""
    waited = set().union(*(stage.after for stage in stages if stage.squads))
    for number, stage in enumerate(stages):
        ends = isinstance(stage.objective, dsl.Elimination) or (not stage.fixed and len(facts.foe.types))
        if number not in waited and ends and "elimination" in facts.context.objectives:
            stage.objective = dsl.Elimination(dsl.UnitList(None))


def write(steps: Steps, running: Running | None) -> dsl.PlanSyntax:
    """Return the plan of some stages, after what remains of the plan that is followed now."""
    stages, whole = steps.stages, len(steps.scene.facts.own.types)
    first = max((step.id for step in running.plan.steps), default=-1) + 1 if running else 0
    numbers = {number: first + at for at, number in enumerate(n for n, stage in enumerate(stages) if stage.squads)}
    found = []
    for number, name in numbers.items():
        stage = stages[number]
        groups = []
        for squad in stage.squads:
            front = next((at for at, each in enumerate(stage.squads) if each is squad.front), None)
            behind = dsl.Behind(front, squad.gap) if front is not None else None
            groups.append(
                dsl.Group(
                    steps.listed(np.unique(squad.ids), whole), squad.cell, squad.behaviour, squad.types,
                    squad.leash, squad.cover and behind is None, behind=behind,
                )
            )  # fmt: skip
        after = tuple(sorted({numbers[each] for each in _kept_after(stage, stages)}))
        found.append(dsl.Step(name, after, stage.objective, tuple(groups)))
    if running is None:
        return dsl.PlanSyntax(tuple(found))
    named = set().union(*(stage.units() for stage in stages))
    return dsl.PlanSyntax((*remains(running, named, whole), *found))


def _kept_after(stage: Stage, stages: Sequence[Stage]) -> set[int]:
    """Return the stages that one waits for; for one that lost its units, those that it waited for."""
    return set().union(*({n} if stages[n].squads else _kept_after(stages[n], stages) for n in stage.after))


def _adjusted(running: Running, steps: Steps) -> dsl.PlanSyntax:
    """Return the plan that is followed now with other behaviours, as the manners of an order say."""
    whole, found = len(steps.scene.facts.own.types), []
    for step in remains(running, set(), whole):
        parts: list[list[dsl.Group]] = []
        for group in step.groups:
            left, groups = np.array(group.units.ids(whole), int), list[dsl.Group]()
            for units, said in steps.manners:
                mine = np.array([unit for unit in left if unit in units], int)
                wanted = next((m for m in ("peace", "distance", "close") if m in said), "")
                for squad in steps.squads(mine, group.target, Clause(), wanted) if len(mine) and wanted else []:
                    groups.append(replace(group, units=steps.listed(squad.ids, whole), behaviour=squad.behaviour))
                    left = np.setdiff1d(left, squad.ids)
            parts.append([*groups, *([replace(group, units=steps.listed(left, whole))] if len(left) else [])])
        found.append(replace(step, groups=regrouped(parts)))
    return dsl.PlanSyntax(tuple(found))
