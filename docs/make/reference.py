"""`docs/reference.md`: both languages in full, from the grammars, the vocabulary, the leaves and the unit types."""

from __future__ import annotations

from collections.abc import Iterable

import scenarios
from docs.make import crew_words
from docs.make.codes import PLAN, PLAN_CODES, TREE_CODES, Code
from docs.make.meanings import (
    ATOMICS,
    COLUMNS,
    SIGNATURES,
    SLOTS,
    TREE_ORIGINS,
    TYPE_ORIGINS,
    WORDS,
    reach_steps,
    signature,
)
from dsl.plan_lines import PLAN_GRAMMAR
from dsl.plan_parser import MAX_PLAN_LENGTH
from dsl.tree_parser import MAX_TREE_DEPTH, MAX_TREE_LENGTH, TREE_GRAMMAR
from dsl.vocabulary import (
    BATTLE_FORMS,
    BEHAVIOURS,
    COMPASS,
    CREW_BEHAVIOURS,
    FORMER_BEHAVIOURS,
    FORMER_UNIT_TYPES,
    FORMS,
    TIMES,
    UNIT_TYPES,
)
from hive.engine.leaves import LEAVES
from hive.worlds.battle.scenario.schema import DEFAULT_TYPES

_ROLES = {"A": "action", "C": "condition"}


def make_reference() -> str:
    """Return the text of the page."""
    return (
        "\n\n".join((_HEAD, _plans(), _trees(), _atomics(), _shipped_trees(), _types(), _codes(), _grammars())) + "\n"
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    head = tuple(head)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *(tuple(row) for row in rows)))


def fence(text: str, language: str = "text") -> str:
    """Return a text as a fenced block."""
    return f"```{language}\n{text.rstrip()}\n```"


_HEAD = """\
# Reference: plans and behaviour trees

<!-- Made by `python -m docs.make` from the grammars, the vocabulary, the leaves and the unit types. Do not edit. -->

[`plans.md`](plans.md) is a tutorial of both languages; this page lists every word of them. "Published" marks what
HIVE's authors defined, and "ours" what we defined where they left a gap.

- [Plans](#plans): [lines](#lines-of-a-plan), [rules](#rules-of-a-plan)
- [Behaviour trees](#behaviour-trees): [words](#words), [actions](#actions), [conditions](#conditions), and
  [actions](#actions-of-crews) and [conditions](#conditions-of-crews) of crews in a wildfire
- [Shipped trees](#shipped-trees), [unit types](#unit-types), [crew types](#crew-types)
- [Diagnostics](#diagnostics), [grammar files](#grammar-files)"""


