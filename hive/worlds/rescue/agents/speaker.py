"""A scripted rescue agent: it answers the prompts by rules, from their texts alone (docs/rules/rescue.md 9.6).

Each agent announces the victim that it goes to, and leaves a victim to another agent that has announced it and carries
all that it needs. The team plays where there is no model, and it is no measure of what a model can do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hive.worlds.rescue.agents.views import AgentView, VictimView, View, read_view
from hive.worlds.rescue.codes import RESOURCES

_DECISION = re.compile(r"^Decide: (.+)$", re.MULTILINE)
_RESULT = re.compile(r"^# Result\n(.+)$", re.MULTILINE)
_PLAN = re.compile(r"I go to (.+) in (.+)\.$")
_MESSAGE = re.compile(r"- step \d+, (.+?) to all: (.+)")
_END = "<call>end_mission()</call>"


def answer(system: str, texts: Sequence[str]) -> str:
    """Return the answer to a prompt.

    Args:
        system: The system message.
        texts: The messages after it in their order.

    Returns:
        A call or a message; for a prompt that it does not know, a sentence that is neither.
    """
    decisions = _DECISION.findall(texts[-1])
    rooms, _, situation = _section(texts[0], "What you see").partition("\n\n")
    try:
        view = read_view(f"{rooms}\n\n{_section(texts[-1], 'What you see now') or situation}")
    except ValueError:
        return "I do not know this kind of prompt."
    goal = target(view, _announced(_section(texts[0], "Messages")))
    if decisions[-1:] == ["tell your team"]:
        return _tell(view, goal, _RESULT.search(texts[-1]))
    return _act(view, goal)


def target(view: View, announced: Mapping[str, str]) -> VictimView | None:
    """Return the victim that an agent helps next: of those that it can help completely, else of all that it can help.

    Urgent ones go first, then near ones, then those named first.

    Args:
        view: What the agent sees.
        announced: Name of the victim that each other agent goes to, by the agent's name.
    """
    me, others = view.agents[view.me], view.agents[: view.me] + view.agents[view.me + 1 :]
    mine = [
        victim
        for victim in view.victims
        if _helps(me, victim)
        and not any(announced.get(other.name) == victim.name and _covers(other, victim) for other in others)
    ]
    far = distances(view, me.room)
    order = sorted(mine, key=lambda victim: (not _covers(me, victim), not victim.urgent, far[victim.room]))
    return order[0] if order else None


def distances(view: View, room: str) -> dict[str, int]:
    """Return how many doors lie between a room and each other one."""
    found, open_ = {room: 0}, [room]
    for here in open_:
        for other in view.doors[here]:
            if other not in found:
                found[other] = found[here] + 1
                open_.append(other)
    return found


def _act(view: View, goal: VictimView | None) -> str:
    me = view.agents[view.me]
    if goal is None:
        return f"I can help nobody whom another agent does not help.\n{_END}"
    if goal.room == me.room:
        kind = next(kind for kind in goal.needs if me.supplies[RESOURCES.index(kind)])
        return f"{goal.name} is here and needs {kind}.\n<call>give_{kind}()</call>"
    far = distances(view, goal.room)
    way = min(view.doors[me.room], key=lambda room: far[room])
    return f"I go to {goal.name} in {goal.room}, at distance {far[me.room]}.\n<call>navigate_to({way})</call>"


def _tell(view: View, goal: VictimView | None, result: re.Match[str] | None) -> str:
    tried, _, how = result[1].partition(": ") if result else ("nothing", "", "")
    did = f"I {'tried' if how.startswith('refused') else 'did'} {tried}. "
    if not view.agents[view.me].active:
        return f"communicate: {did}I have ended my mission."
    if goal is None:
        return f"communicate: {did}I can help nobody any more."
    return f"communicate: {did}I go to {goal.name} in {goal.room}."


def _announced(messages: str) -> dict[str, str]:
    """Return the victim that each sender goes to by its latest message."""
    said = {found[1]: found[2] for found in map(_MESSAGE.fullmatch, messages.splitlines()) if found}
    plans = {sender: _PLAN.search(text) for sender, text in said.items()}
    return {sender: plan[1] for sender, plan in plans.items() if plan}


def _helps(agent: AgentView, victim: VictimView) -> bool:
    return any(agent.supplies[RESOURCES.index(kind)] for kind in victim.needs)


def _covers(agent: AgentView, victim: VictimView) -> bool:
    return agent.active and all(agent.supplies[RESOURCES.index(kind)] for kind in victim.needs)


def _section(text: str, title: str) -> str:
    """Return what stands under a title of a prompt; empty if it has no such title."""
    _, found, rest = text.partition(f"# {title}\n")
    return rest.split("\n\n# ")[0] if found else ""
