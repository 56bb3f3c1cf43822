"""Ways in which a team talks and decides: one module each, and the table of all of them."""

from __future__ import annotations

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.teams.frameworks import camon, coela, embodied, hmas2, liet, nothing, proagent, roco
from hive.teams.frameworks.framework import Framework

FRAMEWORKS = {
    each.name: each
    for each in (camon.FRAMEWORK, coela.FRAMEWORK, embodied.FRAMEWORK, hmas2.FRAMEWORK, nothing.FRAMEWORK)
}

PROPOSING = {
    "liet": liet.LIET,
    "liet_blind": liet.BLIND,
    "liet_guessed": liet.GUESSED,
    "liet_fixed": liet.FIXED,
    "liet_kept": liet.KEPT,
    "coela": liet.COELA,
    "proagent": proagent.FRAMEWORK,
    "roco": roco.FRAMEWORK,
    "roco_paid": roco.PAID,
}
"""Frameworks for worlds whose agents choose among proposals (`hive.stage.ProposalStage`)."""


def find(name: str) -> Framework:
    """Return a framework by its name.

    Raises:
        UserError: There is none of this name.
    """
    if name not in FRAMEWORKS:
        hint = did_you_mean(nearest(name, FRAMEWORKS)) or f"the frameworks are {listing(FRAMEWORKS, 'and')}"
        raise UserError(f"there is no framework `{name[:80]}`\n  = help: {hint}")
    return FRAMEWORKS[name]