def _plans() -> str:
    names, *crew_names = (" | ".join(some) for some in (BEHAVIOURS, CREW_BEHAVIOURS[:5], CREW_BEHAVIOURS[5:]))
    types = " | ".join(("any", *UNIT_TYPES))
    return f"""\
## Plans

```text
plan        :=  ["BEGIN PLAN"]  step+  ["END PLAN"]
step        :=  "Step" INT ":"
                "prerequisites:" "[" [INT ("," INT)*] "]"
                "objective:" objective
                group+
group       :=  "units:" units
                "- target position:" target
                "- behavior:" BEHAVIOUR TYPE* ["within" INT]
objective   :=  "position"  |  "elimination" (unit_list | TYPE ("," TYPE)*)  |  "time" INT
                |  "arrival" ("any" | INT "%")  |  "sighted"  |  "losses" INT "%"  |  "enemy losses" INT "%"
                or in a wildfire "position"  |  "cut" "[" cell ("," cell)* "]"  |  "extinguish"
                |  "contain" cell INT  |  "rescue" INT cell  |  "transport" INT cell
                |  "scout" (cell cell | "fire")  |  "time" INT  |  "arrival" ("any" | INT "%")  |  "losses" INT "%"
units       :=  term ("," term)*  |  "nearest" INT ["of" term] "to" cell  |  [term] "in" cell "-" cell
term        :=  (share "of")* (unit_list | TYPE | "the rest" ["of" (unit_list | TYPE)])
share       :=  "half"  |  "a third"  |  "two thirds"  |  "a quarter"  |  "three quarters"  |  INT "%"  |  INT
target      :=  (place | ("line" | "area") place "-" place) ["via" place ("," place)*] ["under cover"]
                |  "behind" term ("," term)* "by" INT
place       :=  cell  |  "marker" LETTER  |  FEATURE  |  COMPASS ["of" ("the map" | FEATURE)]
unit_list   :=  "all"  |  "[" item ("," item)* "]"
item        :=  INT  |  [INT] ":" [INT]
cell        :=  "(" INT "," INT ")"
COMPASS     :=  {" | ".join(COMPASS[:5])}
                | {" | ".join(COMPASS[5:])}
FEATURE     :=  a named feature of the scenario's map, such as North Bridge
BEHAVIOUR   :=  {names} | hold
                or in a wildfire {crew_names[0]}
                | {crew_names[1]}
                or another tree that the scenario names
TYPE        :=  {types}
```

Each item stands on its own line, in this order. Blank lines are allowed. A `#` begins a comment. A complete plan:

{fence(PLAN, "plan")}

### Lines of a plan

{table(("Line", "Means"), (*_LINES[:6], *crew_words.LINES, *_LINES[6:]))}

### Rules of a plan

- **A step is active** from when all its prerequisites are achieved until its own objective is met. Objectives are
  checked after every tick, steps in text order. An achieved step stays achieved, and later steps that wait for it
  become active in the same tick.
- **A unit obeys** the last active step that names it, in text order. A unit that no active step names continues with
  its last orders; a unit that no step has named yet stands.
- **`position`** is met when every live unit of the step's groups stands within the crowd radius of its target:
  1 + ⌈√Σr²⌉ metres, over the radii r of the live units sent there; or at its gap behind another group. Dead units do
  not count, and when all are dead it is met.
- **`elimination`** is met when every listed unit of the other side is dead.
- **A game ends** with `win` when the global objective of the scenario is met; `lose` when the enemy's is, or when
  fewer own units live than the global objective needs, usually one; `plan_finished` when no step is active any more;
  `timeout` at the limit of ticks. They are checked in this order. The enemy's plan follows the same rules, but the game
  does not end when it is finished.
{crew_words.RULES}
- **Ids count per side**, from 0: in `units:` they are ids of the plan's own team, in `elimination` of the other team. A
  plan is written for the team sizes of its scenario; `--units` rescales its ids.
- **Words** for units and places are resolved when a plan is read; `hive format --expand` shows the result. The rules
  are in [`rules/plans.md`](rules/plans.md), sections 1.6 to 1.9 and 3.7 to 3.12. In a wildfire `sighted`, `enemy
  losses`, `behind`, `under cover` and `within` are not known.
- **Tolerance**: other text may surround a plan (outside its markers, if it has them). Missing bullets, wrong capitals
  of first words, Markdown formatting and `behaviour` for `behavior` are accepted with a warning. Everything else must
  be as above.
- **Former names** are refused with a hint: {_former(FORMER_BEHAVIOURS)};
  {_former(FORMER_UNIT_TYPES)}.
- **Limits**: {MAX_PLAN_LENGTH:,} characters without blanks, numbers of 9 digits."""


