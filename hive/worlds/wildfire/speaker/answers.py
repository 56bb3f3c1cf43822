"""The tagged answer to each decision that a framework asks for."""

from __future__ import annotations

import re
from collections.abc import Callable

from hive.kit.prompts import tags
from hive.worlds.wildfire.speaker.acting import choose
from hive.worlds.wildfire.speaker.cutting import NOTHING
from hive.worlds.wildfire.speaker.scene import AgentFacts, PromptFacts

_OPTION = re.compile(r"^- type (\d+): ([^;]+)((?:; param_\d = \w+)*)", re.MULTILINE)
_PROPOSAL = re.compile(r"(\w+) proposes: (.*)")
_ORDER = re.compile(r"^- (AGENT_\d+): (.*)$", re.MULTILINE)
_INSTEAD = re.compile(r"^- (AGENT_\d+): .*?I would rather: (.*)$", re.MULTILINE)
_SEND = "SEND MESSAGE"


def reply(scene: PromptFacts, later: list[str]) -> str:
    """Return the answer to a prompt.

    Args:
        scene: The prompt.
        later: Texts of a conversation after the prompt; the last one is to be answered.
    """
    decision = scene.decision
    if decision == "translate":
        return _translate(scene)
    if decision != "plan for everyone" and scene.me not in scene.minds:
        return tags(reasoning="The prompt does not say where I am.", action=NOTHING)
    if decision.startswith("review the proposal"):
        return _review(scene)
    if decision == "plan for everyone":
        return _plan_for_everyone(scene, later)
    return _ANSWERS[decision](scene) if decision in _ANSWERS else tags(reasoning=f"I do not know how to {decision}.")


def _plan(scene: PromptFacts) -> str:
    """CAMON's leader: its own action, and one for each idle agent that has something to do."""
    line, why = choose(scene, scene.minds[scene.me])
    orders: dict[str, str] = {}
    for mind in _others(scene):
        theirs, reason = choose(scene, mind)
        urgent = mind.doing is None or _found(scene, mind, theirs)
        if urgent and theirs not in (NOTHING, mind.doing) and not mind.seen.aboard:
            orders |= {f"{mind.name}-action": theirs, f"{mind.name}-message": _told(theirs, reason)}
    return tags(reasoning=why, action=line, **orders)


def _propose(scene: PromptFacts) -> str:
    line, why = choose(scene, scene.minds[scene.me])
    return tags(reasoning=why, action=line)


def _review(scene: PromptFacts) -> str:
    found = _PROPOSAL.search(scene.sections.get("Proposal", ""))
    mind = scene.minds.get(found[1]) if found else None
    if found is None or mind is None:
        return tags(reasoning="I do not know who proposes.", decision="ACCEPT", message="Go on.")
    line, why = choose(scene, mind)
    if _same(line, found[2]):
        return tags(reasoning="I would do the same.", decision="ACCEPT", action=found[2], message=_told(line, why))
    return tags(reasoning="I would do something else.", decision="REJECT", action=line, message=_told(line, why))


def _write(scene: PromptFacts) -> str:
    text, why = _news(scene)
    return tags(reasoning=why, message=text or _intent(scene))


def _choose_or_send(scene: PromptFacts) -> str:
    text, why = _news(scene)
    if text and text in scene.sections.get("Message", ""):
        return tags(reasoning=f"{why} The others have to know.", action=_SEND)
    return _propose(scene)


def _communicate(scene: PromptFacts) -> str:
    text = " ".join(part for part in (_news(scene)[0], _intent(scene)) if part)
    if text in [mail.text for mail in scene.mails if mail.sender == scene.me]:
        return tags(reasoning="I have said all that I know.")
    mind = scene.minds[scene.me]
    parts = {"GLOBAL": text}
    if scene.task.game == "transport" and mind.kind == "helicopter" and mind.seen.carries:
        for name, (kind, cell) in mind.seen.mates.items():
            if kind == "firefighter" and cell != mind.cell and cell != scene.task.goal:
                parts[name] = f"Wait at {cell}; I come back for you."
    return tags(reasoning="The others should know what I see and do.", **parts)


