"""A judge of descriptions of what an agent perceives: what a model is sent, and a judge by rules.

Published are two scores, of fire and of civilians, and a text that explains them (docs/rules/teams.md 2.1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from dsl.wording import plural
from hive.engine.crews.explored import Explored
from hive.kit.agent_env import Observation
from hive.kit.prompts import tags
from hive.worlds.wildfire.agents.catalogue import words
from hive.worlds.wildfire.agents.paragraphs import MOST_CELLS, nearest
from hive.worlds.wildfire.agents.views import Cell, View, read_view

SCORES = ("fire_score", "civilian_score")

_SORTS = (  # lines of the facts, with the codes of their cells, by score
    (
        ("Ignited", Explored.IGNITED),
        ("On fire", Explored.ON_FIRE),
        ("Extinguishing", Explored.EXTINGUISHING),
        ("Burnt out", Explored.BURNT),
    ),
    (("Civilians", Explored.CIVILIAN),),
)
_CELL = re.compile(r"\((\d+), ?(\d+)\)")
_WORD = re.compile(
    r"(?P<fire>\b(?:wild)?fires?\b|\bignit|\bburn|\bflam|\bablaze|\bextinguish|\bsmou?lder)"
    r"|(?P<civilian>\bcivilian|\bvictim)"
    r"|(?P<other>\bwater|\bbuilding|\bagent|\bfirefighter|\bbulldozer|\bdrone|\bhelicopter|\bI am\b|\bmy\b|\btree)"
    r"|(?P<nil>: ?(?:none|nothing|0)\b)|(?P<no>\b(?:no|not|none|without|neither|nor)\b)"
    r"|(?P<yes>\bbut\b|\bhowever\b)|(?P<cell>\(\d+, ?\d+\))|(?P<end>[.;!?](?:\s|$))",
    re.IGNORECASE,
)
_TOPICS = ("fire", "civilian")
_FACTS = re.compile(r"^(\w[\w ]*) \(\d+\): (.*)$", re.MULTILINE)
_DESCRIPTION = "Description:\n"


def shows(seen: Observation) -> tuple[bool, ...] | None:
    """Return whether fire and whether civilians are in view; None for an agent that is in a helicopter."""
    view = _view(seen)
    if view.carrier:
        return None
    return tuple(bool(np.isin(view.window, [code for _, code in sorts]).any()) for sorts in _SORTS)


def judging(seen: Observation, text: str) -> tuple[str, str]:
    """Return the messages for a judge of a description of what an agent perceives, who reads the true cells."""
    view = _view(seen)
    lines = []
    for name, code in (sort for sorts in _SORTS for sort in sorts):
        cells = nearest(view, view.window == code)
        lines.append(f"{name} ({len(cells)}): {', '.join(map(str, cells)) or 'none'}")
    facts = "\n".join(lines)
    user = words().fill("Judged", name=view.name, kind=view.kind, place=view.cell, facts=facts, text=text)
    return words().fill("Judge"), user


def judge(system: str, texts: Sequence[str]) -> str:
    """Judge by rules: the coordinates that a description gives for fire, and for civilians, against the true cells.

    A coordinate belongs to what was named last before it in its sentence, or first after it.

    A score is ten times the harmonic mean of two shares: of the coordinates given, those next to a true cell or on it;
    of the true cells, of each sort the nearest `MOST_CELLS` alone, those next to a coordinate given. Where there is no
    true cell it is 10 for a description that claims none, and 0 otherwise.

    Args:
        system: Is not read.
        texts: The message of `judging`.
    """
    facts, _, text = texts[-1].partition(_DESCRIPTION)
    known = {name: _read(cells) for name, cells in _FACTS.findall(facts)}
    told, claimed = _told(text)
    scores, why = {}, []
    for score, sorts, topic in zip(SCORES, _SORTS, _TOPICS, strict=True):
        cells = [known.get(name, []) for name, _ in sorts]
        scores[score] = str(_score(cells, told[topic], topic in claimed))
        there = sum(map(len, cells))
        why.append(f"for {topic} {plural(len(told[topic]), 'place')} given, {plural(there, 'cell')} there")
    return tags(explanation="; ".join(why), **scores)


def _told(text: str) -> tuple[dict[str, list[Cell]], set[str]]:
    """Return the coordinates given for each topic, and the topics of which a text says that there is some."""
    told: dict[str, list[Cell]] = {topic: [] for topic in (*_TOPICS, "other")}
    claimed: set[str] = set()
    topic, denied, early = "", False, list[Cell]()
    for found in _WORD.finditer(text):
        sort = str(found.lastgroup)
        if sort == "end":
            topic, denied, early = "", False, []
        elif sort == "nil":
            claimed.discard(topic)
        elif sort in ("no", "yes"):
            denied = sort == "no"
        elif sort == "cell":
            if not denied:
                (told[topic] if topic else early).extend(_read(found[0]))
                claimed.add(topic)
        else:
            topic = sort
            told[topic] += early
            if early or not denied:
                claimed.add(topic)
            early = []
    return told, claimed


def _score(cells: Sequence[Sequence[Cell]], told: Sequence[Cell], claims: bool) -> int:
    true = [cell for some in cells for cell in some]
    if not true:
        return 0 if claims else 10
    if not told:
        return 0
    wanted = [cell for some in cells for cell in some[:MOST_CELLS]]
    right = sum(_close(cell, true) for cell in told) / len(told)
    found = sum(_close(cell, told) for cell in wanted) / len(wanted)
    return round(20 * right * found / (right + found)) if right + found else 0


def _close(cell: Cell, others: Sequence[Cell]) -> bool:
    return any(abs(cell[0] - x) <= 1 and abs(cell[1] - y) <= 1 for x, y in others)


def _read(text: str) -> list[Cell]:
    return [(int(x), int(y)) for x, y in _CELL.findall(text)]


def _view(seen: Observation) -> View:
    view = read_view(seen.role, seen.view)
    assert view is not None, "the texts of an agent can be read back"
    return view
