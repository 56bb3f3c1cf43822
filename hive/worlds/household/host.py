"""Households on the host: names, the list of what is shipped, and an episode in words."""

from __future__ import annotations

from typing import Any

from dsl.wording import plural
from hive.kit.keep.lines import split_lines
from hive.kit.keep.places import read_text
from hive.kit.planned_world import Request
from hive.kit.reporting import Description, Scene
from hive.kit.team_world import TeamRequest, TeamWorld
from hive.kit.unplanned import Unplanned
from hive.worlds.household.codes import ACTING
from hive.worlds.household.episode import AGENT_NAMES, HouseholdEpisode, episode, episodes, transports
from hive.worlds.household.named import PREFIX, find_episode

VERSION = 1
"""Version of the words of `Households.describe`."""

AGENTS = 2
"""Agents of a team that is described."""


class Households(Unplanned):
    """The kind of households, named `household/` with an episode, or by the path of an episode's file."""

    noun, acting = "household", ACTING
    notes = """\
Frameworks of team:FRAMEWORK are liet, liet_blind, liet_guessed, liet_fixed, liet_report, liet_kept, coela,
proagent, roco and roco_paid. Settings for --set: team, detection, utility (a file, or exact), costs, tips,
carry, closing (1: containers can be closed) and turning (1: agents see only what they face)."""

    def claims(self, name: str) -> bool:
        """Names that begin with `household/` are households, and files that name an apartment."""
        if not name.endswith(".toml"):
            return name.startswith(PREFIX)
        try:
            lines = split_lines(read_text(name))
        except (OSError, UnicodeDecodeError):
            return False
        return any(line.replace(" ", "").startswith("apartment=") for line in lines)

    def names(self) -> list[str]:
        """Shipped episodes."""
        return [f"{PREFIX}{name}" for name in (*episodes(), *transports())]

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """Shipped episodes."""
        return {"households": [_entry(episode(name)) for name in (*episodes(), *transports())]}

    def team_world(self, request: TeamRequest) -> TeamWorld:
        """Return worlds for a team of agents; see `hive.kit.contract.Kind`."""
        from hive.worlds.household.teams import HouseholdTeams

        return HouseholdTeams(request)

    def describe(self, request: Request, tick: int) -> Scene:
        """Describe an episode at its start, as its agents know it; see `hive.kit.contract.Kind`."""
        self.refuse_game(request, tick, "every tick")
        found = find_episode(request.scenario)
        system, state = _rules(found), _start(found)
        return Scene(f"{PREFIX}{found.name}", 0, 0, Description(f"household/{VERSION}", system, state, system, state))


def _rules(found: HouseholdEpisode) -> str:
    """The goal, the team and the time."""
    from hive.worlds.household.texts import Texts

    rooms = ", ".join(room.name for room in found.apartment.rooms)
    transport = found.rules == "transport"
    sight = "5 metres far in its room, and all of a room that it explores" if transport else "all of its room"
    return (
        f"{' and '.join(AGENT_NAMES[:AGENTS])} have {found.limit} ticks for the task `{found.task}`: "
        f"{Texts(found).goal()}.\nRooms: {rooms}. Each agent has two hands and sees {sight}."
    )


def _start(found: HouseholdEpisode) -> str:
    """What each agent knows before the first tick, and what it can choose."""
    import jax
    import numpy as np

    from hive.worlds.household.assembly import make_params
    from hive.worlds.household.dynamics import reset
    from hive.worlds.household.legality import legal
    from hive.worlds.household.texts import Texts, proposals

    params, words = make_params(found, AGENTS), Texts(found)
    state = jax.jit(reset)(params, jax.random.key(0))
    masks = np.asarray(jax.jit(legal)(params, state))
    state = jax.device_get(state)
    parts = []
    for agent in range(AGENTS):
        choices = "\n".join(f"- {words.option(each)}" for each in proposals(masks[agent], words.transport))
        parts.append(
            f"{AGENT_NAMES[agent]}: {words.progress(state, agent)}\nOptions of {AGENT_NAMES[agent]}:\n{choices}"
        )
    return "\n\n".join(parts)


def _entry(found: HouseholdEpisode) -> dict[str, Any]:
    goals = dict(found.goals)
    wanted = ", ".join(plural(count, kind) for kind, count in goals.items())
    place = found.apartment.receptacles[found.goal_place]
    return {
        "name": f"{PREFIX}{found.name}",
        "line": f"{found.task} in {found.apartment.name}: {wanted} {found.relation} the {place.kind}",
        "task": found.task,
        "apartment": found.apartment.name,
        "goals": goals,
        "place": place.name,
        "objects": len(found.things),
        "limit": found.limit,
    }
