"""An order in English to a plan or a question: `interpret`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

import dsl
from dsl.wording import listing, unit_words
from hive.kit.facts import Facts, Ids, Running
from hive.players.words.account import doubts
from hive.players.words.clauses import Clause, Place, Who
from hive.players.words.lexicon import phrases, read, stem
from hive.players.words.lines import described
from hive.players.words.parts import NAMED, without
from hive.players.words.relations import View, disagreements
from hive.players.words.scene import Contrary, Scene, Unclear
from hive.players.words.sentences import clauses
from hive.players.words.stages import Squad, Stage
from hive.players.words.tactics import DEEDS, Tactics
from hive.players.words.waits import UNHEARD, WHEN

MANNERS = {  # how units act, in words; some have no effect in this world, and are told as such
    "peace": "do not fight", "cover": "go under cover", "distance": "keep their distance",
    "close": "fight at close range", "leash": "fight what is in reach and do not chase",
    "fast": "at full speed, as always", "slow": "slowly: left out, units always move at full speed",
    "together": "together: groups gather at each place",
    "shun": "keep off them, but no way round them is planned",
    "weakest": "the weakest first: left out, no behaviour here picks them",
    "strongest": "the strongest first: left out, no behaviour here picks them",
    "nearest": "the nearest first: they go to the nearest group", "in turn": "one after another",
}  # fmt: skip
SUMMARY = "a summary: what follows says how they fight"
SHORT = "Say it in short sentences: who, what, where and when."
LASTS = "the fight lasts until all enemies are dead"
NO_NUMBERS = (  # ways to write numbers that are read as others if they are read at all, and what to write
    (r"(?<!\d)(?:^|[\s(,=])-\d+", "no number is below 0."),
    (r"\b\d+\.\d+ (?:archers?|spearmen|cavalry|men|soldiers?|troops)\b", "say how many in whole numbers."),
    (r"\b\d+e\d+\b", "write numbers in digits."),
    (r"\b\d{7,}\b|\b\d{1,3}(?:,000){2,}\b", "the largest number is 999,999."),
    (r"\b(?:units?|ids?) \d+ \d+\b", "write ids with commas, as in `units 1, 2 and 5`."),
    (r"\b\d+(?: \d+){3,}", "write places as (x, y), and ids with commas."),
)
LONGEST, MOST = 1_500, 250  # characters of an order; words and numbers
PARTS = 40  # of an order that say something to do


@dataclass(frozen=True)
class Reading:
    """How an order was read.

    Attributes:
        plan: Text of a plan without errors; None for a question.
        question: What is asked back; empty with a plan.
        lines: For each phrase, how it was understood.
        unknown: Words that were not understood.
        draft: Text of the plan that would be written without what is asked about; None where there is none.
        whole: The reading of all that was said, where parts of it are left out that would be asked about.
    """

    plan: str | None
    question: str
    lines: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    draft: str | None = None
    whole: Reading | None = None

    @property
    def decided(self) -> Reading:
        """The reading where nobody answers a question: its draft is the plan, and the question one of its lines."""
        if self.whole is not None and self.whole.draft is not None:
            return self.whole.decided
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
    scene = Scene(facts)
    if problem := _unreadable(order):
        return Reading(None, f"{problem}\n{examples(scene)}")
    names: dict[tuple[str, ...], dict[str, object]] = {
        tuple(stem(word) for word in each.name.lower().replace("-", " ").split()): {"name": each.name}
        for each in facts.features
        if len(each.name.split()) > 1 or (stem(each.name.lower()),) not in phrases()
    }
    items = read(order, names, "".join(letter for letter, _ in facts.context.markers or ()))
    found = clauses(items)
    unknown = tuple(dict.fromkeys(word for clause in found for word in clause.unknown if len(word) > 1))
    lines = tuple(f"`{item.text}` is read as `{item.read_as}`" for item in items if item.read_as)
    words = sum("word" in item.means or not item.means or bool(item.text.isalpha()) for item in items)
    if not any(clause.acts or clause.manner or clause.denied or clause.lost for clause in found) or (
        len(unknown) > 0.4 * max(1, words) and len(unknown) > 2
    ):  # fmt: skip
        return Reading(None, f"I found no order in this.\n{examples(scene)}", lines, unknown)
    if (parts := sum(clause.acts for clause in found)) > PARTS:
        problem = f"This order has {parts} parts, and I check up to {PARTS}. Say it in several orders."
        return Reading(None, f"{problem}\n{examples(scene)}", lines, unknown)
    answer = _answer(facts, found, running, order)
    whole = answer.reading(lines, unknown, scene)
    left, kept, omitted = answer, found, list[str]()
    while left.wrong and (part := without(kept, left.wrong)):  # what stands on its own is carried out without the rest
        kept, gone = part
        omitted += gone
        left = _answer(facts, kept, running, order)
    if left is answer or left.wrong or left.plan is None:
        return whole
    return replace(replace(left, omitted=[*omitted, *left.omitted]).reading(lines, unknown, scene), whole=whole)


@dataclass(frozen=True)
class _Answer:
    """What comes of some clauses.

    Attributes:
        plan: The plan; None where there is none.
        told: How each clause was understood.
        omitted: Words that the plan leaves out.
        wrong: What keeps the plan from being carried out, by the number of the clause; -1: of the whole order.
        question: What is asked back about it.
    """

    plan: dsl.PlanSyntax | None
    told: Sequence[str]
    omitted: Sequence[str] = ()
    wrong: Mapping[int, str] = field(default_factory=dict)
    question: str = ""

    def reading(self, lines: Sequence[str], unknown: tuple[str, ...], scene: Scene) -> Reading:
        """The reading whose lines begin with some others."""
        omitted = [f"Left out: {listing(dict.fromkeys(self.omitted), 'and')}."] if self.omitted else []
        if self.plan is None:  # its lines would say the question once more
            return Reading(None, f"{self.question}\n{examples(scene)}", tuple(lines), unknown)
        told, text = (*lines, *self.told, *omitted), dsl.format_plan(self.plan)
        if self.wrong:
            return Reading(None, f"{self.question}\n{examples(scene)}", told, unknown, text)
        return Reading(text, "", told, unknown)


def _answer(facts: Facts, found: Sequence[Clause], running: Running | None, order: str) -> _Answer:
    """Return what comes of some clauses, which stay as they are."""
    try:
        return _carry_out(Scene(facts), [clause.copy() for clause in found], running, order)
    except Unclear as unclear:
        return _Answer(None, (), wrong={-1: str(unclear)}, question=str(unclear))


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


def _carry_out(scene: Scene, found: Sequence[Clause], running: Running | None, order: str) -> _Answer:
    """Return the plan of some clauses, how each was understood, and what keeps it from being carried out.

    Raises:
        Unclear: There is none.
    """
    everyone = set(np.nonzero(scene.facts.own.alive)[0].tolist())
    _throughout(found)
    if running is None and not any(clause.acts for clause in found):  # `archers keep their distance`
        for clause in found:
            clause.verbs += ["stay"] if clause.manner and clause.who else []
    lines: dict[int, str] = {}
    manners: list[tuple[set[int], set[str]]] = []
    named: dict[int, Ids] = {}  # whom clauses name that say only how units act
    last, since = np.array(sorted(everyone)), 0
    for number, clause in enumerate(found):  # clauses that say only how units act hold for all that these do
        rest = bool(clause.who) and clause.who[0].base in NAMED
        if clause.who and clause.who[0].base != "they":
            last = last if rest else scene.units(clause.who, named=False)
            since = number + 1 if rest else 0
        elif (
            since and clause.who and clause.manner and not (clause.acts or clause.lost)
        ):  # of the rest, who are not known yet
            for each in found[since - 1 : number]:
                each.manner |= clause.manner
            said = listing(phrases=[MANNERS.get(each, each) for each in sorted(clause.manner)], joint="and")
            lines[number] = f"the same units: {said}"
            continue
        if clause.manner and not (
            clause.acts or clause.lost or rest or (clause.denied and clause.who and clause.manner <= {"leash"})
        ):
            units = set(last.tolist()) if clause.who else everyone
            manners.append((units, set(clause.manner)))
            named[number] = np.array(sorted(units))
            said = listing(phrases=[MANNERS.get(each, each) for each in sorted(clause.manner)], joint="and")
            lines[number] = f"{scene.who(np.array(sorted(units)))}: {said}"
    tactics = Tactics(scene, manners, running)
    acted: dict[int, tuple[Sequence[int], Ids]] = {}  # stages and units of each clause that was carried out
    for one, other in pairwise(found):  # `hold and retreat`
        if not _at_once(one, other):
            continue
        verbs = {*one.verbs, *other.verbs}
        if other.link == "and" and not (one.places or other.places or other.foe or one.foe):
            tactics.refuse(Clause(verbs=[*one.verbs, *other.verbs], items=[*one.items, *other.items]), verbs)
        stays = one.verbs and {*one.verbs} <= {"hold", "stay", "stand"} and not (one.places or one.own or one.foe)
        leaves = {*other.verbs} & {"go", "retreat"} or "charge" in other.deeds
        still = "go" in other.denied and not (other.verbs or other.places)
        if (stays and leaves and other.link == "and") or (still and "go" in one.verbs):
            raise Unclear(f"`{one.text} {other.text}` asks for two things that exclude each other: which of them?")
    questions: list[Unclear] = []
    wrong: dict[int, str] = {}  # what has to be answered before anything is done, by the number of the clause
    for number in _ends(found):
        lines[number] = LASTS
    whole = _matches(found)
    for who in (who for clause in found for who in clause.own if who.ids or who.part):  # they are none of the rest
        with suppress(Unclear):
            scene.units([who])
    after_others = [bool(clause.own and "follow" in clause.verbs and clause.link != "then") for clause in found]
    for number, clause in sorted(enumerate(found), key=lambda each: after_others[each[0]]):
        if number in lines:
            scene.groups += [named[number]] if clause.who and number in named else []
            continue
        bare = (
            clause.verbs == ["go"]
            and not (clause.full or clause.when or clause.squads or clause.lost)
            and len(found) > 1
        )
        leads = found[number + 1] if number + 1 < len(found) else clause
        if bare and (
            not clause.who
            or clause.who[0].base == "they"
            or (clause.link != "then" and (number + 1 < len(found) or (_everyone(clause) and tactics.stages)))
        ):  # `turn round and ...`
            scene.groups += [scene.units(clause.who, named=False)] if clause.who else []
            lines[number] = "left out: it names no place"
            continue
        if _summary(found, number):
            scene.enemies = clause.foe[0] if clause.foe else scene.enemies
            lines[number] = SUMMARY
            continue
        if "detail" in clause.lost:
            scene.notes.append(f"left out: `{clause.lost['detail']}`, since no unit climbs, or goes through walls")
        if "where" in clause.lost:
            seen = "the first enemy who is seen is waited for, since plans do not know where enemies are"
            scene.notes.append(f"`{clause.lost['where']}`: {seen}")
        if "again" in clause.lost:
            scene.notes.append(f"left out: `{clause.lost['again']}`, since nothing is done more than once")
        if number and clause.link != "stop" and "when" in found[number - 1].lost:
            clause.lost.setdefault("when", found[number - 1].lost["when"])  # what goes with it waits as well
        if "until" in clause.lost and leads is not clause and leads.link == "then" and "think" not in clause.verbs:
            wrong[number] = f"{UNHEARD}: `{clause.lost['until']}`. {WHEN}"
        tactics.followed = len(tactics.stages) if clause.link == "then" else tactics.followed
        try:
            tactics.acted = None
            more = any(each.acts and (not each.who or each.who[0].base == "they") for each in found[number + 1 :])
            more |= clause.until is not None and any(each.link == "then" for each in found[number + 1 :])
            lines[number] = _one(scene, tactics, clause, whole, not more)
            acted |= {number: tactics.acted} if tactics.acted else {}
            if "until" in clause.lost:
                left_out = f"left out: `{clause.lost['until']}`, which no plan can wait for"
                scene.notes.append(left_out)
        except Unclear as unclear:
            with suppress(Unclear):  # `they` are those who were named, whatever they were to do
                scene.groups += [scene.units(clause.who, named=False)] if clause.who else []
            spoken = bool(clause.verbs or clause.who)
            if (
                len(found) == 1
                or clause.when
                or clause.until
                or (spoken and "when" not in clause.lost and (clause.full or not clause.lost))
            ):
                wrong.setdefault(-1 if isinstance(unclear, Contrary) else number, str(unclear))
            questions.append(unclear)
            lines[number] = f"left out. {unclear}"
    tactics.confined()
    settle(tactics)
    for number, (own, ids) in acted.items():
        words = described(scene, tactics.stages, own, ids)
        lines[number] = f"{lines[number]}: {words}" if lines[number] and words else lines[number] or words
    told = [f"`{found[number].text}`: {line}" for number, line in sorted(lines.items()) if line]
    told += [f"{note[0].upper()}{note[1:]}." for note in dict.fromkeys(scene.notes)]
    stages = tactics.stages
    question = next(iter(wrong.values()), "")
    if running is not None and manners and not stages and not tactics.resumed:
        return _Answer(_adjusted(running, scene, tactics), told, [], wrong, question)
    if not any(stage.squads for stage in stages):
        impossible = next((clause.text for clause in found if "cannot" in clause.verbs), "")
        if impossible and not wrong:
            question = f"No unit can do this: `{impossible}`. {DEEDS}"
        question = question or str(next(iter(questions), "I found no order in this: who is to go where?"))
        return _Answer(None, told, [], wrong or {-1: question}, question)
    cells = {number: _coordinates(stages, own) for number, (own, _) in acted.items()}
    left, details = ([], []) if whole else doubts(found, lines, cells, running is not None)
    if left and not wrong:
        words = listing(dict.fromkeys(word for _, word in left), "and")
        wrong = {number: f"`{word}` is not understood" for number, word in left}
        question = f"I ask before I act, since the plan would leave out {words}. {SHORT}"
    if not (wrong or whole):
        view = View(order, found, acted, lines, scene, stages, running is not None)
        if against := disagreements(view):
            wrong = {number: text for number, text in against}
            texts = "; ".join(dict.fromkeys(text for _, text in against))
            question = f"I ask before I act, since the plan may not be what you mean. {texts}."
    idle = everyone - set().union(*(stage.units() for stage in stages))
    if idle and running is None:
        told.append(f"No order for {scene.who(np.array(sorted(idle)))}: they stand.")
    return _Answer(write(tactics, running), told, details, wrong, question)


def _coordinates(stages: Sequence[Stage], own: Sequence[int]) -> list[int]:
    """Return the numbers of all places to which some stages lead."""
    return [each for number in own for squad in stages[number].squads for each in squad.cell]


def _summary(found: Sequence[Clause], number: int) -> bool:
    """Whether a clause only sums up what follows, as `kill them one by one: first ...` does."""
    clause, later = found[number], [each for each in found[number + 1 :] if each.acts]
    if not later or not set(clause.verbs) <= {"attack"} or not (clause.verbs or clause.foe) or not _everyone(clause):
        return False
    if clause.places or clause.when or clause.until or clause.denied or clause.own or clause.squads:
        return False
    colon = ":" in [item.text for item in found[number + 1].items[:1]]
    exclaimed = "!" in [item.text for item in found[number + 1].items[:1]] and len(clause.items) == 1
    colon |= exclaimed and bool(later[0].who)  # `Ambush! 20 archers ...`
    fights = any("attack" in each.verbs or each.foe for each in later)
    intro = any(item.get("intro") for item in clause.items) and later[0].link == "stop" and bool(later[0].places)
    return (colon and (fights or exclaimed)) or intro


def _at_once(one: Clause, other: Clause) -> bool:
    """Whether a clause tells the units of the one before to do something else at the same time."""
    same = not other.who or other.who == one.who or (_everyone(other) and not other.verbs)
    return same and other.link in ("and", "stop") and not (other.when or one.until or one.when)


def _matches(found: Sequence[Clause]) -> bool:
    """Whether an order asks, as a whole, to send each type against the one that it beats."""
    exact = [place for clause in found for place in clause.places if place.kind in ("at", "markers", "feature", "box")]
    pitted = [clause for clause in found if clause.foe and clause.foe[0].names and "match" not in clause.verbs]
    return any("match" in clause.verbs for clause in found) and not exact and not pitted


def _one(scene: Scene, tactics: Tactics, clause: Clause, matches: bool, last: bool) -> str:
    """Carry out a clause; return in words how it was understood, or nothing if it says nothing.

    Raises:
        Unclear: It cannot be carried out.
    """
    if "cannot" in clause.verbs:
        scene.heard += clause.places
        scene.groups += [scene.units(clause.who)] if clause.who else []
        return "left out: no unit can do that"
    if matches and "match" in clause.verbs and not tactics.stages:
        return tactics.clause(Clause((Who("all"),), ["match"], items=clause.items))
    if matches or ("match" in clause.verbs and tactics.stages):
        other = clause.places and not set(clause.verbs) & {"match", "think", "split"}
        return f"{'left out: ' if other else ''}the plan follows from what each type beats"
    if "think" in clause.verbs:
        return "left out: no order is needed for it, since the facts are known"
    if "cancel" in clause.verbs:
        raise Unclear("What are your units to do instead? I cannot take back an order, but a new one replaces it.")
    if "place" in clause.denied and not clause.acts:
        return "nobody is sent there"
    away = "avoid" in clause.verbs or "away from" in clause.text.lower()
    if away and clause.places and not clause.foe and not set(clause.verbs) - {"avoid", "stay", "hold"}:
        far = re.search(r"(\d+) ?(?:m|metres?|meters?)\b", clause.text)
        clause.places = [replace(place, metres=int(far[1])) if far else place for place in clause.places]
        return tactics.confine(clause)
    if any(place.barred for place in clause.places) and not set(clause.verbs) - {"stay"}:
        return tactics.confine(clause)
    if "go" in clause.denied and not (set(clause.verbs) - {"stay"}) and clause.places and clause.until is None:
        return "nobody is sent there"
    if clause.manner and clause.who and not clause.acts:
        clause.verbs.append("hide" if "cover" in clause.manner else "stay")
    if clause.denied and not (clause.verbs or clause.who or clause.foe or clause.until):
        if clause.places:
            return "nobody is sent there"
        return "left out: no plan can say it" if any(clause.denied) and not clause.manner else ""
    if not clause.acts:
        if clause.when is not None and not clause.who:
            return "left out: it says nothing to do"
        if "verb" in clause.lost or "who" in clause.lost or (clause.who and "place" in clause.lost):
            tactics.refuse(clause, set() if "verb" in clause.lost else {"go"})
        if clause.who and clause.unknown and not clause.when:
            return f"left out: {listing(clause.unknown, 'and')} is not understood"
        if clause.who:
            scene.groups.append(scene.units(clause.who, named=False))
        if clause.when is not None and clause.who:
            return tactics.clause(clause)
        return f"left out: {listing(clause.unknown, 'and')} is not understood" if clause.unknown else ""
    if last and _sums_up(clause, tactics):
        return LASTS
    return tactics.clause(clause)


def _throughout(found: Sequence[Clause]) -> None:
    """Let what was said once hold throughout an order that sends everyone: no fighting, and going under cover."""
    moving = [clause for clause in found if clause.acts and "think" not in clause.verbs]
    groups = {
        who for clause in moving for who in clause.who if who.base in ("type", "ids", "rest") or who.part or who.minus
    }
    if len(groups) > 1:
        return
    if not any("attack" in clause.verbs or clause.foe for clause in moving):
        hide = [clause for clause in moving if "hide" in clause.verbs]
        until = any(clause.when is not None and clause.when.kind != "arrive" for clause in moving)  # `hide; when ...`
        said = set().union(*(each.manner for each in moving if not (until and each in hide))) & {"peace", "cover"}
        said |= {"cover", "peace"} if hide and not until else set()
        for clause in moving:
            clause.manner |= said
    ends = [clause for clause in moving if any(place.kind == "goal" for place in clause.places)]
    for clause in ends:  # the objective is the last place, also where it was named before
        clause.places = [place for place in clause.places if place.kind != "goal"]
    if ends:
        stays = ends[-1].link == "then" or len(ends) > 1 or not moving[-1].places
        (ends if stays else moving)[-1].places.append(Place("goal"))
    letters = any(place.kind == "markers" for clause in found for place in clause.places)
    if not letters and (first := next((clause for clause in found if "in turn" in clause.manner), None)):
        goal = any(place.kind == "goal" for clause in found for place in clause.places)
        first.places[:0] = [Place("markers", "all")] if goal else []


def _ends(found: Sequence[Clause]) -> list[int]:
    """Return the clauses that name the end of a fight, all enemies dead, before others say where everyone holds.

    Both orders of `destroy them all` and `hold the middle row` mean the same, unless the latter comes with `then`.
    """
    lasting = [
        number
        for number, clause in enumerate(found)
        if (set(clause.verbs) & {"hold", "spread"} or clause.squads)
        and any(place.kind not in ("same", "units") for place in clause.places)
        and _everyone(clause)
        and clause.link != "then"
        and not (clause.when or clause.foe)
    ]
    return [
        number
        for number, clause in enumerate(found)
        if lasting
        and number < lasting[0]
        and set(clause.verbs) <= {"attack"}
        and (clause.verbs or clause.foe)
        and not (clause.places or clause.when or clause.until or clause.denied or clause.manner - {"fast"})
        and _everyone(clause)
        and _all_enemies(clause)
        and not any(foe.part for foe in clause.foe)
    ]


def _everyone(clause: Clause) -> bool:
    """Whether a clause is said of everyone, or of nobody in particular."""
    return all(who.base in ("all", "they") and who.part is None and not who.minus for who in clause.who)


def _all_enemies(clause: Clause) -> bool:
    """Whether a clause picks none of the enemies by type, place or distance."""
    return not any(foe.names or foe.where or foe.pick for foe in clause.foe)


def _sums_up(clause: Clause, tactics: Tactics) -> bool:
    """Whether a clause only says that all enemies are to be destroyed by those who were sent to hold a place."""
    held = any(
        squad.behaviour not in ("follow_map", "stand") for stage in tactics.stages[-1:] for squad in stage.squads
    )
    fights = "attack" in clause.verbs or (clause.foe and not clause.verbs)
    lasting = tactics.stages and not tactics.stages[-1].ends
    waited = clause.link == "then" and bool(tactics.told) and "stay" in tactics.told[-1][1]  # `wait, then charge`
    placed = any(place.kind != "same" for place in clause.places)
    return bool(
        held
        and lasting
        and not waited
        and _all_enemies(clause)
        and _everyone(clause)
        and fights
        and not placed
        and not clause.when
    ) and (clause.link != "then" or any(len(stage.squads) > 2 for stage in tactics.stages))


def _adjusted(running: Running, scene: Scene, tactics: Tactics) -> dsl.PlanSyntax:
    """Return the plan that is followed now with other behaviours, as the manners of an order say.

    Raises:
        Unclear: They change nothing.
    """
    whole, steps = len(scene.facts.own.types), []
    for step in remains(running, set(), whole, set()):
        parts: list[list[dsl.Group]] = []
        for group in step.groups:
            groups: list[dsl.Group] = []
            left = np.array(group.units.ids(whole), int)
            for units, _ in tactics.manners:
                mine = np.array([unit for unit in left if unit in units], int)
                how = tactics.how(mine, Clause(), "") if len(mine) else ""
                cover = "cover" in tactics.said(mine, Clause())
                if how or cover:
                    squads = (
                        tactics.squads(mine, group.target, Clause(), how)
                        if how
                        else [Squad(mine, group.target, group.behaviour)]
                    )
                    groups += [
                        replace(
                            group, units=Tactics.listed(squad.ids, whole), behaviour=squad.behaviour,
                            cover=(group.cover or cover) and not group.behind,
                        )
                        for squad in squads
                    ]  # fmt: skip
                    left = np.setdiff1d(left, mine)
            parts.append([*groups, *([replace(group, units=Tactics.listed(left, whole))] if len(left) else [])])
        steps.append(replace(step, groups=_regrouped(parts)))
    if tuple(steps) == running.plan.steps:
        raise Unclear("That changes nothing in the present plan.")
    return dsl.PlanSyntax(tuple(steps))


def settle(tactics: Tactics) -> None:
    """Let stages that no other one waits for last until the end of the battle, where nothing else was said."""
    facts, stages = tactics.scene.facts, tactics.stages
    waited = set().union(*(_kept_after(stage, stages) for stage in stages if stage.squads), *tactics.resumed.values())
    for number, stage in enumerate(stages):
        ends = isinstance(stage.objective, dsl.Elimination) or (not stage.ends and len(facts.foe.types))
        if number not in waited and ends and "elimination" in facts.context.objectives:
            stage.objective = dsl.Elimination(dsl.UnitList(None))


def write(tactics: Tactics, running: Running | None) -> dsl.PlanSyntax:
    """Return the plan of some stages, after what remains of the plan that is followed now."""
    facts, stages = tactics.scene.facts, tactics.stages
    whole = len(facts.own.types)
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
                    Tactics.listed(np.unique(squad.ids), whole), squad.cell, squad.behaviour, squad.types,
                    squad.leash, squad.cover and behind is None, behind=behind,
                )
            )  # fmt: skip
        after = tuple(sorted(numbers[each] for each in _kept_after(stage, stages)))
        steps.append(dsl.Step(name, after, stage.objective, tuple(groups)))
    if running is None:
        return dsl.PlanSyntax(tuple(steps))
    named = set().union(*(stage.units() for stage in stages)) - tactics.resumed.keys()
    first_of = set().union(*tactics.resumed.values()) & numbers.keys()
    kept = remains(running, named, whole, {numbers[each] for each in first_of})
    return dsl.PlanSyntax((*kept, *steps))


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
            [replace(group, units=Tactics.listed(ids, whole))] if len(ids) else []
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
