"""The grammar of all plans that fit a context, their slices between cut points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from dsl.diagnostics import UserError
from dsl.narrowing.cuts import MOST_CUTS, Cuts, choose_cuts
from dsl.narrowing.rules import (
    Join,
    Length,
    Maybe,
    RuleBody,
    Use,
    join,
    longest_text,
    numeral,
    pick,
    write_gbnf,
    write_lark,
)
from dsl.plan_parser import MAX_PLAN_LENGTH, MAX_PLAN_WORDS
from dsl.vocabulary import COMPASS, SHARES, PlanContext, count_kinds
from dsl.wording import plural

MOST_STEPS = 30
"""Most steps of a grammar; fewer where its longest plan would be beyond the limits of `plan_parser`."""

_CELLS = 40  # most cells of a `cut`; the levels that are shipped have 35 at most
_NINES = 10**9 - 1  # the largest number of a plan


@dataclass(frozen=True)
class Narrowed:
    """A grammar whose every text is a complete reply: a plan between its markers that passes all checks.

    Attributes:
        gbnf: The grammar for llama.cpp; it begins at `root`.
        lark: The same grammar for llguidance; it begins at `start`.
        remarks: What the grammar leaves out, one line each.
    """

    gbnf: str
    lark: str
    remarks: tuple[str, ...]


def narrow(context: PlanContext, cuts: int = 100, steps: int = 10) -> Narrowed:
    """Return the grammar of the plans that fit a context, in canonical layout.

    Steps count from 0, and wait for earlier steps alone. The groups of a step, and their slices, follow one another in
    the order of ids, or they are types in order and the rest, so that no unit is in two groups. A last group of a step
    may choose its units in the game. It leaves out several types in a group, `behind` other than by types, and, where
    the features of the map are not known, all words of groups.

    Args:
        context: What plans are checked against, with all sizes.
        cuts: Most cut points of a team, from 1; slices begin and end there. Above `MOST_CUTS` that many are used.
        steps: Most steps of a plan, from 1. Above `MOST_STEPS`, or if the longest plan could not be read, fewer are
            used.

    Raises:
        UserError: A size is missing, or a number is below 1.
    """
    if context.team_size is None or context.foe_size is None or context.map_size is None:
        raise UserError(
            "a grammar needs the sizes of both teams and of the map\n"
            "  = help: give the context `team_size`, `foe_size` and `map_size`"
        )
    if min(cuts, steps) < 1:
        raise UserError("a grammar needs at least 1 cut point and 1 step")
    remarks = [f"{cuts} cut points are too many: a team has at most {MOST_CUTS}"] if cuts > MOST_CUTS else []
    cuts = min(cuts, MOST_CUTS)
    team = choose_cuts("the team", context.team_size, cuts, _borders(context.team_blocks))
    foes = choose_cuts("the other side", context.foe_size, cuts, _borders(context.foe_blocks))
    battle = "elimination" in context.objectives
    worded = context.features is not None
    blocks = count_kinds(context.team_blocks) if worded else {}
    kinds = [Use("kinds0")] if blocks else []
    choices = dict(_choices(context, blocks)) if worded and {"nearest", "in"} & {*context.orders} else {}
    rules: dict[str, RuleBody] = {
        "groups": join(
            "units: ",
            pick(join("all", Use("task")), join("[", Use("own0")), *kinds),
            Maybe(Use("choice")) if choices else "",
        ),
        **dict(_slices("own", team, _next_group)),
        **dict(_kinds(blocks, behind="behind" in context.orders)),
        **choices,
        **dict(_tasks(context, worded)),
        **(dict(_places(context)) if worded else {}),
        **dict(_objectives(context)),
        **(dict(_slices("foe", foes, lambda start: "]")) if battle and context.foe_size else {}),
        "cell": join("(", Use("AXIS"), ", ", Use("AXIS"), ")"),
        "AXIS": numeral(0, context.map_size - 1),
        "METRES": numeral(1, context.map_size),
    }
    longest = longest_text(rules)
    most = _most_steps(Length(*map(sum, zip(longest["objective"], longest["groups"], strict=True))))
    remarks += [f"{steps} steps are too many for this grammar"] if steps > most else []
    steps = min(steps, most)
    rules = {"start": join("BEGIN PLAN\n", Use("step0")), **dict(_steps(steps)), **rules}
    remarks += [f"a plan has at most {plural(steps, 'step')}"]
    remarks += [each.remark for each in (team, foes if battle else Cuts(())) if each.remark]
    return Narrowed(write_gbnf(rules), write_lark(rules), tuple(remarks))


def _most_steps(step: Length) -> int:
    """Return the most steps of a plan that can be read, each with an objective and groups of such a length."""
    words, signs = 14, 60  # of the other lines of a step, and of the markers

    def fits(count: int) -> bool:
        waits = count * (count - 1)  # numbers and commas of all prerequisites; a number has two digits at most
        within = count * (step.words + words) + waits <= MAX_PLAN_WORDS
        return within and count * (step.characters + signs) + 2 * waits <= MAX_PLAN_LENGTH

    return next((count for count in range(MOST_STEPS, 1, -1) if fits(count)), 1)


def _borders(blocks: tuple[tuple[str, int], ...]) -> tuple[int, ...]:
    """Return the ends of all blocks but the last."""
    return tuple(end for _, end in blocks[:-1])


def _steps(count: int) -> Iterator[tuple[str, RuleBody]]:
    """Yield a rule for each step, and a chain of rules for its prerequisites: rising numbers below its own."""
    for step in range(count):
        yield (
            f"step{step}",
            join(
                f"Step {step}:\nprerequisites: [",
                Maybe(Use(f"after{step}from0")) if step else "",
                "]\nobjective: ",
                Use("objective"),
                "\n",
                Use("groups"),
                pick("END PLAN\n", *([join("\n", Use(f"step{step + 1}"))] if step + 1 < count else [])),
            ),
        )
        for low in range(step):
            later = Use(f"after{step}from{low + 1}") if low + 1 < step else None
            here = join(str(low), Maybe(join(", ", later)) if later else "")
            yield f"after{step}from{low}", _or_later(later, here)


def _slices(name: str, cuts: Cuts, close: Callable[[Use | None], RuleBody]) -> Iterator[tuple[str, RuleBody]]:
    """Yield a chain of rules for a list of rising slices, without its first bracket.

    The rule `own3` is the rest of the list where its next item begins at cut point 3 or later, `ownto4` that where the
    present slice ends at cut point 4 or later, `ownat4` that where an item has just ended at cut point 4.

    Args:
        name: How the rules are called, here `own`.
        cuts: The cut points.
        close: What ends a list whose units all come before the items of a rule; None: no units come after it.
    """
    last = len(cuts.points) - 1
    for place, (low, high) in enumerate(pairwise(cuts.points)):
        here, end = place, place + 1
        later = Use(f"{name}{end}") if end < last else None
        single = [Use(f"{name}at{end}")] if high == low + 1 else []
        yield f"{name}{here}", _or_later(later, join(str(low), pick(join(":", Use(f"{name}to{end}")), *single)))
        ended_later = Use(f"{name}to{end + 1}") if end < last else None
        yield f"{name}to{end}", _or_later(ended_later, join(str(high), Use(f"{name}at{end}")))
        yield f"{name}at{end}", pick(*([join(", ", later)] if later else []), close(later))


def _or_later(later: Use | None, body: RuleBody) -> RuleBody:
    """Return a body, or what comes later in a chain.

    The chain is written first: a reader that follows the rules depth first then goes once along the chain of starts,
    and finds what it needs on its way back. The other way round it goes three times as deep.
    """
    return pick(*([later] if later else []), body)


def _next_group(start: Use | None) -> RuleBody:
    """Return what ends the list of a group: its task, and perhaps the next group, of units after its own."""
    return join("]", Use("task"), Maybe(join("units: [", start)) if start else "")


def _kinds(sizes: dict[str, int], behind: bool) -> Iterator[tuple[str, RuleBody]]:
    """Yield a chain of rules for groups by types, each named once and in order, all or a part of it, then `the rest`.

    The rule `kinds3` begins at type 3 or later. In `left3` a unit of an earlier type has no group, so there is a rest.
    Of two complete types that follow each other in a step, `pair`, one may stay behind the other.
    """
    last, kinds = len(sizes), tuple(sizes)
    for place, (kind, size) in enumerate(sizes.items()):
        for name in ("kinds", "left"):
            here = [join(kind, Use("task"), _more_kinds(name, place + 1, last))]
            if size > 1:
                here.append(join(Use(f"part{place}"), f" of {kind}", Use("task"), _more_kinds("left", place + 1, last)))
            if behind and place + 1 < last:
                here.append(Use(f"{name}pair{place}"))
            yield f"{name}{place}", pick(Use(f"left{place + 1}"), *here)
            if behind and place + 1 < last:
                pairs = (
                    join(
                        pick(
                            join(kind, Use("task"), "units: ", Use(f"type{number}"), _behind(kind)),
                            join(kind, _behind(other), "units: ", Use(f"type{number}"), Use("task")),
                        ),
                        _more_kinds(name if number == place + 1 else "left", number + 1, last),
                    )
                    for number, other in enumerate(kinds[place + 1 :], start=place + 1)
                )
                yield f"{name}pair{place}", pick(*pairs)
        yield f"type{place}", kind
        if size > 1:
            yield f"part{place}", _parts(kind, size)
            yield f"{kind.upper()}PART", numeral(1, size - 1)
            yield f"{kind.upper()}PERCENT", numeral(1, 100 * (size - 1) // size)
    if sizes:
        yield f"left{last}", join("the rest", Use("task"))


def _parts(kind: str, size: int) -> RuleBody:
    """Return the body of the shares and numbers of a type that leave some of it."""
    shares = [words for words, (top, bottom) in SHARES.items() if -(-size * top // bottom) < size]
    return pick(*shares, Use(f"{kind.upper()}PART"), join(Use(f"{kind.upper()}PERCENT"), "%"))


def _behind(kind: str) -> RuleBody:
    """Return what follows a type that stays behind another one.

    It begins with the rule with which a task begins: as Lark a string is one word, and the longest is read.
    """
    return join(Use("target"), f"behind {kind} by ", Use("METRES"), Use("behaviour"))


def _more_kinds(name: str, place: int, last: int) -> RuleBody:
    """Return the groups that may follow, if any may."""
    return "" if name == "kinds" and place == last else Maybe(join("units: ", Use(f"{name}{place}")))


def _choices(context: PlanContext, sizes: dict[str, int]) -> Iterator[tuple[str, RuleBody]]:
    """Yield the rules for a last group of a step whose units are chosen in the game."""
    options: list[RuleBody] = []
    counts: dict[str, RuleBody] = {}
    for kind, size in {**sizes, "all": context.team_size or 0}.items():
        count = f"{kind.upper()}COUNT"
        if size and "nearest" in context.orders:
            options.append(join("nearest ", Use(count), f" of {kind} to ", Use("cell")))
            counts[count] = numeral(1, size)
        if size and "in" in context.orders:
            options.append(join(f"{kind} in ", Use("cell"), " - ", Use("cell")))
    yield "choice", join("units: ", pick(*options), Use("target"), Use("place"), Use("behaviour"))
    yield from counts.items()


def _places(context: PlanContext) -> Iterator[tuple[str, RuleBody]]:
    """Yield the rules for a place, in numbers or in words."""
    names = [_row(feature.name) for feature in context.features or () if feature.place]
    markers = [f"marker {letter}" for letter, _ in context.markers or ()]
    whole = Maybe(join(" of ", pick(_row("the map"), *names)))
    yield "place", pick(Use("cell"), *markers, *names, join(Use("part"), whole))
    yield "part", pick(*(word for word in COMPASS if word != "center"))


def _row(name: str) -> RuleBody:
    """Return a name as a row of words.

    As Lark the longest word is read: of `Hill` and `Hill 203` as two words, the first could not be followed by a blank.
    """
    first, *others = name.split(" ")
    return Join((first, *(f" {word}" for word in others))) if others else first


def _tasks(context: PlanContext, worded: bool) -> Iterator[tuple[str, RuleBody]]:
    """Yield the rules for a group's target, behaviour and target types, which stand in the order of their indices."""
    known = context.team_blocks and context.foe_blocks
    here = {*count_kinds(context.team_blocks), *count_kinds(context.foe_blocks)}
    types = [kind for kind in context.unit_types if kind in here or not known]
    yield "task", join(Use("target"), _target(context) if worded else Use("cell"), Use("behaviour"))
    yield "target", "\n- target position: "
    leash = Maybe(join(" within ", Use("METRES"))) if worded and "within" in context.orders else ""
    yield (
        "behaviour",
        join(
            "\n- behavior: ",
            pick(*context.behaviours),
            Maybe(pick(" any", Use("types0"))) if types else "",
            leash,
            "\n",
        ),
    )
    for place, kind in enumerate(types):
        later = Use(f"types{place + 1}") if place + 1 < len(types) else None
        yield f"types{place}", _or_later(later, join(f" {kind}", Maybe(later) if later else ""))


