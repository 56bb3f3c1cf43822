"""An order in English to a plan or a question: `interpret`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

import dsl
from dsl.wording import listing, unit_words
from hive.kit.facts import Facts, Running
from hive.players.words.chart import Chart, TooLongError, rules
from hive.players.words.clauses import Clause, clauses
from hive.players.words.lexicon import Token, lexical, spelled_out, stem, tokens
from hive.players.words.lines import described
from hive.players.words.meaning import Act
from hive.players.words.planner import CONTRARY, Planner, Squad, Stage, listed
from hive.players.words.world import Unclear

NO_NUMBERS = (  # ways to write numbers that are read as others if they are read at all, and what to write
    (r"(?<![\d\])])(?:^|[\s(,=])-\d+", "no number is below 0."),
    (r"\b\d+\.\d+ (?:archers?|spearmen|cavalry|men|soldiers?|troops)\b", "say how many in whole numbers."),
    (r"\b\d+e\d+\b", "write numbers in digits."),
    (r"\b\d{7,}\b|\b\d{1,3}(?:,000){2,}\b", "the largest number is 999,999."),
    (r"\b(?:units?|ids?) \d+ \d+\b", "write ids with commas, as in `units 1, 2 and 5`."),
    (r"\b\d+(?: \d+){3,}", "write places as (x, y), and ids with commas."),
)
WHEN = "Say `then`, `after 50 ticks`, `once the enemy archers are dead`."
LONGEST, MOST = 1_500, 250  # characters of an order; words and numbers


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
    planner = Planner(facts, running)
    hint = examples(facts)
    if problem := _unreadable(order):
        return Reading(None, f"{problem}\n{hint}")
    names = {
        tuple(stem(word) for word in each.name.lower().replace("-", " ").split()): each.name for each in facts.features
    }
    markers = "".join(letter for letter, _ in facts.context.markers or ())
    order = spelled_out(order)
    found = tokens(order, {word for name in names for word in name}, markers)
    try:
        edges = lexical(found, names, markers)
        phrases = Chart(found, edges).cover()
    except TooLongError:
        return Reading(None, f"This order can be read in too many ways. Say it in a few short sentences.\n{hint}")
    told = clauses(found, phrases)
    unknown = tuple(
        dict.fromkeys(token for each in phrases if each.kind == "Unread" and len(token := str(each.value)) > 1)
    )
    lines = [f"`{token.text}` is read as `{token.read_as}`" for token in found if token.read_as]
    words = sum(token.kind == "word" for token in found)
    if not any(clause.acts or clause.places or clause.foes or clause.manner or clause.squads for clause in told) or (
        len(unknown) > 0.4 * max(1, words) and len(unknown) > 2
    ):
        doubts = [doubt for clause in told if clause.who is not None and (doubt := _doubt(clause))]
        return Reading(None, f"{(doubts or ['I found no order in this.'])[0]}\n{hint}", tuple(lines), unknown)
    questions = list[str]()
    exact = any(place.kind in ("at", "marker", "name", "feature") for clause in told for place in clause.places)
    if any(edge.kind == "verb:match" for edge in edges) and not exact:
        told = [Clause(acts=[Act("match")], manner=[how for clause in told for how in clause.manner], last=len(found))]
    questions += contradictions(told)
    planner.throughout(told)
    waits = ""
    for number, clause in enumerate(told):
        condition = next((word for word, slot in clause.unread if slot == "when"), "")
        ends = condition.lower().startswith(("until", "till"))
        waits = condition if condition and not ends else waits if clause.link == "and" and not clause.start else ""
        if waits:  # what waits for something that is not understood is not done
            planner.number = number
            planner.note(f"not carried out, since it waits for what is not understood: `{waits}`")
            questions.append(f"I do not understand when: `{waits}`. {WHEN}")
            continue
        denied = next((word for word, _ in clause.unread if word.lower() in ("not", "never", "without", "dont")), "")
        if denied and clause not in planner.bare:  # the contrary of what is not understood
            planner.number = number
            planner.note(f"not carried out, since it is not understood what `{denied}` denies")
            questions.append(f"I do not understand what is not to be done: `{_text(order, found, clause)}`.")
            continue
        if ends and not any(later.link == "then" for later in told[number + 1 : number + 2]):
            planner.number = number
            planner.note(f"left out: `{condition}`, which no plan can wait for")
            clause.unread = [(word, slot) for word, slot in clause.unread if slot != "when"]
        problem = _doubt(clause)
        if problem:
            questions.append(problem)
        try:
            if clause not in planner.bare and (
                clause.acts
                or clause.places
                or clause.foes
                or clause.squads
                or clause.manner
                or clause.start
                or clause.end
            ):
                planner.clause(number, clause)
        except Unclear as unclear:
            questions.append(str(unclear))
            planner.note(f"not carried out: {unclear}")
    planner.confined()
    planner.idle()
    settle(planner)
    for number, clause in enumerate(told):
        own = [at for at, stage in enumerate(planner.stages) if stage.clause == number]
        own += planner.shown.get(number, [])
        words_ = described(planner.world, planner.stages, own)
        notes = "; ".join(each for each in planner.said.get(number, []) if each)
        why = listing([word for word, slot in clause.unread if slot in ("why", "far", "number", "ask", "think")], "and")
        notes += f"; left out: {why}" if why else ""
        line = ": ".join(each for each in (notes, words_) if each)
        if line or _text(order, found, clause):
            lines.append(f"`{_text(order, found, clause)}`: {line or 'says nothing to do'}")
    lines += [f"{note[0].upper()}{note[1:]}." for note in dict.fromkeys(planner.world.notes)]
    if running is not None and planner.manners and not planner.stages and not planner.resumed:
        changed = adjusted(running, planner)
        if changed == running.plan:
            return Reading(None, f"That changes nothing in the present plan.\n{hint}", tuple(lines), unknown)
        return Reading(dsl.format_plan(changed), "", tuple(lines), unknown)
    if not any(stage.squads for stage in planner.stages) and not (planner.resumed and running is not None):
        return Reading(
            None,
            f"{(questions or ['I found no order in this: who is to go where?'])[0]}\n{hint}",
            tuple(lines),
            unknown,
        )
    plan = dsl.format_plan(write(planner, running))
    idle = set(planner.world.everyone.tolist()) - set().union(*(stage.units() for stage in planner.stages))
    if idle and running is None:
        lines.append(f"No order for {planner.world.who(np.array(sorted(idle)))}: they stand.")
    if questions:
        return Reading(None, f"{questions[0]}\n{hint}", tuple(lines), unknown, plan)
    return Reading(plan, "", tuple(lines), unknown)


def warm() -> None:
    """Read the words and compile the rules, so that the first order is answered as soon as any other."""
    rules()
    lexical(tokens("hold", (), ""), {}, "")


def _text(order: str, found: Sequence[Token], clause: Clause) -> str:
    part = found[clause.first : clause.last]
    return order[part[0].start : part[-1].stop].strip(" ,.;:!?\n") if part else ""


def _doubt(clause: Clause) -> str:
    """Return what has to be asked about the words of a clause that were not read, or nothing."""
    for word, slot in clause.unread:
        if slot == "where" and not clause.places:
            return f"`{word}` is not a place that I know here."
        if slot == "when":
            return (
                f"I do not understand when: `{word}`. Say `then`, `after 50 ticks`, `once the enemy archers are dead`."
            )
        if slot == "who" and clause.who is None:
            return f"`{word}` is not one of your units or an enemy that I know here."
        if slot == "what" and not (clause.acts or clause.places or clause.foes or clause.manner):
            return f"I do not know how to `{word}`. Units go, hold, attack, retreat, hide and follow."
        if slot == "ask":
            return "This asks something, and I only take orders."
    return ""


def contradictions(told: Sequence[Clause]) -> list[str]:
    """Return a question for each pair of clauses that tell the same units two things that exclude each other."""
    question = "This asks for two things that exclude each other: which of them?"
    quiet = [clause for clause in told if any(each.how == "peace" for each in clause.manner)]
    found = [question for clause in quiet if "attack" in clause.verbs and not clause.foes]
    for one, other in pairwise(told):
        same = other.who is None or other.who == one.who or (other.who.base == "all" and not other.verbs)
        if not same or other.link == "then" or other.start or one.start or one.end or other.end:
            continue
        mine, theirs = {*one.verbs}, {*other.verbs}
        twice = other.who is not None and other.who == one.who and other.who.base not in ("they", "rest", "squad")
        if (
            twice
            and one.places
            and other.places
            and other.link == "and"
            and not ((one.who is not None and one.who.amount) or other.foes or one.foes)
        ):
            found.append("The same units are told to be at two places at once: which of them?")
            continue
        denied = {act.verb for act in other.acts if act.denied and act.deed != "leave"}
        verbs = mine | theirs if not (one.places or one.foes or other.places or other.foes) else set()
        clash = any(some & verbs and others & verbs for some, others in CONTRARY) or denied & mine - {"hold"}
        stays = mine and mine <= {"hold", "stay", "stand"} and not (one.places or one.own)
        leaves = theirs & {"go", "retreat"} or any(act.deed == "charge" and not act.denied for act in other.acts)
        still = (
            theirs and theirs <= {"stay", "stand"} and not other.places and mine & {"attack"} and other.who is not None
        )
        if clash or (stays and leaves and other.link == "and") or (still and other.who == one.who):
            found.append(question)
    return found


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


def examples(facts: Facts) -> str:
    """Return a sentence with orders that fit a game."""
    kinds = list(dict.fromkeys(facts.own.types))
    names = [each.name for each in facts.features if each.kind in ("bridge", "forest")]
    one, other = unit_words(kinds[0], 2), unit_words(kinds[-1], 2)
    return (
        f"For example: `half of the {one} hold the {names[-1] if names else 'centre'}`, "
        f"`{other} attack the enemy, then fall back to (20, 20)`, `everyone go to (30, 40) without fighting`."
    )


def settle(planner: Planner) -> None:
    """Let stages that no other one waits for last until the end of the battle, where nothing else was said."""
    facts, stages = planner.facts, planner.stages
    waited = set().union(*(_kept_after(stage, stages) for stage in stages if stage.squads), *planner.resumed.values())
    for number, stage in enumerate(stages):
        ends = isinstance(stage.objective, dsl.Elimination) or (not stage.ends and len(facts.foe.types))
        if number not in waited and ends and "elimination" in facts.context.objectives:
            stage.objective = dsl.Elimination(dsl.UnitList(None))


def write(planner: Planner, running: Running | None) -> dsl.PlanSyntax:
    """Return the plan of some stages, after what remains of the plan that is followed now."""
    stages, whole = planner.stages, len(planner.facts.own.types)
    first = max((step.id for step in running.plan.steps), default=-1) + 1 if running else 0
    numbers = {number: first + at for at, number in enumerate(n for n, stage in enumerate(stages) if stage.squads)}
    steps = []
    for number, name in numbers.items():
        stage = stages[number]
        groups = []
        for squad in stage.squads:
            front = next((at for at, each in enumerate(stage.squads) if each is squad.front), None)
            behind = dsl.Behind(front, squad.gap) if front is not None else None
            groups.append(
                dsl.Group(
                    listed(squad.ids, whole), squad.cell, squad.behaviour, squad.types,
                    squad.leash, squad.cover and behind is None, behind=behind,
                )
            )  # fmt: skip
        after = tuple(sorted(numbers[each] for each in _kept_after(stage, stages)))
        steps.append(dsl.Step(name, after, stage.objective, tuple(groups)))
    if running is None:
        return dsl.PlanSyntax(tuple(steps))
    named = set().union(*(stage.units() for stage in stages)) - planner.resumed.keys()
    first_of = set().union(*planner.resumed.values()) & numbers.keys()
    kept = remains(running, named, whole, {numbers[each] for each in first_of})
    return dsl.PlanSyntax((*kept, *steps))


def adjusted(running: Running, planner: Planner) -> dsl.PlanSyntax:
    """Return the plan that is followed now with other behaviours, as the manners of an order say."""
    whole, steps = len(planner.facts.own.types), []
    for step in remains(running, set(), whole, set()):
        parts: list[list[dsl.Group]] = []
        for group in step.groups:
            groups: list[dsl.Group] = []
            left = np.array(group.units.ids(whole), int)
            for units, how in planner.manners:
                mine = np.array([unit for unit in left.tolist() if unit in units], int)
                if not len(mine):
                    continue
                act = next((each for each in ("peace", "distance", "close") if each in how), "")
                squads = (
                    planner.squads(mine, group.target, Clause(), act)
                    if act
                    else [Squad(mine, group.target, group.behaviour)]
                )
                cover = (group.cover or "cover" in how) and not group.behind
                groups += [
                    replace(group, units=listed(squad.ids, whole), behaviour=squad.behaviour, cover=cover)
                    for squad in squads
                ]
                left = np.setdiff1d(left, mine)
            parts.append([*groups, *([replace(group, units=listed(left, whole))] if len(left) else [])])
        steps.append(replace(step, groups=_regrouped(parts)))
    return dsl.PlanSyntax(tuple(steps))


def _kept_after(stage: Stage, stages: Sequence[Stage]) -> set[int]:
    """Return the stages that one waits for; for one that lost its units, those that it waited for."""
    found: set[int] = set()
    for number in stage.after:
        found |= {number} if stages[number].squads else _kept_after(stages[number], stages)
    return found


def remains(running: Running, named: set[int], whole: int, waits: set[int]) -> list[dsl.Step]:
    """Return what is left of a plan: without achieved steps, and without units that have other orders.

    Args:
        running: The plan.
        named: Units that have other orders.
        whole: Number of units.
        waits: New steps that what is left waits for.
    """
    gone: dict[int, tuple[int, ...]] = {number: () for number in running.achieved}
    steps = []
    for step in running.plan.steps:
        if step.id in running.achieved:
            continue
        left = [np.array([unit for unit in group.units.ids(whole) if unit not in named], int) for group in step.groups]
        groups = _regrouped(
            [replace(group, units=listed(ids, whole))] if len(ids) else []
            for group, ids in zip(step.groups, left, strict=True)
        )
        before = tuple(dict.fromkeys(each for one in step.prerequisites for each in _past(one, gone)))
        if groups:
            steps.append(replace(step, prerequisites=(*before, *sorted(waits - set(before))), groups=groups))
        else:
            gone[step.id] = before
    return steps


def _regrouped(parts: Iterable[Sequence[dsl.Group]]) -> tuple[dsl.Group, ...]:
    """Return the groups of a step of which each became none, one or several; those behind another one still are.

    One whose group in front is gone goes to the target that it had.
    """
    parts, found = list(parts), list[dsl.Group]()
    first = [sum(map(len, parts[:number])) for number in range(len(parts))]
    for group in (group for part in parts for group in part):
        if (behind := group.behind) is not None:
            behind = replace(behind, group=first[behind.group]) if parts[behind.group] else None
        found.append(replace(group, behind=behind))
    return tuple(found)


def _past(number: int, gone: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    if number not in gone:
        return (number,)
    return tuple(each for one in gone[number] for each in _past(one, gone))