_LINES = (
    ("`Step 3:`", "a step; its number is its name and must not come twice"),
    ("`prerequisites: [0, 1]`", "the steps that must be achieved first; `[]` for none"),
    ("`objective: position`", "the step is achieved when its live units stand near their targets"),
    ("`objective: elimination all`", "… when all units of the other side are dead"),
    ("`objective: elimination [0, 4, 10:20]`", "… when those units of the other side are dead"),
    ("`objective: elimination archer, cavalry`", "… when all units of those types of the other side are dead"),
    ("`units: all`", "a group: the whole team"),
    ("`units: [0, 1, 10:20, 50:]`", "a group: units 0, 1, 10 to 19, and 50 to the last; `[:10]` is 0 to 9"),
    (
        "`- target position: (25, 75)`",
        "where the group goes: metres east and north of the south-west corner, whole numbers",
    ),
    ("`units: archer, half of spearmen`", "a group by types and shares; shares and numbers take the lowest free ids"),
    ("`units: the rest`", "a group: all units that no other group of the step names"),
    ("`units: nearest 20 of archer to (5, 5)`", "of these units, those nearest to a place when the step begins"),
    ("`units: archer in (0, 0) - (20, 20)`", "of these units, those that stand in a box when the step begins"),
    (
        "`- target position: North Bridge`",
        "a place in words: a feature, `marker A`, `north-east`, `south of East Wood`",
    ),
    ("`- target position: line (5, 5) - (40, 5)`", "the group spreads over a line, or with `area` over a box"),
    ("`- target position: (9, 9) via (5, 5)`", "the group goes there by other places"),
    (
        "`- target position: (9, 9) under cover`",
        "… by a way in forest, and where the enemy does not see from its start",
    ),
    ("`- target position: behind spearmen by 8`", "the group follows another group of its step, so many metres behind"),
    ("`objective: time 100`", "the step is achieved so many ticks after it began"),
    ("`objective: arrival 80%`", "… when that share of its live units, or with `any` one, stand near their targets"),
    ("`objective: sighted`", "… when a unit of the step sees an enemy"),
    ("`objective: losses 30%`", "… when that share of the step's units is dead; `enemy losses` counts all enemies"),
    ("`- behavior: attack_and_move`", "the tree that each unit of the group runs, against every type"),
    (
        "`- behavior: attack_and_move archer cavalry`",
        "the same with target types, which replace each written `any` of the tree",
    ),
    ("`- behavior: hold within 12`", "the same on a leash of so many metres round the target"),
)


def _former(names: dict[str, str]) -> str:
    return ", ".join(f"`{old}` is now `{new}`" for old, new in names.items())


def _trees() -> str:
    alternatives = {role: [signature(form) for form in FORMS if form.role == role] for role in _ROLES}
    slots = [(name, "  |  ".join(words)) for words, name in SLOTS.items()]
    rules = [
        ("tree", "node"),
        ("node", "S( node (:: node)* )  |  F( node (:: node)* )  |  A( action )  |  C( condition )"),
        ("action", f"\n{'':16}|  ".join(alternatives["A"])),
        ("condition", f"\n{'':16}|  ".join(alternatives["C"])),
        ("TYPES", "any  |  UNIT (or UNIT)*"),
        *slots,
    ]
    block = "\n".join(f"{name:<12}:=  {' ' if chr(10) in text else ''}{text}" for name, text in rules)
    return f"""\
## Behaviour trees

{fence(block.replace(":=   ", ":=  "))}

`::` and `|>` mean the same. Spaces and line breaks may stand anywhere. Words are lower case, the letters of nodes upper
case; there are no comments. At most {MAX_TREE_LENGTH:,} characters without blanks and {MAX_TREE_DEPTH} nested brackets.

{table(("Node", "Does"), _NODES)}

Every unit runs its tree from the root in every tick, and remembers nothing. The unit does the first action that
succeeds, which ends the tree; when no action succeeds, the unit stands.

### Words

{table(("Argument", "Word", "Means"), _words())}

Only visible units are candidates: they are alive, within the unit's own sight, and no forest or building lies on the
line between the two, its ends included. When there is no candidate, the atomic fails. TYPES restricts the candidates;
when it is left out, any type counts, but only a written `any` is replaced by the target types of a plan.

{crew_words.KNOWN}"""


_NODES = (
    ("`S( … )`", "sequence: runs its children in order until one fails; succeeds when all succeed"),
    ("`F( … )`", "fallback: runs its children in order until one succeeds; fails when all fail"),
    ("`A( … )`", "an action: fails, or succeeds, is carried out and ends the tree"),
    ("`C( … )`", "a condition: succeeds or fails, and does nothing"),
)


def _words() -> Iterable[tuple[str, str, str]]:
    for argument, words in WORDS.items():
        for number, (word, meaning) in enumerate(words.items()):
            yield "" if number else argument, f"`{word}`", meaning


