"""An order in English to a plan or a question: `interpret`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

import dsl
from dsl.wording import listing
from hive.kit.facts import Facts, Running
from hive.players.words.clauses import Clause, Place
from hive.players.words.lexicon import read, spelled_out, stem
from hive.players.words.scene import Scene, Unclear, Vague
from hive.players.words.sentences import clauses
from hive.players.words.tactics import CONTRARY, Stage, Tactics

MANNERS = {  # how units act, in words; some have no effect in this world, and are told as such
    "peace": "do not fight", "cover": "go under cover", "distance": "keep their distance",
    "close": "fight at close range",
    "leash": "fight what is in reach and do not chase", "fast": "at full speed, as always",
    "slow": "slowly: left out, units always move at full speed", "together": "together: groups gather at each place",
    "weakest": "the weakest first: left out, no behaviour here picks them",
    "strongest": "the strongest first: left out, no behaviour here picks them",
    "nearest": "the nearest first: they go to the nearest group", "behind": "behind the others",
}  # fmt: skip
LONGEST = 1_500  # characters of an order
_FOLD = {0x2019: "'", 0x2018: "'", 0x2013: "-", 0x2014: "-", 0x201C: '"', 0x201D: '"', 9: " ", 13: "\n"}


_SHORT = {
    r"\b(they|we|you|these|those)'?re\b(?<!\bwere)": r"\1 are",
    r"\b(it|he|she|that|there|who|what|where|here)'s\b": r"\1 is",
    r"\b(i|we|you|they|it)'(ll|d|ve)\b": r"\1",
}


@dataclass(frozen=True)
class Reading:
    """How an order was read.

    Attributes:
        plan: Text of a plan without errors; None for a question.
        question: What is asked back; empty with a plan.
        lines: For each phrase, how it was understood.
        unknown: Words that were not understood.
    """

    plan: str | None
    question: str
    lines: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

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
    scene = Scene(facts)
    if problem := _unreadable(order):
        return Reading(None, f"{problem}\n{examples(scene)}")
    text = unicodedata.normalize("NFKC", order).translate(_FOLD)
    for short, long in _SHORT.items():
        text = re.sub(short, long, text, flags=re.IGNORECASE)
    text = spelled_out(text)
    items = read(text, _names(facts))
    found = clauses(items)
    unknown = tuple(dict.fromkeys(word for clause in found for word in clause.unknown if len(word) > 1))
    lines = [f"`{item.text}` is read as `{item.read_as}`" for item in items if item.read_as]
    if not any(_acts(clause) or clause.manner or (clause.lost_place and clause.who) for clause in found):
        return Reading(None, f"I found no order in this.\n{examples(scene)}", tuple(lines), unknown)
    try:
        plan, told = _carry_out(scene, found, running)
    except Unclear as unclear:
        return Reading(None, f"{unclear}\n{examples(scene)}", tuple(lines), unknown)
    return Reading(plan, "", (*lines, *told), unknown)


def _unreadable(order: str) -> str:
    """Return why an order cannot be read at all, or nothing."""
    if len(order) > LONGEST:
        return f"This order has {len(order):,} characters; I read up to {LONGEST:,}. Say it in a few sentences."
    letters = [sign for sign in order if sign.isalpha()]
    if not letters and not re.search(r"\d", order):
        return "There is nothing to read."
    if sum(sign.isascii() for sign in letters) < 0.8 * len(letters):
        return "I read English in Latin letters only."
    return ""


def examples(scene: Scene) -> str:
    """Return a sentence with orders that fit a game."""
    kinds = list(dict.fromkeys(scene.facts.own.types))
    first, last = kinds[0], kinds[-1]
    names = [each.name for each in scene.facts.features if each.kind in ("bridge", "forest")]
    place = names[-1] if names else "centre"
    plural = {"spearmen": "spearmen", "cavalry": "cavalry"}
    one, other = plural.get(first, f"{first}s"), plural.get(last, f"{last}s")
    return (
        f"For example: `half of the {one} hold the {place}`, `{other} attack the enemy, then fall back to (20, 20)`, "
        "`everyone go to (30, 40) without fighting`."
    )


def _names(facts: Facts) -> dict[tuple[str, ...], dict[str, object]]:
    return {
        tuple(stem(word) for word in each.name.lower().split()): {"name": each.name}
        for each in facts.features
        if len(each.name.split()) > 1
    }


def _carry_out(scene: Scene, found: Sequence[Clause], running: Running | None) -> tuple[str, list[str]]:
    """Return the plan of some clauses, and how each was understood."""
    everyone = set(np.nonzero(scene.facts.own.alive)[0].tolist())
    _clear(found)
    manners: list[tuple[set[int], set[str]]] = []
    lines: dict[int, str] = {}
    acting: list[int] = []
    for number, clause in enumerate(found):
        modifies = _modifies(clause)
        only = running is None and not acting and not any(_acts(each) for each in found[number + 1 :])
        if modifies and not only:
            who = clause.who if clause.who and clause.who[0].base not in ("they", "rest") else ()
            units = set(scene.units(who, named=False).tolist()) if who else everyone
            manners.append((units, set(clause.manner)))
            said = listing(phrases=[MANNERS.get(each, each) for each in sorted(clause.manner)], joint="and")
            lines[number] = f"{scene.who(np.array(sorted(units)))}: {said}"
        else:
            acting.append(number)
    tactics = Tactics(scene, manners)
    matching = any("match" in clause.verbs for clause in found)
    doubts: list[Vague] = []
    lost: list[str] = []
    told_cannot: list[str] = []
    for number in sorted(
        acting, key=lambda at: bool(found[at].own and "follow" in found[at].verbs and found[at].link != "then")
    ):
        clause = found[number]
        heard = [place for each in found[:number] for place in each.places if place.kind == "feature"]
        spoken = [place for place in heard if place.value != "forest"]
        scene.place = spoken[-1] if spoken else None
        scene.heard = heard[-1] if heard else None
        if "cannot" in clause.verbs:
            clause.verbs = [verb for verb in clause.verbs if verb != "cannot"]
            told_cannot.append(clause.text)
            if clause.who:
                scene.last = scene.units(clause.who)
            if not (clause.places and clause.who):
                lines[number] = "left out: no unit can do that"
                continue
        if (
            clause.unknown
            and not clause.verbs
            and not clause.who
            and not clause.behind
            and len(clause.unknown) > 0
            and not clause.foe
        ):
            lines[number] = f"left out: {listing(clause.unknown, 'and')} is not understood"
            lost.append(clause.unknown[0])
            continue
        if not _acts(clause) and not clause.who:
            if clause.unknown or clause.when:
                lines[number] = "left out, since it says nothing to do"
            continue
        if _sums_up(clause, tactics):
            lines[number] = "the fight lasts until all enemies are dead"
            continue
        if ("think" in clause.verbs and "match" not in clause.verbs) or (matching and _prepares(clause)):
            lines[number] = "the facts are known; the plan follows from them"
            continue
        try:
            lines[number] = tactics.clause(clause)
        except Vague as vague:
            if len(acting) == 1:
                raise
            lines[number] = f"left out. {vague}"
            doubts.append(vague)
    _contrary([found[number] for number in acting])
    told = [f"`{found[number].text}`: {line}" for number, line in sorted(lines.items())]
    told += [f"{note[0].upper()}{note[1:]}." for note in dict.fromkeys((*scene.notes, *tactics.notes))]
    stages = tactics.stages
    if running is not None and manners and not acting:
        return dsl.format_plan(_adjusted(running, scene, tactics)), told
    if not any(stage.squads for stage in stages):
        if doubts:
            raise doubts[0]
        if told_cannot:
            raise Unclear(f"No unit can do this: `{told_cannot[0]}`. Units go, hold, attack, retreat, hide and follow.")
        if lost:
            raise Unclear(f"I do not know what `{lost[0]}` means.")
        raise Unclear("I understood what is meant, but not what is to be done with it: who is to go where?")
    idle = everyone - set().union(*(stage.units() for stage in stages))
    if idle and running is None:
        told.append(f"No order for {scene.who(np.array(sorted(idle)))}: they stand.")
    plan = write(stages, scene, running)
    return dsl.format_plan(plan), told


def _clear(found: Sequence[Clause]) -> None:
    """Let what was said once hold throughout: no fighting, going under cover, and the objective as the last place."""
    moving = [clause for clause in found if _acts(clause) and "think" not in clause.verbs]
    if not any("attack" in clause.verbs or (clause.foe and "peace" not in clause.manner) for clause in moving):
        said = set().union(*(clause.manner for clause in moving)) & {"peace", "cover"}
        said |= {"cover", "peace"} if any("hide" in clause.verbs for clause in moving) else set()
        for clause in moving:
            if not any(who.base in ("type", "ids", "rest") or who.part for who in clause.who) or len(moving) == 1:
                clause.manner |= said
    for clause in found:
        if (
            clause.until
            and clause.until.kind == "arrive"
            and clause.until.place
            and clause.until.place.kind == "feature"
        ):
            clause.places.append(clause.until.place)
    if any(clause.alphabet for clause in found) and not any(p.kind == "markers" for c in found for p in c.places):
        first = next(clause for clause in found if clause.alphabet)
        first.places.insert(0, Place("markers", "all"))
    for clause in found:
        goals = [place for place in clause.places if place.kind == "goal"]
        clause.places = [place for place in clause.places if place.kind != "goal"] + goals[:1]
    ends = [clause for clause in found if any(place.kind == "goal" for place in clause.places)]
    for clause in ends[:-1]:
        clause.places = [place for place in clause.places if place.kind != "goal"] or clause.places
    for clause in ends[-1:]:
        goals = [place for place in clause.places if place.kind == "goal"]
        if clause.places[-1].kind != "goal" and clause is found[-1]:
            clause.places = [place for place in clause.places if place.kind != "goal"] + goals[:1]


def _adjusted(running: Running, scene: Scene, tactics: Tactics) -> dsl.PlanSyntax:
    """Return the plan that is followed now with other behaviours, as the manners of an order say.

    Raises:
        Unclear: They change nothing.
    """
    whole, steps = len(scene.facts.own.types), []
    for step in remains(running, set(), whole):
        groups: list[dsl.Group] = []
        for group in step.groups:
            left = np.array(group.units.ids(whole), int)
            for units, _ in tactics.manners:
                mine = np.array([unit for unit in left if unit in units], int)
                how = tactics.how(mine, Clause(), "") if len(mine) else ""
                if how:
                    groups += [
                        replace(group, units=Tactics.listed(squad.ids, whole), behaviour=squad.behaviour)
                        for squad in tactics.squads(mine, group.target, how)
                    ]
                    left = np.setdiff1d(left, mine)
            groups += [replace(group, units=Tactics.listed(left, whole))] if len(left) else []
        steps.append(replace(step, groups=tuple(groups)))
    if tuple(steps) == running.plan.steps:
        raise Unclear("That changes nothing in the present plan.")
    return dsl.PlanSyntax(tuple(steps))


def _contrary(acting: Sequence[Clause]) -> None:
    """Refuse two clauses of one sentence that ask the same units for what excludes each other.

    Raises:
        Unclear: There are such clauses.
    """
    for one, other in pairwise(acting):
        if other.link == "and" and not (
            one.places or other.places or other.when or one.until or other.who or one.ticks
        ):
            for some, others in CONTRARY:
                for a, b in ((one, other), (other, one)):
                    if some & set(a.verbs) and others & set(b.verbs):
                        raise Unclear(
                            f"`{one.text} {other.text}` asks for two things that exclude each other: which of them?"
                        )


def _prepares(clause: Clause) -> bool:
    """Whether a clause of an order to match types says only that there are groups, or an enemy to attack."""
    named = any(who.base in ("type", "ids", "squad") for who in clause.who)
    return "match" not in clause.verbs and not clause.places and not named and not clause.manner & {"peace"}


def _modifies(clause: Clause) -> bool:
    """Whether a clause only says how units act in what others say."""
    doing = set(clause.verbs) & {"retreat", "hide", "match", "spread", "split", "follow"}
    staying = "stay" in clause.verbs and not clause.manner & {"peace", "distance"}
    attacking = clause.foe and "attack" in clause.verbs and "peace" not in clause.manner
    return bool(clause.manner) and not (clause.places or clause.behind or doing or staying or attacking)


def _acts(clause: Clause) -> bool:
    return bool(set(clause.verbs) - {"think"} or clause.places or clause.foe or clause.behind or clause.ticks)


def _sums_up(clause: Clause, tactics: Tactics) -> bool:
    """Whether a clause only says that all enemies are to be destroyed by what was ordered before."""
    whole = all(not (foe.names or foe.dir or foe.pick or foe.at) for foe in clause.foe)
    return bool(
        tactics.stages and set(clause.verbs) <= {"attack", "hold", "go"} and whole
        and ("attack" in clause.verbs or (clause.foe and not clause.verbs))
        and not clause.who and not clause.places and not clause.when
        and (clause.link != "then" or tactics.holding)
    )  # fmt: skip


def write(stages: Sequence[Stage], scene: Scene, running: Running | None) -> dsl.PlanSyntax:
    """Return the plan of some stages, after what remains of the plan that is followed now."""
    kept: list[dsl.Step] = []
    if running is not None:
        kept = remains(running, set().union(*(stage.units() for stage in stages)), len(scene.facts.own.types))
    base = max((step.id for step in kept), default=-1) + 1
    numbers: dict[int, int] = {}
    for number, stage in enumerate(stages):
        if stage.squads:
            numbers[number] = base + len(numbers)
    waited = {number for stage in stages if stage.squads for number in _kept_after(stage, stages)}
    steps = list(kept)
    for number, stage in enumerate(stages):
        if not stage.squads:
            continue
        last = number not in waited
        objective = stage.objective
        if (
            last and not stage.ends and "elimination" in scene.facts.context.objectives and len(scene.facts.foe.types)
        ) or (last and isinstance(objective, dsl.Elimination)):
            objective = dsl.Elimination(dsl.UnitList(None))
        whole = len(scene.facts.own.types)
        groups = tuple(
            dsl.Group(
                Tactics.listed(np.unique(squad.ids), whole), squad.cell, squad.behaviour, squad.types, squad.leash
            )
            for squad in stage.squads
        )
        after = tuple(sorted(numbers[each] for each in _kept_after(stage, stages)))
        steps.append(dsl.Step(numbers[number], after, objective, groups))
    return dsl.PlanSyntax(tuple(steps))


def _kept_after(stage: Stage, stages: Sequence[Stage]) -> set[int]:
    """Return the stages that one waits for; for one that lost its units, those that it waited for."""
    found: set[int] = set()
    for number in stage.after:
        found |= {number} if stages[number].squads else _kept_after(stages[number], stages)
    return found


def remains(running: Running, named: set[int], whole: int) -> list[dsl.Step]:
    """Return what is left of a plan for units that were not named: without achieved steps, and without the others."""
    gone: dict[int, tuple[int, ...]] = {number: () for number in running.achieved}
    steps = []
    for step in running.plan.steps:
        if step.id in running.achieved:
            continue
        groups = []
        for group in step.groups:
            ids = np.array([unit for unit in group.units.ids(whole) if unit not in named], int)
            if len(ids):
                groups.append(replace(group, units=Tactics.listed(ids, whole)))
        before = tuple(dict.fromkeys(each for one in step.prerequisites for each in _past(one, gone)))
        if groups:
            steps.append(replace(step, prerequisites=before, groups=tuple(groups)))
        else:
            gone[step.id] = before
    return steps


def _past(number: int, gone: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    if number not in gone:
        return (number,)
    return tuple(each for one in gone[number] for each in _past(one, gone))