def _target(context: PlanContext) -> RuleBody:
    """Return the body of a target, in numbers or in words."""
    spread = (join(f"{form} ", Use("place"), " - ", Use("place")) for form in ("line", "area"))
    cover = Maybe(" under cover") if "under cover" in context.orders else ""
    via = Maybe(join(" via ", Use("place"), Maybe(join(", ", Use("place")))))
    return join(pick(Use("place"), *spread), via, cover)


def _objectives(context: PlanContext) -> Iterator[tuple[str, RuleBody]]:
    """Yield the rule for objectives and the rules that it needs."""
    options: list[RuleBody] = []
    helpers: dict[str, RuleBody] = {}
    for word in context.objectives:
        match word:
            case "elimination":
                listed = [join("[", Use("foe0"))] if context.foe_size else []
                kinds = count_kinds(context.foe_blocks) if context.features is not None else ()
                options.append(join("elimination ", pick("all", *listed, *kinds)))
            case "cut":
                options.append(join("cut [", Use("cells1"), "]"))
                for place in range(1, _CELLS + 1):
                    more = Maybe(join(", ", Use(f"cells{place + 1}"))) if place < _CELLS else ""
                    helpers[f"cells{place}"] = join(Use("cell"), more)
            case "contain":
                options.append(join("contain ", Use("cell"), " ", Use("RADIUS")))
                helpers["RADIUS"] = numeral(0, context.map_size or 0)
            case "rescue" | "transport":
                if most := context.most.get(word, _NINES):
                    options.append(join(f"{word} ", Use(f"{word.upper()}COUNT"), " ", Use("cell")))
                    helpers[f"{word.upper()}COUNT"] = numeral(1, most)
            case "scout":
                options.append(join("scout ", pick("fire", join(Use("cell"), " ", Use("cell")))))
            case "time":
                options.append(join("time ", Use("TICKS")))
                helpers["TICKS"] = numeral(1, _NINES)
            case "arrival":
                options.append(join("arrival ", pick("any", join(Use("PERCENT"), "%"))))
                helpers["PERCENT"] = numeral(1, 100)
            case "losses" | "enemy losses":
                options.append(join(f"{word} ", Use("PERCENT"), "%"))
                helpers["PERCENT"] = numeral(1, 100)
            case "position" | "extinguish" | "sighted":
                options.append(word)
            case _:
                raise AssertionError(f"the grammar has no form for the objective {word}")
    yield "objective", pick(*options)
    yield from helpers.items()