def _atomics() -> str:
    parts = []
    battle = {form.name for form in BATTLE_FORMS}
    for of_crews, ending in ((False, ""), (True, " of crews")):
        for role, plural in (("A", "Actions"), ("C", "Conditions")):
            parts.append(f"### {plural}{ending}")
            parts += [
                _atomic(name) for name, kind in LEAVES.items() if kind.role == role and (name not in battle) == of_crews
            ]
            if role == "C" and not of_crews:
                parts.append(_reach())
    return "\n\n".join(parts)


def _atomic(name: str) -> str:
    kind = LEAVES[name]
    lines = [f"#### `{name}`", "", f"{_ROLES[kind.role].capitalize()}, {kind.origin}. {kind.summary}", ""]
    for written, form in SIGNATURES.items():
        if form.name == name:
            succeeds, action = ATOMICS[written]
            lines += [f"- `{kind.role}({written})`", f"  - succeeds: {succeeds}"]
            lines += [f"  - then: {action}"] if action else []
    return "\n".join(lines)


def _reach() -> str:
    rows = []
    for unit in DEFAULT_TYPES[:3]:
        rows.append([f"`{unit.name}`", *(f"{unit.reach + reach_steps(time) * unit.speed:g}" for time in TIMES)])
    return f"""\
Metres within which `in_reach foe me_from_them TIME` counts another unit, by the other unit's type. Units beyond the
unit's own sight range are not counted:

{table(("Type", *(f"`{time}`" for time in TIMES)), rows)}"""


def _shipped_trees() -> str:
    parts = [
        f"""\
## Shipped trees

A plan may name the trees that its scenario allows. By default these are
{_names(BEHAVIOURS)}; `hold` in every battle; in a wildfire
{_names(CREW_BEHAVIOURS)}."""
    ]
    for name in scenarios.trees():
        parts.append(
            f"### `{name}`\n\n{TREE_ORIGINS.get(name, 'ours').capitalize()}.\n\n{fence(scenarios.tree(name), 'bt')}"
        )
    return "\n\n".join(parts)


def _names(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _types() -> str:
    rows = [
        [f"`{kind.name}`", *(f"{getattr(kind, key):g}" for key in COLUMNS), TYPE_ORIGINS[kind.name]]
        for kind in DEFAULT_TYPES
    ]
    meanings = "\n".join(f"- {heading}: {meaning}" for heading, meaning in COLUMNS.values())
    return f"""\
## Unit types

A scenario may change any of these numbers.

{table(("Type", *(heading for heading, _ in COLUMNS.values()), "Origin"), rows)}

{meanings}

### Crew types

{table(crew_words.CREW_TABLE_HEAD, crew_words.crew_rows())}"""


def _codes() -> str:
    return f"""\
## Diagnostics

Codes are stable; sentences may change. An error makes the text unusable, a warning does not. Checking a tree stops at
its first syntax error; in a plan every bad line is reported. Each example of a plan replaces one line of the plan
[above](#plans), for teams of 10 and 8 units on a map of 50 m. The printed message also shows the place, and often what
to write instead.

### Codes of trees

{table(("Code", "Meaning", "Example", "Message"), (_code(code) for code in TREE_CODES))}

### Codes of plans

{table(("Code", "Meaning", "Example", "Message"), (_code(code) for code in PLAN_CODES))}"""


def _code(code: Code) -> tuple[str, str, str, str]:
    finding = code.finding()
    kind = " (warning)" if finding.severity == "warning" else ""
    shown = (
        ""
        if code.example is None
        else "<br>".join(f"`{line}`" if line else "(empty)" for line in code.example.split("\n"))
    )
    return f"`{code.name}`{kind}", code.meaning, shown, finding.message.replace("|", "\\|")


def _grammars() -> str:
    blocks = []
    for grammar, what in (
        (TREE_GRAMMAR, "trees, with the rules of words from `dsl/vocabulary.py`"),
        (PLAN_GRAMMAR, "plans, a rule for each kind of line"),
    ):
        blocks.append(f"`dsl/grammars/{grammar.file}`, for {what}:\n\n{fence(grammar.text, 'lark')}")
    return "\n\n".join(("## Grammar files", "The grammars of the parsers, in the notation of Lark.", *blocks))
