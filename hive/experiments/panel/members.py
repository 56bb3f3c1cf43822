"""The members of the panel that need no search, as plans, and levels by who wins.

Rules: docs/rules/sets.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hive.engine.types import PLAYER
from hive.kit.errors import DataError
from hive.worlds.battle.drawn.draw import Drawn
from hive.worlds.battle.drawn.plan_writer import ELIMINATION, PlanWriter, spot

GAMES = 8
"""Games of each member in a battle, with the seeds 0 to `GAMES` - 1."""
PLAIN = ("stand", "attack", "default")
"""The members without a search, by their levels."""
SEARCH = "search"
SOLUTION = "solution"
"""A plan that somebody found where the searches did not; it decides only whether a battle is unsolved."""
POLICY = "policy:"
"""Begins the name of a trained policy that plays beside the members; it decides no level."""
BUDGETS: Mapping[int, int] = {3: 64, 4: 512}
"""Most plans of a search, by the level of a battle that it wins."""
MOST_GAMES = 2000
"""Games of a search after which a battle that it did not win is unsolved; one that it did win is of level 5."""
HARDEST = max(BUDGETS) + 1
"""The level of battles that no search of the most plans wins, and a longer one or a solution does."""


@dataclass(frozen=True)
class PanelRow:
    """What one member did in one battle.

    Attributes:
        battle: Name of the battle.
        sha256: Digest of its files (docs/rules/sets.md 1.2).
        member: One of `PLAIN`, `SEARCH`, `SOLUTION`, or a policy, whose name begins with `POLICY`.
        wins: Games won of `GAMES`.
        value: Mean value of the games: below 1 for one that was not won, else 1 and the share of own units alive; of a
            policy the share that it won.
        games: `GAMES`.
        plans: Plans that a search had tried; 1 for other members.
        budget: Most plans that a search was allowed; 1 for other members.
        searched: Games that a search had played.
        over: Whether a search had used up its most games.
        plan: Text of the plan that played; the digest of a policy.
    """

    battle: str
    sha256: str
    member: str
    wins: int
    value: float
    games: int = GAMES
    plans: int = 1
    budget: int = 1
    searched: int = 0
    over: bool = False
    plan: str = ""

    @property
    def won(self) -> bool:
        """Whether at least half of the games were won."""
        return 2 * self.wins >= self.games

    def json(self) -> dict[str, Any]:
        """Return the row in plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> PanelRow:
        """Return the row of `json`.

        Raises:
            DataError: It is none.
        """
        kinds = {name: type(getattr(_ANY, name)) for name in asdict(_ANY)}
        wrong = [name for name, kind in kinds.items() if type(row.get(name)) is not kind]
        if wrong or row.keys() != kinds.keys():
            raise DataError(f"`{wrong[0]}` is missing or of the wrong type" if wrong else "it has unknown fields")
        found = cls(**row)
        known = found.member in (*PLAIN, SEARCH, SOLUTION) or found.member.startswith(POLICY)
        if not known or not 0 <= found.wins <= found.games or found.games < 1:
            raise DataError("its member or its wins cannot be")
        return found


_ANY = PanelRow("", "", PLAIN[0], 0, 0.0)


def plain_plans(drawn: Drawn) -> dict[str, str]:
    """Return the plans of the members without a search: no unit moves, all attack, and the battle's own plan."""
    scenario, player = drawn.scenario, drawn.player
    home = player.posts[0].place
    stand = PlanWriter(player)
    stand.step(f"time {scenario.rules.limit}", [f"units: all\n- target position: {home}\n- behavior: stand"])
    assert scenario.player.plan is not None, "a drawn battle has a plan for the player"
    return {"stand": stand.text(), "attack": attack_plan(drawn), "default": scenario.player.plan}


def attack_plan(drawn: Drawn, side: int = PLAYER) -> str:
    """Return the plan in which all fighters of a side attack the post of the other that is nearest to their first."""
    army, other = drawn.player, drawn.commander.army
    if side != PLAYER:
        army, other = other, army
    home = army.posts[0].place
    nearest = min(
        (post.place for post in other.posts),
        key=lambda place: (place[0] - home[0]) ** 2 + (place[1] - home[1]) ** 2,
    )
    attack = PlanWriter(army)
    attack.step(ELIMINATION, attack.fight(army.posts, spot(nearest)))
    return attack.text()


def level_of(rows: Mapping[str, PanelRow]) -> int | str | None:
    """Return the level of a battle: 0 to 5, `unsolved`, or None where too little was played.

    Args:
        rows: What the members did in it, by member.
    """
    for level, member in enumerate(PLAIN):
        if member not in rows:
            return None
        if rows[member].won:
            return level
    found, solution = rows.get(SEARCH), rows.get(SOLUTION)
    if found is None:
        return None
    if found.won:
        return level_of_search(found.plans)
    if solution and solution.won and level_of_search(found.plans) >= max(BUDGETS):
        return HARDEST
    return "unsolved" if found.over else None


def level_of_search(plans: int) -> int:
    """Return the level of a search by the plans that it tried: the one that it wins, or the highest that it loses."""
    return next((level for level, most in BUDGETS.items() if plans <= most), HARDEST)