def _plan_for_everyone(scene: PromptFacts, later: list[str]) -> str:
    wishes = dict(_INSTEAD.findall(later[-1])) if later else {}
    orders = {mind.name: wishes.get(mind.name) or choose(scene, mind)[0] for mind in scene.minds.values()}
    free = {name: line for name, line in orders.items() if not scene.minds[name].seen.aboard}
    return tags(reasoning="Each agent does its own part of the task.", **free)


def _feedback(scene: PromptFacts) -> str:
    mind = scene.minds[scene.me]
    line, why = choose(scene, mind)
    mine = dict(_ORDER.findall(scene.sections.get("Plan", ""))).get(scene.me, "")
    if _same(line, mine):
        return tags(reasoning=why, feedback="ACCEPT")
    return tags(reasoning=why, feedback=f"{why} I would rather: {line}")


def _translate(scene: PromptFacts) -> str:
    sentence = scene.sections.get("Sentence", "")
    options = [
        (number, name, text.count("param_")) for number, name, text in _OPTION.findall(scene.sections["Actions"])
    ]
    fits = [option for option in options if option[1].lower() in sentence.lower()]
    if not fits:
        return tags(type="0", description="ERROR EXECUTING: no action of the list is named.")
    number, name, count = max(fits, key=lambda option: len(option[1]))
    numbers = re.findall(r"-?\d+", sentence.lower().partition(name.lower())[2])[:count]
    if len(numbers) < count:
        return tags(type="0", description=f"ERROR EXECUTING: {name} lacks a number.")
    return tags(type=number, **{f"param_{at}": value for at, value in enumerate(numbers, 1)}, description=sentence)


_ANSWERS: dict[str, Callable[[PromptFacts], str]] = {
    "plan for the team": _plan,
    "propose your action": _propose,
    "write a message": _write,
    "choose an action or SEND MESSAGE": _choose_or_send,
    "communicate": _communicate,
    "act": _propose,
    "feedback": _feedback,
}


def _news(scene: PromptFacts) -> tuple[str, str]:
    """Return what an agent knows and no message has said yet, and why it matters; two empty texts for nothing."""
    mind, said = scene.minds[scene.me], " ".join(mail.text for mail in scene.mails)
    fires = mind.seen.fires
    if fires and "fire at" not in said:
        return f"I see fire at {_cells(fires)}.", "I have found the fire."
    lost = [cell for cell in mind.seen.civilians if scene.task.goal is None or cell != scene.task.goal]
    if lost and not scene.task.groups and "civilians at" not in said:
        return f"I see civilians at {_cells(lost)}.", "I have found civilians."
    if scene.task.game == "cut" and choose(scene, mind)[0] == NOTHING:
        text = f"I, {scene.me}, have cleared my part."
        return (text, "I have nothing left to do.") if text not in said else ("", "")
    return "", ""


def _intent(scene: PromptFacts) -> str:
    mind = scene.minds[scene.me]
    line, why = choose(scene, mind)
    return f"I am at {mind.cell}. {why}" + ("" if line == NOTHING else f" I will {line}.")


def _found(scene: PromptFacts, mind: AgentFacts, line: str) -> bool:
    """Whether a drone that flies elsewhere should go to a fire that another one has found."""
    return scene.task.game == "scout" and bool(scene.fires(mind)) and line != NOTHING


def _others(scene: PromptFacts) -> list[AgentFacts]:
    return [mind for name, mind in scene.minds.items() if name != scene.me]


def _cells(cells: list[tuple[int, int]]) -> str:
    return ", ".join(map(str, cells[:4]))


def _told(line: str, reason: str) -> str:
    """Return an order with an agent's own reason turned into one that it is told."""
    words = {"I": "you", "me": "you", "my": "your", "am": "are"}
    turned = re.sub(r"\b(I|me|my|am)\b", lambda match: words[match[1]], reason)
    why = turned[:1].upper() + turned[1:]
    return f"Stay where you are. {why}" if line == NOTHING else f"Please {line}. {why}"


def _same(one: str, other: str) -> bool:
    return re.findall(r"\w+", one.lower()) == re.findall(r"\w+", other.lower())
