"""The names of commanders, as `--by` takes them in every command."""

from __future__ import annotations

from pathlib import Path

from dsl import UserError
from dsl.wording import is_whole, nearest
from hive.experiments.commanders.kept import Folder
from hive.experiments.commanders.known import Attack, Fixed, Searched, Staying, Words, plan_name
from hive.experiments.commanders.moments import Commander

LEAST_SEARCH, MOST_SEARCH = 32, 100_000
"""Plans that a search may be allowed."""

_PLAIN = ("words", "default", "hold", "stand", "attack")
_KNOWN = (
    "commanders are words, words:ORDER, plan:FILE, plan:FILE,ENEMY_FILE, plans:DIR, default, hold, stand, attack, "
    f"search-N with N from {LEAST_SEARCH} on, and models as NAME@URL"
)


def read_commander(text: str) -> Commander:
    """Return the commander of a name that is no model's.

    Args:
        text: The name.

    Raises:
        UserError: There is none of that name, or its plans cannot be found.
    """
    kind, colon, rest = text.partition(":")
    if kind == "words" and (rest or not colon):
        return Words(rest, text)
    if kind == "plan" and rest:
        mine, theirs = plan_files(rest)
        return Fixed(mine, theirs, plan_name(mine))
    if kind == "plans" and rest:
        return Folder(Path(rest))
    if text == "default":
        return Fixed(None, None, text)
    if text in ("hold", "stand"):
        return Staying(text)
    if text == "attack":
        return Attack()
    word, dash, most = text.partition("-")
    if word == "search" and dash and is_whole(most) and LEAST_SEARCH <= int(most) <= MOST_SEARCH:
        return Searched(int(most))
    near = nearest(kind, (*_PLAIN, "plan", "plans"))
    hint = f"did you mean `{near}`? " if near and near != kind else ""
    raise UserError(f"--by {text}: there is no such commander\n  = help: {hint}{_KNOWN}")


def plan_files(rest: str) -> tuple[str, str | None]:
    """Return the plans behind `plan:`: the player's file, and the enemy's where `FILE,ENEMY_FILE` names another."""
    mine, comma, theirs = rest.partition(",")
    return mine, theirs if comma else None
