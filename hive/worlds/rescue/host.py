"""Rescues on the host: names, the list of what is shipped, and a rescue in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dsl.wording import plural
from hive.kit.planned_world import Request
from hive.kit.reporting import Description, Scene
from hive.kit.team_world import TeamRequest, TeamWorld
from hive.kit.unplanned import Unplanned
from hive.worlds.rescue.agents.views import VERSION, AgentView, VictimView, View, task_text, view_text, words
from hive.worlds.rescue.codes import ACTING, RESOURCES, STEPS
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.shipped import PREFIX, load_instance, names, shipped


class Rescues(Unplanned):
    """The kind of rescues, named `rescue/` with a map and a team, or by the path of a team's file."""

    noun, acting = "rescue", ACTING
    notes = "Settings for --set: limit, the most steps of a run, and those of what agents are shown (docs/rescue.md)."

    def claims(self, name: str) -> bool:
        """Names that begin with `rescue/` are rescues, and files with `victims.toml` next to them."""
        if name.endswith(".toml"):
            return Path(name).with_name("victims.toml").is_file()
        return name.startswith(PREFIX)

    def names(self) -> list[str]:
        """Shipped instances."""
        return [f"{PREFIX}{name}" for name in names()]

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """Shipped instances."""
        return {"rescues": [_entry(shipped(name)) for name in names()]}

    def team_world(self, request: TeamRequest) -> TeamWorld:
        """Return worlds for a team of agents; see `hive.kit.contract.Kind`."""
        from hive.worlds.rescue.teams import RescueTeams

        return RescueTeams(request)

    def describe(self, request: Request, tick: int) -> Scene:
        """Describe a rescue at its start, as its agents know it; see `hive.kit.contract.Kind`."""
        self.refuse_game(request, tick, "a run with every step")
        instance = load_instance(request.scenario)
        name = f"{PREFIX}{instance.name}"
        system, state = _rules(instance), view_text(_view(instance))
        return Scene(name, 0, 0, Description(f"rescue/{VERSION}", system, state, system, state))


def _rules(instance: Instance) -> str:
    """The aim and the actions."""
    text = words()
    tools = "\n".join(f"- {name}: {about}" for name, about in text.table("Tools").items())
    return f"{task_text(STEPS)}\n\nActions:\n{tools}"


def _view(instance: Instance) -> View:
    """What all agents see before the first turn; `View.me` is no agent's."""
    rooms = instance.rooms
    return View(
        me=-1,
        doors={room: tuple(rooms[other] for other in instance.neighbours(n)) for n, room in enumerate(rooms)},
        victims=tuple(
            VictimView(
                victim.name,
                rooms[victim.room],
                tuple(kind for kind, needed in zip(RESOURCES, victim.needs, strict=True) if needed),
                victim.urgent,
            )
            for victim in instance.victims
        ),
        agents=tuple(AgentView(agent.name, rooms[agent.room], agent.supplies, True) for agent in instance.agents),
    )


def _entry(instance: Instance) -> dict[str, Any]:
    sizes = [(len(instance.rooms), "room"), (len(instance.victims), "victim"), (len(instance.agents), "agent")]
    line = ", ".join(plural(number, what) for number, what in sizes)
    return {
        "name": f"{PREFIX}{instance.name}",
        "line": f"{line}. {instance.about}",
        "about": instance.about,
        **{f"{what}s": number for number, what in sizes},
        "needs": dict(zip(RESOURCES, instance.needs, strict=True)),
        "supplies": dict(zip(RESOURCES, instance.supplies, strict=True)),
    }
